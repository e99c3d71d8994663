"""A game's clock: chosen when it is opened, said in words wherever somebody thinks of joining."""

from __future__ import annotations

import html
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.accounts import api_tokens
from pbem.models import Game, Person
from pbem.service import Service
from tests.conftest import NOON
from tests.support.doors import browser, enter, letters, path_in, somebody
from tests.web.test_lobby import FORM, invite, join_link

EACH = {"clock": "each", "each": "3", "each_unit": "days", "counts": "always",
        "at_zero": "default", "reminders": "50 10"}
BANK = {"clock": "bank", "bank": "10", "bank_more": "12", "bank_most": "15", "counts": "awake",
        "at_zero": "vote", "reminders": "25%, 5"}
SAID = "3 days for each decision. It counts day and night"
DROPPED = "after 3 misses in a row the seat is dropped"


@pytest.fixture
def ana(client: FlaskClient, service: Service) -> Person:
    """Ana, signed in with `client`."""
    made = somebody(service, "Ana")
    enter(client, service, made)
    return made


def open_game(client: FlaskClient, **choices: str) -> str:
    answer = client.post("/games/new", data=FORM | choices)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def game(service: Service) -> Game:
    with service.reading() as session:
        return session.exec(select(Game)).one()


def page(client: FlaskClient, path: str) -> str:
    return html.unescape(client.get(path).text)


# ---- the form -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "terms"),
    [
        ({}, ("none", "default", "50 10")),
        ({"clock": "none", "each": "nonsense", "at_zero": "vote"}, ("none", "default", "50 10")),
        (EACH, ("each 72", "default", "50 10")),
        (EACH | {"each": "36", "each_unit": "hours", "counts": "awake", "at_zero": "bot",
                 "reminders": ""}, ("each 36 awake", "bot", "")),
        (BANK, ("bank 240 12 360 awake", "vote", "25 5")),
    ],
)  # fmt: skip
def test_the_form_says_which_clock_a_game_has(
    client: FlaskClient, service: Service, ana: Person, choices: dict[str, str],
    terms: tuple[str, str, str],
) -> None:
    open_game(client, **choices)

    made = game(service)
    assert (made.clock, made.at_zero, made.reminders) == terms


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        (EACH | {"each": "0"}, "Give times as whole numbers."),
        (EACH | {"each": "61"}, "the longest 60 days"),
        (EACH | {"each": "2.5"}, "Give times as whole numbers."),
        (EACH | {"each": ""}, "Give times as whole numbers."),
        (EACH | {"clock": "sand"}, "Choose one of the clocks."),
        (EACH | {"at_zero": "prison"}, "Choose what happens when the time is over."),
        (EACH | {"reminders": "0"}, "Reminders: at most 5 whole numbers from 1 to 99"),
        (EACH | {"reminders": "60 50 40 30 20 10"}, "Reminders: at most 5"),
        (EACH | {"reminders": "half"}, "“half” is no whole number."),
        (BANK | {"bank": "16"}, "A bank cannot hold more at the start than it can ever hold."),
        (BANK | {"bank_more": "0"}, "Give times as whole numbers."),
        (BANK | {"bank_more": "361"}, "a bank gains no more than it can hold"),
    ],
)  # fmt: skip
def test_a_clock_that_cannot_be_opens_no_game_and_says_why(
    client: FlaskClient, service: Service, ana: Person, choices: dict[str, str], why: str
) -> None:
    answer = client.post("/games/new", data=FORM | choices)

    assert answer.status_code == 400
    assert why in html.unescape(answer.text)
    with service.reading() as session:
        assert session.exec(select(Game)).all() == []


@pytest.mark.parametrize(
    ("choices", "field"),
    [
        (EACH | {"each": "61"}, "each"),
        (EACH | {"each": "half"}, "each"),
        (EACH | {"reminders": "0"}, "reminders"),
        (EACH | {"reminders": "half"}, "reminders"),
        (BANK | {"bank": "0"}, "bank"),
        (BANK | {"bank": "16"}, "bank"),
        (BANK | {"bank_more": "361"}, "bank_more"),
        (BANK | {"bank_most": "61"}, "bank_most"),
    ],
)  # fmt: skip
def test_a_clock_that_cannot_be_is_marked_at_its_field(
    client: FlaskClient, ana: Person, choices: dict[str, str], field: str
) -> None:
    answer = client.post("/games/new", data=FORM | choices).text

    marked = re.findall(r'<input id="f-(\w+)"[^>]* aria-invalid="true"'
                        r' aria-describedby="w-(\w+)', answer)
    assert marked == [(field, field)]
    assert re.search(f'<p class="wrong" id="w-{field}">[^<]+</p>', answer)


