"""The figures of Goa as typed rows, and what a playable component set must fulfil.

Figures are data: no other module holds one. What `source` says stays in the TOML.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from engine import codec, tables
from engine.errors import BadComponents
from engine.goa.state import COLONIES, COLUMNS, GRID, PARTS, PLANTATIONS, SPICES, SYMBOLS

SEATS = range(2, 5)

Figure = Annotated[int, Meta(ge=0, le=99)]
Positive = Annotated[int, Meta(ge=1, le=99)]
Few = Annotated[int, Meta(ge=1, le=4)]  # fields: what can be done with them is listed
Some = Annotated[int, Meta(ge=1, le=12)]  # spices in one order
Spice = Literal["ginger", "pepper", "cinnamon", "nutmeg", "clove"]
Symbol = Literal["tiger", "elephant", "fish", "palm", "shell"]
ByRow = tuple[Figure, Figure, Figure, Figure, Figure]
Step = Annotated[tuple[Spice, ...], Meta(min_length=1, max_length=5)]
Steps = tuple[Step, Step, Step, Step]

KINDS: dict[str, tuple[str, ...]] = {
    "plantation": ("spices", "fields"),
    "once_a_round": ("gain",),
    "duty": ("spices", "vp"),
    "immediate": (),
    "additional_harvest": ("places",),
    "trade": (),
    "mission": ("vp",),
}
"""The keys that a tile of each kind must have, beside part, kind, n."""

EFFECTS: dict[str, str] = {
    "take_2_ships": "",
    "take_2_colonists": "",
    "take_5_ducats": "",
    "take_2_spices": "",
    "sell_up_to_4_spices": "",
    "buy_progress": "",
    "harvest_any_goods": "harvest",
    "reveal_3_cards": "found",
    "progress_without_spices": "progress",
    "progress_without_ships": "progress",
}
"""The expedition cards' effects; the action that an A card names (GO-7.1)."""

