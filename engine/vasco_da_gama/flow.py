"""Continues the game without players' choices, up to the next question (VG-2 to VG-8)."""

from __future__ import annotations

from engine.api import Seat
from engine.journal import Journal
from engine.vasco_da_gama import navigation, scoring, supply
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import (
    AdditionalDiscReturned,
    DiscsKeptBack,
    LastLaunchesBegun,
    MarkerSet,
    MerchantLost,
    MerchantReadied,
    MerchantTurnedUp,
    MoneyReturned,
    NavigationBegun,
    ProjectsDiscarded,
    SectionRefilled,
    VariationTurned,
    VascoNowAwaiting,
    VascoRoundBegun,
)
from engine.vasco_da_gama.lookups import (
    could_launch,
    discs_to_place,
    fitting_slots,
    has_free_slot,
)
from engine.vasco_da_gama.state import (
    ACTIONS,
    CHARACTERS,
    SETUP,
    AwaitCalledAction,
    AwaitFirstMerchant,
    AwaitLastLaunches,
    AwaitLaunches,
    AwaitMerchant,
    AwaitPlacement,
    Question,
    VascoState,
)

REFILL_AT_ONCE = "vasco-da-gama 1"  # a launch after the round's last move counts in the next round
RULESETS = (REFILL_AT_ONCE, "vasco-da-gama 2")

DIAS, ALVARES, SERNIGI, MANUEL = range(len(CHARACTERS))


def ask(journal: Journal, question: Question) -> None:
    """Ask the next question; it is always the last event of a turn."""
    journal.record(VascoNowAwaiting(question))


def go_on(components: VascoComponents, journal: Journal) -> None:
    """Continue after a ship's bonuses are given; the next step depends on the phase."""
    phase = journal.state.phase
    if phase == ACTIONS:
        call_next_number(components, journal)
    elif phase == SETUP:
        begin_round(components, journal, first=journal.state.first_player)
    else:
        end_phase(components, journal)


# ---- before round 1, and phase 1 ---------------------------------------------------------------


def ask_for_first_merchant(components: VascoComponents, journal: Journal) -> None:
    """Ask Sernigi's owner to send the first merchant ship; it cannot wait (VG-1.7, VG-6.8)."""
    state: VascoState = journal.state
    limit = state.merchant or 0
    if fitting_slots(components, state, limit):
        ask(journal, AwaitFirstMerchant(owner_of(state, SERNIGI), limit))
    else:
        journal.record(MerchantLost(limit))
        begin_round(components, journal, first=state.first_player)


def owner_of(state: VascoState, character: int) -> Seat:
    """Return the owner of a character. Raise AssertionError if nobody owns it."""
    owner = state.owners[character]
    if owner is None:
        raise AssertionError(f"nobody owns {CHARACTERS[character]}")
    return owner


def begin_round(components: VascoComponents, journal: Journal, first: Seat) -> None:
    """Return the discs, set marker and money, and start the placing (VG-2.1, VG-8.1)."""
    state: VascoState = journal.state
    if state.next_merchant is not None:
        journal.record(MerchantReadied(state.next_merchant))
    journal.record(VascoRoundBegun(state.round + 1, first, components.start.action_discs))
    return_additional_discs(journal)
    upcoming = state.upcoming or 0
    tile = components.vasco_da_gama_tiles[upcoming]
    journal.record(MarkerSet(upcoming, tile.initial, tile.reals))
    ask_next_placement(components, journal, first)


def return_additional_discs(journal: Journal) -> None:
    """Take the additional disc from each seat that no longer owns Manuel (VG-8.1)."""
    for seat, player in enumerate(journal.state.players):
        if player.additional and journal.state.owners[MANUEL] != seat:
            journal.record(AdditionalDiscReturned(seat))


