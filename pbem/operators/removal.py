"""Removes chat lines and offensive names, and mutes people for a while.

Each act is logged with its reason in the same transaction. The caller commits.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import update
from sqlmodel import Session, col, select

from pbem.mail.letters.kinds import KINDS
from pbem.models import GONE, Chat, Outbox, PastHolder, Person, SeatRow, stored_id
from pbem.operators import acts
from pbem.operators.reports import legible
from pbem.tables import chat_index, lobby

NAME_STAYS = timedelta(days=30)  # then they may choose another one
MOST_DAYS = 90  # of a mute


def remove_line(
    session: Session, operator: Person | None, chat_id: int, why: str, *, now: datetime
) -> Chat | None:
    """Remove a chat line's text everywhere. Returns None if there is no such line.

    Idempotent. A report keeps its copy of the line.
    """
    line = session.exec(select(Chat).where(Chat.id == chat_id).with_for_update(),
                        execution_options={"populate_existing": True}).first()
    if line is None or line.removed is not None:
        return line
    line.text, line.removed = "", now
    session.add(line)
    acts.note(session, operator, "chat_removed", f"c{chat_id}", why, now=now)
    session.flush()
    letters_anew(session)
    chat_index.index_chats(session, [line.game_id])
    return line


def remove_name(
    session: Session, operator: Person | None, person: Person, why: str, *, now: datetime
) -> None:
    """Replace somebody's name by their id, in all their games.

    They may choose another name later.
    """
    name = f"Player {person.id}"
    lobby.hold_open_games(session, person.id)  # so that none starts meanwhile
    person.name, person.name_stays_until = name, now + NAME_STAYS
    session.add(person)
    session.flush()
    for table in (SeatRow, PastHolder, Chat):
        session.connection().execute(
            update(table).where(col(table.person_id) == person.id).values(name=name))
    acts.note(session, operator, "name_removed", f"p{person.id}", why, now=now)
    letters_anew(session)
    chat_index.forget_names(session, person, [])


def mute(
    session: Session, operator: Person | None, person: Person, days: int, why: str, *,
    now: datetime,
) -> None:
    """Mute somebody for so many days from now; 0 ends it."""
    person.mute_until = now + timedelta(days=days) if days else None
    session.add(person)
    acts.note(session, operator, "muted" if days else "unmuted", f"p{person.id}", why, now=now,
              days=days or None)


def letters_anew(session: Session) -> None:
    """Discard the bytes of letters that have not left.

    The next attempt builds them from the current state.
    """
    proofs = [kind.name for kind in KINDS.values() if kind.is_proof]
    session.flush()
    session.connection().execute(
        update(Outbox)
        .where(col(Outbox.settled).is_(None), col(Outbox.raw).is_not(None),
               col(Outbox.kind).not_in(proofs))
        .values(raw=None))


def somebody(session: Session, person_id: int) -> Person | None:
    """Return a player who can be renamed or muted: no bot, no closed account."""
    person = session.get(Person, person_id)
    if person is None or person.bot is not None or person.address.endswith(GONE):
        return None
    return person


def last_said(
    session: Session, operator: Person, person: Person, *, most: int = 20
) -> list[Chat]:
    """Return somebody's latest chat lines that this operator may read, newest first."""
    found = select(Chat).where(Chat.person_id == stored_id(person), legible(operator))
    return list(session.exec(found.order_by(col(Chat.id).desc()).limit(most)))


def line_for(session: Session, operator: Person, chat_id: int) -> Chat | None:
    """Return a chat line, if this operator may read it."""
    return session.exec(select(Chat).where(Chat.id == chat_id, legible(operator))).first()
