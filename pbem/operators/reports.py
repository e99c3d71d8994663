"""Handles players' reports about others: players make them, operators settle them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, or_
from sqlmodel import Session, col, select

from pbem import names
from pbem.mail import queue
from pbem.models import GONE, Chat, Game, Person, SeatRow, stored_id
from pbem.models.operators import Report
from pbem.operators import acts
from pbem.play.refusals import TableRefused
from pbem.tables import chat, lobby
from pbem.tables.players import person_with_page

OUTCOME_LENGTH = 300  # characters
SHOWN = 50  # settled reports, to an operator
OWN_SHOWN = 20  # to the person who made them
REPORT_LENGTH = 1_000  # characters
REPORTS_A_DAY = 10  # by one person


@dataclass(frozen=True)
class Reported:
    """A report with its author, its subject, and the line as it is now."""

    report: Report
    by: Person
    about: Person
    line: Chat | None


# ---- by players ----------------------------------------------------------------------------------


def about(session: Session, person_id: int) -> Person | None:
    """Return the person whom a report from their page is about.

    Returns None for bots and unknown ids.
    """
    person = person_with_page(session, person_id)
    return None if person is None or person.bot is not None else person


def line_for(session: Session, chat_id: int, person: Person) -> Chat | None:
    """Return the chat line with this id, if this person may read it."""
    line = session.get(Chat, chat_id)
    game = None if line is None else session.get(Game, line.game_id)
    if line is None or game is None or not lobby.may_see(session, game, person):
        return None
    own = lobby.chair_of(session, line.game_id, person.id)
    readable = select(Chat.id).where(
        *chat.readable(game, own if own is not None and own.resigned is None else None),
        Chat.id == chat_id)
    return None if session.exec(readable).first() is None else line


def report(
    session: Session, by: Person, other: Person, text: str, now: datetime,
    *, line: Chat | None = None,
) -> Report:
    """Report a person, or one of their chat lines, to the operators. The caller commits.

    The line's text is copied. The same report while the first is open counts as a double click.
    Raises TableRefused.
    """
    session.exec(select(Person.id).where(Person.id == by.id)
                 .with_for_update(key_share=True)).first()
    told = chat.cleaned(text)
    if not told:
        raise TableRefused("report_empty")
    if len(told) > REPORT_LENGTH:
        raise TableRefused("report_long", most=REPORT_LENGTH)
    chat_id = None if line is None else line.id
    there = session.exec(select(Report).where(
        Report.by_id == by.id, Report.about_id == other.id, Report.chat_id == chat_id,
        Report.text == told, col(Report.settled).is_(None))).first()
    if there is not None:
        return there
    lately = session.exec(select(func.count()).select_from(Report).where(
        Report.by_id == by.id, col(Report.at) > now - timedelta(days=1))).one()
    if lately >= REPORTS_A_DAY:
        raise TableRefused("report_often", most=REPORTS_A_DAY)
    made = Report(by_id=stored_id(by), about_id=stored_id(other), text=told, at=now)
    if line is not None:
        made.game_id, made.chat_id, made.said = line.game_id, line.id, line.text
    session.add(made)
    session.flush()
    return made


def mine(session: Session, person: Person) -> Sequence[tuple[Report, Person]]:
    """Return the reports that a person has made, each with its subject, newest first."""
    found = session.exec(
        select(Report, Person).where(Report.by_id == person.id, Report.about_id == Person.id)
        .order_by(col(Report.id).desc()).limit(OWN_SHOWN))
    return found.all()


# ---- by operators --------------------------------------------------------------------------------


def waiting(session: Session) -> int:
    """Return how many reports wait for an operator."""
    return session.exec(
        select(func.count()).select_from(Report).where(col(Report.settled).is_(None))).one()


def open_ones(session: Session) -> list[Reported]:
    """Return the waiting reports, oldest first."""
    found = select(Report).where(col(Report.settled).is_(None)).order_by(col(Report.id))
    return with_people(session, session.exec(found.limit(SHOWN)).all())


def settled_ones(session: Session) -> list[Reported]:
    """Return the reports settled last, newest first."""
    found = select(Report).where(col(Report.settled).is_not(None))
    found = found.order_by(col(Report.settled).desc(), col(Report.id).desc())
    return with_people(session, session.exec(found.limit(SHOWN)).all())


def legible(operator: Person) -> ColumnElement[bool]:
    """Return the condition on Chat for lines that an operator may read.

    These are the lines of tables open to them, and reported lines. What is said at private tables
    stays between the players.
    """
    public = select(Game.id).where(col(Game.private).is_(False))
    his = select(SeatRow.game_id).where(SeatRow.person_id == operator.id)
    reported = select(Report.chat_id).where(col(Report.chat_id).is_not(None))
    return or_(col(Chat.game_id).in_(public), col(Chat.game_id).in_(his),
               col(Chat.id).in_(reported))


def with_people(session: Session, reports: Sequence[Report]) -> list[Reported]:
    """Return reports with the people and lines that belong to them."""
    return [
        Reported(one, session.get_one(Person, one.by_id), session.get_one(Person, one.about_id),
                 None if one.chat_id is None else session.get(Chat, one.chat_id))
        for one in reports
    ]


class TooLate(Exception):
    """Raised for a report that was settled before."""


def settle(
    session: Session, operator: Person, report_id: int, outcome: str, *, now: datetime
) -> Report | None:
    """Record a report's outcome and queue a letter to its author.

    Returns None if there is no such report.

    The caller commits. Raises TooLate if it was settled before, and names.BadText for an empty
    outcome.
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
