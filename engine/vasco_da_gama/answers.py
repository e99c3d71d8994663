"""Lists the moves of a seat: every distinct answer to its question, and its launches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice, product
from typing import Any

from engine.api import Move, Seat
from engine.vasco_da_gama import actions, characters, expedition, placing
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.lookups import fitting_slots, has_crew
from engine.vasco_da_gama.moves import (
    Buy,
    BuyGabriel,
    Launch,
    Recruit,
    Send,
)
from engine.vasco_da_gama.state import (
    CHARACTERS,
    CREW,
    LAST_LAUNCHES,
    SAILORS,
    AwaitCalledAction,
    AwaitFirstMerchant,
    AwaitLastLaunches,
    AwaitLaunches,
    AwaitMerchant,
    AwaitPlacement,
    AwaitProject,
    AwaitSailor,
    VascoState,
)

GIVE_UP, DONE, BUY_GABRIEL = actions.GIVE_UP.make(), actions.END_LAUNCHES.make(), BuyGabriel()
CAPTAIN_ONLY = Recruit(None, (0,) * len(SAILORS), captain=True)

# Moves are immutable values, so equal moves share one object.
buy_move = lru_cache(maxsize=4096)(Buy)
send_move = lru_cache(maxsize=16384)(Send)


def answers(components: VascoComponents, state: VascoState, seat: Seat) -> Iterator[Move]:
    """Yield the answers to the question put to this seat; none if it is not asked."""
    question = state.awaiting
    if question is None or seat not in question.seats:
        return iter(())
    return ANSWERS[type(question)](components, state, seat)


def implied(said: Sequence[Any], state: VascoState, seat: Seat, *, last: bool) -> Move | None:
    """Return the end of the launches before the refill after a letter's last order (VG-4.3).

    Return None if the letter needs no such move.
    """
    question = state.awaiting
    if not last or not isinstance(question, AwaitLaunches) or seat not in question.seats:
        return None
    return None if all(order.free for order in said) else DONE


def legal(components: VascoComponents, state: VascoState, seat: Seat) -> Iterator[Move]:
    """Yield the answers, then the launches, which are free (VG-4.3)."""
    yield from answers(components, state, seat)
    if state.awaiting is not None and state.phase != LAST_LAUNCHES:
        yield from launches(components, state, seat)


def is_forced(components: VascoComponents, state: VascoState, seat: Seat) -> bool:
    """Tell whether the seat has only one answer, now and after any of its launches (VG-3.2)."""
    if len(list(islice(answers(components, state, seat), 2))) != 1:
        return False
    question = state.awaiting
    if isinstance(question, AwaitCalledAction) and question.area == "navigation":
        return not could_sail_if_launched(components, state, question)
    return True


def could_sail_if_launched(
    components: VascoComponents, state: VascoState, called: AwaitCalledAction
) -> bool:
    """Tell whether the seat could send an expedition if it launched first (VG-4.3, VG-5.1)."""
    player = state.players[called.seat]
    if called.price > player.reals or not player.captains:
        return False
    return any(
        has_crew(components, player, project)
        and fitting_slots(components, state, components.by_id[project].navigation_limit)
        for project in player.projects
    )


# ---- phase 2 -----------------------------------------------------------------------------------


def called(components: VascoComponents, state: VascoState, seat: Seat) -> Iterator[Move]:
    """Yield every affordable way to take the called action, and giving up (VG-3.2)."""
    question: AwaitCalledAction = state.awaiting  # type: ignore[assignment]
    purse = state.players[seat].reals - question.price
    if purse >= 0:
        yield from TAKINGS[question.area](components, state, seat, purse)
    yield GIVE_UP


def buyings(
    components: VascoComponents, state: VascoState, seat: Seat, purse: int
) -> Iterator[Move]:
    """Yield one or two upper projects, or the São Gabriel project (VG-4.1)."""
    there = [project for project in state.offer if project is not None]
    there.sort(key=components.order.__getitem__)
    for count, price in enumerate(components.projects_action.prices, 1):
        if price <= purse:
            for projects in combinations(there, count):
                yield buy_move(projects)
    if state.gabriel is not None and components.by_id[state.gabriel].crew <= purse:
        yield BUY_GABRIEL


def recruitings(
    components: VascoComponents, state: VascoState, seat: Seat, purse: int
) -> Iterator[Move]:
    """Yield every choice of sailors from one section, with and without a captain (VG-4.4)."""
    captains = bool(state.players[seat].captains_waiting)
    prices = components.recruiting_prices
    for section, there in enumerate(state.sections, 1):
        # A purse beyond the dearest choice changes nothing, so all such purses share a cache entry.
        enough = min(purse, max(prices[0]) + prices[1] * sum(there))
        yield from section_recruits(section, there, enough, captains, prices)
    if captains:
        yield CAPTAIN_ONLY


@lru_cache(maxsize=16384)
def section_recruits(
    section: int,
    there: tuple[int, ...],
    purse: int,
    captains: bool,  # noqa: FBT001  # a cache key
    prices: tuple[tuple[int, ...], int],
) -> tuple[Recruit, ...]:
    """Return the recruits of one section that a purse can pay for.

    `prices` holds the price by number of colours, and the price of a captain per sailor.
    """
    by_colours, captain_price = prices
    found = []
    for sailors in product(*(range(count + 1) for count in there)):
        number = sum(sailors)
        price = by_colours[sum(map(bool, sailors))]
        if number and price <= purse:
            found.append(Recruit(section, sailors, captain=False))
            if captains and price + captain_price * number <= purse:
                found.append(Recruit(section, sailors, captain=True))
    return tuple(found)


def sendings(
    components: VascoComponents, state: VascoState, seat: Seat, purse: int
) -> Iterator[Move]:
    """Yield every fleet in every choice of fitting slots of each landing (VG-5.1, VG-5.2)."""
    player = state.players[seat]
    if not player.captains or not player.ships:
        return
    fleet = tuple((tile, components.by_id[tile].navigation_limit) for tile in player.ships)
    for landing, moored in zip(components.landings, state.landings, strict=True):
        empty = tuple(
            (slot, value) for slot, value in enumerate(landing.slots) if moored[slot] is None
        )
        for ships in fillings(empty, fleet, player.captains):
            yield send_move(landing.word, ships)


def fillings(
    empty: Sequence[tuple[int, int]], fleet: tuple[tuple[str, int], ...], captains: int
) -> Iterator[tuple[tuple[str, int], ...]]:
    """Yield every non-empty way to put ships of the fleet into slots, by slots from the left."""
    if not captains:
        return
    for place, (slot, value) in enumerate(empty):
        for tile, limit in fleet:
            if value > limit:
                continue
            first = ((tile, slot),)
            yield first
            others = tuple(ship for ship in fleet if ship[0] != tile)
            for rest in fillings(empty[place + 1 :], others, captains - 1):
                yield first + rest


def favours(
    components: VascoComponents, state: VascoState, seat: Seat, purse: int
) -> Iterator[Move]:
    """Yield the money that is still there, and each character that no disc hosts (VG-6.1)."""
    yield from characters.TAKE_MONEY.moves(components, state, seat)
    (character,) = characters.HOST.fields
    why_not = character.judge(components, state, seat)
    for each in CHARACTERS:
        if why_not(each) is None:
            yield characters.HOST.make(each)
        if each in characters.HOSTED_WITH:
            yield from characters.HOSTED_WITH[each].moves(components, state, seat)


# ---- launches ----------------------------------------------------------------------------------


def sailor_choices(components: VascoComponents, state: VascoState, seat: Seat) -> Iterator[Move]:
    """Yield each colour of each active section, and the bag (VG-5.3)."""
    yield from expedition.CHOOSE_SAILOR.moves(components, state, seat)
    yield from expedition.DRAW_SAILOR.moves(components, state, seat)


def last_launches(components: VascoComponents, state: VascoState, seat: Seat) -> Iterator[Move]:
    """Yield the launches, then done (VG-8.2)."""
    yield from launches(components, state, seat)
    yield DONE


def launches(components: VascoComponents, state: VascoState, seat: Seat) -> Iterator[Move]:
    """Yield each project with each set of crew colours (VG-4.3)."""
    player = state.players[seat]
    for project in sorted(player.projects, key=components.order.__getitem__):
        for crew in crews(player.crew, components.by_id[project].crew):
            yield Launch(project, crew)


def crews(crew: tuple[int, ...], number: int) -> Iterator[tuple[str, ...]]:
    """Yield every set of `number` different colours the seat has, missionaries last (VG-4.3)."""
    have = [colour for colour, count in zip(CREW, crew, strict=True) if count]
    return combinations(have, number)


ANSWERS: dict[type[Any], Callable[[VascoComponents, VascoState, Seat], Iterator[Move]]] = {
    AwaitFirstMerchant: characters.SEND_MERCHANT.moves,
    AwaitPlacement: placing.PLACE.moves,
    AwaitCalledAction: called,
    AwaitProject: expedition.CHOOSE_PROJECT.moves,
    AwaitSailor: sailor_choices,
    AwaitMerchant: characters.SEND_MERCHANT.moves,
    AwaitLaunches: actions.END_LAUNCHES.moves,
    AwaitLastLaunches: last_launches,
}

TAKINGS: dict[str, Callable[[VascoComponents, VascoState, Seat, int], Iterator[Move]]] = {
    "navigation": sendings,
    "recruiting": recruitings,
    "projects": buyings,
    "characters": favours,
}
