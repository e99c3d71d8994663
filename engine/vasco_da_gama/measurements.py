"""Measures a game of Vasco da Gama: paid and given up actions, landings, characters, projects."""

from __future__ import annotations

from collections.abc import Iterator

from engine.api import Event
from engine.measurements import Measurement
from engine.vasco_da_gama.events import (
    ActionGivenUp,
    ActionTaken,
    CharacterHosted,
    ProjectsBought,
    ShipLaunched,
    ShipSent,
)
from engine.vasco_da_gama.state import VascoState


def measured(event: Event, state: VascoState) -> Iterator[Measurement]:
    """Yield what an event measures.

    Prices and refunds are in Reals; ships sent, hosted characters, projects and launches have their
    round.
    """
    match event:
        case ActionTaken():
            yield Measurement("price", f"area_{event.area}", event.seat, event.reals)
        case ActionGivenUp():
            yield Measurement("given_up", f"area_{event.area}", event.seat, event.reals)
        case ShipSent():
            yield Measurement("landing", f"landing_{event.landing}", event.seat, state.round)
        case CharacterHosted():
            yield Measurement("hosted", f"character_{event.character}", event.seat, state.round)
        case ProjectsBought():
            for _ in event.projects:
                yield Measurement("ship", "ship_bought", event.seat, state.round)
        case ShipLaunched():
            yield Measurement("ship", "ship_launched", event.seat, state.round)