TAKINGS = {
    "take_2_ships": "ships",
    "take_2_colonists": "colonists",
    "take_5_ducats": "ducats",
    "take_2_spices": "spices_of_choice",
}


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of figures; a key too many or too few is refused."""


class Profile(Row, frozen=True):
    """Which game the set is for."""

    key: Annotated[str, Meta(pattern="^goa-")]
    edition: Annotated[str, Meta(max_length=80)]


class Start(Row, frozen=True):
    """What each seat begins with (GO-1.1, GO-1.3)."""

    ships: Figure
    colonists: Figure
    ducats_start_player: Figure
    ducats_others: Figure


class Gain(Row, frozen=True):
    """What a tile or card gives."""

    ships: Figure = 0
    colonists: Figure = 0
    ducats: Figure = 0
    additional_action_cards: Figure = 0
    expedition_cards: Figure = 0
    spices_of_choice: Annotated[int, Meta(ge=0, le=2)] = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """The goods among it."""
        return tuple(name for name in self.__struct_fields__ if getattr(self, name))


NOTHING = Gain()


class TileRow(Row, frozen=True):
    """Tiles of one sort (GO-8); `n` of each."""

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
    spices: int = 0  # to be returned for a duty
    places: int = 0  # to be filled at most


class Amounts(Row, frozen=True):
    """What a column gives in rows 1 to 5 (GO-4.1)."""

    take: ByRow


class ExpeditionColumn(Row, frozen=True):
    """Cards to draw, and the hand limit, in rows 1 to 5 (GO-4.6)."""

    draw: ByRow
    hand_limit: ByRow


class Costs(Row, frozen=True):
    """Spices for the steps from rows 1 to 4; a ship for each (GO-4.2)."""

    ships: Steps
    harvest: Steps
    taxes: Steps
    expedition: Steps
    colonists: Steps


class Bonuses(Row, frozen=True):
    """What the first marker in a row, and the last of five, bring (GO-4.8)."""

    first_in_row: dict[Literal["2", "3", "4", "5"], Gain]
    all_markers_in_row: dict[Literal["2", "3", "4", "5"], Gain]


class MarkersVp(Row, frozen=True):
    """VP of a success marker in rows 1 to 5 (GO-9.1)."""

    rows: ByRow


class Development(Row, frozen=True):
    """The development board."""

    ships: Amounts
    harvest: Amounts
    taxes: Amounts
    expedition: ExpeditionColumn
    colonists: Amounts
    cost: Costs
    bonus: Bonuses
    vp: MarkersVp


class ColonyRow(Row, frozen=True):
    """A colony (GO-5.1): different tiles, each for its spices, or `n` alike for any."""

    colonists: Figure
    fields: Annotated[int, Meta(ge=1, le=3)]
    tiles: Annotated[tuple[tuple[Spice, ...], ...], Meta(max_length=9)] | None = None
    n: Annotated[int, Meta(ge=1, le=9)] | None = None
    spices: Literal["any"] | None = None


class ColoniesVp(Row, frozen=True):
    """VP of 1 to 4 colonies (GO-9.1)."""

    by_number: tuple[Figure, Figure, Figure, Figure]


class CardRow(Row, frozen=True):
    """One expedition card of an effect."""

    colonists: Figure
    symbol: Symbol
    price: Figure | None = None


class EffectRow(Row, frozen=True):
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


class Final(Row, frozen=True):
    """The final count (GO-9.1)."""

    symbols_vp: Annotated[tuple[Figure, ...], Meta(min_length=1)]
    most_ducats_vp: Figure


class Rules(Row, frozen=True):
    """Numbers that the rules name."""

    rounds_per_part: Annotated[int, Meta(ge=1, le=9)]
    tiles_laid: Annotated[int, Meta(ge=1, le=len(GRID))]
    actions: Annotated[int, Meta(ge=1, le=9)]
    reveal_when_founding: Few
    colonists_after_failure: Figure
    additional_action_cards_kept: Figure
    plantation_places: Annotated[int, Meta(ge=len(PLANTATIONS), le=len(PLANTATIONS))]
    flag_additional_action_cards: Figure
    quick_start_markers: Annotated[int, Meta(ge=1, le=len(COLUMNS))]
    quick_start_ducats: Figure


class Components(Struct, frozen=True, dict=True):
    """One component set. Look-ups by id and number are worked out once."""

    profile: Profile
    start: Start
    auction_markers: dict[str, int]  # by number of players
    tiles: tuple[TileRow, ...]
    development: Development
    colonies: dict[str, ColonyRow]
    colonies_vp: ColoniesVp
    expedition_effects: tuple[EffectRow, ...]
    final: Final
    rules: Rules

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the figures' canonical form."""
        return codec.digest(self).hex()

    @cached_property
    def by_id(self) -> dict[str, Tile]:
        """The tiles by id, in the order of the set: A01, A02, .., B01, .."""
        return {
            tile.id: tile
            for part in PARTS
            for tile in numbered(part, [row for row in self.tiles if row.part == part])
        }

    @cached_property
    def cards(self) -> dict[int, Card]:
        """The expedition cards by number, in the order of the set."""
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
        """The tiles of each colony: quilon1, quilon2, ..; cochin four times (GO-5.2)."""
        return tuple(
            tuple(f"{name}{number}" for number in range(1, len(row.tiles) + 1))
            if row.tiles is not None else (name,) * (row.n or 0)
            for name, row in self.colonies.items()
        )

    @cached_property
    def may_hold(self) -> dict[str, tuple[str, ...]]:
        """The spices that the fields of each colony tile may hold, in the order of SPICES."""
        found: dict[str, tuple[str, ...]] = {}
        for name, row in self.colonies.items():
            if row.tiles is None:
                found[name] = SPICES
            else:
                for number, pair in enumerate(row.tiles, 1):
                    found[f"{name}{number}"] = tuple(s for s in SPICES if s in pair)
        return found

    @cached_property
    def takes(self) -> dict[str, tuple[int, ...]]:
        """By column and row, from index 0: what the column says (GO-4.1); expedition: the limit."""
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
        """The steps' spices by column (GO-4.2)."""
        return {column: getattr(self.development.cost, column) for column in COLUMNS}


def numbered(part: str, rows: list[TileRow]) -> list[Tile]:
    """The tiles of a part; a row of plantations spice by spice, the copies together."""
    found: list[Tile] = []
    for row in rows:
        spices = row.spices if isinstance(row.spices, tuple) else ("",)
        for spice in spices:
            found += [tile_of(row, spice, f"{part}{len(found) + copy:02}")
                      for copy in range(1, row.n + 1)]
    return found


def tile_of(row: TileRow, spice: str, name: str) -> Tile:
    """One tile of a row."""
    return Tile(
        name, row.part, row.kind, spice, row.fields or 0, row.vp or 0, row.gain or NOTHING,
        tuple((gain.kinds[0], gain) for gain in row.gain_one_of or ()),
        row.spices if isinstance(row.spices, int) else 0,
        row.places or 0,
    )  # fmt: skip


# ---- reading and checking ----------------------------------------------------------------------

STANDARD = Path(__file__).with_name("components.toml")


