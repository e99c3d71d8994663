"""The start page: what this is, the way in, and the games that wait for who is in."""

from __future__ import annotations

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from pbem.games import lists
from pbem.web import current
from pbem.web.answers import private

blueprint = Blueprint("home", __name__)


@blueprint.get("/")
def home() -> Response:
    """The start page."""
    person, reading = current.person(), current.reading()
    own_id = None if person is None else person.id
    mine = lists.mine(reading, own_id) if own_id is not None else []
    return private(render_template("lobby/home.html", mine=mine,
                                   to_join=lists.to_join(reading, own_id)[:5]))
