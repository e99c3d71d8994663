"""Applies the moves of phase 2: buy projects, recruit, give up; and launches (VG-3, VG-4)."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from engine.api import Seat
from engine.choices import MoveSpec
from engine.errors import IllegalMove
from engine.journal import Journal
from engine.vasco_da_gama import flow
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import (
    ActionGivenUp,
    ActionTaken,
    CrewRecruited,
    GabrielBought,
    ProjectsBought,
    ShipLaunched,
)
from engine.vasco_da_gama.lookups import could_launch
from engine.vasco_da_gama.moves import Buy, BuyGabriel, EndLaunches, GiveUp, Launch, Recruit
from engine.vasco_da_gama.state import (
    CREW,
    LAST_LAUNCHES,
    SAILORS,
    AwaitCalledAction,
    AwaitLastLaunches,
    VascoPlayer,
    VascoState,
)

NO_SAILORS = (0,) * len(SAILORS)


def take_action(journal: Journal, question: AwaitCalledAction, cost: int = 0) -> None:
    """Charge the right to the action, then the action, from what the seat held (VG-3.3, VG-3.5).

    Raise IllegalMove if the seat has too few Reals.
    """
    reals = journal.state.players[question.seat].reals
    if question.price + cost > reals:
        raise IllegalMove(
            "too_few_reals",
            rule="VG-3.3",
            cost=question.price + cost,
            right=question.price,
            action=cost,
            reals=reals,
        )
    journal.record(ActionTaken(question.seat, question.number, question.area, question.price))


GIVE_UP: MoveSpec[VascoComponents, VascoState, GiveUp] = MoveSpec(
    lru_cache(maxsize=None)(GiveUp), "give up"
)


def give_up(components: VascoComponents, journal: Journal, seat: Seat, _: GiveUp) -> None:
    """Pay the Reals of the number's row to a seat that gives up; 21 and 22 pay nothing (VG-3.4)."""
    called: AwaitCalledAction = journal.state.awaiting
    journal.record(ActionGivenUp(seat, called.number, called.area, called.gain))
    flow.call_next_number(components, journal)


# ---- projects ----------------------------------------------------------------------------------


def buy(components: VascoComponents, journal: Journal, seat: Seat, move: Buy) -> None:
    """Sell one or two upper projects at the price of their number (VG-4.1).

    Raise IllegalMove if they are not on offer or the seat cannot pay.
    """
    state: VascoState = journal.state
    count, prices = len(move.projects), components.projects_action.prices
    if not 1 <= count <= len(prices):
        raise IllegalMove("too_many_projects", rule="VG-4.1", count=count, most=len(prices))
    for project in move.projects:
        if project == state.gabriel:
            raise IllegalMove("gabriel_alone", rule="VG-4.1", project=project)
        check_on_offer(state, project)
    check_order(components, move.projects)
    price = prices[count - 1]
    take_action(journal, state.awaiting, price)  # type: ignore[arg-type]
    journal.record(ProjectsBought(seat, move.projects, price))
    flow.call_next_number(components, journal)


def check_on_offer(state: VascoState, project: str) -> None:
    """Raise IllegalMove unless the project lies in one of the upper spaces (VG-4.1)."""
    if project not in state.offer:
        raise IllegalMove("not_on_offer", rule="VG-4.1", project=project)


def check_order(components: VascoComponents, projects: tuple[str, ...]) -> None:
    """Raise IllegalMove unless the projects are distinct and in the component set's order."""
    for first, second in pairwise(projects):
        if first == second:
            raise IllegalMove("named_twice", rule="VG-4.1", project=first)
        if components.order[first] > components.order[second]:
            raise IllegalMove("out_of_order", rule="VG-4.1")


def buy_gabriel(components: VascoComponents, journal: Journal, seat: Seat, _: BuyGabriel) -> None:
    """Sell the São Gabriel project for its crew in Reals and launch it (VG-4.1, VG-4.2).

    Raise IllegalMove if the project is gone or the seat cannot pay.
    """
    project = journal.state.gabriel
    if project is None:
        raise IllegalMove("gabriel_gone", rule="VG-4.1")
    price = components.by_id[project].crew
    take_action(journal, journal.state.awaiting, price)
    journal.record(GabrielBought(seat, project, price))
    flow.call_next_number(components, journal)


# ---- recruiting --------------------------------------------------------------------------------


