"""Defines the game record: JSON Lines with everything needed to check a game offline.

A record has one header line, one line per entry, and one line with the result. docs/record.md
describes them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from engine import codec
from engine.api import Standing

FORMAT: Final = "carreira-record-1"


# ---- the lines ---------------------------------------------------------------------------------


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line. `label` names the game in hashes and draws; hashes are lower-case hex."""

    format: Literal["carreira-record-1"]
    game: str  # the game's key
    label: str
    ruleset: str  # at the start
    components: str  # the whole component set, TOML
    digest: str  # of its canonical form
    seats: tuple[str, ...]  # names in seat order
    options: dict[str, Any]
    commitment: str  # SHA-256 of the server part
    server_part: str | None  # hex; null while the game runs
    phrases: tuple[str, ...]  # in seat order; "" where a player gave none
    hash: str = ""  # SHA-256 of this line with an empty hash


class EntryLine(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry of the log: the move (cause) and its events (facts), or what a note says."""

    number: int
    base: int
    seat: int | None
    cause: str
    ruleset: str
    order: str | None  # the move as an order
    move: msgspec.Raw
    events: msgspec.Raw
    previous: str
    state_hash: str
    hash: str
    note: dict[str, str | int] | None = None


class Placing(Struct, frozen=True, forbid_unknown_fields=True):
    """One seat's result: its place from 1 and its points by source."""

    seat: int
    place: int
    points: int
    by_source: dict[str, int]


class Result(Struct, frozen=True, forbid_unknown_fields=True):
    """The last line of a finished game, in seat order."""

    result: tuple[Placing, ...]


def header_line(header: Header) -> bytes:
    """Encode the header with its hash, as a line."""
    unhashed = msgspec.structs.replace(header, hash="")
    digest = hashlib.sha256(codec.encode(unhashed)).hexdigest()
    return codec.encode(msgspec.structs.replace(header, hash=digest)) + b"\n"


def entry_line(
    *,
    number: int,
    base: int,
    seat: int | None,
    cause: str,
    ruleset: str,
    order: str | None,
    body: bytes,
    previous: bytes,
    state_hash: bytes,
    hash: bytes,  # noqa: A002  # the line's own word for it
) -> bytes:
    """Encode one entry as a line, from what the service stores of it."""
    parts = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    note = parts.get("note")
    line = EntryLine(
        number, base, seat, cause, ruleset, order, parts["move"], parts["events"],
        previous.hex(), state_hash.hex(), hash.hex(),
        None if note is None else msgspec.json.decode(note),
    )
    return codec.encode(line) + b"\n"


def result_line(standings: Sequence[Standing]) -> bytes:
    """Encode the result as the last line."""
    return codec.encode(Result(tuple(Placing(*each) for each in standings))) + b"\n"


def schema() -> dict[str, Any]:
    """Return the JSON schema of the lines, without the games' own moves and events."""
    kinds = [Header, EntryLine, Result]
    lines, definitions = msgspec.json.schema_components(kinds)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a Carreira game record",
        "oneOf": list(lines),
        "$defs": {
            name.removeprefix("#/$defs/"): definition for name, definition in definitions.items()
        },
    }
