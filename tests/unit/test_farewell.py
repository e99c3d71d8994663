"""Leaving for good: the others keep their games, and nothing keeps an address."""

from __future__ import annotations

import sqlite3

from sqlmodel import select

from pbem.mail import queue
from pbem.models import Entry, Game, GameState, Person, SeatRow
from pbem.privacy import closure
from pbem.service import Service
from pbem.tables import lobby
from tests.conftest import NOON
from tests.support.letterfactory import person, sign_in
from tests.unit.test_lobby import invite, join, open_game


def finished_game(service: Service) -> tuple[Person, Person, Game]:
    """Ana and Bento have played a game to its end."""
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        game = open_game(session, ana, seats=2)
        join(session, game, bento)
        game.state = GameState.FINISHED
        session.add(game)
        session.commit()
    return ana, bento, game


def leave(service: Service, who: Person) -> None:
    with service.writing() as session:
        closure.leave_for_good(session, session.get_one(Person, who.id), NOON)
        session.commit()


def dump(service: Service) -> str:
    """Everything that the database holds."""
    with sqlite3.connect(service.settings.var / "carreira.db") as connection:
        return "\n".join(connection.iterdump())


def test_no_trace_of_an_address_is_left(service: Service) -> None:
    ana, bento, _ = finished_game(service)
    with service.writing() as session:
        sign_in(session, bento.address, NOON)
        invite(session, open_game(session, session.get_one(Person, ana.id)),
               session.get_one(Person, ana.id), bento.address)
        queue.due(session, address=bento.address, kind="sign_in", about_id=1,
                  now=NOON)
        session.commit()
    assert bento.address in dump(service)

    leave(service, bento)

    assert bento.address not in dump(service)
    assert "Bento" not in dump(service)


def test_the_others_keep_the_game_with_a_name_that_tells_nobody(service: Service) -> None:
    _, bento, game = finished_game(service)
    with service.reading() as session:
        before = [entry.hash for entry in session.exec(select(Entry))]

    leave(service, bento)

    with service.reading() as session:
        assert [entry.hash for entry in session.exec(select(Entry))] == before
        names = {seat.name for seat in session.exec(select(SeatRow))}
        assert names == {"Ana", f"Former player {bento.id}"}
        assert session.get_one(Game, game.id).state == GameState.FINISHED


def test_who_leaves_in_the_middle_of_a_game_hands_his_seat_over(service: Service) -> None:
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        game = open_game(session, ana, seats=2)
        join(session, game, bento)
        session.commit()

    leave(service, bento)

    with service.reading() as session:
        seat = session.exec(select(SeatRow).where(SeatRow.person_id == bento.id)).one()
        assert (seat.left, seat.name) == ("handover", f"Former player {bento.id}")
        assert session.get_one(Game, game.id).state == GameState.RUNNING
    assert "Bento" not in dump(service)



def test_open_games_are_left_and_own_ones_cancelled(service: Service) -> None:
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        hosted, joined = open_game(session, bento), open_game(session, ana)
        join(session, hosted, ana)
        join(session, joined, bento)
        session.commit()

    leave(service, bento)

    with service.reading() as session:
        assert session.get_one(Game, hosted.id).state == GameState.CANCELLED
        assert [who.name for _, who in lobby.chairs(session, joined.id or 0)] == ["Ana"]
