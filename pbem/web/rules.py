"""The rules of a game as a page: every rule has an anchor, which refusals and log lines link to."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any, NamedTuple

from flask import Blueprint, abort, redirect, render_template, request
from jinja2 import Template
from markupsafe import Markup, escape

from engine import registry
from pbem.i18n import rulebook
from pbem.i18n.words import first_upper, signed
from pbem.models import ComponentSet
from pbem.web import context, games
from pbem.web.rule_examples import examples_of
from pbem.web.table.forms import Reader
from pbem.web.table.template_values import own_style

blueprint = Blueprint("rules", __name__)

MENTION = re.compile(r"(?<![\w>-])([A-Z]{2}-\d+\.\d+[a-z]?)")
STRONG, EMPHASIS, CODE = (re.compile(p) for p in (r"\*\*(.+?)\*\*", r"\*(.+?)\*", r"`(.+?)`"))


class Figures(NamedTuple):
    """The component set that a page shows: the game over it, its TOML, its name if not printed."""

    rules: Any
    toml: str
    name: str


@blueprint.get("/rules")
def index() -> Any:
    """The games whose rules can be read; of a single one, the rules themselves."""
    if len(registry.GAMES) == 1:
        return redirect(games.rules_path())
    return render_template("rules/index.html")


@blueprint.get("/rules/<game_key>")
def rules(game_key: str) -> Any:
    """The rules page: the numbered rules, then the game's own tables; `?set=` is a digest."""
    if game_key not in registry.GAMES:
        abort(404)
    language, figures = context.language(), figures_of(game_key, request.args.get("set"))
    book, reader = rulebook.rulebook(game_key, language), Reader(language, game_key, names=())
    templates: list[str | Template] = [f"games/{game_key}/rules.html", "rules/book.html"]
    return render_template(
        templates, book=book, key=game_key, rules=figures.rules, style=own_style(game_key),
        set_name=figures.name, w=book.words, examples=examples_of(game_key, language),
        prose=prose(figures.rules.components, game_key, language),
        source=sources(figures.toml, book), signed=signed,
        reader=reader, t=reader.term, say=reader.say, first_upper=first_upper,
        **figures.rules.reference(),
    )  # fmt: skip


def figures_of(game_key: str, digest: str | None) -> Figures:
    """The component set of this digest, the printed one without; 404 if there is none."""
    printed = registry.game(game_key)
    if digest in {None, printed.digest}:
        return Figures(printed, registry.standard(game_key), "")
    row = context.reading().get(ComponentSet, digest)
    if row is None or row.game != game_key:
        abort(404)
    return Figures(registry.game(game_key, row.toml), row.toml, row.name)


def prose(components: Any, game_key: str, language: str) -> Callable[[str], Markup]:
    """Turns a text of the rules into HTML, with the set's figures in it."""
    return lambda text: html(rulebook.filled(text, components, game_key, language))


def sources(toml: str, book: rulebook.Rulebook) -> Callable[..., Markup]:
    """Says where the figures at `source("landings", 0)` come from, in the reader's language."""
    raw = tomllib.loads(toml)

    def source(*path: str | int) -> Markup:
        found: Any = raw
        for step in path:
            found = found[step]
        said = str(found.get("source", ""))
        if said in book.sources or not book.sources:
            return escape(book.sources.get(said, said))
        return Markup('<span lang="en">{}</span>').format(said)

    return source


def html(line: str) -> Markup:
    """A line with its emphasis, its code, and links to the rules that it names."""
    marked = str(escape(line))
    marked = CODE.sub(r"<code>\1</code>", marked)
    marked = STRONG.sub(r"<strong>\1</strong>", marked)
    marked = EMPHASIS.sub(r"<em>\1</em>", marked)
    linked = MENTION.sub(r'<a href="#\1">\1</a>', marked)
    return Markup(linked)  # noqa: S704  (escaped above)  # nosec B704
