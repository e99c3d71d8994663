"""Imports game records of other installations. Replays them first and never overwrites a game.

A record is read twice, line by line: once to replay it, once to store it. The stored game is then
exported in the same transaction and must equal the record, byte for byte.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import GenericAlias
from typing import Any, BinaryIO, NamedTuple

import msgspec
from sqlmodel import Session, select

from engine import codec, journal, registry
from engine.api import Transition
from engine.tables import LARGEST_SET
from pbem import names
from pbem.models import Entry, Game, GameState, Person, SeatRow, stored_id
from pbem.models.archive import ImportedGame
from pbem.models.causes import BACK, LEFT, NOTES
from pbem.play import component_sets, positions, results
from pbem.play.log import Writer
from pbem.record import export
from pbem.record.file_format import EntryLine, Header
from pbem.record.replay import NONSENSE
from pbem.record.verify import LONGEST_LINE, verify
from pbem.service import Service

MOST_ENTRIES = 5_000  # the longest games have some 600
LONGEST_OPTIONS = 2000  # characters of JSON
LONGEST_RULESET = 24
LONGEST_SOURCE = 60
FLUSHED_EVERY = 64  # entries
NOBODY = "imported"  # why no letters go to people who are only names


class NotImported(Exception):
    """Raised if a record is not imported.

    Holds the line (from 1; 0 for the whole file) and the reason.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.line = line
        self.reason = reason


@dataclass
class Checked:
    """A replayed record. `digest` is that of the whole file."""

    header: Header
    entries: int
    last_hash: str
    digest: bytes


class Dates(NamedTuple):
    """When a game was played, by its dump's index. Records have no times."""

    started: datetime
    ended: datetime


class Taken(NamedTuple):
    """The result of an import: the game here, and whether it was here before."""

    game_id: int
    was_here: bool
    entries: int


def take_in(
    service: Service, path: Path, *, source: str, dates: Dates | None = None,
    other_rules: bool = False,
) -> Taken:  # fmt: skip
    """Import one record, or find it if it is here already. Raises NotImported."""
    with path.open("rb") as file:
        checked = check(file, other_rules=other_rules)
        with service.writing() as session:
            here = already_here(session, checked)
            if here is not None:
                return Taken(here, was_here=True, entries=checked.entries)
            file.seek(0)
            try:
                game_id = keep(session, file, checked, source=source, dates=dates,
                               now=service.clock.now())
            except NONSENSE as nonsense:  # from events that were imported without the rules
                raise NotImported(0, f"it makes no sense at its table: {nonsense!r}") from None
            session.commit()
    return Taken(game_id, was_here=False, entries=checked.entries)


# ---- reading ------------------------------------------------------------------------------------


