"""What answers tell nobody: who has an account, which private things there are. Work is alike too.

Statements and commits are counted, as the clock on a wall says nothing on a busy machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import Session, select

from pbem.accounts import auth
from pbem.config import Settings
from pbem.models import Game, Invitation, SignIn, WebSession
from pbem.service import Service
from pbem.web import context
from pbem.web.app import build
from tests.support.doors import browser, code_in, enter, letters, path_in, somebody

DATA = {"text": "x", "address": "gil@players.example", "order": "pass", "seen": "1",
        "token": "t" * 12}
KNOWN, STRANGE = "ana@players.example", "eve@players.example"
DRAWN = ("Set-Cookie", "X-Request-Id")  # by chance, for each answer


@contextmanager
def work(service: Service) -> Any:
    """The statements (without their values) and commits that happen within."""
    done: list[str] = []

    def statement(_c: Any, _cursor: Any, text: str, *_rest: Any) -> None:
        done.append(re.sub(r"\s+", " ", text))

    def commit(_c: Any) -> None:
        done.append("COMMIT")

    event.listen(service.engine, "before_cursor_execute", statement)
    event.listen(service.engine, "commit", commit)
    try:
        yield done
    finally:
        event.remove(service.engine, "before_cursor_execute", statement)
        event.remove(service.engine, "commit", commit)


def site(service: Service, environment: dict[str, str], registration: str) -> Flask:
    """The service's pages, open to these."""
    settings = Settings.from_environment(environment | {"CARREIRA_REGISTRATION": registration})
    app = build(Service(settings, service.engine, service.clock))
    app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
    return app


def compared(service: Service, act: Callable[[str], Any]) -> tuple[Any, Any]:
    """What an act with a known and with a strange address answers and does."""
    act("warm@players.example")
    found = []
    for who in (KNOWN, STRANGE):
        with work(service) as done:
            answer = act(who)
        head = {name: value for name, value in answer.headers if name not in DRAWN}
        found.append((answer.status_code, plain(answer.get_data(as_text=True), who),
                      head, done))
    return found[0], found[1]


def plain(page: str, who: str) -> str:
    """The page without what is everybody's own: the token of its form, the address typed."""
    return re.sub(r'(name="csrf_token"[^>]*value=")[^"]+', r"\1", page).replace(who, "WHO")


@pytest.mark.parametrize("registration", ["open", "invited", "closed"])
def test_asking_for_a_letter_answers_and_works_alike_for_all(
    service: Service, environment: dict[str, str], registration: str
) -> None:
    somebody(service, "Ana")
    app = site(service, environment, registration)

    known, strange = compared(service, lambda who: app.test_client().post(
        "/sign-in", data={"address": who}))

    assert known == strange
    assert "COMMIT" in known[3]


@pytest.mark.parametrize("registration", ["open", "closed"])
def test_a_wrong_code_answers_and_works_alike_for_all(
    service: Service, environment: dict[str, str], registration: str
) -> None:
    somebody(service, "Ana")
    app = site(service, environment, registration)

    def act(who: str) -> Any:
        client = app.test_client()
        client.post("/sign-in", data={"address": who})
        return client.post("/sign-in/code", data={"code": "000000"})

    known, strange = compared(service, act)

    assert known == strange


def test_inviting_answers_alike_for_who_is_known_and_who_is_not(
    flask_app: Flask, service: Service
) -> None:
    host = browser(flask_app, service, somebody(service, "Bento"))
    somebody(service, "Ana")
    path = host.post("/games/new", data={
        "game": "vasco-da-gama", "title": "", "seats": "4", "order": "random",
        "visibility": "private", "set": "standard", "components": "", "phrase": ""},
    ).headers["Location"]

    known, strange = compared(service, lambda who: host.post(
        f"{path}/invite", data={"address": who}))

    assert known[:3] == strange[:3]


def test_a_second_address_answers_alike_whoever_has_it(
    flask_app: Flask, service: Service
) -> None:
    host = browser(flask_app, service, somebody(service, "Bento"))
    somebody(service, "Ana")

    known, strange = compared(service, lambda who: host.post(
        "/account/second-address", data={"second_address": who}))

    assert known == strange


