"""Finds the places of SACKS in orders that do not name them (rules/orders.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engine.goa.fields import ORDER, empty_of, sacks_of
from engine.goa.state import COLONIES, PLANTATIONS, GoaPlayer, Sacks

Entry = tuple[str, str | None, int]
"""(spice, place, number) as an order names them. No place means as the table allows."""
Counted = dict[tuple[str, str], int]
"""The number of sacks of a spice at a place."""

SERVED = (*PLANTATIONS, "quilon", "madras", "cochin", "calicut")  # order of filling places


def to_text(sacks: Sacks) -> list[str]:
    """Return every entry with its place, and the number only from 2."""
    return [
        f"{spice}@{place} {number}" if number > 1 else f"{spice}@{place}"
        for spice, place, number in sacks
    ]


def returned(player: GoaPlayer, entries: Sequence[Entry]) -> Sacks:
    """Return sacks that leave their fields, each from a place where such a sack lies."""
    there = {(spice, place): number for spice, place, number in sacks_of(player)}

    def left(found: Counted, spice: str, place: str) -> int:
        return there.get((spice, place), 0) - found.get((spice, place), 0)

    return served(player, entries, left)


def taken(player: GoaPlayer, entries: Sequence[Entry]) -> Sacks:
    """Return sacks that go to fields, each to an empty one that may hold it."""
    empty = {place: (may_hold, fields) for place, may_hold, fields in empty_of(player)}

    def left(found: Counted, spice: str, place: str) -> int:
        may_hold, fields = empty.get(place, ((), 0))
        laid = sum(number for (_, there), number in found.items() if there == place)
        return fields - laid if spice in may_hold else 0

    return served(player, entries, left)


def served(
    player: GoaPlayer, entries: Sequence[Entry], left: Callable[[Counted, str, str], int]
) -> Sacks:
    """Return the entries with their places; `left` gives how many a place can still serve.

    A spice without a place goes to one that may hold it: the rules refuse it as too many.
    """
    found: Counted = {}
    for spice, named, number in named_first(entries):
        rest = number
        for place in SERVED if named is None else (named,):
            here = min(rest, max(0, left(found, spice, place))) if named is None else rest
            if here:
                found[spice, place] = found.get((spice, place), 0) + here
                rest -= here
        if rest:
            place = somewhere(player, spice)
            found[spice, place] = found.get((spice, place), 0) + rest
    return in_order(found)


def named_first(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries with a place before those without, else in their order."""
    return sorted(entries, key=lambda entry: entry[1] is None)


def somewhere(player: GoaPlayer, spice: str) -> str:
    """Return the first place that may hold the spice, full or not; else the first of all."""
    may_hold = holding(player)
    return next((place for place in SERVED if spice in may_hold.get(place, ())), SERVED[0])


def holding(player: GoaPlayer) -> dict[str, tuple[str, ...]]:
    """Return what the fields of each place may hold, full or not."""
    found = {
        place: (plantation.spice,)
        for place, plantation in zip(PLANTATIONS, player.plantations, strict=True)
        if plantation is not None
    }
    colonies = zip(COLONIES, player.colonies, strict=True)
    return found | {place: colony.spices for place, colony in colonies if colony is not None}


def price(player: GoaPlayer, cost: Sequence[str]) -> Sacks:
    """Return a payment as far as the spices are there (GO-4.2).

    The rules refuse less than the cost.
    """
    have = [spice for spice, _, number in sacks_of(player) for _ in range(number)]
    entries: list[Entry] = [
        (spice, None, min(cost.count(spice), have.count(spice))) for spice in dict.fromkeys(cost)
    ]
    return returned(player, [entry for entry in entries if entry[2]])


def in_order(found: Counted) -> Sacks:
    """Return counted sacks in the order of Sacks."""
    return tuple((*key, found[key]) for key in sorted(found, key=ORDER.__getitem__))
