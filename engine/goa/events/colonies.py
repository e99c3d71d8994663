"""Defines the events of foundings (GO-5); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.goa.events.goods import (
    give,
)
from engine.goa.state import (
    COLONIES,
    SPICES,
    Colony,
    GoaState,
    put,
)


class FoundingBegun(Event, frozen=True, tag=True):
    """A seat names the colony that it tries to found (GO-5.1)."""

    seat: Seat
    colony: str
    needed: int  # colonists
    reveal: int  # cards to reveal in all
    rule: ClassVar[str] = "GO-5.1"

    def apply(self, state: GoaState) -> None:
        state.change_turn(founding=self.colony, reveal=self.reveal)


class RevealRaised(Event, frozen=True, tag=True):
    """A card raises the number of cards that the attempt reveals in all (GO-7.2)."""

    seat: Seat
    reveal: int
    rule: ClassVar[str] = "GO-7.2"

    def apply(self, state: GoaState) -> None:
        state.change_turn(reveal=self.reveal)


class CardsRevealed(Event, frozen=True, tag=True):
    """Cards from the deck's top are open; `colonists` is their total (GO-5.2)."""

    seat: Seat
    cards: tuple[int, ...]
    colonists: int
    rule: ClassVar[str] = "GO-5.2"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        state.deck = state.deck[len(self.cards) :]
        state.revealed = (*state.revealed, *self.cards)
        state.change_turn(drew=True)


class ColonistsPaid(Event, frozen=True, tag=True):
    """The seat pays the difference (GO-5.2)."""

    seat: Seat
    colonists: int
    rule: ClassVar[str] = "GO-5.2"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, colonists=-self.colonists)


class RevealedDiscarded(Event, frozen=True, tag=True):
    """The revealed cards go to the discard pile when the attempt ends (GO-5.3)."""

    cards: tuple[int, ...]
    rule: ClassVar[str] = "GO-5.3"

    def apply(self, state: GoaState) -> None:
        state.discards = (*state.discards, *self.cards)
        state.revealed = ()


class ColonyFounded(Event, frozen=True, tag=True):
    """A colony is founded; tile and spices are chosen next (GO-5.2)."""

    seat: Seat
    colony: str
    rule: ClassVar[str] = "GO-5.2"

    def apply(self, state: GoaState) -> None:
        state.change_turn(founding=None)


class FoundingFailed(Event, frozen=True, tag=True):
    """Nothing is founded; the seat gets colonists for the attempt (GO-5.3).

    `declined` is True if the seat chose not to pay.
    """

    seat: Seat
    colony: str
    colonists: int
    declined: bool
    rule: ClassVar[str] = "GO-5.3"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, colonists=self.colonists)
        state.change_turn(founding=None)


class ColonyPlaced(Event, frozen=True, tag=True):
    """A colony's tile goes on the supply board with every field filled (GO-5.2)."""

    seat: Seat
    colony: str
    tile: str
    fields: int
    may_hold: tuple[str, ...]
    spices: tuple[str, ...]  # on the fields, in the order of SPICES
    rule: ClassVar[str] = "GO-5.2"

    def apply(self, state: GoaState) -> None:
        place = COLONIES.index(self.colony)
        left = list(state.colony_tiles[place])
        left.remove(self.tile)
        state.colony_tiles = put(state.colony_tiles, place, tuple(left))
        sacks = tuple(map(self.spices.count, SPICES))
        colony = Colony(self.tile, self.fields, self.may_hold, sacks)
        colonies = put(state.players[self.seat].colonies, place, colony)
        state.change(self.seat, colonies=colonies)