def ask_next_placement(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """Ask the next seat clockwise that has a disc left, from `seat` on (VG-2.2, VG-2.5).

    Phase 2 begins if there is none.
    """
    state: VascoState = journal.state
    seats = len(state.players)
    for step in range(seats):
        asked = (seat + step) % seats
        if discs_to_place(components, state, asked):
            break
    else:
        begin_actions(components, journal)
        return
    if has_free_slot(components, state):
        ask(journal, AwaitPlacement(asked))
    else:
        journal.record(DiscsKeptBack())
        begin_actions(components, journal)


# ---- phase 2 -----------------------------------------------------------------------------------


def begin_actions(components: VascoComponents, journal: Journal) -> None:
    """Move the marker by the next tile's variation to the first free action number (VG-3.1)."""
    state: VascoState = journal.state
    tile = state.tiles[0]
    variation = components.vasco_da_gama_tiles[tile].variation
    journal.record(VariationTurned(tile, variation, state.marker + variation))
    call_next_number(components, journal)


def call_next_number(components: VascoComponents, journal: Journal) -> None:
    """Call the lowest number left; after the last one phase 3 begins (VG-3.2)."""
    state: VascoState = journal.state
    for disc in state.discs:
        if disc.status == "placed":
            price = max(0, state.marker - disc.number)
            gain = components.gains[disc.number]
            ask(journal, AwaitCalledAction(disc.seat, disc.number, disc.area, price, gain))
            return
    begin_navigation(components, journal)


# ---- phase 3 -----------------------------------------------------------------------------------


def begin_navigation(components: VascoComponents, journal: Journal) -> None:
    """Ask for a merchant ship that is not yet sent; if no slot fits, it leaves the game.

    Rules: VG-7.1, VG-6.8.
    """
    state: VascoState = journal.state
    journal.record(NavigationBegun())
    limit = state.merchant
    if limit is not None:
        if fitting_slots(components, state, limit):
            ask(journal, AwaitMerchant(owner_of(state, SERNIGI), limit))
            return
        journal.record(MerchantLost(limit))
    end_phase(components, journal)


def end_phase(components: VascoComponents, journal: Journal) -> None:
    """Let the seat that moved last launch before the refill, without a wait (VG-4.3, VG-8.1)."""
    state: VascoState = journal.state
    (seat,) = state.awaiting.seats  # type: ignore[union-attr]
    is_refilled = state.round < components.profile.rounds
    if journal.ruleset != REFILL_AT_ONCE and is_refilled and could_launch(components, state, seat):
        ask(journal, AwaitLaunches(seat))
    else:
        navigate(components, journal)


def navigate(components: VascoComponents, journal: Journal) -> None:
    """Pay for ships and complete landings, then move their ships on (VG-7.2 to VG-7.5)."""
    navigation.pay_ships(components, journal)
    navigation.pay_landings(components, journal)
    navigation.sail_on(components, journal)
    if journal.state.round < components.profile.rounds:
        end_round(components, journal)
    else:
        begin_last_launches(components, journal)


# ---- the end of a round and of the game --------------------------------------------------------


def end_round(components: VascoComponents, journal: Journal) -> None:
    """Play the steps between two rounds, in the order of the rule (VG-8.1)."""
    state: VascoState = journal.state
    lay_out_new_projects(components, journal)
    journal.record(MerchantTurnedUp(state.merchants[0]))
    left = sum(amount for amount in state.money if amount)
    if left:
        journal.record(MoneyReturned(left))
    refill_sections(components, journal)
    honour_owners(components, journal)
    first = state.owners[DIAS]
    begin_round(components, journal, first=state.first_player if first is None else first)


def lay_out_new_projects(components: VascoComponents, journal: Journal) -> None:
    """Discard unsold projects and lay out new ones (VG-8.1, VG-1.5)."""
    state: VascoState = journal.state
    unsold = tuple(tile for tile in (state.gabriel, *state.offer) if tile is not None)
    if unsold:
        journal.record(ProjectsDiscarded(unsold))
    supply.lay_out_projects(components, journal)


def refill_sections(components: VascoComponents, journal: Journal) -> None:
    """Put three sailors into each section, from section 1 up (VG-8.1, VG-1.8).

    Room and the bag may allow fewer.
    """
    recruiting = components.recruiting
    for section, there in enumerate(journal.state.sections, 1):
        room = recruiting.section_capacity - sum(there)
        drawn = supply.draw_sailors(journal, min(recruiting.refill_per_section, room))
        if drawn:
            journal.record(SectionRefilled(section, drawn))


def honour_owners(components: VascoComponents, journal: Journal) -> None:
    """Give Alvares's owner a missionary, then Dias's owner VP (VG-6.3, VG-6.4, VG-8.1)."""
    owners = journal.state.owners
    if owners[ALVARES] is not None:
        supply.take_missionaries(components, journal, owners[ALVARES])
    if owners[DIAS] is not None:
        supply.honour_dias(journal, owners[DIAS], components.characters.dias_vp)


def begin_last_launches(components: VascoComponents, journal: Journal) -> None:
    """Ask all seats that could launch at once after the last round (VG-8.2)."""
    honour_owners(components, journal)
    state: VascoState = journal.state
    asked = tuple(
        seat for seat in range(len(state.players)) if could_launch(components, state, seat)
    )
    if asked:
        journal.record(LastLaunchesBegun())
        ask(journal, AwaitLastLaunches(asked))
    else:
        scoring.count_up(components, journal)


def end_launches_of(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """End a seat's launches; count everything after the last seat (VG-8.2)."""
    question: AwaitLastLaunches = journal.state.awaiting
    asked = tuple(other for other in question.asked if other != seat)
    if asked:
        ask(journal, AwaitLastLaunches(asked))
    else:
        scoring.count_up(components, journal)
