"""Signing in by letter, and the account page, as a browser without script sees them."""

from __future__ import annotations

import html
from datetime import timedelta

import pytest
import structlog
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import select
from werkzeug.test import TestResponse

from pbem.accounts import auth
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.i18n.words import without_accents
from pbem.mail.delivery import sending
from pbem.mail.letters import build as letters_build
from pbem.models import Outbox, Person, SignIn, WebSession
from pbem.service import Service
from pbem.web import context, filters
from pbem.web.app import build
from pbem.web.responses import local_path
from tests.support.doors import bell, browser, code_in, enter, letters, path_in, somebody
from tests.web.test_letters import Refuses

ANA = "ana@players.example"
NEW = {"name": "Ana", "language": "pt", "zone": "Europe/Lisbon"}


def ask(client: FlaskClient, address: str = ANA, **more: str) -> TestResponse:
    return client.post("/sign-in", data={"address": address, **more})


def signed_in_as(client: FlaskClient) -> str:
    """The name at the head of the page, "" for a visitor."""
    with client.get("/") as answer:  # what is written behind the answer is written
        page = answer.text
    return page.split('href="/account">')[1].split("<")[0] if 'href="/account"' in page else ""


def people(service: Service) -> list[Person]:
    with service.reading() as session:
        return list(session.exec(select(Person)))


# ---- the way in ---------------------------------------------------------------------------------


def test_a_new_person_comes_in_by_link_gives_a_name_and_is_led_on(
    client: FlaskClient, service: Service
) -> None:
    rung = bell(client)
    assert ask(client, "  Ana@PLAYERS.example ", next="/games/new").headers["Location"] == (
        "/sign-in/code")
    assert rung.rung

    [letter] = letters(service)
    proved = client.post(path_in(letter, "/sign-in/"))
    assert proved.headers["Location"] == "/sign-in/new"
    assert people(service) == []

    done = client.post("/sign-in/new", data=NEW)

    assert (done.status_code, done.headers["Location"]) == (303, "/games/new")
    [ana] = people(service)
    assert (ana.name, ana.address, ana.language, ana.zone) == ("Ana", ANA, "pt", "Europe/Lisbon")
    assert signed_in_as(client) == "Ana"


def test_who_signs_up_at_an_address_that_is_refused_is_told(
    client: FlaskClient, service: Service
) -> None:
    ask(client)
    waiting = client.get("/sign-in/code").text
    assert "is on its way" in waiting

    sending.sweep(letters_build, service, Refuses())

    told = client.get("/sign-in/code").text
    assert "does not take letters for this address" in told
    assert "5.1.1 no such user" in told
    assert "is on its way" not in told


def test_a_known_person_comes_in_by_code_and_is_asked_nothing_more(
    client: FlaskClient, service: Service
) -> None:
    somebody(service, "Ana")
    ask(client)
    code = code_in(letters(service)[0])

    done = client.post("/sign-in/code", data={"code": code})

    assert done.headers["Location"] == "/games"
    assert signed_in_as(client) == "Ana"


def test_who_sat_down_by_a_letter_is_asked_for_a_name_on_the_first_visit(
    client: FlaskClient, service: Service
) -> None:
    with service.writing() as session:
        auth.register_by_letter(session, address=ANA, registration="open", name="Guest 7",
                                language="en", now=service.clock.now())  # fmt: skip
        session.commit()
    ask(client)
    done = client.post("/sign-in/code", data={"code": code_in(letters(service)[0])})
    assert done.headers["Location"] == "/account"
    asked = client.get("/account").text
    assert "Choose the name that others see here" in asked
    assert "data-guess-zone" in asked and "zone.js" in asked  # the zone that the browser knows

    client.post("/account", data=NEW)

    assert [(each.name, each.unnamed) for each in people(service)] == [("Ana", False)]
    assert "data-guess-zone" not in client.get("/account").text


