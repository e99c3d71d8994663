"""PostgreSQL restarted, read-only, out of connections, with a row in another's hands: 503, then on.

The same for workers: what they could not do now the next sweep does.
"""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from flask.testing import FlaskClient
from sqlalchemy.exc import DBAPIError

from pbem import db
from pbem.db import make_engine, migrate
from pbem.models import stored_id
from pbem.play import upkeep
from pbem.service import Service
from pbem.web.app import build
from tests.conftest import Enqueuer
from tests.support import tables
from tests.support.at_table import fields, play_on, sent, sign_in
from tests.support.servers import short_folder
from tests.support.tables import ANA
from tests.tools.soak.faults_stack import Postgres
from workers import context, tasks

pytestmark = pytest.mark.slow
ORDER = "place 12 recruiting"


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """A PostgreSQL of these tests' own, to be mistreated."""
    folder = short_folder("pf-")
    running = Postgres(folder)
    yield running
    running.server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def site(service: Service, server: Postgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A service on it."""
    monkeypatch.setattr(db, "LOCK_TIMEOUT", "200ms")
    monkeypatch.setattr(db, "SECONDS_FOR_A_CONNECTION", 1)
    server.run("drop schema public cascade", "create schema public")
    engine = make_engine(server.url)
    migrate(engine)
    yield replace(service, engine=engine)
    engine.dispose()


@pytest.fixture
def table(site: Service) -> Iterator[tuple[FlaskClient, int]]:
    """Ana's browser at a table where she is asked."""
    app = build(site)
    app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
    app.extensions["carreira_enqueuer"] = Enqueuer()
    browser = app.test_client()
    with site.writing() as session:
        game = tables.started_game(session, site.clock.now())
        play_on(site, session, game, lambda state: state.phase == 1)
        sign_in(site, browser, session, game, ANA)
        number = stored_id(game)
    yield browser, number


def restarted(server: Postgres, held: ExitStack) -> None:
    server.stop_at_once()
    held.callback(server.start)


def read_only(server: Postgres, held: ExitStack) -> None:
    server.run("alter system set default_transaction_read_only = on", "select pg_reload_conf()",
               "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
               " where backend_type = 'client backend' and pid <> pg_backend_pid()")
    held.callback(
        server.run, "alter system reset default_transaction_read_only", "select pg_reload_conf()",
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
        " where backend_type = 'client backend' and pid <> pg_backend_pid()")


def out_of_connections(server: Postgres, held: ExitStack) -> None:
    for line in server.eat():
        held.callback(line.close)


def in_others_hands(server: Postgres, held: ExitStack) -> None:
    """A process that hangs holds all games' rows."""
    line = held.enter_context(psycopg.connect(server.url))
    line.execute("select id from game for update")


FAULTS = (restarted, read_only, pytest.param(out_of_connections, marks=pytest.mark.soak),
          in_others_hands)


@pytest.mark.parametrize("fault", FAULTS)
def test_orders_are_answered_by_503_and_sent_again_count_once(
    fault: Any, server: Postgres, site: Service, table: tuple[FlaskClient, int]
) -> None:
    browser, number = table
    form = fields(browser.get(f"/games/{number}").text, order=ORDER)
    with ExitStack() as held:
        fault(server, held)
        away = browser.post(f"/games/{number}/orders", data=form)
        assert (away.status_code, away.headers["Retry-After"]) == (503, "15")
        assert "psycopg" not in away.text
        assert "The service is away for a moment" in away.text

    for _ in range(2):
        assert browser.post(f"/games/{number}/orders", data=form).status_code == 303
    assert [each.orders for each in sent(site)] == [ORDER]


def test_a_page_that_is_made_is_shown_where_its_connection_is_lost_behind_it(
    server: Postgres, site: Service, table: tuple[FlaskClient, int]
) -> None:
    browser, number = table

    def lose(answer: Any) -> Any:
        server.run("select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                   " where backend_type = 'client backend' and pid <> pg_backend_pid()")
        return answer

    browser.application.after_request_funcs.setdefault(None, []).append(lose)

    for _ in range(2):
        assert browser.get(f"/games/{number}").status_code == 200
    for engine in (site.engine,):
        assert engine.pool.checkedout() == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_worker_leaves_to_the_next_sweep_what_it_cannot_do_now(
    fault: Any, server: Postgres, site: Service, table: tuple[FlaskClient, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    browser, number = table
    monkeypatch.setattr(context, "service", lambda: site)
    monkeypatch.setattr(context, "enqueue_letters", lambda letters: None)
    form = fields(browser.get(f"/games/{number}").text, order=ORDER)
    assert browser.post(f"/games/{number}/orders", data=form).status_code == 303
    with ExitStack() as held:
        fault(server, held)
        with pytest.raises(db.AWAY) as raised:  # Celery tries again by these
            tasks.advance.run(number)
        assert db.is_away(raised.value)

    site.clock.forward(upkeep.ENQUEUED_FOR + timedelta(seconds=1))  # type: ignore[attr-defined]
    with site.reading() as session:
        assert upkeep.games_to_advance(session, site.clock.now()) == [number]
    tasks.sweep.run()
    assert [each.state for each in sent(site)] == ["played"]


def test_a_mistake_of_ours_is_not_taken_for_a_database_that_is_away(site: Service) -> None:
    with site.engine.connect() as line, pytest.raises(DBAPIError) as raised:
        line.exec_driver_sql("select nothing from nowhere")

    assert not db.is_away(raised.value)


def test_a_server_that_accepts_and_says_nothing_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(db.NEVER_FOR_EVER, "connect_timeout", "2")  # the least that libpq takes
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        engine = make_engine(f"postgresql://x@127.0.0.1:{silent.getsockname()[1]}/x")
        with pytest.raises(DBAPIError) as raised:
            engine.connect()

    assert db.is_away(raised.value)
