"""Lists spices on fields: what lies where, what is empty, and every way to fill or empty them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise, product

from engine.errors import IllegalMove
from engine.goa.state import (
    COLONIES,
    PLACES,
    PLANTATIONS,
    SPICES,
    Colony,
    GoaPlayer,
    Plantation,
    Sacks,
)

Empty = tuple[tuple[str, tuple[str, ...], int], ...]
"""(place, spices that it may hold, empty fields), by PLACES. Full places are left out."""

MANY = 256  # most ways to remember

ORDER = {
    (spice, place): (at, kind)
    for at, place in enumerate(PLACES)
    for kind, spice in enumerate(SPICES)
}


@lru_cache(maxsize=8192)
def sacks_in(
    plantations: tuple[Plantation | None, ...], colonies: tuple[Colony | None, ...]
) -> Sacks:
    """Return all sacks on these plantations and colonies, in the order of Sacks."""
    found = [
        (plantation.spice, place, plantation.sacks)
        for place, plantation in zip(PLANTATIONS, plantations, strict=True)
        if plantation is not None and plantation.sacks
    ]
    for place, colony in zip(COLONIES, colonies, strict=True):
        if colony is not None:
            counted = zip(SPICES, colony.sacks, strict=True)
            found += [(spice, place, number) for spice, number in counted if number]
    return tuple(found)


@lru_cache(maxsize=8192)
def empty_in(
    plantations: tuple[Plantation | None, ...], colonies: tuple[Colony | None, ...]
) -> Empty:
    """Return all empty fields of these plantations and colonies."""
    found: list[tuple[str, tuple[str, ...], int]] = [
        (place, (plantation.spice,), plantation.fields - plantation.sacks)
        for place, plantation in zip(PLANTATIONS, plantations, strict=True)
        if plantation is not None and plantation.sacks < plantation.fields
    ]
    for place, colony in zip(COLONIES, colonies, strict=True):
        if colony is not None and sum(colony.sacks) < colony.fields:
            found.append((place, colony.spices, colony.fields - sum(colony.sacks)))
    return tuple(found)


def sacks_of(player: GoaPlayer) -> Sacks:
    """Return all sacks of a seat."""
    return sacks_in(player.plantations, player.colonies)


def empty_of(player: GoaPlayer) -> Empty:
    """Return all empty fields of a seat."""
    return empty_in(player.plantations, player.colonies)


def number_of(sacks: Sacks) -> int:
    """Return the number of sacks."""
    return sum(number for _, _, number in sacks)


def room_in(empty: Empty) -> int:
    """Return the number of sacks that find a field."""
    return sum(number for _, _, number in empty)


# ---- every way to fill --------------------------------------------------------------------------


def fillings(empty: Empty, number: int) -> Iterable[Sacks]:
    """Yield every way to lay exactly `number` sacks on empty fields (GO-4.4)."""
    if not number:
        return ((),)
    if ways_to_fill(empty, number) <= MANY:
        return few_fillings(empty, number)
    return each_filling(empty, number)


@lru_cache(maxsize=1024)
def few_fillings(empty: Empty, number: int) -> tuple[Sacks, ...]:
    """Return the same as `each_filling`, cached."""
    return tuple(each_filling(empty, number))


def each_filling(empty: Empty, number: int) -> Iterator[Sacks]:
    """Yield every way to lay exactly `number` sacks, one by one."""
    if not number:
        yield ()
        return
    if not empty:
        return
    (place, spices, fields), rest = empty[0], empty[1:]
    least = max(0, number - room_in(rest))
    for here in range(min(number, fields), least - 1, -1):
        for first in loads(place, spices, here):
            for others in each_filling(rest, number - here):
                yield first + others


@lru_cache(maxsize=1024)
def loads(place: str, spices: tuple[str, ...], number: int) -> tuple[Sacks, ...]:
    """Return every choice of `number` sacks for one place, by the order of SPICES."""
    return tuple(
        merged(place, chosen) for chosen in combinations_with_replacement(spices, number)
    )


def merged(place: str, spices: Sequence[str]) -> Sacks:
    """Return single spices, in the order of SPICES, as sacks of one place."""
    return tuple((spice, place, spices.count(spice)) for spice in dict.fromkeys(spices))


@lru_cache(maxsize=2048)
def ways_to_fill(empty: Empty, number: int) -> int:
    """Return how many ways there are, without listing them."""
    ways = [1] + [0] * number
    for place, spices, fields in empty:
        here = [len(loads(place, spices, count)) for count in range(min(number, fields) + 1)]
        ways = [
            sum(ways[total - count] * here[count] for count in range(min(total, len(here) - 1) + 1))
            for total in range(number + 1)
        ]
    return ways[number]


# ---- every way to empty -------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def payments(there: Sacks, spices: tuple[str, ...]) -> tuple[Sacks, ...]:
    """Return every choice of fields from which these spices are paid (GO-4.2)."""
    by_spice = []
    for spice in dict.fromkeys(spices):
        heaps = tuple(heap for heap in there if heap[0] == spice)
        by_spice.append(tuple(each_taking(heaps, spices.count(spice))))
    return tuple(
        tuple(sorted((sack for part in parts for sack in part), key=in_order))
        for parts in product(*by_spice)
    )


def takings(there: Sacks, number: int) -> Iterable[Sacks]:
    """Return every choice of exactly `number` of the sacks (GO-8.4)."""
    if number > number_of(there):
        return ()
    return few_takings(there, number) if len(there) <= 6 else each_taking(there, number)


@lru_cache(maxsize=512)
def few_takings(there: Sacks, number: int) -> tuple[Sacks, ...]:
    """Return the same as `each_taking`, cached."""
    return tuple(each_taking(there, number))


def each_taking(there: Sacks, number: int) -> Iterator[Sacks]:
    """Yield every choice of exactly `number` sacks, one by one."""
    if not number:
        yield ()
        return
    if not there:
        return
    (spice, place, sacks), rest = there[0], there[1:]
    least = max(0, number - number_of(rest))
    for here in range(min(number, sacks), least - 1, -1):
        first: Sacks = ((spice, place, here),) if here else ()
        for others in each_taking(rest, number - here):
            yield first + others


def in_order(sack: tuple[str, str, int]) -> tuple[int, int]:
    """Return the position of a sack among others, as a sort key."""
    return ORDER[sack[0], sack[1]]


# ---- checks ------------------------------------------------------------------------------------


def check_named(sacks: Sacks, rule: str) -> None:
    """Raise IllegalMove unless spices and places exist, in their order and once each (GO-4.2)."""
    for spice, place, number in sacks:
        if spice not in SPICES:
            raise IllegalMove("no_such_spice", rule=rule, spice=spice)
        if place not in PLACES:
            raise IllegalMove("no_such_place", rule=rule, place=place)
        if number < 1:
            raise IllegalMove("out_of_order", rule=rule)
    keys = [in_order(sack) for sack in sacks]
    if any(one >= other for one, other in pairwise(keys)):
        raise IllegalMove("out_of_order", rule=rule)


def check_returned(player: GoaPlayer, sacks: Sacks, rule: str) -> None:
    """Raise IllegalMove unless the sacks lie on the fields they are returned from (GO-4.2)."""
    check_named(sacks, rule)
    there = {(spice, place): number for spice, place, number in sacks_of(player)}
    for spice, place, number in sacks:
        have = there.get((spice, place), 0)
        if number > have:
            raise IllegalMove(
                "too_few_sacks", rule=rule, spice=spice, place=place, wanted=number, there=have
            )


def check_taken(player: GoaPlayer, sacks: Sacks, rule: str) -> None:
    """Raise IllegalMove unless the sacks go to empty fields that may hold them (GO-4.4)."""
    check_named(sacks, rule)
    wanted: dict[str, int] = {}
    for spice, place, number in sacks:
        check_holds(player, spice, place, rule)
        wanted[place] = wanted.get(place, 0) + number
    empty = {place: number for place, _, number in empty_of(player)}
    for place, number in wanted.items():
        if number > empty.get(place, 0):
            raise IllegalMove(
                "too_few_fields", rule=rule, place=place, wanted=number, empty=empty.get(place, 0)
            )


def check_holds(player: GoaPlayer, spice: str, place: str, rule: str) -> None:
    """Raise IllegalMove unless the place exists and may hold the spice (GO-4.4)."""
    if spice not in spices_of(player, place, rule):
        raise IllegalMove("spice_not_held", rule=rule, spice=spice, place=place)


def spices_of(player: GoaPlayer, place: str, rule: str) -> tuple[str, ...]:
    """Return what a place's fields may hold. Raise IllegalMove if nothing is there (GO-4.4)."""
    index = PLACES.index(place)
    if index < len(PLANTATIONS):
        plantation = player.plantations[index]
        if plantation is not None:
            return (plantation.spice,)
    else:
        colony = player.colonies[index - len(PLANTATIONS)]
        if colony is not None:
            return colony.spices
    raise IllegalMove("nothing_there", rule=rule, place=place)
