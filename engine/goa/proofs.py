"""Counts conserved goods and re-deals hidden parts, for the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from engine.api import Event, Transition, Viewer
from engine.chance import Chance
from engine.goa.components import GoaComponents
from engine.goa.events import (
    BonusCardsDrawn,
    CardDiscarded,
    CardPlayed,
    CardsDrawn,
    CardsRevealed,
    CardTurned,
    DeckReshuffled,
    DeckShuffled,
    HandsShown,
    RoomMade,
    TileCardsDrawn,
    TilesLaidOut,
)
from engine.goa.state import PARTS, GoaState
from engine.journal import fold

DRAWS = (CardsDrawn, BonusCardsDrawn, TileCardsDrawn)
SHUFFLES = (DeckShuffled, DeckReshuffled)


def totals(components: GoaComponents, state: GoaState) -> Mapping[str, int]:
    """Return the goods by kind, wherever they lie.

    Tiles only fall, when they leave the game (GO-8.2). Ducats, ships, colonists, spices and
    additional action cards come and go (GO-1.1).
    """
    hands = sum(len(player.hand) for player in state.players)
    found = {
        "expedition_cards": len(state.deck) + len(state.discards) + len(state.revealed) + hands,
        "colony_tiles": sum(map(len, state.colony_tiles)) + sum(
            colony is not None for player in state.players for colony in player.colonies
        ),
        "flags": (state.flag is not None) + (not state.markers or state.markers[0].number != 1),
    }
    there = tiles_there(components, state)
    return found | {
        f"tiles {part}": sum(tile[0] == part for tile in there) for part in PARTS
    }


def tiles_there(components: GoaComponents, state: GoaState) -> list[str]:
    """Return all tiles that are not out of the game, including those in the box never shown."""
    found = [tile for tile in state.grid if tile is not None]
    found += state.left_out
    for player in state.players:
        found += player.tiles + player.face_down
        found += [each.tile for each in player.plantations if each is not None]
    if state.part == "A":
        found += [tile.id for tile in components.by_id.values() if tile.part == "B"]
    return found


# ---- re-dealing what is hidden -----------------------------------------------------------------


def redealt(
    empty: GoaState, history: Sequence[Transition], viewer: Viewer, chance: Chance
) -> tuple[list[Transition], int]:
    """Return the history with what this viewer has not seen dealt differently.

    The second value is the number of events that differ. Hidden are the faces in others' hands and
    in the deck, and the tiles left out. Each shuffle of the deck is dealt again by itself, among
    its cards that the viewer has not seen since.
    """
    hidden = RedealtFaces([event for turn in history for event in turn.events], viewer, chance)
    state, turns = empty, []
    for turn in history:
        events = tuple(map(hidden.again, turn.events))
        state = fold(state, events)
        turns.append(Transition(state, events, turn.stopped))
    return turns, hidden.differing


class RedealtFaces:
    """Gives other faces to the cards of each shuffle that the viewer never saw."""

    def __init__(self, events: Sequence[Event], viewer: Viewer, chance: Chance) -> None:
        self.viewer = viewer
        self.chance = chance
        self.differing = 0
        self.unseen = unseen_by_shuffle(events, viewer)
        self.shuffles = 0
        self.faces: dict[int, int] = {}  # of the cards, since each was last in a deck

    def again(self, event: Event) -> Event:
        """Return the event with faces as far as the viewer knows them."""
        if isinstance(event, SHUFFLES):
            self.deal(event.cards)
            return replace(event, cards=self.shown(event.cards))
        if isinstance(event, DRAWS):
            return replace(event, cards=self.shown(event.cards))
        if isinstance(event, TilesLaidOut):
            return self.tiles_again(event)
        return event

    def shown(self, cards: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the cards with their other faces."""
        return tuple(self.faces[card] for card in cards)

    def deal(self, cards: tuple[Any, ...]) -> None:
        """Deal new faces to the unseen cards of a shuffle; the others keep theirs."""
        unseen = tuple(card for card in cards if card in self.unseen[self.shuffles])
        self.shuffles += 1
        dealt = self.otherwise(unseen)
        self.faces |= {card: card for card in cards} | dict(zip(unseen, dealt, strict=True))

    def otherwise(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a row of different things in another order, if there is one."""
        dealt = self.chance.shuffled(row, why="re-dealt")
        if dealt == row:
            dealt = row[1:] + row[:1]
        self.differing += sum(old != new for old, new in zip(row, dealt, strict=True))
        return dealt

    def tiles_again(self, event: TilesLaidOut) -> Event:
        """Return the tiles that were left out in another order."""
        dealt = self.otherwise(event.tiles[event.laid :])
        return replace(event, tiles=event.tiles[: event.laid] + dealt)


def unseen_by_shuffle(events: Sequence[Event], viewer: Viewer) -> list[set[int]]:
    """Return per shuffle its cards that the viewer has not seen since, up to the end."""
    found: list[set[int]] = []
    since: dict[int, int] = {}  # shuffle that a card was last in
    for event in events:
        if isinstance(event, SHUFFLES):
            cards = {card for card in event.cards if card is not None}
            since |= dict.fromkeys(cards, len(found))
            found.append(cards)
        for card in faces_shown(event, viewer):
            found[since[card]].discard(card)
    return found


def faces_shown(event: Event, viewer: Viewer) -> list[int]:
    """Return the cards whose faces the viewer sees in this event."""
    if isinstance(event, CardTurned | CardPlayed | CardDiscarded):
        return [event.card]
    if isinstance(event, CardsRevealed | RoomMade):
        return list(event.cards)
    if isinstance(event, HandsShown):
        return [card for hand in event.hands for card in hand]
    if isinstance(event, DRAWS) and event.seat == viewer:
        return [card for card in event.cards if card is not None]
    return []
