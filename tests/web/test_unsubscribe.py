"""Stopping letters by the link that each carries, and confirming an address that refused some."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.mail.tokens import letter_of
from pbem.models import Outbox, Person, SeatRow
from pbem.service import Service
from pbem.web.app import build
from tests.support.doors import browser, code_in, enter, letters, path_in, somebody
from tests.support.letterfactory import person, placing_game, play_on, running_game, the_letter

ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def path(service: Service) -> str:
    """The page that Ana's letter names."""
    placing_game(service)
    letter = the_letter(service, "turn", "ana@")
    return re.search(r"<http://localhost(/u/[a-z2-7]{26})>", letter["List-Unsubscribe"])[1]


def wishes(service: Service, name: str = "Ana") -> tuple[str | None, str | None]:
    """How somebody wants letters: of all games, and of his one game."""
    with service.reading() as session:
        found = select(Person, SeatRow).where(SeatRow.person_id == Person.id, Person.name == name)
        person, seat = session.exec(found).one()
        return person.letters, seat.letters


def test_a_mail_program_stops_a_games_letters_by_one_post_without_cookie_or_token(
    service: Service, path: str
) -> None:
    strict = build(service).test_client(use_cookies=False)  # forms need their token here

    answers = [strict.post(path, data=ONE_CLICK) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert wishes(service) == (None, "none")
    assert wishes(service, "Bento") == (None, None)


def test_one_click_may_come_as_multipart_too(
    client: FlaskClient, service: Service, path: str
) -> None:
    answer = client.post(path, data=ONE_CLICK, content_type="multipart/form-data")

    assert (answer.status_code, wishes(service)) == (200, (None, "none"))


def test_after_one_click_no_letter_of_the_game_leaves(
    client: FlaskClient, service: Service, path: str
) -> None:
    client.post(path, data=ONE_CLICK)

    sent = []
    for _ in range(4):
        play_on(service, 1, 1)
        sent += [str(letter["To"]) for letter in letters(service)]

    assert not any("ana@" in to for to in sent)
    assert any("bento@" in to for to in sent)


@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_looking_stops_nothing(
    client: FlaskClient, service: Service, path: str, method: str
) -> None:
    for _ in range(3):
        answer = getattr(client, method)(f"{path}?List-Unsubscribe=One-Click&stop=all")

    assert answer.status_code == 200
    assert wishes(service) == (None, None)


def test_the_page_names_the_game_and_its_buttons_work_without_signing_in(
    client: FlaskClient, service: Service, path: str
) -> None:
    page = client.get(path)
    text = page.get_data(as_text=True)

    assert "Game 1" in text
    assert 'value="game"' in text
    assert 'value="all"' in text
    assert 'href="/account"' in text
    assert "<script" not in text
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    done = client.post(path, data={"stop": "game"})
    assert "No letters of this game come to you any more." in done.get_data(as_text=True)
    assert wishes(service) == (None, "none")


def test_all_letters_of_all_games_are_stopped_at_once(
    client: FlaskClient, service: Service, path: str
) -> None:
    client.post(path, data=ONE_CLICK)

    done = client.post(path, data={"stop": "all"})

    assert done.status_code == 200
    assert wishes(service) == ("none", None)


@pytest.mark.parametrize("data", [{}, {"stop": "x"}, {"List-Unsubscribe": "yes"}])
def test_a_post_that_asks_for_nothing_stops_nothing(
    client: FlaskClient, service: Service, path: str, data: dict[str, str]
) -> None:
    assert client.post(path, data=data).status_code == 400
    assert wishes(service) == (None, None)


def test_a_token_of_another_purpose_or_none_stops_nothing(
    client: FlaskClient, service: Service, path: str
) -> None:
    with service.reading() as session:
        letter = session.exec(select(Outbox).where(Outbox.kind == "turn")).first()
    from pbem.mail.tokens import token

    turn = token(service.settings.keys, "turn", letter)

    for odd in (turn, "a" * 26, "x", path[3:-1] + ("a" if path[-1] != "a" else "b")):
        assert client.get(f"/u/{odd}").status_code == 404
        assert client.post(f"/u/{odd}", data=ONE_CLICK).status_code == 404


def test_the_link_of_a_letter_that_is_lost_stops_nothing_and_says_so(
    client: FlaskClient, service: Service, path: str
) -> None:
    with service.writing() as session:
        letter = letter_of(session, service.settings.keys, "unsub", path[3:])
        letter.message_id = "<another@carreira.example>"  # as the number's next owner has one
        session.commit()

    answers = [client.get(path), client.post(path, data=ONE_CLICK)]

    assert [answer.status_code for answer in answers] == [410, 410]
    assert "Nothing was stopped" in answers[0].text
    assert wishes(service) == (None, None)


def test_only_this_page_takes_posts_without_a_token(service: Service, path: str) -> None:
    strict = build(service).test_client()

    exempt = strict.application.extensions["csrf"]._exempt_views

    assert exempt == {"pbem.web.account.letter_links.stop_letters"}
    assert strict.post("/sign-in", data={"address": "ana@players.example"}).status_code == 400


def test_a_letter_of_several_games_stops_all_of_them(
    client: FlaskClient, service: Service, path: str
) -> None:
    now = service.clock.now()
    with service.writing() as session:
        letter = letter_of(session, service.settings.keys, "unsub", path[3:])
        ana = session.exec(select(Person).where(Person.name == "Ana")).one()
        other = running_game(session, [ana, person(session, "Catarina")], now)
        session.add(Outbox(person_id=letter.person_id, kind="turn", game_id=other.id,
                           entry=5, dedup_key="other", state="merged",
                           merged_into=letter.id, created=now, not_before=now, settled=now))
        session.commit()

    page = client.get(path).get_data(as_text=True)
    client.post(path, data=ONE_CLICK)

    assert "No more letters of these games" in page
    with service.reading() as session:
        mine = select(SeatRow.letters).where(SeatRow.person_id == ana.id)
        assert session.exec(mine).all() == ["none", "none"]


# ---- an address that refused letters ------------------------------------------------------------


@pytest.fixture
def refused(client: FlaskClient, service: Service) -> FlaskClient:
    """Ana is signed in; a letter to her came back since."""
    enter(client, service, somebody(service, "Ana"))
    with service.writing() as session:
        session.exec(select(Person)).one().suppressed = "5.1.1 no such user"
        session.commit()
    return client


def why_none(service: Service) -> str | None:
    with service.reading() as session:
        return session.exec(select(Person)).one().suppressed


def test_every_page_says_that_letters_were_refused_and_offers_a_way_out(
    refused: FlaskClient, flask_app: Flask, service: Service
) -> None:
    for page in ("/", "/games", "/account", "/archive"):
        text = refused.get(page).get_data(as_text=True)
        assert "No letters go to ana@players.example" in text
        assert "5.1.1 no such user" in text
        assert 'action="/account/confirm"' in text

    assert "No letters go to" not in flask_app.test_client().get("/").get_data(as_text=True)


def test_the_letters_link_confirms_the_address_in_any_browser(
    refused: FlaskClient, flask_app: Flask, service: Service
) -> None:
    asked = refused.post("/account/confirm")
    assert asked.headers["Location"] == "/sign-in/code"
    [letter] = letters(service)
    path = path_in(letter, "/sign-in/")
    other = browser(flask_app, service)

    for _ in range(3):
        assert other.get(path).status_code == 200
    assert why_none(service) == "5.1.1 no such user"
    answer = other.post(path)

    assert (answer.status_code, answer.headers["Location"]) == (303, "/account")
    assert why_none(service) is None
    assert other.get("/account").status_code == 303  # it proves an address, and signs nobody in
    assert "No letters go to" not in refused.get("/").get_data(as_text=True)


def test_the_letters_code_confirms_the_address_too(refused: FlaskClient, service: Service) -> None:
    refused.post("/account/confirm")
    [letter] = letters(service)

    refused.post("/sign-in/code", data={"code": code_in(letter)})

    assert why_none(service) is None
    page = refused.get("/account").get_data(as_text=True)
    assert "Letters go to ana@players.example again." in page


def test_only_so_many_letters_confirm_an_address_in_an_hour(refused: FlaskClient) -> None:
    answers = [refused.post("/account/confirm").status_code for _ in range(6)]

    assert answers[-1] == 429


def test_nobody_confirms_without_signing_in(client: FlaskClient, service: Service) -> None:
    assert client.post("/account/confirm").headers["Location"] == "/sign-in"
    assert letters(service) == []
