"""Sets up the table before round 1, in a fixed order of chance (VG-1.1 to VG-1.8)."""

from __future__ import annotations

from engine.api import Seat
from engine.journal import Journal
from engine.vasco_da_gama import flow, supply
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import (
    AdditionalDiscGiven,
    CharacterDealt,
    DecksShuffled,
    MerchantShipsShuffled,
    SailorsDrawn,
    TilesShuffled,
    VascoTableLaid,
)


def prepare(components: VascoComponents, journal: Journal, seats: int, first: Seat) -> None:
    """Set up the table and ask for Sernigi's first merchant ship (VG-1.7)."""
    lay_table(components, journal, seats)
    deal_characters(components, journal, seats, first)
    fill_sections(components, journal)
    shuffle_all(components, journal)
    flow.ask_for_first_merchant(components, journal)


def lay_table(components: VascoComponents, journal: Journal, seats: int) -> None:
    """Give all seats discs, captains and Reals; fill the bag, missionaries and landings.

    Rules: VG-1.1, VG-1.3, VG-1.4.
    """
    supply, start = components.supply, components.start
    journal.record(
        VascoTableLaid(
            seats=seats,
            reals=start.reals,
            captains=start.captains,
            captains_waiting=supply.captains_per_seat - start.captains,
            sailors=supply.sailors_per_colour,
            sections=components.recruiting.active_sections[str(seats)],
            missionaries=supply.missionaries,
            landings=tuple(len(landing.slots) for landing in components.landings),
            upper_spaces=components.projects_action.upper_spaces,
            discs=start.action_discs,
        )
    )


def deal_characters(components: VascoComponents, journal: Journal, seats: int, first: Seat) -> None:
    """Deal characters clockwise; the first player takes Dias and Dias's VP (VG-1.2, VG-1.3)."""
    for place, character in enumerate(components.characters_at_setup[str(seats)]):
        seat = (first + place) % seats
        journal.record(CharacterDealt(seat, character))
        if character == "dias":
            supply.honour_dias(journal, seat, components.start.dias_vp)
        elif character == "alvares":
            supply.take_missionaries(components, journal, seat)
        elif character == "manuel":
            journal.record(AdditionalDiscGiven(seat))


def fill_sections(components: VascoComponents, journal: Journal) -> None:
    """Fill each active section from the bag, from section 1 up (VG-1.4, VG-1.8)."""
    for section in range(1, len(journal.state.sections) + 1):
        drawn = supply.draw_sailors(journal, components.recruiting.section_capacity)
        journal.record(SailorsDrawn(section, drawn))


def shuffle_all(components: VascoComponents, journal: Journal) -> None:
    """Shuffle decks I, II, III, then tiles, then merchant ships (VG-1.5, VG-1.6, VG-1.8)."""
    shuffled = journal.chance.shuffled
    journal.record(
        DecksShuffled(
            tuple(
                shuffled([row.id for row in components.projects if row.deck == deck],
                         why=f"deck {deck}")
                for deck in ("I", "II", "III")
            )
        )
    )
    supply.lay_out_projects(components, journal)
    tiles = range(len(components.vasco_da_gama_tiles))
    journal.record(TilesShuffled(shuffled(tiles, why="tiles")))
    limits = components.merchant_ships.navigation_limits
    journal.record(MerchantShipsShuffled(shuffled(limits, why="merchant ships")))
