"""Reads component sets of Vasco da Gama from TOML and checks that they are playable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine import tables
from engine.errors import BadComponents
from engine.vasco_da_gama.components import (
    SEATS,
    CharacterFigures,
    GiveUpRows,
    Landing,
    MerchantShips,
    Numbers,
    Project,
    ProjectsAction,
    Recruiting,
    Slots,
    Supply,
    VascoComponents,
    VascoFinalCount,
    VascoProfile,
    VascoStart,
    VascoTile,
)
from engine.vasco_da_gama.state import CHARACTERS, LANDINGS, SAILORS

STANDARD = Path(__file__).with_name("components.toml")


def read(text: str) -> VascoComponents:
    """Parse a component set from TOML. Raise BadComponents if it cannot be played with."""
    raw = tables.read_toml(text)
    tables.only_tables(raw, VascoComponents.__struct_fields__)
    components = VascoComponents(
        profile=tables.table(raw, "profile", VascoProfile),
        start=tables.table(raw, "start", VascoStart),
        supply=tables.table(raw, "supply", Supply),
        recruiting=tables.table(raw, "recruiting", Recruiting),
        characters_at_setup=_by_seats(raw, "characters_at_setup", tuple[str, ...]),
        landings=tables.rows(raw, "landings", Landing, named_by="key"),
        projects=tables.rows(raw, "projects", Project, named_by="id"),
        merchant_ships=tables.table(raw, "merchant_ships", MerchantShips),
        vasco_da_gama_tiles=tables.rows(raw, "vasco_da_gama_tiles", VascoTile),
        give_up=tables.table(raw, "give_up", GiveUpRows),
        action_slots=_by_seats(raw, "action_slots", Slots),
        projects_action=tables.table(raw, "projects_action", ProjectsAction),
        characters=tables.table(raw, "characters", CharacterFigures),
        numbers=tables.table(raw, "numbers", Numbers),
        final=tables.table(raw, "final", VascoFinalCount),
    )
    for check in CHECKS:
        check(components)
    return components


def _by_seats(raw: dict[str, Any], name: str, kind: Any) -> dict[str, Any]:
    return tables.by_key(raw, name, kind, keys=tuple(map(str, SEATS)))


def check_profile(components: VascoComponents) -> None:
    """Raise BadComponents unless the set is for this game."""
    if components.profile.key != "vasco-da-gama":
        raise BadComponents("profile", "key", "is not vasco-da-gama")


def check_landings(components: VascoComponents) -> None:
    """Check that the landings are those of the rules, lowest first, with one kind of bonus each.

    Raise BadComponents if they are not (VG-5.3).
    """
    if tuple(landing.word for landing in components.landings) != LANDINGS:
        raise BadComponents("landings", "word", f"must be {', '.join(LANDINGS)}, in this order")
    tables.no_doubles("landings", [landing.key for landing in components.landings])
    for landing in components.landings:
        bonus = landing.bonus
        if sum(map(bool, (bonus.projects, bonus.sailors, bonus.captains, bonus.reals))) > 1:
            raise BadComponents("landings", landing.key, "has more than one kind of bonus")


def check_projects(components: VascoComponents) -> None:
    """Raise BadComponents unless ids are unique and every round has tiles (VG-1.5, VG-8.1)."""
    tables.no_doubles("projects", [project.id for project in components.projects])
    round_needs = components.projects_action.upper_spaces + 1
    needed = components.profile.rounds * round_needs
    if len(components.projects) < needed:
        raise BadComponents("projects", "", f"{needed} are needed, {round_needs} a round")


def check_rounds(components: VascoComponents) -> None:
    """Check that there is a merchant ship and a Vasco da Gama tile per round, and one more.

    Raise BadComponents if not (VG-1.6, VG-3.1).
    """
    needed = components.profile.rounds + 1
    if len(components.merchant_ships.navigation_limits) < needed:
        raise BadComponents("merchant_ships", "navigation_limits", f"{needed} are needed")
    if len(components.vasco_da_gama_tiles) < needed:
        raise BadComponents("vasco_da_gama_tiles", "", f"{needed} are needed")


def check_recruiting(components: VascoComponents) -> None:
    """Check that the bag fills all active sections and each number of colours has a price.

    Raise BadComponents if not (VG-1.4, VG-4.4).
    """
    recruiting = components.recruiting
    seats = tuple(map(str, SEATS))
    tables.only_keys("recruiting", "active_sections", recruiting.active_sections, seats)
    if len(recruiting.sailor_price_by_colours) != len(SAILORS) + 1:
        raise BadComponents("recruiting", "sailor_price_by_colours",
                            f"needs a price for 0 to {len(SAILORS)} colours")
    if recruiting.sailor_price_by_colours[0]:
        raise BadComponents("recruiting", "sailor_price_by_colours", "must be 0 for no sailor")
    needed = max(recruiting.active_sections.values()) * recruiting.section_capacity
    if components.supply.sailors_per_colour * len(SAILORS) < needed:
        raise BadComponents("supply", "sailors_per_colour", f"{needed} sailors are needed to begin")
    if components.supply.captains_per_seat < components.start.captains:
        raise BadComponents("supply", "captains_per_seat", "is less than a seat begins with")


def check_characters(components: VascoComponents) -> None:
    """Check that the first player has Dias, one seat has Sernigi, and nobody has two.

    Raise BadComponents if not (VG-1.2, VG-1.7).
    """
    for seats, dealt in components.characters_at_setup.items():
        if not dealt or dealt[0] != "dias" or "sernigi" not in dealt:
            raise BadComponents("characters_at_setup", seats, "must begin with dias, with sernigi")
        if len(dealt) > int(seats) or len(set(dealt)) < len(dealt) or set(dealt) - {*CHARACTERS}:
            raise BadComponents("characters_at_setup", seats, "must be characters, one a seat")


def check_numbers(components: VascoComponents) -> None:
    """Raise BadComponents unless numbers pay once and 21 and 22 follow 20 (VG-2.3, VG-3.4)."""
    numbers = components.numbers
    additional = numbers.additional
    if len(set(additional)) < len(additional) or min(additional) <= numbers.ordinary:
        raise BadComponents("numbers", "additional", "must differ, and be above the ordinary")
    rows = components.give_up.rows
    for number in (*range(1, numbers.ordinary + 1), *additional):
        if sum(row.first <= number <= row.last for row in rows) != 1:
            raise BadComponents("give_up", "rows", f"{number} must be in exactly one row")


def check_slots(components: VascoComponents) -> None:
    """Raise BadComponents unless every disc has a number and an action slot (VG-2.4)."""
    for seats in SEATS:
        discs = seats * components.start.action_discs
        if components.numbers.ordinary < discs:
            raise BadComponents("numbers", "ordinary", f"{discs} are needed for {seats} players")
        if sum(components.slots[seats].values()) < discs + 1:
            raise BadComponents("action_slots", str(seats), f"{discs + 1} slots are needed")


CHECKS = (
    check_profile,
    check_landings,
    check_projects,
    check_rounds,
    check_recruiting,
    check_characters,
    check_numbers,
    check_slots,
)
