"""Exports a stored game as a game record."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import Session, select

from engine import codec
from pbem.models import ComponentSet, Entry, Game, GameState
from pbem.models.archive import ImportedGame
from pbem.play import positions, results
from pbem.play.hash_chain import FIRST_PREVIOUS
from pbem.record.file_format import Header, entry_line, header_line, result_line


def record_lines(session: Session, row: Game) -> Iterator[bytes]:
    """Yield the record's lines.

    The server part and the result are included only once the game has ended.
    """
    rules = positions.rules_of(session, row)
    seats = session.exec(positions.seats_of(row)).all()
    running = row.state == GameState.RUNNING
    components = session.get_one(ComponentSet, row.components)
    imported = session.get(ImportedGame, row.id)
    first = session.get(Entry, (row.id, 1))
    yield header_line(
        Header(
            format="carreira-record-1",
            game=row.game,
            label=row.commitment,
            ruleset=rules.ruleset if first is None else first.ruleset,
            components=(imported and imported.toml) or components.toml,
            digest=components.digest,
            seats=tuple(seat.name for seat in seats),
            options=codec.decode(row.options.encode(), dict),
            commitment=row.commitment,
            server_part=None if running else row.server_part.hex(),
            phrases=tuple(seat.phrase or "" for seat in seats),
        )
    )
    previous = FIRST_PREVIOUS
    entries = select(Entry).where(Entry.game_id == row.id).order_by(Entry.number)  # type: ignore[arg-type]
    for entry in session.exec(entries):
        move = positions.read_body(rules, entry.body).move
        yield entry_line(
            number=entry.number,
            base=entry.base,
            seat=entry.seat,
            cause=entry.cause,
            ruleset=entry.ruleset,
            order=None if move is None else rules.to_text(move),
            body=entry.body.encode(),
            previous=previous,
            state_hash=entry.state_hash,
            hash=entry.hash,
        )
        previous = entry.hash
    if row.state == GameState.FINISHED:
        yield result_line(results.standings(session, positions.table(session, row)))
