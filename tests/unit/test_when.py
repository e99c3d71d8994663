"""A time in a letter is the reader's own, and says whose clock it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pbem.i18n.instants import by_when, how_soon, place, say_instant

EVENING = datetime(2026, 12, 2, 20, 0, tzinfo=UTC)
SUMMER = datetime(2026, 7, 2, 20, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("instant", "zone", "language", "said"),
    [
        (EVENING, "Europe/Lisbon", "en", "Wednesday, 2 December 2026, 20:00 (Lisbon, UTC+00:00)"),
        (SUMMER, "Europe/Lisbon", "en", "Thursday, 2 July 2026, 21:00 (Lisbon, UTC+01:00)"),
        (EVENING, "Europe/Budapest", "hu",
         "2026. december 2., szerda, 21:00 (Budapest, UTC+01:00)"),
        (EVENING, "America/St_Johns", "en",
         "Wednesday, 2 December 2026, 16:30 (St John’s, UTC-03:30)"),
        (EVENING, "Pacific/Apia", "en", "Thursday, 3 December 2026, 09:00 (Apia, UTC+13:00)"),
        (EVENING, "UTC", "en", "Wednesday, 2 December 2026, 20:00 UTC"),
        (EVENING, "Etc/GMT+3", "en", "Wednesday, 2 December 2026, 17:00 (UTC-03:00)"),
        (EVENING, "No/Such_Place", "en", "Wednesday, 2 December 2026, 20:00 UTC"),
        (EVENING, "../secret", "en", "Wednesday, 2 December 2026, 20:00 UTC"),
    ],
)  # fmt: skip
def test_a_time_is_told_by_the_readers_clock(
    instant: datetime, zone: str, language: str, said: str
) -> None:
    assert say_instant(instant, zone, language) == said


def test_the_hour_that_comes_twice_is_told_apart() -> None:
    first = say_instant(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "Europe/Lisbon", "en")
    second = say_instant(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "Europe/Lisbon", "en")

    assert first == "Sunday, 25 October 2026, 01:30 (Lisbon, UTC+01:00)"
    assert second == "Sunday, 25 October 2026, 01:30 (Lisbon, UTC+00:00)"


@pytest.mark.parametrize(
    ("language", "zone", "said"),
    [
        ("en", "Europe/Lisbon",
         "Wednesday, 2 December 2026, 20:00 (Lisbon, UTC+00:00), in 2 days 3 hours"),
        ("hu", "Europe/Budapest",
         "2026. december 2., szerda, 21:00 (Budapest, UTC+01:00), 2 nap 3 óra múlva"),
        ("ru", "Europe/Moscow",
         "среда, 2 декабря 2026\u202fг., 23:00 (Москва, UTC+03:00), через 2 дня 3 часа"),
        ("pt", "America/Sao_Paulo",
         "quarta-feira, 2 de dezembro de 2026, 17:00 (São Paulo, UTC-03:00), "
         "dentro de 2 dias 3 horas"),
        ("en", "Pacific/Kiritimati",
         "Thursday, 3 December 2026, 10:00 (Kiritimati, UTC+14:00), in 2 days 3 hours"),
        ("en", "Asia/Kathmandu",
         "Thursday, 3 December 2026, 01:45 (Kathmandu, UTC+05:45), in 2 days 3 hours"),
        ("en", "UTC", "Wednesday, 2 December 2026, 20:00 UTC, in 2 days 3 hours"),
    ],
)  # fmt: skip
def test_by_when_says_the_readers_hour_and_how_long_that_is(
    language: str, zone: str, said: str
) -> None:
    now = EVENING - timedelta(days=2, hours=3, minutes=59)

    assert by_when(EVENING, now, zone, language) == said


MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (DAY + MINUTE * 30, ("in 1 day", "1 nap múlva", "через 1 день", "dentro de 1 dia")),
        (DAY * 5 + HOUR, ("in 5 days 1 hour", "5 nap 1 óra múlva", "через 5 дней 1 час",
                          "dentro de 5 dias 1 hora")),
        (HOUR * 21 + MINUTE * 21, ("in 21 hours 21 minutes", "21 óra 21 perc múlva",
                                   "через 21 час 21 минуту", "dentro de 21 horas 21 minutos")),
        (HOUR * 11 + MINUTE * 0.9, ("in 11 hours", "11 óra múlva", "через 11 часов",
                                    "dentro de 11 horas")),
        (MINUTE, ("in 1 minute", "1 perc múlva", "через 1 минуту", "dentro de 1 minuto")),
        (MINUTE * 42, ("in 42 minutes", "42 perc múlva", "через 42 минуты",
                       "dentro de 42 minutos")),
        (MINUTE * 0.9, ("in less than a minute", "egy percen belül", "меньше чем через минуту",
                        "em menos de um minuto")),
        (-MINUTE, ("which has passed", "ez már elmúlt", "этот срок прошёл", "que já passou")),
    ],
)  # fmt: skip
def test_how_soon_has_the_plural_of_each_language(
    span: timedelta, said: tuple[str, ...]
) -> None:
    assert tuple(how_soon(span, each) for each in ("en", "hu", "ru", "pt")) == said


def test_by_when_counts_real_hours_through_the_night_when_clocks_go_forward() -> None:
    before = datetime(2026, 3, 28, 22, 0, tzinfo=UTC)  # 23:00 in Budapest
    due = datetime(2026, 3, 29, 6, 0, tzinfo=UTC)  # 08:00 there: nine hours on the clock's face

    assert by_when(due, before, "Europe/Budapest", "en") == (
        "Sunday, 29 March 2026, 08:00 (Budapest, UTC+02:00), in 8 hours")


def test_by_when_leaves_out_the_day_that_apia_left_out() -> None:
    thursday = datetime(2011, 12, 30, 9, 0, tzinfo=UTC)  # 29 December, 23:00 in Apia
    due = thursday + timedelta(hours=2)

    assert by_when(due, thursday, "Pacific/Apia", "en") == (
        "Saturday, 31 December 2011, 01:00 (Apia, UTC+14:00), in 2 hours")


@pytest.mark.parametrize(
    ("language", "zone", "said"),
    [
        ("en", "Europe/Lisbon", "Lisbon"), ("pt", "Europe/Lisbon", "Lisboa"),
        ("ru", "Europe/Moscow", "Москва"), ("hu", "Europe/Moscow", "Moszkva"),
        ("ru", "UTC", "UTC"), ("en", "America/New_York", "New York"), ("en", "Etc/UTC", "UTC"),
    ],
)  # fmt: skip
def test_pages_name_a_zones_place_as_letters_do(language: str, zone: str, said: str) -> None:
    assert place(zone, language) == said
    if zone.count("UTC") == 0:
        assert f"({said}, UTC" in say_instant(datetime(2026, 12, 2, 20, tzinfo=UTC), zone, language)
