"""How often things may be asked for: by a person, an address, a network; what is said then."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.config import Settings
from pbem.models import Game
from pbem.service import Service
from pbem.web import limits
from pbem.web.app import build
from tests.support.doors import browser, somebody
from tests.support.pages import get_routes
from tests.support.servers import Valkey

HOURLY = {limit.name: limit for limit in limits.TABLE}


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table in which three previews, searches and codes are all that anybody has."""
    def cut(limit: limits.Limit) -> limits.Limit:
        return replace(limit, person=limit.person and 3, address=5, network=7)

    monkeypatch.setattr(limits, "LIMITS", tuple(map(cut, limits.LIMITS)))
    monkeypatch.setattr(limits, "FORMS", cut(limits.FORMS))
    monkeypatch.setattr(limits, "API", cut(limits.API))


def ask(client: FlaskClient, path: str, of: str = "127.0.0.1", times: int = 1) -> list[int]:
    """The statuses of so many requests from an address."""
    return [client.get(path, environ_base={"REMOTE_ADDR": of}).status_code for _ in range(times)]


# ---- whose count it is --------------------------------------------------------------------------


@pytest.mark.parametrize("remote, address, network", [
    ("192.0.2.77", "address 192.0.2.77/32", "network 192.0.2.0/24"),
    ("2001:db8:1:2:3:4:5:6", "address 2001:db8:1:2::/64", "network 2001:db8:1::/48"),
    ("2001:DB8:1:2::9", "address 2001:db8:1:2::/64", "network 2001:db8:1::/48"),
    ("::ffff:192.0.2.77", "address 192.0.2.77/32", "network 192.0.2.0/24"),
    ("fe80::1%eth0", "address fe80::/64", "network fe80::/48"),
    ("no address", "address unknown", "network unknown"),
    (None, "address unknown", "network unknown"),
])
def test_a_request_counts_for_its_address_and_network(
    remote: str | None, address: str, network: str
) -> None:
    assert limits.places(remote) == (address, network)


@pytest.mark.usefixtures("tight")
def test_one_address_is_stopped_and_its_neighbours_are_not(client: FlaskClient) -> None:
    assert ask(client, "/archive", "192.0.2.1", times=6) == [200] * 5 + [429]
    assert ask(client, "/archive", "192.0.2.2") == [200]


@pytest.mark.usefixtures("tight")
def test_a_network_is_stopped_whose_addresses_take_turns(client: FlaskClient) -> None:
    answers = [ask(client, "/archive", f"192.0.2.{last}")[0] for last in range(1, 9)]

    assert answers == [200] * 7 + [429]
    assert ask(client, "/archive", "198.51.100.1") == [200]


@pytest.mark.usefixtures("tight")
def test_the_addresses_of_one_ipv6_household_are_one(client: FlaskClient) -> None:
    answers = [ask(client, "/archive", f"2001:db8::{last}")[0] for last in range(1, 7)]

    assert answers == [200] * 5 + [429]


@pytest.mark.usefixtures("tight")
def test_a_person_is_stopped_wherever_he_asks_from(
    flask_app: Flask, service: Service
) -> None:
    ana = browser(flask_app, service, somebody(service, "Ana"))
    answers = [
        ana.post("/account/invitations", environ_base={"REMOTE_ADDR": f"10.{n}.0.1"}).status_code
        for n in range(4)]

    assert answers == [303] * 3 + [429]


@pytest.mark.usefixtures("tight")
def test_a_program_is_stopped_by_its_person_whatever_token_it_shows(
    flask_app: Flask, service: Service
) -> None:
    ana = browser(flask_app, service, somebody(service, "Ana"))
    heads = [{"Authorization": f"Bearer {made_token(ana)}"} for _ in range(2)]
    program = flask_app.test_client()

    answers = [program.get("/api/v1/games", headers=heads[n % 2]) for n in range(4)]

    assert [each.status_code for each in answers] == [200] * 3 + [429]
    assert answers[-1].mimetype == "application/problem+json"
    assert answers[-1].get_json()["status"] == 429
    assert 3500 < int(answers[-1].headers["Retry-After"]) <= 3600


def made_token(client: FlaskClient) -> str:
    page = client.post("/account/tokens", data={
        "name": "a script", "days": "30", "read": "yes"}).get_data(as_text=True)
    return "carreira_" + page.split("carreira_", 1)[1].split("<", 1)[0].strip()


@pytest.mark.usefixtures("tight")
@pytest.mark.parametrize("proxies, answer", [("0", 429), ("1", 200)])
def test_a_forged_forwarded_address_counts_only_behind_a_known_proxy(
    environment: dict[str, str], service: Service, proxies: str, answer: int
) -> None:
    settings = Settings.from_environment(environment | {"CARREIRA_PROXIES": proxies})
    visitor = build(Service(settings, service.engine, service.clock)).test_client()

    answers = [visitor.get("/archive", headers={"X-Forwarded-For": f"10.0.0.9, 10.{n}.0.1"})
               for n in range(6)]

    assert answers[-1].status_code == answer


# ---- what counts --------------------------------------------------------------------------------


def test_every_route_that_the_table_names_is_there(flask_app: Flask) -> None:
    known = {rule.endpoint for rule in flask_app.url_map.iter_rules()}

    assert {route for limit in limits.TABLE for route in limit.routes} - known == set()


