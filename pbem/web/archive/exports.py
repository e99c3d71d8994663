"""A game that is over, to take home and to check: text, HTML file, its chance, its verification."""

from __future__ import annotations

from collections.abc import Sequence

from flask import (
    Blueprint,
    abort,
    current_app,
    render_template,
    request,
    send_file,
)
from flask.blueprints import BlueprintSetupState
from markupsafe import Markup, escape
from werkzeug.wrappers import Response

from pbem import enqueue as task_names
from pbem.archive.exports import kept
from pbem.archive.exports import text as astext
from pbem.models import Game, GameState
from pbem.models.archive import ImportedGame, Verification
from pbem.play import positions
from pbem.record import chance as drawn
from pbem.record import nightly
from pbem.web import context
from pbem.web.access import visible
from pbem.web.enqueue import enqueuer
from pbem.web.responses import private
from pbem.web.table import forms

blueprint = Blueprint("exports", __name__)

SECONDS_TO_COME_AGAIN = 60
SECONDS_BETWEEN_LOOKS = 5  # of a page that waits for its file
SHOWN = 12  # things of a shuffled row, until all are asked for


def finished(game_id: int) -> Game:
    """A finished game that the reader may see; else 404."""
    row = visible(game_id)
    if row.state != GameState.FINISHED:
        abort(404)
    return row


@blueprint.get("/games/<int:game_id>/exports")
def overview(game_id: int) -> Response:
    """All that can be taken home of a game, when it was checked, and where it comes from."""
    row = finished(game_id)
    return private(render_template("exports/index.html", game=row))


# ---- taking home --------------------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>/text")
def text(game_id: int) -> Response:
    """The game as text, in the reader's language and time zone."""
    row, person = finished(game_id), context.person()
    zone = "UTC" if person is None else person.zone
    language = context.language()
    pieces = context.streamed(lambda session: astext.text_of(session, row, language, zone))
    answer = Response(pieces, mimetype="text/plain")
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["Vary"] = "Cookie, Accept-Language"
    return answer


@blueprint.get("/games/<int:game_id>/html")
def html(game_id: int) -> Response:
    """The game as one file, if it is made; else a page that comes back for it."""
    row, service = finished(game_id), context.service()
    try:
        path = kept.ready(service, context.reading(), row, context.language())
    except kept.TooManyWanted:
        busy = private(render_template("exports/preparing.html", game=row, busy=True), 503)
        busy.headers["Retry-After"] = str(SECONDS_TO_COME_AGAIN)
        return busy
    if path is None:
        enqueue_exports()
        waits = private(render_template("exports/preparing.html", game=row, busy=False))
        waits.headers["Refresh"] = str(SECONDS_BETWEEN_LOOKS)
        return waits
    if request.accept_encodings["gzip"]:
        answer: Response = send_file(path, mimetype="text/html", conditional=False)
        answer.headers["Content-Encoding"] = "gzip"
    else:
        answer = Response(kept.plain(path), mimetype="text/html")
    name = f"game-{row.id}-{context.language()}.html"
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["Vary"] = "Cookie, Accept-Language, Accept-Encoding"
    return answer


def enqueue_exports() -> None:
    """Say that a file is wanted; the beat says it too."""
    enqueuer(current_app).put(task_names.EXPORTS)


# ---- checking -----------------------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>/chance")
def chance(game_id: int) -> Response:
    """What was committed to, what is revealed, every draw, and how to check one oneself."""
    row = visible(game_id)
    if row.state not in (GameState.FINISHED, GameState.CANCELLED) or not row.last_entry:
        abort(404)
    reading = context.reading()
    draws = drawn.draws_of(reading, row)
    return private(
        render_template(
            "exports/chance.html",
            game=row,
            draws=draws,
            seats=reading.exec(positions.seats_of(row)).all(),
            chosen=chosen(draws),
            shown=SHOWN,
        )
    )


def chosen(draws: Sequence[drawn.Draw]) -> drawn.Draw | None:
    """The draw that the address names, for the program that makes it again; else the first."""
    entry = forms.whole_number(request.args.get("entry"), least=0, most=10**8)
    number = forms.whole_number(request.args.get("draw"), least=0, most=10**8)
    of_entries = [each for each in draws if each.entry]
    named = [each for each in of_entries if (each.entry, each.draw) == (entry, number)]
    return next(iter(named or of_entries), None)


# ---- for all pages ------------------------------------------------------------------------------


@blueprint.app_template_filter()
def in_python(text: str) -> Markup:
    """A text as a program writes it; JSON has signs beyond U+FFFF in two halves."""
    return escape(ascii(text))


def verification(game: Game) -> Verification | None:
    """When a game was last re-run, and what was found."""
    return context.reading().get(Verification, game.id)


def verifications(games: Sequence[Game]) -> dict[int, Verification]:
    """The same for a list of games, by their numbers."""
    return nightly.of_games(context.reading(), [game.id for game in games if game.id is not None])


def imported(game: Game) -> ImportedGame | None:
    """Where a game comes from, if it was not played here."""
    return context.reading().get(ImportedGame, game.id)


@blueprint.record_once
def give(state: BlueprintSetupState) -> None:
    """Give templates what they use."""
    state.app.jinja_env.globals.update(
        verification_of=verification, verifications_of=verifications, imported_from=imported)
