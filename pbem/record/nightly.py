"""Verifies stored games: one, all of them, or those that are due once a day."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select, update
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from engine import codec, registry
from engine.errors import BadComponents
from pbem import __version__
from pbem.models import ComponentSet, Entry, Game, GameState, SeatRow, Snapshot, stored_id
from pbem.models.archive import Verification
from pbem.models.causes import BACK
from pbem.play import positions
from pbem.play.chance import commitment_of, secret_of
from pbem.play.results import placed
from pbem.record.replay import Misfit, Otherwise, Rerun
from pbem.service import Service

log = logging.getLogger("carreira.nightly")

EVERY = timedelta(days=1)
AT_ONCE = 200  # games that one run looks up
LONGEST_FAULT = 300

_STORED = (
    select(
        col(Entry.number), col(Entry.base), col(Entry.seat), col(Entry.cause), col(Entry.ruleset),
        col(Entry.body), col(Entry.state_hash), col(Entry.hash), col(Snapshot.state),
    )
    .join_from(
        Entry, Snapshot,
        (col(Snapshot.game_id) == Entry.game_id) & (col(Snapshot.number) == Entry.number),
        isouter=True,
    )
    .where(col(Entry.game_id) == bindparam("game"))
    .order_by(col(Entry.number))
)  # fmt: skip


class Fault(NamedTuple):
    """Why a stored game does not fit, and at which entry; None if the fault is outside the entries.
    """

    entry: int | None
    reason: str


# ---- one game -----------------------------------------------------------------------------------


def fault_of(session: Session, row: Game) -> Fault | None:
    """Replay a stored game. Returns None if it fits in all that must."""
    try:
        followed(session, row)
    except Misfit as misfit:
        what, _, number = misfit.at.partition(" ")
        return Fault(int(number) if what == "entry" else None, misfit.reason)
    except Exception as problem:  # one game must not stop the check of the others
        log.exception("Game %s cannot be re-run.", row.id)
        return Fault(None, f"it cannot be re-run: {type(problem).__name__}")
    return None


def followed(
    session: Session, row: Game, *, otherwise: list[Otherwise] | None = None
) -> Rerun:
    """Replay a stored game, running or finished, to its end. Raises Misfit where it does not fit.

    `otherwise` is as for Rerun.
    """
    seats = positions.seats(session, row)
    entries = session.execute(_STORED, {"game": row.id}).all()
    rerun = rerun_of(session, row, seats,
                     {base for _, base, _, cause, *_ in entries if cause in BACK}, otherwise)
    follow_all(entries, rerun)
    check_end(row, rerun)
    told = [(seat.number, seat.place, seat.points) for seat in seats]
    if row.state == GameState.FINISHED and standings_of(rerun) != told:
        rerun.note_otherwise(Otherwise(
            "result", "places and points are not what the last entry leads to"))
    return rerun


def standings_of(rerun: Rerun) -> list[tuple[int, int, int]]:
    """Return seats, places and points by the rules."""
    standings = placed(rerun.game.returns(rerun.state), rerun.vacated)
    return [(each.seat, each.place, each.points) for each in standings]


def rerun_of(
    session: Session, row: Game, seats: Sequence[SeatRow], bases: Collection[int],
    otherwise: list[Otherwise] | None,
) -> Rerun:  # fmt: skip
    """Return the replay's start: the empty table before the first entry."""
    if commitment_of(row.server_part) != row.commitment:
        raise Misfit("header", "the server part is not what was committed to")
    try:
        rules = registry.game(row.game, session.get_one(ComponentSet, row.components).toml)
    except (BadComponents, KeyError) as bad:
        raise Misfit("header", f"its component set cannot be played with: {bad}") from None
    if rules.digest != row.components:
        raise Misfit("header", "the digest is not that of its component set")
    options = codec.decode(row.options.encode(), dict)
    phrases = [seat.phrase or "" for seat in seats]
    return Rerun(rules, label=row.commitment, seats=len(seats), options=options,
                 secret=secret_of(row.server_part, phrases), bases=bases, otherwise=otherwise)


