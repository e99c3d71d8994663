"""Defines the events of turns and actions (GO-4); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from engine.api import Event, Seat, Viewer
from engine.goa.events.goods import (
    Faces,
    discard,
    draw,
    give,
    move_marker,
    pay,
    return_sacks,
    take_sacks,
)
from engine.goa.state import (
    ACTIONS,
    ADDITIONAL,
    GoaState,
    Sacks,
    TurnSoFar,
)


class TurnBegun(Event, frozen=True, tag=True):
    """A seat's turn begins; `number` is 1 to 3, or the lap of additional actions, from 1.

    Rules: GO-4.1, GO-6.1.
    """

    seat: Seat
    number: int
    additional: bool
    rule: ClassVar[str] = "GO-4.1"

    def apply(self, state: GoaState) -> None:
        state.phase = ADDITIONAL if self.additional else ACTIONS
        state.turn = TurnSoFar(self.seat, self.number)


class AdditionalCardPlayed(Event, frozen=True, tag=True):
    """A seat plays an additional action card (GO-6.1)."""

    seat: Seat
    rule: ClassVar[str] = "GO-6.1"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, additional_cards=-1)


class ActionChosen(Event, frozen=True, tag=True):
    """A seat chooses the turn's action, one of ACTIONS_NAMED (GO-4.1)."""

    seat: Seat
    action: str
    rule: ClassVar[str] = "GO-4.1"

    def apply(self, state: GoaState) -> None:
        state.change_turn(action=self.action)


class MarkerMoved(Event, frozen=True, tag=True):
    """A success marker reaches a row by progress; spices and ships are paid (GO-4.2)."""

    seat: Seat
    column: str
    row: int
    ships: int
    sacks: Sacks
    rule: ClassVar[str] = "GO-4.2"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, ships=-self.ships)
        return_sacks(state, self.seat, self.sacks)
        move_marker(state, self.seat, self.column, self.row)


class ShipsBuilt(Event, frozen=True, tag=True):
    """A seat receives ships by the ships column (GO-4.3)."""

    seat: Seat
    ships: int
    rule: ClassVar[str] = "GO-4.3"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, ships=self.ships)


class Harvested(Event, frozen=True, tag=True):
    """A seat puts spices on fields; with a card it also takes ships and colonists.

    Rules: GO-4.4, GO-7.2.
    """

    seat: Seat
    ships: int
    colonists: int
    sacks: Sacks
    rule: ClassVar[str] = "GO-4.4"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, ships=self.ships, colonists=self.colonists)
        take_sacks(state, self.seat, self.sacks)


class TaxesTaken(Event, frozen=True, tag=True):
    """A seat receives ducats by the taxes column (GO-4.5)."""

    seat: Seat
    ducats: int
    rule: ClassVar[str] = "GO-4.5"

    def apply(self, state: GoaState) -> None:
        pay(state, self.seat, -self.ducats)


class CardsDrawn(Event, frozen=True, tag=True):
    """A seat draws expedition cards by the expedition action (GO-4.6)."""

    seat: Seat
    cards: Faces
    rule: ClassVar[str] = "GO-4.6"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        draw(state, self.seat, self.cards)
        state.change_turn(drew=True)

    def seen_by(self, viewer: Viewer) -> CardsDrawn:
        return self if viewer == self.seat else replace(self, cards=(None,) * len(self.cards))


class BonusCardsDrawn(Event, frozen=True, tag=True):
    """A seat draws expedition cards for the first marker in a row (GO-4.8).

    `by_action` is True if the action moved the marker.
    """

    seat: Seat
    cards: Faces
    by_action: bool
    rule: ClassVar[str] = "GO-4.8"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        draw(state, self.seat, self.cards)
        if self.by_action:
            state.change_turn(drew=True)

    def seen_by(self, viewer: Viewer) -> BonusCardsDrawn:
        return self if viewer == self.seat else replace(self, cards=(None,) * len(self.cards))


class TileCardsDrawn(Event, frozen=True, tag=True):
    """A seat draws expedition cards for a tile (GO-8.2)."""

    seat: Seat
    cards: Faces
    rule: ClassVar[str] = "GO-8.2"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        draw(state, self.seat, self.cards)

    def seen_by(self, viewer: Viewer) -> TileCardsDrawn:
        return self if viewer == self.seat else replace(self, cards=(None,) * len(self.cards))


class NoCardsDrawn(Event, frozen=True, tag=True):
    """A seat draws no cards: no room or no cards; `why` is as in AwaitRoom (GO-4.8a)."""

    seat: Seat
    why: str
    rule: ClassVar[str] = "GO-4.8a"

    def apply(self, state: GoaState) -> None:
        return None


class RoomMade(Event, frozen=True, tag=True):
    """A seat discards cards before a draw (GO-4.8a)."""

    seat: Seat
    cards: tuple[int, ...]
    rule: ClassVar[str] = "GO-4.8a"

    def apply(self, state: GoaState) -> None:
        for card in self.cards:
            discard(state, self.seat, card)


class CardDiscarded(Event, frozen=True, tag=True):
    """A seat discards a card at any time (GO-4.9)."""

    seat: Seat
    card: int
    rule: ClassVar[str] = "GO-4.9"

    def apply(self, state: GoaState) -> None:
        discard(state, self.seat, self.card)


class FirstInRow(Event, frozen=True, tag=True):
    """A seat is the first with a marker in row 4 or 5 of a column; cards follow (GO-4.8)."""

    seat: Seat
    column: str
    row: int
    cards: int
    rule: ClassVar[str] = "GO-4.8"

    def apply(self, state: GoaState) -> None:
        return None


class AllMarkersInRow(Event, frozen=True, tag=True):
    """All five markers of a seat reach a row: it gets additional action cards (GO-4.8)."""

    seat: Seat
    row: int
    additional_cards: int
    rule: ClassVar[str] = "GO-4.8"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, additional_cards=self.additional_cards)


class TurnEnded(Event, frozen=True, tag=True):
    """A seat's turn ends (GO-4.10)."""

    seat: Seat
    rule: ClassVar[str] = "GO-4.10"

    def apply(self, state: GoaState) -> None:
        state.turn = None
