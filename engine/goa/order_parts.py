"""Writes the parts that several order lines share: cards, tiles, sacks (rules/orders.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.forms import Fields, Incomplete
from engine.goa.cards import BUY_PROGRESS, SELL
from engine.goa.components import Card, Tile
from engine.goa.fields import Empty
from engine.goa.form_extras import is_before, place_in_turn
from engine.goa.form_texts import by_place, whole
from engine.goa.lookups import ONCE_A_ROUND
from engine.goa.reach import Reach, in_turn, usable
from engine.goa.state import PLANTATIONS
from engine.goa.view import GoaSeatView, GoaView


def chosen(fields: Fields, name: str, order: Sequence[str]) -> list[str]:
    """Return the ticked values in their order.

    Values that are not there follow, for the rules to refuse.
    """
    ticked = set(fields.getlist(name))
    unknown = sorted(each for each in ticked.difference(order) if each.isalnum())
    return [each for each in order if each in ticked] + unknown


def using(fields: Fields, name: str) -> str:
    """Return ` using CARD`, or "" if no card was chosen."""
    card = fields.get(name)
    return f" using {card}" if card else ""


def named_sacks(entries: Iterable[tuple[str, int]]) -> list[str]:
    """Return SPICE[@PLACE] [N] for each number above 0."""
    return [f"{what} {n}" if n > 1 else what for what, n in entries if n > 0]


def sacks_laid(fields: Fields, empty: Empty) -> list[str]:
    """Return the sacks that a harvest lays on plantations and on single fields of colonies."""
    entries: dict[str, int] = {}
    for place, may_hold, number in empty:
        if place in PLANTATIONS:
            spice = may_hold[0]
            entries[f"{spice}@{place}"] = whole(fields.get(f"fill-{place}-{spice}"))
            continue
        for field in range(1, number + 1):
            if laid := fields.get(f"fill-{place}-{field}"):
                entries[f"{laid}@{place}"] = entries.get(f"{laid}@{place}", 0) + 1
    return named_sacks(entries.items())


def sacks_returned(fields: Fields, prefix: str, reach: Reach) -> list[str]:
    """Return the sacks of these numbers, from where they lie or may lie."""
    return named_sacks(
        (f"{spice}@{place}", whole(fields.get(f"{prefix}-{spice}-{place}")))
        for spice, place, _ in reach.lying
    )


# ---- a card and tiles --------------------------------------------------------------------------


def extra_lines(
    fields: Fields, view: GoaView, me: GoaSeatView
) -> tuple[list[str], list[str]]:
    """Return the orders for a card and tiles: those before the action, those after it."""
    cards = chosen(fields, "play", [str(card.number) for card in me.hand or ()])
    if len(cards) > 1:
        raise Incomplete("one_card")
    reach = in_turn(view, me, fields)
    lines = [
        (str(card.number), play(fields, card, reach))
        for card in me.hand or () if str(card.number) in cards
    ]
    tiles = usable(view, me, fields)
    used = chosen(fields, "use", [tile.id for tile in tiles])
    lines += [(tile.id, use(fields, tile, reach)) for tile in tiles if tile.id in used]
    lines.sort(key=lambda line: place_in_turn(fields, line[0]))
    before = [line for name, line in lines if is_before(fields, name)]
    return before, [line for name, line in lines if not is_before(fields, name)]


def play(fields: Fields, card: Card, reach: Reach) -> str:
    """Return `play CARD [: SACKS or COLUMN]`."""
    number = str(card.number)
    if card.effect == SELL:
        sacks = sacks_returned(fields, f"sell-{number}", reach)
    elif card.effect == BUY_PROGRESS:
        sacks = [column] if (column := fields.get(f"column-{number}")) else []
    else:
        wanted = range(1, card.gain.spices_of_choice + 1)
        laid = [fields.get(f"lay-{number}-{each}") or "" for each in wanted]
        sacks = named_sacks((each, laid.count(each)) for each in dict.fromkeys(laid) if each)
        if not wanted:
            return f"play {number}"
    if not sacks:
        raise Incomplete("card_details", card=card.number)
    return f"play {number}: {', '.join(sacks)}"


def use(fields: Fields, tile: Tile, reach: Reach) -> str:
    """Return `use ..`, as the tile's kind is used."""
    if tile.kind == "once_a_round":
        if not tile.gain.spices_of_choice:
            return f"use {word_of(tile)}"
        return f"use spice {needed(fields.get(f'lay-{tile.id}'), tile)}"
    if tile.kind == "duty":
        return f"use duty: {needed(sacks_returned(fields, f'duty-{tile.id}', reach), tile)}"
    if tile.kind == "additional_harvest":
        return f"use harvest: {needed(fillings(fields, tile, reach), tile)}"
    if tile.kind == "trade":
        return f"use trade {needed(fields.get(f'space-{tile.id}'), tile)}"
    drop, goods = fields.get(f"drop-{tile.id}"), fields.get(f"gain-{tile.id}")
    parts = [f"use {tile.id}"]
    parts += [f"drop {drop}"] if drop else []
    parts += [f"gain {goods}"] if goods else []
    return " ".join(parts)


def needed(said: str | list[str] | None, tile: Tile) -> str:
    """Return a value that the tile's order needs. Raise Incomplete if it is missing."""
    if not said:
        raise Incomplete("tile_details", tile=tile.id)
    return said if isinstance(said, str) else ", ".join(said)


def word_of(tile: Tile) -> str:
    """Return the word of `use` for a once-a-round tile."""
    return next(word for word, goods in ONCE_A_ROUND.items() if getattr(tile.gain, goods))


def fillings(fields: Fields, tile: Tile, reach: Reach) -> list[str]:
    """Return PLACE [SPICE ..] for each place to fill."""
    found = []
    for place in by_place(reach.empties):
        value = fields.get(f"fill-{tile.id}-{place}")
        if value:
            found.append(place if place in PLANTATIONS else f"{place} {value}")
    return found
