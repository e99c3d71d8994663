"""Clocks follow who is asked, and their players' calendars; they stand where nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlmodel import Session

from pbem.models import SeatRow, Vacation, stored_id
from pbem.play import deadlines
from pbem.play.advance import people_of
from pbem.play.log import Writer
from pbem.play.undo import undo
from pbem.service import Service
from pbem.tables import clock_view, lobby, seats
from pbem.tables.seats import hand_over
from tests.support.tables import ANA, BENTO, CATARINA
from tests.support.timed import DAY, FIRST, HOUR, Timed, timed


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def table(service: Service, session: Session) -> Timed:
    """Three days a decision; Catarina is asked."""
    return timed(service, session)


def go_away(table: Timed, number: int, begins: timedelta, ends: timedelta) -> None:
    """Announce a vacation, as the page does it."""
    person = table.person(number)

    def change() -> None:
        table.session.add(Vacation(person_id=stored_id(person), begins=table.now + begins,
                                   ends=table.now + ends, announced=table.now))

    deadlines.change_calendar(table.session, person, table.now, change)
    table.session.commit()


def test_who_is_asked_has_all_the_time_of_a_decision_and_nobody_else_any(table: Timed) -> None:
    assert table.seat(CATARINA).due == table.now + 3 * DAY
    assert [table.seat(number).due for number in (ANA, BENTO)] == [None, None]


def test_an_answer_lets_the_clock_stand_and_starts_the_next_ones(table: Timed) -> None:
    table.wait(5 * HOUR)
    table.play(CATARINA, FIRST)

    answered, asked = table.seat(CATARINA), table.seat(ANA)
    assert (answered.due, answered.clock_from, answered.remind_at) == (None, None, None)
    assert answered.clock_left == 67 * HOUR // deadlines.MILLISECOND
    assert asked.due == table.now + 3 * DAY


def test_a_question_that_stays_the_same_keeps_its_clock(table: Timed) -> None:
    due = table.seat(CATARINA).due
    table.wait(5 * HOUR)
    writer = Writer.locked(table.session, stored_id(table.game), table.now)
    assert writer is not None
    people = people_of(table.session, writer.seats)
    deadlines.update_clocks(table.session, writer.row, writer.seats, people, table.now)
    table.session.commit()

    assert table.seat(CATARINA).due == due
    assert table.seat(CATARINA).due_moves == 0


def test_a_new_decision_begins_with_all_its_time(table: Timed) -> None:
    table.wait(70 * HOUR)
    table.play(CATARINA, FIRST)
    while not table.seat(CATARINA).asked_since:
        table.play_any()

    assert table.seat(CATARINA).due == table.now + 3 * DAY


def test_a_bank_is_used_up_and_earns_its_increment_up_to_its_cap(
    service: Service, session: Session
) -> None:
    table = timed(service, session, "bank 240 12 240")
    table.wait(20 * HOUR)
    table.play(CATARINA, FIRST)
    assert left(table.seat(CATARINA)) == 220 * HOUR
    while not table.seat(CATARINA).asked_since:
        table.play_any()

    assert table.seat(CATARINA).due == table.now + 232 * HOUR
    table.wait(2 * HOUR)
    while table.seat(CATARINA).asked_since:
        table.play_any()
    while not table.seat(CATARINA).asked_since:
        table.play_any()
    assert table.seat(CATARINA).due == table.now + 240 * HOUR  # 230 and 12 are more than the cap


def left(seat: SeatRow) -> timedelta:
    return (seat.clock_left or 0) * deadlines.MILLISECOND


def test_taking_back_over_and_over_earns_no_time(service: Service, session: Session) -> None:
    table = timed(service, session, "bank 240 12 300")
    for _ in range(3):
        table.wait(HOUR)
        table.play(CATARINA, FIRST)
        undo(session, stored_id(table.game), table.seat(CATARINA).person_id, table.now)

    assert table.seat(CATARINA).due == table.now + 237 * HOUR


def test_a_game_without_a_clock_keeps_none(service: Service, session: Session) -> None:
    table = timed(service, session, "none")
    seat = table.seat(CATARINA)
    assert (seat.due, seat.clock_left, seat.remind_at) == (None, None, None)


def test_a_game_that_is_called_off_has_no_deadlines(table: Timed) -> None:
    for number in range(4):
        lobby.agree_to_cancel(table.session, game_id=stored_id(table.game), agrees=True,
                              person=table.person(number), now=table.now)
    table.session.commit()

    assert table.seat(CATARINA).due is None


# ---- calendars ----------------------------------------------------------------------------------


def test_a_vacation_moves_the_deadline_by_its_length_and_counts_as_a_change(table: Timed) -> None:
    due = table.seat(CATARINA).due
    table.wait(DAY)
    go_away(table, CATARINA, DAY, 8 * DAY)

    assert due is not None
    assert table.seat(CATARINA).due == due + 7 * DAY
    assert table.seat(CATARINA).due_moves == 1


def test_what_was_used_before_a_vacation_stays_used(table: Timed) -> None:
    table.wait(2 * DAY)
    go_away(table, CATARINA, timedelta(0), 5 * DAY)
    table.wait(20 * DAY)

    assert left(table.seat(CATARINA)) == DAY
    assert table.seat(CATARINA).due == table.now - 14 * DAY


def test_who_comes_back_early_goes_on_from_then(table: Timed) -> None:
    go_away(table, CATARINA, timedelta(0), 10 * DAY)
    table.wait(4 * DAY)
    holiday = table.session.get_one(Vacation, 1)

    def back() -> None:
        holiday.ends = table.now
        table.session.add(holiday)

    deadlines.change_calendar(table.session, table.person(CATARINA), table.now, back)
    assert table.seat(CATARINA).due == table.now + 3 * DAY


def test_who_goes_away_when_his_time_is_over_gains_nothing(table: Timed) -> None:
    table.wait(4 * DAY)
    go_away(table, CATARINA, timedelta(0), 10 * DAY)
    table.sweep()

    assert "overtime" in table.causes()


def test_only_a_players_own_hours_count_where_the_game_says_so(
    service: Service, session: Session
) -> None:
    table = timed(service, session, "each 20 awake")
    assert table.seat(CATARINA).due == table.now + 20 * HOUR  # always, as long as nothing is said
    person = table.person(CATARINA)

    def change() -> None:
        person.awake, person.zone = "8-18 1234567", "Europe/Lisbon"
        session.add(person)

    deadlines.change_calendar(session, person, table.now, change)
    # Monday noon: six hours today, ten tomorrow, four on Wednesday.
    assert table.seat(CATARINA).due == table.now + 2 * DAY


def test_a_pause_lets_clocks_stand_and_costs_nothing(table: Timed) -> None:
    table.wait(DAY)
    stand_or_go(table, to_stand=True)
    assert (table.seat(CATARINA).due, table.seat(CATARINA).clock_from) == (None, None)
    table.wait(30 * DAY)
    table.sweep()
    stand_or_go(table, to_stand=False)

    assert table.seat(CATARINA).due == table.now + 2 * DAY
    assert table.causes() == ["start", "pause", "resume"]


def stand_or_go(table: Timed, *, to_stand: bool) -> None:
    writer = Writer.locked(table.session, stored_id(table.game), table.now)
    assert writer is not None
    people = people_of(table.session, writer.seats)
    (deadlines.pause if to_stand else deadlines.resume)(writer, people, None)
    writer.flush()
    table.session.commit()
    table.session.expire_all()


# ---- shown --------------------------------------------------------------------------------------


def test_a_clock_at_zero_says_so_and_counts_nothing_below(table: Timed) -> None:
    table.wait(4 * DAY)
    shown = shown_of(table)[CATARINA]

    assert (shown.state, shown.left) == ("over", timedelta(0))
    assert clock_view.in_words(shown, table.now, "UTC", "en") == "The time is over."


def test_a_deadline_is_said_by_the_readers_own_clock(table: Timed) -> None:
    said = clock_view.in_words(shown_of(table)[CATARINA], table.now, "Asia/Kathmandu", "en")
    assert said == "Deadline: Thursday, 5 March 2026, 17:45 (Kathmandu, UTC+05:45), in 3 days."


def test_a_bank_is_shown_while_its_owner_waits(service: Service, session: Session) -> None:
    table = timed(service, session, "bank 240 12 240")
    table.wait(20 * HOUR)
    table.play(CATARINA, FIRST)
    table.wait(DAY)

    dial = shown_of(table)[CATARINA]
    assert clock_view.in_words(dial, table.now, "UTC", "en") == "Left in the bank: 9 days 4 hours."


def shown_of(table: Timed) -> dict[int, clock_view.Dial]:
    seats = [table.seat(number) for number in range(4)]
    people = people_of(table.session, seats)
    return clock_view.of(table.session, table.game, seats, people, table.now)


@pytest.mark.parametrize(("kind", "hours"), [("each 72", 72), ("bank 24 12 240", 24)])
def test_who_goes_back_and_forth_has_no_more_time_than_who_does_not(
    service: Service, session: Session, kind: str, hours: int
) -> None:
    table = timed(service, session, kind)
    while "overtime" not in table.causes():
        table.play(CATARINA, FIRST)
        undo(session, stored_id(table.game), table.seat(CATARINA).person_id, table.now)
        table.wait(4 * HOUR)
        table.sweep()
        hours -= 4

    assert hours == 0


def test_who_comes_back_to_his_seat_finds_his_bank_as_he_left_it(
    service: Service, session: Session
) -> None:
    table = timed(service, session, "bank 240 12 240")
    table.wait(200 * HOUR)
    table.play(CATARINA, FIRST)
    gone = table.person(CATARINA)
    hand_over(session, stored_id(table.game), stored_id(gone), table.now)
    seats.take(session, stored_id(table.game), CATARINA, gone, table.now)
    session.commit()
    while not table.seat(CATARINA).asked_since:
        table.play_any()

    assert table.seat(CATARINA).due == table.now + 52 * HOUR
