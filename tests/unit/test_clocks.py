"""What counts for a clock, in whose hours: odd zones, odd nights, and random pauses."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.clocks.rules import (
    ALWAYS,
    HOUR,
    NO_CLOCK,
    NOTHING,
    BadClock,
    Calendar,
    Paused,
    Running,
    TimeControl,
    WakingHours,
    counted,
    due,
    pause,
    read,
    read_awake,
    read_holidays,
    read_hours,
    read_reminders,
    remind_at,
    spent,
    spent_at,
    stored_hours,
)

EVERY_DAY = frozenset(range(1, 8))
WORKING = frozenset(range(1, 6))
MINUTE = timedelta(minutes=1)


class Sleeper(NamedTuple):
    """What a person's row says of his hours."""

    zone: str = "Europe/Budapest"
    awake: str | None = None
    holidays: str | None = None


def utc(*at: int) -> datetime:
    return datetime(*at, tzinfo=UTC)


def in_zone(zone: str, *at: int, fold: int = 0) -> datetime:
    """An instant by the clock on a wall."""
    return datetime(*at, tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)


def hours(
    zone: str, first: int, last: int, weekdays: frozenset[int] = EVERY_DAY, *holidays: date
) -> Calendar:
    return Calendar(WakingHours(ZoneInfo(zone), first, last, weekdays, frozenset(holidays)))


# ---- as they are stored -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "clock"),
    [
        ("none", NO_CLOCK),
        ("each 72", TimeControl("each", 72)),
        ("each 72 awake", TimeControl("each", 72, counts="awake")),
        ("bank 240 12 240", TimeControl("bank", 240, 12, 240)),
        ("bank 96 8 120 awake", TimeControl("bank", 96, 8, 120, "awake")),
    ],
)
def test_a_clock_is_read_as_it_was_stored(stored: str, clock: TimeControl) -> None:
    assert read(stored) == clock
    assert clock.stored == stored


@pytest.mark.parametrize(
    ("stored", "key"),
    [
        ("", "no_clock"), ("each", "no_clock"), ("each 1 2", "no_clock"), ("none 3", "no_clock"),
        ("sand 3", "no_clock"), ("each x", "no_number"), ("each -3", "no_number"),
        ("each ٣", "no_number"), ("each 0", "hours_out_of_range"),
        ("each 1441", "hours_out_of_range"), ("bank 10 0 20", "hours_out_of_range"),
        ("bank 10 21 20", "hours_out_of_range"), ("bank 30 5 20", "bank_above_cap"),
    ],
)  # fmt: skip
def test_a_clock_that_cannot_be_says_why(stored: str, key: str) -> None:
    with pytest.raises(BadClock) as bad:
        read(stored)

    assert bad.value.key == key


def test_reminders_are_read_from_the_first_to_come_to_the_last() -> None:
    assert read_reminders("10 50 10") == (50, 10)
    assert read_reminders("") == ()


@pytest.mark.parametrize("stored", ["0", "100", "5 x", "1 2 3 4 5 6", "-5"])
def test_reminders_that_cannot_be_are_refused(stored: str) -> None:
    with pytest.raises(BadClock):
        read_reminders(stored)


def test_somebody_without_hours_of_his_own_is_always_awake() -> None:
    assert read_awake(Sleeper()) is None


def test_holidays_count_even_for_who_has_no_hours_of_his_own() -> None:
    awake = read_awake(Sleeper(holidays="2026-12-24 2026-12-25"))

    assert awake == WakingHours(ZoneInfo("Europe/Budapest"), 0, 24, EVERY_DAY,
                          frozenset({date(2026, 12, 24), date(2026, 12, 25)}))


def test_hours_are_read_as_they_are_said() -> None:
    assert read_hours("22-6 567") == (22, 6, frozenset({5, 6, 7}))
    assert stored_hours(22, 6, [7, 5, 6, 5]) == "22-6 567"


@pytest.mark.parametrize(
    ("stored", "key"),
    [("8-8 12345", "no_hours"), ("8-22 ", "no_weekdays"), ("8-22 128", "no_weekdays"),
     ("8-25 1", "hours_of_no_day"), ("24-8 1", "hours_of_no_day"), ("8-0 1", "hours_of_no_day"),
     ("8 1", "no_number"), ("eight-ten 1", "no_number"), ("", "no_number")],
)  # fmt: skip
def test_hours_that_would_never_count_are_refused(stored: str, key: str) -> None:
    with pytest.raises(BadClock) as bad:
        read_hours(stored)

    assert bad.value.key == key


