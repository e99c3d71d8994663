"""How often making a letter asks the database, and that what there is to tell is asked for."""

from __future__ import annotations

import pytest
from sqlmodel import select

from pbem.mail import queue
from pbem.mail.delivery import retries
from pbem.mail.letters import build, glance
from pbem.models import Entry, Game, LetterState, Outbox, Person, SeatRow, StandingOrder
from pbem.once import is_empty, keep
from pbem.play import orders_ahead, positions
from pbem.service import Service
from pbem.tables import blocks, chat
from tests.pbem.letterfactory import placing_game, play_on, swept


def turn(service: Service) -> Outbox:
    """A turn's letter, the only one that is due."""
    game = placing_game(service)
    play_on(service, game, 4)
    swept(service)
    play_on(service, game, 1)
    with service.reading() as session:
        return session.exec(select(Outbox).where(Outbox.state == LetterState.PENDING)).one()


LISTS = ("pauses", "turns of", "marks", "orders ahead", "talk", "blocked")


def empty_lists(service: Service, row: Outbox) -> set[str]:
    """The first words of the lists of which a letter's session knows that they hold nothing."""
    game, person = row.game_id, row.person_id
    keys = (retries.ALL_PAUSES, ("turns of", person), ("marks", game),
            ("orders ahead", game, person), ("talk", game), ("blocked", person))
    with service.reading() as session:
        keep(session)
        glance.at(session, row, service.clock.now())
        return {name for name, key in zip(LISTS, keys, strict=True) if is_empty(session, key)}


def test_a_look_finds_all_lists_empty_where_nothing_is_in_them(service: Service) -> None:
    assert empty_lists(service, turn(service)) == set(LISTS)


@pytest.mark.parametrize("holding", LISTS)
def test_a_list_that_holds_something_is_read(service: Service, holding: str) -> None:
    row, now = turn(service), service.clock.now()
    game_id, person_id = row.game_id, row.person_id
    with service.writing() as session:
        game, person = session.get_one(Game, game_id), session.get_one(Person, person_id)
        seats = session.exec(select(SeatRow).where(SeatRow.game_id == game_id)).all()
        [other] = [seat for seat in seats if seat.person_id != person_id]
        [own] = [seat for seat in seats if seat.person_id == person_id]
        if holding == "pauses":
            retries.pause(session, "players.example", until=now.replace(year=2099), why="x",
                          now=now)
        elif holding == "turns of":
            queue.due(session, person_id=row.person_id, kind="turn", game_id=game_id, entry=99,
                       now=now)
        elif holding == "marks":
            session.get_one(Entry, (game_id, 2)).cause = "resign"
        elif holding == "orders ahead":
            session.add(StandingOrder(game_id=game_id, seat=own.number or 0, person_id=person_id,
                                      line="pass", given=1, created=now))
        elif holding == "talk":
            chat.post(session, game_id, session.get_one(Person, other.person_id), "Ahoy", now)
        else:
            blocks.block(session, person, session.get_one(Person, other.person_id), now)
        session.commit()

    assert empty_lists(service, row) == {*LISTS} - {holding}
    with service.reading() as session:
        keep(session)
        glance.at(session, row, now)
        game, seat = session.get_one(Game, game_id), session.get_one(SeatRow, own.id)
        found = {
            "pauses": retries.paused_until(session, "a@players.example", now),
            "turns of": build.companions(session, row, now, now - now) or holding == "turns of",
            "marks": positions.marks(session, game),
            "orders ahead": orders_ahead.all_of(session, seat),
            "talk": chat.visible_lines(session, game, seat, reader=person_id),
            "blocked": blocks.blocked_by(session, person_id),
        }
    assert {name for name, value in found.items() if value} == {holding}
