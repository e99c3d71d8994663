"""Signs with the service's key, and checks signatures made with it or with older keys.

The keys sign links in letters, reply addresses, invitation links, feed addresses and forms. A
process keeps the keys that it was started with.
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
"""Encodes a signature: cut and encoded for the place where it is used."""


@dataclass(frozen=True)
class Keys:
    """The key that signs, and the older keys that still verify."""

    new: bytes
    old: tuple[bytes, ...] = ()

    def signed(self, said: bytes, write: Write) -> str:
        """Sign a text."""
        proof = self._begun.copy()
        proof.update(said)
        return write(proof.digest())

    @cached_property
    def _begun(self) -> hmac.HMAC:
        """An HMAC that already holds the signing key. Setting it up takes half of the time."""
        return hmac.new(self.new, digestmod="sha256")

    def proved(self, given: str, said: bytes, write: Write) -> bool:
        """Return whether `given` is our signature of `said` by any key.

        Takes equally long for each of them.

        Signatures are compared in their encoded form, so each key has exactly one for a text.
        """
        found = [hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
                 for right in self.each_signed(said, write)]
        return True in found  # all are compared, whichever matches

    def each_signed(self, said: bytes, write: Write) -> list[str]:
        """Return the signature by each key, the signing one first."""
        return [write(hmac.digest(key, said, "sha256")) for key in (self.new, *self.old)]


class OldKey(NamedTuple):
    """A key that no longer signs, and since when."""

    key: bytes
    until: datetime


class DamagedKeys(Exception):
    """Raised for a key file without a valid key."""


class KeyFiles:
    """The keys in a folder: `secret.key` signs, `secret.old` has the others, one per line."""

    def __init__(self, var: Path) -> None:
        self.signing, self.older = var / SIGNING, var / OLDER

    def read(self) -> Keys:
        """Read both files.

        Reads the signing key first, because a rotation writes it last. Raises DamagedKeys.
        """
        new = self.signing.read_bytes()
        if len(new) < SHORTEST:
            raise DamagedKeys(f"{self.signing} is damaged: a key has {SHORTEST} bytes")
        return Keys(new, tuple(old.key for old in self.old_ones() if old.key != new))

    def old_ones(self) -> list[OldKey]:
        """Return the older keys, the most recent one first."""
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
        """Replace the older keys."""
        lines = [f"{each.until.isoformat()} {base64.b64encode(each.key).decode()}\n"
                 for each in old]
        replace(self.older, "".join(lines).encode())

    def begin(self, key: bytes) -> None:
        """Store the first key. An existing one stays."""
        draft = drafted(self.signing, key)
        try:
            os.link(draft, self.signing)
        except FileExistsError:
            pass
        finally:
            draft.unlink()


def replace(path: Path, content: bytes) -> None:
    """Write a private file atomically: after a crash it has the old content or the new one."""
    draft = drafted(path, content)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    with suppress(OSError):  # not every file system can flush folders
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def drafted(path: Path, content: bytes) -> Path:
    """Write and flush a temporary file beside the target, ready to replace it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        os.fsync(file.fileno())
    return draft


def text_of(key: bytes) -> str:
    """Format a key for the environment."""
    return f"base64:{base64.b64encode(key).decode()}"


def key_in(text: str) -> bytes:
    """Parse a key from the environment: `base64:` and its bytes, or any text. Raises ValueError."""
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
