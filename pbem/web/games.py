"""Words what pages say about games: names, addresses of rules, options."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from babel.lists import format_list
from flask import Flask

from engine import registry
from pbem.clocks import terms
from pbem.i18n import words
from pbem.models import Game, GameState
from pbem.tables import tutorial
from pbem.tables.options import value_of_text, value_text
from pbem.web import context


class NamedGame(NamedTuple):
    """A game that can be played here."""

    key: str
    name: str


class OptionField(NamedTuple):
    """An option that a host chooses: the field's name, its label, (value, label, below) triples."""

    name: str
    label: str
    choices: Sequence[tuple[str, str, str]]


def game_name(key: str) -> str:
    """Return the game's name in the reader's language."""
    return words.term(key, "game_name", context.language())


def games_here() -> list[NamedGame]:
    """Return all games in the registry's order."""
    return [NamedGame(key, game_name(key)) for key in registry.GAMES]


def game_names() -> str:
    """Return the names of all games as a list in words: "one, two and three"."""
    return format_list([game.name for game in games_here()], locale=context.language())


def rules_path() -> str:
    """Return the path of the rules: those of the only game, or the list."""
    return f"/rules/{next(iter(registry.GAMES))}" if len(registry.GAMES) == 1 else "/rules"


# ---- options ------------------------------------------------------------------------------------


def option_fields(key: str) -> list[OptionField]:
    """Return a game's options, each with its default value first."""
    said = words.game_words(key, context.language()).options
    return [
        OptionField(
            field_of(option), said[option],
            [(value_text(value), said[f"{option}_{value_text(value)}"], "") for value in values],
        )
        for option, values in registry.game(key).options.items()
    ]  # fmt: skip


def field_of(option: str) -> str:
    """Return the name of an option's field."""
    return f"option-{option}"


def read_options(key: str, fields: Any) -> dict[str, Any]:
    """Return the chosen values; the default for a field with a missing or unknown value."""
    rules = registry.game(key)
    chosen = {}
    for option, values in rules.options.items():
        value = value_of_text(rules, option, fields.get(field_of(option), ""))
        chosen[option] = values[0] if value is None else value
    return chosen


def options_of(game: Game) -> list[tuple[str, str]]:
    """Return the chosen options as labels and values in words."""
    said = words.game_words(game.game, context.language()).options
    return [
        (said[option], said[f"{option}_{value_text(value)}"])
        for option, value in json.loads(game.options).items()
        if option in said
    ]


def terms_said(game: Game) -> str:
    """Return a game's clock in whole sentences."""
    return terms.in_words(terms.of(game), context.language())


def terms_in_short(game: Game) -> str:
    """Return a game's clock in a few words; "" once the game has ended."""
    if game.state not in (GameState.OPEN, GameState.RUNNING):
        return ""
    return terms.in_short(terms.of(game), context.language())


def about_game(key: str, text: str) -> str:
    """Return a text of a game for people who do not know it."""
    return tutorial.about(key, text, context.language())


def register(app: Flask) -> None:
    """Add the functions that templates use."""
    app.jinja_env.globals.update(
        game_name=game_name, games_here=games_here, game_names=game_names,
        rules_path=rules_path, about_game=about_game, options_of=options_of, terms_said=terms_said,
        terms_in_short=terms_in_short,
    )  # fmt: skip
