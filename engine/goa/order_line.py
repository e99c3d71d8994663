"""Turns the steps of a form into an order line (rules/orders.md); the engine judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.forms import Fields, Incomplete
from engine.goa.fields import room_in
from engine.goa.form_actions import step_cost
from engine.goa.form_texts import empties
from engine.goa.order_parts import chosen, extra_lines, named_sacks, sacks_laid, using
from engine.goa.reach import before_action
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
    """Return `draw K [discard CARD, ..]` and the end; as many as fit unless a number is chosen."""
    question = view.question
    assert isinstance(question, AwaitRoom)  # noqa: S101
    cards = chosen(fields, "room", [str(card.number) for card in me.hand or ()])
    fit = min(question.cards, question.limit - me.cards + len(cards),
              view.deck + len(view.discards) + len(cards))
    number = fields.get("draw") or str(max(0, fit))
    return in_one([f"draw {number}{discards(cards)}"], fields, may_end=True)


def discards(cards: list[str]) -> str:
    """Return ` discard CARD, ..`, or "" if there are none."""
    return f" discard {', '.join(cards)}" if cards else ""


def colony(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `choose TILE: SPICE, ..` and the end."""
    return in_one([f"choose {said(fields, 'choose')}"], fields, may_end=True)


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
    if act == "pass":
        return "; ".join([*before, action, *after])
    return in_one([*before, action, *after], fields, may_end=bool(action))


def in_one(parts: list[str], fields: Fields, *, may_end: bool) -> str:
    """Return the parts in one line, with the end of the turn that is chosen (GO-4.10)."""
    end = fields.get("end") or ""
    ending = "" if end == "done" and not may_end else end
    return "; ".join(part for part in (*parts, ending) if part)


def done(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return a card and tiles; the turn ends after them by itself, or by `done`."""
    before, after = extra_lines(fields, view, me)
    lines = [*before, *after]
    return in_one(lines, fields, may_end=False) if lines else said(fields, "act")


def founding(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return a card and tiles, then `pay` or `decline` if one was chosen, and the end."""
    before, after = extra_lines(fields, view, me)
    act = fields.get("act") or ""
    if not before and not after and not act:
        raise Incomplete("nothing")
    return in_one([*before, *after, act], fields, may_end=bool(act))


def progress(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `progress COLUMN [using CARD] [from SACKS]`; only chosen fields are named."""
    column = fields.get("column")
    if column not in COLUMNS:
        raise Incomplete("column")
    line = f"progress {column}{using(fields, 'progress-using')}"
    without_spices = any(
        card.effect == "progress_without_spices"
        for card in me.hand or () if str(card.number) == fields.get("progress-using")
    )
    payers = payment(fields, step_cost(fields, view, me))
    return line if without_spices or not payers else f"{line} from {', '.join(payers)}"


def payment(fields: Fields, cost: tuple[str, ...]) -> list[str]:
    """Return the spices of a step with the places chosen for them; [] if none is chosen."""
    entries: dict[str, int] = {}
    for at, name in enumerate(cost):
        place = fields.get(f"pay-{name}-{cost[:at].count(name) + 1}")
        said = f"{name}@{place}" if place else name
        entries[said] = entries.get(said, 0) + 1
    return named_sacks(entries.items()) if any("@" in said for said in entries) else []


def harvest(fields: Fields, view: GoaView, me: GoaSeatView) -> str:
    """Return `harvest SACKS`, or `harvest using CARD: N ships, N colonists, SACKS`."""
    card = using(fields, "harvest-using")
    sacks = sacks_laid(fields, before_action(view, me, fields).empties)
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
    if room_in(empty) > left or any(place not in PLANTATIONS for place, _, _ in empty):
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
