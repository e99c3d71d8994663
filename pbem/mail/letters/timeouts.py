"""Letters about clocks: reminders, expired time, dropped players, votes about the absent."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import col, select

from engine import registry
from pbem.clocks import rules, terms
from pbem.i18n import words
from pbem.i18n.render import seats_drawn
from pbem.i18n.words import msgid
from pbem.mail.letter import DueLetter, LetterContext, LetterKind, Overtaken, Values
from pbem.mail.letters.context import about, asked_in, seated
from pbem.mail.letters.turn import is_asked
from pbem.models import Entry, Game, SeatRow
from pbem.models.causes import LEFT
from pbem.play import narration, positions, seat_history, submit
from pbem.tables import clock_view, votes

TOLD = ("overtime", "default", *sorted(LEFT))  # causes of entries about a seat


def is_timed(it: DueLetter) -> bool:
    """Return whether the question is still open and its clock runs."""
    return it.row.seat is not None and it.row.seat.due is not None and is_asked(it)


def reminder(it: LetterContext) -> Values:
    """Say what is still asked, until when, and how to answer.

    Raises Overtaken once orders wait to be played.
    """
    values, table, seat = seated(it)
    asked = asked_in(it, table, seat, values)
    is_over = seat.due is None or seat.due <= it.now or table.row.paused is not None
    if is_over or asked["ask"] is None or submit.pending_of(it.session, seat):
        raise Overtaken
    said = terms.timeout_in_words(terms.of(table.row), it.reader.language)
    return values | asked | {"at_zero": said}


REMINDER = LetterKind("reminder", msgid("A reminder"), is_timed, reminder, takes_orders=True)


# ---- expired time -------------------------------------------------------------------------------


def is_news(it: DueLetter) -> bool:
    """Return whether expired time is still news to the reader.

    It is news to the seat's own player, and to those not asked since.
    """
    entry, seat = it.session.get(Entry, (it.row.game_id, it.row.entry)), it.row.seat
    if entry is None or seat is None or seat.resigned is not None:
        return False
    return seat.number == entry.seat or (seat.asked_since or 0) <= entry.number


def is_news_or_gone(it: DueLetter) -> bool:
    """Return the same for a dropped player. Readers who hold no seat any more are told too."""
    seat, entry = it.row.seat, it.session.get(Entry, (it.row.game_id, it.row.entry))
    if seat is None or seat.resigned is not None:
        return entry is not None
    return is_news(it)


def overtime(it: LetterContext) -> Values:
    """Say whose time expired, and what was played for them or that the others chose to wait."""
    game = it.session.get_one(Game, it.row.game_id)
    number, language = it.row.entry or 0, it.reader.language
    note = positions.entries(it.session, game, number, number)[0]
    seat = it.row.seat
    holds = seat is not None and seat.resigned is None
    mine = seat.number if seat is not None else note.seat
    gone = seat_history.past_holders(it.session, game.id)
    names = [words.called(name, language) for name in narration.names(it.session, game)]
    rules = positions.rules_of(it.session, game)
    lines = [
        line.text
        for entry in positions.entries(it.session, game, number, number + 2)
        if entry.seat == note.seat and entry.cause in TOLD
        for line in narration.told(
            rules, entry, entry.events, viewer=seat.number if seat is not None and holds else None,
            names=seat_history.names_at(entry, names, gone), language=language)
    ]
    return about(it, game) | {
        "names": names,
        "mine": mine,
        "SEATS": seats_drawn(registry.game(game.game).seat_colours),
        "entry": game.last_entry,
        "lines": lines,
        "is_own": mine == note.seat,
        "cause": note.cause,
        "is_vote": game.paused is not None,
        "waits_for": names[note.seat or 0] if note.cause == "resume" else "",
        "until": due_at(it, game, note.seat, is_own=mine == note.seat),
        "left_before_drop": before_drop(game, seat) if holds else 0,
    }


def due_at(
    it: LetterContext, game: Game, number: int | None, *, is_own: bool
) -> datetime | None:
    """Return when a running clock reaches zero, or None.

    Another seat's is rounded to the hour, as at the table.
    """
    at = (SeatRow.game_id == game.id, SeatRow.number == number)
    due = it.session.exec(select(SeatRow.due).where(*at)).first()
    return due if due is None or is_own else clock_view.next_hour(due)


def before_drop(game: Game, seat: SeatRow | None) -> int:
    """Return how often the clock may still play for a seat before its player is dropped.

    Returns 0 if the seat has not missed yet, or if the clock plays for nobody in this game.
    """
    if seat is None or not seat.misses or game.at_zero != "default":
        return 0
    return max(0, rules.MISSES - seat.misses)


OVERTIME = LetterKind("overtime", msgid("A player's time was over"), is_news, overtime)
DROPPED = LetterKind("dropped", msgid("A player was dropped"), is_news_or_gone, overtime)


# ---- votes --------------------------------------------------------------------------------------


def is_stopped(it: DueLetter) -> bool:
    """Return whether the clocks are still paused by the entry that the letter is about."""
    newest = it.session.exec(
        select(Entry.number).where(
            Entry.game_id == it.row.game_id, col(Entry.cause).in_(("pause", "resume")))
        .order_by(col(Entry.number).desc())).first()
    game, holds = it.row.game, it.row.seat_in_play is not None
    return holds and game is not None and game.paused is not None and newest == it.row.entry


def vote(it: LetterContext) -> Values:
    """Say whom the vote is about, the options, and until when it runs."""
    values, table, seat = seated(it)
    asked = votes.ballot(
        it.session, table.row, it.session.exec(positions.seats_of(table.row)).all()
    )
    if asked is None or seat.number in asked.said or seat.number not in asked.asked:
        raise Overtaken
    return values | {
        "who": values["names"][asked.absent.seat],
        "until": asked.until,
        "may_cancel": votes.CANCEL in asked.choices,
        "link": f"{values['table_link']}#vote",
    }


VOTE = LetterKind("vote", msgid("A vote about a player who does not answer"), is_stopped, vote)
