"""What a player sees while the database cannot work, what is lost (nothing), and the way back."""

from __future__ import annotations

import html
import re
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import select

from pbem.accounts import api_tokens
from pbem.models import Game, Person, Submission
from pbem.service import Service
from tests.support.at_table import fields, sent

Fault = Callable[[Service], Any]
ORDER = "place 12 recruiting"


@contextmanager
def locked(service: Service) -> Iterator[None]:
    """Somebody's program writes for longer than anybody waits."""
    other = sqlite3.connect(service.settings.var / "carreira.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


@contextmanager
def full(service: Service) -> Iterator[None]:
    """No file can grow any more, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(service: Service) -> Iterator[None]:
    """As on a disk that was mounted for reading alone."""

    def only(connection: Any, *_: Any) -> None:
        connection.execute("PRAGMA query_only=1")

    event.listen(service.engine, "checkout", only)
    yield
    event.remove(service.engine, "checkout", only)
    service.engine.dispose()


FAULTS = {"locked": locked, "full": full, "read-only": read_only}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_orders_that_cannot_be_recorded_are_not_lost_and_are_sent_again_by_a_press(
    fault: Fault, ana: FlaskClient, service: Service, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text
    form = fields(page, order=ORDER) | {"csrf_token": "its token"}

    with fault(service):
        away = ana.post(f"/games/{game.id}/orders", data=form)
        assert ana.get(f"/games/{game.id}").status_code == 200, "looking goes on"

    assert (away.status_code, away.headers["Retry-After"]) == (503, "15")
    assert "The service is away for a moment" in away.text
    assert "sqlite" not in away.text
    assert sent(service) == []
    again = re.search(r'<form method="post" action="([^"]+)">', away.text)
    assert again is not None
    kept = {name: html.unescape(value) for name, value in re.findall(
        r'<input type="hidden" name="(\w+)" value="([^"]*)"', away.text)}
    assert kept["order"] == ORDER
    for _ in range(2):  # a double click
        assert ana.post(again[1], data=kept).status_code == 303
    assert [each.orders for each in sent(service)] == [ORDER]


def test_a_program_is_told_to_come_again(
    service: Service, game: Game, flask_app: Any
) -> None:
    with service.writing() as session:
        person = session.exec(select(Person).where(Person.name == "Ana")).one()
        token = api_tokens.make(session, person, name="x", scopes=("read", "play"), days=30,
                                now=service.clock.now())
        session.commit()
        number = game.last_entry
    call: dict[str, Any] = {
        "json": {"orders": ORDER, "seen": number},
        "headers": {"Authorization": f"Bearer {token}", "Idempotency-Key": "the one call"},
    }
    program = flask_app.test_client()
    where = f"/api/v1/games/{game.id}/orders"

    with locked(service):
        away = program.post(where, **call)

    assert (away.status_code, away.headers["Retry-After"]) == (503, "15")
    assert away.content_type == "application/problem+json"
    for _ in range(2):
        assert program.post(where, **call).status_code == 202
    with service.reading() as session:
        assert len(session.exec(select(Submission).where(Submission.source == "api")).all()) == 1


def test_a_fault_of_ours_stays_one(ana: FlaskClient, service: Service, game: Game) -> None:
    """A column that is not there does not come back by itself: nobody is told to wait."""
    ana.application.config["PROPAGATE_EXCEPTIONS"] = False
    with service.engine.begin() as line:
        line.exec_driver_sql("ALTER TABLE chat RENAME TO chatter")

    broken = ana.post(f"/games/{game.id}/chat", data={"text": "well played"})

    assert broken.status_code == 500
    assert "Retry-After" not in broken.headers


def test_a_site_whose_database_is_gone_says_so_on_every_page(
    ana: FlaskClient, service: Service, game: Game
) -> None:
    service.engine.dispose()
    (service.settings.var / "carreira.db").rename(service.settings.var / "elsewhere.db")
    (service.settings.var / "carreira.db").mkdir()

    page = ana.get(f"/games/{game.id}", headers={"Accept-Language": "hu"})

    assert page.status_code == 503
    assert "A szolgáltatás egy kis ideig nem érhető el" in page.text
    assert ana.get("/healthz").status_code == 200
    assert ana.get("/readyz").json["wrong"][0] == "the database does not answer"
