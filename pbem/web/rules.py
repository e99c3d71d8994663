"""Serves the rules of a game as a page with an anchor for every rule and worked examples."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from flask import Blueprint, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue
from jinja2 import Template
from markupsafe import Markup, escape

from engine import registry
from engine.api import Transition
from engine.chance import Unshuffled
from engine.errors import MoveRefused
from engine.scenario import ExampleTable, WorkedExample
from pbem.i18n import rulebook, words
from pbem.i18n.words import first_upper, signed
from pbem.models import ComponentSet
from pbem.tables import tutorial
from pbem.web import context, games
from pbem.web.table.forms import GameReader
from pbem.web.table.template_values import own_style

blueprint = Blueprint("rules", __name__)


MENTION = re.compile(r"(?<![\w>-])([A-Z]{2}-\d+\.\d+[a-z]?)")
STRONG, EMPHASIS, CODE = (re.compile(p) for p in (r"\*\*(.+?)\*\*", r"\*(.+?)\*", r"`(.+?)`"))


class PageComponents(NamedTuple):
    """A component set on a page: the game with it, its TOML, its name ("" for the printed one)."""

    rules: Any
    toml: str
    name: str


@blueprint.get("/rules")
def index() -> ResponseReturnValue:
    """Show the list of games with rules, or the rules if there is only one game."""
    if len(registry.GAMES) == 1:
        return redirect(games.rules_path())
    return render_template("rules/index.html")


@blueprint.get("/rules/<game_key>")
def rules(game_key: str) -> ResponseReturnValue:
    """Show the rules and the game's own tables; raises 404 for an unknown game or `?set=`."""
    if game_key not in registry.GAMES:
        abort(404)
    language, figures = context.language(), figures_of(game_key, request.args.get("set"))
    book, reader = rulebook.rulebook(game_key, language), GameReader(language, game_key, names=())
    templates: list[str | Template] = [f"games/{game_key}/rules.html", "rules/book.html"]
    return render_template(
        templates, book=book, key=game_key, rules=figures.rules, style=own_style(game_key),
        set_name=figures.name, w=book.words, examples=examples_of(game_key, language),
        short=list(tutorial.texts(game_key, language)["short"].values()),
        prose=prose(figures.rules.components, game_key, language),
        source=sources(figures.toml, book), signed=signed,
        reader=reader, t=reader.term, say=reader.say, first_upper=first_upper,
        **figures.rules.reference(),
    )  # fmt: skip


def figures_of(game_key: str, digest: str | None) -> PageComponents:
    """Return the component set of a digest, the printed one for None; raises 404 if unknown."""
    printed = registry.game(game_key)
    if digest in {None, printed.digest}:
        return PageComponents(printed, registry.standard(game_key), "")
    row = context.reading().get(ComponentSet, digest)
    if row is None or row.game != game_key:
        abort(404)
    return PageComponents(registry.game(game_key, row.toml), row.toml, row.name)


def prose(components: Any, game_key: str, language: str) -> Callable[[str], Markup]:
    """Return the function that turns a rules text into HTML, with the set's figures filled in."""
    return lambda text: html(rulebook.filled(text, components, game_key, language))


def sources(toml: str, book: rulebook.Rulebook) -> Callable[..., Markup]:
    """Return the function that words the source of figures, e.g. `source("landings", 0)`."""
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
    """Return a line with its emphasis, its code, and links to the rules that it names."""
    marked = str(escape(line))
    marked = CODE.sub(r"<code>\1</code>", marked)
    marked = STRONG.sub(r"<strong>\1</strong>", marked)
    marked = EMPHASIS.sub(r"<em>\1</em>", marked)
    linked = MENTION.sub(r'<a href="#\1">\1</a>', marked)
    return Markup(linked)  # noqa: S704  (escaped above)  # nosec B704


# ---- worked examples ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ExampleOrder:
    """One order of an example: the lines of the log that follow, or why it is refused."""

    seat: str
    line: str
    lines: Sequence[str] = ()
    allowed: bool = False
    refused: str = ""


@dataclass(frozen=True)
class ShownExample:
    """An example as a small table."""

    key: str
    told: rulebook.ExampleText
    orders: Sequence[ExampleOrder]


@cache
def examples_of(game_key: str, language: str) -> Mapping[str, Sequence[ShownExample]]:
    """Return the worked examples by the rule that they show; cached per game and language."""
    told = rulebook.rulebook(game_key, language).examples
    found: dict[str, list[ShownExample]] = {}
    for key, example in rulebook.examples(game_key).items():
        played = ExamplePlayer(game_key, example, language)
        shown = ShownExample(key, told[key], played.orders())
        found.setdefault(played.rules[0], []).append(shown)
    return found


class ExamplePlayer:
    """Plays an example for readers of one language; the seats are named by their colours."""

    def __init__(self, game_key: str, example: WorkedExample, language: str) -> None:
        self.key, self.example, self.language = game_key, example, language
        self.positions = registry.KINDS[game_key].positions
        self.rules = example.rule.split(", ")
        self.names = [words.term(game_key, f"seat_{each}", language)
                      for each in self.positions.SEATS]
        self.table = ExampleTable(registry.game(game_key))
        self.table.lay(example.position)

    def orders(self) -> list[ExampleOrder]:
        """Return the orders that are played, then those that could follow, then illegal ones."""
        played = [self.play(order) for order in self.example.orders]
        allowed = [ExampleOrder(*self.parts(order), allowed=True) for order in self.example.allowed]
        return [*played, *allowed, *map(self.refuse, self.example.refused)]

    def play(self, order: str) -> ExampleOrder:
        """Play an order and return it with its log lines."""
        turns = list(self.table.turns(order, Unshuffled()))
        self.table.state = turns[-1].state
        return ExampleOrder(*self.parts(order), lines=self.lines(order, turns))

    def lines(self, order: str, turns: Sequence[Transition]) -> list[str]:
        """Return the log lines of the example's rules, as the ordering seat may read them."""
        viewer = self.positions.SEATS.index(order.partition(":")[0])
        told = (
            words.event_line(self.table.game, event, names=self.names, viewer=viewer,
                             language=self.language)
            for turn in turns for event in turn.events
        )  # fmt: skip
        return [words.first_upper(line.text) for line in told
                if line is not None and line.rule in self.rules]

    def refuse(self, order: str) -> ExampleOrder:
        """Return an illegal order with the reason."""
        try:
            list(self.table.turns(order, Unshuffled()))
        except MoveRefused as why:
            said = words.refusal(self.key, why.key, why.rule, why.numbers, self.language,
                                 names=self.names)
            return ExampleOrder(*self.parts(order), refused=said)
        return ExampleOrder(*self.parts(order), allowed=True)

    def parts(self, order: str) -> tuple[str, str]:
        """Return the seat of an order, and its line."""
        seat, _, line = order.partition(":")
        return self.names[self.positions.SEATS.index(seat)], line.strip()
