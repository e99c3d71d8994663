"""Applies the moves of phase 1: placing action discs (VG-2.2 to VG-2.5)."""

from __future__ import annotations

from engine.api import Seat
from engine.errors import IllegalMove
from engine.journal import Journal
from engine.vasco_da_gama import flow
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import AdditionalDiscPlaced, DiscPlaced
from engine.vasco_da_gama.lookups import additional_disc, check_free_slot
from engine.vasco_da_gama.moves import PlaceDisc
from engine.vasco_da_gama.state import VascoState


def place(components: VascoComponents, journal: Journal, seat: Seat, move: PlaceDisc) -> None:
    """Place a disc with a free number in an area with a free slot (VG-2.2, VG-2.4).

    Placed discs stay. Raise IllegalMove if the number, the slot or the disc is not free.
    """
    if move.number in components.numbers.additional:
        check_additional(components, journal.state, seat, move.number)
        check_number_free(journal.state, move.number)
        check_free_slot(components, journal.state, move.area)
        journal.record(AdditionalDiscPlaced(seat, move.number, move.area))
    else:
        check_ordinary(components, journal.state, seat, move.number)
        check_number_free(journal.state, move.number)
        check_free_slot(components, journal.state, move.area)
        journal.record(DiscPlaced(seat, move.number, move.area))
    flow.ask_next_placement(components, journal, (seat + 1) % len(journal.state.players))


def check_ordinary(components: VascoComponents, state: VascoState, seat: Seat, number: int) -> None:
    """Raise IllegalMove unless the number is from 1 to 20 and an ordinary disc is left (VG-2.2)."""
    if not 1 <= number <= components.numbers.ordinary:
        raise IllegalMove("no_such_number", rule="VG-2.2", number=number)
    if not state.players[seat].discs:
        raise IllegalMove("no_disc_left", rule="VG-2.3", number=number)


def check_additional(
    components: VascoComponents, state: VascoState, seat: Seat, number: int
) -> None:
    """Raise IllegalMove unless the seat may place 21 or 22: the additional disc, once a round.

    Rules: VG-2.3.
    """
    placed = additional_disc(components, state, seat)
    if not state.players[seat].additional or placed is not None:
        raise IllegalMove("no_additional_disc", rule="VG-2.3", number=number)


def check_number_free(state: VascoState, number: int) -> None:
    """Raise IllegalMove if the number is in use in this round (VG-2.2)."""
    if any(disc.number == number for disc in state.discs):
        raise IllegalMove("number_taken", rule="VG-2.2", number=number)
