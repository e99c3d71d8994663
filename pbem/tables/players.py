"""Who sits at a game's table, and what a player has sent lately: for the game page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from pbem.models import GONE, PENDING, Game, GameState, Person, SeatRow, Submission, SubmissionState
from pbem.play import positions

# Built once: every page of a player's table asks for them.
_sent = select(Submission).where(
    Submission.game_id == bindparam("game"), Submission.seat == bindparam("seat"),
    Submission.person_id == bindparam("person"),
)
_WAITING = _sent.where(Submission.state == PENDING).order_by(col(Submission.id))
_NEWEST = _sent.order_by(col(Submission.id).desc()).limit(1)


@dataclass(frozen=True)
class Sitting:
    """A game's seats in order, and the reader's own; None for spectators.

    Who has left a seat is a spectator from then on; `left` is that seat while nobody took it.
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
        """Whom the game waits for now."""
        return [seat for seat in self.seats if seat.asked_since is not None]


def sitting(session: Session, row: Game, person: Person | None) -> Sitting:
    """The table as this person joins it or looks on."""
    seats = positions.seats(session, row)
    named = None if person is None else next((s for s in seats if s.person_id == person.id), None)
    if named is not None and named.resigned is not None:
        return Sitting(seats, None, named)
    return Sitting(seats, named)


def own_seat(
    session: Session, game_id: int, person: Person | None
) -> tuple[Game, SeatRow] | None:
    """A game and this person's seat in it alone, which is all that his orders need of the table."""
    if person is None:
        return None
    own = select(Game, SeatRow).where(
        Game.id == game_id, SeatRow.game_id == Game.id, SeatRow.person_id == person.id,
        col(SeatRow.number).is_not(None), col(SeatRow.resigned).is_(None))
    return session.exec(own).first()


def waiting_orders(session: Session, seat: SeatRow) -> list[Submission]:
    """The seat's orders that no worker has played yet, oldest first."""
    return list(session.exec(_WAITING, params=whose(seat)))


def whose(seat: SeatRow) -> dict[str, int | None]:
    """Which orders are this seat's holder's own."""
    return {"game": seat.game_id, "seat": seat.number, "person": seat.person_id}


def came_back(session: Session, seat: SeatRow) -> Submission | None:
    """The seat's newest orders, if they were refused or some of their lines came back."""
    newest = session.exec(_NEWEST, params=whose(seat)).first()
    if newest is None or newest.state == SubmissionState.PENDING or newest.refusal is None:
        return None
    return newest


def known(session: Session, person_id: int) -> Person | None:
    """Who has a page: he has begun a public game, and has not left for good."""
    person = session.get(Person, person_id)
    if person is None or person.address.endswith(GONE):
        return None
    played = (
        select(SeatRow.id).join(Game, col(Game.id) == col(SeatRow.game_id))
        .where(SeatRow.person_id == person_id, col(Game.private).is_(False),
               col(Game.state).in_((GameState.RUNNING, GameState.FINISHED)))
    )
    return None if session.exec(played.limit(1)).first() is None else person
