"""Builds everything a player needs to answer: the question, the news, the table, orders."""

from __future__ import annotations

from functools import cache

from pbem.archive.news import News, since_last_moved
from pbem.i18n import words
from pbem.mail.letter import Occasion, Values
from pbem.mail.letters.context import Shown, asked_in, once_said
from pbem.mail.letters.offers import ahead_in
from pbem.mail.letters.picture import illustrated
from pbem.models import SeatRow
from pbem.play import positions

MOST_CHAT = 20  # chat lines in a letter


def put(
    it: Occasion, values: Values, table: positions.GamePosition, seat: SeatRow, *,
    has_picture: bool = True,
) -> Values:  # fmt: skip
    """Return the question, what happened since, everybody's holdings, and possible orders."""
    game, mine, language = table.row, seat.number or 0, it.reader.language
    view = table.rules.observation(table.state, mine)
    said = words.Say(words.game_words(game.game, language), values["names"])
    news = since_last_moved(it.session, table, seat, language, everyone=values["names"])
    asked = asked_in(it, it.row, table, seat, values)
    page = cache(lambda: table.rules.page(view, None))
    drawn = lambda: {**page(), "view": view, "marked": news.places}  # noqa: E731
    picture: Values = {"images": ()}
    if has_picture:
        picture = illustrated(it, table.rules, drawn, values, asked["prompt"])
    ahead = ahead_in(it, it.row, table, seat, values["names"])
    return asked | ahead | picture | {
        "fact": newest_fact(news),
        "news": news,
        "changes": [
            f"{words.signed(each.after - each.before)} {said.value(each.what)}"
            f" ({each.before} → {each.after})" for each in news.changes
        ],
        **of_talk(news),
        "has_moved": seat.moved_at > 0,
        "view": view,
        "shown": Shown(page),
        "say": once_said(said),
    }  # fmt: skip


def of_talk(news: News) -> Values:
    """Return what the others have said.

    Of people whom the reader has blocked, only the number of lines.
    """
    heard = [line for line in news.chat if not line.is_folded]
    return {"chat": heard[-MOST_CHAT:], "unheard": len(news.chat) - len(heard)}


def newest_fact(news: News) -> str:
    """Return the first line of the newest entry."""
    if not news.lines:
        return ""
    last = news.lines[-1].number
    return next(line.text for line in news.lines if line.number == last)
