"""Who holds and who held the seats of a game: takes a seat from its player, reads past holders.

A vacated seat stays in the game and is played for. Its row names the player who left until somebody
else takes the seat. The log notes only the seat; names are in rows, which can be erased.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, update
from sqlmodel import Session, col, select

from engine.api import Seat
from engine.errors import MoveRefused
from pbem.accounts import feed_addresses
from pbem.models import Game, PastHolder, Person, StandingOrder, StandingState
from pbem.models.causes import LEFT
from pbem.play import advance, deadlines
from pbem.play.log import Writer
from pbem.play.positions import LoggedEntry, Mark

ABOUT_HOLDERS = LEFT | {"seated", "overtime"}
FILLER = "steady"  # the bot that plays vacated seats where the game's terms say "bot"

_PAST_HOLDERS = select(PastHolder).where(
    PastHolder.game_id == bindparam("game")).order_by(col(PastHolder.until))


# ---- leaving a seat -----------------------------------------------------------------------------


def filler_of(row: Game) -> str | None:
    """The kind of bot that plays a game's vacated seats; None: default moves are played."""
    return FILLER if row.at_zero == "bot" else None


def vacate(writer: Writer, seat: Seat, cause: str, played_by: str | None) -> set[int]:
    """Take a seat from its player and note it in the log; return the letters that became due.

    `played_by`: the kind of bot that plays on, None for default moves. Their pending orders and
    orders ahead end. The caller settles and commits.
    """
    row = writer.seats[seat]
    letters = refuse_pending(writer, seat)
    row.left, row.resigned, row.played_by = cause, writer.now, played_by
    row.ahead, row.agrees_to_cancel, row.misses = None, False, 0
    person = writer.session.get_one(Person, row.person_id)
    deadlines.stop_for_good(writer, row, person)
    writer.session.execute(
        update(StandingOrder)
        .where(col(StandingOrder.game_id) == writer.game_id, col(StandingOrder.seat) == seat,
               col(StandingOrder.state) == StandingState.STANDING)
        .values(state=StandingState.WITHDRAWN, settled=writer.now))
    until = writer.note(seat, cause=cause)
    writer.session.add(PastHolder(game_id=writer.game_id, seat=seat, person_id=row.person_id,
                                  name=row.name, until=until, left=cause))
    if cause == "handover":
        feed_addresses.void(writer.session, person)
    return letters


def refuse_pending(writer: Writer, seat: Seat) -> set[int]:
    """Refuse a seat's pending orders; players who sent them by mail get a receipt."""
    letters: set[int] = set()
    for submission in advance.pending(writer.session, writer.game_id):
        if submission.seat == seat:
            refused = MoveRefused("seat_left", rule="orders")
            letters |= advance.settle_submission(writer, submission, None, refused, None)
    return letters


# ---- past holders -------------------------------------------------------------------------------


def past_holders(session: Session, game_id: int | None) -> list[PastHolder]:
    """Who has left a seat of this game, in the order of leaving; also of seats still vacant."""
    return list(session.exec(_PAST_HOLDERS, params={"game": game_id}))


def past_holders_by_marks(
    session: Session, row: Game, marks: Sequence[Mark]
) -> list[PastHolder]:
    """The same; it reads no rows if the marks tell of nobody who left."""
    return past_holders(session, row.id) if any(mark.cause in LEFT for mark in marks) else []


def names_at(
    entry: LoggedEntry, names: Sequence[str], past: Sequence[PastHolder]
) -> Sequence[str]:
    """The players' names for telling this entry.

    An entry about a change of players calls the seat by the name of its holder at that time.
    """
    if entry.seat is None or entry.cause not in ABOUT_HOLDERS:
        return names
    then = next((each.name for each in past if each.seat == entry.seat
                 and each.until >= entry.number), names[entry.seat])
    return [then if seat == entry.seat else name for seat, name in enumerate(names)]