def follow_all(entries: Sequence[Any], rerun: Rerun) -> None:
    """Follow every stored entry, and check the snapshot after it."""
    for number, base, seat, cause, ruleset, body, state_hash, digest, snapshot in entries:
        rerun.follow((number, base, seat, cause, ruleset, body.encode(), state_hash, digest))
        if snapshot is not None and snapshot.encode() != rerun.json:  # snapshots are a cache
            raise Misfit(f"entry {number}", "the snapshot of its position is another one")


def check_end(row: Game, rerun: Rerun) -> None:
    """Check that the last entry is the newest, and ends the game if it is finished.

    Raises Misfit.
    """
    is_finished = row.state == GameState.FINISHED
    if rerun.number != row.last_entry or (is_finished and not rerun.is_over):
        raise Misfit(rerun.next, "it is missing")
    if rerun.is_over and not is_finished:
        raise Misfit("result", "it is missing")


# ---- all games ----------------------------------------------------------------------------------


def faults(service: Service) -> Iterator[str]:
    """Yield a line for each fault of any game, running or finished."""
    with service.reading() as session:
        games = session.exec(
            select_rows(Game.id).where(Game.last_entry > 0).order_by(col(Game.id))).all()
    for game_id in games:
        with service.reading() as session:
            fault = fault_of(session, session.get_one(Game, game_id))
        if fault is not None:
            where = "" if fault.entry is None else f"entry {fault.entry}: "
            yield f"Game {game_id} does not fit: {where}{fault.reason}"


def due(session: Session, now: datetime, limit: int = AT_ONCE) -> list[int]:
    """Return finished games that were not verified within a day, those never verified first."""
    found = session.exec(
        select_rows(Game.id)
        .where(Game.state == GameState.FINISHED, col(Game.verify_at) <= now)
        .order_by(col(Game.verify_at), col(Game.id))
        .limit(limit)
    )
    return [game_id for game_id in found if game_id is not None]


def work_off(service: Service, *, seconds: float) -> int:
    """Verify due games for about this long, at least one. Returns how many."""
    until = time.monotonic() + seconds
    with service.reading() as session:
        games = due(session, service.clock.now())
    for done, game_id in enumerate(games, start=1):
        verify_stored(service, game_id)
        if time.monotonic() >= until:
            return done
    return len(games)


def verify_stored(service: Service, game_id: int) -> Verification:
    """Verify one stored game, and store the result."""
    found = checked(service, game_id)
    with service.writing() as session:
        session.merge(found)
        session.exec(
            update(Game).where(col(Game.id) == game_id).values(verify_at=found.at + EVERY))
        session.commit()
    return found


def checked(service: Service, game_id: int) -> Verification:
    """Verify one stored game, and log an error if it does not fit. Returns the result."""
    with service.reading() as session:
        row = session.get_one(Game, game_id)
        fault = fault_of(session, row)
    if fault is not None:
        where = "around its entries" if fault.entry is None else f"at entry {fault.entry}"
        log.error("ALARM: game %s does not fit %s: %s", game_id, where, fault.reason)
    return noted(stored_id(row), fault, service.clock.now())


def noted(game_id: int, fault: Fault | None, now: datetime) -> Verification:
    """Return the result of a verification as a row."""
    entry, reason = (None, None) if fault is None else fault
    return Verification(game_id=game_id, at=now, release=__version__, broken_at=entry,
                        fault=None if reason is None else reason[:LONGEST_FAULT])


def of_games(session: Session, games: Iterator[int] | list[int]) -> dict[int, Verification]:
    """Map each of these games to its last verification, if it has one."""
    found = session.exec(
        select_rows(Verification).where(col(Verification.game_id).in_(list(games))))
    return {each.game_id: each for each in found}