@pytest.mark.parametrize(("stored", "key"), [
    ("2026-02-30", "no_date"), ("24.12.2026", "no_date"), ("2026-12-24T00:00", "no_date"),
    (" ".join(f"2026-{day // 28 + 1:02}-{day % 28 + 1:02}" for day in range(61)),
     "too_many_holidays"),
])
def test_holidays_that_are_no_days_or_too_many_are_refused(stored: str, key: str) -> None:
    with pytest.raises(BadClock) as bad:
        read_holidays(stored)

    assert bad.value.key == key


def test_a_zone_that_means_nothing_here_is_utc() -> None:
    awake = read_awake(Sleeper(zone="No/Such", awake="8-22 1234567"))

    assert spent(Calendar(awake), utc(2026, 5, 4, 0), utc(2026, 5, 5, 0)) == 14 * HOUR
    assert spent(Calendar(awake), utc(2026, 5, 4, 0), utc(2026, 5, 4, 9)) == HOUR


# ---- what a new decision has --------------------------------------------------------------------


def test_each_decision_has_its_hours_whatever_the_last_one_left() -> None:
    clock = read("each 72")

    assert clock.asked(None) == clock.asked(NOTHING) == clock.asked(3 * HOUR) == 72 * HOUR


def test_a_bank_starts_full_gains_its_increment_and_stops_at_its_cap() -> None:
    clock = read("bank 100 12 110")

    assert clock.asked(None) == 100 * HOUR
    assert clock.asked(50 * HOUR) == 62 * HOUR
    assert clock.asked(NOTHING) == 12 * HOUR
    assert clock.asked(105 * HOUR) == 110 * HOUR


def test_a_bank_keeps_what_an_outage_gave_it_above_the_cap() -> None:
    assert read("bank 100 12 110").asked(115 * HOUR) == 115 * HOUR


# ---- ordinary days ------------------------------------------------------------------------------


def test_without_hours_every_instant_counts() -> None:
    assert spent(ALWAYS, utc(2026, 1, 1), utc(2026, 1, 3)) == 48 * HOUR
    assert spent_at(ALWAYS, utc(2026, 1, 1), 72 * HOUR) == utc(2026, 1, 4)


def test_a_night_and_a_weekend_do_not_count() -> None:
    calendar = hours("Europe/Budapest", 8, 22, WORKING)
    friday_evening = in_zone("Europe/Budapest", 2026, 5, 8, 20)

    assert spent_at(calendar, friday_evening, 3 * HOUR) == in_zone(
        "Europe/Budapest", 2026, 5, 11, 9)


def test_a_holiday_does_not_count() -> None:
    calendar = hours("Europe/Budapest", 8, 22, EVERY_DAY, date(2026, 12, 24))
    evening = in_zone("Europe/Budapest", 2026, 12, 23, 21)

    assert spent_at(calendar, evening, 2 * HOUR) == in_zone("Europe/Budapest", 2026, 12, 25, 9)


def test_hours_over_midnight_belong_to_the_day_on_which_they_begin() -> None:
    """Friday nights: Saturday until six counts, Friday before six does not."""
    calendar = hours("Europe/Lisbon", 22, 6, frozenset({5}))
    thursday = in_zone("Europe/Lisbon", 2026, 5, 7, 12)

    assert list(zip(range(2), counted(calendar, thursday), strict=False)) == [
        (number, (in_zone("Europe/Lisbon", 2026, 5, day, 22),
                  in_zone("Europe/Lisbon", 2026, 5, day + 1, 6)))
        for number, day in enumerate((8, 15))
    ]


def test_a_clock_that_begins_within_hours_over_midnight_counts_the_rest_of_them() -> None:
    calendar = hours("Europe/Lisbon", 22, 6, frozenset({5}))
    saturday_at_two = in_zone("Europe/Lisbon", 2026, 5, 9, 2)

    assert spent_at(calendar, saturday_at_two, 4 * HOUR) == in_zone(
        "Europe/Lisbon", 2026, 5, 9, 6)


def test_what_is_used_up_with_the_last_hour_of_a_day_is_used_up_that_day() -> None:
    calendar = hours("Europe/Lisbon", 8, 22)

    assert spent_at(calendar, in_zone("Europe/Lisbon", 2026, 5, 4, 20), 2 * HOUR) == in_zone(
        "Europe/Lisbon", 2026, 5, 4, 22)


