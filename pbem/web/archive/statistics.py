"""Serves the statistics of each game over all finished public games."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from flask import Blueprint, abort, render_template, request

from engine import registry
from engine.api import GameRules
from engine.measurements import POINTS
from pbem.archive import statistics
from pbem.archive.statistics import OTHERS, WINNERS, Period, Statistics
from pbem.i18n import words
from pbem.web import context
from pbem.web.table import forms

blueprint = Blueprint("statistics", __name__)
RATED = {"yes": True, "no": False}
LAST_YEAR = 9999


@dataclass(frozen=True)
class Row:
    """One measured thing; its numbers for winners and for the others."""

    name: str
    happening: str  # the archive's name for games in which it happened, "" if there is none
    times: tuple[float, ...]  # per player and game
    mean: tuple[float, ...]


@dataclass(frozen=True)
class Group:
    """A table of what is measured alike."""

    key: str
    title: str
    rows: list[Row]

    @property
    def is_counted(self) -> bool:
        """Tell whether it is news how often something was measured."""
        return any(each not in (0, 1) for row in self.rows for each in row.times)


@blueprint.get("/statistics/<game_key>")
def of_game(game_key: str) -> str:
    """Show a game's statistics in the period of the query; raises 404 for no such game."""
    if game_key not in registry.GAMES:
        abort(404)
    rules = registry.game(game_key)
    period = asked_period(rules)
    found = statistics.read(context.reading(), period)
    return render_template(
        "archive/statistics.html", key=game_key, period=period, found=found,
        groups=list(groups(rules, found)), years=statistics.years(context.reading(), game_key),
        seats=rules.seats, rated=request.args.get("rated", ""), behind=behind(period))


def asked_period(rules: GameRules) -> Period:
    """Return the period in the query; unknown filters are ignored."""
    return Period(
        rules.key,
        forms.whole_number(
            request.args.get("seats"), least=rules.seats.start, most=rules.seats.stop - 1),
        forms.whole_number(request.args.get("year"), least=1, most=LAST_YEAR),
        RATED.get(request.args.get("rated", "")),
    )


def behind(period: Period) -> dict[str, str | int]:
    """Return the archive's query for the games that the statistics are about."""
    query: dict[str, str | int] = {"game": period.game}
    if period.seats is not None:
        query["seats"] = period.seats
    if period.year is not None:
        query["since"] = date(period.year, 1, 1).isoformat()
        query["until"] = date(period.year, 12, 31).isoformat()
    return query


def groups(rules: GameRules, found: Statistics) -> list[Group]:
    """Return the tables of what the game measures: the points, and the others by title."""
    said = words.game_words(rules.key, context.language())
    tables = [
        Group(key, said.term(f"measure_{key}"), sorted(
            (row(rules, found, key, item, said.term(item)) for item in found.items(key)),
            key=lambda each: each.name))
        for key in found.measured()
    ]
    first = [table for table in tables if table.key == POINTS]
    return first + sorted(
        (table for table in tables if table.key != POINTS), key=lambda table: table.title)


def row(rules: GameRules, found: Statistics, group: str, item: str, name: str) -> Row:
    """Return the numbers of one measured thing."""
    happening = f"{group}:{item.partition('_')[2]}"
    sides = (WINNERS, OTHERS)
    return Row(
        words.first_upper(name),
        f"{rules.key}:{happening}" if happening in rules.happening_keys else "",
        tuple(found.per_player(group, item, side) for side in sides),
        tuple(found.of(group, item, side).mean for side in sides),
    )
