"""Turns the steps of a form into an order line (rules/orders.md); the engine judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.forms import Fields, Incomplete
from engine.goa.form_texts import room
from engine.goa.order_parts import (
    chosen,
    empties,
    extra_lines,
    lying,
    named_sacks,
    sacks_laid,
    using,
)
from engine.goa.state import (
    COLUMNS,
    PLANTATIONS,
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
)
from engine.goa.view import GoaSeatView, GoaView

Writer = Callable[[Fields, GoaView, GoaSeatView], str]


def order_line(fields: Fields, view: GoaView, seat: int) -> str:
    """Return the line for the chosen steps: discards first, then the answer.

    Raise Incomplete if a choice is missing.
    """
    me = view.players[seat]
    thrown = chosen(fields, "discard", [str(card.number) for card in me.hand or ()])
    lines = [f"discard {', '.join(thrown)}"] if thrown else []
    try:
        answer = WRITERS[type(view.question)](fields, view, me) if seat in view.asked else ""
    except Incomplete as missing:
        if not lines or missing.key != "nothing":
            raise
        answer = ""
    lines += [answer] if answer else []
    if not lines:
        raise Incomplete("nothing")
    return "; ".join(lines)


def said(fields: Fields, name: str) -> str:
    """Return a field that must be chosen. Raise Incomplete if it is not."""
    value = fields.get(name)
    if not value:
        raise Incomplete("nothing")
    return value


# ---- quick start, placing, bidding, settling ---------------------------------------------------


def quick_start(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `quick ducats`, or `quick COLUMN COLUMN`."""
    columns = chosen(fields, "columns", COLUMNS)
    if fields.get("quick") == "ducats":
        return "quick ducats"
    if not columns:
        raise Incomplete("columns" if fields.get("quick") else "nothing")
    return f"quick {' '.join(columns)}"


