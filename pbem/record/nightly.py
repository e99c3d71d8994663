"""Re-running the finished games as they are stored, each once a day: nothing rots unseen."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Executable, bindparam, column, select, table, update
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from engine import codec, registry
from engine.errors import BadComponents
from pbem import __version__
from pbem.models import ComponentSet, Game, GameState, SeatRow, stored_id
from pbem.models.archive import Verification
from pbem.models.causes import BACK
from pbem.play.chance import commitment_of, secret_of
from pbem.play.results import placed
from pbem.record.replay import Misfit, Otherwise, Rerun
from pbem.service import Service

log = logging.getLogger("carreira.nightly")

EVERY = timedelta(days=1)
AT_ONCE = 200  # games that one turn looks up
LONGEST_FAULT = 300

# Tables without types: plain rows are quick to make, and a night has many games.
_entries = table("entry", *map(column, (
    "game_id", "number", "base", "seat", "cause", "ruleset", "body", "state_hash", "hash")))
_snapshots = table("snapshot", *map(column, ("game_id", "number", "state")))
_STORED = (
    select(
        _entries.c.number, _entries.c.base, _entries.c.seat, _entries.c.cause, _entries.c.ruleset,
        _entries.c.body, _entries.c.state_hash, _entries.c.hash, _snapshots.c.state,
    )
    .join_from(
        _entries, _snapshots,
        (_snapshots.c.game_id == _entries.c.game_id)
        & (_snapshots.c.number == _entries.c.number),
        isouter=True,
    )
    .where(_entries.c.game_id == bindparam("game"))
    .order_by(_entries.c.number)
)  # fmt: skip
_SEATS = (
    select_rows(SeatRow.number, SeatRow.phrase, SeatRow.place, SeatRow.points)
    .where(SeatRow.game_id == bindparam("game"), col(SeatRow.number).is_not(None))
    .order_by(col(SeatRow.number))
)
_COMPONENTS = select(ComponentSet.toml).where(  # type: ignore[call-overload]
    ComponentSet.digest == bindparam("digest"))


class Fault(NamedTuple):
    """The entry at which a stored game breaks, None for what stands around them; and why."""

    entry: int | None
    reason: str


# ---- one game -----------------------------------------------------------------------------------


def fault_of(session: Session, row: Game) -> Fault | None:
    """Re-run a game as it is stored; None if every byte that counts fits."""
    try:
        followed(session.connection(), row)
    except Misfit as misfit:
        what, _, number = misfit.at.partition(" ")
        return Fault(int(number) if what == "entry" else None, misfit.reason)
    except Exception as problem:  # one game must not keep the others from being checked
        log.exception("Game %s cannot be re-run.", row.id)
        return Fault(None, f"it cannot be re-run: {type(problem).__name__}")
    return None


def followed(
    connection: Connection, row: Any, *, otherwise: list[Otherwise] | None = None
) -> Rerun:
    """A stored game, running or over, followed to its end; Misfit where it does not fit.

    `row`: the game's row or its columns that count; `otherwise`: as for Rerun.
    """
    seats = plain_rows(connection, _SEATS, game=row.id)
    entries = plain_rows(connection, _STORED, game=row.id)
    rerun = rerun_of(connection, row, [phrase or "" for _, phrase, _, _ in seats],
                     {base for _, base, _, cause, *_ in entries if cause in BACK}, otherwise)
    follow_all(entries, rerun)
    check_end(row, rerun)
    told = [(number, place, points) for number, _, place, points in seats]
    if row.state == GameState.FINISHED and standings_of(rerun) != told:
        rerun.note_otherwise(Otherwise(
            "result", "places and points are not what the last entry leads to"))
    return rerun


def plain_rows(
    connection: Connection, statement: Executable, **values: Any
) -> Sequence[tuple[Any, ...]]:
    """What is stored, as the database's driver gives it: no column has a type to heed."""
    found = connection.execute(statement, values)
    assert found.cursor is not None  # noqa: S101  # for the type checker; a SELECT has one
    with closing(found.cursor) as cursor:
        return cursor.fetchall()


def standings_of(rerun: Rerun) -> list[tuple[int, int, int]]:
    """Seats, places and points by the rules."""
    standings = placed(rerun.game.returns(rerun.state), rerun.vacated)
    return [(each.seat, each.place, each.points) for each in standings]


