"""Applies the moves of the characters area: money, characters, merchant ships (VG-6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

from engine.api import Seat
from engine.choices import FieldSpec, MoveSpec, Refusal, named, read_number
from engine.journal import Journal
from engine.notation import LineReader
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
    Slot,
    additional_left,
    area_field,
    free_slots,
    judge_slot,
)
from engine.vasco_da_gama.moves import Host, HostManuel, HostSernigi, SendMerchant, TakeMoney
from engine.vasco_da_gama.slot_orders import read_target, write_target
from engine.vasco_da_gama.state import CHARACTERS, SPACES, AwaitCalledAction, VascoState

# ---- money -------------------------------------------------------------------------------------


MONEY_GONE = Refusal("money_gone", "VG-6.1", named("space"))
NO_SUCH_SPACE = Refusal("no_such_space", "VG-6.1", named("space"))


def judge_space(
    _: VascoComponents, state: VascoState, __: Seat
) -> Callable[[str], Refusal | None]:
    """Judge money spaces: one that is not empty (VG-6.1)."""
    left = dict(zip(SPACES, state.money, strict=True))
    return lambda space: (
        NO_SUCH_SPACE if space not in left else None if left[space] else MONEY_GONE
    )


def read_space(reader: LineReader, _: VascoComponents, state: VascoState) -> str:
    """Read a money space, or the amount on it."""
    if not reader.has_number():
        return reader.word(*SPACES)
    start = reader.place
    amount = reader.number()
    spaces = [space for space, reals in zip(SPACES, state.money, strict=True) if reals == amount]
    if len(spaces) != 1:
        key = "ambiguous_amount" if spaces else "no_such_amount"
        raise reader.unsettled(key, since=start)
    return spaces[0]


TAKE_MONEY = MoveSpec(
    TakeMoney,
    "take",
    (
        FieldSpec("favour", attrgetter("space"), lambda _components, _state: SPACES,
                  judge_space, read_space),
    ),
)  # fmt: skip


def take_money(components: VascoComponents, journal: Journal, seat: Seat, move: TakeMoney) -> None:
    """Give the seat one of the money amounts that still lie there (VG-6.1).

    Raise IllegalMove if that space is empty.
    """
    TAKE_MONEY.check(components, journal.state, seat, move)
    amount = journal.state.money[SPACES.index(move.space)]
    take_action(journal, journal.state.awaiting)
    journal.record(MoneyTaken(seat, move.space, amount))
    flow.call_next_number(components, journal)


# ---- hosting -----------------------------------------------------------------------------------


ALREADY_HOSTED = Refusal("already_hosted", "VG-6.1", named("character"))
NO_SUCH_CHARACTER = Refusal("no_such_character", "VG-6.1", named("character"))
DISC_TO_PLACE = Refusal("disc_to_place", "VG-6.2")
NO_DISC_TO_PLACE = Refusal("no_disc_to_place", "VG-6.2")


def judge_character(
    components: VascoComponents, state: VascoState, seat: Seat
) -> Callable[[str], Refusal | None]:
    """Judge characters: one that no disc hosts in this round (VG-6.1).

    Manuel's host names the additional disc's place, if it can be placed (VG-6.2).
    """
    hosts = dict(zip(CHARACTERS, state.hosts, strict=True))

    def why_not(character: str) -> Refusal | None:
        if character not in hosts:
            return NO_SUCH_CHARACTER
        if hosts[character] is not None:
            return ALREADY_HOSTED
        if character == "manuel" and has_disc_to_place(components, state, seat):
            return DISC_TO_PLACE
        return None

    return why_not


def is_hosted(state: VascoState, character: str) -> bool:
    """Tell whether a disc hosts the character in this round (VG-6.1)."""
    return state.hosts[CHARACTERS.index(character)] is not None


HOST = MoveSpec(
    Host,
    "host",
    (
        FieldSpec(
            "favour", attrgetter("character"), lambda _components, _state: CHARACTERS,
            judge_character, lambda reader, _components, _state: reader.word(*CHARACTERS),
        ),
    ),
)  # fmt: skip


def host(components: VascoComponents, journal: Journal, seat: Seat, move: Host) -> None:
    """Host a character and use the favour (VG-6.1).

    Raise IllegalMove if a disc hosts the character already in this round.
    """
    HOST.check(components, journal.state, seat, move)
    take_tile(journal, seat, move.character)
    FAVOURS[move.character](components, journal, seat)
    flow.call_next_number(components, journal)


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
    numbers = components.numbers.additional
    placed = [disc.seat for disc in state.discs if disc.number in numbers]
    return len(placed) < len(numbers) and seat not in placed


def why_no_manuel(
    components: VascoComponents, state: VascoState, seat: Seat
) -> Refusal | None:
    """Return why Manuel cannot be hosted with a disc to place, or None (VG-6.1, VG-6.2)."""
    if is_hosted(state, "manuel"):
        return hosted("manuel")
    return None if has_disc_to_place(components, state, seat) else NO_DISC_TO_PLACE


def why_no_sernigi(
    _: VascoComponents, state: VascoState, __: Seat
) -> Refusal | None:
    """Return why Sernigi cannot be hosted, or None (VG-6.1)."""
    return hosted("sernigi") if is_hosted(state, "sernigi") else None


@cache
def hosted(character: str) -> Refusal:
    """Return the refusal of a character that a disc hosts (VG-6.1)."""
    return Refusal("already_hosted", "VG-6.1", lambda *_: {"character": character})


NUMBER_TAKEN = Refusal("number_taken", "VG-6.2", named("number"))
NO_SUCH_NUMBER = Refusal("no_such_number", "VG-6.2", named("number"))


def judge_additional(
    components: VascoComponents, state: VascoState, _: Seat
) -> Callable[[int], Refusal | None]:
    """Judge numbers of the additional disc: one that is free in this round (VG-6.2)."""
    left = additional_left(components, state)
    return lambda number: (
        NO_SUCH_NUMBER if number not in components.numbers.additional
        else None if number in left else NUMBER_TAKEN
    )


def slots_behind_manuel(components: VascoComponents, state: VascoState) -> dict[str, int]:
    """Return the free action slots, with the one that the disc at Manuel leaves (VG-6.2)."""
    called: AwaitCalledAction = state.awaiting  # type: ignore[assignment]
    slots = free_slots(components, state)
    slots[called.area] += 1
    return slots


HOST_MANUEL = MoveSpec(
    HostManuel,
    "host manuel",
    (
        FieldSpec("number", attrgetter("number"),
                  lambda components, _state: components.numbers.additional,
                  judge_additional, read_number, form_field="extra-number"),
        area_field(slots_behind_manuel, form_field="extra-area"),
    ),
    why_no_manuel,
)  # fmt: skip


def host_manuel(
    components: VascoComponents, journal: Journal, seat: Seat, move: HostManuel
) -> None:
    """Host Manuel and place the additional disc at once; it is called this round (VG-6.2).

    Raise IllegalMove if there is no disc, number or slot for it.
    """
    HOST_MANUEL.check(components, journal.state, seat, move)
    take_tile(journal, seat, "manuel")
    favour_of_manuel(components, journal, seat)
    journal.record(AdditionalDiscPlaced(seat, move.number, move.area))
    flow.call_next_number(components, journal)


# ---- merchant ships ----------------------------------------------------------------------------


def judge_merchant_slot(
    components: VascoComponents, state: VascoState, _: Seat
) -> Callable[[Slot], Refusal | None]:
    """Judge slots for the merchant ship, in any landing (VG-6.6)."""
    return judge_slot(components, state, state.merchant or 0, rule="VG-6.6")


TARGET: FieldSpec[VascoComponents, VascoState, Slot] = FieldSpec(
    "merchant", attrgetter("landing", "slot"), lambda components, _state: components.all_slots,
    judge_merchant_slot, read_target, write_target,
)  # fmt: skip

SEND_MERCHANT = MoveSpec(lambda slot: SendMerchant(*slot), "merchant", (TARGET,))
HOST_SERNIGI = MoveSpec(
    lambda slot: HostSernigi(*slot),
    "host sernigi",
    (TARGET._replace(lead="merchant"),),
    why_no_sernigi,
)


HOSTED_WITH: Mapping[str, MoveSpec[VascoComponents, VascoState, Any]] = {
    "sernigi": HOST_SERNIGI,
    "manuel": HOST_MANUEL,
}
"""The moves that host a character and use the favour at once."""


def host_sernigi(
    components: VascoComponents, journal: Journal, seat: Seat, move: HostSernigi
) -> None:
    """Host Sernigi and send the merchant ship at once (VG-6.5).

    Raise IllegalMove if the slot does not fit.
    """
    HOST_SERNIGI.check(components, journal.state, seat, move)
    take_tile(journal, seat, "sernigi")
    sail_merchant(components, journal, seat, move.landing, move.slot)


def send_merchant(
    components: VascoComponents, journal: Journal, seat: Seat, move: SendMerchant
) -> None:
    """Send the merchant ship before round 1 or at phase 3's start; it is forced (VG-1.7, VG-7.1).

    Raise IllegalMove if the slot does not fit.
    """
    SEND_MERCHANT.check(components, journal.state, seat, move)
    sail_merchant(components, journal, seat, move.landing, move.slot)


def sail_merchant(
    components: VascoComponents, journal: Journal, seat: Seat, landing: str, slot: int
) -> None:
    """Moor the merchant ship: no crew, no captain, no VP, but the landing's bonus.

    Rules: VG-6.6, VG-6.7.
    """
    label = components.labels[landing][slot]
    journal.record(MerchantSent(seat, journal.state.merchant, landing, slot, label))
    expedition.give_bonuses(components, journal, seat, landing, ships=1)
