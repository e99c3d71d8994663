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
from pbem.mail.letter import Letter, Look, Reader
from pbem.mail.letters import contents, truth
from pbem.mail.letters.context import Overtaken
from pbem.mail.message import as_bytes, headers, subject
from pbem.models import Outbox, Person, SeatRow, stored_id

TOGETHER = timedelta(minutes=2)  # turn letters due within this span leave together
EVER = timedelta(days=3650)
SEEN_LATELY = timedelta(minutes=2)  # a player who has just looked at the table needs no letter yet
LONGEST_DELAY = timedelta(minutes=15)  # but they get it, however long they look


def is_proof(row: Outbox) -> bool:
    """Return whether a letter proves an address."""
    return row.kind in preferences.PROOFS


def look(session: Session, row: Outbox, now: datetime, usual: timedelta) -> Look:
    """Return a letter's reader, and whether it is still true, wanted and needed."""
    reader = truth.reader_of(session, row)
    if reader is None or not truth.still_true(session, row, now):
        return Look(None)
    return Look(reader, not is_unwanted(session, row), looking_until(session, row, now, usual))


# ---- preferences --------------------------------------------------------------------------------


def is_unwanted(session: Session, row: Outbox) -> bool:
    """Return whether the reader has turned off this kind of letter for every game that it covers.
    """
    if row.kind in preferences.ALWAYS or row.repeat_of is not None:
        return False
    told = [row, *merged_into(session, row)] if row.attempts else [row]
    return all(not preferences.is_wanted(each.kind, wish_about(session, each)) for each in told)


def wish_about(session: Session, row: Outbox) -> preferences.Wish:
    """Return the reader's preference for the game of this letter."""
    reader = truth.reader_of(session, row)
    person = None if reader is None or reader.person_id is None else session.get(
        Person, reader.person_id)
    if person is None:
        return preferences.USUAL
    seat = truth.seat_at(session, row) if row.game_id is not None else None
    return preferences.wish_of(person, seat)


def looking_until(
    session: Session, row: Outbox, now: datetime, usual: timedelta
) -> datetime | None:
    """Return until when a turn letter waits because its player has just seen the question, or None.
    """
    if row.kind != "turn" or row.raw is not None or row.repeat_of is not None:
        return None
    person, seat = player(session, row)
    if person is None or seat is None or seat.looked_at is None or seat.looked_at < row.created:
        return None
    wish = preferences.wish_of(person, seat)
    first = preferences.when_due(wish, row.created, person.zone, usual) or row.created
    until = min(seat.looked_at + SEEN_LATELY, first + LONGEST_DELAY)
    return until if until > now else None


def player(session: Session, row: Outbox) -> tuple[Person | None, SeatRow | None]:
    """Return the player that a game's letter is for, and their seat in it."""
    person = session.get(Person, row.person_id)
    return person, truth.seat_at(session, row)


# ---- merging ------------------------------------------------------------------------------------


def companions(session: Session, row: Outbox, now: datetime, usual: timedelta) -> list[Outbox]:
    """Return the turn letters to the same person that can be merged into this one.

    A turn letter merges those due within two minutes. A receipt merges the next question of its own
    game.
    """
    if row.repeat_of is not None or row.kind not in ("turn", "receipt"):
        return []
    latest = now + (TOGETHER if row.kind == "turn" else EVER)
    waiting_now = select(Outbox).where(
        Outbox.person_id == row.person_id, Outbox.id != row.id, Outbox.kind == "turn",
        col(Outbox.settled).is_(None), col(Outbox.raw).is_(None), Outbox.not_before <= latest)
    waits = session.exec(waiting_now.order_by(col(Outbox.id))).all()
    return [each for each in waits if joins(session, each, row, now, usual)]


def joins(session: Session, each: Outbox, row: Outbox, now: datetime, usual: timedelta) -> bool:
    """Return whether a waiting turn letter is merged into another one."""
    if each.repeat_of is not None or not is_free(each, now) or not truth.stands(session, each):
        return False
    if row.kind == "receipt":
        return each.game_id == row.game_id
    unwanted = is_unwanted(session, each)
    return not unwanted and looking_until(session, each, now, usual) is None


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
    if reader is None:
        reader = truth.reader_of(session, row)
        if reader is None or not truth.still_true(session, row, now):
            return None
    try:
        values = contents.of(session, row, reader, settings, now, others=others)
    except Overtaken:
        return None
    if row.why == TOO_BIG:
        values["images"] = ()
    language = reader.language
    made = headers(session, row, reader, settings, now, others=others)
    made.append(subject(in_text(row.kind, "subject", language, values)))
    made += [("Content-Language", language), ("MIME-Version", "1.0")]
    text = folded(in_text(row.kind, "body", language, values))
    html = in_html(row.kind, language, values)
    raw = as_bytes(made, text, html, values.get("images", ()))
    return Letter(signed(raw, settings), shown_by(row, values))


def shown_by(row: Outbox, values: contents.Values) -> dict[int, int]:
    """Map each game's outbox id to the entry that it shows.

    Several games come as `shown_entries`.
    """
    if "shown_entries" in values:
        return dict(values["shown_entries"])
    return {stored_id(row): values["entry"]} if "entry" in values else {}
