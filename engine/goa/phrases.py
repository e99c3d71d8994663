"""Picks the phrase for an event, a question, a refusal or a move, and the values in it.

A new event needs code here only if one phrase is not enough for it; values.py says its fields. No
phrase tells what a purse holds before the end (rules/goa.md 11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.goa import events as facts
from engine.goa import moves, state
from engine.goa.components import GoaComponents
from engine.goa.described import described
from engine.goa.values import (
    KINDS,
    a_term,
    card_doing,
    cards,
    goods,
    place,
    sack_values,
    space,
    spices,
    tile_doing,
)
from engine.phrases import (
    Enumeration,
    Kinds,
    Name,
    Phrase,
    Quantity,
    Term,
    TermPhrase,
    Value,
    WordForm,
    in_kinds,
    key_of,
    values_of,
)

# ---- events ------------------------------------------------------------------------------------


def of_event(components: GoaComponents, event: Any) -> Phrase | None:
    """Return the phrase for an event, or None if it gets no line."""
    kind = type(event)
    if kind in SILENT or (kind in SILENT_IF_EMPTY and not getattr(event, SILENT_IF_EMPTY[kind])):
        return None
    key, values = key_of(event), {**values_of(event, KINDS), **described(components, event)}
    special = SPECIAL.get(kind)
    if special is None:
        return Phrase(key, values)
    variant, more = special(event)
    if variant is None:
        return None
    return Phrase(f"{key}_{variant}" if variant else key, {**values, **more})


SILENT = {facts.GoaNowAwaiting, facts.TurnBegun, facts.TurnEnded, facts.RevealedDiscarded}
SILENT_IF_EMPTY: Mapping[Any, str] = {
    facts.CardsRevealed: "cards",
    facts.GridCleared: "tiles",
    facts.MarkersCounted: "vp",
}

Special = tuple[str | None, Mapping[str, Value]]  # variant (None: no line), values


def drawn(event: Any) -> Special:
    """Return faces for their owner, and only their number for all others."""
    hidden = None in event.cards
    return "hidden" if hidden else "", {"number": Quantity("expedition_card", len(event.cards))}


def giving(event: Any) -> Special:
    return "", {"goods": goods(event)}


def unasked(event: Any) -> Special:
    return "unasked" if event.unasked else "", {}


def tiles_laid_out(event: facts.TilesLaidOut) -> Special:
    out = len(event.tiles) - event.laid
    return "", {"laid": Quantity("tile", event.laid), "out": Quantity("tile", out)}


def standings(event: facts.GoaGameEnded) -> Special:
    """Return the seats by place: 1. Anna (45 VP), 2. Bram (40 VP)."""
    seats = sorted(range(len(event.places)), key=lambda seat: (event.places[seat], seat))
    said = [
        TermPhrase(
            "standing",
            {
                "place": event.places[seat],
                "seat": Name(seat),
                "points": Quantity("vp", event.points[seat]),
            },
        )
        for seat in seats
    ]
    return "", {"standings": Enumeration(tuple(said))}


SPECIAL: Mapping[type, Callable[[Any], Special]] = {
    facts.TilesLaidOut: tiles_laid_out,
    facts.AuctionOpened: lambda event: ("flag" if event.tile is None else "", {}),
    facts.BidDeclined: unasked,
    facts.LotPaid: lambda event: ("bank" if event.payee is None else "", {}),
    facts.TileWon: lambda event: ("" if event.ducats else "for_nothing", {}),
    facts.ActionChosen: lambda event: ("" if event.action == "expedition" else None, {}),
    facts.MarkerMoved: lambda event: ("", {"paid": goods(event)}),
    facts.Harvested: giving,
    facts.CardsDrawn: drawn,
    facts.BonusCardsDrawn: drawn,
    facts.TileCardsDrawn: drawn,
    facts.FoundingFailed: lambda event: ("declined" if event.declined else "", {}),
    facts.AdditionalDeclined: unasked,
    facts.CardGoodsTaken: giving,
    facts.PlantationDropped: lambda event: ("kept" if event.kept else "", {}),
    facts.ImmediateTaken: giving,
    facts.OnceARoundUsed: giving,
    facts.CardsCounted: lambda event: ("", {"number": event.cards}),
    facts.GoaGameEnded: standings,
}


# ---- questions and refusals --------------------------------------------------------------------


def of_question(components: GoaComponents, question: Any) -> Phrase:
    """Return the phrase for a question."""
    key, values = key_of(question), values_of(question, KINDS)
    tile = tile_doing(components, getattr(question, "tile", None))
    if tile is not None:
        values["tile"] = tile
    if isinstance(question, state.AwaitBid):
        values["seat"] = Enumeration(tuple(Name(seat) for seat in question.seats))
        values["what"] = WordForm("flag") if tile is None else TermPhrase("a_tile", {"tile": tile})
        if not question.high_bid:
            key += "_open"
        elif question.still_to_bid == (question.auctioneer,):
            key += "_last"
    elif isinstance(question, state.AwaitAdditional) and not question.may_pass:
        key += "_no_pass"
    elif isinstance(question, state.AwaitFounding):
        values["difference"] = Quantity("colonist", question.difference)
    return Phrase(key, values)


REFUSED: Kinds = {
    **{field: KINDS[field] for field in ("column", "colony", "spice", "goods", "place", "space")},
    "last": space,
    "kind": a_term("goods"),
    "action": a_term("action"),
}
"""The values of a refusal that are no plain numbers."""


def of_refusal(key: str, numbers: Mapping[str, Any]) -> Phrase:
    """Return the phrase for a refusal; its numbers stand alone."""
    return Phrase(key, in_kinds(numbers, REFUSED))


# ---- moves -------------------------------------------------------------------------------------


def of_move(components: GoaComponents, move: Any) -> Phrase:
    """Return the phrase for a move."""
    key, values = key_of(move), values_of(move, KINDS)
    for field in ("card", "using"):
        if values.get(field) is not None:
            values[field] = card_doing(components, values[field])
    if isinstance(move, moves.UseTile):
        values["tile"] = tile_doing(components, move.tile)
    variant = VARIANTS.get(type(move))
    if variant is None:
        return Phrase(key, values)
    suffix, more = variant(move)
    return Phrase(key + suffix, {**values, **more})


Variant = tuple[str, Mapping[str, Value]]  # suffix of the phrase's key, values


def progress(move: moves.Progress) -> Variant:
    using = "" if move.using is None else "_using"
    return using + ("" if move.sacks else "_without_sacks"), {}


def play(move: moves.PlayCard) -> Variant:
    if move.sacks:
        return "_sacks", {}
    return "" if move.column is None else "_column", {}


def use_tile(move: moves.UseTile) -> Variant:
    if move.drop is not None:
        return "_drop", {}
    return "" if move.goods is None else "_goods", {}


def expedition(move: moves.Expedition) -> Variant:
    if move.cards is None:
        return "_open", {}
    return "_discard" if move.discard else "", {}


def fillings(move: moves.UseHarvest) -> Variant:
    said = [
        TermPhrase("spice_in_place", {"place": place(where), "spices": spices(which)})
        if which
        else place(where)
        for where, which in move.fillings
    ]
    return "", {"fillings": Enumeration(tuple(said))}


def extra(move: moves.Extra) -> Variant:
    """Return the action and all that its order says."""
    action = move.action
    said: list[Value] = []
    if isinstance(action, moves.Progress):
        said = [Term("column", action.column), *sack_values(action.sacks)]
    elif isinstance(action, moves.Harvest):
        said = [*goods(action).values]
    elif isinstance(action, moves.FoundColony):
        said = [Term("colony", action.colony)]
    elif isinstance(action, moves.Expedition) and action.cards is not None:
        said = [cards(action.cards)]
        said += [TermPhrase("discarding", {"cards": cards(action.discard)})] * bool(action.discard)
    using = getattr(action, "using", None)
    said += [TermPhrase("using_card", {"card": using})] * (using is not None)
    name = Term("action", ACTIONS[type(action)])
    return "" if said else "_plain", {"action": name, "what": Enumeration(tuple(said))}


ACTIONS: Mapping[type, str] = {
    moves.Progress: "progress",
    moves.BuildShips: "ships",
    moves.Harvest: "harvest",
    moves.Taxes: "taxes",
    moves.Expedition: "expedition",
    moves.FoundColony: "found",
}

VARIANTS: Mapping[type, Callable[[Any], Variant]] = {
    moves.DrawCards: lambda move: ("_discard" if move.discard else "", {}),
    moves.Progress: progress,
    moves.Harvest: lambda move: ("" if move.using is None else "_using", {"goods": goods(move)}),
    moves.Expedition: expedition,
    moves.FoundColony: lambda move: ("" if move.using is None else "_using", {}),
    moves.PlayCard: play,
    moves.UseHarvest: fillings,
    moves.UseTile: use_tile,
    moves.Extra: extra,
}
