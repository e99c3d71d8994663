"""Reads component sets from TOML into typed rows.

Unknown and missing keys raise BadComponents with table and row.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from engine.errors import BadComponents

LARGEST_SET = 64 * 1024  # bytes of TOML
MOST_DOTS = 100  # in a line: the cost of a key grows with the square of its dots

R = TypeVar("R")


class ComponentRow(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of figures. Unknown and missing keys are refused."""


def read_toml(text: str) -> dict[str, Any]:
    """Parse the tables of a component set. Raise BadComponents."""
    written = text.removeprefix("\ufeff").encode(errors="surrogatepass")
    if len(written) > LARGEST_SET:
        raise BadComponents("set", "", f"is longer than {LARGEST_SET // 1024} KiB")
    for number, line in enumerate(written.split(b"\n"), start=1):
        if line.count(b".") > MOST_DOTS:
            raise BadComponents("set", f"line {number}", f"has more than {MOST_DOTS} dots")
    try:
        return tomllib.loads(written.decode())
    # ValueError: bad TOML, half a character, or a number of thousands of digits.
    except (ValueError, RecursionError) as fault:
        raise BadComponents("set", "", f"is no TOML: {fault}") from fault


def only_tables(raw: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Refuse unknown and missing tables. Raise BadComponents."""
    for name in raw:
        if name not in names:
            raise BadComponents(name, "", "is unknown")
    for name in names:
        if name not in raw:
            raise BadComponents(name, "", "is missing")


def table(raw: Mapping[str, Any], name: str, kind: type[R]) -> R:
    """Read a table with a single row as `kind`. Raise BadComponents."""
    return _row(name, "", raw[name], kind)


def rows(raw: Mapping[str, Any], name: str, kind: type[R], *, named_by: str = "") -> tuple[R, ...]:
    """Read the rows of a table as `kind`. Raise BadComponents.

    Errors name a row by its field `named_by`, else by its number.
    """
    found = raw[name]
    if not isinstance(found, list):
        raise BadComponents(name, "", "is not a list of rows")
    return tuple(_row(name, _name(row, place, named_by), row, kind)
                 for place, row in enumerate(found, 1))


def by_key(
    raw: Mapping[str, Any], name: str, kind: Any, *, keys: tuple[str, ...]
) -> dict[str, Any]:
    """Read a table with one value of `kind` for each of `keys`. Raise BadComponents."""
    found = raw[name]
    if not isinstance(found, dict):
        raise BadComponents(name, "", "is not a table of keys")
    figures = {key: value for key, value in found.items() if key != "source"}
    only_keys(name, "", figures, keys)
    return {key: _converted(name, key, figures[key], kind) for key in keys}


def only_keys(name: str, row: str, found: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    """Refuse unknown and missing keys. Raise BadComponents."""
    for key in found:
        if key not in keys:
            raise BadComponents(name, row or key, f"the key {key} is unknown")
    for key in keys:
        if key not in found:
            raise BadComponents(name, row or key, f"the key {key} is missing")


def no_doubles(name: str, keys: list[str]) -> None:
    """Refuse two rows with the same key, ignoring case. Raise BadComponents."""
    seen: set[str] = set()
    for key in keys:
        if key.lower() in seen:
            raise BadComponents(name, key, "is there twice")
        seen.add(key.lower())


def _name(row: Any, place: int, named_by: str) -> str:
    own = row.get(named_by) if isinstance(row, dict) else None
    return own[:40] if isinstance(own, str) else f"row {place}"


def _row(name: str, row: str, raw: Any, kind: type[R]) -> R:
    if not isinstance(raw, dict):
        raise BadComponents(name, row, "is not a table of keys")
    # `source` says where the figures come from, for readers of the file.
    figures = {key: value for key, value in raw.items() if key != "source"}
    return _converted(name, row, figures, kind)  # type: ignore[no-any-return]


def _converted(name: str, row: str, raw: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as fault:
        raise BadComponents(name, row, str(fault)) from fault
