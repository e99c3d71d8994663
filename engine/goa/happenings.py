"""Notices the memorable moments of a game: colonies, dear tiles, the first down a column."""

from __future__ import annotations

from collections.abc import Iterator

from engine.api import Event
from engine.goa.components import GoaComponents
from engine.goa.events import (
    AllMarkersInRow,
    ColonyFounded,
    DutyDone,
    FirstInRow,
    FoundingFailed,
    TileWon,
)
from engine.goa.state import COLONIES, COLUMNS, ROWS, GoaState
from engine.happenings import Noticed
from engine.phrases import Phrase, Quantity, Term, Value

DEAR = (10, 20, 30)  # ducats for one tile that are worth a mention
KINDS = ("mission", "duty", "trade", "additional_harvest", "once_a_round")
FIRST_ROWS = (ROWS - 1, ROWS)

KEYS = (
    *(f"founded:{colony}" for colony in COLONIES),
    *(f"failed:{colony}" for colony in COLONIES),
    *(f"first:{column}:{row}" for column in COLUMNS for row in FIRST_ROWS),
    *(f"all:{row}" for row in range(2, ROWS + 1)),
    *(f"won:{kind}" for kind in KINDS),
    *(f"paid:{ducats}" for ducats in DEAR),
    "duty",
)


def notice(components: GoaComponents, event: Event, _state: GoaState) -> Iterator[Noticed]:
    """Yield what is memorable about an event."""
    match event:
        case ColonyFounded():
            yield Noticed(f"founded:{event.colony}", event.seat)
        case FoundingFailed(declined=False):
            yield Noticed(f"failed:{event.colony}", event.seat)
        case FirstInRow():
            yield Noticed(f"first:{event.column}:{event.row}", event.seat)
        case AllMarkersInRow():
            yield Noticed(f"all:{event.row}", event.seat)
        case TileWon():
            kind = components.by_id[event.tile].kind
            if kind in KINDS:
                yield Noticed(f"won:{kind}", event.seat)
            for ducats in DEAR:
                if event.ducats >= ducats:
                    yield Noticed(f"paid:{ducats}", event.seat)
        case DutyDone():
            yield Noticed("duty", event.seat)


def phrase(key: str) -> Phrase:
    """Return a happening in words, without its seat."""
    kind, *what = key.split(":")
    values: dict[str, Value] = {}
    if kind in ("founded", "failed"):
        values = {"colony": Term("colony", what[0])}
    elif kind == "first":
        values = {"column": Term("column", what[0]), "row": int(what[1])}
    elif kind == "all":
        values = {"row": int(what[0])}
    elif kind == "won":
        values = {"kind": Term("kind", what[0])}
    elif kind == "paid":
        values = {"ducats": Quantity("ducat", int(what[0]))}
    return Phrase(kind, values)