def read(text: str) -> Components:
    """A component set that can be played with, or BadComponents."""
    raw = tables.read_toml(text)
    tables.only_tables(raw, (*Components.__struct_fields__, "expedition_deck"))
    components = Components(
        profile=tables.table(raw, "profile", Profile),
        start=tables.table(raw, "start", Start),
        auction_markers=tables.by_key(raw, "auction_markers", Annotated[int, Meta(ge=2, le=9)],
                                      keys=tuple(map(str, SEATS))),
        tiles=tables.rows(raw, "tiles", TileRow),
        development=read_development(raw),
        colonies=read_colonies(raw),
        colonies_vp=tables.table(raw, "colonies_vp", ColoniesVp),
        expedition_effects=tables.rows(raw, "expedition_effects", EffectRow, named_by="key"),
        final=tables.table(raw, "final", Final),
        rules=tables.table(raw, "rules", Rules),
    )
    for check in CHECKS:
        check(components)
    return components


def read_development(raw: dict[str, Any]) -> Development:
    """The development board, table by table; each may have a source of its own."""
    kinds: dict[str, Any] = {
        "expedition": ExpeditionColumn, "cost": Costs, "bonus": Bonuses, "vp": MarkersVp,
    }  # fmt: skip
    found = inner_tables(raw, "development", Development.__struct_fields__)
    rows: dict[str, Any] = {}
    for name in Development.__struct_fields__:
        rows[name] = tables.table(found, f"development.{name}", kinds.get(name, Amounts))
    return Development(**rows)


def read_colonies(raw: dict[str, Any]) -> dict[str, ColonyRow]:
    """The four colonies in their order."""
    found = inner_tables(raw, "colonies", COLONIES)
    return {name: tables.table(found, f"colonies.{name}", ColonyRow) for name in COLONIES}


def inner_tables(
    raw: dict[str, Any], name: str, keys: tuple[str, ...]
) -> dict[str, dict[str, Any]]:
    """The tables within a table, by their full names."""
    outer = raw[name]
    if not isinstance(outer, dict):
        raise BadComponents(name, "", "is not a table of keys")
    tables.only_keys(name, "", outer, keys)
    return {f"{name}.{key}": outer[key] for key in keys}


def check_markers(components: Components) -> None:
    """Every marker of every round finds a tile (GO-1.4, GO-2.2)."""
    rules = components.rules
    for seats, markers in components.auction_markers.items():
        needed = rules.rounds_per_part * (markers - 1)
        if rules.tiles_laid < needed:
            raise BadComponents("auction_markers", seats, f"{needed} tiles are needed on the grid")


def check_tiles(components: Components) -> None:
    """There are enough tiles of each part, each with the keys of its kind (GO-1.2, GO-8)."""
    for place, row in enumerate(components.tiles, 1):
        check_tile(row, f"row {place}")
    for part in PARTS:
        tiles = [tile for tile in components.by_id.values() if tile.part == part]
        if len(tiles) < components.rules.tiles_laid:
            raise BadComponents("tiles", part, f"{components.rules.tiles_laid} are needed")
        if len(tiles) > 99:
            raise BadComponents("tiles", part, "are more than 99")
    if sum(tile.kind == "trade" for tile in components.by_id.values()) > 1:
        raise BadComponents("tiles", "trade", "there may be only one")


def check_tile(row: TileRow, name: str) -> None:
    """A tile's row has the keys of its kind and no other (GO-8.1 to GO-8.5)."""
    given = {key for key in ("spices", "fields", "vp", "gain", "gain_one_of", "places")
             if getattr(row, key) is not None}
    needed = set(KINDS[row.kind])
    if row.kind == "plantation":
        given -= {"vp"}
    elif row.kind == "immediate":
        needed = {"gain_one_of"} if "gain_one_of" in given else {"gain"}
    if given != needed:
        keys = ", ".join(sorted(needed)) or "no other key"
        raise BadComponents("tiles", name, f"a tile of kind {row.kind} needs {keys}")
    check_spices(row, name)
    check_gains(row, name)


def check_spices(row: TileRow, name: str) -> None:
    """A plantation's row names its spices, each once, a duty's their number (GO-8.1, GO-8.4)."""
    if row.kind == "plantation" and (
        not isinstance(row.spices, tuple) or not row.spices
        or len(set(row.spices)) < len(row.spices)
    ):
        raise BadComponents("tiles", name, "spices must be a list of different spices")
    if row.kind == "duty" and not isinstance(row.spices, int):
        raise BadComponents("tiles", name, "spices must be a number")


def check_gains(row: TileRow, name: str) -> None:
    """Gains that orders can name and that cannot fail (GO-8.2, GO-8.3)."""
    gain = row.gain or NOTHING
    if row.kind == "once_a_round" and (
        len(gain.kinds) != 1 or gain.additional_action_cards or gain.expedition_cards
    ):
        raise BadComponents("tiles", name, "needs one of ships, colonists, ducats, spices")
    if row.kind == "once_a_round" and gain.spices_of_choice > 1:
        raise BadComponents("tiles", name, "spices_of_choice must be 1")
    if row.kind == "immediate" and gain.spices_of_choice:
        raise BadComponents("tiles", name, "spices_of_choice is for once-a-round tiles")
    if row.kind == "immediate" and row.gain is not None and not gain.kinds:
        raise BadComponents("tiles", name, "gives nothing")
    choices = [each.kinds for each in row.gain_one_of or ()]
    if choices and sorted(choices) != [("colonists",), ("ships",)]:
        raise BadComponents("tiles", name, "gain_one_of must be ships or colonists")


