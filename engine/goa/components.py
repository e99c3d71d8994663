"""Holds the figures of Goa as typed rows, with look-ups by id and number.

Figures are data: no other module holds one. The `source` texts stay in the TOML file.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine import codec
from engine.goa.state import COLUMNS, GRID, PARTS, PLANTATIONS, SPICES
from engine.tables import ComponentRow

SEATS = range(2, 5)

Figure = Annotated[int, Meta(ge=0, le=99)]
Positive = Annotated[int, Meta(ge=1, le=99)]
Few = Annotated[int, Meta(ge=1, le=4)]  # fields: all ways to fill them are listed
Some = Annotated[int, Meta(ge=1, le=12)]  # most spices in one order
Spice = Literal["ginger", "pepper", "cinnamon", "nutmeg", "clove"]
Symbol = Literal["tiger", "elephant", "fish", "palm", "shell"]
ByRow = tuple[Figure, Figure, Figure, Figure, Figure]
Step = Annotated[tuple[Spice, ...], Meta(min_length=1, max_length=5)]
Steps = tuple[Step, Step, Step, Step]

class GoaProfile(ComponentRow, frozen=True):
    """The game that the set is for."""

    key: Annotated[str, Meta(pattern="^goa-")]
    edition: Annotated[str, Meta(max_length=80)]


class GoaStart(ComponentRow, frozen=True):
    """The start of each seat (GO-1.1, GO-1.3)."""

    ships: Figure
    colonists: Figure
    ducats_start_player: Figure
    ducats_others: Figure


class Gain(ComponentRow, frozen=True):
    """The goods that a tile or card gives."""

    ships: Figure = 0
    colonists: Figure = 0
    ducats: Figure = 0
    additional_action_cards: Figure = 0
    expedition_cards: Figure = 0
    spices_of_choice: Annotated[int, Meta(ge=0, le=2)] = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of goods that it gives."""
        return tuple(name for name in self.__struct_fields__ if getattr(self, name))


NOTHING = Gain()


class TileRow(ComponentRow, frozen=True):
    """Tiles of one sort (GO-8); there are `n` of each."""

    part: Literal["A", "B"]
    kind: Literal[
        "plantation", "once_a_round", "duty", "immediate", "additional_harvest", "trade", "mission"
    ]
    n: Positive
    spices: tuple[Spice, ...] | Some | None = None
    fields: Few | None = None
    vp: Figure | None = None
    gain: Gain | None = None
    gain_one_of: tuple[Gain, Gain] | None = None
    places: Few | None = None


class Tile(Struct, frozen=True):
    """One tile, by its id."""

    id: str
    part: str
    kind: str
    spice: str = ""
    fields: int = 0
    vp: int = 0
    gain: Gain = NOTHING
    choices: tuple[tuple[str, Gain], ...] = ()  # by the goods that orders name
    spices: int = 0  # number to return for a duty
    places: int = 0  # number to fill at most


class Amounts(ComponentRow, frozen=True):
    """The amounts of a column in rows 1 to 5 (GO-4.1)."""

    take: ByRow


class ExpeditionColumn(ComponentRow, frozen=True):
    """The cards to draw and the hand limit in rows 1 to 5 (GO-4.6)."""

    draw: ByRow
    hand_limit: ByRow


class Costs(ComponentRow, frozen=True):
    """The spices for the steps from rows 1 to 4; each spice also costs a ship (GO-4.2)."""

    ships: Steps
    harvest: Steps
    taxes: Steps
    expedition: Steps
    colonists: Steps


class Bonuses(ComponentRow, frozen=True):
    """The bonuses for the first marker in a row and for the last of five (GO-4.8)."""

    first_in_row: dict[Literal["3", "4", "5"], Gain]  # a quick start leads to row 2
    all_markers_in_row: dict[Literal["2", "3", "4", "5"], Gain]


class MarkersVp(ComponentRow, frozen=True):
    """The VP of a success marker in rows 1 to 5 (GO-9.1)."""

    rows: ByRow


class Development(ComponentRow, frozen=True):
    """The figures of the development board."""

    ships: Amounts
    harvest: Amounts
    taxes: Amounts
    expedition: ExpeditionColumn
    colonists: Amounts
    cost: Costs
    bonus: Bonuses
    vp: MarkersVp


class ColonyRow(ComponentRow, frozen=True):
    """A colony (GO-5.1): different tiles, each with its spices, or `n` alike for any spice."""

    colonists: Figure
    fields: Annotated[int, Meta(ge=1, le=3)]
    tiles: Annotated[tuple[tuple[Spice, ...], ...], Meta(max_length=9)] | None = None
    n: Annotated[int, Meta(ge=1, le=9)] | None = None
    spices: Literal["any"] | None = None


class ColoniesVp(ComponentRow, frozen=True):
    """The VP of 1 to 4 colonies (GO-9.1)."""

    by_number: tuple[Figure, Figure, Figure, Figure]


class CardRow(ComponentRow, frozen=True):
    """One expedition card of an effect."""

    colonists: Figure
    symbol: Symbol
    price: Figure | None = None


class EffectRow(ComponentRow, frozen=True):
    """The cards of one effect (GO-7.2)."""

    key: str
    action: str
    cards: Annotated[tuple[CardRow, ...], Meta(min_length=1, max_length=9)]
    gain: Gain | None = None
    most: Annotated[int, Meta(ge=1, le=6)] | None = None
    ducats_each: Figure | None = None
    reveal: Few | None = None


