"""Counts conserved goods and re-deals hidden parts, for the tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.api import Event, Transition
from engine.chance import Chance
from engine.journal import fold
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import DecksShuffled, MerchantShipsShuffled, TilesShuffled
from engine.vasco_da_gama.state import CHARACTERS, SAILORS, VascoState


def totals(components: VascoComponents, state: VascoState) -> Mapping[str, int]:
    """Return the goods by kind, wherever they lie.

    They are constant after set-up, except for two kinds that only fall: `projects` when tiles leave
    the game (VG-7.4, VG-8.1), `merchant_ships` when those do (VG-6.8, VG-7.4). Reals come and go
    (VG-1.1) and are not counted.
    """
    found = Counter[str]()
    count_people(found, state)
    for seat, player in enumerate(state.players):
        found[f"captains of {seat}"] += player.captains + player.captains_waiting + player.boarded
        found[f"discs of {seat}"] += player.discs
        found["projects"] += len(player.projects) + len(player.ships)
    for disc in state.discs:
        if disc.number not in components.numbers.additional:
            found[f"discs of {disc.seat}"] += 1
    for ship in (ship for moored in state.landings for ship in moored if ship is not None):
        if ship.owner is None:
            found["merchant_ships"] += 1
        else:
            found["projects"] += 1
            found[f"captains of {ship.owner}"] += 1
    laid = (*state.offer, state.gabriel)
    found["projects"] += sum(map(len, state.decks)) + len(laid) - laid.count(None)
    found["vasco_da_gama_tiles"] = len(state.tiles) + (state.upcoming is not None) + state.round
    waiting = (state.merchant, state.next_merchant)
    found["merchant_ships"] += len(state.merchants) + len(waiting) - waiting.count(None)
    found["characters"] = len(CHARACTERS)
    return dict(found)


def count_people(found: Counter[str], state: VascoState) -> None:
    """Count sailors by colour in bag, sections and seats, and missionaries in area and seats."""
    for place, colour in enumerate(SAILORS):
        found[colour] = state.bag[place] + sum(section[place] for section in state.sections)
    found["missionaries"] = state.missionaries
    for player in state.players:
        for colour, count in zip((*SAILORS, "missionaries"), player.crew, strict=True):
            found[colour] += count


# ---- re-dealing what is hidden -----------------------------------------------------------------


def redealt(
    empty: VascoState, history: Sequence[Transition], chance: Chance
) -> tuple[list[Transition], int]:
    """Return the history with its unseen parts in another order, and the number of events changed.

    Everything hidden is hidden from all viewers: deck tiles below the tops, and Vasco da Gama tiles
    and merchant ships that lie face down. They are dealt from the front, so the seen ones come
    first.
    """
    end: VascoState = history[-1].state
    hidden = RedealtPiles(end, chance)
    state, turns = empty, []
    for turn in history:
        events = tuple(hidden.again(event) for event in turn.events)
        state = fold(state, events)
        turns.append(Transition(state, events, turn.stopped))
    return turns, hidden.differing


class RedealtPiles:
    """Draws new orders for the hidden ends of the shuffled rows."""

    def __init__(self, end: VascoState, chance: Chance) -> None:
        self.decks = [len(deck[1:]) for deck in end.decks]
        self.tiles = len(end.tiles)
        self.merchants = len(end.merchants)
        self.chance = chance
        self.differing = 0

    def again(self, event: Event) -> Event:
        """Return the event with its unseen part in a new order."""
        if isinstance(event, DecksShuffled):
            decks = zip(event.decks, self.decks, strict=True)
            return DecksShuffled(tuple(self.tail(deck, count) for deck, count in decks))
        if isinstance(event, TilesShuffled):
            return TilesShuffled(self.tail(event.tiles, self.tiles))
        if isinstance(event, MerchantShipsShuffled):
            return MerchantShipsShuffled(self.tail(event.limits, self.merchants))
        return event

    def tail(self, row: tuple[Any, ...], count: int) -> tuple[Any, ...]:
        """Return the row with its last `count` entries in another order."""
        seen = len(row) - count
        dealt = row[:seen] + self.chance.shuffled(row[seen:], why="re-dealt")
        self.differing += sum(old != new for old, new in zip(row, dealt, strict=True))
        return dealt
