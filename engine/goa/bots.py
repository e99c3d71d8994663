"""Plays `steady`: a plain heuristic that sees only its observation and its legal actions.

It weighs every answer in Victory Points (VP): what the answer brings, less what it costs (see
engine/goa/worth.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.api import Seat
from engine.chance import Chance
from engine.goa import moves
from engine.goa.actions import WITHOUT_SHIPS
from engine.goa.colonies import REVEAL_MORE
from engine.goa.components import Card
from engine.goa.lookups import BESIDE_AROUND
from engine.goa.state import (
    ADDITIONAL,
    COLONIES,
    AwaitAdditional,
    AwaitBid,
    AwaitFounding,
    Sacks,
)
from engine.goa.view import GoaView
from engine.goa.worth import CARD, Judge

FIRST = 9.0  # free gains come before anything else
PAID_SHIP = 0.15  # a ship or sack spent on a step, at the cost of getting it
PAID_SACK = 0.12
TAX = 0.6  # worth of a ducat from taxes, as a share of one bid: auctions bring more
OPENING_BID = 0.3  # share of a lot's worth that is bid, as long as it beats the highest bid


def steady(
    table: GoaView,
    seat: Seat,
    answers: Sequence[Any],
    free: Sequence[Any],
    chance: Chance,
) -> Any:
    """Return the answer that promises most."""
    judge = Judge(table, seat)
    if isinstance(table.question, AwaitBid):
        return bidding(judge, table.question, answers)
    return max(answers, key=lambda move: WEIGHTS[type(move)](judge, move))


def weigher(table: GoaView, seat: Seat, answers: Sequence[Any]) -> Callable[[Any], float]:
    """Return a function that weighs answers in VP.

    The bid that `steady` would make weighs most, then the lowest one.
    """
    judge = Judge(table, seat)
    if isinstance(table.question, AwaitBid):
        best = bidding(judge, table.question, answers)
        return lambda move: FIRST if move == best else -getattr(move, "ducats", 0)
    return lambda move: WEIGHTS[type(move)](judge, move)


# ---- placing and auctions ----------------------------------------------------------------------


def weigh_flag(judge: Judge, move: moves.PlaceFlag) -> float:
    """Prefer a space with good tiles beside it."""
    around = (judge.table.grid[place].tile for place in BESIDE_AROUND[move.space])
    return sum(judge.tile(tile) for tile in around if tile is not None)


def weigh_marker(judge: Judge, move: moves.PlaceMarker) -> float:
    """Prefer the tile that the seat would like best: its owner speaks last or is paid (GO-3.2)."""
    tile = judge.table.space(move.space).tile
    return 0.0 if tile is None else judge.tile(tile)


def bidding(judge: Judge, auction: AwaitBid, answers: Sequence[Any]) -> Any:
    """Bid up to the lot's worth and the purse, else pass."""
    lot = next(each for each in judge.table.lots if each.number == auction.lot)
    worth = judge.lot(lot.tile) / judge.per_ducat
    least = auction.high_bid + 1
    if auction.auctioneer == judge.me.seat:
        # Outbidding costs the bid and the other bidder's payment.
        wanted = least if worth > least + auction.high_bid else 0
    else:
        wanted = max(least, int(OPENING_BID * worth)) if worth >= least else 0
    bid = moves.Bid(min(wanted, judge.ducats))
    return bid if wanted and bid.ducats >= least else moves.Pass()


def weigh_gain(judge: Judge, move: moves.ChooseGain) -> float:
    """Weigh ships or colonists of a won tile."""
    tile = judge.table.settling
    return 0.0 if tile is None else judge.gain(dict(tile.choices)[move.goods])


def weigh_drop(judge: Judge, move: moves.Drop) -> float:
    return -judge.dropped(move.place - 1)


def weigh_quick(judge: Judge, move: moves.QuickMarkers) -> float:
    return sum(judge.step(judge.me.column(column)) for column in move.columns)


# ---- actions -----------------------------------------------------------------------------------


def played(judge: Judge, card: int | None) -> float:
    """Return what is lost with a card that is played."""
    return 0.0 if card is None else judge.kept(in_hand(judge, card))


def in_hand(judge: Judge, number: int) -> Card:
    """Return a card of the seat's own hand."""
    return next(card for card in judge.hand if card.number == number)


