"""Serves exports of a finished game: text, HTML file, chance, verification."""

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

from pbem import enqueue
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
SECONDS_BETWEEN_LOOKS = 5  # refresh of the page that waits for its file
SHOWN = 12  # elements of a shuffled row shown until the reader asks for all


def finished(game_id: int) -> Game:
    """Return a finished game that the reader may see; raises 404 otherwise."""
    row = visible(game_id)
    if row.state != GameState.FINISHED:
        abort(404)
    return row


@blueprint.get("/games/<int:game_id>/exports")
def overview(game_id: int) -> Response:
    """Show all exports of a game, when it was verified, and where it was imported from."""
    row = finished(game_id)
    return private(render_template("exports/index.html", game=row))


# ---- files --------------------------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>/text")
def text(game_id: int) -> Response:
    """Return the game as text, in the reader's language and time zone."""
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
    """Return the game as one HTML file, or a page that waits until the file is made."""
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
    """Enqueue making the wanted files; the periodic task finds them too."""
    enqueuer(current_app).put(enqueue.EXPORTS)


# ---- checking -----------------------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>/chance")
def chance(game_id: int) -> Response:
    """Show the commitment, the secrets, every draw and how to check; raises 404 before the end."""
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
    """Return the draw that the query names, for the checking program; else the first one."""
    entry = forms.whole_number(request.args.get("entry"), least=0, most=10**8)
    number = forms.whole_number(request.args.get("draw"), least=0, most=10**8)
    of_entries = [each for each in draws if each.entry]
    named = [each for each in of_entries if (each.entry, each.draw) == (entry, number)]
    return next(iter(named or of_entries), None)


# ---- for templates ------------------------------------------------------------------------------


@blueprint.app_template_filter()
def in_python(text: str) -> Markup:
    """Return a text as Python source: JSON would split characters beyond U+FFFF in two."""
    return escape(ascii(text))


def verification(game: Game) -> Verification | None:
    """Return the last verification of a game, or None."""
    return context.reading().get(Verification, game.id)


def verifications(games: Sequence[Game]) -> dict[int, Verification]:
    """Return the last verifications of a list of games, by game number."""
    return nightly.of_games(context.reading(), [game.id for game in games if game.id is not None])


def imported(game: Game) -> ImportedGame | None:
    """Return where a game was imported from; None if it was played here."""
    return context.reading().get(ImportedGame, game.id)


@blueprint.record_once
def give(state: BlueprintSetupState) -> None:
    """Add the functions that templates use."""
    state.app.jinja_env.globals.update(
        verification_of=verification, verifications_of=verifications, imported_from=imported)
