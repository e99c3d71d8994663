"""Reads and applies orders ahead in Goa: bids for later lots, and measures of conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from engine import notation
from engine.api import Event, Seat
from engine.errors import IllegalMove, MalformedOrder, MoveRefused
from engine.goa import orders
from engine.goa.components import SEATS, GoaComponents
from engine.goa.events import AuctionOpened, BidMade
from engine.goa.state import (
    ACTIONS_NAMED,
    AUCTIONS,
    PARTS,
    PLACING,
    SPICES,
    AwaitAdditional,
    AwaitBid,
    AwaitColony,
    AwaitDone,
    AwaitDrop,
    AwaitFlag,
    AwaitFounding,
    AwaitGoods,
    AwaitMarker,
    AwaitQuickStart,
    AwaitRoom,
    AwaitTurnAction,
    GoaState,
)
from engine.goa.view import GoaSeatView, GoaView
from engine.notation import LineReader
from engine.orders_ahead_types import Instruction, OrderAheadExample, OrderAheadWords, PlainOrder
from engine.phrases import Text

RULE = "orders"
BEGINNINGS = ("up to", "exactly", "pass on the rest", "pass on lot")
IN_A_TURN = (AwaitTurnAction, AwaitAdditional, AwaitFounding, AwaitDone)
ANSWERED_BY: dict[str, tuple[type[Any], ...]] = {
    "quick": (AwaitQuickStart,),
    "flag": (AwaitFlag,),
    "marker": (AwaitMarker,),
    "bid": (AwaitBid,),
    "pass": (AwaitBid, AwaitAdditional),
    "drop": (AwaitDrop,),
    "gain": (AwaitGoods,),
    "draw": (AwaitRoom,),
    **dict.fromkeys(ACTIONS_NAMED, (AwaitTurnAction,)),
    "extra": (AwaitAdditional,),
    "pay": (AwaitFounding,),
    "decline": (AwaitFounding,),
    "choose": (AwaitColony,),
    "play": IN_A_TURN,
    "use": IN_A_TURN,
    "done": (AwaitDone,),
}
"""The questions that an order can answer, by its verb. A discard answers none."""

OPEN = ("points", "ships", "colonists", "cards", "plantations", "colonies", "extra")
MEASURES = ("ducats", *OPEN, "offer", *SPICES, "round")

USUAL = 4  # ducats; few bids are higher


class UpTo(Instruction, frozen=True, tag=True):
    """up to N for lot K: one more than the offer, at most N; else a pass (GO-3.1)."""

    ducats: int
    lot: int


class Exactly(Instruction, frozen=True, tag=True):
    """exactly N for lot K: a bid of N (GO-3.1)."""

    ducats: int
    lot: int


class PassOn(Instruction, frozen=True, tag=True):
    """pass on lot K (GO-3.1)."""

    lot: int


class PassOnTheRest(Instruction, frozen=True, tag=True):
    """pass on the rest: pass on each lot that no other order covers, until the round ends."""

    holds: ClassVar[bool] = True


class GoaOrdersAhead:
    """Goa's part of orders ahead, with one component set."""

    def __init__(self, components: GoaComponents) -> None:
        self.components = components
        rounds = components.rules.rounds_per_part
        self.words = OrderAheadWords(
            rounds=tuple(f"{part}{each}" for part in PARTS for each in range(1, rounds + 1)),
            measures=MEASURES,
            of_others=OPEN,
            deeds=("bid",),
            same={"money": "ducats", "card": "cards"},
        )

    def in_full(self, line: str, state: GoaState, seat: Seat, aliases: Mapping[str, str]) -> str:
        """Return the order line in full words.

        Raise MalformedOrder if it cannot be read or is `wait` alone (GO-4.10).
        """
        grammar = orders.grammar_of(self.components, state, seat)
        full = notation.in_full_words(line, grammar, aliases)
        if full == "wait":
            raise MalformedOrder("wait_alone", rule=RULE)
        return full

    # ---- instructions

    def read_instruction(self, reader: LineReader) -> Instruction | None:
        """Read a bid or pass for a lot, if one begins here."""
        if not reader.has_word(*BEGINNINGS):
            return None
        word = reader.word(*BEGINNINGS)
        if word == "pass on the rest":
            return PassOnTheRest()
        if word == "pass on lot":
            return PassOn(reader.number())
        ducats = reader.number()
        reader.word("for lot")
        lot = reader.number()
        return UpTo(ducats, lot) if word == "up to" else Exactly(ducats, lot)

    def read_moment(self, reader: LineReader) -> Instruction | None:
        """Return None: Goa names no question in front of an order."""
        return None

    def to_text(self, instruction: Instruction) -> str:
        """Return the instruction as players write it."""
        if isinstance(instruction, UpTo):
            return f"up to {instruction.ducats} for lot {instruction.lot}"
        if isinstance(instruction, Exactly):
            return f"exactly {instruction.ducats} for lot {instruction.lot}"
        if isinstance(instruction, PassOn):
            return f"pass on lot {instruction.lot}"
        return "pass on the rest"

    def order_line(self, instruction: Instruction, view: GoaView) -> str:
        """Return the bid or pass that the instruction means at the open question."""
        offer = view.question.high_bid  # type: ignore[union-attr]
        if isinstance(instruction, UpTo) and offer < instruction.ducats:
            return f"bid {offer + 1}"
        return f"bid {instruction.ducats}" if isinstance(instruction, Exactly) else "pass"

    # ---- moments

    def round_meant(self, instruction: Instruction, state: GoaState) -> int:
        """Return this round, or the next one once this round's auction is over."""
        return max(1, self.round_of(state)) + (state.phase > AUCTIONS)

    def round_of(self, state: GoaState) -> int:
        """Return the round, counted from 1 through both parts; 0 before the first."""
        before = self.components.rules.rounds_per_part if state.part == "B" else 0
        return before + state.round

    def why_expired(
        self, instruction: Instruction, in_round: int, state: GoaState, seat: Seat
    ) -> MoveRefused | None:
        """Refuse a lot that does not exist or is sold, and an auction that is over (GO-3.1)."""
        if isinstance(instruction, PlainOrder):
            return None
        refused = why_impossible(instruction, len(state.players) + 1)
        if refused is not None or in_round != self.round_of(state):
            return refused
        if state.phase > AUCTIONS:
            return IllegalMove("auction_over", rule="GO-3.1")
        lot = getattr(instruction, "lot", None)
        if state.phase < AUCTIONS or lot is None:
            return None
        return why_lot_closed(state, lot, seat)

    def questions(self, instruction: Instruction) -> frozenset[str]:
        """Return the names of the questions that it can answer: `AwaitBid 3` for lot 3."""
        if isinstance(instruction, PlainOrder):
            verb = instruction.text.split(" ", 1)[0]
            kinds = QUESTIONS if verb == "discard" else ANSWERED_BY[verb]
            return frozenset(name for kind in kinds for name in named(kind))
        if isinstance(instruction, UpTo | Exactly | PassOn):
            return frozenset({f"AwaitBid {instruction.lot}"})
        return frozenset(named(AwaitBid))

    def applies_to(self, instruction: Instruction, question: Any, seat: Seat) -> bool:
        """Tell whether the instruction answers this question."""
        if isinstance(instruction, PlainOrder):
            verb = instruction.text.split(" ", 1)[0]
            return verb == "discard" or isinstance(question, ANSWERED_BY[verb])
        lot = getattr(instruction, "lot", None)
        return isinstance(question, AwaitBid) and lot in (None, question.lot)

    def is_free(self, instruction: Instruction) -> bool:
        """Tell whether the order is a discard, which answers no question (GO-4.9)."""
        return isinstance(instruction, PlainOrder) and instruction.text.startswith("discard ")

    def examples(self, view: GoaView, seat: Seat) -> Sequence[OrderAheadExample]:
        """Return orders ahead that the seat could give now."""
        return order_examples(view, seat)

    # ---- conditions

    def measured(self, view: GoaView, seat: Seat, measure: str) -> int | None:
        """Return the number that this view shows, or None."""
        player = view.players[seat]
        if measure == "round":
            return view.round
        if measure == "offer":
            return getattr(view.question, "high_bid", None)
        if measure in SPICES:
            return sacks(player, measure)
        if measure == "plantations":
            return sum(place.tile is not None for place in player.plantations)
        if measure == "colonies":
            return sum(place.tile is not None for place in player.colonies)
        found: int | None = getattr(player, FIELDS.get(measure, measure))
        return found

    def known(
        self, view: GoaView, seat: Seat, deed: str, facts: Sequence[Event]
    ) -> bool | None:
        """Tell whether the seat has bid for the open lot, by table or log (GO-3.1).

        Return None if unknown.
        """
        auction = view.question
        if not isinstance(auction, AwaitBid):
            return None
        if seat == auction.high_bidder:
            return True
        if auction.high_bidder is None or seat in auction.still_to_bid:
            return False
        order = [(auction.auctioneer + step) % len(view.players)
                 for step in range(1, len(view.players) + 1)]
        if order.index(seat) > order.index(auction.high_bidder):
            return False  # bids only rise
        return bid_among(facts, auction.lot, seat)


