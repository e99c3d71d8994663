"""Private notes at the entries of a game; only their writers ever read them."""

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
    """Store a note at an entry; the same note again is a double click. The caller commits.

    Raises TableRefused.
    """
    told = checked_text(text)
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
    """Replace a note's text; an empty text deletes it. The caller commits. Raises TableRefused."""
    if not cleaned(text):
        session.delete(note)
    else:
        note.text, note.at = checked_text(text), now
        session.add(note)
    session.flush()


def checked_text(text: str) -> str:
    """The text as it is stored. Raises TableRefused (note_empty, note_long)."""
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
    """A person's own note by its id; None if there is none."""
    return session.exec(
        select(Note).where(
            Note.id == number, Note.person_id == person.id, Note.game_id == row.id)
    ).first()
