"""What becomes of a seat whose player does not answer: the others decide.

A vote is about one running out of a clock ("absent 2 57": seat 2, by entry 57). It is open until
the others have decided, or the player has come back.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from engine.api import Seat
from pbem.games.writer import Writer

LASTS = timedelta(hours=72)  # who has said nothing by then leaves it to the others


def open_absent(writer: Writer, seat: Seat) -> set[int]:
    """Have the others decide about a seat, right behind its `overtime` note; letters due.

    Where nobody is left to be asked, a bot takes the seat. The caller settles and commits.
    """
    raise NotImplementedError


def answer(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    seat: Seat,
    said: str,
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """Keep what a player says ("wait", "replace", "cancel"), do it if that decides; and commit."""
    raise NotImplementedError


def is_open(session: Session, game_id: int, seat: Seat) -> bool:
    """Whether the others are being asked about this seat: then it has no running clock."""
    raise NotImplementedError
