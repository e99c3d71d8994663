"""Reads the figures of Vasco da Gama as typed rows and checks that a set is playable.

Figures are data: no other module holds one. The `source` texts stay in the TOML file.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from engine import codec, tables
from engine.errors import BadComponents
from engine.tables import ComponentRow
from engine.vasco_da_gama.state import CHARACTERS, CREW, LANDINGS, SAILORS

SEATS = range(2, 5)

Figure = Annotated[int, Meta(ge=0, le=99)]
Positive = Annotated[int, Meta(ge=1, le=99)]
Variation = Annotated[int, Meta(ge=-20, le=20)]
Crew = Annotated[int, Meta(ge=1, le=len(CREW))]
Section = Annotated[int, Meta(ge=1, le=4)]  # orders call sections 1 to 4
Capacity = Annotated[int, Meta(ge=1, le=12)]  # of a section; keeps the list of recruits short
TileId = Annotated[str, Meta(pattern=r"\A[A-Z]{1,4}-[0-9]{1,3}\Z")]
Deck = Annotated[str, Meta(pattern=r"\AI{1,3}\Z")]
Name = Annotated[str, Meta(pattern=r"\A\w[\w ,.'’()/-]{0,39}\Z")]  # a short line: a landing


class VascoProfile(ComponentRow, frozen=True):
    """The game that the set is for, and its number of rounds."""

    key: str
    rounds: Positive


class VascoStart(ComponentRow, frozen=True):
    """The start of each seat (VG-1.1, VG-1.2)."""

    reals: Figure
    captains: Figure
    action_discs: Positive
    dias_vp: Figure


class Supply(ComponentRow, frozen=True):
    """The total number of each kind of piece."""

    captains_per_seat: Figure
    sailors_per_colour: Figure
    missionaries: Figure


class Recruiting(ComponentRow, frozen=True):
    """The recruiting area (VG-1.4, VG-4.4)."""

    active_sections: dict[str, Section]  # by number of players
    section_capacity: Capacity
    refill_per_section: Figure
    sailor_price_by_colours: tuple[Figure, ...]  # index: number of different colours
    captain_price_per_sailor: Figure


class Bonus(ComponentRow, frozen=True):
    """The bonus of a ship at a landing (VG-5.3). Each landing has one kind."""

    projects: Figure = 0
    sailors: Figure = 0
    captains: Figure = 0
    reals: Figure = 0


class Landing(ComponentRow, frozen=True):
    """A landing. Its slots are listed by value from the left."""

    key: Name
    word: str
    name: Name
    slots: Annotated[tuple[Figure, ...], Meta(min_length=1, max_length=12)]
    complete_vp: Figure
    bonus: Bonus


class Project(ComponentRow, frozen=True):
    """A project tile; `reals` and `vp` are what its ship earns in each phase 3 (VG-7.2)."""

    id: TileId
    deck: Deck
    navigation_limit: Figure
    crew: Crew
    reals: Figure
    vp: Figure


class TileView(Struct, frozen=True):
    """A project tile: what it needs as a project, what it earns as a ship (VG-4.3, VG-7.2)."""

    id: str
    deck: str
    limit: int
    crew: int
    reals: int
    vp: int


class MerchantShips(ComponentRow, frozen=True):
    """The merchant ships, listed by navigation limit (VG-1.6)."""

    navigation_limits: tuple[Figure, ...]


class VascoTile(ComponentRow, frozen=True):
    """A Vasco da Gama tile; Reals of the upper and the lower space (VG-2.1, VG-3.1)."""

    initial: Figure
    variation: Variation
    reals: tuple[Figure, Figure]


class GiveUpRow(ComponentRow, frozen=True):
    """The Reals that giving up pays for the numbers of one row (VG-3.4)."""

    first: Figure = field(name="from")
    last: Figure = field(name="to")
    reals: Figure


class GiveUpRows(ComponentRow, frozen=True):
    """The rows of the numbers zone (VG-3.4)."""

    rows: tuple[GiveUpRow, ...]


class Slots(ComponentRow, frozen=True):
    """The action slots by area (VG-2.4)."""

    navigation: Figure
    recruiting: Figure
    projects: Figure
    characters: Figure


class ProjectsAction(ComponentRow, frozen=True):
    """The prices of one and two upper projects, and the number of upper spaces (VG-4.1)."""

    prices: tuple[Figure, Figure]
    upper_spaces: Positive


class CharacterFigures(ComponentRow, frozen=True):
    """The favours of characters, when hosted and at each round's end (VG-6.3, VG-6.4)."""

    dias_vp: Figure
    alvares_missionaries: Figure


