"""What a link to a public game shows elsewhere: title, summary and picture (Open Graph)."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, abort, request, url_for
from werkzeug.wrappers import Response

from pbem.i18n import words
from pbem.i18n.render import environment
from pbem.mail.letters.picture import TableReader, drawing, png_of
from pbem.models import Game, GameState
from pbem.web import context
from pbem.web.access import visible
from pbem.web.table.desk import Desk, desk_of

blueprint = Blueprint("link_preview", __name__)

SECONDS_FRESH = 300  # undoing may put another entry in a number's place
BEGUN = (GameState.RUNNING, GameState.FINISHED)


class LinkPreview(NamedTuple):
    """The values of a page's Open Graph tags; `picture` is an absolute URL."""

    title: str
    summary: str
    picture: str


def of(desk: Desk) -> LinkPreview | None:
    """Return a visitor's preview of the page; None if the game is private or they are signed in."""
    if context.person() is not None or not is_public(desk.row):
        return None
    site = context.service().settings.base_url
    address = url_for("link_preview.picture", game_id=desk.row.id, number=desk.number)
    return LinkPreview(
        desk.row.title or words.term(desk.row.game, "game_name", desk.reader.language),
        summary(desk), site + address)


def is_public(row: Game) -> bool:
    """Tell whether everybody may see the game's table."""
    return not row.private and row.state in BEGUN


def summary(desk: Desk) -> str:
    """Return the round and each player's points, as a spectator sees them."""
    rules, language = desk.table.rules, desk.reader.language
    said = words.round_name(rules, language, rules.chapter(desk.table.state)[0])
    tallies = zip(desk.reader.names, rules.tallies(desk.view), strict=True)
    points = ", ".join(f"{name} {sum(each.points.values())}" for name, each in tallies)
    return f"{words.first_upper(said)}: {points}"


@blueprint.get("/games/<int:game_id>/<int:number>/picture.png")
def picture(game_id: int, number: int) -> Response:
    """Draw the table after an entry, as a spectator sees it.

    Raises 404 for private games, for no such entry, and if it is not ready in time.
    """
    row = visible(game_id)
    if not (is_public(row) and 1 <= number <= row.last_entry):
        abort(404)
    desk = desk_of(row, number)
    rules, language = desk.table.rules, context.language()
    view = rules.observation(desk.table.state, None)
    shown = {**rules.page(view, None), "view": view, "marked": ()}
    reader = TableReader(desk.reader.names, desk.reader.letters, None)
    template = environment(language).get_template("letters/picture.svg")
    made = drawing(template, rules, shown, reader, language)
    png = png_of(made, context.service().settings.var / "link-previews")
    if png is None:
        abort(404)
    answer = Response(png, mimetype="image/png")
    shared = "public" if context.person() is None else "private"
    answer.headers["Cache-Control"] = f"{shared}, max-age={SECONDS_FRESH}"
    answer.headers["Vary"] = "Cookie, Accept-Language"
    answer.set_etag(made.digest)
    return answer.make_conditional(request)
