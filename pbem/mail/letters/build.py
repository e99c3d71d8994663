"""Implements what delivery asks about letters: reader, merging, bytes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.config import Settings
from pbem.i18n.render import folded, in_html, in_text
from pbem.mail import preferences
from pbem.mail.delivery.retries import TOO_BIG
from pbem.mail.delivery.rows import is_free, merged_into
from pbem.mail.dkim import signed
from pbem.mail.letter import DueLetter, Letter, LetterContext, LetterKind, Look, Overtaken, Reader
from pbem.mail.letters.context import common
from pbem.mail.letters.kinds import KINDS
from pbem.mail.message import as_bytes, headers, subject
from pbem.models import Outbox, Person, stored_id

SEEN_LATELY = timedelta(minutes=2)  # a player who has just looked at the table needs no letter yet
LONGEST_DELAY = timedelta(minutes=15)  # but they get it, however long they look


def kind_of(row: Outbox) -> LetterKind:
    """Return the declaration of a letter's kind."""
    return KINDS[row.kind]


def look(session: Session, row: Outbox, now: datetime, usual: timedelta) -> Look:
    """Return a letter's reader, and whether it is still true, wanted and needed."""
    reader = kind_of(row).reader(session, row)
    if reader is None or not still_true(session, row, now):
        return Look(None)
    return Look(reader, not is_unwanted(session, row), looking_until(row, now, usual))


def still_true(session: Session, row: Outbox, now: datetime) -> bool:
    """Return whether a letter is still true, or one that an earlier attempt has merged into it."""
    if kind_of(row).is_true(DueLetter(session, row, now)):
        return True
    return row.attempts > 0 and any(
        kind_of(each).is_true(DueLetter(session, each, now)) for each in merged_into(session, row))


# ---- preferences --------------------------------------------------------------------------------


def is_unwanted(session: Session, row: Outbox) -> bool:
    """Return whether the reader has turned off letters for every game that this one covers."""
    if kind_of(row).is_always_sent or row.repeat_of is not None:
        return False
    told = [row, *merged_into(session, row)] if row.attempts else [row]
    return all(wish_about(session, each) == preferences.NONE for each in told)


def wish_about(session: Session, row: Outbox) -> preferences.Wish:
    """Return the reader's preference for the game of this letter."""
    reader = kind_of(row).reader(session, row)
    person = None if reader is None or reader.person_id is None else session.get(
        Person, reader.person_id)
    return preferences.USUAL if person is None else preferences.wish_of(person, row.seat)


def looking_until(row: Outbox, now: datetime, usual: timedelta) -> datetime | None:
    """Return until when a turn letter waits because its player has just seen the question, or None.
    """
    if not kind_of(row).asks or row.raw is not None or row.repeat_of is not None:
        return None
    person, seat = row.person, row.seat
    if person is None or seat is None or seat.looked_at is None or seat.looked_at < row.created:
        return None
    wish = preferences.wish_of(person, seat)
    first = preferences.when_due(wish, row.created, person.zone, usual) or row.created
    until = min(seat.looked_at + SEEN_LATELY, first + LONGEST_DELAY)
    return until if until > now else None


# ---- merging ------------------------------------------------------------------------------------


def companions(session: Session, row: Outbox, now: datetime, usual: timedelta) -> list[Outbox]:
    """Return the turn letters to the same person that can be merged into this one.

    A turn letter merges those due within two minutes. A receipt merges the next question of its own
    game.
    """
    span = kind_of(row).merges
    if row.repeat_of is not None or span is None:
        return []
    waiting_now = select(Outbox).where(
        Outbox.person_id == row.person_id, Outbox.id != row.id, Outbox.kind == "turn",
        col(Outbox.settled).is_(None), col(Outbox.raw).is_(None), Outbox.not_before <= now + span)
    waits = session.exec(waiting_now.order_by(col(Outbox.id))).all()
    return [each for each in waits if joins(session, each, row, now, usual)]


def joins(session: Session, each: Outbox, row: Outbox, now: datetime, usual: timedelta) -> bool:
    """Return whether a waiting turn letter is merged into another one."""
    is_true = kind_of(each).is_true(DueLetter(session, each, now))
    if each.repeat_of is not None or not is_free(each, now) or not is_true:
        return False
    if kind_of(row).is_answer:
        return each.game_id == row.game_id
    return not is_unwanted(session, each) and looking_until(each, now, usual) is None


# ---- building -----------------------------------------------------------------------------------


def build(
    session: Session,
    row: Outbox,
    settings: Settings,
    now: datetime,
    *,
    reader: Reader | None = None,
    others: Sequence[Outbox] = (),
) -> Letter | None:
    """Build the letter and those merged into it. Returns None if it is no longer true.

    `reader` is passed if the caller has just checked, in this session, that the letter is true. A
    letter that was too big for its reader's server is built without pictures.
    """
    kind = kind_of(row)
    if reader is None:
        reader = kind.reader(session, row)
        if reader is None or not still_true(session, row, now):
            return None
    it = LetterContext(session, row, now, reader, settings, others)
    try:
        values = common(it, kind) | kind.values(it)
    except Overtaken:
        return None
    if row.why == TOO_BIG:
        values["images"] = ()
    language = reader.language
    made = headers(it, kind)
    made.append(subject(in_text(row.kind, "subject", language, values)))
    made += [("Content-Language", language), ("MIME-Version", "1.0")]
    text = folded(in_text(row.kind, "body", language, values))
    raw = as_bytes(made, text, in_html(row.kind, language, values), values["images"])
    # The newest entry that it shows of each game. A letter about several has `shown_entries`.
    shown = values.get("shown_entries") or (
        {stored_id(row): values["entry"]} if "entry" in values else {})
    return Letter(signed(raw, settings), shown)
