"""The same table once more: rematches, series, games against bots alone."""

from __future__ import annotations

import threading

import pytest
from sqlmodel import Session, select

from pbem.archive import closing
from pbem.models import Game, GameState, Invitation, Outbox, Person, Series, stored_id
from pbem.models.archive import FoundGame, Pace
from pbem.play import positions
from pbem.service import Service
from pbem.tables import invitations, lobby, series, solo, start
from pbem.tables.lobby import LobbyRefused
from tests.support import tables
from tests.support.finished import finished_game
from tests.support.letterfactory import text_of, the_letter

THREE = ("Ana", "Bento", "Catarina")


def over(service: Service, session: Session, names: tuple[str, ...] = THREE) -> Game:
    game = finished_game(service, session, names=names, phrases=("",) * len(names))
    assert game.state == GameState.FINISHED
    return game


def person(session: Session, name: str) -> Person:
    return session.exec(select(Person).where(Person.name == name)).one()


def press(service: Service, session: Session, game: Game, name: str) -> Game:
    """Somebody presses the button."""
    made = series.open_rematch(
        session, game_id=stored_id(game), person=person(session, name),
        now=service.clock.now(), open_days=30, a_day=20)
    session.commit()
    return made


def seated(session: Session, game: Game) -> list[str]:
    return [who.name for _seat, who in lobby.chairs(session, stored_id(game))]


# ---- who sits where ------------------------------------------------------------------------------


def test_the_second_player_is_first_and_the_first_one_last() -> None:
    assert start.rotated([1, 2, 3], [3, 1, 2]) == [2, 3, 1]


def test_a_newcomer_takes_the_place_of_who_is_gone() -> None:
    assert start.rotated([1, 2, 3], [1, 9, 3]) == [9, 3, 1]
    assert start.rotated([1, 2, 3], [9, 1]) == [9, 1]
    assert start.rotated([1, 2], [8, 9]) == [8, 9]


# ---- the rematch ---------------------------------------------------------------------------------


@pytest.fixture
def session(service: Service):
    with service.writing() as opened:
        yield opened


def test_a_rematch_has_the_figures_options_and_clock_of_the_game_before(
    service: Service, session: Session
) -> None:
    old = over(service, session)
    old.clock, old.at_zero, old.reminders = "each 72", "bot", "25"
    session.commit()
    new = press(service, session, old, "Bento")

    for same in ("game", "seats", "options", "components", "clock", "at_zero", "reminders",
                 "private"):
        assert getattr(new, same) == getattr(old, same), same
    assert new.commitment != old.commitment
    assert new.join_nonce != old.join_nonce
    assert new.host_id == person(session, "Bento").id


def test_the_others_of_a_rematch_get_one_letter_each_and_their_seats_move_on_by_one(
    service: Service, session: Session
) -> None:
    old = over(service, session)
    new = press(service, session, old, "Bento")

    letters = session.exec(select(Outbox).where(Outbox.kind == "invited")).all()
    assert {letter.person_id for letter in letters} == {
        person(session, name).id for name in ("Ana", "Catarina")}
    for invited in session.exec(select(Invitation)).all():
        who = session.exec(select(Person).where(Person.address == invited.address)).one()
        invitations.accept(session, invitation=invited, person=who, phrase="",
                           now=service.clock.now())
    session.commit()
    assert new.state == GameState.RUNNING
    assert [seat.name for seat in session.exec(positions.seats_of(new))] == [
        "Bento",
        "Catarina",
        "Ana",
    ]


def test_two_who_ask_for_a_rematch_sit_in_one(service: Service, session: Session) -> None:
    old = over(service, session)
    one = press(service, session, old, "Bento")
    other = press(service, session, old, "Ana")

    assert one.id == other.id
    assert seated(session, one) == ["Bento", "Ana"]
    press(service, session, old, "Ana")
    assert seated(session, one) == ["Bento", "Ana"]


def test_two_who_press_at_once_make_one_rematch(service: Service) -> None:
    with service.writing() as session:
        game_id = stored_id(over(service, session))
        session.commit()
    press_at_once(service, game_id)


def test_two_who_press_at_once_make_one_rematch_on_postgresql(postgres_service: Service) -> None:
    with postgres_service.writing() as session:
        game_id = stored_id(over(postgres_service, session))
        session.commit()
    press_at_once(postgres_service, game_id)