def test_nothing_counts_while_somebody_is_away_and_vacations_may_overlap() -> None:
    away = ((utc(2026, 5, 4), utc(2026, 5, 6)), (utc(2026, 5, 5), utc(2026, 5, 8)),
            (utc(2026, 5, 20), utc(2026, 5, 20)))
    calendar = Calendar(away=away)

    assert spent_at(calendar, utc(2026, 5, 3), 48 * HOUR) == utc(2026, 5, 9)
    assert spent(calendar, utc(2026, 5, 3), utc(2026, 5, 9)) == 48 * HOUR
    assert spent(calendar, utc(2026, 5, 5), utc(2026, 5, 7)) == NOTHING


def test_a_vacation_without_an_end_does_not_keep_anybody_reckoning() -> None:
    calendar = Calendar(away=((utc(2026, 1, 1), utc(9999, 1, 1)),))

    assert spent_at(calendar, utc(2026, 1, 2), HOUR) >= utc(2026, 1, 2)


# ---- odd nights and odd zones -------------------------------------------------------------------


def test_the_night_in_which_clocks_go_forward_has_an_hour_less() -> None:
    calendar = hours("Europe/Budapest", 0, 24)
    saturday = in_zone("Europe/Budapest", 2026, 3, 28, 12)

    assert spent_at(calendar, saturday, 24 * HOUR) == in_zone("Europe/Budapest", 2026, 3, 29, 13)
    night = hours("Europe/Budapest", 1, 5)
    assert spent(night, saturday, saturday + 24 * HOUR) == 3 * HOUR


def test_the_night_in_which_clocks_go_back_has_an_hour_more() -> None:
    night = hours("Europe/Budapest", 1, 5)
    saturday = in_zone("Europe/Budapest", 2026, 10, 24, 12)

    assert spent(night, saturday, saturday + 24 * HOUR) == 5 * HOUR
    assert spent_at(night, saturday, 5 * HOUR) == in_zone("Europe/Budapest", 2026, 10, 25, 5)


def test_an_hour_that_does_not_exist_does_not_count() -> None:
    """Two to three on the night when clocks go from two to three: there is no such hour."""
    calendar = hours("Europe/Budapest", 2, 3)

    assert spent(calendar, utc(2026, 3, 28, 12), utc(2026, 3, 29, 12)) == NOTHING
    assert spent(calendar, utc(2026, 3, 29, 12), utc(2026, 3, 30, 12)) == HOUR


def test_an_hour_that_comes_twice_counts_twice() -> None:
    calendar = hours("Europe/Budapest", 2, 3)

    assert spent(calendar, utc(2026, 10, 24, 12), utc(2026, 10, 25, 12)) == 2 * HOUR
    first = in_zone("Europe/Budapest", 2026, 10, 25, 2, 30)
    assert spent_at(calendar, first, HOUR) == in_zone(
        "Europe/Budapest", 2026, 10, 25, 2, 30, fold=1)


def test_half_an_hour_comes_twice_on_lord_howe() -> None:
    calendar = hours("Australia/Lord_Howe", 1, 2)

    assert spent(calendar, utc(2026, 4, 4, 0), utc(2026, 4, 5, 0)) == 1.5 * HOUR


def test_kiritimati_is_a_day_ahead_of_honolulu() -> None:
    monday = frozenset({1})
    noon = utc(2026, 5, 3, 12)  # Monday two o'clock in Kiritimati, Sunday two o'clock in Honolulu

    assert spent_at(hours("Pacific/Kiritimati", 8, 9, monday), noon, HOUR) == utc(
        2026, 5, 3, 19)
    assert spent_at(hours("Pacific/Honolulu", 8, 9, monday), noon, HOUR) == utc(
        2026, 5, 4, 19)


def test_kathmandu_is_off_by_a_quarter_of_an_hour() -> None:
    calendar = hours("Asia/Kathmandu", 8, 9)

    assert spent_at(calendar, utc(2026, 5, 4, 0), HOUR) == utc(2026, 5, 4, 3, 15)


def test_apia_had_no_30_december_2011() -> None:
    calendar = hours("Pacific/Apia", 8, 22)
    thursday = in_zone("Pacific/Apia", 2011, 12, 29, 20)

    assert spent_at(calendar, thursday, 3 * HOUR) == in_zone("Pacific/Apia", 2011, 12, 31, 9)
    assert spent(calendar, thursday, thursday + 24 * HOUR) == 14 * HOUR
    friday = hours("Pacific/Apia", 8, 22, frozenset({5}))
    assert spent(friday, thursday, thursday + 3 * 24 * HOUR) == NOTHING


