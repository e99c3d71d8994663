"""Defines the events of the end (GO-9); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.goa.state import (
    OVER,
    AwaitBid,
    GoaState,
    Question,
)


class HandsShown(Event, frozen=True, tag=True):
    """All purses and hands are shown, by seat (GO-9.1)."""

    ducats: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    rule: ClassVar[str] = "GO-9.1"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        state.phase = OVER
        state.turn = None


class MarkersCounted(Event, frozen=True, tag=True):
    """A seat scores VP for its success markers' rows, by COLUMNS (GO-9.1)."""

    seat: Seat
    rows: tuple[int, ...]
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "markers", self.vp)


class ColoniesCounted(Event, frozen=True, tag=True):
    """A seat scores VP for its colonies (GO-9.1)."""

    seat: Seat
    colonies: int
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "colonies", self.vp)


class CardsCounted(Event, frozen=True, tag=True):
    """A seat scores VP for the expedition cards of one symbol in hand (GO-9.1)."""

    seat: Seat
    symbol: str
    cards: int
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "cards", self.vp)


class DucatsCounted(Event, frozen=True, tag=True):
    """A seat scores VP for the most ducats (GO-9.1)."""

    seat: Seat
    ducats: int
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "ducats", self.vp)


class TilesCounted(Event, frozen=True, tag=True):
    """A seat scores VP for its tiles (GO-9.1)."""

    seat: Seat
    tiles: tuple[str, ...]
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "tiles", self.vp)


class GoaGameEnded(Event, frozen=True, tag="GameEnded"):
    """The game ends; `places` by seat, from 1, and equal seats share a place (GO-9.2)."""

    places: tuple[int, ...]
    points: tuple[int, ...]
    rule: ClassVar[str] = "GO-9.2"

    def apply(self, state: GoaState) -> None:
        state.awaiting = None
        state.places = self.places


class GoaNowAwaiting(Event, frozen=True, tag="NowAwaiting"):
    """The game asks the next question.

    A question for a bid tells something about the seat's purse (GO-3.1).
    """

    question: Question

    @property
    def reveals(self) -> bool:  # type: ignore[override]
        return isinstance(self.question, AwaitBid)

    def apply(self, state: GoaState) -> None:
        state.awaiting = self.question
