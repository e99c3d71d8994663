"""A vacant seat is taken, or declined, by a letter."""

from __future__ import annotations

import pytest
from sqlmodel import select

from pbem.models import (
    Game,
    Inbound,
    InboundState,
    Invitation,
    InvitationState,
    Outbox,
    Person,
    stored_id,
)
from pbem.play.receipts import notes_of
from pbem.service import Service
from pbem.tables import invitations, seats
from tests.support.answering import Answers
from tests.support.letterfactory import swept
from tests.support.tables import CATARINA, person, seat, started_game

XENIA = "xenia@players.example"


@pytest.fixture
def offered(service: Service) -> Answers:
    """Xenia, whom we know, is invited to Catarina's seat."""
    now = service.clock.now()
    with service.writing() as session:
        game = started_game(session, now)
        person(session, "Xenia", now)
        session.commit()
        number = stored_id(game)
        seats.hand_over(session, number, seat(session, game, CATARINA).person_id, now)
        invitations.invite_to_seat(
            session, game_id=number, seat=CATARINA, by=session.get_one(Person, game.host_id),
            address=XENIA, a_day=9, now=now)
        session.commit()
    swept(service)
    return Answers(service, number)


def says(offered: Answers, body: str) -> Inbound:
    with offered.service.reading() as session:
        letter = session.exec(select(Outbox).where(Outbox.kind == "take_over")).one()
    return offered.says(letter, body, sender=XENIA)


def held_by(offered: Answers) -> str:
    with offered.service.reading() as session:
        game = session.exec(select(Game)).one()
        return seat(session, game, CATARINA).name


def test_accept_takes_the_seat(offered: Answers) -> None:
    row = says(offered, "accept")

    assert row.state == InboundState.PLAYED
    assert held_by(offered) == "Xenia"


def test_decline_leaves_it(offered: Answers) -> None:
    says(offered, "decline")

    assert held_by(offered) == "Catarina"
    with offered.service.reading() as session:
        assert session.exec(select(Invitation)).one().state == InvitationState.DECLINED


def test_a_seat_that_is_taken_by_then_is_said_so(offered: Answers) -> None:
    with offered.service.writing() as session:
        game = session.exec(select(Game)).one()
        gone = session.get_one(Person, seat(session, game, CATARINA).person_id)
        seats.take(session, stored_id(game), CATARINA, gone, game.created)
        session.commit()

    row = says(offered, "accept")

    assert row.state == InboundState.REFUSED
    assert "declined or taken back" in notes_of(row).words[0].text
    assert held_by(offered) == "Catarina"
