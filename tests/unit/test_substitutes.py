"""People who wait for seats are asked one after the other, each with two days to answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.clock import FixedClock
from pbem.models import Game, Invitation, InvitationState, Outbox, Person, stored_id
from pbem.service import Service
from pbem.tables import invitations, seats, substitutes, vacation
from pbem.tables.lobby import LobbyRefused
from tests.support.doors import letters, text_of
from tests.support.tables import ANA, CATARINA, DUARTE, person, seat, started_game

HOUR = timedelta(hours=1)


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def waiting(session: Session, clock: FixedClock) -> list[Person]:
    """Xenia has waited longer than Yara, Zoe waits for another game."""
    found = []
    for place, name in enumerate(("Xenia", "Yara", "Zoe")):
        found.append(person(session, name, clock.now()))
        key = "goa" if name == "Zoe" else "vasco-da-gama"
        substitutes.set_games(session, found[-1], [key], clock.now() + place * HOUR)
    session.commit()
    return found


@pytest.fixture
def game(session: Session, clock: FixedClock, waiting: list[Person]) -> Game:
    """Catarina's seat is vacant."""
    started = started_game(session, clock.now())
    leave(session, started, CATARINA)
    return started


def leave(session: Session, game: Game, number: int) -> None:
    seats.hand_over(session, stored_id(game), seat(session, game, number).person_id, game.created)


def asked(service: Service, session: Session) -> list[str]:
    """Who is asked now, after a sweep."""
    session.commit()
    session.expire_all()
    substitutes.sweep(service)
    pending = session.exec(
        select(Invitation).where(Invitation.offered, Invitation.state == InvitationState.PENDING)
        .order_by(Invitation.id)).all()
    session.commit()
    return [one.address.partition("@")[0] for one in pending]


def accept(session: Session, who: Person, clock: FixedClock) -> None:
    invitation = session.exec(
        select(Invitation).where(Invitation.address == who.address)).one()
    invitations.accept(session, invitation=invitation, person=who, phrase="", now=clock.now())
    session.commit()


def test_who_waited_longest_for_this_game_is_asked_by_letter(
    service: Service, session: Session, game: Game
) -> None:
    assert asked(service, session) == ["xenia"]
    assert asked(service, session) == ["xenia"]  # once

    [letter] = [one for one in letters(service) if "is free for you" in str(one["Subject"])]
    text = " ".join(text_of(letter).split())
    assert "The seat was Catarina's" in text
    assert "Points so far: Ana 2" in text
    assert "No time limit" in text
    assert "kept for you until Wednesday, 4 March 2026" in text


def test_who_says_nothing_for_two_days_is_followed_by_the_next_one(
    service: Service, session: Session, game: Game, clock: FixedClock
) -> None:
    asked(service, session)
    clock.forward(48 * HOUR - timedelta(seconds=1))
    assert asked(service, session) == ["xenia"]
    clock.forward(timedelta(seconds=1))

    assert asked(service, session) == ["yara"]
    clock.forward(48 * HOUR)
    assert asked(service, session) == []  # all were asked


def test_who_was_silent_waits_behind_all_others(
    service: Service, session: Session, game: Game, clock: FixedClock
) -> None:
    asked(service, session)
    clock.forward(48 * HOUR)
    assert asked(service, session) == ["yara"]
    other = started_game(session, clock.now(), ("Eszter", "Fedor", "Gil"))
    leave(session, other, 0)

    asked(service, session)

    [about_it] = session.exec(select(Invitation).where(Invitation.game_id == other.id)).all()
    assert about_it.address == "yara@players.example"


def test_who_was_silent_about_one_seat_is_asked_about_the_next_one(
    service: Service, session: Session, game: Game, clock: FixedClock
) -> None:
    asked(service, session)
    clock.forward(48 * HOUR)
    asked(service, session)
    leave(session, game, DUARTE)

    assert asked(service, session) == ["xenia", "yara"]


def test_who_declines_is_followed_at_once(
    service: Service, session: Session, game: Game
) -> None:
    asked(service, session)
    invitations.decline(session, session.exec(select(Invitation)).one())

    assert asked(service, session) == ["yara"]


def test_who_accepts_sits_down_and_nobody_else_is_asked(
    service: Service, session: Session, game: Game, waiting: list[Person], clock: FixedClock
) -> None:
    asked(service, session)
    accept(session, waiting[0], clock)

    assert asked(service, session) == []
    assert seat(session, game, CATARINA).name == "Xenia"


def test_an_offer_that_has_run_out_seats_nobody(
    service: Service, session: Session, game: Game, waiting: list[Person], clock: FixedClock
) -> None:
    asked(service, session)
    clock.forward(48 * HOUR)
    asked(service, session)

    with pytest.raises(LobbyRefused, match="not_invited"):
        accept(session, waiting[0], clock)


def test_who_is_away_or_wants_no_invitations_is_not_asked(
    service: Service, session: Session, game: Game, waiting: list[Person], clock: FixedClock
) -> None:
    vacation.announce(session, waiting[0], 5, clock.now())
    invitations.refuse_invitations(session, waiting[1].address, clock.now())

    assert asked(service, session) == []


def test_nobody_is_asked_about_private_games_or_seats_of_his_own_table(
    service: Service, session: Session, game: Game, waiting: list[Person], clock: FixedClock
) -> None:
    for who in waiting:
        substitutes.set_games(session, who, [], clock.now())
    ana = session.get_one(Person, seat(session, game, ANA).person_id)
    substitutes.set_games(session, ana, ["vasco-da-gama"], clock.now())
    assert asked(service, session) == []
    substitutes.set_games(session, waiting[0], ["vasco-da-gama"], clock.now())
    game.private = True
    session.add(game)

    assert asked(service, session) == []


def test_waiting_twice_keeps_ones_place(
    service: Service, session: Session, game: Game, waiting: list[Person], clock: FixedClock
) -> None:
    substitutes.set_games(session, waiting[0], ["vasco-da-gama", "goa"], clock.now() + 9 * HOUR)

    assert asked(service, session) == ["xenia"]
    assert substitutes.games_of(session, stored_id(waiting[0])) == {"vasco-da-gama", "goa"}


def test_offers_count_against_no_hosts_invitations(
    service: Service, session: Session, game: Game
) -> None:
    asked(service, session)
    host = session.get_one(Person, game.host_id)
    leave(session, game, DUARTE)

    invitations.invite_to_seat(session, game_id=stored_id(game), seat=DUARTE, by=host,
                               address="una@players.example", a_day=1, now=game.created)
    assert len(session.exec(select(Outbox).where(Outbox.kind == "take_over")).all()) == 2
