"""Lessons without an account: who begins one, what a guest may do, and that nothing stays."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, SQLModel, select

from engine import registry
from pbem import cleanup
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.models import Game, Outbox, Person
from pbem.play import positions
from pbem.service import Service
from pbem.tables import tutorial
from pbem.web.app import build
from tests.conftest import NOON
from tests.support import tables
from tests.support.at_table import fields, order


def begun(client: FlaskClient, key: str = "vasco-da-gama") -> str:
    """Begin a lesson; its address."""
    answer = client.post("/learn", data={"game": key})
    assert answer.status_code == 303
    return str(answer.location)


@pytest.mark.parametrize("key", registry.GAMES)
def test_a_visitor_begins_a_lesson_without_an_address(
    client: FlaskClient, session: Session, key: str
) -> None:
    page = client.get(begun(client, key)).text

    assert "step 1 of" in page
    guest = session.exec(select(Person).where(Person.bot == None)).one()  # noqa: E711
    assert guest.is_guest
    assert {row.state for row in session.exec(select(Outbox))} == {"unwanted"}


def test_a_guest_plays_a_step_by_its_button(client: FlaskClient, enqueuer: object) -> None:
    path = begun(client)
    page = client.get(path).text
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"',
                             page[page.index('id="lesson"'):]))

    answer = client.post(f"{path}/orders", data={**fields(page), "order": hidden["order"]})

    assert answer.status_code == 303
    assert hidden["order"].startswith("place")


def test_a_guest_is_a_visitor_everywhere_else(
    client: FlaskClient, session: Session
) -> None:
    begun(client)
    table = tables.started_game(session, NOON)

    for path in ("/account", "/games/new", "/letters"):
        assert "/sign-in" in str(client.get(path).location), path
    assert "/sign-in" in str(client.post(f"/games/{table.id}/chat", data={"text": "x"}).location)
    assert "/sign-in" in str(client.post("/solo", data={"game": "goa", "bots": "1"}).location)


def test_where_nobody_may_register_a_lesson_needs_an_account(
    environment: dict[str, str], service: Service, session: Session
) -> None:
    settings = Settings.from_environment(environment | {"CARREIRA_REGISTRATION": "closed"})
    app = build(Service(settings, service.engine, service.clock))
    app.config["WTF_CSRF_ENABLED"] = False

    answer = app.test_client().post("/learn", data={"game": "goa"})

    assert "/sign-in" in str(answer.location)
    assert session.exec(select(Person)).all() == []


def test_a_guest_who_stays_away_leaves_nothing_behind(
    client: FlaskClient, service: Service, session: Session
) -> None:
    begun(client)
    tables.person(session, "Ana", NOON)
    session.commit()
    later = Service(service.settings, service.engine, FixedClock(NOON + timedelta(days=4)))

    assert cleanup.tidy(later)["guest"] == 1

    session.expire_all()
    kept = {person.name for person in session.exec(select(Person)) if person.bot is None}
    assert kept == {"Ana"}
    games = [table for table in SQLModel.metadata.sorted_tables if "game_id" in table.columns]
    assert games
    assert all(session.connection().execute(table.select()).all() == [] for table in games)


def test_a_guest_who_came_back_keeps_the_lesson(
    client: FlaskClient, service: Service, session: Session
) -> None:
    begun(client)
    tables.person(session, "Ana", NOON)
    session.commit()
    later = Service(service.settings, service.engine, FixedClock(NOON + timedelta(days=2)))

    assert cleanup.tidy(later)["guest"] == 0
    assert session.exec(select(Game)).one().tutorial


def test_who_gives_a_decision_away_is_warned_once(
    client: FlaskClient, service: Service, session: Session
) -> None:
    path = begun(client)
    game = session.exec(select(Game)).one()
    while "AwaitCalledAction" not in type(
            positions.table(session, game).state.awaiting).__name__:
        house = tutorial.house_move(positions.table(session, game), 0, ("Guest", "Steady"), "en")
        assert house is not None
        order(service, session, game, 0, house.line)
        session.refresh(game)
    session.commit()  # reading has begun a transaction, in which nobody else can write
    sent = fields(client.get(path).text, order="give up")

    warned = client.post(f"{path}/orders", data=sent)

    assert warned.status_code == 422
    assert "The house would play: Recruit a captain." in warned.text
    assert client.post(f"{path}/orders", data=sent).status_code == 303
