"""What a site tells whoever watches over it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families
from sqlmodel import select

from pbem import health
from pbem.clock import FixedClock
from pbem.mail import queue
from pbem.models import Inbound, Person, Submission, stored_id
from pbem.models.operators import Report
from pbem.play import upkeep
from pbem.service import Service
from pbem.web.app import build
from tests.support import tables
from tests.support.servers import Valkey


@pytest.fixture
def ready(service: Service, valkey: Valkey) -> FlaskClient:
    """A site that lacks nothing."""
    settings = replace(service.settings, redis_url=valkey.url)
    with service.writing() as session:
        upkeep.store_heartbeat(session, "sweep", service.clock.now())
        session.commit()
    return build(replace(service, settings=settings)).test_client()


def wrong(client: FlaskClient) -> list[str]:
    """What /readyz complains of."""
    answer = client.get("/readyz")
    told = answer.get_json()
    assert answer.status_code == (200 if told["ready"] else 503)
    assert told["ready"] == (not told["wrong"])
    found: list[str] = told["wrong"]
    return found


def figures(client: FlaskClient, **headers: Any) -> dict[str, float]:
    """The figures of /metrics by name and labels."""
    answer = client.get("/metrics", **headers)
    assert answer.status_code == 200
    return {
        sample.name + "".join(f":{value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text) for sample in family.samples
    }


def test_a_process_that_answers_is_live_though_nothing_else_is(client: FlaskClient) -> None:
    assert client.get("/healthz").get_json()["service"] == "carreira"
    assert client.get("/healthz").status_code == 200


def test_a_site_that_lacks_nothing_is_ready(ready: FlaskClient) -> None:
    assert wrong(ready) == []


def test_a_sweep_that_stays_away_is_told(ready: FlaskClient, clock: FixedClock) -> None:
    clock.forward(timedelta(seconds=59))
    assert wrong(ready) == []
    clock.forward(timedelta(seconds=2))
    assert wrong(ready) == ["the sweep was last here 61 seconds ago"]


def test_a_site_that_was_never_swept_is_not_ready(
    service: Service, valkey: Valkey
) -> None:
    browser = build(replace(service, settings=replace(service.settings, redis_url=valkey.url)))
    assert wrong(browser.test_client()) == [
        "the sweep was never here: no worker of upkeep or no beat runs"]


def test_a_broker_that_is_away_is_told(ready: FlaskClient, valkey: Valkey) -> None:
    valkey.kill()
    assert wrong(ready) == ["the broker does not answer"]


def test_letters_that_do_not_leave_are_told(
    ready: FlaskClient, service: Service, clock: FixedClock
) -> None:
    with service.writing() as session:
        ana = tables.person(session, "Ana", clock.now())
        queue.due(session, person_id=ana.id, kind="test", part=1, now=clock.now())
        session.commit()
    clock.forward(timedelta(minutes=11))
    live(service)
    assert wrong(ready) == ["1 letters are due, the first since 660 seconds"]


def test_orders_and_letters_in_that_lie_are_told(
    ready: FlaskClient, service: Service, clock: FixedClock
) -> None:
    with service.writing() as session:
        game = tables.started_game(session, clock.now())
        ana = tables.seat(session, game, 0)
        session.add(Submission(game_id=game.id or 0, person_id=ana.person_id, seat=0, key="k",
                               source="page", orders="x", seen=1, state="pending",
                               created=clock.now()))
        session.add(Inbound(received=clock.now(), source="smtp", recipient="x@reply.example",
                            digest="d"))
        session.commit()
    clock.forward(timedelta(minutes=6))
    live(service)
    assert wrong(ready) == ["1 letters that came in are not judged", "1 orders are not played"]


def live(service: Service) -> None:
    """The sweep was here just now."""
    with service.writing() as session:
        upkeep.store_heartbeat(session, "sweep", service.clock.now())
        session.commit()


def test_a_database_that_is_away_is_told_without_its_address(
    service: Service, valkey: Valkey
) -> None:
    gone = replace(service.settings, redis_url=valkey.url)
    client = build(replace(service, settings=gone)).test_client()
    with service.engine.begin() as connection:
        connection.exec_driver_sql("drop table heartbeat")
    assert wrong(client) == ["the database does not answer"]


def test_figures_count_games_letters_and_what_the_sweep_had_to_do(
    ready: FlaskClient, service: Service, clock: FixedClock
) -> None:
    with service.writing() as session:
        tables.started_game(session, clock.now())
        health.count(session, "sweep_games", 2)
        health.count(session, "sweep_games")
        session.commit()
    told = figures(ready)
    assert told["carreira_games:running"] == 1
    assert told["carreira_games:finished"] == 0
    assert told["carreira_sweep_games_total"] == 3
    assert told["carreira_letters_total"] > 0
    assert told["carreira_sweep_age_seconds"] == 0


def test_figures_count_the_reports_that_wait_for_an_operator(
    client: FlaskClient, service: Service, clock: FixedClock
) -> None:
    assert figures(client)["carreira_reports_waiting"] == 0
    with service.writing() as session:
        ana, bento = (tables.person(session, name, clock.now()) for name in ("Ana", "Bento"))
        session.flush()
        for settled in (None, None, clock.now()):
            session.add(Report(by_id=stored_id(ana), about_id=stored_id(bento), text="rude",
                               at=clock.now(), settled=settled))
        session.commit()

    assert figures(client)["carreira_reports_waiting"] == 2


def test_figures_hold_no_name_and_no_address(
    ready: FlaskClient, service: Service, clock: FixedClock
) -> None:
    with service.writing() as session:
        tables.started_game(session, clock.now())
        names = session.exec(select(Person.name)).all()
    told = ready.get("/metrics").text + ready.get("/readyz").text
    assert "@" not in told
    assert not [name for name in names if re.search(rf"\b{name}\b", told)]


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_without_a_token_figures_are_for_this_machine_alone(
    ready: FlaskClient, header: str
) -> None:
    assert ready.get("/metrics").status_code == 200
    assert ready.get("/metrics", headers={header: "127.0.0.1"}).status_code == 404
    far = {"REMOTE_ADDR": "198.51.100.7"}
    assert ready.get("/metrics", environ_overrides=far).status_code == 404


def test_with_a_token_figures_are_for_who_knows_it(service: Service) -> None:
    settings = replace(service.settings, metrics_token="a-long-token")
    client = build(replace(service, settings=settings)).test_client()
    assert client.get("/metrics").status_code == 404
    wrong_one = {"Authorization": "Bearer another"}
    assert client.get("/metrics", headers=wrong_one).status_code == 404
    right = {"headers": {"Authorization": "Bearer a-long-token"},
             "environ_overrides": {"REMOTE_ADDR": "198.51.100.7"}}
    assert "carreira_games:open" in figures(client, **right)


def test_the_page_of_settings_tells_of_every_figure(client: FlaskClient) -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
    listed = set(re.findall(r"`(carreira_[a-z_]+)`", page.split("for Prometheus", 1)[1]))
    told = {name.partition(":")[0] for name in figures(client)}
    only_after_one_left = {"carreira_letter_accepted_age_seconds", "carreira_sweep_age_seconds"}

    assert listed - only_after_one_left == told - only_after_one_left