def test_a_form_without_faults_marks_no_field(client: FlaskClient, ana: Person) -> None:
    assert "aria-invalid" not in client.get("/games/new").text
    assert "aria-invalid" not in client.post(
        "/games/new", data=FORM | {"phrase": "x" * 300}).text


def test_a_refused_form_keeps_what_was_typed(client: FlaskClient, ana: Person) -> None:
    answer = client.post("/games/new", data=FORM | BANK | {"bank_most": "9"})

    for field in ('name="bank" type="text" value="10"', 'name="bank_most" type="text" value="9"',
                  'name="clock" value="bank" checked', 'name="counts" value="awake" checked',
                  'name="at_zero" value="vote" checked', 'value="25%, 5"'):
        assert field in answer.text


def test_the_form_offers_three_days_a_decision(client: FlaskClient, ana: Person) -> None:
    offered = page(client, "/games/new")

    assert 'name="clock" value="each" checked' in offered
    assert '<option value="days" selected>' in offered


# ---- before joining -----------------------------------------------------------------------------


def test_the_clock_is_said_where_a_game_is_listed_and_joined(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    path = open_game(client, **EACH)
    visitor = browser(flask_app, service)

    for place in (path, join_link(service)):
        assert SAID in page(visitor, place), place
        assert DROPPED in page(visitor, place), place
        assert "Reminders come when 50% and 10% of a decision's time are left." in page(
            visitor, place), place
    for place in ("/", "/games"):
        assert "3 days a decision" in page(visitor, place), place


def test_an_invitation_says_the_clock_in_letter_and_page(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    invite(client, open_game(client, **EACH))

    [letter] = letters(service)

    for kind in ("plain", "html"):
        body = letter.get_body((kind,))
        assert body is not None
        assert SAID in " ".join(html.unescape(str(body.get_content())).split())
    link = path_in(letter, "/invitations/")
    assert SAID in page(browser(flask_app, service), link)


def test_who_is_invited_sees_the_clock_in_the_list(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    bento = somebody(service, "Bento")
    invite(client, open_game(client, **BANK, visibility="private"), bento.address)

    assert "a bank of 240 hours" in page(browser(flask_app, service, bento), "/games")


def test_a_game_without_a_clock_says_that_it_waits(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    path = open_game(client)

    assert "No time limit: the game waits for everybody." in page(client, path)
    assert "no time limit" in page(browser(flask_app, service), "/games")


IN_WORDS = {
    "en": "A bank of 240 hours for each player; each further decision adds 12 hours to it, up to "
          "360 hours in all. Only the hours and days in which a player's time counts",
    "hu": "Minden játékosnak közös időkerete van a döntéseire: 240 óra; minden további döntés "
          "ennyit ad hozzá: 12 óra, de legfeljebb ennyi lehet: 360 óra.",
    "ru": "У каждого игрока запас времени: 240 часов; каждое следующее решение добавляет к нему: "
          "12 часов, но всего не больше: 360 часов.",
    "pt": "Uma reserva de 240 horas para cada jogador; cada decisão seguinte acrescenta-lhe 12 "
          "horas, até 360 horas no total.",
}  # fmt: skip


@pytest.mark.parametrize("language", IN_WORDS)
def test_the_clock_is_said_in_the_readers_language(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person, language: str
) -> None:
    path = open_game(client, **BANK)
    reader = browser(flask_app, service, somebody(service, "Reader", language=language))

    assert IN_WORDS[language] in page(reader, path)


def test_the_table_says_the_clock_while_the_game_runs(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    path = open_game(client, seats="2", **EACH)
    browser(flask_app, service, somebody(service, "Bento")).post(path + "/join")

    assert SAID in page(browser(flask_app, service), path)


def test_programs_are_told_the_clock(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    path = open_game(client, **BANK)
    with service.writing() as session:
        token = api_tokens.make(session, ana, name="bot", scopes=("read",), days=30, now=NOON)
        session.commit()
    head = {"Authorization": f"Bearer {token}"}
    http = flask_app.test_client()

    [listed] = http.get("/api/v1/games", headers=head).json["games"]
    told = http.get(f"/api/v1{path}", headers=head).json["clock"]

    assert listed["clock"] == told
    assert told.pop("said").startswith("A bank of 240 hours for each player")
    assert told == {"kind": "bank", "hours": 240, "increment": 12, "cap": 360, "counts": "awake",
                    "at_zero": "vote", "reminders": [25, 5]}
