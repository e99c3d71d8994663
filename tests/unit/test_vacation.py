"""Vacations: a budget in any 365 days, announced beforehand, ended by themselves or early."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlmodel import Session, select

from pbem.clock import FixedClock
from pbem.mail.letters import build
from pbem.models import Game, LetterState, Outbox, Person, SeatRow, Vacation, stored_id
from pbem.play import deadlines
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.service import Service
from pbem.tables import vacation
from tests.conftest import NOON
from tests.support.doors import letters, text_of
from tests.support.tables import CATARINA, person, seat, started_game

DAY = timedelta(days=1)


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def ana(session: Session) -> Person:
    made = person(session, "Ana", NOON)
    session.commit()
    return made


def away(session: Session, who: Person, days: int, at: datetime, begins: datetime | None = None
         ) -> datetime | None:
    return vacation.announce(session, who, days, at, begins=begins)


def test_thirty_days_are_the_most_in_any_year(session: Session, ana: Person) -> None:
    away(session, ana, 20, NOON)
    with pytest.raises(TableRefused, match="vacation_budget") as refused:
        away(session, ana, 11, NOON + 40 * DAY)
    assert refused.value.numbers == {"left": 10, "most": 30}
    away(session, ana, 10, NOON + 40 * DAY)
    assert vacation.days_left(session, ana, NOON + 60 * DAY) == 0

    # A year behind the first one its days are there again.
    assert vacation.days_left(session, ana, NOON + 370 * DAY) == 20


def test_what_is_announced_for_later_counts_against_what_is_taken_now(
    session: Session, ana: Person
) -> None:
    away(session, ana, 25, NOON, begins=NOON + 100 * DAY)

    assert vacation.days_left(session, ana, NOON) == 5
    with pytest.raises(TableRefused, match="vacation_budget"):
        away(session, ana, 6, NOON)


def test_unused_days_return_to_who_ends_early(session: Session, ana: Person) -> None:
    away(session, ana, 30, NOON)
    away(session, ana, 0, NOON + 3 * DAY)

    assert vacation.days_left(session, ana, NOON + 3 * DAY) == 27
    assert vacation.away_until(session, ana, NOON + 3 * DAY) is None


def test_a_refused_vacation_leaves_a_present_one_as_it_is(session: Session, ana: Person) -> None:
    until = away(session, ana, 5, NOON)
    away(session, ana, 10, NOON, begins=NOON + 20 * DAY)
    for days in (21, 25):
        with pytest.raises(TableRefused):
            away(session, ana, days, NOON + DAY)

    assert vacation.away_until(session, ana, NOON + DAY) == until


def test_two_vacations_do_not_lie_over_one_another(session: Session, ana: Person) -> None:
    away(session, ana, 10, NOON, begins=NOON + 20 * DAY)

    with pytest.raises(TableRefused, match="vacation_overlaps"):
        away(session, ana, 5, NOON, begins=NOON + 25 * DAY)


def test_one_that_is_called_off_was_never_there(session: Session, ana: Person) -> None:
    away(session, ana, 10, NOON, begins=NOON + 20 * DAY)
    [announced] = session.exec(select(Vacation)).all()

    vacation.call_off(session, ana, stored_id(announced), NOON + DAY)

    assert session.exec(select(Vacation)).all() == []
    assert [row.state for row in session.exec(select(Outbox))] == [LetterState.SUPERSEDED]


# ---- clocks -------------------------------------------------------------------------------------


def timed(session: Session, clock: FixedClock) -> tuple[Game, Person, SeatRow]:
    """Catarina has three days for the decision that is asked of her."""
    game = started_game(session, clock.now())
    game.clock = "each 72"
    session.add(game)
    session.commit()
    writer = Writer.locked(session, stored_id(game), clock.now())
    assert writer is not None
    people = {s.person_id: session.get_one(Person, s.person_id) for s in writer.seats}
    deadlines.update_clocks(session, writer.row, writer.seats, people, clock.now())
    session.commit()
    row = seat(session, game, CATARINA)
    session.commit()  # lets others write
    return game, people[row.person_id], row


def test_no_clock_runs_while_its_player_is_away_and_it_goes_on_by_itself(
    session: Session, clock: FixedClock
) -> None:
    game, catarina, row = timed(session, clock)
    assert row.due == NOON + 3 * DAY
    clock.forward(DAY)
    away(session, catarina, 7, clock.now())
    session.commit()

    assert seat(session, game, CATARINA).due == NOON + 10 * DAY


def test_the_clock_runs_again_where_the_budget_ends(session: Session, clock: FixedClock) -> None:
    game, catarina, _ = timed(session, clock)
    away(session, catarina, 30, clock.now())
    session.commit()

    assert seat(session, game, CATARINA).due == NOON + 33 * DAY
    with pytest.raises(TableRefused, match="vacation_budget"):
        away(session, catarina, 1, clock.now() + 30 * DAY)


def test_a_vacation_that_comes_moves_the_deadline_beforehand_and_back_again(
    session: Session, clock: FixedClock
) -> None:
    game, catarina, _ = timed(session, clock)
    away(session, catarina, 5, clock.now(), begins=NOON + DAY)
    session.commit()
    assert seat(session, game, CATARINA).due == NOON + 8 * DAY

    clock.forward(2 * DAY)
    away(session, catarina, 0, clock.now())
    session.commit()
    assert seat(session, game, CATARINA).due == NOON + 4 * DAY


# ---- the end is told ----------------------------------------------------------------------------


def test_who_is_back_by_the_calendar_is_told_that_clocks_run_and_what_waits(
    service: Service, session: Session, clock: FixedClock
) -> None:
    game, catarina, _ = timed(session, clock)
    letters(service)
    away(session, catarina, 7, clock.now())
    session.commit()
    assert letters(service) == []
    clock.forward(7 * DAY)

    [told] = [one for one in letters(service) if "vacation" in str(one["Subject"])]

    assert "catarina@players.example" in str(told["To"])
    text = text_of(told)
    assert f"/games/{game.id}" in text
    assert "23 more days" in " ".join(text.split())


def test_who_came_back_early_gets_no_letter_about_that(
    service: Service, session: Session, ana: Person, clock: FixedClock
) -> None:
    away(session, ana, 7, clock.now())
    away(session, ana, 0, clock.now() + DAY)
    session.commit()
    clock.forward(8 * DAY)

    assert letters(service) == []


def test_the_letter_is_not_true_before_the_end(session: Session, ana: Person) -> None:
    away(session, ana, 7, NOON)
    row = session.exec(select(Outbox)).one()

    assert not build.still_true(session, row, NOON + 6 * DAY)
    assert build.still_true(session, row, NOON + 7 * DAY)


# ---- at once ------------------------------------------------------------------------------------


def at_once(service: Service) -> None:
    """Two browsers announce what only one of them may."""
    with service.writing() as session:
        number = stored_id(person(session, "Ana", NOON))
        session.commit()

    def announce(begins: int) -> str:
        with service.writing() as session:
            try:
                away(session, session.get_one(Person, number), 20, NOON,
                     begins=NOON + begins * DAY)
            except TableRefused as refused:
                session.rollback()
                return refused.key
            session.commit()
            return "announced"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(announce, [10, 60])) == ["announced", "vacation_budget"]


def test_two_at_once_do_not_go_beyond_the_budget(service: Service) -> None:
    at_once(service)


def test_on_postgresql_neither(postgres_service: Service) -> None:
    at_once(postgres_service)
