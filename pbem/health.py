"""The state of a site: what waits, since when, and which heartbeats came last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import func, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from pbem.models import (
    PENDING,
    STORED,
    Count,
    Game,
    GameState,
    Heartbeat,
    Inbound,
    LetterState,
    MailPause,
    Outbox,
    StandingOrder,
    StandingState,
    Submission,
)
from pbem.models.archive import Verification
from pbem.play import stuck, upkeep
from pbem.tables import rulesets

SWEEP_IS_LATE = timedelta(minutes=1)  # four were missed
LETTERS_ARE_LATE = timedelta(minutes=10)  # the first tries of a mail server that is away
LETTERS_IN_ARE_LATE = timedelta(minutes=5)
ORDERS_ARE_LATE = timedelta(minutes=2)

# Counts kept in the database, by what the outside calls them.
COUNTS = {
    "sweep_games": "Games that the sweep advanced because no worker was told to.",
    "sweep_letters_in": "Letters that came in and that the sweep had judged.",
}


class Backlog(NamedTuple):
    """How many rows wait, and how long the oldest is overdue."""

    number: int
    oldest: timedelta


class Health(NamedTuple):
    """The present state; `swept`: the time since the sweep's heartbeat, None if there was none."""

    swept: timedelta | None
    letters_out: Backlog
    letters_in: Backlog
    orders: Backlog
    accepted: timedelta | None  # since a mail server last took a letter
    paused_domains: int
    broken_games: int
    failing_games: int  # running ones that could not be advanced last, or whose rules are not here


def vitals(session: Session, now: datetime) -> Health:
    """The state of the site now; each query is answered by an index of unsettled rows."""
    signs = [upkeep.last_heartbeat(session, name) for name in ("sweep", "clocks")]
    seen = min((sign for sign in signs if sign is not None), default=None)
    accepted = session.exec(
        select(Outbox.settled).where(Outbox.state == LetterState.SENT)
        .order_by(col(Outbox.id).desc()).limit(1)
    ).first()
    paused = select(func.count()).select_from(MailPause).where(col(MailPause.until) > now)
    still = {number for number, _ in rulesets.games_without_rules(session)}
    return Health(
        None if seen is None else now - seen,
        waiting(session, now, Outbox.not_before,
                col(Outbox.settled).is_(None), col(Outbox.not_before) <= now),
        waiting(session, now, Inbound.received, Inbound.state == STORED),
        # Of a game that cannot be advanced they wait for an operator: the site is as well as ever.
        waiting(session, now, Submission.created, Submission.state == PENDING,
                col(Submission.game_id).not_in(select(Game.id).where(*stuck.is_failing())),
                col(Submission.game_id).not_in(still)),
        None if accepted is None else now - accepted,
        session.exec(paused).one(),
        session.exec(select(func.count()).select_from(Verification)
                     .where(col(Verification.fault).is_not(None))).one(),
        stuck.failing(session) + len(still),
    )


def waiting(session: Session, now: datetime, since: Any, *conditions: Any) -> Backlog:
    """The number of rows that wait, and the age of the oldest."""
    number, oldest = session.exec(select(func.count(), func.min(since)).where(*conditions)).one()
    return Backlog(number, timedelta(0) if oldest is None else max(timedelta(0), now - oldest))


def complaints(found: Health) -> Iterator[str]:
    """Why the site is not ready; nothing if it is."""
    if found.swept is None:
        yield "the sweep was never here: no worker of upkeep or no beat runs"
    elif found.swept > SWEEP_IS_LATE:
        yield f"the sweep was last here {seconds(found.swept)} seconds ago"
    elif found.swept < -SWEEP_IS_LATE:
        yield (f"the sweep was last here {seconds(-found.swept)} seconds from now: the clock was "
               "set back; restart the beat")
    if found.letters_out.oldest > LETTERS_ARE_LATE:
        yield (f"{found.letters_out.number} letters are due, the first since "
               f"{seconds(found.letters_out.oldest)} seconds")
    if found.letters_in.oldest > LETTERS_IN_ARE_LATE:
        yield f"{found.letters_in.number} letters that came in are not judged"
    if found.orders.oldest > ORDERS_ARE_LATE:
        yield f"{found.orders.number} orders are not played"


def seconds(span: timedelta) -> int:
    """A span in whole seconds."""
    return int(span.total_seconds())


def signs(session: Session) -> list[Heartbeat]:
    """All heartbeats, by name."""
    return list(session.exec(select(Heartbeat).order_by(col(Heartbeat.name))))


def games_by_state(session: Session) -> dict[str, int]:
    """The number of games in each state."""
    found = session.exec(select(Game.state, func.count()).group_by(Game.state)).all()
    return {str(state): 0 for state in GameState} | {str(state): number for state, number in found}


def standing_orders(session: Session) -> int:
    """The number of standing orders ahead."""
    return session.exec(select(func.count()).select_from(StandingOrder)
                        .where(StandingOrder.state == StandingState.STANDING)).one()


def newest(session: Session) -> dict[str, int]:
    """The number of letters, orders and incoming letters ever stored: ids only grow."""
    tables = {"letters": Outbox.id, "orders": Submission.id, "letters_in": Inbound.id}
    return {name: session.exec(select(func.max(column))).one() or 0
            for name, column in tables.items()}


# ---- counts -------------------------------------------------------------------------------------


def count(session: Session, name: str, number: int = 1) -> None:
    """Add to a counter; the caller commits."""
    if not number:
        return
    on_sqlite = session.get_bind().dialect.name == "sqlite"
    insert: Any = sqlite.insert if on_sqlite else postgresql.insert
    session.connection().execute(
        insert(Count).values(name=name, number=0).on_conflict_do_nothing())
    session.connection().execute(
        update(Count).where(col(Count.name) == name).values(number=col(Count.number) + number))


def counts(session: Session) -> dict[str, int]:
    """All counters; 0 if nothing was counted yet."""
    found = {each.name: each.number for each in session.exec(select(Count))}
    return {name: found.get(name, 0) for name in COUNTS}
