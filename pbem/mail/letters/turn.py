"""The turn letter: the question, the news since the reader's last move, the table, orders."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from pbem.archive.news import News, since_last_moved
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.letter import DueLetter, LetterContext, LetterKind, Values
from pbem.mail.letters.context import asked_in, seated
from pbem.mail.letters.offers import ahead_in
from pbem.mail.letters.picture import illustrated
from pbem.mail.tokens import address_of
from pbem.models import Outbox, SeatRow, stored_id
from pbem.play import positions

MOST_CHAT = 20  # chat lines in a letter


def is_asked(it: DueLetter) -> bool:
    """Return whether the question is still open."""
    seat = it.row.seat_in_play
    return seat is not None and seat.asked_since == it.row.entry


def turn(it: LetterContext) -> Values:
    """Return what the reader is asked in one game, and in the others that share the letter."""
    values, table, seat = seated(it)
    values |= put(it, values, table, seat)
    others = [section(it, row) for row in it.others]
    return values | {
        "others": others,
        "shown_entries": {stored_id(it.row): table.row.last_entry}
        | {each["row_id"]: each["entry"] for each in others},
    }


def section(it: LetterContext, row: Outbox) -> Values:
    """Return another game's section in a shared letter: all of its own letter but the picture."""
    there = replace(it, row=row)
    values, table, seat = seated(there)
    number = words.gettext("game %(number)s", it.reader.language) % {"number": table.row.id}
    title = f": {table.row.title}" if table.row.title else ""
    return values | put(there, values, table, seat, has_picture=False) | {
        "row_id": row.id,
        "heading": f"{values['game_name']}, {number}{title}",
        "address": address_of(it.settings, "turn", row),
    }


def put(
    it: LetterContext, values: Values, table: positions.GamePosition, seat: SeatRow, *,
    has_picture: bool = True,
) -> Values:  # fmt: skip
    """Return the question, what happened since, everybody's holdings, and possible orders."""
    game, mine, language = table.row, seat.number or 0, it.reader.language
    view = table.rules.observation(table.state, mine)
    said = words.Say(words.game_words(game.game, language), values["names"])
    news = since_last_moved(it.session, table, seat, language, everyone=values["names"])
    asked = asked_in(it, table, seat, values)
    shown = table.rules.page(view, None)
    picture: Values = {"images": ()}
    if has_picture:
        drawn = {**shown, "view": view, "marked": news.places}
        picture = illustrated(it, table.rules, drawn, values, asked["prompt"])
    ahead = ahead_in(it, table, seat, values["names"])
    heard = [line for line in news.chat if not line.is_folded]
    return asked | ahead | picture | {
        "fact": newest_fact(news),
        "news": news,
        "changes": [
            f"{words.signed(each.after - each.before)} {said.value(each.what)}"
            f" ({each.before} → {each.after})" for each in news.changes
        ],
        "chat": heard[-MOST_CHAT:],
        "unheard": len(news.chat) - len(heard),  # lines of people whom the reader has blocked
        "has_moved": seat.moved_at > 0,
        "view": view,
        "shown": shown,
        "say": said.value,
    }  # fmt: skip


def newest_fact(news: News) -> str:
    """Return the first line of the newest entry."""
    if not news.lines:
        return ""
    last = news.lines[-1].number
    return next(line.text for line in news.lines if line.number == last)


TURN = LetterKind(
    "turn", msgid("It is your turn"), is_asked, turn, asks=True, takes_orders=True,
    can_repeat=True, merges=timedelta(minutes=2),
)  # fmt: skip
