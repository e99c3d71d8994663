"""Serves players' public pages, their games against each other, and ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babel.numbers import format_decimal
from babel.units import format_unit
from flask import Blueprint, abort, render_template
from markupsafe import Markup

from engine import registry
from pbem.archive import players, ratings
from pbem.models import GONE, Game, GameState, Person
from pbem.tables.players import person_with_page
from pbem.web import context, filters

blueprint = Blueprint("players", __name__)
WIDTH, HEIGHT, EDGE = 240, 48, 4  # size of a rating's curve, in SVG units
AN_HOUR, TWO_DAYS = 1, 48


@blueprint.get("/players/<int:person_id>")
def player(person_id: int) -> str:
    """Show a player's page; raises 404 for people without public games, or who have left."""
    shown = players.player(context.reading(), person_id)
    if shown is None:
        abort(404)
    return render_template("players/player.html", player=shown, curve=curve)


@blueprint.get("/players/<int:person_id>/against/<int:other_id>")
def against(person_id: int, other_id: int) -> str:
    """Show two players' games with each other; raises 404 unless both have pages."""
    session = context.reading()
    one, other = person_with_page(session, person_id), person_with_page(session, other_id)
    if one is None or other is None or person_id == other_id:
        abort(404)
    met = players.meetings(session, person_id, other_id)
    return render_template("players/against.html", one=one, other=other, met=met,
                           tally=players.tally(met))


@blueprint.get("/ratings")
def best() -> str:
    """Explain the ratings and list the highest."""
    session = context.reading()
    listed = [(key, ratings.best(session, key)) for key in registry.GAMES]
    return render_template("players/ratings.html", listed=listed, start=ratings.Strength(),
                           fewest=ratings.FEWEST_GAMES, sigmas=ratings.SIGMAS)


# ---- for templates ------------------------------------------------------------------------------


@blueprint.app_template_global()
def player_link(name: str, person_id: int | None, *, linked: bool = True) -> Markup:
    """Return a name, linked to the player's page if there is one."""
    name = filters.called(name)
    if not linked:
        return Markup("{}").format(name)
    return Markup('<a href="/players/{}">{}</a>').format(person_id, name)


@blueprint.app_template_global()
def has_page(person: Person, game: Game) -> bool:
    """Tell whether a person in this game has a page: it is public and has begun."""
    begun = game.state in (GameState.RUNNING, GameState.FINISHED)
    return begun and not game.private and not person.address.endswith(GONE)


@blueprint.app_template_filter()
def decimal(number: float) -> str:
    """Return a number with one decimal in the reader's locale."""
    return str(format_decimal(number, format="#,##0.0", locale=context.language()))


@blueprint.app_template_filter()
def time_taken(hours: float) -> str:
    """Return a duration of some hours in the unit that fits."""
    if hours < AN_HOUR:
        number, unit = max(1, round(hours * 60)), "minute"
    elif hours < TWO_DAYS:
        number, unit = round(hours), "hour"
    else:
        number, unit = round(hours / 24), "day"
    return str(format_unit(number, unit, locale=context.language()))


def curve(history: Sequence[tuple[Any, float, int]]) -> dict[str, Any]:
    """Return a rating's history as an SVG line that starts at 0, and the height of zero."""
    values = [0.0, *(rating for _, rating, _ in history)]
    low, high = min(values), max(values)
    step = (WIDTH - 2 * EDGE) / max(1, len(values) - 1)
    scale = (HEIGHT - 2 * EDGE) / ((high - low) or 1)
    points = [
        (round(EDGE + place * step, 1), round(HEIGHT - EDGE - (value - low) * scale, 1))
        for place, value in enumerate(values)
    ]
    return {
        "points": " ".join(f"{x},{y}" for x, y in points), "last": points[-1],
        "zero": points[0][1], "width": WIDTH, "height": HEIGHT,
    }
