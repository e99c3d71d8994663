"""A seat whose player has resigned is played by the mildest moves, and blocks nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest
from sqlmodel import Session

from engine import registry
from engine.api import Standing
from engine.errors import IllegalMove
from pbem.archive.news import since_last_moved
from pbem.clock import FixedClock
from pbem.models import Game, GameState, Person, stored_id
from pbem.play import advance, narration, positions, results
from pbem.play.refusals import TableRefused
from pbem.play.undo import can_undo
from pbem.privacy.closure import leave_for_good
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from pbem.tables import lobby
from pbem.tables.seats import resign
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE, NAMES, person, seat, started_game
from tests.unit.test_acting_set import act
from tests.unit.test_advance import letters, play_to_the_end, recipient
from tests.unit.test_submit import play, send


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    """Catarina is asked for the first merchant ship."""
    return started_game(session, clock.now())


def give_up(session: Session, game: Game, *numbers: int) -> None:
    for number in numbers:
        resign(session, stored_id(game), seat(session, game, number).person_id, game.created)
    session.refresh(game)


def test_the_mildest_move_is_played_at_once_and_says_why(session: Session, game: Game) -> None:
    give_up(session, game, CATARINA)

    entries = positions.entries(session, game, 2, game.last_entry)
    assert entries[0].cause == "resign"
    assert {(each.cause, each.seat) for each in entries[1:]} == {("default", CATARINA)}
    assert seat(session, game, CATARINA).asked_since is None
    assert seat(session, game, ANA).asked_since == game.last_entry
    assert verify(export.record_lines(session, game)).ok


def test_the_others_read_of_it_in_log_and_news(session: Session, game: Game) -> None:
    give_up(session, game, CATARINA)

    text = "Catarina has resigned: this seat is played for now."
    logged = narration.log(session, game, upto=2, viewer=None, names=NAMES, language="en")
    news = since_last_moved(session, positions.table(session, game), seat(session, game, ANA), "en")
    assert [line.text for line in logged[1].lines] == [text]
    assert text in [line.text for line in news.lines]


def test_who_resigned_gets_no_turn_letters_but_the_last_one(session: Session, game: Game) -> None:
    give_up(session, game, BENTO)
    play_to_the_end(session, game)

    to = recipient(session, game, BENTO)
    assert to not in [who for who, _ in letters(session, "turn")]
    assert to in [who for who, _ in letters(session, "finished")]


def test_who_resigned_is_last_and_the_record_proves_it(session: Session, game: Game) -> None:
    give_up(session, game, BENTO, DUARTE)
    play_to_the_end(session, game)

    places = [seat(session, game, number).place for number in range(4)]
    assert places[BENTO] == 4  # who leaves first comes last
    assert places[DUARTE] == 3
    assert sorted(places)[:2] == [1, 2] or places[ANA] == places[CATARINA] == 1
    lines = list(export.record_lines(session, game))
    assert verify(lines).ok
    placings = msgspec.json.decode(lines[-1])["result"]
    assert [each["place"] for each in placings] == places


def test_points_and_shared_places_of_the_others_stay() -> None:
    standings = [Standing(0, 1, 50, {}), Standing(1, 2, 40, {}), Standing(2, 2, 40, {}),
                 Standing(3, 4, 30, {})]

    found = results.placed(standings, [0])

    assert [each.place for each in found] == [4, 1, 1, 3]
    assert [each.points for each in found] == [50, 40, 40, 30]


def test_when_all_have_resigned_the_game_is_played_to_its_end_at_once(
    session: Session, game: Game
) -> None:
    give_up(session, game, ANA, BENTO, CATARINA, DUARTE)

    assert game.state == GameState.FINISHED
    assert len(letters(session, "finished")) == 4
    assert verify(export.record_lines(session, game)).ok


def test_resigning_twice_changes_nothing(session: Session, game: Game) -> None:
    give_up(session, game, BENTO)
    before = game.last_entry

    give_up(session, game, BENTO)

    assert game.last_entry == before


def test_nobody_resigns_from_a_game_of_others_or_one_that_is_over(
    session: Session, game: Game
) -> None:
    stranger = person(session, "Xenia", game.created)
    session.commit()
    with pytest.raises(TableRefused, match="players_only"):
        resign(session, stored_id(game), stranger.id or 0, game.created)
    give_up(session, game, ANA, BENTO, CATARINA, DUARTE)
    with pytest.raises(TableRefused, match="not_running"):
        give_up(session, game, ANA)


def test_who_resigned_gives_no_orders_and_takes_none_back(session: Session, game: Game) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")
    give_up(session, game, CATARINA)

    assert can_undo(session, game, seat(session, game, CATARINA)) is None
    with pytest.raises(IllegalMove):
        send(session, game, CATARINA, "place 9 nav")


def test_orders_that_wait_are_played_before_the_seat_is_given_up(
    session: Session, game: Game
) -> None:
    send(session, game, CATARINA, "merchant mombasa>5")

    give_up(session, game, CATARINA)

    assert [entry.cause for entry in positions.entries(session, game, 2, 3)] == ["order", "resign"]


def test_a_game_can_be_cancelled_without_the_word_of_who_resigned(
    session: Session, game: Game
) -> None:
    give_up(session, game, DUARTE)

    over = [
        lobby.agree_to_cancel(
            session, game_id=stored_id(game), agrees=True, now=game.created,
            person=session.get_one(Person, seat(session, game, number).person_id))
        for number in (ANA, BENTO, CATARINA)
    ]

    assert over == [False, False, True]


def test_who_resigned_from_all_running_games_may_leave_for_good(
    session: Session, game: Game
) -> None:
    give_up(session, game, DUARTE)
    leaver = session.get_one(Person, seat(session, game, DUARTE).person_id)

    leave_for_good(session, leaver, game.created)

    assert leaver.suppressed == "gone"


@pytest.mark.parametrize("key", registry.GAMES)
@pytest.mark.parametrize("dropped", [0, 1])
def test_from_any_state_any_seat_may_be_dropped_and_the_game_still_ends(
    key: str, dropped: int, service: Service
) -> None:
    """At a random moment one seat is dropped, later the other one too."""
    for seed in (1, 2):
        dice = random.Random(seed)
        with service.writing() as session:
            names = [f"{name}{seed}" for name in NAMES[:2]]
            started = started_game(session, service.clock.now(), names, game_key=key)
            game_id = stored_id(started)
        play_some(service, game_id, dice, dice.randrange(60))
        assert_drops(service, game_id, dropped)
        play_some(service, game_id, dice, dice.randrange(40))
        assert_drops(service, game_id, 1 - dropped)
        with service.writing() as session:
            game = session.get_one(Game, game_id)
            assert game.state == GameState.FINISHED
            assert seat(session, game, dropped).place == 2
            assert verify(export.record_lines(session, game)).ok


def assert_drops(service: Service, game_id: int, number: int) -> None:
    """The seat is given up, and the game waits for the other one or is over."""
    with service.writing() as session:
        game = session.get_one(Game, game_id)
        if game.state != GameState.RUNNING:
            return
        give_up(session, game, number)
        waits = seat(session, game, 1 - number).asked_since is not None
        assert waits == (game.state == GameState.RUNNING)


def play_some(service: Service, game_id: int, dice: random.Random, times: int) -> None:
    """So many orders at random."""
    for _ in range(times):
        with service.writing() as session:
            act(session, session.get_one(Game, game_id), service, dice)
        with service.writing() as session:
            advance.advance(session, game_id, service.clock.now())
