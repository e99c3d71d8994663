"""Defines the figures of Vasco da Gama as typed rows.

Figures are data: no other module holds one. The `source` texts stay in the TOML file.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

from msgspec import Meta, Struct, field

from engine import codec
from engine.tables import ComponentRow
from engine.vasco_da_gama.state import CREW

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
