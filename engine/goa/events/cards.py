"""Defines the events of expedition cards (GO-7); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.goa.events.goods import (
    discard,
    give,
    move_marker,
    pay,
    return_sacks,
    take_sacks,
)
from engine.goa.state import (
    GoaState,
    Sacks,
)


class CardPlayed(Event, frozen=True, tag=True):
    """A card leaves the hand for the discard pile and takes effect (GO-7.1)."""

    seat: Seat
    card: int
    rule: ClassVar[str] = "GO-7.1"

    def apply(self, state: GoaState) -> None:
        discard(state, self.seat, self.card)
        state.change_turn(card_played=True)


class CardGoodsTaken(Event, frozen=True, tag=True):
    """A seat receives what its card gives (GO-7.2)."""

    seat: Seat
    card: int
    ships: int
    colonists: int
    ducats: int
    sacks: Sacks
    rule: ClassVar[str] = "GO-7.2"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, ships=self.ships, colonists=self.colonists)
        pay(state, self.seat, -self.ducats)
        take_sacks(state, self.seat, self.sacks)


class SpicesSold(Event, frozen=True, tag=True):
    """A seat sells spices from fields for ducats (GO-7.2)."""

    seat: Seat
    card: int
    sacks: Sacks
    ducats: int
    rule: ClassVar[str] = "GO-7.2"

    def apply(self, state: GoaState) -> None:
        return_sacks(state, self.seat, self.sacks)
        pay(state, self.seat, -self.ducats)


class ProgressBought(Event, frozen=True, tag=True):
    """A success marker reaches a row for ducats (GO-7.2)."""

    seat: Seat
    card: int
    column: str
    row: int
    ducats: int
    rule: ClassVar[str] = "GO-7.2"

    def apply(self, state: GoaState) -> None:
        pay(state, self.seat, self.ducats)
        move_marker(state, self.seat, self.column, self.row)
