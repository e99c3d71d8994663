"""The small pictures of a finished game: its final board and the points over time.

They are drawn once, when the game is indexed: a page of the archive shows forty of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlmodel import Session

from pbem.archive.progress import progress
from pbem.models import Game
from pbem.play import positions


class Pictures(msgspec.Struct, frozen=True):
    """The game's own thumbnail, and the points of each seat at the end of each phase."""

    thumbnail: Mapping[str, Any]
    curves: Sequence[Sequence[int]]


def drawn(session: Session, row: Game) -> Pictures:
    """Return the pictures of a finished game."""
    table = positions.table(session, row)
    moments = progress(session, row, None)
    return Pictures(
        table.rules.thumbnail(table.rules.observation(table.state, None)),
        [[sum(each.tallies[seat].points.values()) for each in moments]
         for seat in range(row.seats)])


def stored(pictures: Pictures) -> str:
    """Return the pictures as JSON."""
    return msgspec.json.encode(pictures).decode()


def read(text: str) -> Pictures:
    """Return stored pictures."""
    return msgspec.json.decode(text, type=Pictures)