def test_apias_hours_over_the_midnight_that_it_crossed_the_date_line() -> None:
    """From Thursday 22 to 24; what would follow on Friday did not exist."""
    calendar = hours("Pacific/Apia", 22, 6, frozenset({4}))
    thursday = in_zone("Pacific/Apia", 2011, 12, 29, 12)

    assert spent(calendar, thursday, thursday + 2 * 24 * HOUR) == 2 * HOUR


def test_a_zone_that_gives_up_its_summer_time_is_followed() -> None:
    """Mexico City has had no summer time since 2022."""
    calendar = hours("America/Mexico_City", 8, 9)

    assert spent_at(calendar, utc(2022, 7, 1, 0), HOUR) == utc(2022, 7, 1, 14)
    assert spent_at(calendar, utc(2023, 7, 1, 0), HOUR) == utc(2023, 7, 1, 15)


def test_the_month_in_which_casablanca_changes_its_clock_is_followed() -> None:
    calendar = hours("Africa/Casablanca", 8, 9)

    assert spent_at(calendar, utc(2026, 1, 15), HOUR) == utc(2026, 1, 15, 8)
    assert spent_at(calendar, utc(2026, 3, 1), HOUR) == utc(2026, 3, 1, 9)


def test_a_bank_of_months_with_one_hour_a_week_is_reckoned_through() -> None:
    calendar = hours("Europe/Budapest", 8, 9, frozenset({1}))
    monday = utc(2026, 1, 5)

    end = spent_at(calendar, monday, 520 * HOUR)

    assert end.astimezone(ZoneInfo("Europe/Budapest")).strftime("%A %H:%M") == "Monday 09:00"
    assert timedelta(weeks=519) < end - monday < timedelta(weeks=519, days=1)


# ---- for all calendars --------------------------------------------------------------------------

ZONES = (
    "UTC", "Europe/Budapest", "America/St_Johns", "Pacific/Apia", "Pacific/Kiritimati",
    "Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana", "Africa/Casablanca",
    "America/Sao_Paulo", "Asia/Tehran", "Antarctica/Troll",
)  # fmt: skip
INSTANTS = st.datetimes(datetime(2011, 6, 1), datetime(2027, 6, 1)).map(  # noqa: DTZ001
    lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000, tzinfo=UTC))
SPANS = st.timedeltas(NOTHING, timedelta(days=60))


@st.composite
def calendars(draw: st.DrawFn) -> Calendar:
    """Somebody's hours, weekdays, holidays and vacations."""
    awake = None
    if draw(st.booleans()):
        first = draw(st.integers(0, 23))
        awake = WakingHours(
            ZoneInfo(draw(st.sampled_from(ZONES))), first,
            draw(st.integers(1, 24).filter(lambda last: last != first)),
            draw(st.frozensets(st.integers(1, 7), min_size=1)),
            draw(st.frozensets(st.dates(date(2011, 12, 1), date(2012, 1, 31)), max_size=5)))
    away = draw(st.lists(st.tuples(INSTANTS, SPANS), max_size=3))
    return Calendar(awake, tuple((begin, begin + span) for begin, span in away))


def counts_at(calendar: Calendar, instant: datetime) -> bool:
    """Whether an instant counts, said once more in the plainest way."""
    if any(begin <= instant < end for begin, end in calendar.away):
        return False
    awake = calendar.awake
    if awake is None:
        return True
    local = instant.astimezone(awake.zone)
    day, hour = local.date(), local.hour
    if awake.last <= awake.first and hour < awake.last:
        day, hour = day - timedelta(days=1), hour + 24
    until = awake.last if awake.last > awake.first else awake.last + 24
    return (awake.first <= hour < until and day.isoweekday() in awake.weekdays
            and day not in awake.holidays)


