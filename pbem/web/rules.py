"""The rules of a game as a page: every rule has an anchor, which refusals and log lines link to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from flask import Blueprint, abort, redirect, render_template
from jinja2 import Template
from markupsafe import Markup, escape

from engine import registry
from pbem.web import current, games
from pbem.web.forms import Reader
from pbem.web.pages import own_style
from pbem.words import first_upper

blueprint = Blueprint("rules", __name__)

RULE = re.compile(r"- \*\*(?P<id>[A-Z]{2}-\d+\.\d+[a-z]?)\*\* (?P<text>.+)")
MENTION = re.compile(r"(?<![\w>-])([A-Z]{2}-\d+\.\d+[a-z]?)")
STRONG, EMPHASIS, CODE = (re.compile(p) for p in (r"\*\*(.+?)\*\*", r"\*(.+?)\*", r"`(.+?)`"))


@dataclass
class Section:
    """A section of the rules: numbered rules, and paragraphs without a number."""

    title: str
    rules: list[tuple[str, Markup]] = field(default_factory=list)
    paragraphs: list[Markup] = field(default_factory=list)


@dataclass
class Book:
    """A game's rules: what stands before the first section, then the sections."""

    title: str
    lead: list[Markup]
    sections: list[Section]


@blueprint.get("/rules")
def index() -> Any:
    """The games whose rules can be read; of a single one, the rules themselves."""
    if len(registry.GAMES) == 1:
        return redirect(games.rules_path())
    return render_template("rules/index.html")


@blueprint.get("/rules/<game_key>")
def rules(game_key: str) -> Any:
    """The rules page: the game's own, around the numbered rules."""
    if game_key not in registry.GAMES:
        abort(404)
    templates: list[str | Template] = [f"games/{game_key}/rules.html", "rules/book.html"]
    game, reader = registry.game(game_key), Reader(current.language(), game_key, names=())
    return render_template(
        templates, book=book_of(game_key), key=game_key, rules=game, style=own_style(game_key),
        reader=reader, t=reader.term, say=reader.say, first_upper=first_upper,
        **game.reference(),
    )  # fmt: skip


@cache
def book_of(game_key: str) -> Book:
    """RULES.md, read once a process."""
    return read_book(registry.rules_text(game_key))


def read_book(text: str) -> Book:
    """The little of Markdown that our rules use: headings, numbered rules, paragraphs."""
    book = Book("", [], [])
    for block in re.split(r"\n\s*\n|\n(?=- )|\n(?=#)", text):
        line = " ".join(block.split())
        rule = RULE.fullmatch(line)
        if line.startswith("# "):
            book.title = line[2:]
        elif line.startswith("## "):
            book.sections.append(Section(line[3:]))
        elif rule and book.sections:
            book.sections[-1].rules.append((rule["id"], html(rule["text"])))
        elif line:
            paragraphs = book.sections[-1].paragraphs if book.sections else book.lead
            paragraphs.append(html(line.removeprefix("- ")))
    return book


def html(line: str) -> Markup:
    """A line with its emphasis, its code, and links to the rules that it names."""
    marked = str(escape(line))
    marked = CODE.sub(r"<code>\1</code>", marked)
    marked = STRONG.sub(r"<strong>\1</strong>", marked)
    marked = EMPHASIS.sub(r"<em>\1</em>", marked)
    return Markup(MENTION.sub(r'<a href="#\1">\1</a>', marked))  # noqa: S704  (escaped above)
