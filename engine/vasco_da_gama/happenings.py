"""Notices the memorable moments of a game: guests, landings, first ships, bargains and folly."""

from __future__ import annotations

from collections.abc import Iterator

from engine.api import Event
from engine.happenings import Noticed
from engine.phrases import Phrase, Quantity, Term, Value
from engine.vasco_da_gama.events import (
    ActionTaken,
    CharacterHosted,
    GabrielBought,
    MerchantSent,
    ShipSent,
)
from engine.vasco_da_gama.state import CHARACTERS, LANDINGS, VascoState

DEAR = (5, 10)  # Reals for one action that are worth a mention

KEYS = (
    *(f"hosted:{character}" for character in CHARACTERS),
    *(f"completed:{landing}" for landing in LANDINGS),
    *(f"first_ship:{landing}" for landing in LANDINGS),
    "gabriel",
    *(f"paid:{reals}" for reals in DEAR),
)


def notice(event: Event, state: VascoState) -> Iterator[Noticed]:
    """Yield what is memorable about an event; `state` is the table after it."""
    match event:
        case CharacterHosted():
            yield Noticed(f"hosted:{event.character}", event.seat)
        case ShipSent() | MerchantSent():
            if isinstance(event, ShipSent):
                yield Noticed(f"first_ship:{event.landing}", event.seat, once=True)
            if None not in state.landings[LANDINGS.index(event.landing)]:
                yield Noticed(f"completed:{event.landing}", event.seat)
        case GabrielBought():
            yield Noticed("gabriel", event.seat)
        case ActionTaken():
            for reals in DEAR:
                if event.reals >= reals:
                    yield Noticed(f"paid:{reals}", event.seat)


def phrase(key: str) -> Phrase:
    """Return a happening in words, without its seat."""
    kind, _, what = key.partition(":")
    values: dict[str, Value] = {}
    if kind == "hosted":
        values = {"character": Term("character", what)}
    elif kind in ("completed", "first_ship"):
        values = {"landing": Term("landing", what)}
    elif kind == "paid":
        values = {"reals": Quantity("real", int(what))}
    return Phrase(kind, values)