def weigh_progress(judge: Judge, move: moves.Progress) -> float:
    """Weigh the step, less spices and ships (GO-4.2)."""
    column = judge.me.column(move.column)
    free = move.using is not None and in_hand(judge, move.using).effect == WITHOUT_SHIPS
    ships = 0 if free else len(column.next_cost or ())
    paid = ships * PAID_SHIP * judge.use_left + paid_sacks(judge, move.sacks)
    return judge.step(column) - paid - played(judge, move.using)


def paid_sacks(judge: Judge, sacks: Sacks) -> float:
    """Return the worth of sacks spent; those of colonies go first.

    Their fields take any spice again.
    """
    return sum(
        number * (PAID_SACK - 0.01 * (place in COLONIES)) for _, place, number in sacks
    ) * judge.use_left


def weigh_ships(judge: Judge, move: moves.BuildShips) -> float:
    return judge.ships(judge.me.column("ships").value)


def weigh_harvest(judge: Judge, move: moves.Harvest) -> float:
    goods = judge.ships(move.ships) + judge.colonists(move.colonists)
    return goods + judge.taken(move.sacks) - played(judge, move.using)


def weigh_taxes(judge: Judge, move: moves.Taxes) -> float:
    return judge.me.column("taxes").value * judge.per_ducat * TAX


def weigh_expedition(judge: Judge, move: moves.Expedition) -> float:
    """Weigh cards that are still unseen, less discards; being asked first delays it (GO-4.6)."""
    if move.cards is None:
        return -1.0
    return move.cards * CARD - discarded(judge, move.discard)


def discarded(judge: Judge, cards: tuple[int, ...]) -> float:
    return sum(judge.kept(in_hand(judge, card)) for card in cards)


def weigh_draw(judge: Judge, move: moves.DrawCards) -> float:
    return move.cards * CARD - discarded(judge, move.discard)


def weigh_found(judge: Judge, move: moves.FoundColony) -> float:
    """Weigh the colony by the odds (GO-5.2)."""
    reveal = judge.table.figures.reveal
    if move.using is not None:
        return judge.founding(move.colony, reveal + 1) - played(judge, move.using)
    return judge.founding(move.colony, reveal)


def weigh_extra(judge: Judge, move: moves.Extra) -> float:
    """Weigh an additional action, less the card's worth in a later round (GO-6.1)."""
    later = 0.8 if judge.rounds_left and judge.me.additional_cards < 2 else 0.0
    return float(WEIGHTS[type(move.action)](judge, move.action)) - later


# ---- founding ----------------------------------------------------------------------------------


def weigh_pay(judge: Judge, move: moves.Pay) -> float:
    question: AwaitFounding = judge.table.question  # type: ignore[assignment]
    return judge.colony(question.colony) - 0.2 * question.difference


def weigh_choice(judge: Judge, move: moves.ChooseColony) -> float:
    """Weigh the spices now, and the fields' later uses."""
    stock = judge.table.stock(judge.table.question.colony)  # type: ignore[union-attr]
    may_hold = dict(stock.tiles)[move.tile]
    later = sum(sum(judge.uses[spice]) for spice in may_hold) / 50
    return judge.colony_spices[move.spices] + later


# ---- cards and tiles ---------------------------------------------------------------------------


def weigh_play(judge: Judge, move: moves.PlayCard) -> float:
    """Weigh the effect, less the card's part of the final count and a better moment (GO-7.2)."""
    card = in_hand(judge, move.card)
    if isinstance(judge.table.question, AwaitFounding):
        return helps_founding(judge, judge.table.question, card)
    if isinstance(judge.table.question, AwaitAdditional):
        return -1.0  # there is time after the action, and the seat may still pass
    worth = judge.gain(card.gain) if not card.gain.spices_of_choice else 0.0
    if move.column is not None:
        worth += judge.step(judge.me.column(move.column)) - card.price * judge.per_ducat
    elif card.ducats_each:
        number = sum(sacks for _, _, sacks in move.sacks)
        worth += number * card.ducats_each * judge.per_ducat - judge.spices_less(move.sacks)
    else:
        worth += judge.taken(move.sacks)
    crowded = 0.4 if not judge.room and judge.rounds_left else 0.0
    return worth + crowded - judge.kept(card) - 0.2


def helps_founding(judge: Judge, question: AwaitFounding, card: Card) -> float:
    """Weigh a card whose colonists, given or revealed, can make up the difference (GO-5.4)."""
    short = question.difference - judge.me.colonists
    hoped = 2 if card.effect == REVEAL_MORE else card.gain.colonists
    if short <= 0 or hoped < short:
        return -1.0
    return judge.colony(question.colony) - judge.kept(card)


