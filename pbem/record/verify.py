"""Verifies a game record: every byte must follow from its header and its moves.

docs/security.md says what a record cannot prove.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple, TypeVar

import msgspec

from engine import codec, registry
from engine.api import GameRules
from engine.errors import BadComponents
from pbem.play.chance import commitment_of, secret_of
from pbem.play.hash_chain import body_of_parts
from pbem.play.results import placed
from pbem.record.file_format import EntryLine, Header, Result, header_line, result_line
from pbem.record.replay import UNREADABLE, Misfit, Otherwise, Rerun, Written

LONGEST_LINE = 1024 * 1024  # bytes; a header with a component set of 64 KiB has some 130 KB

L = TypeVar("L", Header, EntryLine, Result)


class Verdict(NamedTuple):
    """The result of a verification. `at` is "header", "entry 17", "result", or "" if all fits.

    `redrawn` means that the random draws were repeated; otherwise the server part is still secret.
    """

    ok: bool
    at: str
    reason: str
    entries: int
    finished: bool
    redrawn: bool


def verify(lines: Iterable[bytes]) -> Verdict:
    """Verify a record, line by line, each with its newline.

    Names the first line that does not fit.
    """
    run: Run | None = None
    try:
        rows = iter(bounded(lines))
        run = Run(next(rows, b""))
        for line in rows:
            run.read(line)
        run.end()
    except Misfit as misfit:
        entries = run.number if run else 0
        return Verdict(ok=False, at=misfit.at, reason=misfit.reason, entries=entries,
                       finished=False, redrawn=False)
    return Verdict(ok=True, at="", reason="", entries=run.number,
                   finished=run.finished, redrawn=run.secret is not None)


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, each read only up to the length that a record's line may have."""
    return iter(lambda: file.readline(LONGEST_LINE + 1), b"")


def bounded(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines. Raises Misfit for one that is too long."""
    for number, line in enumerate(lines):
        if len(line) > LONGEST_LINE:
            raise Misfit(f"entry {number}" if number else "header",
                         f"it is longer than {LONGEST_LINE} bytes")
        yield line


class Run:
    """A record, as far as it has been replayed. `otherwise` is as for Rerun."""

    def __init__(self, line: bytes, otherwise: list[Otherwise] | None = None) -> None:
        header = read_line(line, Header, "header")
        if header_line(header) != line:
            raise Misfit("header", "its hash or its form is wrong")
        self.header = header
        self.secret = secret_in(header)
        self.rerun = Rerun(game_of(header), label=header.label, seats=len(header.seats),
                           options=header.options, secret=self.secret, otherwise=otherwise)
        self.finished = False

    @property
    def number(self) -> int:
        """How many entries fit."""
        return self.rerun.number

    def read(self, line: bytes) -> None:
        """Read the next line: an entry, or the result after the last entry. Raises Misfit."""
        if self.rerun.is_over:
            self._read_result(line)
            return
        at = self.rerun.next
        entry = read_line(line, EntryLine, at)
        if codec.encode(entry) + b"\n" != line:
            raise Misfit(at, "it is not in the canonical form")
        if entry.previous != self.rerun.previous.hex():
            raise Misfit(at, "it does not continue the entry before it")
        if not self.number and entry.ruleset != self.header.ruleset:
            raise Misfit(at, "its ruleset is not the header's")
        move = self.rerun.follow(written(entry, at))
        order = None if move is None else self.rerun.game.to_text(move)
        if order != entry.order:
            self.rerun.note_otherwise(Otherwise(at, "its order is not its move"))

    def end(self) -> None:
        """Check that nothing is missing after the last line. Raises Misfit."""
        if self.rerun.is_over and not self.finished:
            raise Misfit("result", "it is missing")
        if self.finished and self.secret is None:
            raise Misfit("header", "the game is over and its server part is missing")
        if not self.number:
            raise Misfit("entry 1", "it is missing")

    def _read_result(self, line: bytes) -> None:
        if self.finished:
            raise Misfit("result", "something stands behind it")
        read_line(line, Result, "result")
        standings = self.rerun.game.returns(self.rerun.state)
        if line != result_line(placed(standings, self.rerun.vacated)):
            self.rerun.note_otherwise(
                Otherwise("result", "it is not what the last entry leads to"))
        self.finished = True


def read_line(line: bytes, kind: type[L], at: str) -> L:
    """Decode the line as the kind that must come here. Raises Misfit."""
    try:
        return msgspec.json.decode(line, type=kind)
    except UNREADABLE as unread:
        raise Misfit(at, f"it cannot be read: {unread}") from None


def written(entry: EntryLine, at: str) -> Written:
    """Return a line's entry, with its hashes as bytes."""
    body = body_of_parts(bytes(entry.move), bytes(entry.events), entry.note)
    return Written(
        entry.number, entry.base, entry.seat, entry.cause, entry.ruleset, body,
        from_hex(entry.state_hash, at), from_hex(entry.hash, at),
    )


def from_hex(written: str, at: str) -> bytes:
    """Parse lower-case hex. Raises Misfit."""
    try:
        found = bytes.fromhex(written)
    except ValueError:
        raise Misfit(at, "a hash in it is no hash") from None
    if found.hex() != written:
        raise Misfit(at, "a hash in it is not in the canonical form")
    return found


def game_of(header: Header) -> GameRules:
    """Return the game with the record's own figures."""
    if header.game not in registry.GAMES:
        raise Misfit("header", f"there is no game {header.game!r}")
    try:
        game = registry.game(header.game, header.components)
    except BadComponents as bad:
        raise Misfit("header", f"its component set cannot be played with: {bad}") from None
    if game.digest != header.digest:
        raise Misfit("header", "the digest is not that of its component set")
    for option, value in header.options.items():
        if (type(value), value) not in [(type(one), one) for one in game.options.get(option, ())]:
            raise Misfit("header", f"its options fit no table: {option[:40]!r} is none here")
    if len(header.seats) not in game.seats or len(header.phrases) != len(header.seats):
        raise Misfit("header", "seats and phrases do not fit the game")
    return game


def secret_in(header: Header) -> bytes | None:
    """Return the secret in the header, or None while the game runs."""
    if header.server_part is None:
        return None
    server_part = from_hex(header.server_part, "header")
    if commitment_of(server_part) != header.commitment:
        raise Misfit("header", "the server part is not what was committed to")
    return secret_of(server_part, header.phrases)
