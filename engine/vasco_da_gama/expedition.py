"""Applies expeditions and the bonuses of landings (VG-5.1 to VG-5.4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter

from engine.api import Seat
from engine.choices import FieldSpec, MoveSpec, Refusal, named
from engine.errors import IllegalMove
from engine.journal import Journal
from engine.notation import LineReader
from engine.vasco_da_gama import flow, supply
from engine.vasco_da_gama.actions import take_action
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import (
    BonusCaptain,
    BonusLost,
    BonusProject,
    BonusReals,
    BonusSailor,
    BonusSailorDrawn,
    ShipSent,
)
from engine.vasco_da_gama.lookups import check_slot
from engine.vasco_da_gama.moves import ChooseProject, ChooseSailor, DrawSailor, Send
from engine.vasco_da_gama.state import (
    SAILORS,
    AwaitCalledAction,
    AwaitProject,
    AwaitSailor,
    VascoState,
)


def send(components: VascoComponents, journal: Journal, seat: Seat, move: Send) -> None:
    """Send launched ships with captains into slots of one landing (VG-5.1).

    VP and bonuses follow at once. Raise IllegalMove if the seat cannot pay or the fleet does not
    fit.
    """
    state: VascoState = journal.state
    called: AwaitCalledAction = state.awaiting  # type: ignore[assignment]
    check_fleet(components, state, seat, move)
    take_action(journal, called)
    landing = components.by_word[move.landing]
    for tile, slot in move.ships:
        journal.record(
            ShipSent(
                seat,
                tile,
                components.by_id[tile].navigation_limit,
                move.landing,
                slot,
                components.labels[move.landing][slot],
                landing.slots[slot],
            )
        )
    give_bonuses(components, journal, seat, move.landing, ships=len(move.ships))


def check_fleet(components: VascoComponents, state: VascoState, seat: Seat, move: Send) -> None:
    """Raise IllegalMove unless every ship is the seat's, launched, manned and in a fitting slot.

    Rules: VG-5.1, VG-5.2.
    """
    player = state.players[seat]
    if not move.ships:
        raise IllegalMove("no_ship_named", rule="VG-5.1")
    tiles = [tile for tile, _ in move.ships]
    for tile in tiles:
        if tile not in player.ships:
            raise IllegalMove("not_your_ship", rule="VG-5.1", project=tile)
        if tiles.count(tile) > 1:
            raise IllegalMove("named_twice", rule="VG-5.1", project=tile)
    if len(tiles) > player.captains:
        raise IllegalMove("too_few_captains", rule="VG-5.1", ships=len(tiles),
                          captains=player.captains)
    last = -1
    for tile, slot in move.ships:
        limit = components.by_id[tile].navigation_limit
        check_slot(components, state, seat, (move.landing, slot), limit, rule="VG-5.2")
        if slot == last:
            label = components.labels[move.landing][slot]
            raise IllegalMove("slot_taken", rule="VG-5.2", landing=move.landing, slot=label)
        if slot < last:
            raise IllegalMove("out_of_order", rule="VG-5.2")
        last = slot


# ---- bonuses -----------------------------------------------------------------------------------


def give_bonuses(
    components: VascoComponents, journal: Journal, seat: Seat, landing: str, *, ships: int
) -> None:
    """Give one bonus per ship, one after another, then continue the game (VG-5.3, VG-6.7)."""
    bonus = components.by_word[landing].bonus
    if bonus.projects:
        give_projects(components, journal, seat, landing, bonus.projects * ships)
    elif bonus.sailors:
        give_sailors(components, journal, seat, landing, bonus.sailors * ships)
    else:
        for _ in range(ships if bonus.reals else 0):
            journal.record(BonusReals(seat, landing, bonus.reals))
        for _ in range(bonus.captains * ships):
            give_captain(journal, seat, landing)
        flow.go_on(components, journal)


def give_captain(journal: Journal, seat: Seat, landing: str) -> None:
    """Give the seat one of its captains, if any is left in the recruiting area (VG-5.3)."""
    if journal.state.players[seat].captains_waiting:
        journal.record(BonusCaptain(seat))
    else:
        journal.record(BonusLost(seat, landing))


def give_projects(
    components: VascoComponents, journal: Journal, seat: Seat, landing: str, bonuses: int
) -> None:
    """Give an upper project per bonus; ask only if there is a choice (VG-5.3)."""
    for left in range(bonuses - 1, -1, -1):
        there = [project for project in journal.state.offer if project is not None]
        if len(there) > 1:
            flow.ask(journal, AwaitProject(seat, landing, left))
            return
        if there:
            journal.record(BonusProject(seat, there[0]))
        else:
            journal.record(BonusLost(seat, landing))
    flow.go_on(components, journal)


def give_sailors(
    components: VascoComponents, journal: Journal, seat: Seat, landing: str, bonuses: int
) -> None:
    """Give a sailor per bonus, from a section or the bag; ask if there is a choice (VG-5.3)."""
    for left in range(bonuses - 1, -1, -1):
        there = standing_sailors(journal.state)
        bag = any(journal.state.bag)
        if len(there) + bag > 1:
            flow.ask(journal, AwaitSailor(seat, landing, left))
            return
        if there:
            colour, section = there[0]
            journal.record(BonusSailor(seat, colour, section))
        elif bag:
            draw_for(journal, seat)
        else:
            journal.record(BonusLost(seat, landing))
    flow.go_on(components, journal)


def standing_sailors(state: VascoState) -> list[tuple[str, int]]:
    """Return the different sailors in the active sections: colour and section, section 1 first."""
    return [
        (colour, section)
        for section, there in enumerate(state.sections, 1)
        for colour, count in zip(SAILORS, there, strict=True)
        if count
    ]


def draw_for(journal: Journal, seat: Seat) -> None:
    """Draw a sailor at random from the bag (VG-5.3)."""
    (colour,) = supply.draw_sailors(journal, 1)
    journal.record(BonusSailorDrawn(seat, colour))


NOT_ON_OFFER = Refusal("not_on_offer", "VG-5.3", named("project"))
CHOOSE_PROJECT: MoveSpec[VascoComponents, VascoState, ChooseProject] = MoveSpec(
    ChooseProject,
    "bonus",
    (
        FieldSpec(
            "bonus", attrgetter("project"),
            lambda _components, state: [each for each in state.offer if each is not None],
            lambda _components, state, _seat: (
                lambda project: None if project in state.offer else NOT_ON_OFFER),
            lambda reader, components, _state: reader.id(
                list(components.order), beside=(*SAILORS, "bag")),
        ),
    ),
)  # fmt: skip


def choose_project(
    components: VascoComponents, journal: Journal, seat: Seat, move: ChooseProject
) -> None:
    """Apply the bonus of Natal: one of the upper projects, free (VG-5.3).

    Raise IllegalMove if it is not on offer.
    """
    question: AwaitProject = journal.state.awaiting
    CHOOSE_PROJECT.check(components, journal.state, seat, move)
    journal.record(BonusProject(seat, move.project))
    give_projects(components, journal, seat, question.landing, question.left)


def read_sailor(
    reader: LineReader, _: VascoComponents, __: VascoState
) -> tuple[str, int]:
    """Read COLOUR from S."""
    colour = reader.word(*SAILORS)
    reader.word("from")
    return colour, reader.number()


def judge_sailor(
    _: VascoComponents, state: VascoState, __: Seat
) -> Callable[[tuple[str, int]], Refusal | None]:
    """Judge sailors of the active sections, by colour and section (VG-5.3)."""
    there = standing_sailors(state)
    return lambda sailor: None if sailor in there else NO_SUCH_SAILOR


NO_SUCH_SAILOR = Refusal("no_such_sailor", "VG-5.3", named("colour", "section"))
CHOOSE_SAILOR = MoveSpec(
    lambda sailor: ChooseSailor(*sailor),
    "bonus",
    (
        FieldSpec(
            "bonus", attrgetter("colour", "section"),
            lambda _components, state: standing_sailors(state),
            judge_sailor,
            read_sailor, lambda _components, sailor: f"{sailor[0]} from {sailor[1]}",
        ),
    ),
)  # fmt: skip
BAG_EMPTY = Refusal("bag_empty", "VG-5.3")
DRAW_SAILOR: MoveSpec[VascoComponents, VascoState, DrawSailor] = MoveSpec(
    lru_cache(maxsize=None)(DrawSailor),
    "bonus bag",
    why_not=lambda _components, state, _seat: (
        None if any(state.bag) else BAG_EMPTY),
)  # fmt: skip


def choose_sailor(
    components: VascoComponents, journal: Journal, seat: Seat, move: ChooseSailor
) -> None:
    """Apply the bonus of Terra de Boa Gente: a sailor from an active section (VG-5.3).

    Raise IllegalMove if there is no such sailor.
    """
    question: AwaitSailor = journal.state.awaiting
    CHOOSE_SAILOR.check(components, journal.state, seat, move)
    journal.record(BonusSailor(seat, move.colour, move.section))
    give_sailors(components, journal, seat, question.landing, question.left)


def draw_sailor(
    components: VascoComponents, journal: Journal, seat: Seat, move: DrawSailor
) -> None:
    """Apply the bonus of Terra de Boa Gente: draw a sailor before the next choice (VG-5.3)."""
    question: AwaitSailor = journal.state.awaiting
    DRAW_SAILOR.check(components, journal.state, seat, move)
    draw_for(journal, seat)
    give_sailors(components, journal, seat, question.landing, question.left)
