"""Chooses the mildest answer for an absent seat that is asked: it takes and risks nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from engine.api import Move, Seat
from engine.vasco_da_gama.answers import DONE, GIVE_UP, answers, crews
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.lookups import (
    additional_disc,
    additional_left,
    fitting_slots,
    free_slots,
)
from engine.vasco_da_gama.moves import Launch, PlaceDisc, SendMerchant
from engine.vasco_da_gama.state import (
    AREAS,
    CREW,
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


def default_action(components: VascoComponents, state: VascoState, seat: Seat) -> Move:
    """Return the mildest answer for an absent seat that the game waits for."""
    return DEFAULTS[type(state.awaiting)](components, state, seat)


def place(components: VascoComponents, state: VascoState, seat: Seat) -> Move:
    """Return the highest free number in the area with the most free slots (VG-2.2, VG-2.3)."""
    slots = free_slots(components, state)
    area = max(AREAS, key=lambda each: slots[each])  # max takes the first of equals
    player = state.players[seat]
    if player.additional and additional_disc(components, state, seat) is None:
        left = additional_left(components, state)
        if left:
            return PlaceDisc(max(left), area)
    used = {disc.number for disc in state.discs}
    return PlaceDisc(max(set(range(1, components.numbers.ordinary + 1)) - used), area)


def give_up(components: VascoComponents, state: VascoState, seat: Seat) -> Move:
    """Return giving up for a called action (VG-3.4)."""
    return GIVE_UP


def merchant(components: VascoComponents, state: VascoState, seat: Seat) -> Move:
    """Return the leftmost fitting slot of the lowest landing that has one (VG-6.6)."""
    return SendMerchant(*fitting_slots(components, state, state.merchant or 0)[0])


def first_answer(components: VascoComponents, state: VascoState, seat: Seat) -> Move:
    """Return the first upper project, or the first sailor from section 1 up, else the bag.

    Rules: VG-5.3.
    """
    return next(answers(components, state, seat))


# ---- last launches -----------------------------------------------------------------------------


def last_launch(components: VascoComponents, state: VascoState, seat: Seat) -> Move:
    """Launch as many projects as captains are left without a ship, then end (VG-8.2)."""
    player = state.players[seat]
    projects = sorted(player.projects, key=components.order.__getitem__)
    sizes = [components.by_id[project].crew for project in projects]
    wanted = player.captains - len(player.ships)
    while wanted > 0 and not can_crew(player.crew, sorted(sizes)[:wanted]):
        wanted -= 1
    wanted = min(wanted, len(projects))
    if wanted <= 0:
        return DONE
    return next(first_launches(player.crew, list(zip(projects, sizes, strict=True)), wanted))


def first_launches(
    crew: tuple[int, ...], projects: Sequence[tuple[str, int]], wanted: int
) -> Iterator[Move]:
    """Yield launches that leave enough for `wanted` in all, in the order of ids and colours."""
    for place, (project, size) in enumerate(projects):
        others = sorted(size for _, size in projects[place + 1 :])[: wanted - 1]
        if len(others) < wanted - 1:
            return
        for colours in crews(crew, size):
            left = tuple(
                count - (colour in colours) for colour, count in zip(CREW, crew, strict=True)
            )
            if can_crew(left, others):
                yield Launch(project, colours)


def can_crew(crew: tuple[int, ...], sizes: Sequence[int]) -> bool:
    """Tell whether crews of these sizes, each of different colours, can be formed together."""
    # Gale-Ryser: the k largest crews need no more than what each colour can give to k ships.
    needed = accumulate(sorted(sizes, reverse=True))
    return all(
        total <= sum(min(count, ships) for count in crew)
        for ships, total in enumerate(needed, 1)
    )


DEFAULTS: dict[type[Any], Callable[[VascoComponents, VascoState, Seat], Move]] = {
    AwaitFirstMerchant: merchant,
    AwaitPlacement: place,
    AwaitCalledAction: give_up,
    AwaitProject: first_answer,
    AwaitSailor: first_answer,
    AwaitMerchant: merchant,
    AwaitLaunches: first_answer,
    AwaitLastLaunches: last_launch,
}
