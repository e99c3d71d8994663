"""Making operators by a command; their mark where they play."""

from __future__ import annotations

import pytest
from sqlmodel import Session, select

from pbem.cli import operator
from pbem.models import Game, Person, SeatRow
from pbem.models.operators import OperatorAct
from pbem.operators import people
from pbem.service import Service
from tests.support import tables


@pytest.fixture
def command(
    environment: dict[str, str], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def run(session: Session, *arguments: str) -> int:
    session.commit()
    return operator.main([*arguments])


@pytest.mark.usefixtures("command")
def test_who_is_made_an_operator_is_listed_noted_and_marked_where_he_plays(
    session: Session, game: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(session, "add", "Ana@players.example") == 0
    assert run(session, "list") == 0
    assert "ana@players.example  Ana, since" in capsys.readouterr().out
    marked = session.exec(select(SeatRow.name).where(SeatRow.operator)).all()
    assert marked == ["Ana"]
    act = session.exec(select(OperatorAct)).one()
    assert (act.what, act.about, act.operator_id) == ("operator_added", f"p{game.host_id}", None)


@pytest.mark.usefixtures("command")
def test_a_site_without_operators_says_how_one_is_made(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(session, "list") == 0
    assert "operator add ADDRESS" in capsys.readouterr().out


@pytest.mark.usefixtures("command")
def test_a_seat_keeps_its_mark_when_he_is_no_operator_any_more(
    session: Session, game: Game
) -> None:
    run(session, "add", "ana@players.example")
    assert run(session, "remove", "ana@players.example") == 0
    assert session.exec(select(SeatRow.name).where(SeatRow.operator)).all() == ["Ana"]
    assert people.operators(session) == []


@pytest.mark.usefixtures("command")
def test_an_address_that_is_nobody_s_is_refused(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(session, "add", "nobody@players.example") == 1
    assert "sign in with it first" in capsys.readouterr().err


@pytest.mark.usefixtures("command")
def test_doing_it_twice_says_so_and_notes_it_once(session: Session, game: Game) -> None:
    run(session, "add", "ana@players.example")
    assert run(session, "add", "ana@players.example") == 0
    assert len(session.exec(select(OperatorAct)).all()) == 1


def test_an_operator_who_sits_down_later_is_marked(
    service: Service, session: Session
) -> None:
    now = service.clock.now()
    people.make(session, tables.person(session, "Olga", now), now)
    olga = session.exec(select(Person)).one()
    assert olga.operator == now
    session.commit()
    tables_of = tables.person
    try:
        tables.person = lambda opened, name, at, language="en": (  # type: ignore[assignment]
            olga if name == "Olga" else tables_of(opened, name, at, language))
        tables.started_game(session, now, ("Olga", "Bento"))
    finally:
        tables.person = tables_of  # type: ignore[assignment]
    marked = session.exec(select(SeatRow.name).where(SeatRow.operator)).all()
    assert marked == ["Olga"]
