"""The start page: what this is, the way in, and the games that wait for who is in."""

from __future__ import annotations

from flask import Blueprint, current_app, render_template
from werkzeug.wrappers import Response

from engine import registry
from pbem.archive import open_seats
from pbem.tables import lists
from pbem.web import context
from pbem.web.lobby.games import invited
from pbem.web.responses import private

blueprint = Blueprint("home", __name__)

OFFERS = 4


@blueprint.get("/favicon.ico")
def icon() -> Response:
    """For who asks without having read a page, which names the drawing."""
    return current_app.send_static_file("favicon.ico")


@blueprint.get("/robots.txt")
def robots() -> Response:
    """What search engines leave alone: what is one person's, and addresses that are secret."""
    return current_app.send_static_file("robots.txt")


@blueprint.get("/")
def home() -> Response:
    """The start page."""
    person, reading = context.person(), context.reading()
    own_id = None if person is None else person.id
    return private(render_template(
        "lobby/home.html",
        mine=lists.mine(reading, own_id) if own_id is not None else [],
        invited=invited(person),
        offers=open_seats.offers(reading, person, most=OFFERS),
        sample=next(iter(registry.GAMES)), next=None, address="", wrong="",
    ))