def quarter(at: datetime) -> datetime:
    """The quarter of an hour before an instant."""
    return at.replace(minute=at.minute // 15 * 15, second=0, microsecond=0)


@settings(max_examples=60, deadline=None)
@given(calendars(), INSTANTS, st.integers(1, 20))
def test_what_counts_is_what_the_clock_on_the_wall_says(
    calendar: Calendar, since: datetime, days: int
) -> None:
    away = tuple((quarter(begin), quarter(end)) for begin, end in calendar.away)
    calendar, since, step = Calendar(calendar.awake, away), quarter(since), 15 * MINUTE

    counting = sum(counts_at(calendar, since + number * step) for number in range(days * 96))

    assert spent(calendar, since, since + days * 96 * step) == counting * step


@settings(max_examples=60, deadline=None)
@given(calendars(), INSTANTS, SPANS)
def test_when_so_much_is_spent_so_much_is_spent(
    calendar: Calendar, since: datetime, amount: timedelta
) -> None:
    end = spent_at(calendar, since, amount)

    assert spent(calendar, since, end) == amount
    assert end == since or spent(calendar, since, end - timedelta(milliseconds=1)) < amount


@settings(max_examples=60, deadline=None)
@given(calendars(), INSTANTS, SPANS)
def test_what_was_spent_is_spent_no_later_than_it_was(
    calendar: Calendar, since: datetime, span: timedelta
) -> None:
    used = spent(calendar, since, since + span)

    assert spent_at(calendar, since, used) <= since + span
    assert NOTHING <= used <= span


@settings(max_examples=60, deadline=None)
@given(calendars(), INSTANTS, SPANS, SPANS)
def test_more_time_is_spent_later(
    calendar: Calendar, since: datetime, one: timedelta, other: timedelta
) -> None:
    less, more = sorted((one, other))

    assert spent_at(calendar, since, less) <= spent_at(calendar, since, more)
    assert spent(calendar, since, since + less) <= spent(calendar, since, since + more)


@settings(max_examples=60, deadline=None)
@given(calendars(), INSTANTS, st.lists(SPANS, min_size=2, max_size=8))
def test_time_spent_adds_up_over_any_cuts(
    calendar: Calendar, since: datetime, spans: list[timedelta]
) -> None:
    cuts = [since]
    for span in spans:
        cuts.append(cuts[-1] + span)

    parts = [spent(calendar, begin, end) for begin, end in pairwise(cuts)]

    assert sum(parts, NOTHING) == spent(calendar, since, cuts[-1])


# ---- pauses -------------------------------------------------------------------------------------


def test_a_clock_that_stands_keeps_what_it_has() -> None:
    running = Running(10 * HOUR, utc(2026, 5, 4, 8))

    stands = pause(running, ALWAYS, utc(2026, 5, 4, 11))

    assert stands == Paused(7 * HOUR)
    assert due(Running(stands.left, utc(2026, 6, 1)), ALWAYS) == utc(2026, 6, 1, 7)


def test_a_clock_never_has_less_than_nothing() -> None:
    assert pause(Running(HOUR, utc(2026, 5, 4)), ALWAYS, utc(2026, 5, 9)) == Paused(NOTHING)


def test_an_instant_before_it_ran_takes_nothing_from_a_clock() -> None:
    running = Running(HOUR, utc(2026, 5, 4))

    assert pause(running, ALWAYS, utc(2026, 5, 3)) == Paused(HOUR)


def test_a_reminder_comes_when_its_part_of_the_time_is_left() -> None:
    running = Running(10 * HOUR, utc(2026, 5, 4))

    assert remind_at(running, ALWAYS, 10 * HOUR, 50) == utc(2026, 5, 4, 5)
    assert remind_at(running, ALWAYS, 10 * HOUR, 10) == utc(2026, 5, 4, 9)


def test_a_reminder_whose_part_is_used_already_is_due_at_once() -> None:
    running = Running(2 * HOUR, utc(2026, 5, 4))

    assert remind_at(running, ALWAYS, 10 * HOUR, 50) == utc(2026, 5, 4)


@settings(max_examples=60, deadline=None)
@given(calendars(), INSTANTS, st.lists(st.tuples(SPANS, SPANS), max_size=10), SPANS)
def test_the_running_parts_are_the_time_used_whatever_the_pauses(
    calendar: Calendar, start: datetime, parts: list[tuple[timedelta, timedelta]], left: timedelta
) -> None:
    """Each part runs for a while and then stands for a while."""
    clock, at, used = Paused(left), start, NOTHING
    for runs, stands in parts:
        running = Running(clock.left, at)
        used += spent(calendar, at, at + runs)
        clock = pause(running, calendar, at + runs)
        at += runs + stands

        assert clock.left == max(NOTHING, left - used)
        assert clock.left >= NOTHING


@settings(max_examples=60, deadline=None)
@given(calendars(), INSTANTS, SPANS, st.floats(0, 1))
def test_a_pause_of_no_length_moves_no_deadline(
    calendar: Calendar, start: datetime, left: timedelta, part: float
) -> None:
    running = Running(left, start)
    end = due(running, calendar)
    between = start + (end - start) * part

    again = due(Running(pause(running, calendar, between).left, between), calendar)

    assert again == end or spent(calendar, min(again, end), max(again, end)) == NOTHING
