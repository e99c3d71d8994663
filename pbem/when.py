"""Instants in words: in the reader's zone and language, with the zone and its offset from UTC."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.dates import format_date, format_datetime, get_timezone_location

LOCALES = {"en": "en_GB", "hu": "hu", "ru": "ru", "pt": "pt_PT"}


def say_instant(instant: datetime, zone: str, language: str) -> str:
    """Wednesday, 2 December 2026, 20:00 (Lisbon, UTC+00:00)."""
    locale = LOCALES.get(language, "en_GB")
    local = instant.astimezone(zone_or_utc(zone))
    day = format_date(local.date(), "full", locale=locale)
    hour = format_datetime(local, "HH:mm", tzinfo=local.tzinfo, locale=locale)
    return f"{day}, {hour} {where(local, locale)}"


def say_utc(instant: datetime) -> str:
    """2026-11-29, 14:03 UTC: the same for all readers, for a letter's last line."""
    at = instant.astimezone(UTC)
    return f"{at:%Y-%m-%d}, {at:%H:%M} UTC"


def zone_or_utc(zone: str) -> tzinfo:
    """The zone; UTC where the name means nothing here."""
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def where(local: datetime, locale: str) -> str:
    """The place whose clock it is, and how far it is from UTC at that instant."""
    key = getattr(local.tzinfo, "key", "UTC")
    if key in ("UTC", "Etc/UTC"):
        return "UTC"
    offset = f"UTC{local:%z}"
    offset = f"{offset[:-2]}:{offset[-2:]}"
    # Etc/GMT+3 is three hours *behind*: its name would contradict the offset beside it.
    if key.startswith("Etc/"):
        return f"({offset})"
    return f"({get_timezone_location(ZoneInfo(key), locale=locale, return_city=True)}, {offset})"
