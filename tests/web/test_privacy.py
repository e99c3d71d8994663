"""What is kept about people: a page that says it, a file of one's own, and nothing left behind."""

from __future__ import annotations

import json
import sqlite3

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.i18n.words import LANGUAGES
from pbem.mail import queue
from pbem.mail.incoming import inbox, store
from pbem.mail.incoming.parse.reading import Envelope
from pbem.models import (
    Chat,
    Game,
    Inbound,
    InboundState,
    Person,
    SeatRow,
    Submission,
    SubmissionState,
    stored_id,
)
from pbem.privacy import closure
from pbem.service import Service
from pbem.tables import chat, seats
from tests.support.incoming import address, letter
from tests.support.tables import ANA, BENTO, seat

SECRET = "ana@players.example"


def write(service: Service, game: Game, session: Session) -> None:
    """Let Ana talk, answer a letter, and let a server write about a letter to her."""
    ana = session.get_one(Person, seat(session, game, ANA).person_id)
    chat.post(session, stored_id(game), ana, "A fair wind to all", service.clock.now())
    session.add(Submission(game_id=stored_id(game), person_id=stored_id(ana), seat=ANA, seen=1,
                           source="page", key="k", orders="place 1", created=ana.created,
                           state=SubmissionState.REFUSED))  # fmt: skip
    about = queue.due(session, person_id=ana.id, kind="turn",
                      game_id=stored_id(game), entry=99, now=service.clock.now())  # fmt: skip
    session.commit()
    answer = store.store(service, Envelope(SECRET, address(service, about or 0)), letter("help"))
    notice = store.store(
        service, Envelope("", address(service, about or 0, "bounce")),
        f"Final-Recipient: rfc822; {SECRET}\r\n\r\n".encode())  # fmt: skip
    row = session.get_one(Inbound, answer)
    row.person_id, row.told, row.state = ana.id, f'{{"sender": "{SECRET}"}}', InboundState.PLAYED
    row.key = f"{ana.id}:<1@home.example>"
    told = session.get_one(Inbound, notice)
    told.letter_id, told.state = about, InboundState.BOUNCE
    session.commit()


def dump(service: Service) -> str:
    with sqlite3.connect(service.settings.var / "carreira.db") as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        rows = [
            str([value.decode("latin-1") if isinstance(value, bytes) else value for value in row])
            for (table,) in connection.execute("select name from sqlite_master where type='table'")
            for row in connection.execute(f'select * from "{table}"')  # noqa: S608
        ]
    return "\n".join(rows)


def leave(service: Service, session: Session, game: Game, **how: bool) -> None:
    ana = session.get_one(Person, seat(session, game, ANA).person_id)
    seats.resign(session, stored_id(game), stored_id(ana), service.clock.now())
    closure.leave_for_good(session, ana, service.clock.now(), **how)
    session.commit()


# ---- the page -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_can_read_what_is_kept(client: FlaskClient, language: str) -> None:
    page = client.get("/privacy", headers={"Accept-Language": language}).text

    assert "30" in page
    assert 'href="/account/export"' in page
    assert 'href="/account/leave"' in page


def test_every_page_leads_there(client: FlaskClient) -> None:
    assert 'href="/privacy"' in client.get("/archive").text


# ---- the file -----------------------------------------------------------------------------------


def test_people_take_all_along_that_is_kept_about_them(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    write(service, game, session)

    answer = ana.get("/account/export")

    told = json.loads(answer.text)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["Cache-Control"] == "no-store"
    assert told["account"]["address"] == SECRET
    assert [each["id"] for each in told["games"]] == [game.id]
    assert [each["text"] for each in told["chat"]] == ["A fair wind to all"]
    assert "help" in told["letters_from_you"][0]["letter"]
    assert [each["orders"] for each in told["orders"]] == ["place 1"]
    assert "turn" in {each["kind"] for each in told["letters_to_you"]}


def test_the_file_holds_nobody_elses_data_and_no_secret(
    ana: FlaskClient, bento: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    write(service, game, session)

    theirs, anas = bento.get("/account/export").text, ana.get("/account/export").text

    assert "fair wind" not in theirs
    assert SECRET not in theirs
    assert "bento@" not in anas
    for word in ("server_part", "hash", "nonce", "secret"):
        assert word not in anas


def test_a_stranger_gets_no_file(client: FlaskClient) -> None:
    assert client.get("/account/export").status_code == 303


# ---- erased -------------------------------------------------------------------------------------


def test_nothing_of_an_address_is_left_in_the_database(
    service: Service, session: Session, game: Game
) -> None:
    write(service, game, session)
    assert SECRET in dump(service)
    assert "home.example" in dump(service)

    leave(service, session, game)

    left = dump(service)
    for trace in (SECRET, "Ana", "home.example", "fair wind"):
        assert trace not in left, trace


def test_what_was_said_may_stay_without_a_name(
    service: Service, session: Session, game: Game
) -> None:
    write(service, game, session)

    leave(service, session, game, keeps_chat=True)

    (line,) = session.exec(select(Chat)).all()
    assert (line.text, line.name) == ("A fair wind to all", f"Former player {line.person_id}")
    assert "Ana" not in dump(service)


def test_the_others_letters_stay(service: Service, session: Session, game: Game) -> None:
    bento = seat(session, game, BENTO).person_id
    session.commit()
    theirs = store.store(service, Envelope("bento@players.example", address(service)), letter())
    session.get_one(Inbound, theirs).person_id = bento
    session.commit()

    leave(service, session, game)

    with service.reading() as reading:
        assert reading.get_one(Inbound, theirs).raw == letter()
        names = {row.name for row in reading.exec(select(SeatRow))}
        assert "Bento" in names


def test_the_button_asks_whether_ones_words_shall_stay(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    write(service, game, session)
    person_id = seat(session, game, ANA).person_id
    session.commit()
    assert "running game" in ana.get("/account/leave").text
    seats.resign(session, stored_id(game), person_id, service.clock.now())

    assert 'name="chat"' in ana.get("/account/leave").text
    assert ana.post("/account/leave", data={"chat": "keep"}).status_code == 303

    with service.reading() as reading:
        assert reading.exec(select(Chat.text)).one() == "A fair wind to all"
        assert reading.get_one(Person, person_id).name == f"Former player {person_id}"


def test_a_letter_of_somebody_who_has_left_is_ignored(
    service: Service, session: Session, game: Game
) -> None:
    leave(service, session, game)
    came = store.store(service, Envelope(SECRET, address(service, 1)), letter("pass"))

    state = inbox.work_off(service, came, enqueue=lambda _: None)

    assert state == InboundState.IGNORED