def press_at_once(service: Service, game_id: int) -> None:
    gate = threading.Barrier(2)

    def presses(name: str) -> None:
        gate.wait()
        with service.writing() as session:
            press(service, session, session.get_one(Game, game_id), name)

    threads = [threading.Thread(target=presses, args=(name,)) for name in ("Ana", "Bento")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with service.reading() as session:
        made = session.exec(select(Game).where(Game.rematch_of == game_id)).one()
        assert sorted(seated(session, made)) == ["Ana", "Bento"]


def test_a_rematch_that_was_called_off_can_be_asked_for_anew(
    service: Service, session: Session
) -> None:
    old = over(service, session)
    one = press(service, session, old, "Bento")
    lobby.cancel(session, game_id=stored_id(one), host=person(session, "Bento"),
                 now=service.clock.now())
    session.commit()

    assert press(service, session, old, "Ana").id != one.id


def test_who_did_not_play_to_the_end_has_no_rematch(service: Service, session: Session) -> None:
    old = over(service, session)
    tables.person(session, "Duarte", service.clock.now())
    seat = lobby.chair_of(session, stored_id(old), person(session, "Catarina").id)
    seat.resigned, seat.left = service.clock.now(), "resign"
    session.commit()

    for name in ("Duarte", "Catarina"):
        with pytest.raises(LobbyRefused, match="no_rematch"):
            press(service, session, old, name)
    press(service, session, old, "Ana")
    invited = session.exec(select(Invitation.address)).all()
    assert invited == [person(session, "Bento").address]


def test_invitations_to_rematches_count_towards_the_day(service: Service, session: Session) -> None:
    old = over(service, session)
    with pytest.raises(LobbyRefused, match="invited_enough"):
        series.open_rematch(session, game_id=stored_id(old), person=person(session, "Ana"),
                      now=service.clock.now(), open_days=30, a_day=1)


def test_a_host_of_a_rematch_reads_names_and_no_address(
    service: Service, session: Session
) -> None:
    new = press(service, session, over(service, session), "Ana")
    invited = invitations.of_game(session, stored_id(new))

    assert sorted(invitations.called(session, new, invited).values()) == ["Bento", "Catarina"]


# ---- series --------------------------------------------------------------------------------------


def in_series(service: Service, session: Session, games: int = 2) -> Game:
    """A finished first game of a series."""
    game = over(service, session)
    series.begin(session, game, games, service.clock.now())
    session.commit()
    return game


def go_on(service: Service, session: Session, game: Game) -> Game | None:
    return series.open_next_game(session, game.series_id or 0, service.clock.now(), open_days=30)


def test_when_a_game_of_a_series_ends_the_next_begins_with_the_next_player_in_front(
    service: Service, session: Session
) -> None:
    first = in_series(service, session)
    assert series.due_series(session) == [first.series_id]
    second = go_on(service, session, first)

    assert second is not None
    assert (second.state, second.series_place) == (GameState.RUNNING, 2)
    names = [seat.name for seat in session.exec(positions.seats_of(second))]
    assert names == ["Bento", "Catarina", "Ana"]


def test_a_series_that_is_looked_at_twice_goes_on_once(service: Service, session: Session) -> None:
    first = in_series(service, session)
    go_on(service, session, first)

    assert series.due_series(session) == []
    assert go_on(service, session, first) is None
    assert len(series.games_of(session, first.series_id or 0)) == 2


def test_a_series_ends_behind_its_last_game(service: Service, session: Session) -> None:
    first = in_series(service, session)
    second = go_on(service, session, first)
    assert second is not None
    second.state = GameState.FINISHED
    session.commit()

    assert go_on(service, session, second) is None
    assert session.exec(select(Series)).one().ended == service.clock.now()
    assert series.due_series(session) == []


def test_a_series_ends_with_a_game_that_is_called_off(service: Service, session: Session) -> None:
    first = in_series(service, session, games=5)
    second = go_on(service, session, first)
    assert second is not None
    lobby.call_off(session, second, service.clock.now())
    session.commit()

    assert go_on(service, session, second) is None
    assert len(series.games_of(session, first.series_id or 0)) == 2


def test_the_chair_of_who_left_stands_open_in_the_next_game(
    service: Service, session: Session
) -> None:
    first = in_series(service, session)
    seat = lobby.chair_of(session, stored_id(first), person(session, "Bento").id)
    seat.resigned, seat.left = service.clock.now(), "dropped"
    session.commit()
    second = go_on(service, session, first)

    assert second is not None
    assert second.state == GameState.OPEN
    assert seated(session, second) == ["Ana", "Catarina"]
    newcomer = tables.person(session, "Duarte", service.clock.now())
    lobby.join(session, game_id=stored_id(second), person=newcomer, phrase="",
               now=service.clock.now())
    names = [row.name for row in session.exec(positions.seats_of(second))]
    assert names == ["Duarte", "Catarina", "Ana"]


def test_a_series_counts_whom_one_left_behind_and_then_points(
    service: Service, session: Session
) -> None:
    first = in_series(service, session)
    for seat, (place, points) in zip(
        session.exec(positions.seats_of(first)), ((1, 50), (2, 40), (2, 40)), strict=True
    ):
        seat.place, seat.points = place, points
    session.commit()
    rows = series.standings(session, [first])

    assert [(row.place, row.person.name, row.beaten, row.points) for row in rows] == [
        (1, "Ana", 2, 50), (2, "Bento", 0, 40), (2, "Catarina", 0, 40)]


@pytest.mark.parametrize("games", [1, 9])
def test_a_series_has_two_to_eight_games(service: Service, session: Session, games: int) -> None:
    with pytest.raises(LobbyRefused, match="series_out_of_range"):
        in_series(service, session, games=games)


# ---- against bots --------------------------------------------------------------------------------


@pytest.fixture
def ana(service: Service, session: Session) -> Person:
    made = tables.person(session, "Ana", service.clock.now())
    session.commit()
    return made


def alone(service: Service, session: Session, who: Person, **more: object) -> Game:
    values = {"game_key": "goa", "bots": 2, "kind": "steady", "letters": False} | more
    game = solo.start(session, person=who, now=service.clock.now(), **values)  # type: ignore[arg-type]
    session.commit()
    return game


@pytest.mark.parametrize("wanted", [False, True])
def test_a_game_against_bots_begins_at_once_and_writes_only_if_that_is_wanted(
    service: Service, session: Session, ana: Person, wanted: object
) -> None:
    game = alone(service, session, ana, letters=bool(wanted))

    assert (game.state, game.private, game.seats) == (GameState.RUNNING, True, 3)
    leaving = session.exec(select(Outbox.kind).where(Outbox.state == "pending")).all()
    assert ("started" in leaving) == wanted
    assert wanted or not leaving


def test_games_against_bots_are_not_without_end(
    service: Service, session: Session, ana: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solo, "AT_ONCE", 1)
    alone(service, session, ana)
    with pytest.raises(LobbyRefused, match="solo_enough"):
        alone(service, session, ana)


def test_moves_against_bots_say_nothing_of_a_players_pace(
    service: Service, session: Session, ana: Person
) -> None:
    game = alone(service, session, ana, game_key="vasco-da-gama")
    game.state, game.ended = GameState.FINISHED, service.clock.now()
    session.commit()
    closing.close_game(session, stored_id(game), service.clock.now())

    assert session.exec(select(Pace)).all() == []


def test_a_tutorial_goes_on_where_it_was_and_can_begin_anew(
    service: Service, session: Session, ana: Person
) -> None:
    now = service.clock.now()
    one = solo.start_tutorial(session, person=ana, game_key="goa", now=now)
    session.commit()
    assert solo.start_tutorial(session, person=ana, game_key="goa", now=now).id == one.id

    other = solo.restart_tutorial(session, game_id=stored_id(one), person=ana, now=now)
    session.commit()
    assert other.id != one.id
    assert session.get_one(Game, one.id).state == GameState.CANCELLED
    sent = session.exec(select(Outbox).where(Outbox.state == "pending")).all()
    assert sent == []


def test_a_tutorial_does_not_come_into_the_archive(
    service: Service, session: Session, ana: Person
) -> None:
    game = solo.start_tutorial(
        session, person=ana, game_key="vasco-da-gama", now=service.clock.now())
    game.state, game.ended = GameState.FINISHED, service.clock.now()
    session.commit()

    closing.close_game(session, stored_id(game), service.clock.now())

    assert session.get(FoundGame, game.id) is None
    assert closing.unclosed(session) == []


# ---- the letter at the end ----------------------------------------------------------------------


def test_the_letter_at_the_end_says_where_a_rematch_is_to_be_had(service: Service) -> None:
    with service.writing() as session:
        over(service, session)

    assert "rematch" in text_of(the_letter(service, "finished", "ana@"))
