"""Who sits at a table, and what a player has sent last, for the game's page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from pbem.models import GONE, PENDING, Game, GameState, Person, SeatRow, Submission, SubmissionState
from pbem.play import positions

# Built once: every page of a player's table runs them.
_sent = select(Submission).where(
    Submission.game_id == bindparam("game"), Submission.seat == bindparam("seat"),
    Submission.person_id == bindparam("person"),
)
_WAITING = _sent.where(Submission.state == PENDING).order_by(col(Submission.id))
_NEWEST = _sent.order_by(col(Submission.id).desc()).limit(1)


@dataclass(frozen=True)
class Seating:
    """A game's seats in order and the reader's own seat, None for spectators.

    A player who has left is a spectator; `left` is their seat until somebody takes it.
    """

    seats: Sequence[SeatRow]
    own: SeatRow | None
    left: SeatRow | None = None

    @property
    def names(self) -> list[str]:
        """The players' names in seat order."""
        return [seat.name for seat in self.seats]

    @property
    def asked(self) -> list[SeatRow]:
        """The seats that the game awaits."""
        return [seat for seat in self.seats if seat.asked_since is not None]


def seating(session: Session, row: Game, person: Person | None) -> Seating:
    """The table as this person sees it."""
    seats = positions.seats(session, row)
    named = None if person is None else next((s for s in seats if s.person_id == person.id), None)
    if named is not None and named.resigned is not None:
        return Seating(seats, None, named)
    return Seating(seats, named)


def waiting_orders(session: Session, seat: SeatRow) -> list[Submission]:
    """The seat's pending submissions, oldest first."""
    return list(session.exec(_WAITING, params=holder_params(seat)))


def holder_params(seat: SeatRow) -> dict[str, int | None]:
    """Query parameters: the submissions of this seat's present holder."""
    return {"game": seat.game_id, "seat": seat.number, "person": seat.person_id}


def returned_orders(session: Session, seat: SeatRow) -> Submission | None:
    """The seat's newest submission, if it was refused in whole or in part."""
    newest = session.exec(_NEWEST, params=holder_params(seat)).first()
    if newest is None or newest.state == SubmissionState.PENDING or newest.refusal is None:
        return None
    return newest


def person_with_page(session: Session, person_id: int) -> Person | None:
    """The person with this id, if they have a public page.

    They have played a public game, and their account is open.
    """
    person = session.get(Person, person_id)
    if person is None or person.address.endswith(GONE):
        return None
    played = (
        select(SeatRow.id).join(Game, col(Game.id) == col(SeatRow.game_id))
        .where(SeatRow.person_id == person_id, col(Game.private).is_(False),
               col(Game.state).in_((GameState.RUNNING, GameState.FINISHED)))
    )
    return None if session.exec(played.limit(1)).first() is None else person
