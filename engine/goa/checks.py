"""Checks that a component set of Goa is playable."""

from __future__ import annotations

from engine import tables
from engine.errors import BadComponents
from engine.goa.components import EffectRow, GoaComponents, TileRow
from engine.goa.state import PARTS, SYMBOLS

KINDS: dict[str, tuple[str, ...]] = {
    "plantation": ("spices", "fields"),
    "once_a_round": ("gain",),
    "duty": ("spices", "vp"),
    "immediate": (),
    "additional_harvest": ("places",),
    "trade": (),
    "mission": ("vp",),
}
"""The keys that a tile of each kind must have, beside part, kind and n."""

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
"""The effects of expedition cards, with the action that an A card names (GO-7.1)."""

TAKINGS = {
    "take_2_ships": "ships",
    "take_2_colonists": "colonists",
    "take_5_ducats": "ducats",
    "take_2_spices": "spices_of_choice",
}


def check(components: GoaComponents) -> None:
    """Raise BadComponents if the rules cannot be played with this set (GO-1.2, GO-1.4)."""
    for each in CHECKS:
        each(components)


def check_markers(components: GoaComponents) -> None:
    """Check that every marker of every round finds a tile (GO-1.4, GO-2.2).

    Raise BadComponents if not.
    """
    rules = components.rules
    for seats, markers in components.auction_markers.items():
        needed = rules.rounds_per_part * (markers - 1)
        if rules.tiles_laid < needed:
            raise BadComponents("auction_markers", seats, f"{needed} tiles are needed on the grid")


def check_tiles(components: GoaComponents) -> None:
    """Check that each part has enough tiles, each with the keys of its kind (GO-1.2, GO-8).

    Raise BadComponents if not.
    """
    for place, row in enumerate(components.tiles, 1):
        check_tile(row, f"row {place}")
    for part in PARTS:
        tiles = sum(number_of(row) for row in components.tiles if row.part == part)
        if tiles < components.rules.tiles_laid:
            raise BadComponents("tiles", part, f"{components.rules.tiles_laid} are needed")
        if tiles > 99:
            raise BadComponents("tiles", part, "are more than 99")
    if sum(tile.kind == "trade" for tile in components.by_id.values()) > 1:
        raise BadComponents("tiles", "trade", "there may be only one")


def number_of(row: TileRow) -> int:
    """Return the number of tiles in a row; a plantation row has `n` of each spice."""
    return row.n * (len(row.spices) if isinstance(row.spices, tuple) else 1)


def check_tile(row: TileRow, name: str) -> None:
    """Check that a tile's row has the keys of its kind and no other (GO-8.1 to GO-8.5).

    Raise BadComponents if not.
    """
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
    """Check that a plantation's row lists distinct spices, a duty's their number (GO-8.1, GO-8.4).

    Raise BadComponents if not.
    """
    if row.kind == "plantation" and (
        not isinstance(row.spices, tuple) or not row.spices
        or len(set(row.spices)) < len(row.spices)
    ):
        raise BadComponents("tiles", name, "spices must be a list of different spices")
    if row.kind == "duty" and not isinstance(row.spices, int):
        raise BadComponents("tiles", name, "spices must be a number")


def check_gains(row: TileRow, name: str) -> None:
    """Check that orders can name the gains and that they cannot fail (GO-8.2, GO-8.3).

    Raise BadComponents if not.
    """
    kinds = () if row.gain is None else row.gain.kinds
    if row.kind == "once_a_round" and (len(kinds) != 1 or kinds[0] not in TAKINGS.values()):
        raise BadComponents("tiles", name, "needs one of ships, colonists, ducats, spices")
    if row.kind == "once_a_round" and row.gain is not None and row.gain.spices_of_choice > 1:
        raise BadComponents("tiles", name, "spices_of_choice must be 1")
    if row.kind == "immediate" and "spices_of_choice" in kinds:
        raise BadComponents("tiles", name, "spices_of_choice is for once-a-round tiles")
    if row.kind == "immediate" and row.gain is not None and not kinds:
        raise BadComponents("tiles", name, "gives nothing")
    choices = [each.kinds for each in row.gain_one_of or ()]
    if choices and sorted(choices) != [("colonists",), ("ships",)]:
        raise BadComponents("tiles", name, "gain_one_of must be ships or colonists")


def check_development(components: GoaComponents) -> None:
    """Check that actions give something and no hand limit falls (GO-4.3 to GO-4.6).

    Raise BadComponents if not.
    """
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


def check_bonuses(components: GoaComponents) -> None:
    """Check that a first marker brings expedition cards, the last of five additional ones (GO-4.8).

    Raise BadComponents if not.
    """
    bonus = components.development.bonus
    for name, wanted, gains in (
        ("first_in_row", ("expedition_cards",), bonus.first_in_row),
        ("all_markers_in_row", ("additional_action_cards",), bonus.all_markers_in_row),
    ):
        for row, gain in gains.items():
            if gain.kinds != wanted:
                raise BadComponents("development.bonus", f"{name} {row}", f"must be {wanted[0]}")


def check_colonies(components: GoaComponents) -> None:
    """Check that Quilon and Madras have different tiles, the others alike ones (GO-5.1, GO-5.2).

    Raise BadComponents if not.
    """
    for name, row in components.colonies.items():
        table = f"colonies.{name}"
        if name in ("quilon", "madras"):
            if row.n is not None or row.spices is not None or not row.tiles:
                raise BadComponents(table, "", "needs tiles, and neither n nor spices")
            if any(not pair or len(set(pair)) < len(pair) for pair in row.tiles):
                raise BadComponents(table, "tiles", "each needs different spices")
        elif row.tiles is not None or row.n is None or row.spices is None:
            raise BadComponents(table, "", "needs n and spices, and no tiles")


def check_cards(components: GoaComponents) -> None:
    """Check that every effect is there once, with its keys, and a tiger too (GO-1.3, GO-7).

    Raise BadComponents if not.
    """
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
    """Check that an effect's row has its action, its keys and no other (GO-7.1, GO-7.2).

    Raise BadComponents if not.
    """
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
    kinds = () if row.gain is None else row.gain.kinds
    if row.key in TAKINGS and kinds != (TAKINGS[row.key],):
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