class Numbers(ComponentRow, frozen=True):
    """The sequence numbers: 1 to `ordinary`, and those of the additional disc (VG-2.2, VG-2.3)."""

    ordinary: Positive
    additional: Annotated[tuple[Figure, ...], Meta(min_length=1, max_length=4)]


class VascoFinalCount(ComponentRow, frozen=True):
    """The figures of the final count (VG-8.3)."""

    reals_per_vp: Positive
    vp_per_ship_with_captain: Figure


class VascoComponents(Struct, frozen=True, dict=True):
    """One component set. Its look-ups by word and number are computed once."""

    profile: VascoProfile
    start: VascoStart
    supply: Supply
    recruiting: Recruiting
    characters_at_setup: dict[str, tuple[str, ...]]
    landings: tuple[Landing, ...]
    projects: tuple[Project, ...]
    merchant_ships: MerchantShips
    vasco_da_gama_tiles: tuple[VascoTile, ...]
    give_up: GiveUpRows
    action_slots: dict[str, Slots]
    projects_action: ProjectsAction
    characters: CharacterFigures
    numbers: Numbers
    final: VascoFinalCount

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 digest (hex) of the figures' canonical form."""
        return codec.digest(self).hex()

    @cached_property
    def by_id(self) -> dict[str, Project]:
        """Return the project tiles by id, in the order of the set."""
        return {project.id: project for project in self.projects}

    @cached_property
    def faces(self) -> dict[str, TileView]:
        """Return the faces of the project tiles, by id."""
        return {
            row.id: TileView(row.id, row.deck, row.navigation_limit, row.crew, row.reals, row.vp)
            for row in self.projects
        }

    @cached_property
    def order(self) -> dict[str, int]:
        """Return the position of each project tile in the set."""
        return {project.id: place for place, project in enumerate(self.projects)}

    @cached_property
    def by_word(self) -> dict[str, Landing]:
        """Return the landings by their word in orders."""
        return {landing.word: landing for landing in self.landings}

    @cached_property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """Return each landing's slots as orders write them: `6`, or `9a`, `9b`."""
        return {landing.word: _labels(landing.slots) for landing in self.landings}

    @cached_property
    def all_numbers(self) -> tuple[int, ...]:
        """Return the sequence numbers of all discs (VG-2.2, VG-2.3)."""
        return (*range(1, self.numbers.ordinary + 1), *self.numbers.additional)

    @cached_property
    def all_slots(self) -> dict[tuple[str, int], tuple[int, int, int]]:
        """Return (place of the landing, slot, value) by landing word and slot, from Natal up."""
        return {
            (landing.word, slot): (place, slot, value)
            for place, landing in enumerate(self.landings)
            for slot, value in enumerate(landing.slots)
        }

    @cached_property
    def gains(self) -> dict[int, int]:
        """Return the Reals that giving up pays, by sequence number (VG-3.4)."""
        return {
            number: row.reals
            for row in self.give_up.rows
            for number in range(row.first, row.last + 1)
        }

    @cached_property
    def recruiting_prices(self) -> tuple[tuple[int, ...], int]:
        """Return the sailors' prices by different colours, the captain's per sailor (VG-4.4)."""
        recruiting = self.recruiting
        return recruiting.sailor_price_by_colours, recruiting.captain_price_per_sailor

    @cached_property
    def slots(self) -> dict[int, dict[str, int]]:
        """Return the action slots by number of players and area (VG-2.4)."""
        return {
            int(seats): {area: getattr(row, area) for area in row.__struct_fields__}
            for seats, row in self.action_slots.items()
        }


def _labels(slots: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(
        str(value) if slots.count(value) == 1
        else f"{value}{'abcdefghijkl'[slots[:place].count(value)]}"
        for place, value in enumerate(slots)
    )


# ---- reading and checking ----------------------------------------------------------------------

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