def recruit(components: VascoComponents, journal: Journal, seat: Seat, move: Recruit) -> None:
    """Recruit sailors of one active section, a captain of the seat, or both (VG-4.4).

    Raise IllegalMove if they are not there or the seat cannot pay.
    """
    state: VascoState = journal.state
    check_sailors(state, move)
    if move.captain and not state.players[seat].captains_waiting:
        raise IllegalMove("no_captain_waiting", rule="VG-4.4")
    price = recruiting_price(components, move.sailors, captain=move.captain)
    take_action(journal, state.awaiting, price)  # type: ignore[arg-type]
    journal.record(CrewRecruited(seat, move.section, move.sailors, move.captain, price))
    flow.call_next_number(components, journal)


def check_sailors(state: VascoState, move: Recruit) -> None:
    """Raise IllegalMove unless the section holds the sailors and the move recruits someone.

    Rules: VG-3.3, VG-4.4.
    """
    if move.section is None:
        if move.sailors != NO_SAILORS or not move.captain:
            raise IllegalMove("nothing_recruited", rule="VG-3.3")
        return
    if not 1 <= move.section <= len(state.sections):
        raise IllegalMove("no_such_section", rule="VG-4.4", section=move.section,
                          sections=len(state.sections))
    if len(move.sailors) != len(SAILORS) or not any(move.sailors):
        raise IllegalMove("nothing_recruited", rule="VG-3.3")
    there = state.sections[move.section - 1]
    for colour, wanted, waiting in zip(SAILORS, move.sailors, there, strict=True):
        if not 0 <= wanted <= waiting:
            raise IllegalMove("no_such_sailors", rule="VG-4.4", section=move.section,
                              colour=colour, wanted=wanted, there=waiting)


def recruiting_price(
    components: VascoComponents, sailors: tuple[int, ...], *, captain: bool
) -> int:
    """Return the price in Reals (VG-4.4).

    Sailors are charged by the number of their different colours. A captain is charged by the number
    of sailors in the same action.
    """
    recruiting = components.recruiting
    price = recruiting.sailor_price_by_colours[sum(map(bool, sailors))]
    if captain:
        price += recruiting.captain_price_per_sailor * sum(sailors)
    return price


END_LAUNCHES: MoveSpec[VascoComponents, VascoState, EndLaunches] = MoveSpec(
    lru_cache(maxsize=None)(EndLaunches), "done"
)

# ---- launching ---------------------------------------------------------------------------------


def launch(components: VascoComponents, journal: Journal, seat: Seat, move: Launch) -> None:
    """Turn a project into a ship with a crew of different colours, at any time (VG-4.3, VG-8.2).

    Raise IllegalMove if the seat has no such project or crew, or has ended its launches.
    """
    state: VascoState = journal.state
    question = state.awaiting
    if state.phase == LAST_LAUNCHES and seat not in question.seats:  # type: ignore[union-attr]
        raise IllegalMove("launches_ended", rule="VG-8.2")
    player = state.players[seat]
    if move.project not in player.projects:
        raise IllegalMove("not_your_project", rule="VG-4.3", project=move.project)
    check_crew(components, player, move)
    journal.record(ShipLaunched(seat, move.project, move.crew))
    if isinstance(question, AwaitLastLaunches) and not could_launch(components, state, seat):
        flow.end_launches_of(components, journal, seat)
        return
    flow.ask(journal, question)  # type: ignore[arg-type]


def check_crew(components: VascoComponents, player: VascoPlayer, move: Launch) -> None:
    """Raise IllegalMove unless the seat has such a crew (VG-4.3).

    The crew is as large as the tile says, and its colours differ.
    """
    crew = components.by_id[move.project].crew
    if len(move.crew) != crew:
        raise IllegalMove("crew_size", rule="VG-4.3", project=move.project, crew=crew,
                          given=len(move.crew))
    for colour in move.crew:
        if colour not in CREW or not player.crew[CREW.index(colour)]:
            raise IllegalMove("crew_missing", rule="VG-4.3", project=move.project, colour=colour)
    places = [CREW.index(colour) for colour in move.crew]
    if len(set(places)) < len(places):
        raise IllegalMove("crew_colours", rule="VG-4.3", project=move.project)
    if places != sorted(places):
        raise IllegalMove("out_of_order", rule="VG-4.3")
