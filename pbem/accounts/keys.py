"""The service's keys: one signs, it and older ones prove what was signed before.

They prove links in letters, reply addresses, links to join, feed addresses and forms. A process has
the keys that it was started with.
"""

from __future__ import annotations

import base64
import hmac
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

SHORTEST = 32  # bytes of a key
SIGNING, OLDER = "secret.key", "secret.old"  # in VAR

Write = Callable[[bytes], str]
"""How a proof is written: cut and encoded as the place where it stands needs it."""


@dataclass(frozen=True)
class Keys:
    """The key that signs, and those that prove besides."""

    new: bytes
    old: tuple[bytes, ...] = ()

    def signed(self, said: bytes, write: Write) -> str:
        """The proof that we said this."""
        proof = self._begun.copy()
        proof.update(said)
        return write(proof.digest())

    @cached_property
    def _begun(self) -> hmac.HMAC:
        """A proof with the signing key in it: to begin takes as long as all the rest."""
        return hmac.new(self.new, digestmod="sha256")

    def proved(self, given: str, said: bytes, write: Write) -> bool:
        """Whether somebody gives a proof that we said this, by any key; as slow for each of them.

        Compared as written: one thing said has one proof by each key.
        """
        found = [hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
                 for right in self.each_signed(said, write)]
        return True in found  # all are compared, whichever fits

    def each_signed(self, said: bytes, write: Write) -> list[str]:
        """The proof by each key, that of the signing one first."""
        return [write(hmac.digest(key, said, "sha256")) for key in (self.new, *self.old)]


class OldKey(NamedTuple):
    """A key that signs no more, and since when."""

    key: bytes
    until: datetime


class DamagedKeys(Exception):
    """A file of keys that holds none."""


class KeyFiles:
    """The keys in a folder: `secret.key` signs, `secret.old` has the others, one a line."""

    def __init__(self, var: Path) -> None:
        self.signing, self.older = var / SIGNING, var / OLDER

    def read(self) -> Keys:
        """Read both files. The signing one first: a rotation writes it last."""
        new = self.signing.read_bytes()
        if len(new) < SHORTEST:
            raise DamagedKeys(f"{self.signing} is damaged: a key has {SHORTEST} bytes")
        return Keys(new, tuple(old.key for old in self.old_ones() if old.key != new))

    def old_ones(self) -> list[OldKey]:
        """The older keys, the last one to sign first."""
        try:
            lines = self.older.read_text("ascii").splitlines()
            found = [OldKey(base64.b64decode(key, validate=True), datetime.fromisoformat(until))
                     for until, key in (line.split() for line in lines)]
        except FileNotFoundError:
            return []
        except ValueError:
            raise DamagedKeys(f"{self.older} is damaged") from None
        return sorted(found, key=lambda old: old.until, reverse=True)

    def write_old(self, old: list[OldKey]) -> None:
        """Keep these older ones and no others."""
        lines = [f"{each.until.isoformat()} {base64.b64encode(each.key).decode()}\n"
                 for each in old]
        replace(self.older, "".join(lines).encode())

    def begin(self, key: bytes) -> None:
        """The first key of all; where one is there already that one stays."""
        draft = drafted(self.signing, key)
        try:
            os.link(draft, self.signing)
        except FileExistsError:
            pass
        finally:
            draft.unlink()


def replace(path: Path, content: bytes) -> None:
    """Write a file for nobody else to read: the old content or the new one, whoever is killed."""
    draft = drafted(path, content)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    with suppress(OSError):  # not every file system has folders to flush
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def drafted(path: Path, content: bytes) -> Path:
    """A file beside it, on the disk, that can take its place."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        os.fsync(file.fileno())
    return draft


def text_of(key: bytes) -> str:
    """A key as the environment gives it."""
    return f"base64:{base64.b64encode(key).decode()}"


def key_in(text: str) -> bytes:
    """The key that the environment gives: `base64:` and its bytes, or any text. ValueError."""
    if text.startswith("base64:"):
        try:
            key = base64.b64decode(text.removeprefix("base64:"), validate=True)
        except ValueError:
            raise ValueError("is no base64") from None
        if len(key) < SHORTEST:
            raise ValueError(f"needs at least {SHORTEST} bytes")
        return key
    if len(text) < SHORTEST:
        raise ValueError(f"needs at least {SHORTEST} characters")
    return text.encode()