FIELDS = {"points": "vp", "extra": "additional_cards"}


QUESTIONS = tuple(dict.fromkeys(kind for kinds in ANSWERED_BY.values() for kind in kinds))
MOST_LOTS = max(SEATS) + 1


def named(kind: type[Any]) -> list[str]:
    """Return the names of a kind of question: one for each lot for bids."""
    if kind is AwaitBid:
        return [f"AwaitBid {lot}" for lot in range(1, MOST_LOTS + 1)]
    return [kind.__name__]


def why_impossible(instruction: Instruction, lots: int) -> MoveRefused | None:
    """Refuse a lot that never exists and a bid below 1 (GO-2.2, GO-3.1)."""
    lot = getattr(instruction, "lot", None)
    if lot is not None and not 1 <= lot <= lots:
        return IllegalMove("no_such_lot", rule="GO-2.2", lot=lot, lots=lots)
    if isinstance(instruction, UpTo | Exactly) and instruction.ducats < 1:
        return IllegalMove("bid_too_low", rule="GO-3.1", bid=instruction.ducats, high=0)
    return None


def why_lot_closed(state: GoaState, lot: int, seat: Seat) -> MoveRefused | None:
    """Refuse a lot that is sold, or for which the seat has bid or passed (GO-3.1)."""
    if any(sold.number == lot for sold in state.sold):
        return IllegalMove("lot_sold", rule="GO-3.1", lot=lot)
    if has_answered(state, lot, seat):
        return IllegalMove("lot_spoken", rule="GO-3.1", lot=lot)
    return None


