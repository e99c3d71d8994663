"""Who is blocked neither invites nor sits down beside the blocker, and is not told of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from sqlmodel import Session, select

from pbem.mail.letter import DueLetter
from pbem.mail.letters import invitations as invitation_letters
from pbem.models import Game, GameState, Invitation, LetterState, Outbox, Person, stored_id
from pbem.models.operators import Block
from pbem.play.refusals import TableRefused
from pbem.privacy import closure, own_data
from pbem.service import Service
from pbem.tables import (
    blocks,
    chat,
    invitations,
    lists,
    lobby,
    seats,
    series,
    substitutes,
)
from pbem.tables.lobby import LobbyRefused
from tests.conftest import NOON
from tests.support import tables
from tests.support.letterfactory import person, swept
from tests.support.tables import BENTO, seat, started_game
from tests.unit.test_lobby import invite, join, names_at, open_game, refused


def is_wanted(session: Session, made: Invitation) -> bool:
    """Whether the letter of an invitation may leave."""
    return invitation_letters.is_wanted(DueLetter(session, Outbox(invitation_id=made.id), NOON))


@pytest.fixture(params=["sqlite", "postgresql"])
def served(request: pytest.FixtureRequest) -> Service:
    """A service on either database."""
    name = "service" if request.param == "sqlite" else "postgres_service"
    found: Service = request.getfixturevalue(name)
    return found


@pytest.fixture
def session(served: Service) -> Iterator[Session]:
    with served.writing() as writing:
        yield writing


@pytest.fixture
def ana(session: Session) -> Person:
    return person(session, "Ana")


@pytest.fixture
def bento(session: Session) -> Person:
    return person(session, "Bento")


@pytest.fixture
def carla(session: Session) -> Person:
    return person(session, "Carla")


def block(session: Session, who: Person, whom: Person) -> list[Game]:
    return blocks.block(session, who, whom, NOON)


# ---- invitations --------------------------------------------------------------------------------


def letters_to(session: Session, who: Person) -> list[str]:
    """What has become of the letters to somebody."""
    return [row.state for row in session.exec(
        select(Outbox).where(Outbox.person_id == who.id).order_by(Outbox.id))]


def test_no_invitation_of_the_blocked_one_leaves_and_his_answer_is_as_any(
    served: Service, session: Session, ana: Person, bento: Person, carla: Person
) -> None:
    block(session, ana, bento)
    game = open_game(session, bento)

    to_ana, to_carla = (invite(session, game, bento, who.address) for who in (ana, carla))
    session.commit()
    swept(served)
    session.expire_all()

    assert letters_to(session, ana) == [LetterState.SUPERSEDED]
    assert letters_to(session, carla) == [LetterState.SENT]
    assert to_ana.state == to_carla.state  # as their host sees them
    assert invitations.pending_for(session, ana) == []
    assert len(invitations.pending_for(session, carla)) == 1


def test_the_second_address_counts_as_the_first(
    session: Session, ana: Person, bento: Person
) -> None:
    ana.second_address = "ana.b@players.example"
    session.add(ana)
    block(session, ana, bento)

    made = invite(session, open_game(session, bento), bento, "ana.b@players.example")

    assert not is_wanted(session, made)
    blocks.unblock(session, ana, stored_id(bento))
    assert is_wanted(session, made)


def test_who_waits_for_seats_is_not_asked_to_a_table_of_either(
    session: Session, carla: Person
) -> None:
    """Carla waits; first she has blocked Ana at that table, then Ana has blocked her."""
    game = started_game(session, NOON)
    ana = session.get_one(Person, game.host_id)
    substitutes.set_games(session, carla, [game.game], NOON)
    seats.hand_over(session, stored_id(game), seat(session, game, BENTO).person_id, NOON)
    vacant = seat(session, game, BENTO)

    for one, other in ((carla, ana), (ana, carla)):
        block(session, one, other)
        assert not substitutes.may_be_asked(session, game, vacant, carla, now=NOON)
        blocks.unblock(session, one, stored_id(other))
    assert substitutes.may_be_asked(session, game, vacant, carla, now=NOON)


# ---- sitting down -------------------------------------------------------------------------------


def test_the_blocked_one_finds_no_chair_and_is_not_told_by_whom(
    session: Session, ana: Person, bento: Person, carla: Person
) -> None:
    game = open_game(session, carla)
    join(session, game, ana)
    block(session, ana, bento)

    with refused("not_for_you") as why:
        join(session, game, bento)

    assert why.value.numbers == {}
    assert lists.to_join(session, bento.id) == []
    assert names_at(session, game) == ["Carla", "Ana"]


def test_the_host_counts_even_if_he_only_looks_on(
    session: Session, ana: Person, bento: Person, carla: Person
) -> None:
    game = started_game(session, NOON, ("Duarte", "Eszter", "Fedor"))
    game.host_id = stored_id(ana)
    session.add(game)
    session.commit()
    seats.hand_over(session, stored_id(game), seat(session, game, 1).person_id, NOON)
    block(session, ana, bento)

    with pytest.raises(TableRefused, match="not_for_you"):
        seats.take(session, stored_id(game), 1, bento, NOON)
    assert (game, seat(session, game, 1)) not in seats.open_ones(session, bento)
    seats.take(session, stored_id(game), 1, carla, NOON)


def test_an_invitation_of_others_does_not_open_the_table(
    session: Session, ana: Person, bento: Person, carla: Person
) -> None:
    game = open_game(session, carla)
    join(session, game, ana)
    block(session, ana, bento)
    made = invite(session, game, carla, bento.address)

    with refused("not_for_you"):
        invitations.accept(session, invitation=made, person=bento, phrase="", now=NOON)


def test_the_blocker_is_warned_before_he_sits_down(
    session: Session, ana: Person, bento: Person, carla: Person
) -> None:
    game = open_game(session, carla)
    join(session, game, bento)
    block(session, ana, bento)

    with refused("blocked_here") as why:
        join(session, game, ana)
    assert why.value.numbers == {"names": "Bento"}

    lobby.join(session, game_id=stored_id(game), person=ana, phrase="", now=NOON,
               beside={stored_id(bento)})
    assert names_at(session, game) == ["Carla", "Bento", "Ana"]


def test_the_blocker_is_warned_before_he_takes_a_seat_over(
    session: Session, carla: Person
) -> None:
    game = started_game(session, NOON)
    ana = session.get_one(Person, game.host_id)
    seats.hand_over(session, stored_id(game), seat(session, game, BENTO).person_id, NOON)
    block(session, carla, ana)

    with pytest.raises(TableRefused, match="blocked_here"):
        seats.take(session, stored_id(game), BENTO, carla, NOON)
    seats.take(session, stored_id(game), BENTO, carla, NOON, beside={stored_id(ana)})


def test_a_running_game_of_both_goes_on_and_its_seats_can_be_taken_again(
    session: Session
) -> None:
    game = started_game(session, NOON)
    ana = session.get_one(Person, game.host_id)
    bento = session.get_one(Person, seat(session, game, BENTO).person_id)
    assert [one.id for one in block(session, ana, bento)] == [game.id]

    seats.resign(session, stored_id(game), stored_id(bento), NOON)
    seats.take(session, stored_id(game), BENTO, bento, NOON)

    assert seat(session, game, BENTO).resigned is None


# ---- rematches and series -----------------------------------------------------------------------


def ended(session: Session, ana: Person, bento: Person, carla: Person, **more: object) -> Game:
    game = open_game(session, ana, seats=3, **more)
    for guest in (bento, carla):
        join(session, game, guest)
    return game


def over(session: Session, game: Game) -> None:
    game.state, game.ended = GameState.FINISHED, NOON
    session.add(game)
    session.flush()


def test_a_rematch_of_the_blocked_one_tells_the_blocker_nothing(
    served: Service, session: Session, ana: Person, bento: Person, carla: Person
) -> None:
    old = ended(session, ana, bento, carla)
    over(session, old)
    block(session, ana, bento)
    session.commit()

    new = series.open_rematch(session, game_id=stored_id(old), person=bento, now=NOON, open_days=30,
                        a_day=40)
    session.commit()

    made = session.exec(select(Invitation).where(Invitation.address == ana.address)).one()
    assert not is_wanted(session, made)
    with refused("blocked_here"):
        series.open_rematch(session, game_id=stored_id(old), person=ana, now=NOON, open_days=30,
                      a_day=40)
    assert names_at(session, new) == ["Bento"]


def test_who_has_blocked_somebody_does_not_invite_him_to_a_rematch(
    session: Session, ana: Person, bento: Person, carla: Person
) -> None:
    old = ended(session, ana, bento, carla)
    over(session, old)
    block(session, ana, bento)

    new = series.open_rematch(session, game_id=stored_id(old), person=ana, now=NOON, open_days=30,
                        a_day=40)

    invited = session.exec(select(Invitation.address).where(Invitation.game_id == new.id)).all()
    assert invited == [carla.address]


@pytest.mark.parametrize("host_is_blocked", [False, True])
def test_the_next_game_of_a_series_seats_not_both(
    session: Session, ana: Person, bento: Person, carla: Person, host_is_blocked: bool  # noqa: FBT001
) -> None:
    """Whoever is left out can sit down by himself, or cannot: as in any open game."""
    game = open_game(session, ana, seats=3)
    made = series.begin(session, game, 2, NOON)
    for guest in (bento, carla):
        join(session, game, guest)
    over(session, game)
    block(session, *((carla, ana) if host_is_blocked else (carla, bento)))
    session.commit()

    new = series.open_next_game(session, made.id or 0, NOON, open_days=30)

    assert new is not None
    assert sorted(names_at(session, new)) == (
        ["Ana", "Bento"] if host_is_blocked else ["Ana", "Carla"])


# ---- races --------------------------------------------------------------------------------------


def test_of_blocker_and_blocked_who_sit_down_at_once_one_is_seated(
    postgres_service: Service
) -> None:
    service = postgres_service
    with service.writing() as session:
        host, ana, bento = (person(session, name) for name in ("Host", "Ana", "Bento"))
        game_id = stored_id(open_game(session, host))
        block(session, ana, bento)
        ids = [stored_id(ana), stored_id(bento)]
        session.commit()
    both, refusals = threading.Barrier(2), []

    def sit_down(number: int) -> None:
        with service.writing() as session:
            who = session.get_one(Person, number)
            both.wait()
            try:
                lobby.join(session, game_id=game_id, person=who, phrase="", now=NOON)
                session.commit()
            except LobbyRefused as why:
                refusals.append(why.key)

    threads = [threading.Thread(target=sit_down, args=(number,)) for number in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with service.reading() as session:
        seated = names_at(session, session.get_one(Game, game_id))
    assert (sorted(seated), refusals) in (
        (["Ana", "Host"], ["not_for_you"]), (["Bento", "Host"], ["blocked_here"]))


def test_a_block_waits_for_who_is_just_sitting_down(postgres_service: Service) -> None:
    """The blocker is told of the game that they share since."""
    service = postgres_service
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        game_id = stored_id(open_game(session, ana))
        ids = stored_id(ana), stored_id(bento)
        session.commit()
    shared: list[int | None] = []
    begun = threading.Event()

    def blocks() -> None:
        with service.writing() as session:
            one, other = (session.get_one(Person, number) for number in ids)
            begun.set()
            shared.extend(game.id for game in block(session, one, other))
            session.commit()

    with service.writing() as session:
        lobby.join(session, game_id=game_id, person=session.get_one(Person, ids[1]), phrase="",
                   now=NOON)
        thread = threading.Thread(target=blocks)
        thread.start()
        begun.wait()
        session.commit()
    thread.join()
    assert shared == [game_id]


# ---- who can be blocked, and what is kept -------------------------------------------------------


def test_bots_oneself_and_who_has_left_cannot_be_blocked(
    session: Session, ana: Person, bento: Person
) -> None:
    bot = lobby.free_bot(session, 0, "steady", NOON)
    assert blocks.can_be_blocked(ana, bento)
    closure.leave_for_good(session, bento, NOON)

    assert not any(blocks.can_be_blocked(ana, other) for other in (bot, ana, bento))


def test_blocking_twice_is_blocking_once_and_nobody_blocks_hundreds(
    session: Session, ana: Person, bento: Person, carla: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocks, "MOST", 1)
    block(session, ana, bento)
    block(session, ana, bento)

    assert [who.name for who in blocks.blocked_people(session, ana)] == ["Bento"]
    with pytest.raises(TableRefused, match="blocked_enough"):
        block(session, ana, carla)


def test_whoever_leaves_is_blocked_by_nobody_and_blocks_nobody(
    session: Session, ana: Person, bento: Person, carla: Person
) -> None:
    block(session, ana, bento)
    block(session, bento, carla)

    closure.leave_for_good(session, bento, NOON)

    assert session.exec(select(Block)).all() == []


def test_ones_own_data_tell_of_blocks_that_one_has_set_and_of_no_others(
    session: Session, ana: Person, bento: Person
) -> None:
    block(session, ana, bento)

    assert own_data.own_data(session, ana, NOON)["blocked"] == [
        {"blocked_id": bento.id, "since": NOON.isoformat()}]
    assert own_data.own_data(session, bento, NOON)["blocked"] == []


def test_the_talk_of_the_blocked_one_is_folded_for_the_blocker_alone(session: Session) -> None:
    game = started_game(session, NOON, tables.NAMES)
    ana, bento = (session.get_one(Person, seat(session, game, n).person_id) for n in (0, 1))
    chat.post(session, stored_id(game), bento, "Hurry up!", NOON)
    block(session, ana, bento)

    folded = {
        who.name: [line.is_folded for line in chat.visible_lines(
            session, game, lobby.chair_of(session, stored_id(game), who.id), reader=who.id)]
        for who in (ana, bento)
    }
    assert folded == {"Ana": [True], "Bento": [False]}
