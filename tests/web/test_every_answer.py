"""What holds for every route: forms need their token, pages run nothing of others, nobody keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlmodel import Session
from werkzeug.routing import Rule

from pbem.config import Settings
from pbem.models import Person
from pbem.service import Service
from pbem.web.app import build
from pbem.web.responses import HEADERS
from tests.support.doors import browser, enter, somebody
from tests.support.pages import PAGES, Page
from tests.support.world import World, world

WITHOUT_A_TOKEN = {  # routes that take posts without a form's token, and why
    "letter_links.stop_letters":
        "RFC 8058's one click comes from mail programs; its address is signed",
}
BY_BEARER = "api."  # no cookie counts there, so no other site can send one along
WRITES = ("POST", "PUT", "PATCH", "DELETE")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|"
                    r"(?:href|action|src)\s*=\s*[\"']\s*(?:javascript|vbscript):", re.IGNORECASE)
STRANGE = re.compile(r"<(?:script|link|img|iframe|object|embed|source|form)\b[^>]*"
                     r"\b(?:src|href|action|data)\s*=\s*[\"'](?:https?:)?//", re.IGNORECASE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("world") / "var", empty_database) as site:
        yield site
        assert site.service.engine.pool.checkedout() == 0, "an answer has kept its connection"


@pytest.fixture(scope="module")
def browsers(made: World) -> dict[str | None, Any]:
    return {}


def seen(made: World, browsers: dict[str | None, Any], page: Page) -> Any:
    who = page.who(made)
    if who not in browsers:
        name = None if who == "newcomer" else who
        browsers[who] = made.browser(name)
        for cookie, value in (made.newcomer if who == "newcomer" else {}).items():
            browsers[who].set_cookie(cookie, value)
    return browsers[who].get(page.address(made))


# ---- forms --------------------------------------------------------------------------------------


def address_of(rule: Rule) -> str:
    """The rule with something in its places."""
    path = re.sub(r"<int:\w+>", "1", rule.rule)
    return re.sub(r"<(?:\w+:)?\w+>", "x", path)


@pytest.fixture
def operator(service: Service, session: Session) -> Person:
    """Somebody to whom no route is closed by what he is."""
    who = session.get_one(Person, somebody(service, "Ana").id)
    who.operator = service.clock.now()
    session.add(who)
    session.commit()
    return who


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


def writing_routes(app: Flask) -> list[tuple[str, Rule]]:
    return [(method, rule) for rule in app.url_map.iter_rules() for method in WRITES
            if method in (rule.methods or ())]


def test_every_form_is_refused_without_its_token(service: Service, operator: Person) -> None:
    app = build(service)
    client = enter(app.test_client(), service, operator)
    client.environ_base["REMOTE_ADDR"] = "127.0.0.1"

    answers = {
        f"{method} {rule.endpoint}": client.open(address_of(rule), method=method).status_code
        for method, rule in writing_routes(app)
        if rule.endpoint not in WITHOUT_A_TOKEN and not rule.endpoint.startswith(BY_BEARER)}

    assert {name: code for name, code in answers.items() if code != 400} == {}
    assert len(answers) > 50


def test_the_token_of_another_browser_is_none(service: Service, operator: Person) -> None:
    app = build(service)
    page = app.test_client().get("/sign-in").get_data(as_text=True)
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
    assert token is not None
    client = enter(app.test_client(), service, operator)

    answer = client.post("/account/invitations", data={"csrf_token": token[1]})

    assert answer.status_code == 400


def test_a_program_is_known_by_no_cookie(service: Service, operator: Person) -> None:
    app = build(service)
    client = enter(app.test_client(), service, operator)

    answers = {client.open(address_of(rule), method=method).status_code
               for method, rule in writing_routes(app) if rule.endpoint.startswith(BY_BEARER)}

    assert answers == {401}


def test_looking_is_never_writing_by_another_name(service: Service) -> None:
    app = build(service)

    for rule in app.url_map.iter_rules():
        if "GET" in rule.methods and set(WRITES) & rule.methods:
            raise AssertionError(f"{rule.endpoint} looks and writes in one")


def test_the_operators_pages_are_none_for_all_others(service: Service) -> None:
    client = enter(build(service).test_client(), service, somebody(service, "Ana"))
    rules = [(method, rule) for rule in client.application.url_map.iter_rules()
             for method in ("GET", "POST") if rule.rule.startswith("/operator")]

    nowhere = client.get("/operator/nothing/here").get_data()
    for method, rule in rules:
        answer = client.open(address_of(rule), method=method)
        assert (answer.status_code, answer.get_data()) == (404, nowhere), rule
    assert len(rules) > 10


# ---- pages --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_keeps_the_policy_and_is_kept_by_nobody_else(
    page: Page, made: World, browsers: dict[str | None, Any]
) -> None:
    answer = seen(made, browsers, page)
    text = answer.get_data(as_text=True)

    for name in HEADERS.keys() - {"Cache-Control", "Referrer-Policy"}:
        assert answer.headers[name] == HEADERS[name], name
    assert answer.headers["Referrer-Policy"] in ("same-origin", "no-referrer")
    assert INLINE.findall(text) == []
    assert STRANGE.findall(text) == []
    kept = answer.headers["Cache-Control"]
    assert "no-store" in kept or "private" in kept or (
        page.viewer == "visitor" and "Cookie" in answer.headers["Vary"])


def test_every_route_answers_with_the_headers_whoever_asks(made: World) -> None:
    ana, nobody = made.browser("Ana"), made.browser(None)
    for rule in made.app.url_map.iter_rules():
        if "GET" not in rule.methods or rule.endpoint == "static":
            continue
        for client in (ana, nobody):
            answer = client.get(address_of(rule))
            assert answer.headers["X-Content-Type-Options"] == "nosniff", rule
            assert "frame-ancestors" in answer.headers["Content-Security-Policy"], rule
            assert answer.headers["X-Frame-Options"] in ("DENY", "SAMEORIGIN"), rule
            kept = answer.headers.get("Cache-Control", "")
            assert "private" in kept or "no-store" in kept or client is nobody or \
                rule.endpoint in ("api.description",), (rule, kept)


def test_the_policy_lets_in_nothing_of_others_and_nothing_inline() -> None:
    policy = HEADERS["Content-Security-Policy"]

    assert "unsafe" not in policy
    assert "http" not in policy
    assert {"default-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'self'",
            "frame-ancestors 'none'"} <= set(policy.split("; "))


def test_a_site_by_https_says_so_for_a_year_on_every_answer(
    service: Service, environment: dict[str, str]
) -> None:
    settings = Settings.from_environment(
        environment | {"CARREIRA_BASE_URL": "https://play.example"})
    client = build(Service(settings, service.engine, service.clock)).test_client()

    for path in ("/", "/nothing/here", "/api/v1/games", "/static/none.css"):
        assert client.get(path).headers["Strict-Transport-Security"] == "max-age=31536000"


def test_no_answer_is_led_elsewhere_by_the_host_that_was_asked(
    flask_app: Flask, service: Service, environment: dict[str, str]
) -> None:
    ana = browser(flask_app, service, somebody(service, "Ana"))
    head = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}

    for path in ("/", "/sign-in", "/games", "/account", "/account/feeds", "/games/new",
                 "/account/hooks", "/api/v1/openapi.json", "/nothing"):
        answer = ana.get(path, headers=head)
        assert "evil.example" not in answer.get_data(as_text=True) + str(answer.headers), path
    answer = ana.post("/sign-out", headers=head)
    assert "evil.example" not in answer.headers["Location"]