def weigh_goods(judge: Judge, move: moves.UseGoods) -> float:
    """Weigh a once-a-round tile: it costs nothing, but waits while the seat may pass (GO-6.1)."""
    return -1.0 if judge.table.phase == ADDITIONAL and may_pass(judge) else FIRST


def may_pass(judge: Judge) -> bool:
    """Tell whether the open question can be answered by passing."""
    return bool(getattr(judge.table.question, "may_pass", False))


def weigh_spice(judge: Judge, move: moves.UseSpice) -> float:
    if judge.table.phase == ADDITIONAL and may_pass(judge):
        return -1.0
    if isinstance(judge.table.question, AwaitFounding):
        return -1.0
    return 1.0 + judge.spices_more([move.spice])


def weigh_duty(judge: Judge, move: moves.UseDuty) -> float:
    """Weigh its VP, once the spices can be spared (GO-8.4)."""
    if isinstance(judge.table.question, AwaitAdditional | AwaitFounding):
        return -1.0
    tile = next(kept.tile for kept in judge.me.tiles if kept.tile.kind == "duty" and kept.ready)
    return tile.vp - judge.spices_less(move.sacks) - 1.8 * (judge.rounds_left > 0)


def weigh_filling(judge: Judge, move: moves.UseHarvest) -> float:
    """Weigh the spices, once there are enough fields to fill (GO-8.4)."""
    if isinstance(judge.table.question, AwaitAdditional | AwaitFounding):
        return -1.0
    fields = {each.place: each.fields for each in judge.me.plantations}
    spices: list[str] = []
    for place, named in move.fillings:
        here = fields.get(place, ())
        spices += named or [field.may_hold[0] for field in here if field.sack is None]
    return judge.spices_more(spices) - 1.3 * (judge.rounds_left > 0)


def weigh_trade(judge: Judge, move: moves.UseTrade) -> float:
    """Weigh the best tile of the grid (GO-8.5)."""
    if isinstance(judge.table.question, AwaitAdditional | AwaitFounding):
        return -1.0
    tile = judge.table.space(move.space).tile
    worth = 0.0 if tile is None else judge.tile(tile)
    return worth - 1.5 * (judge.rounds_left > 1) - 0.1


def weigh_tile(judge: Judge, move: moves.UseTile) -> float:
    """Weigh a tile taken by Trade (GO-8.5)."""
    if isinstance(judge.table.question, AwaitAdditional | AwaitFounding):
        return -1.0
    tile = next(kept.tile for kept in judge.me.tiles if kept.tile.id == move.tile)
    if move.drop is not None:
        gained = judge.fields(tile) + judge.spices_more([tile.spice] * tile.fields)
        return gained - judge.dropped(move.drop - 1)
    if move.goods is not None:
        return judge.gain(dict(tile.choices)[move.goods])
    return judge.tile(tile)


Weight = Callable[[Judge, Any], float]

WEIGHTS: dict[type[Any], Weight] = {
    moves.QuickMarkers: weigh_quick,
    moves.QuickDucats: lambda judge, move: 10 * judge.per_ducat,
    moves.PlaceFlag: weigh_flag,
    moves.PlaceMarker: weigh_marker,
    moves.Pass: lambda judge, move: 0.3,  # leaves the additional actions
    moves.ChooseGain: weigh_gain,
    moves.Drop: weigh_drop,
    moves.DrawCards: weigh_draw,
    moves.Progress: weigh_progress,
    moves.BuildShips: weigh_ships,
    moves.Harvest: weigh_harvest,
    moves.Taxes: weigh_taxes,
    moves.Expedition: weigh_expedition,
    moves.FoundColony: weigh_found,
    moves.Extra: weigh_extra,
    moves.Pay: weigh_pay,
    moves.Decline: lambda judge, move: judge.colonists(1),
    moves.ChooseColony: weigh_choice,
    moves.PlayCard: weigh_play,
    moves.UseGoods: weigh_goods,
    moves.UseSpice: weigh_spice,
    moves.UseDuty: weigh_duty,
    moves.UseHarvest: weigh_filling,
    moves.UseTrade: weigh_trade,
    moves.UseTile: weigh_tile,
    moves.EndTurn: lambda judge, move: 0.0,
}
