"""What players tell the operators of others: made here, settled by pbem.operators.reports."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from pbem.models import Chat, Game, Person, stored_id
from pbem.models.operators import Report
from pbem.play.refusals import TableRefused
from pbem.tables import chat, lobby
from pbem.tables.players import known

LONGEST = 1_000  # characters
A_DAY = 10  # reports of one person
SHOWN = 20  # of one's own


def about(session: Session, person_id: int) -> Person | None:
    """Who can be reported by his page: whoever has one and is somebody."""
    person = known(session, person_id)
    return None if person is None or person.bot is not None else person


def line_for(session: Session, chat_id: int, person: Person) -> Chat | None:
    """A line of talk that this person may read; None if there is none."""
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
    """Tell the operators of somebody, or of a line of his, kept as it was said; no commit.

    The same once more while it is open is a double click. Raises TableRefused.
    """
    session.exec(select(Person.id).where(Person.id == by.id)
                 .with_for_update(key_share=True)).first()
    told = chat.cleaned(text)
    if not told:
        raise TableRefused("report_empty")
    if len(told) > LONGEST:
        raise TableRefused("report_long", most=LONGEST)
    chat_id = None if line is None else line.id
    there = session.exec(select(Report).where(
        Report.by_id == by.id, Report.about_id == other.id, Report.chat_id == chat_id,
        Report.text == told, col(Report.settled).is_(None))).first()
    if there is not None:
        return there
    lately = session.exec(select(func.count()).select_from(Report).where(
        Report.by_id == by.id, col(Report.at) > now - timedelta(days=1))).one()
    if lately >= A_DAY:
        raise TableRefused("report_often", most=A_DAY)
    made = Report(by_id=stored_id(by), about_id=stored_id(other), text=told, at=now)
    if line is not None:
        made.game_id, made.chat_id, made.said = line.game_id, line.id, line.text
    session.add(made)
    session.flush()
    return made


def mine(session: Session, person: Person) -> Sequence[tuple[Report, Person]]:
    """A person's own reports and whom they are about, newest first."""
    found = session.exec(
        select(Report, Person).where(Report.by_id == person.id, Report.about_id == Person.id)
        .order_by(col(Report.id).desc()).limit(SHOWN))
    return found.all()
