"""Finds the memorable events of a game in its stored entries, except undone ones."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from engine import codec
from pbem.models import Game, stored_id
from pbem.models.archive import Happening
from pbem.models.causes import NOTES
from pbem.play import positions


def happenings_of(
    session: Session, row: Game, entries: Sequence[positions.LoggedEntry]
) -> list[Happening]:
    """Return the rows of a game's memorable events, numbered from 0, not added to a session."""
    standing = standing_of(session, row, entries)
    told = positions.rules_of(session, row).happenings(
        row.seats, codec.decode(row.options.encode(), dict), [entry.events for entry in standing])
    return [
        Happening(game_id=stored_id(row), number=number, key=one.key, seat=one.seat,
                  round=one.round, entry=standing[one.step].number)
        for number, one in enumerate(told)
    ]


def standing_of(
    session: Session, row: Game, entries: Sequence[positions.LoggedEntry]
) -> list[positions.LoggedEntry]:
    """Return the entries that changed something and were not undone.

    Each continues the one before.
    """
    back = positions.taken_back(positions.marks(session, row))
    return [
        entry for entry in entries if entry.number not in back and entry.cause not in NOTES
    ]
