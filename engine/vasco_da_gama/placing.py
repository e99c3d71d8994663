"""Applies the moves of phase 1: placing action discs (VG-2.2 to VG-2.5)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from engine.api import Seat
from engine.choices import FieldSpec, MoveSpec, Refusal, named, read_number
from engine.journal import Journal
from engine.vasco_da_gama import flow
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import AdditionalDiscPlaced, DiscPlaced
from engine.vasco_da_gama.lookups import additional_disc, area_field, free_slots
from engine.vasco_da_gama.moves import PlaceDisc
from engine.vasco_da_gama.state import VascoState

NO_SUCH_NUMBER = Refusal("no_such_number", "VG-2.2", named("number"))
NUMBER_TAKEN = Refusal("number_taken", "VG-2.2", named("number"))
NO_DISC_LEFT = Refusal("no_disc_left", "VG-2.3", named("number"))
NO_ADDITIONAL_DISC = Refusal("no_additional_disc", "VG-2.3", named("number"))


def judge_number(
    components: VascoComponents, state: VascoState, seat: Seat
) -> Callable[[int], Refusal | None]:
    """Judge numbers: a free one, with a disc of its kind left to the seat (VG-2.2, VG-2.3)."""
    player, ordinary = state.players[seat], components.numbers.ordinary
    used = {disc.number for disc in state.discs}
    no_ordinary = None if player.discs else NO_DISC_LEFT
    no_additional: Refusal | None = NO_ADDITIONAL_DISC
    if player.additional and additional_disc(components, state, seat) is None:
        no_additional = None

    def why_not(number: int) -> Refusal | None:
        if 1 <= number <= ordinary:
            return no_ordinary or (NUMBER_TAKEN if number in used else None)
        if number in components.numbers.additional:
            return no_additional or (NUMBER_TAKEN if number in used else None)
        return NO_SUCH_NUMBER

    return why_not


def all_numbers(components: VascoComponents, _: VascoState) -> tuple[int, ...]:
    """Return the numbers of all discs."""
    return components.all_numbers


PLACE = MoveSpec(
    PlaceDisc,
    "place",
    (
        FieldSpec("number", attrgetter("number"), all_numbers, judge_number, read_number),
        area_field(free_slots),
    ),
)


def place(components: VascoComponents, journal: Journal, seat: Seat, move: PlaceDisc) -> None:
    """Place a disc with a free number in an area with a free slot (VG-2.2, VG-2.4).

    Placed discs stay. Raise IllegalMove if the number, the slot or the disc is not free.
    """
    PLACE.check(components, journal.state, seat, move)
    additional = move.number in components.numbers.additional
    placed = AdditionalDiscPlaced if additional else DiscPlaced
    journal.record(placed(seat, move.number, move.area))
    flow.ask_next_placement(components, journal, (seat + 1) % len(journal.state.players))
