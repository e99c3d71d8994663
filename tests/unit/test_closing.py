"""What closing a game makes: happenings, paces, ratings; in any order, as often as one likes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import Session, col, select

from engine import registry
from pbem.archive import closing, pace, ratings
from pbem.i18n import words
from pbem.models import ComponentSet, Game, GameState, Person, SeatRow, stored_id
from pbem.models.archive import FoundGame, Happening, Pace, RatedSeat, Rating
from pbem.play import advance, positions, submit, undo
from pbem.service import Service
from tests.conftest import NOON
from tests.engine.play_outs import PlayOut, play_outs_of
from tests.support import tables
from tests.support.at_table import order, play_on

DAY = timedelta(days=1)


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


def rated(session: Session, people: list[Person], places: list[int], ended: datetime) -> int:
    """A finished game between these people, not closed yet."""
    row = tables.started_game(session, NOON, fresh(session, len(people)))
    row.state, row.ended = GameState.FINISHED, ended
    session.add(row)
    for number, (person, place) in enumerate(zip(people, places, strict=True)):
        seat = tables.seat(session, row, number)
        seat.person_id, seat.name = person.id or 0, person.name
        seat.place, seat.points = place, 50 - place
        session.add(seat)
    session.commit()
    return stored_id(row)


def fresh(session: Session, number: int) -> list[str]:
    """Names that nobody has yet."""
    there = len(session.exec(select(Person)).all())
    return [f"Guest{there + each}" for each in range(number)]


def numbers(session: Session) -> list[tuple[int, int, float, float, float]]:
    rows = session.exec(select(RatedSeat).order_by(
        col(RatedSeat.game_id), col(RatedSeat.person_id))).all()
    return [(one.game_id, one.person_id, one.mu_before, one.mu_after, one.sigma_after)
            for one in rows]


# ---- happenings ---------------------------------------------------------------------------------


@pytest.mark.parametrize("key", list(registry.GAMES))
def test_a_game_tells_only_happenings_that_it_names_and_can_say(key: str) -> None:
    game = registry.game(key)
    told = {one.key for played in play_outs_of(key) for one in history_of(played)}

    assert told
    assert told <= set(game.happening_keys)
    for language in words.LANGUAGES:
        said = [words.happening(key, one, language) for one in game.happening_keys]
        assert len(set(said)) == len(said)


@pytest.mark.parametrize("key", list(registry.GAMES))
def test_what_happens_first_happens_once(key: str) -> None:
    for played in play_outs_of(key):
        firsts = [one.key for one in history_of(played) if one.key.startswith("first")]
        assert len(set(firsts)) == len(firsts)


def history_of(played: PlayOut) -> list[Any]:
    return list(played.game.happenings(
        played.seats, played.options, [turn.events for turn in played.turns]))


def test_happenings_are_told_with_round_and_entry(service: Service, session: Session) -> None:
    game = tables.started_game(session, NOON)
    play_on(service, session, game, lambda state: False)
    closing.close_game(session, stored_id(game), NOON)

    rows = session.exec(select(Happening).order_by(col(Happening.number))).all()

    assert [row.number for row in rows] == list(range(len(rows)))
    hosted = next(row for row in rows if row.key.startswith("hosted:"))
    entry = positions.entries(session, game, hosted.entry, hosted.entry)[0]
    facts = [type(event).__name__ for event in entry.events]
    assert "CharacterHosted" in facts
    assert {row.round for row in rows} <= set(range(6))


def test_what_was_taken_back_has_not_happened(service: Service, session: Session) -> None:
    game = tables.started_game(session, NOON)
    play_on(service, session, game, lambda state: state.phase == 2)
    while True:  # until an order can be taken back
        table = positions.table(session, game)
        seat = table.rules.current_players(table.state)[0]
        move = next(iter(table.rules.answers(table.state, seat)))
        order(service, session, game, seat, table.rules.to_text(move))
        row = tables.seat(session, game, seat)
        if undo.can_undo(session, game, row) is not None:
            break
    before = positions.entries(session, game, 1, game.last_entry)
    undo.undo(session, stored_id(game), row.person_id, NOON)
    session.refresh(game)
    entries = positions.entries(session, game, 1, game.last_entry)

    standing = closing.standing_of(session, game, entries)

    assert entries[-1].cause == "undo"
    assert [entry.number for entry in standing] == list(range(1, entries[-1].base + 1))
    told = closing.happenings_of(session, game, entries)
    assert all(one.entry <= entries[-1].base for one in told)
    assert len(before) > len(standing)


def test_a_damaged_log_is_found_by_its_figures_all_the_same(
    service: Service, session: Session
) -> None:
    game = tables.started_game(session, NOON, ["Ana", "Bento"])
    play_on(service, session, game, lambda state: False)
    session.connection().execute(text("update entry set body = x'00' where number = 20"))
    session.commit()

    closing.close_game(session, stored_id(game), NOON)

    assert session.exec(select(Happening)).all() == []
    assert session.get_one(FoundGame, game.id).entries == game.last_entry


# ---- closing ------------------------------------------------------------------------------------


def test_only_finished_games_that_are_not_known_are_closed(
    service: Service, session: Session
) -> None:
    game = tables.started_game(session, NOON, ["Ana", "Bento"])
    assert closing.unclosed(session) == []
    play_on(service, session, game, lambda state: False)
    assert closing.unclosed(session) == [game.id]

    closing.close_game(session, stored_id(game), NOON)

    assert closing.unclosed(session) == []
    game.index_release = closing.INDEX_RELEASE - 1
    session.add(game)
    session.commit()
    assert closing.unclosed(session) == [game.id]


def test_closing_twice_changes_nothing(service: Service, session: Session) -> None:
    game = tables.started_game(session, NOON)
    play_on(service, session, game, lambda state: False)

    def everything() -> list[str]:
        kinds = (FoundGame, Happening, Pace, Rating, RatedSeat)
        return [str(row.model_dump()) for kind in kinds for row in session.exec(select(kind))]

    closing.close_game(session, stored_id(game), NOON)
    once = everything()
    session.expunge_all()
    closing.close_game(session, stored_id(game), NOON)

    assert everything() == once


# ---- pace ---------------------------------------------------------------------------------------


def test_a_move_took_from_the_entry_before_it(service: Service, session: Session) -> None:
    game = tables.started_game(session, NOON, ["Ana", "Bento"])
    play_on(service, session, game, lambda state: state.phase == 1)
    table = positions.table(session, game)
    seat = table.rules.current_players(table.state)[0]
    line = table.rules.to_text(next(iter(table.rules.answers(table.state, seat))))
    later = NOON + timedelta(hours=10)
    submit.record(session, tables.seat(session, game, seat), line, seen=game.last_entry,
                  source="page", key="k", now=later, enqueue=lambda _game_id: None)
    advance.advance(session, stored_id(game), later)
    session.refresh(game)

    waits = pace.waits_of(positions.entries(session, game, 1, game.last_entry), seat)

    assert max(waits) == pace.bucket(600)
    assert waits[pace.bucket(600)] == 1


@pytest.mark.parametrize("hours", [0.25, 1, 9, 30, 200])
def test_the_median_is_right_within_a_tenth(hours: float) -> None:
    rows = [pace.written(Counter({pace.bucket(hours * 60): 5})),
            pace.written(Counter({0: 4, pace.bucket(10**6): 4}))]

    assert pace.median_hours(rows) == pytest.approx(hours, rel=0.1)
    assert pace.median_hours([]) is None


# ---- ratings ------------------------------------------------------------------------------------


def test_the_winner_rises_and_who_shares_a_place_shares_the_number(session: Session) -> None:
    people = [tables.person(session, name, NOON) for name in ("Ana", "Bento", "Catarina")]
    closing.close_game(session, rated(session, people, [1, 2, 2], NOON), NOON)

    ana, bento, catarina = (row[3] for row in numbers(session))
    assert ana > bento
    assert bento == pytest.approx(catarina)
    rating = session.get_one(Rating, (people[0].id, "vasco-da-gama"))
    assert (rating.games, rating.wins, rating.mu) == (1, 1, ana)


def test_a_game_found_late_gives_the_same_numbers_as_in_time(session: Session) -> None:
    people = [tables.person(session, name, NOON) for name in ("Ana", "Bento", "Catarina")]
    games = [rated(session, people, places, NOON + day * DAY)
             for day, places in enumerate([[1, 2, 3], [3, 1, 2], [2, 2, 1], [1, 3, 2]])]
    for game in games:
        closing.close_game(session, game, NOON)
    in_time = numbers(session)
    totals = [row.model_dump() for row in session.exec(select(Rating))]
    for kind in (RatedSeat, Rating, FoundGame):
        for row in session.exec(select(kind)).all():
            session.delete(row)
    session.commit()

    for game in (games[2], games[0], games[3], games[1]):
        closing.close_game(session, game, NOON)

    assert numbers(session) == in_time
    assert [row.model_dump() for row in session.exec(select(Rating))] == totals


@pytest.mark.parametrize("why", ["private", "a bot", "own figures", "nothing"])
def test_only_public_games_between_people_with_the_standard_figures_are_rated(
    session: Session, why: str
) -> None:
    people = [tables.person(session, name, NOON) for name in ("Ana", "Bento")]
    game = session.get_one(Game, rated(session, people, [1, 2], NOON))
    if why == "private":
        game.private = True
    elif why == "a bot":
        people[1].bot = "steady"
    elif why == "own figures":
        session.get_one(ComponentSet, game.components).name = ""
    session.commit()

    closing.close_game(session, stored_id(game), NOON)

    assert bool(numbers(session)) == (why == "nothing")


def test_nobody_who_left_is_listed(session: Session) -> None:
    people = [tables.person(session, name, NOON) for name in ("Ana", "Bento")]
    for day in range(3):
        closing.close_game(session, rated(session, people, [1, 2], NOON + day * DAY), NOON)
    assert [who.name for who, _ in ratings.best(session, "vasco-da-gama")] == ["Ana", "Bento"]

    people[0].address = "gone-1@gone.invalid"
    session.commit()

    assert [who.name for who, _ in ratings.best(session, "vasco-da-gama")] == ["Bento"]
    assert session.exec(select(SeatRow).where(SeatRow.place == 1)).first() is not None
