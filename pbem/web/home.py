"""Serves the start page, the help for playing by mail, and the privacy page."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from engine import registry
from pbem.archive import open_seats, search
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.incoming.commands import FILE, IN_GAMES
from pbem.play import orders_ahead
from pbem.tables import lists
from pbem.web import context, rows
from pbem.web.lobby.games import invited
from pbem.web.responses import private

blueprint = Blueprint("home", __name__)


OFFERS = 4


@blueprint.get("/")
def home() -> Response:
    """Show the start page."""
    person, reading = context.person(), context.reading()
    own_id = None if person is None else person.id
    return private(render_template(
        "lobby/home.html",
        mine=lists.mine(reading, own_id) if own_id is not None else [],
        invited=invited(person),
        offers=open_seats.offers(reading, person, most=OFFERS),
        shown=None if person is not None else newest_row(),
        sample=next(iter(registry.GAMES)), next=None, address="", wrong="",
    ))


def newest_row() -> rows.ListRow | None:
    """Return the row of the newest finished game that everybody may see."""
    found = search.newest(context.reading())
    return None if found is None else rows.row_of_hit(found)


# ---- help ---------------------------------------------------------------------------------------

MEANINGS = {
    "status": msgid("the table as it stands, and what is asked of whom"),
    "log": msgid("the newest entries of the log"),
    "orders": msgid("what you can send now"),
    "help": msgid("how orders and words are written"),
    "undo": msgid("takes your last orders back, until another player has moved"),
    "withdraw": msgid("takes an order ahead back; “all” takes back all of them"),
    "vacation": msgid("you are away for so many days"),
    "resign": msgid("gives your seat up; asks back first"),
    "chat": msgid("says the rest of the paragraph to the other players"),
}
BEHIND = {"withdraw": " N", "vacation": " N days", "chat": " …"}


@blueprint.get("/help/mail")
def mail_help() -> str:
    """Explain how to answer letters, which words they know, and what comes back."""
    language = context.language()
    books = [(key, words.term(key, "game_name", language)) for key in registry.GAMES]
    return render_template("help/mail.html", spoken=spoken_words(language), books=books,
                           most_ahead=orders_ahead.MOST)


def spoken_words(language: str) -> list[dict[str, Any]]:
    """Return each word with its other names in this language and its meaning."""
    also = other_names().get(language, {})
    return [
        {
            "word": word,
            "behind": BEHIND.get(word, ""),
            "also": also.get(word, ()),
            "meaning": words.gettext(MEANINGS[word], language),
        }
        for word in IN_GAMES
    ]


@cache
def other_names() -> dict[str, dict[str, list[str]]]:
    """Return the names that words have besides the English ones, by language."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


# ---- privacy ------------------------------------------------------------------------------------


@blueprint.get("/privacy")
def privacy() -> str:
    """Explain what is kept, what others see, and how to export or erase it."""
    return render_template(
        "privacy/privacy.html", days=context.service().settings.raw_mail_days)
