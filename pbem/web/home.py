"""Serves the start page, the help for playing by mail, and the privacy page."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from engine import registry
from pbem.archive import open_seats, search
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.incoming.commands import FILE, IN_GAMES
from pbem.models import Game
from pbem.play import narration, orders_ahead, positions
from pbem.tables import glances, lists
from pbem.web import context, rows
from pbem.web.lobby.games import invited
from pbem.web.responses import private
from pbem.web.table import forms

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
        stage=None if person is not None else stage(),
        sample=next(iter(registry.GAMES)), next=None, address="", wrong="",
    ))


@dataclass(frozen=True)
class Stage:
    """A finished game at the end of one of its phases, and the entries that one can step to."""

    row: rows.ListRow
    when: str
    number: int
    first: int
    back: int
    next: int
    last: int


def stage() -> Stage | None:
    """Return the newest finished public game at the entry in the query, else in its middle."""
    found = search.newest(context.reading())
    spans = [] if found is None else narration.chapters(context.reading(), found.game)
    if found is None or not spans:
        return None
    asked = forms.whole_number(request.args.get("entry"), least=1, most=found.game.last_entry)
    at = len(spans) * 2 // 5 if asked is None else next(
        place for place, span in enumerate(spans) if asked <= span.last)
    number = spans[at].last
    try:
        glance = glances.at_entry(context.reading(), found.game, number)
    except glances.DAMAGED:
        return None
    return Stage(
        rows.row_at(found, glance), when_of(found.game, spans[at]), number, spans[0].last,
        spans[max(at - 1, 0)].last, spans[min(at + 1, len(spans) - 1)].last, spans[-1].last)


def when_of(row: Game, span: narration.ChapterSpan) -> str:
    """Return the name of a phase and its round."""
    rules, language = positions.rules_of(context.reading(), row), context.language()
    phase = words.term(row.game, f"phase_{span.phase}", language)
    return f"{words.round_name(rules, language, span.round)}, {phase}" if span.round else phase


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