class Reading:
    """A record's lines as they are read: counted, bounded and hashed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.count = 0
        self.first = b""
        self.last_entry = b""
        self._last = b""
        self._digest = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        while line := self._file.readline(LONGEST_LINE + 1):
            self.count += 1
            if len(line) > LONGEST_LINE:
                raise NotImported(self.count, f"it is longer than {LONGEST_LINE} bytes")
            if self.count > MOST_ENTRIES + 2:
                raise NotImported(self.count, f"no game has more than {MOST_ENTRIES} entries")
            self._digest.update(line)
            self.first = self.first or line
            self.last_entry, self._last = self._last, line
            yield line

    @property
    def digest(self) -> bytes:
        """Return the SHA-256 of what was read."""
        return self._digest.digest()


def check(file: BinaryIO, *, other_rules: bool = False) -> Checked:
    """Replay a record. Raises NotImported if anything does not fit or cannot be stored here.

    `other_rules` accepts the events of entries that were made under another release's rules.
    """
    reading = Reading(file)
    verdict = verify(refusing(reading, other_rules=other_rules))
    if not verdict.ok:
        raise NotImported(line_of(verdict.at, verdict.entries), verdict.reason)
    if not verdict.finished:
        raise NotImported(reading.count, "the game is not finished")
    if not verdict.redrawn:
        raise NotImported(1, "its server part is missing, so its chance cannot be checked")
    last = msgspec.json.decode(reading.last_entry, type=EntryLine)
    header = msgspec.json.decode(reading.first, type=Header)
    return Checked(header, verdict.entries, last.hash, reading.digest)


def line_of(at: str, entries: int) -> int:
    """Return the line number of a place that `verify` names."""
    what, _, number = at.partition(" ")
    return {"header": 1, "result": entries + 2}.get(what) or int(number) + 1


def refusing(lines: Iterable[bytes], *, other_rules: bool) -> Iterator[bytes]:
    """Yield the lines. Raises NotImported if they exceed what a game of this service can have."""
    known: tuple[str, ...] = ()
    for number, line in enumerate(lines, start=1):
        if number == 1:
            known = check_header(line)
        elif line.startswith(b'{"number"'):
            check_ruleset(number, made_by(line), known, other_rules=other_rules)
        yield line


def check_ruleset(
    number: int, made_under: str, known: tuple[str, ...], *, other_rules: bool
) -> None:
    """Raise NotImported if an entry cannot be replayed here.

    `other_rules` accepts the events of such an entry instead.
    """
    if made_under in ("", *known):
        return
    if len(made_under) > LONGEST_RULESET or not made_under.isprintable():
        raise NotImported(number, "its ruleset has no name that one could have")
    if not other_rules:
        raise NotImported(
            number, f"it was made under other rules ({made_under!r}) than this release's and can "
            "only be taken as it is told: --other-rules")


def made_by(line: bytes) -> str:
    """Return the ruleset of an entry's line, or "" if it cannot be read, which `verify` reports."""
    try:
        return msgspec.json.decode(line, type=EntryLine).ruleset
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def check_header(line: bytes) -> tuple[str, ...]:
    """Return the rulesets of the header's game in this release.

    Raises NotImported if the header is not possible here.
    """
    try:
        header = msgspec.json.decode(line, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as unread:
        raise NotImported(1, f"it is no header of a record: {unread}") from None
    if header.game not in registry.GAMES:
        raise NotImported(1, f"there is no game {header.game[:40]!r}")
    if header.label != header.commitment:
        raise NotImported(1, "its label is not its commitment")
    for name in header.seats:
        check_text(name, names.clean_name, "name")
    for phrase in filter(None, header.phrases):
        check_text(phrase, phrase_as_kept, "phrase")
    if len(set(header.seats)) != len(header.seats):
        raise NotImported(1, "two of its seats have one name")
    if len(codec.encode(header.options)) > LONGEST_OPTIONS:
        raise NotImported(1, "its options are too long")
    if len(header.components.encode()) > LARGEST_SET:
        raise NotImported(1, "its component set is too long")
    return registry.game(header.game).rulesets


def phrase_as_kept(phrase: str) -> str:
    """Return a phrase in the form that a player's phrase has."""
    return names.clean_line(phrase, limit=names.PHRASE_LENGTH)


def check_text(text: str, cleaned: Any, what: str) -> None:
    """Raise NotImported for a text that nobody could enter here."""
    try:
        fits = cleaned(text) == text
    except names.BadText:
        fits = False
    if not fits:
        raise NotImported(1, f"nobody here could have the {what} {text[:60]!r}")


# ---- writing ------------------------------------------------------------------------------------


def already_here(session: Session, checked: Checked) -> int | None:
    """Find the game by its final hash. Raises NotImported if its history differs."""
    for row in session.exec(select(Game).where(Game.commitment == checked.header.commitment)):
        last = session.get(Entry, (row.id, row.last_entry))
        if last is not None and last.hash.hex() == checked.last_hash:
            return stored_id(row)
        raise NotImported(0, f"game {row.id} here has the same commitment and another history")
    return None


def keep(
    session: Session, file: BinaryIO, checked: Checked, *, source: str, dates: Dates | None,
    now: datetime,
) -> int:  # fmt: skip
    """Store a checked record as a game here. Returns its id. The caller commits."""
    row, seats = game_of(session, checked.header, source, dates or Dates(now, now), now)
    writer = Writer(session, row, seats, row.ended or now)
    lines = iter(Reading(file))
    next(lines)
    for line in lines:
        if writer.number == checked.entries:
            break  # the result follows
        add(writer, line)
        if writer.number % FLUSHED_EVERY == 0:
            writer.flush()
    writer.flush()
    for seat, standing in zip(seats, results.standings(session, positions.table(session, row)),
                              strict=True):
        seat.place, seat.points = standing.place, standing.points
    session.add_all([row, *seats])
    session.flush()
    exported = hashlib.sha256()
    for line in export.record_lines(session, row):
        exported.update(line)
    if exported.digest() != checked.digest:
        raise NotImported(0, "it could not be given out again byte for byte")
    return stored_id(row)


def add(writer: Writer, line: bytes) -> None:
    """Append one entry from its line. The rules have accepted it before."""
    entry = msgspec.json.decode(line, type=EntryLine)
    if entry.ruleset != writer.ruleset:
        writer.ruleset = writer.row.ruleset = entry.ruleset
        writer.rules = positions.rules_of(writer.session, writer.row)
    if entry.cause in BACK:
        writer.go_back(seat_of(entry), entry.base, cause=entry.cause, said=entry.note)
    elif entry.cause in NOTES:
        writer.note(entry.seat, cause=entry.cause, said=entry.note)
        if entry.cause in LEFT:
            writer.seats[seat_of(entry)].resigned = writer.now
            writer.seats[seat_of(entry)].left = entry.cause
        elif entry.cause == "seated":
            writer.seats[seat_of(entry)].resigned = writer.seats[seat_of(entry)].left = None
    else:
        rules = writer.rules
        move = codec.decode(bytes(entry.move), rules.move_type | None)
        events = codec.decode(bytes(entry.events), GenericAlias(tuple, (rules.event_type, ...)))
        before = writer.state
        if before is None:
            options = codec.decode(writer.row.options.encode(), dict)
            before = rules.empty_table(len(writer.seats), options)
        turn = Transition(journal.fold(before, events), events)
        writer.append(entry.seat, move, turn, cause=entry.cause)


def seat_of(entry: EntryLine) -> int:
    """Return the seat of an entry that has one."""
    assert entry.seat is not None  # noqa: S101  # for the type checker; the re-run asks
    return entry.seat


def game_of(
    session: Session, header: Header, source: str, dates: Dates, now: datetime
) -> tuple[Game, list[SeatRow]]:
    """Create the game's row and its seats, before any entry."""
    _, components = component_sets.stored_set(session, header.game, header.components)
    people = [name_only(session, name, source, now) for name in header.seats]
    row = Game(
        game=header.game, state=GameState.FINISHED, host_id=stored_id(people[0]),
        seats=len(people), chosen_order=True, options=codec.encode(header.options).decode(),
        components=header.digest, server_part=bytes.fromhex(header.server_part or ""),
        commitment=header.commitment, ruleset=header.ruleset, join_nonce=secrets.token_hex(16),
        created=dates.started, started=dates.started, ended=dates.ended,
    )  # fmt: skip
    session.add(row)
    session.flush()
    seats = [
        SeatRow(game_id=stored_id(row), person_id=stored_id(person), number=number, name=name,
                phrase=phrase or None, joined=dates.started)
        for number, (person, name, phrase) in enumerate(
            zip(people, header.seats, header.phrases, strict=True))
    ]  # fmt: skip
    own_text = None if components.toml == header.components else header.components
    session.add_all(
        [*seats, ImportedGame(game_id=stored_id(row), source=source, at=now, toml=own_text)])
    session.flush()
    return row, seats


def name_only(session: Session, name: str, source: str, now: datetime) -> Person:
    """Return a person known only by name at one source. Nobody can sign in as such a person.

    The address is not valid for letters or sign-ins.
    """
    digest = hashlib.sha256(f"{source}\n{name}".encode()).hexdigest()[:40]
    address = f"{digest}@imported.invalid"
    known = session.exec(select(Person).where(Person.address == address)).first()
    if known is not None:
        return known
    made = Person(name=name, address=address, created=now, suppressed=NOBODY)
    session.add(made)
    session.flush()
    return made
