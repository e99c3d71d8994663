"""The start page: what this is, the way in, and the games that wait for who is in."""

from __future__ import annotations

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from engine import registry
from pbem.games import lists, open_seats
from pbem.web import current
from pbem.web.answers import private
from pbem.web.lobby import invited

blueprint = Blueprint("home", __name__)

OFFERS = 4


@blueprint.get("/")
def home() -> Response:
    """The start page."""
    person, reading = current.person(), current.reading()
    own_id = None if person is None else person.id
    return private(render_template(
        "lobby/home.html",
        mine=lists.mine(reading, own_id) if own_id is not None else [],
        invited=invited(person),
        offers=open_seats.offers(reading, person, most=OFFERS),
        sample=next(iter(registry.GAMES)),
    ))