def test_who_sat_down_by_a_letter_is_welcomed_in_its_language_whatever_the_browsers_is(
    client: FlaskClient, service: Service
) -> None:
    with service.writing() as session:
        auth.register_by_letter(session, address=ANA, registration="open", name="Convidado 7",
                                language="pt", now=service.clock.now())  # fmt: skip
        session.commit()
    ask(client)
    code = code_in(letters(service)[0])
    client.post("/sign-in/code", data={"code": code}, headers={"Accept-Language": "en"})

    welcomed = client.get("/account", headers={"Accept-Language": "en"}).text

    assert "Escolha o nome" in welcomed
    assert "Choose the name" not in welcomed


def test_a_code_does_not_work_in_a_browser_that_did_not_ask(
    client: FlaskClient, flask_app: Flask, service: Service
) -> None:
    somebody(service, "Ana")
    ask(client)
    code = code_in(letters(service)[0])
    other = browser(flask_app, service)

    assert other.post("/sign-in/code", data={"code": code}).status_code == 400
    assert signed_in_as(other) == ""


def test_scanners_may_look_at_the_link_as_often_as_they_like(
    client: FlaskClient, service: Service
) -> None:
    somebody(service, "Ana")
    ask(client)
    path = path_in(letters(service)[0], "/sign-in/")

    for _ in range(3):
        page = client.get(path)
        assert (page.status_code, page.headers["Cache-Control"]) == (200, "no-store")
        assert client.head(path).status_code == 200

    assert 'method="post"' in page.get_data(as_text=True)
    assert client.post(path).status_code == 303
    assert client.get(path).status_code == 404


def test_five_wrong_codes_end_the_code_and_the_page_points_to_the_link(
    client: FlaskClient, service: Service
) -> None:
    somebody(service, "Ana")
    ask(client)
    code = code_in(letters(service)[0])
    wrong = "111111" if code != "111111" else "222222"
    for _ in range(5):
        assert client.post("/sign-in/code", data={"code": wrong}).status_code == 400

    page = client.post("/sign-in/code", data={"code": code})

    assert "it still works" in page.get_data(as_text=True)
    assert signed_in_as(client) == ""


def test_a_browser_that_was_signed_in_gets_its_letter_whatever_strangers_ask(
    client: FlaskClient, service: Service
) -> None:
    somebody(service, "Ana")
    ask(client)
    client.post("/sign-in/code", data={"code": code_in(letters(service)[0])})
    client.post("/account/sign-out")
    stranger = client.application.test_client()
    while ask(stranger).status_code != 429:
        pass

    assert ask(client).status_code == 303


def pages_of(client: FlaskClient, address: str) -> list[tuple[int, str]]:
    """What somebody sees who gives an address and tries a code, without address and form token."""
    seen = []
    for answer in (
        ask(client, address), client.get("/sign-in/code"),
        client.post("/sign-in/code", data={"code": "123456"}),
        *[ask(client, address) for _ in range(5)],
    ):
        text = answer.get_data(as_text=True).replace(html.escape(address), "ADDRESS")
        seen.append((answer.status_code, without_tokens(text)))
    return seen


def without_tokens(page: str) -> str:
    return "\n".join(line for line in page.splitlines() if "csrf_token" not in line)


@pytest.mark.parametrize("registration", ["open", "invited", "closed"])
def test_the_pages_tell_nobody_whether_an_address_is_known(
    environment: dict[str, str], service: Service, registration: str
) -> None:
    settings = Settings.from_environment(environment | {"CARREIRA_REGISTRATION": registration})
    app = build(Service(settings, service.engine, service.clock))
    app.config["WTF_CSRF_ENABLED"] = False
    somebody(service, "Ana")

    known, unknown = (pages_of(app.test_client(), a) for a in (ANA, "nobody@players.example"))

    assert known == unknown
    assert [status for status, _ in known] == [303, 200, 400, 303, 303, 303, 303, 429]


def test_a_closed_site_sends_strangers_no_letter_and_says_so_to_all(
    environment: dict[str, str], service: Service
) -> None:
    settings = Settings.from_environment(environment | {"CARREIRA_REGISTRATION": "closed"})
    app = build(Service(settings, service.engine, service.clock))
    app.config["WTF_CSRF_ENABLED"] = False
    client = app.test_client()

    ask(client)

    assert letters(service) == []
    assert "takes no new people" in client.get("/sign-in/code").get_data(as_text=True)


