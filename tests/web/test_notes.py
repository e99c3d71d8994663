"""Private notes: at the entry where they were written, for who wrote them, and for nobody else."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.models import Game, GameState, Person
from pbem.models.archive import Note
from pbem.privacy import closure, own_data
from pbem.service import Service
from tests.support import tables
from tests.support.tables import ANA, BENTO

SECRET = "Catarina never bids on <cloves>"


@pytest.fixture
def noted(ana: FlaskClient, session: Session, game: Game) -> int:
    """Ana's note at entry 1, by its number."""
    answer = ana.post(f"/games/{game.id}/notes", data={"entry": "1", "at": "1", "text": SECRET})
    assert answer.location == f"/games/{game.id}/1#notes"
    number = session.exec(select(Note.id)).one()
    session.commit()  # lets others write
    assert number is not None
    return number


def kept(session: Session) -> list[str]:
    """All notes' texts."""
    found = list(session.exec(select(Note.text)))
    session.commit()
    return found


def notes_in(page: str) -> str:
    """The notes' section."""
    begins = r'<(section class="notes|details class="book" id="notes")'
    found = re.search(begins + r'.*?(</section>|id="about")', page, re.DOTALL)
    return "" if found is None else found[0]


def test_a_note_stands_at_its_entry_and_on_the_list(
    ana: FlaskClient, game: Game, noted: int
) -> None:
    for path in ("/1", "", "/notes"):
        assert "never bids on &lt;cloves&gt;" in notes_in(ana.get(f"/games/{game.id}{path}").text)


def test_nobody_else_sees_a_note_on_any_page(
    bento: FlaskClient, client: FlaskClient, session: Session, game: Game, noted: int
) -> None:
    paths = ["", "/1", "/graph", "/compare", "/notes"]

    for state in (GameState.RUNNING, GameState.FINISHED):
        game.state = state
        session.add(game)
        session.commit()
        for browser in (bento, client):
            for path in paths:
                assert "never bids" not in browser.get(f"/games/{game.id}{path}").text


def test_another_persons_note_can_be_neither_changed_nor_deleted(
    bento: FlaskClient, client: FlaskClient, session: Session, game: Game, noted: int
) -> None:
    path = f"/games/{game.id}/notes/{noted}"

    assert bento.post(path, data={"text": "mine now"}).status_code == 404
    assert bento.post(path, data={"delete": "1"}).status_code == 404
    assert client.post(path, data={"delete": "1"}).location.startswith("/sign-in")
    assert kept(session) == [SECRET]


def test_a_note_is_changed_and_deleted_where_it_stands(
    ana: FlaskClient, session: Session, game: Game, noted: int
) -> None:
    path = f"/games/{game.id}/notes/{noted}"

    ana.post(path, data={"text": "She does.", "at": "1"})
    assert "She does." in notes_in(ana.get(f"/games/{game.id}/1").text)

    ana.post(path, data={"text": "She does.", "delete": "1", "at": "1"})
    assert kept(session) == []


def test_a_double_click_writes_one_note(
    ana: FlaskClient, session: Session, game: Game, noted: int
) -> None:
    ana.post(f"/games/{game.id}/notes", data={"entry": "1", "text": SECRET})

    assert len(kept(session)) == 1


@pytest.mark.parametrize("text", ["", " \n ", "x" * 4_001])
def test_a_note_of_nothing_or_of_too_much_is_refused(
    ana: FlaskClient, session: Session, game: Game, text: str
) -> None:
    answer = ana.post(f"/games/{game.id}/notes", data={"entry": "1", "text": text},
                      follow_redirects=True)

    assert 'class="refused"' in answer.text
    assert kept(session) == []


@pytest.mark.parametrize("entry", ["0", "9999", "x", ""])
def test_a_note_belongs_to_an_entry_that_there_is(
    ana: FlaskClient, game: Game, entry: str
) -> None:
    answer = ana.post(f"/games/{game.id}/notes", data={"entry": entry, "text": "here"})

    assert answer.status_code == 400


def test_notes_are_in_their_owners_export_alone(
    service: Service, session: Session, game: Game, noted: int
) -> None:
    now = service.clock.now()
    people = [
        session.get_one(Person, tables.seat(session, game, seat).person_id)
        for seat in (ANA, BENTO)
    ]

    mine, others = (own_data.own_data(session, person, now)["notes"] for person in people)

    assert [(note["entry"], note["text"]) for note in mine] == [(1, SECRET)]
    assert others == []


def test_notes_go_with_the_account(
    service: Service, session: Session, game: Game, noted: int
) -> None:
    ana = session.get_one(Person, tables.seat(session, game, ANA).person_id)
    game.state = GameState.FINISHED
    session.add(game)

    closure.leave_for_good(session, ana, service.clock.now(), keeps_chat=True)

    assert kept(session) == []