class Card(Struct, frozen=True):
    """An expedition card, by its number."""

    number: int
    effect: str
    action: str
    colonists: int
    symbol: str
    price: int
    gain: Gain
    most: int
    ducats_each: int
    reveal: int


class GoaFinalCount(ComponentRow, frozen=True):
    """The figures of the final count (GO-9.1)."""

    symbols_vp: Annotated[tuple[Figure, ...], Meta(min_length=1)]
    most_ducats_vp: Figure


class Rules(ComponentRow, frozen=True):
    """The numbers that the rules name."""

    rounds_per_part: Annotated[int, Meta(ge=1, le=9)]
    tiles_laid: Annotated[int, Meta(ge=1, le=len(GRID))]
    actions: Annotated[int, Meta(ge=1, le=9)]
    reveal_when_founding: Few
    colonists_after_failure: Figure
    additional_action_cards_kept: Figure
    plantation_places: Annotated[int, Meta(ge=len(PLANTATIONS), le=len(PLANTATIONS))]
    flag_additional_action_cards: Annotated[int, Meta(ge=0, le=9)]  # each adds a turn per round
    quick_start_markers: Annotated[int, Meta(ge=1, le=len(COLUMNS) - 1)]  # all: GO-4.8
    quick_start_ducats: Figure


class GoaComponents(Struct, frozen=True, dict=True):
    """One component set. Its look-ups by id and number are computed once."""

    profile: GoaProfile
    start: GoaStart
    auction_markers: dict[str, int]  # by number of players
    tiles: tuple[TileRow, ...]
    development: Development
    colonies: dict[str, ColonyRow]
    colonies_vp: ColoniesVp
    expedition_effects: tuple[EffectRow, ...]
    final: GoaFinalCount
    rules: Rules

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 digest (hex) of the figures' canonical form."""
        return codec.digest(self).hex()

    @cached_property
    def by_id(self) -> dict[str, Tile]:
        """Return the tiles by id, in the order of the set: A01, A02, .., B01, .."""
        return {
            tile.id: tile
            for part in PARTS
            for tile in numbered(part, [row for row in self.tiles if row.part == part])
        }

    @cached_property
    def cards(self) -> dict[int, Card]:
        """Return the expedition cards by number, in the order of the set."""
        printed = [(row, card) for row in self.expedition_effects for card in row.cards]
        return {
            number: Card(
                number, row.key, row.action, card.colonists, card.symbol, card.price or 0,
                row.gain or NOTHING, row.most or 0, row.ducats_each or 0, row.reveal or 0,
            )
            for number, (row, card) in enumerate(printed, 1)
        }  # fmt: skip

    @cached_property
    def colony_tiles(self) -> tuple[tuple[str, ...], ...]:
        """Return the tiles of each colony: quilon1, quilon2, ..; cochin four times (GO-5.2)."""
        return tuple(
            tuple(f"{name}{number}" for number in range(1, len(row.tiles) + 1))
            if row.tiles is not None else (name,) * (row.n or 0)
            for name, row in self.colonies.items()
        )

    @cached_property
    def may_hold(self) -> dict[str, tuple[str, ...]]:
        """Return the spices that each colony tile's fields may hold, in the order of SPICES."""
        return {
            tile: tuple(spice for spice in SPICES if spice in printed)
            for tile, printed in self.printed_spices.items()
        }

    @cached_property
    def printed_spices(self) -> dict[str, tuple[str, ...]]:
        """Return the spices of each colony tile as the component set lists them.

        The first spice is the first one printed: nutmeg of nutmeg and pepper.
        """
        found: dict[str, tuple[str, ...]] = {}
        for name, row in self.colonies.items():
            if row.tiles is None:
                found[name] = SPICES
            else:
                for number, pair in enumerate(row.tiles, 1):
                    found[f"{name}{number}"] = tuple(pair)
        return found

    @cached_property
    def takes(self) -> dict[str, tuple[int, ...]]:
        """Return the numbers of each column by row, from index 0 (GO-4.1).

        For the expedition column it is the number of cards to draw.
        """
        board = self.development
        return {
            "ships": board.ships.take,
            "harvest": board.harvest.take,
            "taxes": board.taxes.take,
            "expedition": board.expedition.draw,
            "colonists": board.colonists.take,
        }

    @cached_property
    def costs(self) -> dict[str, Steps]:
        """Return the spices of each step, by column (GO-4.2)."""
        return {column: getattr(self.development.cost, column) for column in COLUMNS}


def numbered(part: str, rows: list[TileRow]) -> list[Tile]:
    """Return the tiles of a part; a row of plantations goes spice by spice, copies together."""
    found: list[Tile] = []
    for row in rows:
        spices = row.spices if isinstance(row.spices, tuple) else ("",)
        for spice in spices:
            found += [tile_of(row, spice, f"{part}{len(found) + copy:02}")
                      for copy in range(1, row.n + 1)]
    return found


def tile_of(row: TileRow, spice: str, name: str) -> Tile:
    """Return one tile of a row."""
    return Tile(
        name, row.part, row.kind, spice, row.fields or 0, row.vp or 0, row.gain or NOTHING,
        tuple((gain.kinds[0], gain) for gain in row.gain_one_of or ()),
        row.spices if isinstance(row.spices, int) else 0,
        row.places or 0,
    )  # fmt: skip


# ---- reading and checking ----------------------------------------------------------------------
