"""Defines the orders of a seat in Goa, and its answers ahead.

Expedition cards are numbers from 1. `Sacks` are (spice, place, number) in their fixed order.
"""

from __future__ import annotations

from typing import ClassVar

from engine.api import AnswerAhead, Move
from engine.goa.state import Sacks


class QuickMarkers(Move, frozen=True, tag=True):
    """quick COLUMN COLUMN: these success markers move to row 2 (GO-1.5)."""

    columns: tuple[str, ...]  # in the order of COLUMNS


class QuickDucats(Move, frozen=True, tag=True):
    """quick ducats: ducats instead of markers (GO-1.5)."""


class PlaceFlag(Move, frozen=True, tag=True):
    """flag c3 | flag north c: the flag, with marker 1, on a space (GO-2.1)."""

    space: str


class PlaceMarker(Move, frozen=True, tag=True):
    """marker d4: the next auction marker on a tile (GO-2.2, GO-2.3)."""

    space: str


class Bid(Move, frozen=True, tag=True):
    """bid N: offer N whole ducats for the lot under the hammer (GO-3.1)."""

    ducats: int


class Pass(Move, frozen=True, tag=True):
    """pass: make no bid (GO-3.1), or leave the additional actions (GO-6.1)."""


class Drop(Move, frozen=True, tag=True):
    """drop N: discard the plantation in place N, 1 to 4, for the one that was won (GO-8.1)."""

    place: int


class ChooseGain(Move, frozen=True, tag="Gain"):
    """gain ships | gain colonists: choose the goods of a won tile (GO-3.4)."""

    goods: str


class DrawCards(Move, frozen=True, tag="Draw"):
    """draw K [discard CARD, ..]: make room in hand, then draw K cards (GO-4.6, GO-4.8a)."""

    cards: int
    discard: tuple[int, ...]  # ascending


class Progress(Move, frozen=True, tag=True):
    """progress COLUMN [using CARD] [from SACKS]: a success marker moves down (GO-4.2)."""

    column: str
    using: int | None
    sacks: Sacks


class BuildShips(Move, frozen=True, tag=True):
    """ships: take ships (GO-4.3)."""


class Harvest(Move, frozen=True, tag=True):
    """harvest SACKS | harvest using CARD: N ships, N colonists, SACKS (GO-4.4, GO-7.2).

    Ships and colonists need the card *any goods*.
    """

    using: int | None
    ships: int
    colonists: int
    sacks: Sacks


class Taxes(Move, frozen=True, tag=True):
    """taxes: take ducats (GO-4.5)."""


class Expedition(Move, frozen=True, tag=True):
    """expedition [K] [discard CARD, ..]: discard, then draw K cards (GO-4.6).

    Without K and discards it asks for room, if the cards do not all fit and the hand is not empty.
    """

    cards: int | None
    discard: tuple[int, ...]  # ascending


class FoundColony(Move, frozen=True, tag="Found"):
    """found COLONY [using CARD]: try to found a colony (GO-5.1)."""

    colony: str
    using: int | None


AnyAction = Progress | BuildShips | Harvest | Taxes | Expedition | FoundColony


class Pay(Move, frozen=True, tag=True):
    """pay: pay the difference in colonists and found the colony (GO-5.2, GO-5.4)."""


class Decline(Move, frozen=True, tag=True):
    """decline: let the founding fail (GO-5.3)."""


class ChooseColony(Move, frozen=True, tag=True):
    """choose TILE: SPICE, ..: a founded colony's tile, a spice for every field (GO-5.2)."""

    tile: str
    spices: tuple[str, ...]  # in the order of SPICES, repeated where needed


class PlayCard(Move, frozen=True, tag="Play"):
    """play CARD [: SACKS or COLUMN]: an expedition card's effect (GO-7.1, GO-7.2)."""

    card: int
    sacks: Sacks
    column: str | None


class UseGoods(Move, frozen=True, tag=True):
    """use ship | use ducats | use colonist: a once-a-round tile (GO-8.3)."""

    goods: str  # "ship", "ducats", "colonist"


class UseSpice(Move, frozen=True, tag=True):
    """use spice SPICE@PLACE: the once-a-round tile for a spice (GO-8.3)."""

    spice: str
    place: str


class UseDuty(Move, frozen=True, tag=True):
    """use duty: SACKS: return six spices for VP (GO-8.4)."""

    sacks: Sacks


class UseHarvest(Move, frozen=True, tag=True):
    """use harvest: PLACE [SPICE ..], ..: fill one to three plantations or colonies (GO-8.4).

    The places follow PLACES. Only a colony names spices, one for each empty field, in the order of
    SPICES.
    """

    fillings: tuple[tuple[str, tuple[str, ...]], ...]


class UseTrade(Move, frozen=True, tag=True):
    """use trade d2: take that tile of the grid and leave Trade in its space (GO-8.5)."""

    space: str


class UseTile(Move, frozen=True, tag=True):
    """use TILE [drop N] [gain ships]: a plantation or immediate tile taken by Trade (GO-8.5)."""

    tile: str
    drop: int | None
    goods: str | None  # "ships" or "colonists" if the tile offers a choice


class Extra(Move, frozen=True, tag=True):
    """extra ACTION: play an additional action card and take that action (GO-6.1)."""

    action: AnyAction


class Discard(Move, frozen=True, tag=True):
    """discard CARD: discard an expedition card at any time (GO-4.9)."""

    card: int
    free: ClassVar[bool] = True


class EndTurn(Move, frozen=True, tag="Done"):
    """done: the turn ends (GO-4.10)."""

    ends_turn: ClassVar[bool] = True


AnyMove = (
    QuickMarkers
    | QuickDucats
    | PlaceFlag
    | PlaceMarker
    | Bid
    | Pass
    | Drop
    | ChooseGain
    | DrawCards
    | Progress
    | BuildShips
    | Harvest
    | Taxes
    | Expedition
    | FoundColony
    | Pay
    | Decline
    | ChooseColony
    | PlayCard
    | UseGoods
    | UseSpice
    | UseDuty
    | UseHarvest
    | UseTrade
    | UseTile
    | Extra
    | Discard
    | EndTurn
)


# ---- given ahead: no moves (orders.md) ---------------------------------------------------------


class PayUpTo(AnswerAhead, frozen=True, tag=True):
    """pay up to N, after `found`: pay unasked if the difference is at most N (GO-5.4)."""

    colonists: int


class ChooseAhead(AnswerAhead, frozen=True, tag=True):
    """choose TILE: SPICE, .., after `found`: the colony's tile, if it is founded (GO-5.2)."""

    choice: ChooseColony


class Wait(AnswerAhead, frozen=True, tag=True):
    """wait: keep the turn open after the last order of a line (GO-4.10)."""


class Earlier(AnswerAhead, frozen=True, tag=True):
    """An answer without words that earlier letters of a turn leave behind (GO-4.10, GO-5.4).

    `asked` is True if one of them answers the question after the action.
    """

    turn: tuple[str, int, int, int]  # part, round, phase and number: it holds in this turn alone
    ahead: tuple[PayUpTo | ChooseAhead, ...] = ()
    asked: bool = False
