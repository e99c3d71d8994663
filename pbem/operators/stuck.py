"""Lists games that are stuck through no fault of their players, and lets operators act on them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists
from sqlmodel import Session, col, select

from pbem import health
from pbem.models import PENDING, Entry, Game, GameState, Person, SeatRow, Submission, stored_id
from pbem.models.archive import Verification
from pbem.operators import acts
from pbem.play import stuck
from pbem.record import nightly
from pbem.service import Service
from pbem.tables import rulesets
from pbem.timeouts import watchdog

MOST = 50  # games of one kind on a page


@dataclass(frozen=True)
class Stuck:
    """A game and since when it is stuck. `what` is the problem, as a class or a sentence."""

    game: Game
    since: datetime
    what: str = ""


def failing(session: Session) -> list[Stuck]:
    """Return games that failed to advance at the last try, or whose rules are missing here."""
    found = session.exec(select(Game).where(*stuck.is_failing())
                         .order_by(col(Game.failed).desc()).limit(MOST))
    failed = [Stuck(game, game.failed, game.failure or "") for game in found
              if game.failed is not None]
    return failed + [
        Stuck(game, game.started or game.created, f"UnknownRuleset: {ruleset}")
        for number, ruleset in rulesets.games_without_rules(session)[:MOST]
        for game in [session.get_one(Game, number)]]


def unplayed(session: Session, now: datetime) -> list[Stuck]:
    """Return games whose orders have waited longer than any worker needs."""
    found = session.exec(
        select(Submission.game_id, Submission.created)
        .where(Submission.state == PENDING,
               col(Submission.created) < now - health.ORDERS_ARE_LATE)
        .order_by(col(Submission.created)).limit(MOST))
    first: dict[int, datetime] = {}
    for game_id, created in found:
        first.setdefault(game_id, created)
    return [Stuck(session.get_one(Game, game_id), since) for game_id, since in first.items()]


def waiting_for_nobody(session: Session, now: datetime) -> list[Stuck]:
    """Return running games in which nobody was asked for longer than any worker needs."""
    asked = exists().where(
        col(SeatRow.game_id) == Game.id, col(SeatRow.asked_since).is_not(None),
        col(SeatRow.resigned).is_(None), col(SeatRow.person_id) == Person.id,
        col(Person.bot).is_(None))
    found = session.exec(
        select(Game, Entry.at)
        .where(Game.state == GameState.RUNNING, ~asked, Entry.game_id == Game.id,
               Entry.number == Game.last_entry, col(Entry.at) < now - watchdog.SLACK)
        .order_by(col(Entry.at)).limit(MOST))
    return [Stuck(game, at) for game, at in found]


def at_zero(session: Session, now: datetime) -> list[Stuck]:
    """Return running games whose clock has been at zero for longer than a sweep needs."""
    found = session.exec(
        select(Game, SeatRow.due)
        .where(SeatRow.game_id == Game.id, Game.state == GameState.RUNNING,
               col(SeatRow.due) < now - watchdog.SLACK)
        .order_by(col(SeatRow.due)).limit(MOST))
    first: dict[int, Stuck] = {}
    for game, due in found:
        if due is not None:
            first.setdefault(stored_id(game), Stuck(game, due))
    return list(first.values())


def broken(session: Session) -> list[Stuck]:
    """Return games that fail verification, with its message."""
    found = session.exec(
        select(Game, Verification)
        .where(Verification.game_id == Game.id, col(Verification.fault).is_not(None))
        .order_by(col(Verification.at).desc()).limit(MOST))
    return [Stuck(game, last.at, said_of(game, last)) for game, last in found]


def said_of(game: Game, last: Verification) -> str:
    """Describe where a game breaks.

    For a running game the reason is omitted, as it could reveal secrets.
    """
    where = "" if last.broken_at is None else f"entry {last.broken_at}"
    if game.state == GameState.RUNNING:
        return where
    return ": ".join(part for part in (where, last.fault) if part)


# ---- acts ---------------------------------------------------------------------------------------


def have_advanced(
    session: Session, operator: Person, game_id: int, why: str, *, now: datetime
) -> bool:
    """Let the next sweep try a game at once.

    Returns False if it does not run. The caller enqueues.
    """
    game = session.exec(
        select(Game).where(Game.id == game_id).with_for_update(),
        execution_options={"populate_existing": True}).first()
    if game is None or game.state != GameState.RUNNING:
        return False
    game.retry = None
    session.add(game)
    acts.note(session, operator, "advance", f"g{game_id}", why, now=now)
    return True


def verify(
    service: Service, session: Session, operator: Person, game_id: int, why: str
) -> Verification | None:
    """Verify a game now. Returns None if it never began."""
    with service.reading() as reading:
        row = reading.get(Game, game_id)
        if row is None or not row.last_entry:
            return None
    found = nightly.checked(service, game_id)
    session.merge(found)
    acts.note(session, operator, "verify", f"g{game_id}", why, now=found.at)
    return found
