"""Orders ahead of Goa: bids for lots still to come, and what conditions compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from engine import notation
from engine.ahead import Instruction, OrderAheadExample, OrderAheadWords, PlainOrder
from engine.api import Event, Seat
from engine.errors import IllegalMove, MalformedOrder, MoveRefused
from engine.goa import ahead_examples, orders
from engine.goa.components import SEATS, GoaComponents
from engine.goa.events import AuctionOpened, BidMade
from engine.goa.state import (
    ACTIONS_NAMED,
    AUCTIONS,
    PARTS,
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

RULE = "orders"
FORMS = ("up to", "exactly", "pass on the rest", "pass on lot")
IN_A_TURN = (AwaitTurnAction, AwaitAdditional, AwaitFounding, AwaitDone)
SPEAKS: dict[str, tuple[type[Any], ...]] = {
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
"""The questions that an order can answer, by its verb; a discard answers none."""

OPEN = ("points", "ships", "colonists", "cards", "plantations", "colonies", "extra")
MEASURES = ("ducats", *OPEN, "offer", *SPICES, "round")


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
    """pass on the rest: on every lot that nothing else speaks to, until the round's last one."""

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

    def said(self, line: str, state: GoaState, seat: Seat, aliases: Mapping[str, str]) -> str:
        """An order line in full words; `wait` keeps nothing open ahead (GO-4.10)."""
        said = notation.as_said(line, orders.grammar_of(self.components, state, seat), aliases)
        if said == "wait":
            raise MalformedOrder("wait_alone", rule=RULE)
        return said

    # ---- forms

    def read_form(self, reader: LineReader) -> Instruction | None:
        """A bid or pass for a lot, if one begins here."""
        if not reader.has_word(*FORMS):
            return None
        word = reader.word(*FORMS)
        if word == "pass on the rest":
            return PassOnTheRest()
        if word == "pass on lot":
            return PassOn(reader.number())
        ducats = reader.number()
        reader.word("for lot")
        lot = reader.number()
        return UpTo(ducats, lot) if word == "up to" else Exactly(ducats, lot)

    def read_moment(self, reader: LineReader) -> Instruction | None:
        """No question of Goa is named in front of an order."""
        return None

    def spelt(self, form: Instruction) -> str:
        """The form as it is written."""
        if isinstance(form, UpTo):
            return f"up to {form.ducats} for lot {form.lot}"
        if isinstance(form, Exactly):
            return f"exactly {form.ducats} for lot {form.lot}"
        return f"pass on lot {form.lot}" if isinstance(form, PassOn) else "pass on the rest"

    def order(self, form: Instruction, view: GoaView) -> str:
        """The bid or pass at this moment."""
        offer = view.question.high_bid  # type: ignore[union-attr]
        if isinstance(form, UpTo) and offer < form.ducats:
            return f"bid {offer + 1}"
        return f"bid {form.ducats}" if isinstance(form, Exactly) else "pass"

    # ---- moments

    def round_meant(self, form: Instruction, state: GoaState) -> int:
        """This round's auction, or once it is over the next one."""
        return max(1, self.round_of(state)) + (state.phase > AUCTIONS)

    def round_of(self, state: GoaState) -> int:
        """The round, counted through both parts; 0 before the first."""
        before = self.components.rules.rounds_per_part if state.part == "B" else 0
        return before + state.round

    def gone(
        self, form: Instruction, in_round: int, state: GoaState, seat: Seat
    ) -> MoveRefused | None:
        """A lot that there is not, or that was sold; an auction that is over (GO-3.1)."""
        if isinstance(form, PlainOrder):
            return None
        refused = never_meant(form, len(state.players) + 1)
        if refused is not None or in_round != self.round_of(state):
            return refused
        if state.phase > AUCTIONS:
            return IllegalMove("auction_over", rule="GO-3.1")
        lot = getattr(form, "lot", None)
        if state.phase < AUCTIONS or lot is None:
            return None
        return passed_by(state, lot, seat)

    def questions(self, form: Instruction) -> frozenset[str]:
        """The questions that it can be about; a lot's is named with its number."""
        if isinstance(form, PlainOrder):
            verb = form.text.split(" ", 1)[0]
            kinds = QUESTIONS if verb == "discard" else SPEAKS[verb]
            return frozenset(name for kind in kinds for name in named(kind))
        if isinstance(form, UpTo | Exactly | PassOn):
            return frozenset({f"AwaitBid {form.lot}"})
        return frozenset(named(AwaitBid))

    def speaks(self, form: Instruction, question: Any, seat: Seat) -> bool:
        """Whether the form is about this question."""
        if isinstance(form, PlainOrder):
            verb = form.text.split(" ", 1)[0]
            return verb == "discard" or isinstance(question, SPEAKS[verb])
        lot = getattr(form, "lot", None)
        return isinstance(question, AwaitBid) and lot in (None, question.lot)

    def is_free(self, form: Instruction) -> bool:
        """Discards answer no question (GO-4.9)."""
        return isinstance(form, PlainOrder) and form.text.startswith("discard ")

    def examples(self, view: GoaView, seat: Seat) -> Sequence[OrderAheadExample]:
        """Some that could be given now."""
        return ahead_examples.examples(view, seat)

    # ---- conditions

    def measured(self, view: GoaView, seat: Seat, measure: str) -> int | None:
        """The number as this view shows it."""
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
        """Whether the seat has bid for the lot under the hammer, by table or log (GO-3.1)."""
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