def test_what_is_private_looks_like_what_is_not_there(
    ana: FlaskClient, flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    row = session.get_one(Game, game.id)
    row.private = True
    session.add(row)
    session.commit()
    eve = browser(flask_app, service, somebody(service, "Eve"))
    number = str(game.id)
    paths = ["/games/{}", "/games/{}/1", "/games/{}/graph", "/games/{}/notes", "/games/{}/record",
             "/games/{}/components.toml", "/games/{}/feed.atom", "/games/{}/compare",
             "/games/{}/exports", "/games/{}/chance", "/games/{}/html", "/games/{}/text"]

    assert ana.get(f"/games/{number}").status_code == 200
    for path in paths:
        there, nowhere = eve.get(path.format(number)), eve.get(path.format("99999"))
        assert (there.status_code, nowhere.status_code) == (404, 404), path
        assert there.get_data() == nowhere.get_data()
    for action in ("join", "chat", "orders", "preview", "undo", "resign", "notes", "start",
                   "cancel", "invite", "bot", "leave", "hand-over", "ahead", "rematch", "back"):
        there = eve.post(f"/games/{number}/{action}", data=DATA)
        nowhere = eve.post(f"/games/99999/{action}", data=DATA)
        assert (there.status_code, there.get_data()) == (404, nowhere.get_data()), action


# ---- sessions -----------------------------------------------------------------------------------


def signed_in(client: FlaskClient, service: Service, address: str = KNOWN) -> str:
    """Sign in by letter; the cookie."""
    client.post("/sign-in", data={"address": address})
    client.post(path_in(letters(service)[-1], "/sign-in/"))
    cookie = client.get_cookie(context.COOKIE)
    assert cookie is not None
    return str(cookie.value)


def test_a_cookie_that_somebody_planted_signs_nobody_in(
    client: FlaskClient, service: Service, session: Session
) -> None:
    somebody(service, "Ana")
    client.set_cookie(context.COOKIE, "planted" * 6)

    cookie = signed_in(client, service)

    assert cookie != "planted" * 6
    stored = session.exec(select(WebSession.id)).all()
    assert stored == [auth.hashed(cookie)]


def test_a_browser_s_code_is_drawn_anew_and_ends_with_the_sign_in(
    client: FlaskClient, service: Service
) -> None:
    somebody(service, "Ana")
    client.set_cookie(context.BROWSER, "planted" * 6)
    client.post("/sign-in", data={"address": KNOWN})
    code = code_in(letters(service)[-1])
    thief = client.application.test_client()
    thief.set_cookie(context.BROWSER, "planted" * 6)

    assert thief.post("/sign-in/code", data={"code": code}).status_code == 400
    assert client.post("/sign-in/code", data={"code": code}).status_code == 303
    assert client.get_cookie(context.BROWSER) is None


def test_a_changed_address_signs_the_other_browsers_out(
    client: FlaskClient, service: Service, session: Session
) -> None:
    ana = somebody(service, "Ana")
    other = enter(client.application.test_client(), service, ana)
    signed_in(client, service)

    client.post("/account/second-address", data={"second_address": "ana@home.example"})
    client.post(path_in(letters(service)[-1], "/sign-in/"))

    assert client.get("/account").status_code == 200
    assert other.get("/account").status_code == 303

    third = enter(client.application.test_client(), service, ana)
    client.post("/account/second-address/remove")

    assert client.get("/account").status_code == 200
    assert third.get("/account").status_code == 303


def test_cookies_are_out_of_the_reach_of_scripts_and_other_sites(
    service: Service, environment: dict[str, str]
) -> None:
    settings = Settings.from_environment(
        environment | {"CARREIRA_BASE_URL": "https://play.example"})
    app = build(Service(settings, service.engine, service.clock))
    app.config["WTF_CSRF_ENABLED"] = False
    client = app.test_client()
    somebody(service, "Ana")
    given = client.get("/sign-in", base_url="https://play.example").headers.getlist("Set-Cookie")
    asked = client.post("/sign-in", data={"address": KNOWN})
    given += asked.headers.getlist("Set-Cookie")

    assert len(given) >= 1
    for cookie in given:
        assert "HttpOnly" in cookie
        assert "Secure" in cookie
        assert "SameSite=Lax" in cookie
        assert "Domain" not in cookie


def test_nothing_of_a_sign_in_lies_readable_in_the_database(
    client: FlaskClient, service: Service, session: Session
) -> None:
    somebody(service, "Ana")
    cookie = signed_in(client, service)

    row = session.exec(select(SignIn)).one()

    assert row.used is not None
    assert cookie not in str(row.model_dump()) + str(session.exec(select(WebSession)).all())
    assert session.exec(select(Invitation)).all() == []
