"""Who has a page already is told so without its being built; a changed page has another tag."""

from __future__ import annotations

import sys
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.accounts.keys import Given, Keys
from pbem.clock import FixedClock
from pbem.models import Game, GameState, Person, stored_id
from pbem.privacy import closure
from pbem.service import Service
from pbem.tables import chat, notes
from pbem.web import etags, shelf
from pbem.web.table import page
from tests.pbem import tables
from tests.pbem.tables import ANA, BENTO
from tests.web.at_table import order


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


def test_an_unchanged_page_is_not_built_again(
    ana: FlaskClient, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/games/{game.id}"
    tag = tag_of(ana, path)
    monkeypatch.setattr(page, "render", lambda desk: pytest.fail("it was built"))

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

    chat.say(session, stored_id(game), person_at(session, game, BENTO), "Hello", now)
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
    assert "ETag" not in told.headers


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
        chat.say(session, stored_id(game), person, f"{person.name} was here", now)
    game.state = GameState.FINISHED
    session.add(game)
    session.commit()
    players, visitors = tag_of(ana, path), tag_of(client, path)

    closure.leave_for_good(session, leaves, now, keeps_chat=True)
    session.commit()

    assert [status(ana, path, players), status(client, path, visitors)] == [200, 200]


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


def test_the_tag_holds_no_hash_that_others_could_make(
    flask_app: Flask, client: FlaskClient, service: Service, game: Game
) -> None:
    path = f"/games/{game.id}/1"
    tag = client.get(path).headers["ETag"]
    object.__setattr__(service.settings, "key_source", Given(Keys(b"another secret key")))

    assert client.get(path).headers["ETag"] != tag


def test_all_that_makes_a_page_counts_as_its_release() -> None:
    made_by = {module.__file__ for name, module in sys.modules.items()
               if name.split(".")[0] in {"engine", "pbem"} and module.__file__}

    assert made_by <= {str(path) for path in etags.shown()}


def test_a_visitors_page_is_built_once_for_all_visitors(
    flask_app: Flask, session: Session, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []
    render = page.render
    monkeypatch.setattr(page, "render", lambda desk: built.append(desk.number) or render(desk))
    for state in (GameState.RUNNING, GameState.FINISHED):
        game.state = state
        session.add(game)
        session.commit()
        built.clear()

        first, second = (flask_app.test_client().get(f"/games/{game.id}/1") for _ in range(2))

        assert built == [1]
        assert (first.data, first.headers["ETag"]) == (second.data, second.headers["ETag"])


def test_a_kept_page_is_in_its_readers_language(client: FlaskClient, game: Game) -> None:
    pages = {language: client.get(f"/games/{game.id}/1", headers={"Accept-Language": language}).text
             for language in ("hu", "en", "hu", "pt")}

    assert all(f'<html lang="{language}">' in page for language, page in pages.items())


def test_the_pages_that_nobody_reads_make_room() -> None:
    kept = shelf.Shelf(most=20)
    for tag in "abc":
        kept.put(tag, bytes(8))
        kept.get("a")

    assert [kept.get(tag) is not None for tag in "abc"] == [True, False, True]
