"""Serves the archive: all games that the reader may see, and records of ended ones."""

from __future__ import annotations

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from engine import registry
from pbem.archive import index, search
from pbem.i18n import words
from pbem.models import Game, GameState
from pbem.models.archive import Happening
from pbem.play import positions
from pbem.record import export
from pbem.tables import lists
from pbem.tables.options import value_text
from pbem.web import context
from pbem.web.access import visible
from pbem.web.filters import zone_of
from pbem.web.games import games_here
from pbem.web.table import forms

blueprint = Blueprint("archive", __name__)
LONGEST_NAME = 40
LONGEST_WORDS = 200
LARGEST = 10**6  # largest number in a query
NEWEST = 2**62
SEATS = range(2, 5)
DIGEST = 64  # characters


@blueprint.get("/archive")
def games() -> ResponseReturnValue:
    """Show the finished games that match the query, or games in another state."""
    state = request.args.get("state", "")
    if state in lists.UNFINISHED:
        wanted = lists.UnfinishedFilter(
            state, line("player"), a_game(),
            forms.whole_number(request.args.get("before"), least=1, most=10**9))
        found = lists.unfinished(context.reading(), wanted, context.person())
        return render_template("archive/games.html", wanted=wanted, found=found, state=state,
                               states=lists.UNFINISHED)
    asked = wanted_games()
    return render_template(
        "archive/search.html", wanted=asked, state=GameState.FINISHED, states=lists.UNFINISHED,
        found=search.find(context.reading(), asked, context.person()), asked=request.args,
        options=option_choices(), happenings=happening_choices(), seats=SEATS,
        more=without_page())


def wanted_games() -> index.Wanted:
    """Return the search in the query; unknown filters are ignored."""
    zone = zone_of(context.person())
    since = search.day_begins(request.args.get("since", ""), zone)
    until = search.day_begins(request.args.get("until", ""), zone, later=1)
    return index.Wanted(
        player=line("player"), other=line("other"), winner=line("winner"), game=a_game(),
        seats=number("seats", most=SEATS.stop - 1), own=own_set(),
        option=one_of("option", option_choices()),
        since=since, until=until,
        margin=number("margin"), longer=number("longer"), shorter=number("shorter"),
        words=line("words", LONGEST_WORDS), happened=one_of("happened", happening_choices()),
        times=number("times", most=99), round=number("round", most=99), by=line("by"),
        before=number("before", most=NEWEST),
    )


def line(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a text of the query on one line."""
    return " ".join(request.args.get(name, "").split())[:longest]


def number(name: str, *, most: int = LARGEST) -> int | None:
    """Return a number of the query, from 1 to `most`; None otherwise."""
    return forms.whole_number(request.args.get(name), least=1, most=most)


def a_game() -> str:
    """Return the game's key in the query; "" if there is no such game."""
    game = request.args.get("game", "")
    return game if game in registry.GAMES else ""


def own_set() -> str:
    """Return the component set filter: "yes" (a host's own), "no", a digest, or ""."""
    own = request.args.get("own", "")
    is_digest = len(own) == DIGEST and all(sign in "0123456789abcdef" for sign in own)
    return own if own in ("yes", "no") or is_digest else ""


def one_of(name: str, choices: list[tuple[str, list[tuple[str, str]]]]) -> str:
    """Return a choice of the query that is on the list, else ""."""
    value = request.args.get(name, "")
    offered = {key for _, group in choices for key, _ in group}
    return value if value in offered else ""


def option_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the options of hosts, by game."""
    found = []
    for key, name in games_here():
        said = words.game_words(key, context.language()).options
        options = registry.game(key).options
        if options:
            found.append((name, [
                (f"{key}:{option}={text}", f"{said[option]}: {said[f'{option}_{text}']}")
                for option, values in options.items() for text in map(value_text, values)
            ]))
    return found


def happening_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the memorable events, by game."""
    return [
        (name, [(f"{key}:{one}", words.first_upper(happening(key, one)))
                for one in registry.game(key).happening_keys])
        for key, name in games_here()
    ]


def happening(game_key: str, key: str) -> str:
    """Return a memorable event in the reader's language."""
    return words.happening(game_key, key, context.language())


def happened(row: Game, one: Happening) -> str:
    """Return a game's memorable event with its round."""
    said = happening(row.game, one.key)
    if not one.round:
        return said
    rules = positions.rules_of(context.reading(), row)
    return f"{said} ({words.chapter(rules, one.round, context.language())})"


def without_page() -> dict[str, str]:
    """Return the filters of the query for the link to the next page."""
    return {name: value for name, value in request.args.items() if value and name != "before"}


@blueprint.get("/games/<int:game_id>/record")
def record(game_id: int) -> Response:
    """Return the record of an ended game as JSON Lines, for `verify`; raises 404 before the end."""
    row = visible(game_id)
    if row.state == GameState.RUNNING or row.last_entry == 0:
        abort(404)
    lines = context.streamed(lambda session: export.record_lines(session, row))
    answer = Response(lines, mimetype="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="game-{row.id}.jsonl"'
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer
