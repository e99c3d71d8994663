"""Re-running a game record: every byte of it must follow from its header and its moves.

What a record cannot prove stands in docs/security.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import GenericAlias
from typing import Any, NamedTuple, TypeVar

import msgspec

from engine import codec, journal, play, registry
from engine.api import Game, Seat, Turn
from engine.errors import BadComponents, MoveRefused
from pbem.chance import commitment_of, secret_of, stream
from pbem.games.record import (
    AUTOMATIC,
    FIRST_PREVIOUS,
    EntryLine,
    Header,
    Result,
    entry_hash,
    header_line,
    result_line,
    state_hash,
)
from pbem.games.results import placed

L = TypeVar("L", Header, EntryLine, Result)
# What facts and options that fit no table raise in a game's code.
NONSENSE = (LookupError, ValueError, TypeError, ArithmeticError, AssertionError, RecursionError)


class Verdict(NamedTuple):
    """What re-running found. `at`: "header", "entry 17", "result", or "" where all fits.

    `redrawn`: the chance was drawn again (else the server part is still secret).
    """

    ok: bool
    at: str
    reason: str
    entries: int
    finished: bool
    redrawn: bool


class Fact(NamedTuple):
    """What a later taking back asks of an entry."""

    base: int
    seat: Seat | None
    cause: str
    reveals: bool


class Misfit(Exception):
    """The first line that does not fit, and why."""

    def __init__(self, at: str, reason: str) -> None:
        super().__init__(f"{at}: {reason}")
        self.at = at
        self.reason = reason


def verify(lines: Iterable[bytes]) -> Verdict:
    """Re-run a record, line by line, each with its newline; names the first that does not fit."""
    run: Run | None = None
    try:
        rows = iter(lines)
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


class Run:
    """A record as far as it has been re-run."""

    def __init__(self, line: bytes) -> None:
        header = read_line(line, Header, "header")
        if header_line(header) != line:
            raise Misfit("header", "its hash or its form is wrong")
        self.header = header
        self.game = game_of(header)
        self.secret = secret_in(header)
        self.number = 0
        self.previous = FIRST_PREVIOUS
        # By entry number: an undone entry's successor continues an older position.
        self.states: list[Any] = [empty_table(self.game, header)]
        self.facts: list[Fact] = [Fact(0, None, "", reveals=True)]
        self.resigned: list[Seat] = []
        self.finished = False

    @property
    def is_over(self) -> bool:
        return self.number > 0 and self.game.is_terminal(self.states[-1])

    def read(self, line: bytes) -> None:
        """The next line: an entry, or the result behind the last of them."""
        if self.is_over:
            self._read_result(line)
            return
        at = f"entry {self.number + 1}"
        entry = read_line(line, EntryLine, at)
        if codec.encode(entry) + b"\n" != line:
            raise Misfit(at, "it is not in the canonical form")
        self._check_chain(entry, at)
        try:
            turn = self._rerun(entry, at)
        except NONSENSE as nonsense:
            raise Misfit(at, f"it makes no sense at this table: {nonsense!r}") from None
        if entry.state_hash != state_hash(turn.state).hex():
            raise Misfit(at, "it leads to another position")
        self.number += 1
        self.previous = bytes.fromhex(entry.hash)
        self.states.append(turn.state)
        reveals = any(event.reveals for event in turn.events)
        self.facts.append(Fact(entry.base, entry.seat, entry.cause, reveals=reveals))
        if entry.cause == "resign" and entry.seat is not None:
            self.resigned.append(entry.seat)

    def end(self) -> None:
        """Nothing is missing behind the last line."""
        if self.is_over and not self.finished:
            raise Misfit("result", "it is missing")
        if not self.number:
            raise Misfit("entry 1", "it is missing")

    def _check_chain(self, entry: EntryLine, at: str) -> None:
        if entry.number != self.number + 1:
            raise Misfit(at, f"its number is {entry.number}")
        if entry.previous != self.previous.hex():
            raise Misfit(at, "it does not continue the entry before it")
        body = b'{"move":%b,"events":%b}' % (bytes(entry.move), bytes(entry.events))
        found = entry_hash(
            game=self.header.label,
            number=entry.number,
            base=entry.base,
            seat=entry.seat,
            cause=entry.cause,
            ruleset=entry.ruleset,
            body=body,
            previous=self.previous,
            state_hash=from_hex(entry.state_hash, at),
        )
        if found.hex() != entry.hash:
            raise Misfit(at, "its hash is wrong")

    def _rerun(self, entry: EntryLine, at: str) -> Turn:
        """The position behind the entry, by the rules; by its events alone where others held."""
        move = decoded(entry.move, self.game.move_type | None, at)
        events = decoded(entry.events, GenericAlias(tuple, (self.game.event_type, ...)), at)
        if (None if move is None else self.game.to_text(move)) != entry.order:
            raise Misfit(at, "its order is not its move")
        if entry.cause != "undo" and entry.base != self.number:
            raise Misfit(at, f"it continues entry {entry.base}")
        if not 0 <= entry.base <= self.number:
            raise Misfit(at, f"there is no entry {entry.base}")
        state = self.states[entry.base]
        if entry.cause in ("undo", "resign"):
            if move is not None or events:
                raise Misfit(at, "it moves something")
            self._check_seat(entry, at)
            self._check_gone_back(entry, at)
            return Turn(state, ())
        if self.secret is None or entry.ruleset != self.game.ruleset:
            return Turn(journal.fold(state, events), events)
        turn = self._played(entry, state, move, at)
        if turn.events != events:
            raise Misfit(at, different(turn.events, events))
        return turn

    def _played(self, entry: EntryLine, state: Any, move: Any, at: str) -> Turn:
        assert self.secret is not None  # noqa: S101  # for the type checker; `_rerun` asks
        chance = stream(self.secret, self.header.label, entry.number)
        if not self.number:
            return play.start(self.game, len(self.header.seats), self.header.options, chance)
        if entry.cause == "forced" and play.forced(self.game, state) != (entry.seat, move):
            raise Misfit(at, "it was not forced")
        self._check_seat(entry, at)
        if move is None:
            raise Misfit(at, "it has no move")
        if entry.cause == "default" and not self._is_default(entry, state, move):
            raise Misfit(at, "it is not the mildest move of a seat that resigned")
        if entry.seat in self.resigned and entry.cause not in AUTOMATIC:
            raise Misfit(at, "its seat has resigned")
        try:
            return play.move(self.game, state, entry.seat, move, chance)  # type: ignore[arg-type]
        except MoveRefused as refused:
            raise Misfit(at, f"the rules refuse {entry.order!r}: {refused}") from None

    def _check_seat(self, entry: EntryLine, at: str) -> None:
        if entry.seat not in range(len(self.header.seats)):
            raise Misfit(at, "it has no seat")

    def _is_default(self, entry: EntryLine, state: Any, move: Any) -> bool:
        if entry.seat not in self.resigned:
            return False
        asked = entry.seat in self.game.current_players(state)
        return asked and bool(move == self.game.default_action(state, entry.seat))

    def _check_gone_back(self, entry: EntryLine, at: str) -> None:
        """What is taken back is the seat's own and what made itself, and revealed nothing."""
        if entry.seat in self.resigned:
            raise Misfit(at, "its seat has resigned")
        number = self.number
        while number > entry.base:
            fact = self.facts[number]
            if fact.reveals:
                raise Misfit(at, "it takes back what revealed something")
            own = fact.seat == entry.seat and fact.cause in ("order", "undo")
            if not own and fact.cause not in AUTOMATIC:
                raise Misfit(at, "it takes back what another has done")
            number = fact.base
        if number != entry.base:
            raise Misfit(at, f"entry {entry.base} was taken back before")

    def _read_result(self, line: bytes) -> None:
        if self.finished:
            raise Misfit("result", "something stands behind it")
        read_line(line, Result, "result")
        if line != result_line(placed(self.game.returns(self.states[-1]), self.resigned)):
            raise Misfit("result", "it is not what the last entry leads to")
        self.finished = True


