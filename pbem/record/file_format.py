"""The game record: JSON Lines that hold all that is needed to check a game offline.

One header line, one line an entry, one line with the result; docs/record.md describes them. The
hashes that chain a game's entries are defined here, for the service and for `verify` alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from engine import codec
from engine.api import Standing
from pbem.play.chance import chance_for, length_prefixed

__all__ = [
    "AUTOMATIC",
    "BACK",
    "CAUSES",
    "CHOSEN",
    "FIRST_PREVIOUS",
    "FORMAT",
    "LEFT",
    "MOVED_ON",
    "NOTES",
    "PASSING",
    "SENT",
    "EntryLine",
    "Header",
    "Placing",
    "Result",
    "body_of",
    "chance_for",
    "entry_hash",
    "entry_line",
    "header_line",
    "result_line",
    "schema",
    "state_hash",
]

FORMAT: Final = "carreira-record-1"
AUTOMATIC = frozenset({"forced", "bot", "default"})
"""Causes of moves that no person's will is behind: they go back with the orders before them."""
CHOSEN = frozenset({"order", "standing"})
"""Causes of moves that a player wanted: sent as orders, or ordered ahead."""
SENT = frozenset({"order", "resign", "handover", "seated"})
"""Causes of entries that a player made himself just then: he knows what was before them."""
BACK = frozenset({"undo", "agreed"})
"""Causes of entries that put an earlier question anew: one's own orders, or by consent of all."""
LEFT = frozenset({"resign", "dropped", "handover"})
"""Causes of entries by which a seat loses its player; `seated` gives it a new one."""
MOVED_ON = "ruleset"
"""The cause of the entry by which a game moves on to newer rules, as all have agreed; its note says
`from` which `to` which, and it is the first one under these."""
NOTES = BACK | LEFT | {"seated", "overtime", "outage", "pause", "resume", MOVED_ON}
"""Causes of entries that move nothing. `overtime`: a clock has run out; `outage`: all clocks got
the length of a failure back (`seconds` in its note); `pause`, `resume`: the clocks stand."""
PASSING = frozenset({"outage", "pause", "resume"})
"""Notes about the clocks alone: a taking back may reach over them."""
CAUSES = AUTOMATIC | CHOSEN | NOTES | {"start"}
FIRST_PREVIOUS = bytes(32)
"""What stands for the previous hash in a game's first entry."""


def body_of(
    move: Any, events: Sequence[Any], note: Mapping[str, str | int] | None = None
) -> bytes:
    """The canonical JSON of an entry's move (None at the start), events, and a note's figures."""
    return put_together(codec.encode(move), codec.encode(tuple(events)), note)


def put_together(
    move: bytes, events: bytes, note: Mapping[str, str | int] | None = None
) -> bytes:
    """A body of parts that are canonical JSON already."""
    said = b"" if note is None else b',"note":%b' % codec.encode(dict(sorted(note.items())))
    return b'{"move":%b,"events":%b%b}' % (move, events, said)


def state_hash(state: Any) -> bytes:
    """SHA-256 over the canonical JSON of the position behind an entry."""
    return codec.digest(state)


def entry_hash(
    *,
    game: str,
    number: int,
    base: int,
    seat: int | None,
    cause: str,
    ruleset: str,
    body: bytes,
    previous: bytes,
    state_hash: bytes,
) -> bytes:
    """SHA-256 over all that an entry says, each part behind its length; `game` is its label."""
    return hashlib.sha256(b"".join((
        prefixed(game), prefixed(number), prefixed(base), by_whom(seat, cause, ruleset),
        len(body).to_bytes(8, "big"), body, SHORT[len(previous)], previous,
        SHORT[len(state_hash)], state_hash,
    ))).digest()  # fmt: skip


# The length of a hash in eight bytes; every move and every night take many hashes.
SHORT = tuple(length.to_bytes(8, "big") for length in range(256))


@lru_cache(maxsize=4096)
def prefixed(said: str | int) -> bytes:
    """One of the few texts and numbers that entries share, behind its length."""
    return length_prefixed(str(said).encode())


@lru_cache(maxsize=256)
def by_whom(seat: int | None, cause: str, ruleset: str) -> bytes:
    """What many entries have in common, each part behind its length."""
    return prefixed("" if seat is None else seat) + prefixed(cause) + prefixed(ruleset)


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
    """The header with its hash, as a line."""
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
    """One entry as a line, from what the service stores of it."""
    parts = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    note = parts.get("note")
    line = EntryLine(
        number, base, seat, cause, ruleset, order, parts["move"], parts["events"],
        previous.hex(), state_hash.hex(), hash.hex(),
        None if note is None else msgspec.json.decode(note),
    )
    return codec.encode(line) + b"\n"


def result_line(standings: Sequence[Standing]) -> bytes:
    """The result as the last line."""
    return codec.encode(Result(tuple(Placing(*each) for each in standings))) + b"\n"


def schema() -> dict[str, Any]:
    """The JSON schema of the lines, without the games' own moves and events."""
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
