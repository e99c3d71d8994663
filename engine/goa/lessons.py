"""Explains what a question is about, and what speaks for a move, from open information.

The reasons never use cards in others' hands or what others discard of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.api import Seat
from engine.goa import moves, state
from engine.goa.values import space
from engine.goa.view import GoaSeatView, GoaView
from engine.lessons import Lesson, lesson
from engine.phrases import Quantity, Term

Told = tuple[Lesson, ...]


# ---- what is asked ------------------------------------------------------------------------------


def of_question(table: GoaView, seat: Seat) -> Told:
    """Return what the open question asks of this seat, and what to look at."""
    tell = ASKED.get(type(table.question))
    return () if tell is None else tell(table, table.players[seat], table.question)


def bid(table: GoaView, me: GoaSeatView, asked: state.AwaitBid) -> Told:
    """Explain that the lot's owner decides where the money goes."""
    what = "asked_flag" if asked.tile is None else "asked_lot"
    about = lesson(what, "GO-3.3" if asked.tile is None else "GO-8.1", "GO-3.1")
    if asked.auctioneer == me.seat:
        return about, lesson("bid_own", "GO-3.2", high=Quantity("ducat", asked.high_bid))
    return about, lesson("bid_once", "GO-3.1", "GO-3.2", ducats=Quantity("ducat", me.ducats or 0))


def room(table: GoaView, me: GoaSeatView, asked: state.AwaitRoom) -> Told:
    return (lesson("room", asked.rule, limit=asked.limit, cards=me.cards),)


def action(table: GoaView, me: GoaSeatView, asked: state.AwaitTurnAction) -> Told:
    """Explain how many actions are left, and the nearest steps of the board."""
    left = table.figures.actions - asked.number
    told: Told = (lesson("action" if left else "action_last", "GO-4.1", "GO-4.10",
                         number=asked.number, left=left),)
    told += (lesson("action_kinds", "GO-4.2", "GO-4.3", "GO-4.4", "GO-4.5", "GO-4.6", "GO-4.7",
                    ships=Quantity("ship", me.ships),
                    colonists=Quantity("colonist", me.colonists)),)
    return told


def additional(table: GoaView, me: GoaSeatView, asked: state.AwaitAdditional) -> Told:
    key = "additional" if asked.may_pass else "additional_must"
    return (lesson(key, "GO-6.1",
                   cards=Quantity("additional_action_card", me.additional_cards)),)


def founding(table: GoaView, me: GoaSeatView, asked: state.AwaitFounding) -> Told:
    return (lesson("founding", "GO-5.2", "GO-5.3", "GO-5.4",
                   colony=Term("colony", asked.colony),
                   difference=Quantity("colonist", asked.difference),
                   colonists=Quantity("colonist", me.colonists)),)


ASKED: Mapping[type, Callable[[GoaView, GoaSeatView, Any], Told]] = {
    state.AwaitQuickStart: lambda table, me, asked: (lesson("quick_start", "GO-1.5"),),
    state.AwaitFlag: lambda table, me, asked: (lesson("flag", "GO-2.1", "GO-3.3"),),
    state.AwaitMarker: lambda table, me, asked: (lesson("marker", "GO-2.2", "GO-3.2"),),
    state.AwaitBid: bid,
    state.AwaitGoods: lambda table, me, asked: (lesson("goods", "GO-3.4", "GO-8.2"),),
    state.AwaitDrop: lambda table, me, asked: (lesson("drop", "GO-8.1"),),
    state.AwaitRoom: room,
    state.AwaitTurnAction: action,
    state.AwaitAdditional: additional,
    state.AwaitFounding: founding,
    state.AwaitColony: lambda table, me, asked: (lesson("colony", "GO-5.2"),),
    state.AwaitDone: lambda table, me, asked: (lesson("end_of_turn", "GO-4.10", "GO-7.1"),),
}


# ---- why somebody moved so ----------------------------------------------------------------------


def of_move(table: GoaView, seat: Seat, move: Any) -> Told:
    """Return what speaks for a move, from the table that the viewer saw then."""
    tell = MOVED.get(type(move))
    return () if tell is None else tell(table, table.players[seat], move)


def did_bid(table: GoaView, me: GoaSeatView, move: moves.Bid) -> Told:
    asked = table.question
    own = isinstance(asked, state.AwaitBid) and asked.auctioneer == me.seat
    key = "did_bid_own" if own else "did_bid"
    return (lesson(key, "GO-3.1", "GO-3.2", ducats=Quantity("ducat", move.ducats)),)


