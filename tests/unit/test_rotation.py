"""What was given out before the keys changed stays good behind it, through the real ways in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import select

from pbem import backup, backup_file
from pbem.accounts import feed_addresses, web_hooks
from pbem.accounts.keys import KeyFiles
from pbem.cli import rotate_keys
from pbem.config import Settings
from pbem.mail.incoming import store
from pbem.mail.tokens import token
from pbem.models import Game, InboundState, Outbox, Person, SeatRow, stored_id
from pbem.models.archive import WebHook
from pbem.service import Service
from pbem.tables import invitations
from pbem.web.app import build
from tests.support.answering import Answers, at_table, placing, written
from tests.support.letterfactory import person

FORGET_ALL = rotate_keys.days("all")


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    """Keys in files, as a site on one machine has them."""
    return {name: value for name, value in environment.items() if "SECRET" not in name}


@pytest.fixture
def strict(service: Service) -> Iterator[FlaskClient]:
    """A browser at a site that checks its forms."""
    yield strict_site(service).test_client()


def strict_site(service: Service) -> Flask:
    """The site as a process of now has it."""
    app = build(service)
    app.extensions["carreira_enqueuer"] = type("Deaf", (), {"put": lambda *_: None})()
    return app


def rotate(service: Service, *browsers: FlaskClient, forget: bool = False) -> None:
    """What the command does; then all processes are started again."""
    files = KeyFiles(service.settings.var)
    rotate_keys.rotate(files, service.clock.now(), FORGET_ALL if forget else None)
    vars(service)["settings"] = replace(service.settings, keys=files.read())
    for browser in browsers:
        browser.application = strict_site(service)


def test_a_letter_of_before_is_answered_behind_two_rotations(service: Service) -> None:
    table = at_table(service, placing)
    letter = table.letter()
    address = table.address(letter)
    rotate(service)
    rotate(service)

    assert store.addressed(service.settings, address) is not None
    came = table.arrives(written(address, "place 8 recruiting", "ana@players.example"), address)

    assert came.state == InboundState.PLAYED
    assert table.address(letter) != address


def test_a_letter_signed_by_a_forgotten_key_is_nobodys(service: Service) -> None:
    table = at_table(service, placing)
    address = table.address(table.letter())
    rotate(service, forget=True)

    assert store.addressed(service.settings, address) is None
    came = table.arrives(written(address, "place 8 recruiting", "ana@players.example"), address)
    assert (came.state, came.reason) == (InboundState.IGNORED, "unknown_address")


def test_one_click_stops_letters_by_a_link_of_before(
    service: Service, strict: FlaskClient
) -> None:
    table: Answers = at_table(service, placing)
    letter = table.letter()
    link = f"/u/{token(service.settings.keys, 'unsub', letter)}"
    rotate(service, strict)

    assert strict.get(link).status_code == 200
    assert strict.post(link, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert table.seat().letters == "none"
    rotate(service, strict, forget=True)
    assert strict.get(link).status_code == 404


def test_a_link_to_join_and_feeds_of_before_hold_until_their_key_is_forgotten(
    service: Service, strict: FlaskClient
) -> None:
    at_table(service, placing)
    keys = service.settings.keys
    with service.writing() as session:
        game = session.get_one(Game, 1)
        game.state, game.private = "open", True
        ana = session.exec(select(Person).where(Person.name == "Ana")).one()
        feed_addresses.renew(session, ana)
        session.commit()
        secret = feed_addresses.secret_of(session, keys, ana)
        paths = [f"/join/{invitations.join_token(keys, game)}", f"/feeds/{secret}/games.atom"]
    assert [strict.get(path).status_code for path in paths] == [200, 200]
    rotate(service, strict)
    assert [strict.get(path).status_code for path in paths] == [200, 200]
    with service.reading() as session:
        assert feed_addresses.secret_of(session, service.settings.keys, ana) != secret
    rotate(service, strict, forget=True)
    assert [strict.get(path).status_code for path in paths] == [404, 404]


def form_token(page: str) -> str:
    """The token of the first form of a page."""
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
    assert found is not None
    return found[1]


def test_a_form_of_before_is_posted_behind_a_rotation(
    service: Service, strict: FlaskClient
) -> None:
    first = {"address": "new@players.example",
             "csrf_token": form_token(strict.get("/sign-in").get_data(as_text=True))}
    rotate(service, strict)

    assert strict.post("/sign-in", data=first).status_code in (200, 303)

    second = first | {"csrf_token": form_token(strict.get("/sign-in").get_data(as_text=True))}
    rotate(service, strict, forget=True)
    refused = strict.post("/sign-in", data=second)
    assert refused.status_code == 400
    assert "load the page again" in refused.get_data(as_text=True)
    again = form_token(strict.get("/sign-in").get_data(as_text=True))
    assert strict.post("/sign-in", data=second | {"csrf_token": again}).status_code in (200, 303)


def test_who_is_signed_in_stays_so_even_if_all_keys_are_forgotten(
    service: Service, strict: FlaskClient
) -> None:
    from pbem.accounts import auth
    from pbem.web.context import COOKIE

    with service.writing() as session:
        ana = person(session, "Ana")
        cookie = auth.open_session(session, stored_id(ana), agent="", now=service.clock.now())
        session.commit()
    strict.set_cookie(COOKIE, cookie)
    rotate(service, strict, forget=True)

    assert strict.get("/account").status_code == 200


def test_a_web_hook_asked_before_confirms_behind_a_rotation(service: Service) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana = person(session, "Ana")
        hook = web_hooks.add(session, ana, "https://hooks.example/turns", now)
        word, secret = web_hooks.challenge(service.settings.keys, hook), hook.secret
        rotate(service)

        assert web_hooks.is_answered_in(service.settings.keys, hook, f"ok {word}".encode())
        assert web_hooks.confirm(session, service.settings.keys, hook, word, now)
        assert session.get_one(WebHook, hook.id).secret == secret  # signs as before


def test_a_backup_carries_all_keys_and_one_without_old_keys_is_as_it_was(
    service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "site.gz"
    backup.backup(service, path, service.clock.now())
    assert b"old_keys" not in next(iter(backup_file.lines_of(path)))
    assert backup_file.head_of(path).keys == service.settings.keys
    rotate(service)
    rotate(service)
    backup.backup(service, path, service.clock.now())

    backup.keep_keys(path, tmp_path / "other")

    other = Settings.from_environment({"CARREIRA_VAR": str(tmp_path / "other")})
    assert other.keys.new == service.settings.keys.new
    assert set(other.keys.old) == set(service.settings.keys.old)
    assert len(other.keys.old) == 2


def test_each_seat_of_a_game_can_answer_by_the_new_key(service: Service) -> None:
    table = at_table(service, placing)
    rotate(service)

    came = table.says(table.letter(), "place 8 recruiting")

    assert came.state == InboundState.PLAYED
    with service.reading() as session:
        assert session.exec(select(Outbox)).first() and session.exec(select(SeatRow)).first()
