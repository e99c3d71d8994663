"""Private notes at the entries of a game. Only who wrote them reads them, for ever."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from pbem.models import Game, Person
from pbem.models.archive import Note
from pbem.play.refusals import TableRefused
from pbem.tables.chat import cleaned

LONGEST = 4_000  # characters
MOST = 500  # of one person in one game


def write(
    session: Session, row: Game, person: Person, *, entry: int, text: str, now: datetime
) -> Note:
    """Keep a note at an entry; the same once more is a double click. The caller commits."""
    told = fitting(text)
    before = own(session, row, person)
    for note in before:
        if note.entry == entry and note.text == told:
            return note
    if len(before) >= MOST:
        raise TableRefused("notes_many", most=MOST)
    note = Note(game_id=row.id or 0, person_id=person.id or 0, entry=entry, text=told, at=now)
    session.add(note)
    session.flush()
    return note


def change(session: Session, note: Note, *, text: str, now: datetime) -> None:
    """Put other words into a note; without any it is deleted. The caller commits."""
    if not cleaned(text):
        session.delete(note)
    else:
        note.text, note.at = fitting(text), now
        session.add(note)
    session.flush()


def fitting(text: str) -> str:
    """The words as they are kept. Raises TableRefused."""
    told = cleaned(text)
    if not told:
        raise TableRefused("note_empty")
    if len(told) > LONGEST:
        raise TableRefused("note_long", most=LONGEST)
    return told


_mine = Note.person_id == bindparam("person"), Note.game_id == bindparam("game")
_OWN = select(Note).where(*_mine).order_by(col(Note.entry), col(Note.id))


def own(session: Session, row: Game, person: Person) -> Sequence[Note]:
    """A person's notes in a game, by entry."""
    return session.exec(
        _OWN, params={"game": row.id, "person": person.id}).all()


def one(session: Session, row: Game, person: Person, number: int) -> Note | None:
    """A person's own note; None if it is another's, or there is none."""
    return session.exec(
        select(Note).where(
            Note.id == number, Note.person_id == person.id, Note.game_id == row.id)
    ).first()