def rerun_of(
    connection: Connection, row: Any, phrases: Sequence[str], bases: Collection[int],
    otherwise: list[Otherwise] | None,
) -> Rerun:  # fmt: skip
    """The empty table that the game's first entry starts from."""
    if commitment_of(row.server_part) != row.commitment:
        raise Misfit("header", "the server part is not what was committed to")
    ((components,),) = plain_rows(connection, _COMPONENTS, digest=row.components)
    try:
        rules = registry.game(row.game, components)
    except (BadComponents, KeyError) as bad:
        raise Misfit("header", f"its component set cannot be played with: {bad}") from None
    if rules.digest != row.components:
        raise Misfit("header", "the digest is not that of its component set")
    options = codec.decode(row.options.encode(), dict)
    return Rerun(rules, label=row.commitment, seats=len(phrases), options=options,
                 secret=secret_of(row.server_part, phrases), bases=bases, otherwise=otherwise)


def follow_all(entries: Sequence[Any], rerun: Rerun) -> None:
    """Follow every stored entry, and check the snapshot behind it."""
    for number, base, seat, cause, ruleset, body, state_hash, digest, snapshot in entries:
        rerun.follow((number, base, seat, cause, ruleset, body.encode(), state_hash, digest))
        if snapshot is not None and snapshot.encode() != rerun.json:  # they are a cache
            raise Misfit(f"entry {number}", "the snapshot of its position is another one")


def check_end(row: Any, rerun: Rerun) -> None:
    """The last entry is the newest, and ends a game that is finished."""
    is_finished = row.state == GameState.FINISHED
    if rerun.number != row.last_entry or (is_finished and not rerun.is_over):
        raise Misfit(rerun.next, "it is missing")
    if rerun.is_over and not is_finished:
        raise Misfit("result", "it is missing")


# ---- all games ----------------------------------------------------------------------------------


def due(session: Session, now: datetime, limit: int = AT_ONCE) -> list[int]:
    """Finished games that were not verified within a day, those that never were first."""
    found = session.exec(
        select_rows(Game.id)
        .where(Game.state == GameState.FINISHED, col(Game.verify_at) <= now)
        .order_by(col(Game.verify_at), col(Game.id))
        .limit(limit)
    )
    return [game_id for game_id in found if game_id is not None]


def faults(service: Service) -> Iterator[str]:
    """What does not fit of all games, running or over, a line each; nothing where all is well."""
    with service.reading() as session:
        games = session.exec(
            select_rows(Game.id).where(Game.last_entry > 0).order_by(col(Game.id))).all()
    for game_id in games:
        with service.reading() as session:
            fault = fault_of(session, session.get_one(Game, game_id))
        if fault is not None:
            where = "" if fault.entry is None else f"entry {fault.entry}: "
            yield f"Game {game_id} does not fit: {where}{fault.reason}"


def work_off(service: Service, *, seconds: float) -> int:
    """Verify games that are due for about so long, at least one; how many they were."""
    until = time.monotonic() + seconds
    with service.reading() as session:
        games = due(session, service.clock.now())
    for done, game_id in enumerate(games, start=1):
        verify_stored(service, game_id)
        if time.monotonic() >= until:
            return done
    return len(games)


def verify_stored(service: Service, game_id: int) -> Verification:
    """Re-run one stored game, and keep what was found."""
    found = checked(service, game_id)
    with service.writing() as session:
        session.merge(found)
        session.exec(
            update(Game).where(col(Game.id) == game_id).values(verify_at=found.at + EVERY))
        session.commit()
    return found


def checked(service: Service, game_id: int) -> Verification:
    """Re-run one stored game, and raise the alarm if it does not fit; what is to be kept of it."""
    with service.reading() as session:
        row = session.get_one(Game, game_id)
        fault = fault_of(session, row)
    if fault is not None:
        where = "around its entries" if fault.entry is None else f"at entry {fault.entry}"
        log.error("ALARM: game %s does not fit %s: %s", game_id, where, fault.reason)
    return noted(stored_id(row), fault, service.clock.now())


def noted(game_id: int, fault: Fault | None, now: datetime) -> Verification:
    """What is kept of a verification."""
    entry, reason = (None, None) if fault is None else fault
    return Verification(game_id=game_id, at=now, release=__version__, broken_at=entry,
                        fault=None if reason is None else reason[:LONGEST_FAULT])


def of_games(session: Session, games: Iterator[int] | list[int]) -> dict[int, Verification]:
    """The last verification of each of these games that has one."""
    found = session.exec(
        select_rows(Verification).where(col(Verification.game_id).in_(list(games))))
    return {each.game_id: each for each in found}
