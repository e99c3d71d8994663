"""Formats instants and time spans in the reader's language and time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.dates import format_date, format_datetime, get_timezone_location

from pbem.i18n.catalogs import gettext, ngettext

LOCALES = {"en": "en_GB", "hu": "hu", "ru": "ru", "pt": "pt_PT"}


def say_instant(instant: datetime, zone: str, language: str) -> str:
    """Format an instant: Wednesday, 2 December 2026, 20:00 (Lisbon, UTC+00:00)."""
    locale = LOCALES.get(language, "en_GB")
    local = instant.astimezone(zone_or_utc(zone))
    day = format_date(local.date(), "full", locale=locale)
    hour = format_datetime(local, "HH:mm", tzinfo=local.tzinfo, locale=locale)
    return f"{day}, {hour} {where(local, locale)}"


def by_when(due: datetime, now: datetime, zone: str, language: str) -> str:
    """Format a deadline: the instant as above, and ", in 2 days 3 hours"."""
    return f"{say_instant(due, zone, language)}, {how_soon(due - now, language)}"


def how_soon(span: timedelta, language: str) -> str:
    """Return a text such as "in 2 days 3 hours", rounded down so that it never promises extra time.
    """
    if span < timedelta(0):
        return gettext("which has passed", language)
    if span < timedelta(minutes=1):
        return gettext("in less than a minute", language)
    return gettext("in %(span)s", language, span=how_long(span, language))


def how_long(span: timedelta, language: str) -> str:
    """Return a text such as "2 days 3 hours".

    Below a day it is hours and minutes, below an hour minutes.
    """
    minutes = span // timedelta(minutes=1)
    hours, days = minutes // 60, minutes // (24 * 60)
    said = [
        (days, ngettext("%(num)s day", "%(num)s days", days, language)),
        (hours % 24, ngettext("%(num)s hour", "%(num)s hours", hours % 24, language)),
        (0 if days else minutes % 60,
         # In Russian this unit, and only this one, has a case of its own after "in".
         ngettext("%(num)s minute", "%(num)s minutes", minutes % 60, language)),
    ]
    return " ".join(text for number, text in said if number)


def say_utc(instant: datetime) -> str:
    """Return a text such as "2026-11-29, 14:03 UTC", for a letter's last line.

    It is the same for all readers.
    """
    at = instant.astimezone(UTC).isoformat(" ", "minutes")
    return f"{at[:10]}, {at[11:16]} UTC"


def zone_or_utc(zone: str) -> tzinfo:
    """Return the time zone, or UTC if the name is unknown."""
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def where(local: datetime, locale: str) -> str:
    """Return the zone's city and its UTC offset at that instant."""
    key = getattr(local.tzinfo, "key", "UTC")
    if key in ("UTC", "Etc/UTC"):
        return "UTC"
    offset = f"UTC{local:%z}"
    offset = f"{offset[:-2]}:{offset[-2:]}"
    # Etc/GMT+3 is three hours *behind* UTC. Its name would contradict the offset beside it.
    if key.startswith("Etc/"):
        return f"({offset})"
    return f"({_city(key, locale)}, {offset})"


def place(zone: str, language: str) -> str:
    """Return the zone's city in this language: Lisbon for Europe/Lisbon, Lisboa in Portuguese."""
    if "/" not in zone or zone.startswith("Etc/"):
        return zone.rpartition("/")[2].replace("_", " ")
    return _city(zone, LOCALES.get(language, "en_GB"))


@cache
def _city(zone: str, locale: str) -> str:
    return str(get_timezone_location(ZoneInfo(zone), locale=locale, return_city=True))
