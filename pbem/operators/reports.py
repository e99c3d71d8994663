"""Reports of players about others: what waits, and how an operator settles it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_
from sqlmodel import Session, col, select

from pbem import names
from pbem.mail import queue
from pbem.models import GONE, Chat, Game, Person, SeatRow
from pbem.models.operators import Report
from pbem.operators import acts

OUTCOME_LENGTH = 300  # characters
SHOWN = 50


@dataclass(frozen=True)
class Reported:
    """A report with who made it, whom it is about, and the line as it stands now."""

    report: Report
    by: Person
    about: Person
    line: Chat | None


def waiting(session: Session) -> int:
    """How many reports wait for an operator."""
    return session.exec(
        select(func.count()).select_from(Report).where(col(Report.settled).is_(None))).one()


def open_ones(session: Session) -> list[Reported]:
    """What waits, the oldest first."""
    found = select(Report).where(col(Report.settled).is_(None)).order_by(col(Report.id))
    return with_people(session, session.exec(found.limit(SHOWN)).all())


def settled_ones(session: Session) -> list[Reported]:
    """What was settled last, newest first."""
    found = select(Report).where(col(Report.settled).is_not(None))
    found = found.order_by(col(Report.settled).desc(), col(Report.id).desc())
    return with_people(session, session.exec(found.limit(SHOWN)).all())


def legible(operator: Person) -> ColumnElement[bool]:
    """Which lines of the talk an operator reads: of tables that he sees anyway, and reported ones.

    A condition for queries of Chat. What is said at private tables is between those who sit there.
    """
    public = select(Game.id).where(col(Game.private).is_(False))
    his = select(SeatRow.game_id).where(SeatRow.person_id == operator.id)
    reported = select(Report.chat_id).where(col(Report.chat_id).is_not(None))
    return or_(col(Chat.game_id).in_(public), col(Chat.game_id).in_(his),
               col(Chat.id).in_(reported))


def with_people(session: Session, reports: Sequence[Report]) -> list[Reported]:
    """Reports with what an operator has to know."""
    return [
        Reported(one, session.get_one(Person, one.by_id), session.get_one(Person, one.about_id),
                 None if one.chat_id is None else session.get(Chat, one.chat_id))
        for one in reports
    ]


class TooLate(Exception):
    """A report that was settled already."""


def settle(
    session: Session, operator: Person, report_id: int, outcome: str, *, now: datetime
) -> Report | None:
    """Say what became of a report, with a letter to who made it; None if there is none.

    Settled once it stays so: raises TooLate, names.BadText where nothing is said. The caller
    commits.
    """
    report = session.exec(select(Report).where(Report.id == report_id).with_for_update(),
                          execution_options={"populate_existing": True}).first()
    if report is None:
        return None
    if report.settled is not None:
        raise TooLate
    said = names.clean_line(outcome, limit=OUTCOME_LENGTH)
    if not said:
        raise names.BadText("empty", limit=OUTCOME_LENGTH)
    report.settled, report.settled_by, report.outcome = now, operator.id, said
    session.add(report)
    acts.note(session, operator, "report_settled", f"r{report.id}", said, now=now)
    if not session.get_one(Person, report.by_id).address.endswith(GONE):
        queue.due(session, person_id=report.by_id, kind="report", about_id=report.id, now=now)
    session.flush()
    return report
