"""The small answer that waiting pages ask for."""

from __future__ import annotations

import re

from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.models import Game, Person, stored_id
from pbem.play import advance
from pbem.tables import chat
from tests.conftest import NOON
from tests.support import tables
from tests.support.at_table import fields
from tests.support.tables import BENTO


def version(client: FlaskClient, game: Game) -> str:
    return str(client.get(f"/games/{game.id}/newest").json["version"])


def say(session: Session, game: Game, seat: int, text: str) -> None:
    person = session.get_one(Person, tables.seat(session, game, seat).person_id)
    chat.post(session, stored_id(game), person, text, NOON)
    session.commit()


def test_it_is_not_sent_twice(ana: FlaskClient, game: Game) -> None:
    first = ana.get(f"/games/{game.id}/newest")
    second = ana.get(f"/games/{game.id}/newest", headers={"If-None-Match": first.headers["ETag"]})

    assert first.json == {"version": version(ana, game), "waiting": 1}
    assert (second.status_code, second.data) == (304, b"")


def test_the_page_carries_the_version_that_the_answer_has(ana: FlaskClient, game: Game) -> None:
    page = ana.get(f"/games/{game.id}").text

    assert re.findall(r'data-version="([^"]+)"', page) == [version(ana, game)]


def test_a_move_another_one_played_and_an_order_that_waits_change_it(
    ana: FlaskClient, bento: FlaskClient, session: Session, game: Game
) -> None:
    before, others = version(ana, game), version(bento, game)
    page = ana.get(f"/games/{game.id}").text

    ana.post(f"/games/{game.id}/orders", data=fields(page, number="12", area="recruiting"))
    waits = version(ana, game)
    assert waits != before
    assert version(bento, game) == others

    advance.advance(session, stored_id(game), NOON)
    assert version(ana, game) not in (before, waits)
    assert version(bento, game) != others


def test_talk_changes_it_for_those_alone_who_may_read_it(
    client: FlaskClient, ana: FlaskClient, session: Session, game: Game
) -> None:
    players, visitors = version(ana, game), version(client, game)

    say(session, game, BENTO, "Boa viagem")

    assert version(ana, game) != players
    assert version(client, game) == visitors


def test_a_private_game_answers_its_players_alone(
    client: FlaskClient, ana: FlaskClient, session: Session, game: Game
) -> None:
    game.private = True
    session.commit()

    assert client.get(f"/games/{game.id}/newest").status_code == 404
    assert ana.get(f"/games/{game.id}/newest").status_code == 200