def flag(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `flag c3`, or `flag north c`."""
    space, edge = fields.get("space"), fields.get("edge")
    if space and edge:
        raise Incomplete("one_space")
    if not space and not edge:
        raise Incomplete("nothing")
    return f"flag {space or edge}"


def bid(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `pass`, or `bid N`."""
    ducats, higher = fields.get("bid"), fields.get("higher")
    if ducats and higher:
        raise Incomplete("one_bid")
    offer = higher or said(fields, "bid")
    return "pass" if offer == "pass" else f"bid {offer}"


def make_room(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `draw K [discard CARD, ..]`; as many as fit unless the field has a number."""
    question = view.question
    assert isinstance(question, AwaitRoom)  # noqa: S101
    cards = chosen(fields, "room", [str(card.number) for card in me.hand or ()])
    fit = min(question.cards, question.limit - me.cards + len(cards),
              view.deck + len(view.discards) + len(cards))
    number = fields.get("draw") or str(max(0, fit))
    return f"draw {number}{discards(cards)}"


def discards(cards: list[str]) -> str:
    """Return ` discard CARD, ..`, or "" if there are none."""
    return f" discard {', '.join(cards)}" if cards else ""


def colony(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `choose TILE: SPICE, ..`."""
    return f"choose {said(fields, 'choose')}"


# ---- a turn ------------------------------------------------------------------------------------


def turn(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return the card and tiles before the action, the action, those after it, and the end."""
    before, after = extra_lines(fields, view, me)
    act = fields.get("act")
    if not act and not before and not after:
        raise Incomplete("nothing")
    if not act and after:
        raise Incomplete("act")
    action = act or ""
    if action in ACTIONS:
        action = ACTIONS[action](fields, view, me)
    if action and act != "pass" and isinstance(view.question, AwaitAdditional):
        action = f"extra {action}"
    end = fields.get("end") or ""
    if act == "pass" or (end == "done" and not action):
        end = ""
    return "; ".join(line for line in (*before, action, *after, end) if line)


def done(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return a card and tiles; the turn ends after them by itself, or by `done`."""
    before, after = extra_lines(fields, view, me)
    lines = [*before, *after]
    return "; ".join(lines) if lines else said(fields, "act")


def founding(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return a card and tiles, then `pay` or `decline` if one was chosen."""
    before, after = extra_lines(fields, view, me)
    lines = [*before, *after]
    return "; ".join([*lines, fields.get("act") or ""]).rstrip("; ") or said(fields, "act")


def progress(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `progress COLUMN [using CARD] [from SACKS]`; only chosen fields are named."""
    column = fields.get("column")
    if column not in COLUMNS:
        raise Incomplete("column")
    line = f"progress {column}{using(fields, 'progress-using')}"
    cost = me.column(column).next_cost or ()
    payers = {name: place for name in cost if (place := fields.get(f"pay-{name}"))}
    without_spices = any(
        card.effect == "progress_without_spices"
        for card in me.hand or () if str(card.number) == fields.get("progress-using")
    )
    if not payers or without_spices:
        return line
    return f"{line} from {', '.join(payment(cost, payers, me))}"


def payment(cost: tuple[str, ...], payers: Mapping[str, str], me: GoaSeatView) -> list[str]:
    """Return the spices of a step; those from a chosen place come first while they last."""
    there = {(name, place): number for name, place, number in lying(me)}
    entries = []
    for name in dict.fromkeys(cost):
        number, place = cost.count(name), payers.get(name, "")
        here = min(number, there.get((name, place), 0))
        entries += named_sacks([(f"{name}@{place}", here), (name, number - here)])
    return entries


def harvest(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `harvest SACKS`, or `harvest using CARD: N ships, N colonists, SACKS`."""
    card = using(fields, "harvest-using")
    sacks = sacks_laid(fields, me)
    if not sacks and not card:
        sacks = first_fields(me)
    if not card:
        if not sacks:
            raise Incomplete("spices")
        return f"harvest {', '.join(sacks)}"
    goods = [f"{n} {word}" for word in ("ships", "colonists")
             if (n := fields.get(f"harvest-{word}") or "0") != "0"]
    return f"harvest{card}: {', '.join([*goods, *sacks])}"


def first_fields(me: GoaSeatView) -> list[str]:
    """Return all that a harvest takes, if the empty fields leave no choice of spices."""
    left, entries = me.column("harvest").value, []
    empty = empties(me)
    if room(empty) > left or any(place not in PLANTATIONS for place, _, _ in empty):
        raise Incomplete("spices")
    for place, may_hold, number in empty:
        entries.append((f"{may_hold[0]}@{place}", number))
    return named_sacks(entries)


def expedition(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `expedition [K] [discard CARD, ..]`."""
    cards = chosen(fields, "room", [str(card.number) for card in me.hand or ()])
    number = fields.get("draw")
    return f"expedition{' ' + number if number else ''}{discards(cards)}"


def found(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `found COLONY [using CARD] [pay up to N] [choose TILE: SPICE, ..]`."""
    name = fields.get("colony")
    if not name:
        raise Incomplete("colony")
    pay, choice = fields.get("pay-up-to"), fields.get(f"choose-{name}")
    parts = [f"found {name}{using(fields, 'found-using')}"]
    parts += [f"pay up to {pay}"] if pay else []
    parts += [f"choose {choice}"] if choice else []
    return " ".join(parts)


ACTIONS: Mapping[str, Writer] = {
    "progress": progress,
    "harvest": harvest,
    "expedition": expedition,
    "found": found,
}

WRITERS: Mapping[type, Writer] = {
    AwaitQuickStart: quick_start,
    AwaitFlag: flag,
    AwaitMarker: lambda fields, view, me: f"marker {said(fields, 'space')}",
    AwaitBid: bid,
    AwaitGoods: lambda fields, view, me: f"gain {said(fields, 'gain')}",
    AwaitDrop: lambda fields, view, me: f"drop {said(fields, 'drop')}",
    AwaitRoom: make_room,
    AwaitTurnAction: turn,
    AwaitAdditional: turn,
    AwaitFounding: founding,
    AwaitColony: colony,
    AwaitDone: done,
}
