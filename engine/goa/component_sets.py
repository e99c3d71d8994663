"""Reads component sets of Goa from TOML and checks them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from engine import tables
from engine.errors import BadComponents
from engine.goa import checks
from engine.goa.components import (
    SEATS,
    Amounts,
    Bonuses,
    ColoniesVp,
    ColonyRow,
    Costs,
    Development,
    EffectRow,
    ExpeditionColumn,
    GoaComponents,
    GoaFinalCount,
    GoaProfile,
    GoaStart,
    MarkersVp,
    Rules,
    TileRow,
)
from engine.goa.state import COLONIES

STANDARD = Path(__file__).with_name("components.toml")


def read(text: str) -> GoaComponents:
    """Parse a component set from TOML. Raise BadComponents if it cannot be played with."""
    raw = tables.read_toml(text)
    tables.only_tables(raw, (*GoaComponents.__struct_fields__, "expedition_deck"))
    components = GoaComponents(
        profile=tables.table(raw, "profile", GoaProfile),
        start=tables.table(raw, "start", GoaStart),
        auction_markers=tables.by_key(raw, "auction_markers", Annotated[int, Meta(ge=2, le=9)],
                                      keys=tuple(map(str, SEATS))),
        tiles=tables.rows(raw, "tiles", TileRow),
        development=read_development(raw),
        colonies=read_colonies(raw),
        colonies_vp=tables.table(raw, "colonies_vp", ColoniesVp),
        expedition_effects=tables.rows(raw, "expedition_effects", EffectRow, named_by="key"),
        final=tables.table(raw, "final", GoaFinalCount),
        rules=tables.table(raw, "rules", Rules),
    )
    checks.check(components)
    return components


def read_development(raw: dict[str, Any]) -> Development:
    """Read the development board, table by table; each may have its own source."""
    kinds: dict[str, Any] = {
        "expedition": ExpeditionColumn, "cost": Costs, "bonus": Bonuses, "vp": MarkersVp,
    }  # fmt: skip
    found = inner_tables(raw, "development", Development.__struct_fields__)
    rows: dict[str, Any] = {}
    for name in Development.__struct_fields__:
        rows[name] = tables.table(found, f"development.{name}", kinds.get(name, Amounts))
    return Development(**rows)


def read_colonies(raw: dict[str, Any]) -> dict[str, ColonyRow]:
    """Read the four colonies in their order."""
    found = inner_tables(raw, "colonies", COLONIES)
    return {name: tables.table(found, f"colonies.{name}", ColonyRow) for name in COLONIES}


def inner_tables(
    raw: dict[str, Any], name: str, keys: tuple[str, ...]
) -> dict[str, dict[str, Any]]:
    """Return the tables within a table, by their full names."""
    outer = raw[name]
    if not isinstance(outer, dict):
        raise BadComponents(name, "", "is not a table of keys")
    tables.only_keys(name, "", outer, keys)
    return {f"{name}.{key}": outer[key] for key in keys}
