"""Applies the moves of the characters area: money, characters, merchant ships (VG-6)."""

from __future__ import annotations

from engine.api import Seat
from engine.errors import IllegalMove
from engine.journal import Journal
from engine.vasco_da_gama import expedition, flow, supply
from engine.vasco_da_gama.actions import take_action
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import (
    AdditionalDiscGiven,
    AdditionalDiscPlaced,
    CharacterHosted,
    MerchantSent,
    MoneyTaken,
)
from engine.vasco_da_gama.lookups import (
    additional_disc,
    additional_left,
    check_area,
    check_slot,
    free_slots,
)
from engine.vasco_da_gama.moves import Host, HostManuel, HostSernigi, SendMerchant, TakeMoney
from engine.vasco_da_gama.state import CHARACTERS, SPACES, AwaitCalledAction, VascoState


def take_money(components: VascoComponents, journal: Journal, seat: Seat, move: TakeMoney) -> None:
    """Give the seat one of the money amounts that still lie there (VG-6.1).

    Raise IllegalMove if that space is empty.
    """
    state: VascoState = journal.state
    if move.space not in SPACES:
        raise IllegalMove("no_such_space", rule="VG-6.1", space=move.space)
    amount = state.money[SPACES.index(move.space)]
    if not amount:
        raise IllegalMove("money_gone", rule="VG-6.1", space=move.space)
    take_action(journal, state.awaiting)  # type: ignore[arg-type]
    journal.record(MoneyTaken(seat, move.space, amount))
    flow.call_next_number(components, journal)


# ---- hosting -----------------------------------------------------------------------------------


def host(components: VascoComponents, journal: Journal, seat: Seat, move: Host) -> None:
    """Host a character and use the favour (VG-6.1).

    Raise IllegalMove if a disc hosts the character already in this round.
    """
    check_not_hosted(journal.state, move.character)
    if move.character == "manuel" and has_disc_to_place(components, journal.state, seat):
        raise IllegalMove("disc_to_place", rule="VG-6.2")
    take_tile(journal, seat, move.character)
    FAVOURS[move.character](components, journal, seat)
    flow.call_next_number(components, journal)


def check_not_hosted(state: VascoState, character: str) -> None:
    """Raise IllegalMove if a disc hosts the character in this round (VG-6.1)."""
    if character not in CHARACTERS:
        raise IllegalMove("no_such_character", rule="VG-6.1", character=character)
    if state.hosts[CHARACTERS.index(character)] is not None:
        raise IllegalMove("already_hosted", rule="VG-6.1", character=character)


def take_tile(journal: Journal, seat: Seat, character: str) -> None:
    """Move the disc to the character's space and give the tile to its host (VG-6.1)."""
    called: AwaitCalledAction = journal.state.awaiting
    take_action(journal, called)
    before = journal.state.owners[CHARACTERS.index(character)]
    journal.record(CharacterHosted(seat, called.number, character, before))


def favour_of_dias(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """Give Dias's host VP at once (VG-6.3)."""
    supply.honour_dias(journal, seat, components.characters.dias_vp)


def favour_of_alvares(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """Give Alvares's host a missionary at once, if any is left (VG-6.4)."""
    supply.take_missionaries(components, journal, seat)


def favour_of_sernigi(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """Do nothing now: the merchant ship is sent at the start of phase 3 (VG-6.5)."""


def favour_of_manuel(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """Give Manuel's host the additional disc, unless the seat has it already (VG-6.2)."""
    if not journal.state.players[seat].additional:
        journal.record(AdditionalDiscGiven(seat))


FAVOURS = {
    "dias": favour_of_dias,
    "alvares": favour_of_alvares,
    "sernigi": favour_of_sernigi,
    "manuel": favour_of_manuel,
}


def has_disc_to_place(components: VascoComponents, state: VascoState, seat: Seat) -> bool:
    """Tell whether Manuel's host can place a disc: a disc, a number and a slot are free (VG-6.2).

    The disc that hosts Manuel leaves its slot, so the characters area always has one.
    """
    return additional_disc(components, state, seat) is None and bool(
        additional_left(components, state)
    )


def host_manuel(
    components: VascoComponents, journal: Journal, seat: Seat, move: HostManuel
) -> None:
    """Host Manuel and place the additional disc at once; it is called this round (VG-6.2).

    Raise IllegalMove if there is no disc, number or slot for it.
    """
    state: VascoState = journal.state
    check_not_hosted(state, "manuel")
    if not has_disc_to_place(components, state, seat):
        raise IllegalMove("no_disc_to_place", rule="VG-6.2")
    if move.number not in components.numbers.additional:
        raise IllegalMove("no_such_number", rule="VG-6.2", number=move.number)
    if move.number not in additional_left(components, state):
        raise IllegalMove("number_taken", rule="VG-6.2", number=move.number)
    check_area(move.area)
    left = state.awaiting.area  # type: ignore[union-attr]
    if move.area != left and not free_slots(components, state)[move.area]:
        slots = components.slots[len(state.players)][move.area]
        raise IllegalMove("area_full", rule="VG-2.4", area=move.area, slots=slots)
    take_tile(journal, seat, "manuel")
    favour_of_manuel(components, journal, seat)
    journal.record(AdditionalDiscPlaced(seat, move.number, move.area))
    flow.call_next_number(components, journal)


def host_sernigi(
    components: VascoComponents, journal: Journal, seat: Seat, move: HostSernigi
) -> None:
    """Host Sernigi and send the merchant ship at once (VG-6.5).

    Raise IllegalMove if the slot does not fit.
    """
    state: VascoState = journal.state
    check_not_hosted(state, "sernigi")
    check_merchant_slot(components, state, move)
    take_tile(journal, seat, "sernigi")
    sail_merchant(components, journal, seat, move.landing, move.slot)


# ---- merchant ships ----------------------------------------------------------------------------


def send_merchant(
    components: VascoComponents, journal: Journal, seat: Seat, move: SendMerchant
) -> None:
    """Send the merchant ship before round 1 or at phase 3's start; it is forced (VG-1.7, VG-7.1).

    Raise IllegalMove if the slot does not fit.
    """
    check_merchant_slot(components, journal.state, move)
    sail_merchant(components, journal, seat, move.landing, move.slot)


def check_merchant_slot(
    components: VascoComponents, state: VascoState, move: HostSernigi | SendMerchant
) -> None:
    """Raise IllegalMove unless the slot is empty and within the ship's limit (VG-6.6).

    Any landing will do.
    """
    limit = state.merchant or 0
    check_slot(components, state, move.landing, move.slot, limit, rule="VG-6.6")


def sail_merchant(
    components: VascoComponents, journal: Journal, seat: Seat, landing: str, slot: int
) -> None:
    """Moor the merchant ship: no crew, no captain, no VP, but the landing's bonus.

    Rules: VG-6.6, VG-6.7.
    """
    label = components.labels[landing][slot]
    journal.record(MerchantSent(seat, journal.state.merchant, landing, slot, label))
    expedition.give_bonuses(components, journal, seat, landing, ships=1)