def test_one_network_address_gets_twenty_letters_an_hour(
    client: FlaskClient, service: Service
) -> None:
    answers = [ask(client, f"p{number}@players.example").status_code for number in range(21)]

    assert answers == [303] * 20 + [429]
    with service.reading() as session:
        assert len(session.exec(select(Outbox)).all()) == 20


@pytest.mark.parametrize("proxies, last", [("0", 429), ("1", 303)])
def test_visitors_behind_a_proxy_are_told_apart_where_one_is_known(
    environment: dict[str, str], service: Service, proxies: str, last: int
) -> None:
    settings = Settings.from_environment(environment | {"CARREIRA_PROXIES": proxies})
    app = build(Service(settings, service.engine, service.clock))
    app.config["WTF_CSRF_ENABLED"] = False
    visitor = app.test_client()

    for number in range(21):
        answer = visitor.post("/sign-in", data={"address": f"p{number}@players.example"},
                              headers={"X-Forwarded-For": f"forged, 192.0.2.{number}"})

    assert answer.status_code == last


def test_something_that_is_no_address_is_answered_beside_the_field(
    client: FlaskClient, service: Service
) -> None:
    answer = ask(client, 'ana"><script>@nowhere')

    assert answer.status_code == 400
    assert "<script>@" not in answer.get_data(as_text=True)
    assert 'aria-invalid="true"' in answer.get_data(as_text=True)


@pytest.mark.parametrize("path", [
    "https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)",
    "/\t/evil.example", "games", "", "/" + "x" * 200, "\\\\evil.example", "/a\nb",
])
def test_signing_in_leads_to_pages_of_this_site_alone(path: str) -> None:
    assert local_path(path) is None


def test_signing_in_leads_to_where_one_wanted_to_go() -> None:
    assert local_path("/invitations/3-abc?x=1") == "/invitations/3-abc?x=1"


def test_a_foreign_next_is_dropped_on_the_way(client: FlaskClient, service: Service) -> None:
    somebody(service, "Ana")
    ask(client, next="//evil.example/")

    done = client.post(path_in(letters(service)[0], "/sign-in/"))

    assert done.headers["Location"] == "/games"


def test_signing_in_gives_a_new_cookie_and_ends_the_old_one(
    client: FlaskClient, service: Service
) -> None:
    ana = somebody(service, "Ana")
    enter(client, service, ana)
    old = client.get_cookie(context.COOKIE)
    ask(client)

    client.post(path_in(letters(service)[0], "/sign-in/"))

    new = client.get_cookie(context.COOKIE)
    assert old is not None
    assert new is not None
    assert new.value != old.value
    assert (new.http_only, new.same_site, new.secure) == (True, "Lax", False)
    with service.reading() as session:
        assert auth.signed_in(session, old.value, service.clock.now()) is None


def test_cookies_are_for_https_alone_where_the_site_is(
    environment: dict[str, str], service: Service
) -> None:
    settings = Settings.from_environment(
        environment | {"CARREIRA_BASE_URL": "https://play.example"})
    app = build(Service(settings, service.engine, service.clock))
    app.config["WTF_CSRF_ENABLED"] = False

    answer = ask(app.test_client())

    assert "Secure" in answer.headers["Set-Cookie"]


def test_a_name_that_cannot_be_used_is_asked_again(client: FlaskClient, service: Service) -> None:
    ask(client)
    client.post(path_in(letters(service)[0], "/sign-in/"))

    answer = client.post("/sign-in/new", data=NEW | {"name": "A\u202ena"})

    assert answer.status_code == 400
    assert people(service) == []
    assert client.post("/sign-in/new", data=NEW).status_code == 303


def test_nobody_becomes_a_person_without_a_proof(client: FlaskClient, service: Service) -> None:
    assert client.post("/sign-in/new", data=NEW).headers["Location"] == "/sign-in"
    assert people(service) == []


def test_the_form_for_new_people_speaks_the_browsers_language(
    client: FlaskClient, service: Service
) -> None:
    ask(client)
    client.post(path_in(letters(service)[0], "/sign-in/"))

    page = client.get("/sign-in/new", headers={"Accept-Language": "hu,en;q=0.5"})

    text = page.get_data(as_text=True)
    assert '<html lang="hu">' in text
    assert '<option value="hu" lang="hu" selected>' in text
    assert '<option value="Europe/Budapest" selected>' in text