def passed(table: GoaView, me: GoaSeatView, move: moves.Pass) -> Told:
    """Explain a pass for a lot, or out of the additional actions."""
    asked = table.question
    if not isinstance(asked, state.AwaitBid):
        return (lesson("did_pass_additional", "GO-6.1"),)
    if asked.auctioneer == me.seat:
        return (lesson("did_sell", "GO-3.2", high=Quantity("ducat", asked.high_bid)),)
    return (lesson("did_pass", "GO-3.1"),)


def progress(table: GoaView, me: GoaSeatView, move: moves.Progress) -> Told:
    """Explain what the step is worth at the end, and what the column gives from now on."""
    column = me.column(move.column)
    rows = table.figures.markers_vp
    more = rows[min(column.row, len(rows) - 1)] - rows[column.row - 1]
    return (lesson("did_progress", "GO-4.2", "GO-9.1", column=Term("column", move.column),
                   row=column.row + 1, vp=Quantity("vp", more)),)


def build(table: GoaView, me: GoaSeatView, move: moves.BuildShips) -> Told:
    return (lesson("did_ships", "GO-4.3", "GO-4.2",
                   ships=Quantity("ship", me.column("ships").value)),)


def harvest(table: GoaView, me: GoaSeatView, move: moves.Harvest) -> Told:
    return (lesson("did_harvest", "GO-4.4", "GO-4.2", number=me.column("harvest").value),)


def taxes(table: GoaView, me: GoaSeatView, move: moves.Taxes) -> Told:
    return (lesson("did_taxes", "GO-4.5", "GO-3.1",
                   ducats=Quantity("ducat", me.column("taxes").value)),)


def found(table: GoaView, me: GoaSeatView, move: moves.FoundColony) -> Told:
    """Explain what the colony needs, and what is there before any card is revealed."""
    return (lesson("did_found", "GO-5.1", "GO-5.2", colony=Term("colony", move.colony),
                   needed=table.stock(move.colony).needed,
                   counted=me.column("colonists").value,
                   colonists=Quantity("colonist", me.colonists)),)


def extra(table: GoaView, me: GoaSeatView, move: moves.Extra) -> Told:
    return (lesson("did_extra", "GO-6.1"), *of_move(table, me.seat, move.action))


def play(table: GoaView, me: GoaSeatView, move: moves.PlayCard) -> Told:
    return (lesson("did_play", "GO-7.1", "GO-7.2", card=move.card),)


def once_a_round(table: GoaView, me: GoaSeatView, move: Any) -> Told:
    return (lesson("did_use_tile", "GO-8.3"),)


def placed(table: GoaView, me: GoaSeatView, move: moves.PlaceMarker) -> Told:
    return (lesson("did_marker", "GO-2.2", "GO-3.2", space=space(move.space)),)


def one(key: str, *rules: str) -> Callable[[GoaView, GoaSeatView, Any], Told]:
    """Return a lesson that needs no figures."""
    return lambda table, me, move: (lesson(key, *rules),)


MOVED: Mapping[type, Callable[[GoaView, GoaSeatView, Any], Told]] = {
    moves.QuickMarkers: one("did_quick_markers", "GO-1.5"),
    moves.QuickDucats: one("did_quick_ducats", "GO-1.5"),
    moves.PlaceFlag: one("did_flag", "GO-2.1", "GO-3.3"),
    moves.PlaceMarker: placed,
    moves.Bid: did_bid,
    moves.Pass: passed,
    moves.Drop: one("did_drop", "GO-8.1"),
    moves.ChooseGain: one("did_gain", "GO-3.4"),
    moves.DrawCards: one("did_draw", "GO-4.8a"),
    moves.Progress: progress,
    moves.BuildShips: build,
    moves.Harvest: harvest,
    moves.Taxes: taxes,
    moves.Expedition: one("did_expedition", "GO-4.6", "GO-9.1"),
    moves.FoundColony: found,
    moves.Pay: one("did_pay", "GO-5.2", "GO-5.4"),
    moves.Decline: one("did_decline", "GO-5.3"),
    moves.ChooseColony: one("did_choose_colony", "GO-5.2"),
    moves.PlayCard: play,
    moves.UseGoods: once_a_round,
    moves.UseSpice: once_a_round,
    moves.UseDuty: one("did_duty", "GO-8.4"),
    moves.UseHarvest: one("did_additional_harvest", "GO-8.4"),
    moves.UseTrade: one("did_trade", "GO-8.5"),
    moves.UseTile: one("did_traded_tile", "GO-8.5"),
    moves.Extra: extra,
    moves.Discard: one("did_discard", "GO-4.9", "GO-4.8a"),
    moves.EndTurn: one("did_end", "GO-4.10"),
}
