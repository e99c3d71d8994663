"""Who has a page already is told so, and gets no page; a changed page has another tag."""

from __future__ import annotations

from datetime import timedelta

from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.clock import FixedClock
from pbem.models import Game, GameState, Person, Submission, stored_id
from pbem.privacy import closure
from pbem.service import Service
from pbem.tables import chat, notes
from tests.support import tables
from tests.support.at_table import order, sign_in
from tests.support.tables import ANA, BENTO


def tag_of(browser: FlaskClient, path: str) -> str:
    """The page's tag on the second visit: the first one may draw a secret for the forms."""
    browser.get(path)
    tag = browser.get(path).headers["ETag"]
    assert tag.startswith('W/"')
    return tag


def status(browser: FlaskClient, path: str, tag: str) -> int:
    return browser.get(path, headers={"If-None-Match": tag}).status_code


def person_at(session: Session, game: Game, seat: int) -> Person:
    return session.get_one(Person, tables.seat(session, game, seat).person_id)


def test_an_unchanged_page_is_not_sent_again(ana: FlaskClient, game: Game) -> None:
    path = f"/games/{game.id}"
    tag = tag_of(ana, path)

    answer = ana.get(path, headers={"If-None-Match": tag})

    assert (answer.status_code, answer.data) == (304, b"")
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_a_move_changes_the_tag(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    path = f"/games/{game.id}"
    tag = tag_of(ana, path)

    order(service, session, game, ANA, "place 9 navigation")

    assert status(ana, path, tag) == 200


def test_talk_that_the_reader_may_hear_changes_the_tag(
    ana: FlaskClient, client: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    path, now = f"/games/{game.id}", service.clock.now()
    players, spectators = tag_of(ana, path), tag_of(client, path)

    chat.post(session, stored_id(game), person_at(session, game, BENTO), "Hello", now)
    session.commit()

    assert status(ana, path, players) == 200
    assert status(client, path, spectators) == 304


def test_a_note_changes_the_tag_of_its_owners_page_alone(
    ana: FlaskClient, bento: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    path = f"/games/{game.id}"
    tags = tag_of(ana, path), tag_of(bento, path)
    now = service.clock.now()

    note = notes.write(session, game, person_at(session, game, ANA), entry=1, text="A", now=now)
    session.commit()
    assert [status(ana, path, tags[0]), status(bento, path, tags[1])] == [200, 304]

    written = tag_of(ana, path)
    notes.change(session, note, text="B", now=now + timedelta(minutes=1))
    session.commit()
    assert status(ana, path, written) == 200


def test_people_and_languages_have_tags_of_their_own(
    ana: FlaskClient, bento: FlaskClient, client: FlaskClient, game: Game
) -> None:
    path = f"/games/{game.id}/1"
    english = client.get(path).headers["ETag"]
    russian = client.get(path, headers={"Accept-Language": "ru"}).headers["ETag"]

    assert len({tag_of(ana, path), tag_of(bento, path), english, russian}) == 4


def test_what_is_said_once_is_not_kept(ana: FlaskClient, game: Game) -> None:
    path = f"/games/{game.id}"
    tag = tag_of(ana, path)
    ana.post(f"{path}/notes", data={"entry": "1", "text": "  "})

    told = ana.get(path, headers={"If-None-Match": tag})

    assert told.status_code == 200
    assert "nothing to note down" in told.text
    assert told.headers["ETag"] != tag
    again = ana.get(path, headers={"If-None-Match": told.headers["ETag"]})
    assert again.status_code == 200
    assert "nothing to note down" not in again.text


def test_a_page_is_not_kept_beyond_the_secret_of_its_forms(ana: FlaskClient, game: Game) -> None:
    path = f"/games/{game.id}"
    tag = tag_of(ana, path)
    ana.delete_cookie("carreira_form")

    assert status(ana, path, tag) == 200


def test_visitors_of_a_finished_game_may_keep_its_pages(
    ana: FlaskClient, client: FlaskClient, session: Session, game: Game
) -> None:
    game.state = GameState.FINISHED
    session.add(game)
    session.commit()
    path = f"/games/{game.id}/1"

    visitor, player = client.get(path), ana.get(path)

    assert visitor.headers["Cache-Control"].startswith("public, max-age=")
    assert "Set-Cookie" not in visitor.headers
    assert visitor.headers["Vary"] == "Cookie, Accept-Language"
    assert player.headers["Cache-Control"] == "private, no-cache"


def test_a_spectator_who_leaves_for_good_is_in_no_kept_page(
    ana: FlaskClient, client: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    now, path = service.clock.now(), f"/games/{game.id}"
    zoe, leaves = (tables.person(session, name, now) for name in ("Zoe", "Emil"))
    for person in (zoe, leaves):
        chat.post(session, stored_id(game), person, "I was here", now)
    game.state = GameState.FINISHED
    session.add(game)
    session.commit()
    tag = tag_of(ana, path)

    closure.leave_for_good(session, leaves, now, keeps_chat=True)
    session.commit()

    assert status(ana, path, tag) == 200
    assert ["Emil" in browser.get(path).text for browser in (ana, client)] == [False, False]


def test_a_page_that_is_kept_still_tells_that_its_player_has_looked(
    ana: FlaskClient, session: Session, game: Game, clock: FixedClock
) -> None:
    path = f"/games/{game.id}"
    tag = tag_of(ana, path)
    clock.forward(timedelta(hours=1))

    with ana.get(path, headers={"If-None-Match": tag}) as answer:
        assert answer.status_code == 304

    session.expire_all()
    assert tables.seat(session, game, ANA).looked_at == clock.now()


def test_a_kept_page_is_in_its_readers_language(client: FlaskClient, game: Game) -> None:
    pages = {language: client.get(f"/games/{game.id}/1", headers={"Accept-Language": language}).text
             for language in ("hu", "en", "hu", "pt")}

    assert all(f'<html lang="{language}">' in page for language, page in pages.items())




def test_a_seats_waiting_orders_change_no_tag_of_others(
    service: Service, session: Session, flask_app: Flask
) -> None:
    goa = tables.started_game(session, service.clock.now(), game_key="goa")
    browsers = [flask_app.test_client() for _ in range(2)]
    asked = next(number for number in range(4)
                 if tables.seat(session, goa, number).asked_since is not None)
    sign_in(service, browsers[0], session, goa, (asked + 1) % 4)
    path = f"/games/{goa.id}"
    tags = [tag_of(browser, path) for browser in browsers]

    seat = tables.seat(session, goa, asked)
    session.add(Submission(
        game_id=stored_id(goa), seat=asked, person_id=seat.person_id, key="waits", seen=1,
        orders="take a1", source="page", state="pending", created=service.clock.now()))
    session.commit()

    assert [status(browser, path, tag) for browser, tag in zip(browsers, tags, strict=True)] == [
        304, 304]


def test_only_visitors_of_finished_public_games_share_pages(
    client: FlaskClient, ana: FlaskClient, session: Session, game: Game
) -> None:
    path = f"/games/{game.id}/1"
    running = client.get(path).headers["Cache-Control"]
    game.state = GameState.FINISHED
    session.add(game)
    session.commit()

    assert running == "private, no-cache"
    assert client.get(path).headers["Cache-Control"].startswith("public")
    client.set_cookie("anything", "at all")
    assert client.get(path).headers["Cache-Control"] == "private, no-cache"
