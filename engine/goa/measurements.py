"""Measures a game of Goa: prices of lots, actions, colonies, success markers at the end."""

from __future__ import annotations

from collections.abc import Iterator

from engine.api import Event
from engine.goa.components import GoaComponents
from engine.goa.events import ActionChosen, ColonyFounded, FlagWon, GoaGameEnded, TileWon
from engine.goa.state import COLUMNS, GoaState
from engine.measurements import Measurement


def measured(
    components: GoaComponents, event: Event, state: GoaState, number: int
) -> Iterator[Measurement]:
    """Yield what an event measures; `number` is the round of `state`, counted through both parts.

    Prices are in ducats, 0 for a lot without bids (GO-3.2); actions and colonies have their round.
    """
    match event:
        case TileWon():
            kind = components.by_id[event.tile].kind
            yield Measurement("price", f"kind_{kind}", event.seat, event.ducats)
        case FlagWon():
            yield Measurement("price", "flag", event.seat, event.ducats)
        case ActionChosen():
            yield Measurement("action", f"action_{event.action}", event.seat, number)
        case ColonyFounded():
            yield Measurement("founded", f"colony_{event.colony}", event.seat, number)
        case GoaGameEnded():
            for seat, player in enumerate(state.players):
                for column, row in zip(COLUMNS, player.markers, strict=True):
                    yield Measurement("row", f"column_{column}", seat, row)