def has_answered(state: GoaState, lot: int, seat: Seat) -> bool:
    """Tell whether a seat has bid or passed for the lot under the hammer."""
    auction = state.awaiting
    return isinstance(auction, AwaitBid) and auction.lot == lot and (
        seat not in auction.still_to_bid
    )


def sacks(player: GoaSeatView, spice: str) -> int:
    """Count the sacks of one spice on a seat's fields."""
    fields = [field for place in player.plantations for field in place.fields]
    fields += [field for place in player.colonies for field in place.fields]
    return sum(field.sack == spice for field in fields)


def bid_among(facts: Sequence[Event], lot: int, seat: Seat) -> bool | None:
    """Tell whether late events show a bid of the seat for the open lot.

    Return None if they begin after it.
    """
    begun = [place for place, fact in enumerate(facts)
             if isinstance(fact, AuctionOpened) and fact.lot == lot]
    if not begun:
        return None
    return any(
        isinstance(fact, BidMade) and (fact.seat, fact.lot) == (seat, lot)
        for fact in facts[begun[-1] :]
    )


# ---- examples -----------------------------------------------------------------------------------


def order_examples(view: GoaView, seat: Seat) -> tuple[OrderAheadExample, ...]:
    """Return a bid for a later lot and a pass on the rest; during actions, taxes."""
    if view.phase not in (PLACING, AUCTIONS):
        return (OrderAheadExample("taxes", Text("ahead_taxes", {})),)
    lot = next_lot(view)
    rest = OrderAheadExample("pass on the rest", Text("ahead_rest", {}))
    if lot is None:
        return (rest,)
    ducats = min(USUAL, view.players[seat].ducats or USUAL)
    bid = Text("ahead_up_to", {"ducats": ducats, "lot": lot})
    return (OrderAheadExample(f"up to {ducats} for lot {lot}", bid), rest)


def next_lot(view: GoaView) -> int | None:
    """Return the first lot of this round that is not open yet, or None."""
    if view.phase == PLACING:
        return 2
    return next((lot.number for lot in view.lots if lot.stands == "waiting"), None)