def test_a_new_person_is_greeted_in_the_language_that_they_chose(
    client: FlaskClient, service: Service
) -> None:
    ask(client)
    client.post(path_in(letters(service)[0], "/sign-in/"), headers={"Accept-Language": "en"})

    page = client.post("/sign-in/new", data=NEW | {"language": "hu"}, follow_redirects=True)

    assert "Üdvözöljük" in page.text
    assert "Welcome" not in page.text


# ---- the account --------------------------------------------------------------------------------


@pytest.fixture
def ana(client: FlaskClient, service: Service) -> Person:
    """Ana, signed in."""
    made = somebody(service, "Ana")
    enter(client, service, made)
    return made


def test_name_language_and_zone_can_be_changed(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    answer = client.post("/account", data={"name": "Ana Sofia", "language": "pt",
                                           "zone": "Atlantic/Azores"})

    assert answer.status_code == 303
    [now] = people(service)
    assert (now.name, now.language, now.zone) == ("Ana Sofia", "pt", "Atlantic/Azores")


@pytest.mark.parametrize(("language", "zone", "place"), [
    ("en", "Europe/Lisbon", "Lisbon"), ("pt", "Europe/Lisbon", "Lisboa"),
    ("ru", "Europe/Moscow", "Москва"), ("hu", "Europe/Moscow", "Moszkva"),
])  # fmt: skip
def test_zones_are_listed_as_the_reader_calls_their_places(
    client: FlaskClient, service: Service, language: str, zone: str, place: str
) -> None:
    enter(client, service, somebody(service, "Ana"))
    client.post("/account", data={"name": "Ana", "language": language, "zone": zone})

    shown = client.get("/account").text

    assert f'<option value="{zone}" selected>{place}</option>' in shown
    assert f"{place})</label>" in shown, "and hours are told so"


def test_zones_of_one_place_are_told_apart() -> None:
    for region, places in filters.zones_in("ru"):
        listed = [place for _zone, place in places]
        assert len({*listed}) == len(listed), region

    assert ("Asia/Calcutta", "Калькутта (Calcutta)") in dict(filters.zones_in("ru"))["Азия"]


@pytest.mark.parametrize("language", ["hu", "ru", "pt"])
def test_regions_of_zones_are_headed_in_the_readers_language_by_its_alphabet(language: str) -> None:
    headed = [region for region, _places in filters.zones_in(language)]
    english = {region for region, _places in filters.zones_in("en")}

    assert {*headed} & english <= {"Chile", "UTC"}
    assert headed == [*sorted(headed[:-1], key=without_accents), "UTC"]


def test_a_zone_that_does_not_exist_is_refused(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    answer = client.post("/account", data=NEW | {"zone": "../../etc/passwd"})

    assert answer.status_code == 400
    assert people(service)[0].zone == "UTC"


def test_a_second_address_counts_once_its_letter_is_answered(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    client.post("/account/second-address", data={"second_address": "ana@work.example"})
    [letter] = letters(service)
    assert letter["To"].endswith("ana@work.example")
    assert people(service)[0].second_address is None

    client.post(path_in(letter, "/sign-in/"))

    assert people(service)[0].second_address == "ana@work.example"


def test_a_second_address_is_not_confirmed_by_a_browser_that_is_not_signed_in(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    client.post("/account/second-address", data={"second_address": "victim@work.example"})
    path = path_in(letters(service)[0], "/sign-in/")
    victim = browser(flask_app, service)

    answer = victim.post(path)

    assert answer.headers["Location"].startswith("/sign-in?next=")
    assert people(service)[0].second_address is None


def test_somebody_elses_address_is_refused_only_when_it_is_proved(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    somebody(service, "Bento")
    asked = client.post("/account/second-address",
                        data={"second_address": "bento@players.example"})
    assert asked.headers["Location"] == "/sign-in/code"

    client.post(path_in(letters(service)[0], "/sign-in/"))

    assert "another account" in client.get("/account").get_data(as_text=True)
    assert [who.second_address for who in people(service)] == [None, None]


def test_other_browsers_are_listed_and_signed_out(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    other = browser(flask_app, service, ana)
    assert client.get("/account").get_data(as_text=True).count("Sign out there") == 1

    client.post("/account/browsers", data={"browser": "others"})

    assert (signed_in_as(client), signed_in_as(other)) == ("Ana", "")


def test_signing_out_ends_the_session_and_not_only_the_cookie(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    client.post("/sign-out")

    assert signed_in_as(client) == ""
    with service.reading() as session:
        assert session.exec(select(WebSession)).all() == []


def test_a_daily_visit_keeps_a_browser_signed_in(
    client: FlaskClient, service: Service, clock: FixedClock, ana: Person
) -> None:
    for _ in range(4):
        clock.forward(timedelta(days=90))
        assert signed_in_as(client) == "Ana"


def test_who_leaves_for_good_is_signed_out_and_unknown(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    assert "Take me out" in client.get("/account/leave").get_data(as_text=True)
    assert people(service)[0].name == "Ana"

    client.post("/account/leave")

    assert signed_in_as(client) == ""
    assert people(service)[0].address != ana.address


def test_the_account_is_for_who_is_signed_in(client: FlaskClient) -> None:
    for path in ("/account", "/games/new"):
        answer = client.get(path)
        assert answer.headers["Location"].startswith("/sign-in?next=")
    assert client.post("/account", data=NEW).headers["Location"] == "/sign-in"


# ---- errors -------------------------------------------------------------------------------------


def test_an_error_of_ours_shows_no_stack_trace(flask_app: Flask) -> None:
    def broken() -> str:
        raise RuntimeError("the secret is 42")

    flask_app.add_url_rule("/broken", view_func=broken)
    flask_app.config.update(TESTING=False, PROPAGATE_EXCEPTIONS=False)

    answer = flask_app.test_client().get("/broken")

    assert answer.status_code == 500
    text = answer.get_data(as_text=True)
    assert "went wrong on our side" in text
    assert "secret" not in text
    assert "Traceback" not in text


def test_an_error_of_ours_shows_the_number_by_which_the_log_has_it(
    flask_app: Flask
) -> None:
    bound: list[str] = []

    def broken() -> str:
        bound.append(structlog.contextvars.get_contextvars()["request_id"])
        raise RuntimeError

    flask_app.add_url_rule("/broken", view_func=broken)
    flask_app.config.update(TESTING=False, PROPAGATE_EXCEPTIONS=False)
    answer = flask_app.test_client().get("/broken")
    assert [answer.headers["X-Request-Id"]] == bound
    assert f"<code>{bound[0]}</code>" in answer.text
    assert "<code>" not in flask_app.test_client().get("/nothing").text


def test_the_page_for_our_own_errors_needs_no_database(
    flask_app: Flask, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(flask_app, service, somebody(service, "Ana"))
    flask_app.config.update(TESTING=False, PROPAGATE_EXCEPTIONS=False)

    def no_database(self: Service) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(Service, "reading_session", no_database)

    answer = client.get("/games")

    assert answer.status_code == 500
    assert "went wrong on our side" in answer.get_data(as_text=True)


@pytest.mark.parametrize(("method", "path", "status"), [
    ("GET", "/nowhere", 404), ("GET", "/sign-out", 405), ("GET", "/games/99999999", 404),
    ("GET", "/sign-in/made-up", 404), ("GET", "/invitations/1-x", 404), ("GET", "/join/1-x", 404),
])
def test_errors_are_pages_with_a_way_on(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    answer = client.open(path, method=method)

    assert answer.status_code == status
    assert "<h1>" in answer.get_data(as_text=True)
    assert '<main class="wrap" id="main">' in answer.get_data(as_text=True)


def test_a_form_without_its_token_is_explained(service: Service) -> None:
    client = build(service).test_client()

    answer = ask(client)

    assert answer.status_code == 400
    assert "Allow cookies" in answer.get_data(as_text=True)
    with service.reading() as session:
        assert session.exec(select(SignIn)).all() == []