def check_development(components: Components) -> None:
    """Actions give something, and no hand limit falls (GO-4.3 to GO-4.6)."""
    board = components.development
    for column in ("ships", "harvest", "taxes"):
        if min(components.takes[column]) < 1:
            raise BadComponents(f"development.{column}", "take", "must be 1 or more")
    if max(board.harvest.take) > 20:
        raise BadComponents("development.harvest", "take", "must be 20 or less")
    if min(board.expedition.draw) < 1:
        raise BadComponents("development.expedition", "draw", "must be 1 or more")
    limits = board.expedition.hand_limit
    if list(limits) != sorted(limits) or not 1 <= limits[0] <= limits[-1] <= 8:
        raise BadComponents("development.expedition", "hand_limit", "must rise from 1 to 8 at most")


def check_bonuses(components: Components) -> None:
    """A first marker brings expedition cards, the last of five additional ones (GO-4.8)."""
    bonus = components.development.bonus
    for name, wanted, gains in (
        ("first_in_row", ("expedition_cards",), bonus.first_in_row),
        ("all_markers_in_row", ("additional_action_cards",), bonus.all_markers_in_row),
    ):
        for row, gain in gains.items():
            if gain.kinds != wanted:
                raise BadComponents("development.bonus", f"{name} {row}", f"must be {wanted[0]}")


def check_colonies(components: Components) -> None:
    """Quilon and Madras have different tiles, the others alike ones (GO-5.1, GO-5.2)."""
    for name, row in components.colonies.items():
        table = f"colonies.{name}"
        if name in ("quilon", "madras"):
            if row.n is not None or row.spices is not None or not row.tiles:
                raise BadComponents(table, "", "needs tiles, and neither n nor spices")
            if any(not pair or len(set(pair)) < len(pair) for pair in row.tiles):
                raise BadComponents(table, "tiles", "each needs different spices")
        elif row.tiles is not None or row.n is None or row.spices is None:
            raise BadComponents(table, "", "needs n and spices, and no tiles")


def check_cards(components: Components) -> None:
    """Every effect once, with its keys; a tiger is among the cards (GO-1.3, GO-7)."""
    rows = components.expedition_effects
    tables.no_doubles("expedition_effects", [row.key for row in rows])
    for row in rows:
        if row.key not in EFFECTS:
            raise BadComponents("expedition_effects", row.key, "is unknown")
        check_effect(row, components.rules.reveal_when_founding)
    for key in EFFECTS:
        if key not in {row.key for row in rows}:
            raise BadComponents("expedition_effects", key, "is missing")
    symbols = [card.symbol for card in components.cards.values()]
    if SYMBOLS[0] not in symbols:
        raise BadComponents("expedition_effects", "", f"no card shows the {SYMBOLS[0]}")
    if len(components.final.symbols_vp) < max(map(symbols.count, SYMBOLS)):
        raise BadComponents("final", "symbols_vp", "must be there for every number of cards alike")


def check_effect(row: EffectRow, revealed: int) -> None:
    """An effect's row has its action, its keys and no other (GO-7.1, GO-7.2)."""
    given = {key for key in ("gain", "most", "ducats_each", "reveal")
             if getattr(row, key) is not None}
    needed = {
        "sell_up_to_4_spices": {"most", "ducats_each"},
        "reveal_3_cards": {"reveal"},
    }.get(row.key, {"gain"} if row.key in TAKINGS else set())
    if row.action != EFFECTS[row.key]:
        raise BadComponents("expedition_effects", row.key, f"action must be {EFFECTS[row.key]!r}")
    if given != needed:
        keys = ", ".join(sorted(needed)) or "no figures but its cards'"
        raise BadComponents("expedition_effects", row.key, f"needs {keys}")
    if row.key in TAKINGS and (row.gain or NOTHING).kinds != (TAKINGS[row.key],):
        raise BadComponents("expedition_effects", row.key, f"gain must be {TAKINGS[row.key]}")
    if row.reveal is not None and row.reveal <= revealed:
        raise BadComponents("expedition_effects", row.key, f"reveal must be above {revealed}")
    if any((card.price is not None) != (row.key == "buy_progress") for card in row.cards):
        raise BadComponents("expedition_effects", row.key, "a price is for buy_progress alone")


CHECKS = (
    check_markers,
    check_tiles,
    check_development,
    check_bonuses,
    check_colonies,
    check_cards,
)
