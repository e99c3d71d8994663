"""Appends entries to one game's log, in the transaction that holds the game's lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, exists
from sqlmodel import Session, col, select

from engine import codec, play, registry
from engine.api import GameRules, Move, Seat, Transition
from pbem.models import (
    Chapter,
    Entry,
    Game,
    GameState,
    Person,
    SeatRow,
    Snapshot,
    StandingOrder,
    StandingState,
    stored_id,
)
from pbem.models.archive import WebHook
from pbem.models.causes import MOVED_ON, SENT
from pbem.play import chance, positions
from pbem.play.hash_chain import FIRST_PREVIOUS, body_of, entry_hash
from pbem.play.refusals import TableRefused

_orders_ahead = exists().where(
    col(StandingOrder.game_id) == bindparam("game"),
    col(StandingOrder.state) == StandingState.STANDING)
_hooks = exists().where(col(WebHook.confirmed).is_not(None), col(WebHook.off).is_(None))
_PRESENT = select(Entry.hash, _orders_ahead, _hooks).where(
    Entry.game_id == bindparam("game"), Entry.number == bindparam("number"))
_AT_TABLE = (
    select(SeatRow, Person)
    .join(Person, col(Person.id) == col(SeatRow.person_id))
    .where(SeatRow.game_id == bindparam("game"), col(SeatRow.number).is_not(None))
    .order_by(col(SeatRow.number))
    .execution_options(populate_existing=True)
)


class MoveSource(NamedTuple):
    """Who makes a move, the cause of its entry, and the submission that it comes from, if any."""

    seat: Seat
    cause: str
    submission: int | None


class Writer:
    """The present position of a game that is being advanced, and the rows to be added."""

    def __init__(
        self, session: Session, row: Game, seats: list[SeatRow], now: datetime,
        people: Iterable[Person] = (),
    ) -> None:
        self.session = session
        self.row = row
        self.seats = seats
        self.people = {stored_id(person): person for person in people}
        self.now = now
        self.rules: GameRules = positions.rules_of(session, row)
        self.ruleset = positions.ruleset_of(session, row) or self.rules.ruleset
        if row.ruleset != self.ruleset:  # assigning always would mark the row as changed
            row.ruleset = self.ruleset
        self.game_id = stored_id(row)
        self.number = row.last_entry
        self.state: Any = None
        self._previous = FIRST_PREVIOUS
        self.ahead: list[Any] | None = None  # see pbem.play.orders_ahead
        self.has_hooks = True  # whether any web hook is active
        self.later: set[int] = set()  # due letters that are sent later
        if self.number:
            self._resume()

    def _resume(self) -> None:
        [[self._previous, orders_ahead, self.has_hooks]] = self.session.exec(
            _PRESENT, params={"game": self.game_id, "number": self.number})
        if not orders_ahead:
            self.ahead = []
        self.state = positions.position(self.session, self.row, self.number)

    @cached_property
    def secret(self) -> bytes:
        """The secret of the game's randomness. Computed on use: most moves draw nothing."""
        phrases = [seat.phrase or "" for seat in self.seats]
        return chance.secret_of(self.row.server_part, phrases)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.rules.is_terminal(self.state)

    def stream(self) -> chance.Stream:
        """The randomness of the next entry."""
        return chance.stream(self.secret, self.row.commitment, self.number + 1)

    def append(
        self, seat: Seat | None, move: Move | None, turn: Transition, *, cause: str,
        submission: int | None = None,
    ) -> int:
        """Append one entry to the present position; its number."""
        before = self.state
        self._write(seat, move, turn, cause=cause, base=self.number, submission=submission)
        self._note_chapter(before)
        self._note_questions(before, seat, move)
        if seat is not None and cause in SENT:
            self.seats[seat].moved_at = self.number
        return self.number

    # ---- moves ------------------------------------------------------------------------------

    def play_move(self, source: MoveSource, move: Move) -> None:
        """Play one move with this game's randomness and append its entry. Raises MoveRefused."""
        self.append_result(
            source, move, play.move(self.rules, self.state, source.seat, move, self.stream()))

    def append_result(self, source: MoveSource, move: Move, transition: Transition) -> None:
        """Append the result of a player's move; it ends their run of missed deadlines."""
        self.append(source.seat, move, transition, cause=source.cause,
                    submission=source.submission)
        self.seats[source.seat].misses = 0

    def play_forced(self, seat: Seat, move: Move) -> None:
        """Play the only move that a question allows."""
        transition = play.move(self.rules, self.state, seat, move, self.stream())
        self.append(seat, move, transition, cause="forced")

    def play_attempt(self, source: MoveSource, attempt: play.Attempt) -> None:
        """Append what an attempt on a copy of this position has played.

        An attempt draws nothing, so its results stand. A last move that stopped before a reveal is
        played here with the game's randomness.
        """
        for (_, move), transition in zip(attempt.moves, attempt.turns, strict=True):
            if transition.stopped:
                self.play_move(source, move)
            else:
                self.append_result(source, move, transition)

    def play_orders(self, source: MoveSource, orders: play.LetterOrders, *, last: bool) -> None:
        """Play the moves that orders still contain; `last`: no further line follows.

        Raises MoveRefused; the moves before the refused one stay played.
        """
        while (move := orders.next_move(self.state, last=last)) is not None:
            self.play_move(source, move)
            orders.mark_made()

    # ---- entries that move nothing ------------------------------------------------------------

    def note(
        self, seat: Seat | None, *, cause: str, said: Mapping[str, str | int] | None = None
    ) -> int:
        """Append an entry that moves nothing; its number.

        `seat` None: it is about the whole table. `said`: its figures.
        """
        nothing = Transition(self.state, ())
        self._write(seat, None, nothing, cause=cause, base=self.number, said=said)
        if seat is not None and cause in SENT:
            self.seats[seat].moved_at = self.number
        return self.number

    def move_on(self, ruleset: str) -> int:
        """Append the entry by which the game changes to a newer ruleset; its number."""
        before, self.ruleset = self.ruleset, ruleset
        self.row.ruleset, self.rules = ruleset, registry.under(self.rules, ruleset)
        return self.note(None, cause=MOVED_ON, said={"from": before, "to": ruleset})

    def go_back(
        self, seat: Seat, base: int, *, cause: str = "undo",
        said: Mapping[str, str | int] | None = None,
    ) -> int:
        """Append the entry that asks the question after entry `base` again; its number."""
        self.flush()
        state = positions.position(self.session, self.row, base)
        self._write(seat, None, Transition(state, ()), cause=cause, base=base, said=said)
        # Chapters after `base` have not begun; the entry `base` announced one at `base` + 1.
        self.session.execute(delete(Chapter).where(
            col(Chapter.game_id) == self.game_id, col(Chapter.first_entry) > base + 1))
        self._reopen_questions(base)
        return self.number

    def _write(
        self,
        seat: Seat | None,
        move: Move | None,
        turn: Transition,
        *,
        cause: str,
        base: int,
        submission: int | None = None,
        said: Mapping[str, str | int] | None = None,
    ) -> None:
        self.number += 1
        self.state = turn.state
        state = codec.encode(turn.state)
        body = body_of(move, turn.events, said)
        fields: dict[str, Any] = {
            "number": self.number,
            "base": base,
            "seat": seat,
            "cause": cause,
            "ruleset": self.ruleset,
            "body": body,
            "state_hash": codec.digest_of(state),
        }
        self._previous = entry_hash(game=self.row.commitment, previous=self._previous, **fields)
        self.session.add(Entry(
            game_id=self.game_id, submission_id=submission, hash=self._previous, at=self.now,
            **fields | {"body": body.decode()}))
        if positions.needs_snapshot(self.number, base):
            self.session.add(
                Snapshot(game_id=self.game_id, number=self.number, state=state.decode()))

    def _note_chapter(self, before: Any) -> None:
        chapter = self.rules.chapter(self.state)
        if self.rules.is_terminal(self.state):
            return
        if before is None or self.rules.chapter(before) != chapter:
            # The entry that closes a phase also announces the next one.
            first = self.number if before is None else self.number + 1
            round_, phase = chapter
            self.session.add(
                Chapter(game_id=self.game_id, first_entry=first, round=round_, phase=phase)
            )

    def _note_questions(self, before: Any, mover: Seat | None, move: Move | None) -> None:
        """Set `asked_since` of each seat; an unchanged question keeps its entry."""
        asked = self.rules.current_players(self.state)
        open_before = None if before is None else before.awaiting
        for row in self.seats:
            seat = row.number
            if seat is None:
                continue
            # A seat that has answered is asked again, even if the question is the same.
            answered = seat == mover and move is not None and not move.free
            if seat not in asked:
                row.asked_since = None
            elif (
                row.asked_since is None
                or open_before is None
                or answered
                or not open_before.same_for(seat, self.state.awaiting)
            ):
                row.asked_since = self.number

    def _reopen_questions(self, base: int) -> None:
        """Set `asked_since` after an undo.

        Seats that were asked before `base` and ever since keep it; the others get this entry.
        """
        asked = self.rules.current_players(self.state)
        dead = positions.taken_back(positions.marks(self.session, self.row))
        for row in self.seats:
            seat = row.number
            if seat is None:
                continue
            if seat not in asked:
                row.asked_since = None
            elif row.asked_since is None or row.asked_since > base:
                row.asked_since = self.number
            if row.moved_at > base:
                row.moved_at = self._last_move(seat, base, dead)

    def _last_move(self, seat: Seat, newest: int, dead: Mapping[int, int]) -> int:
        """The newest entry up to `newest` that the player made and that is in force; 0 if none."""
        own = (
            select(Entry.number)
            .where(Entry.game_id == self.game_id, Entry.number <= newest)
            .where(Entry.seat == seat, col(Entry.cause).in_(SENT))
            .order_by(col(Entry.number).desc())
        )
        return next((n for n in self.session.exec(own) if n not in dead), 0)

    def flush(self) -> None:
        """Write the rows; the caller commits."""
        self.row.last_entry = self.number
        self.session.flush()

    @classmethod
    def locked(cls, session: Session, game_id: int, now: datetime) -> Writer | None:
        """Lock a game and load its writer; None if there is no such game, or it has not started.

        Raises TableRefused (other_rules) if this release does not have the game's rules.
        """
        row = positions.locked(session, game_id)
        if row is None or not row.last_entry:
            return None
        if row.state == GameState.RUNNING and not positions.is_playable(session, row):
            raise TableRefused("other_rules", ruleset=positions.ruleset_of(session, row))
        seats, people = zip(*session.exec(_AT_TABLE, params={"game": game_id}), strict=True)
        return cls(session, row, list(seats), now, people)