def test_whatever_is_posted_has_a_limit(flask_app: Flask) -> None:
    posts = {rule.endpoint for rule in flask_app.url_map.iter_rules()
             if rule.methods & {"POST", "PUT", "PATCH", "DELETE"}
             and not rule.endpoint.startswith("api.")}

    unlimited = [each for each in posts
                 if not any(not one.missing_only for one in limits.of_route(each, "POST"))]

    assert unlimited == []


def test_pages_that_cost_much_have_a_limit(flask_app: Flask) -> None:
    dear = {route for route in get_routes(flask_app)
            if route.startswith(("feeds.p", "feeds.own", "exports.html", "exports.text",
                                 "archive.", "account.export_own_data"))}

    assert [each for each in dear if not list(limits.of_route(each, "GET"))] == []


@pytest.mark.usefixtures("tight")
def test_who_tries_addresses_that_lead_nowhere_is_stopped_and_others_read_on(
    client: FlaskClient
) -> None:
    guesses = [client.get(f"/invitations/1-{number:043}").status_code for number in range(6)]

    assert guesses == [404] * 5 + [429]
    assert ask(client, "/invitations/1-right", "192.0.2.1") == [404]
    assert ask(client, "/sign-in") == [200]


def test_a_game_that_is_played_fast_meets_no_limit() -> None:
    """A person at a table all day: a move every ten seconds, a preview every second and a half."""
    assert HOURLY["orders"].person >= 3600 / 10
    assert HOURLY["previews"].person >= 3600 / 1.5
    assert HOURLY["talk and notes"].person >= 20 + 3600 / 20  # talk has 20 in the database
    for limit in limits.TABLE:
        assert limit.network >= 4 * limit.address, limit.name
        assert limit.address >= (limit.person or 0), limit.name


# ---- what is said -------------------------------------------------------------------------------


@pytest.mark.usefixtures("tight")
def test_who_asks_too_often_gets_a_page_that_says_when_to_come_back(client: FlaskClient) -> None:
    ask(client, "/archive", times=5)

    told = client.get("/archive")

    assert (told.status_code, told.mimetype) == (429, "text/html")
    assert "Wait a while" in told.get_data(as_text=True)
    assert 3500 < int(told.headers["Retry-After"]) <= 3600


def test_an_address_that_had_its_letters_is_told_when_to_come_back(client: FlaskClient) -> None:
    answers = [client.post("/sign-in", data={"address": "ana@players.example"}) for _ in range(6)]

    assert answers[-1].status_code == 429
    assert answers[-1].headers["Retry-After"] == "3600"


# ---- Redis --------------------------------------------------------------------------------------


def app_with(service: Service, environment: dict[str, str], redis: str) -> Flask:
    settings = Settings.from_environment(environment | {"CARREIRA_REDIS_URL": redis})
    return build(Service(settings, service.engine, service.clock))


@pytest.mark.usefixtures("tight")
def test_processes_share_their_counts_in_redis(
    service: Service, environment: dict[str, str], valkey: Valkey
) -> None:
    one, other = (app_with(service, environment, valkey.url).test_client() for _ in range(2))

    assert ask(one, "/archive", times=3) + ask(other, "/archive", times=3) == [200] * 5 + [429]


@pytest.mark.usefixtures("tight")
def test_each_process_counts_alone_while_redis_is_away(
    service: Service, environment: dict[str, str], tmp_path: Any
) -> None:
    away = app_with(service, environment, f"redis+socket://{tmp_path}/nobody.sock").test_client()

    assert ask(away, "/archive", times=6) == [200] * 5 + [429]


@contextmanager
def hanging() -> Iterator[tuple[str, list[socket.socket]]]:
    """A Redis that takes calls and never answers, and the calls it took."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        def accept() -> None:
            while True:
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0", taken
        server.shutdown(socket.SHUT_RDWR)
    thread.join()
    for line in taken:
        line.close()


@pytest.mark.usefixtures("tight")
def test_a_redis_that_hangs_is_waited_for_once_and_not_asked_again(
    service: Service, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SECONDS_FOR_REDIS", 0.05)
    monkeypatch.setattr(limits, "SECONDS_WITHOUT", 1e9)
    with hanging() as (url, taken):
        visitor = app_with(service, environment, url).test_client()

        assert ask(visitor, "/archive", times=6) == [200] * 5 + [429]
        assert len(taken) == 1


def test_redis_is_asked_again_after_a_while(
    service: Service, environment: dict[str, str], valkey: Valkey
) -> None:
    app = app_with(service, environment, valkey.url)
    counts = app.extensions[limits.EXTENSION]
    counts.away_until = time.monotonic() - 1
    app.test_client().get("/archive")

    assert not counts.own.storage.storage
    most = HOURLY["search"].address
    for _ in range(most - 1):
        assert counts.ask(most, "search", "address 127.0.0.1/32") == 0
    assert counts.ask(most, "search", "address 127.0.0.1/32", is_counted=False) > 0


@pytest.mark.usefixtures("tight")
def test_measurements_may_count_nothing(environment: dict[str, str], service: Service) -> None:
    settings = Settings.from_environment(environment | {"CARREIRA_TEST_LIMITS": "off"})
    visitor = build(Service(settings, service.engine, service.clock)).test_client()

    assert ask(visitor, "/archive", times=9) == [200] * 9


def test_talk_about_a_game_is_counted_by_its_person(ana: FlaskClient, game: Game) -> None:
    names = [limit.name for limit in limits.of_route("seat.chat", "POST")]

    assert names == ["talk and notes"]