QUESTIONS = tuple(dict.fromkeys(kind for kinds in SPEAKS.values() for kind in kinds))
MOST_LOTS = max(SEATS) + 1


def named(kind: type[Any]) -> list[str]:
    """A kind of question; that for bids once a lot."""
    if kind is AwaitBid:
        return [f"AwaitBid {lot}" for lot in range(1, MOST_LOTS + 1)]
    return [kind.__name__]


def never_meant(form: Instruction, lots: int) -> MoveRefused | None:
    """A lot that there never is, or a bid that nobody can make (GO-2.2, GO-3.1)."""
    lot = getattr(form, "lot", None)
    if lot is not None and not 1 <= lot <= lots:
        return IllegalMove("no_such_lot", rule="GO-2.2", lot=lot, lots=lots)
    if isinstance(form, UpTo | Exactly) and form.ducats < 1:
        return IllegalMove("bid_too_low", rule="GO-3.1", bid=form.ducats, high=0)
    return None


def passed_by(state: GoaState, lot: int, seat: Seat) -> MoveRefused | None:
    """A lot that was sold, or for which the seat has spoken (GO-3.1)."""
    if any(sold.number == lot for sold in state.sold):
        return IllegalMove("lot_sold", rule="GO-3.1", lot=lot)
    if has_spoken(state, lot, seat):
        return IllegalMove("lot_spoken", rule="GO-3.1", lot=lot)
    return None


def has_spoken(state: GoaState, lot: int, seat: Seat) -> bool:
    """Whether a seat has bid or passed for the lot under the hammer."""
    auction = state.awaiting
    return isinstance(auction, AwaitBid) and auction.lot == lot and (
        seat not in auction.still_to_bid
    )


def sacks(player: GoaSeatView, spice: str) -> int:
    """How many of a spice lie on a seat's fields."""
    fields = [field for place in player.plantations for field in place.fields]
    fields += [field for place in player.colonies for field in place.fields]
    return sum(field.sack == spice for field in fields)


def bid_among(facts: Sequence[Event], lot: int, seat: Seat) -> bool | None:
    """What late facts tell of a seat's bid for the open lot; None if they begin behind it."""
    begun = [place for place, fact in enumerate(facts)
             if isinstance(fact, AuctionOpened) and fact.lot == lot]
    if not begun:
        return None
    return any(
        isinstance(fact, BidMade) and (fact.seat, fact.lot) == (seat, lot)
        for fact in facts[begun[-1] :]
    )


