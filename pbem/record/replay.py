"""Replays a game's entries by the rules, and checks what each leads to and what may be undone.

Used for records from anywhere (pbem.record.verify) and for stored games (pbem.record.nightly).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from types import GenericAlias
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec import Raw, defstruct

from engine import codec, journal, play, registry
from engine.api import Event, GameRules, Seat, Transition
from engine.errors import MoveRefused, UnknownRuleset
from pbem.models.causes import AUTOMATIC, BACK, CAUSES, CHOSEN, LEFT, MOVED_ON, NOTES, PASSING
from pbem.play.chance import stream
from pbem.play.hash_chain import FIRST_PREVIOUS, entry_hash
from pbem.play.results import note_seat

# What a game's code raises for events and options that fit no table.
NONSENSE = (LookupError, ValueError, TypeError, ArithmeticError, AssertionError, RecursionError)
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


BEHIND_THE_END = "it stands behind the end of the game"


class Misfit(Exception):
    """Raised at the first place that does not fit. `at` is "header", "entry 17" or "result"."""

    def __init__(self, at: str, reason: str) -> None:
        super().__init__(f"{at}: {reason}")
        self.at = at
        self.reason = reason


class Otherwise(Misfit):
    """Raised where this release's rules differ on an entry that may be valid otherwise.

    `rule`, `stood` and `comes` belong to the first event that differs: its rule, the stored event
    and the new one as JSON, or "". `ruleset` is that of the entry.
    """

    def __init__(
        self, at: str, reason: str, *, rule: str = "", stood: str = "", comes: str = ""
    ) -> None:
        super().__init__(at, reason)
        self.ruleset = ""
        self.rule = rule
        self.stood = stood
        self.comes = comes


class Written(NamedTuple):
    """An entry as stored. `body` is the JSON of its move and events."""

    number: int
    base: int
    seat: Seat | None
    cause: str
    ruleset: str
    body: bytes
    state_hash: bytes
    hash: bytes


# The fields of `Written`, in order. A plain row is enough to follow an entry.
Row = tuple[int, int, Seat | None, str, str, bytes, bytes, bytes]


class Fact(NamedTuple):
    """What a later undo needs to know about an entry."""

    base: int
    seat: Seat | None
    cause: str
    reveals: bool


class Rerun:
    """A game, as far as its entries have been followed.

    `game` may have any ruleset: each entry names its own, and is played by it if this release has
    it. If `secret` is None, the chance is still secret, and positions are folded from the events.
    `bases` are the entries that undos lead back to, if known; otherwise every position is kept.
    `otherwise` receives where the rules differ, and such entries are followed by their events.
    """

    def __init__(
        self, game: GameRules, *, label: str, seats: int, options: Mapping[str, Any],
        secret: bytes | None, bases: Collection[int] | None = None,
        otherwise: list[Otherwise] | None = None,
    ) -> None:  # fmt: skip
        self.game = game
        self.label = label
        self.seats = seats
        self.options = options
        self.secret = secret
        self.ruleset = ""
        self._is_played = False  # whether this release plays by the current ruleset
        self.unknown = ""  # the last ruleset that this release lacks
        self._otherwise = otherwise
        # Cached, because building a decoder for all moves takes longer than reading an entry.
        self._read = codec.reader(body_type(game.move_type, Raw))
        # Some events decide this for each instance, most for the class.
        self._may_reveal = frozenset(each for each in get_args(game.event_type) if each.reveals)
        self.number = 0
        self.previous = FIRST_PREVIOUS
        self.state: Any = empty_table(game, seats, options)
        self.json = codec.encode(self.state)
        # Entry numbers to JSON. An entry after an undo continues an older position. That is rare,
        # and thousands of live states would slow down the garbage collector.
        self._bases = bases
        self._kept: dict[int, bytes] = {}
        self._goes_back = bases is None or bool(bases)
        self._facts: list[Fact] = [Fact(0, None, "", reveals=True)]
        self._before: tuple[str, Seat | None] = ("", None)
        self.vacated: list[Seat] = []

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.number > 0 and self.game.is_terminal(self.state)

    @property
    def next(self) -> str:
        """The name of the next entry."""
        return f"entry {self.number + 1}"

    def follow(self, entry: Row) -> Any:
        """Advance to the position after the next entry. Returns its move. Raises Misfit.

        One function for the steps of all entries, because a nightly run follows every entry ever
        made.
        """
        number, base, seat, cause, ruleset, raw, state_hash, digest = entry
        if number != self.number + 1:
            raise self._misfit(f"its number is {number}")
        if digest != entry_hash(
            game=self.label, number=number, base=base, seat=seat, cause=cause, ruleset=ruleset,
            body=raw, previous=self.previous, state_hash=state_hash,
        ):  # fmt: skip
            raise self._misfit("its hash is wrong")
        if ruleset != self.ruleset:
            self._check_ruleset(cause, ruleset)
        try:
            body = self._read(raw)
        except UNREADABLE as unread:
            raise self._unreadable(unread) from None
        if (cause == "start") != (number == 1) or cause not in CAUSES:
            raise self._misfit(f"its cause is {cause!r}")
        try:
            state = self.state if base == number - 1 else self._state_behind(base, cause)
            if cause in NOTES:
                turn = self._noted(Written(*entry), state, body)
            elif body.note is not None:
                raise self._misfit("a move says nothing beside its events")
            elif self._is_played:
                turn = self._by_rules(number, seat, cause, state, body)
            else:
                turn = self._by_events(state, body)
        except NONSENSE as nonsense:
            raise self._misfit(f"it makes no sense at this table: {nonsense!r}") from None
        json = codec.encode(turn.state)
        if state_hash != codec.digest_of(json):
            raise self._misfit("it leads to another position")
        self.number = number
        self.previous = digest
        self.state, self.json = turn.state, json
        if self._goes_back:
            self._remember(base, seat, cause, turn.events)
        self._before = cause, seat
        return body.move

    def _remember(self, base: int, seat: Seat | None, cause: str, events: Sequence[Event]) -> None:
        """Record what a later undo needs to know about this entry."""
        if self._bases is None or self.number in self._bases:
            self._kept[self.number] = self.json
        self._facts.append(Fact(base, seat, cause, reveals=self._reveals(events)))

    def _reveals(self, events: Sequence[Event]) -> bool:
        """Return whether any of the events reveals something unknown."""
        if self._may_reveal.isdisjoint(map(type, events)):
            return False
        return any(event.reveals for event in events)

    def _misfit(self, reason: str) -> Misfit:
        return Misfit(self.next, reason)

    def _check_ruleset(self, cause: str, ruleset: str) -> None:
        """Check that a game keeps its ruleset unless an entry changes it. Raises Misfit."""
        if not self.number:
            self._go_by(ruleset)
        elif cause != MOVED_ON:
            raise self._misfit(f"nothing says that the game goes on by {ruleset!r}")

    def _go_by(self, ruleset: str) -> None:
        self.ruleset = ruleset
        try:
            self.game = registry.under(self.game, ruleset)
            self._is_played = self.secret is not None
        except UnknownRuleset:
            self._is_played, self.unknown = False, ruleset

    def _noted(self, entry: Written, state: Any, body: Any) -> Transition:
        """Follow an entry without a move. Raises Misfit if it is not allowed here."""
        if self.is_over:
            raise self._misfit(BEHIND_THE_END)
        if body.move is not None or self._events(body):
            raise self._misfit("it moves something")
        self._check_note(entry, body.note or {})
        note_seat(self.vacated, entry.cause, entry.seat)
        return Transition(state, ())

    def _by_events(self, state: Any, body: Any) -> Transition:
        """Fold the stored events: the chance is still secret, or other rules applied."""
        if self.is_over:  # for a move, the rules check it
            raise self._misfit(BEHIND_THE_END)
        return self._folded(state, body)

    def _folded(self, state: Any, body: Any) -> Transition:
        events = self._events(body)
        return Transition(journal.fold(state, events), events)

    def _by_rules(
        self, number: int, seat: Seat | None, cause: str, state: Any, body: Any
    ) -> Transition:  # fmt: skip
        """Play the move by the rules. Raises Misfit if the result is not the stored one."""
        try:
            turn = self._played(number, seat, cause, state, body.move)
            # Encoding is faster than decoding. A different encoding may still mean the same events.
            if Raw(codec.encode(turn.events)) != body.events:
                self._check_events(turn.events, self._events(body))
        except NONSENSE as nonsense:
            otherwise = self._other(f"it makes no sense at this table: {nonsense!r}")
        except Otherwise as found:
            otherwise = found
        else:
            return turn
        self.note_otherwise(otherwise)
        return self._folded(state, body)

    def _check_events(self, found: Sequence[Event], written: Sequence[Event]) -> None:
        if found != written:
            raise parted(self.next, found, written)

    def _other(self, reason: str, *, rule: str = "") -> Otherwise:
        return Otherwise(self.next, reason, rule=rule)

    def note_otherwise(self, otherwise: Otherwise) -> None:
        """Collect a difference of the rules if the caller wants it, else raise it."""
        otherwise.ruleset = self.ruleset
        if self._otherwise is None:
            raise otherwise
        self._otherwise.append(otherwise)

    def _state_behind(self, number: int, cause: str) -> Any:
        """Return an older position. Only an undo may lead to it. Raises Misfit."""
        if cause not in BACK:
            raise self._misfit(f"it continues entry {number}")
        if number not in self._kept:
            raise self._misfit(f"nothing can be taken back to entry {number}")
        return codec.decode(self._kept[number], self.game.state_type)

    def _events(self, body: Any) -> Any:
        kind = GenericAlias(tuple, (self.game.event_type, ...))
        try:
            return codec.decode(bytes(body.events), kind)
        except UNREADABLE as unread:
            raise self._unreadable(unread) from None

    def _unreadable(self, unread: Exception) -> Misfit:
        return self._misfit(f"it cannot be read: {unread}")

    def _played(
        self, number: int, seat: Seat | None, cause: str, state: Any, move: Any
    ) -> Transition:  # fmt: skip
        chance = self.chance(number)
        if number == 1:
            return play.start(self.game, self.seats, self.options, chance)
        if cause == "forced" and play.forced(self.game, state) != (seat, move):
            raise self._other("it was not forced")
        self._check_seat(seat)
        if move is None:
            raise self._misfit("it has no move")
        if cause == "default" and not self._is_default(seat, state, move):
            raise self._other("it is not the mildest move of a seat that is played for")
        if seat in self.vacated and cause not in AUTOMATIC:
            raise self._misfit("its player has left")
        try:
            return self.game.apply_action(state, seat, move, chance)  # type: ignore[arg-type]
        except MoveRefused as refused:
            order = self.game.to_text(move)
            raise self._other(
                f"the rules refuse {order!r}: {refused}", rule=refused.rule) from None

    def chance(self, number: int) -> Any:
        """Return the random outcomes of an entry."""
        assert self.secret is not None  # noqa: S101  # for the type checker; nothing is played else
        return stream(self.secret, self.label, number)

    def _check_seat(self, seat: Seat | None) -> None:
        if seat is None or not 0 <= seat < self.seats:
            raise self._misfit("it has no seat")

    def _is_default(self, seat: Seat | None, state: Any, move: Any) -> bool:
        if seat not in self.vacated and self._before != ("overtime", seat):
            return False
        asked = seat in self.game.current_players(state)
        return asked and bool(move == self.game.default_action(state, seat or 0))

    def _check_note(self, entry: Written, said: Mapping[str, str | int]) -> None:
        """Check that an entry without a move is allowed here. Raises Misfit."""
        if entry.cause in PASSING:
            return
        if entry.cause == MOVED_ON:
            self._check_moved_on(entry, said)
            return
        self._check_seat(entry.seat)
        is_vacant = entry.seat in self.vacated
        if entry.cause == "seated" and not is_vacant:
            raise self._misfit("its seat is not vacant")
        if entry.cause in LEFT | BACK | {"overtime"} and is_vacant:
            raise self._misfit("its player has left")
        if entry.cause == "overtime" and entry.seat not in self.game.current_players(self.state):
            raise self._misfit("its seat is not asked")
        if entry.cause in BACK:
            self._check_gone_back(entry)

    def _check_moved_on(self, entry: Written, said: Mapping[str, str | int]) -> None:
        """Check that an entry moves to newer rules, from the current ones. Raises Misfit."""
        old, new = self.ruleset, entry.ruleset
        if said != {"from": old, "to": new} or entry.seat is not None:
            raise self._misfit(f"it does not say that the game goes on from {old!r} by {new!r}")
        known = self.game.rulesets
        if new == old or ({old, new} <= {*known} and known.index(new) < known.index(old)):
            raise self._misfit("it does not go on by newer rules")
        self._go_by(new)

    def _check_gone_back(self, entry: Written) -> None:
        """Check that the undone entries may be undone. Raises Misfit.

        They revealed nothing, and a player undoes only their own or automatic ones.
        """
        number = self.number
        while number > entry.base:
            fact = self._facts[number]
            if fact.reveals:
                raise self._misfit("it takes back what revealed something")
            if fact.cause == MOVED_ON:
                raise self._misfit("it takes back that the game goes on by newer rules")
            own = fact.seat == entry.seat and fact.cause in CHOSEN | {"undo"}
            if entry.cause == "undo" and not own and fact.cause not in AUTOMATIC | PASSING:
                raise self._misfit("it takes back what another has done")
            number = fact.base
        if number != entry.base:
            raise self._misfit(f"entry {entry.base} was taken back before")


@lru_cache(maxsize=8)
def body_type(move_type: Any, events_type: Any) -> Any:
    """Return the type to decode an entry's body as."""
    return defstruct(
        "Body",
        [("move", move_type | None), ("events", events_type),
         ("note", dict[str, str | int] | None, None)],
        frozen=True,
    )


def empty_table(game: GameRules, seats: int, options: Mapping[str, Any]) -> Any:
    """Return the position before the first entry."""
    try:
        return game.empty_table(seats, options)
    except NONSENSE as nonsense:
        raise Misfit("header", f"its options fit no table: {nonsense}") from None


def parted(at: str, found: Sequence[Event], written: Sequence[Event]) -> Otherwise:
    """Return where two sequences of events differ."""
    for place, (one, other) in enumerate(zip_longest(found, written), start=1):
        if one == other:
            continue
        if one is None or other is None:
            reason = "it has another number of events"
        elif type(one) is type(other):
            reason = f"its event {place}, {codec.tag_of(type(one))}, would differ"
        else:
            tags = codec.tag_of(type(one)), codec.tag_of(type(other))
            reason = f"its event {place} would be {tags[0]}, not {tags[1]}"
        return Otherwise(at, reason, rule=(other or one).rule, stood=as_json(other),
                         comes=as_json(one))
    raise AssertionError("they do not part")


def as_json(event: Any) -> str:
    """Format an event for people; "" for none."""
    return "" if event is None else codec.encode(event).decode()
