"""Statistics over finished public games: they are sums of what each game has measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from sqlmodel import Session, select

from engine import registry
from engine.measurements import POINTS
from pbem.archive import closing, statistics
from pbem.archive.statistics import OTHERS, WINNERS, Period, Sum
from pbem.i18n import words
from pbem.models import Game, stored_id
from pbem.models.archive import GameShare, StatisticSum
from pbem.play import positions
from pbem.service import Service
from tests.conftest import NOON
from tests.engine.play_outs import PlayOut, play_outs_of
from tests.support.finished import finished_game

KEY = "vasco-da-gama"


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """A finished game that is closed."""
    found = finished_game(service, session)
    closing.close_game(session, stored_id(found), NOON)
    return found


def measured(played: PlayOut) -> list[Any]:
    return list(played.game.measurements(
        played.seats, played.options, [turn.events for turn in played.turns]))


def sums(session: Session) -> dict[tuple[Any, ...], tuple[int, int]]:
    return {
        (row.game, row.seats, row.year, row.rated, row.group, row.item, row.side):
            (row.number, row.total)
        for row in session.exec(select(StatisticSum)) if row.number
    }  # fmt: skip


@pytest.mark.parametrize("key", list(registry.GAMES))
def test_a_game_measures_only_what_it_can_say_in_each_language(key: str) -> None:
    found = {(one.group, one.item) for played in play_outs_of(key) for one in measured(played)}

    assert {group for group, _ in found} > {POINTS}
    for language in words.LANGUAGES:
        said = words.game_words(key, language)
        for group, item in found:
            assert said.term(f"measure_{group}")
            assert said.term(item)


@pytest.mark.parametrize("key", list(registry.GAMES))
def test_points_by_source_add_up_to_each_seats_points(key: str) -> None:
    for played in play_outs_of(key):
        points = Counter[int]()
        for one in measured(played):
            if one.group == POINTS:
                points[one.seat] += one.value
        assert points == Counter({
            each.seat: each.points for each in played.game.returns(played.turns[-1].state)})


def test_a_lot_without_bids_has_the_price_nothing() -> None:
    prices = [one.value for played in play_outs_of("goa") for one in measured(played)
              if one.group == "price"]

    assert min(prices) == 0
    assert max(prices) > 0


def test_wins_and_games_are_counted_by_seat(session: Session, game: Game) -> None:
    found = statistics.read(session, Period(KEY))
    winners = [seat.number for seat in session.exec(positions.seats_of(game)) if seat.place == 1]

    assert found.games == 1
    assert found.items(statistics.WINS) == ["0", "1"]
    for seat in range(game.seats):
        assert found.of(statistics.WINS, str(seat)).number == 1
        assert found.of(statistics.WINS, str(seat), WINNERS).number == (seat in winners)


def test_winners_and_others_have_their_points_apart(session: Session, game: Game) -> None:
    found = statistics.read(session, Period(KEY))
    seats = list(session.exec(positions.seats_of(game)))

    for side, is_winner in ((WINNERS, True), (OTHERS, False)):
        points = sum(found.of(POINTS, item, side).total for item in found.items(POINTS))
        assert points == sum(seat.points or 0 for seat in seats if (seat.place == 1) == is_winner)


def test_a_game_that_is_closed_again_counts_once(session: Session, game: Game) -> None:
    before = sums(session)

    closing.close_game(session, stored_id(game), NOON)

    assert before
    assert sums(session) == before


def test_a_game_that_became_private_counts_no_more(session: Session, game: Game) -> None:
    game.private = True
    session.add(game)
    session.commit()

    closing.close_game(session, stored_id(game), NOON)

    assert sums(session) == {}
    assert session.exec(select(GameShare)).all() == []


@pytest.mark.parametrize(("period", "games"), [
    (Period(KEY), 1), (Period("goa"), 0),
    (Period(KEY, seats=2), 1), (Period(KEY, seats=3), 0),
    (Period(KEY, year=NOON.year), 1), (Period(KEY, year=NOON.year + 1), 0),
    (Period(KEY, rated=True), 0), (Period(KEY, rated=False), 1),
])
def test_a_period_holds_its_games_alone(
    session: Session, game: Game, period: Period, games: int
) -> None:
    assert statistics.read(session, period).games == games


def test_an_empty_sum_has_no_mean() -> None:
    assert Sum().mean == 0