def read_line(line: bytes, kind: type[L], at: str) -> L:
    """The line as what must stand there."""
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as unread:
        raise Misfit(at, f"it cannot be read: {unread}") from None


def decoded(raw: msgspec.Raw, kind: Any, at: str) -> Any:
    """A move or events in the game's own types."""
    try:
        return codec.decode(bytes(raw), kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as unread:
        raise Misfit(at, f"it cannot be read: {unread}") from None


def from_hex(written: str, at: str) -> bytes:
    """Bytes from lower-case hex."""
    try:
        return bytes.fromhex(written)
    except ValueError:
        raise Misfit(at, "a hash in it is no hash") from None


def game_of(header: Header) -> Game:
    """The game with the record's own figures."""
    if header.game not in registry.GAMES:
        raise Misfit("header", f"there is no game {header.game!r}")
    try:
        game = registry.game(header.game, header.components)
    except BadComponents as bad:
        raise Misfit("header", f"its component set cannot be played with: {bad}") from None
    if game.digest != header.digest:
        raise Misfit("header", "the digest is not that of its component set")
    if len(header.seats) not in game.seats or len(header.phrases) != len(header.seats):
        raise Misfit("header", "seats and phrases do not fit the game")
    return game


def empty_table(game: Game, header: Header) -> Any:
    """Where the record's first entry starts."""
    try:
        return game.empty_table(len(header.seats), header.options)
    except NONSENSE as nonsense:
        raise Misfit("header", f"its options fit no table: {nonsense}") from None


def secret_in(header: Header) -> bytes | None:
    """The secret that the header tells, or None while the game runs."""
    if header.server_part is None:
        return None
    server_part = from_hex(header.server_part, "header")
    if commitment_of(server_part) != header.commitment:
        raise Misfit("header", "the server part is not what was committed to")
    return secret_of(server_part, header.phrases)


def different(found: Iterable[Any], written: Iterable[Any]) -> str:
    """Where two rows of events part."""
    pairs: Iterator[tuple[Any, Any]] = zip(found, written, strict=False)
    for place, (one, other) in enumerate(pairs, start=1):
        if type(one) is not type(other):
            return f"its event {place} would be {type(one).__name__}, not {type(other).__name__}"
        if one != other:
            return f"its event {place}, {type(one).__name__}, would differ"
    return "it has another number of events"
