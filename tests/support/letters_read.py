"""Letters of a few headers for tests of the reader, and what is read in them."""

from __future__ import annotations

from pathlib import Path

from pbem.mail.incoming.parse.read import read
from pbem.mail.incoming.parse.reading import Envelope, Mail, Ours, Reading, Unreadable

LETTERS = Path(__file__).parents[1] / "letters"
OURS = Ours("reply.play.example", "play.example", "mx.play.example")
TOKEN = "k7q2v9m4x3t8w5z6b2c7d4f3h9"
TO = f"turn+{TOKEN}@reply.play.example"
ANA = "ana@players.example"
MIXED = 'multipart/mixed; boundary="x"'


def kept(name: str) -> Reading:
    """One of the kept letters, as its envelope was."""
    raw = (LETTERS / f"{name}.eml").read_bytes()
    sender = "" if b"Return-Path: <>" in raw else "player.one@mail.example"
    return read(raw, Envelope(sender, "", "pipe"), OURS)


def letter(
    body: str | bytes = "pass", *, kind: str = "text/plain; charset=utf-8", to: str = TO,
    sender: str = ANA, ours: Ours = OURS, **headers: str,
) -> Reading:  # fmt: skip
    """A letter with these headers (their names with _ for -)."""
    given = {"From": ANA, "Content-Type": kind}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    content = body if isinstance(body, bytes) else body.encode()
    return read(f"{head}\r\n".encode() + content, Envelope(sender, to, "lmtp"), ours)


def lines(body: str | bytes, **others: str) -> tuple[str, ...]:
    """The lines that are read in such a letter."""
    found = letter(body, **others)  # type: ignore[arg-type]
    assert isinstance(found, Mail), found
    return found.lines


def authentic(results: str, sender: str = ANA) -> str:
    found = letter(From=sender, Authentication_Results=results)
    assert isinstance(found, Mail)
    return found.authentic


def refused(found: Reading) -> tuple[str, int | None]:
    assert isinstance(found, Unreadable), found
    return found.reason, found.most
