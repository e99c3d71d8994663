"""Formats texts in the reader's language and instants in the reader's zone."""

from __future__ import annotations

import zoneinfo
from collections import Counter, defaultdict
from datetime import UTC, datetime
from functools import cache
from typing import Any

from babel import Locale
from babel.dates import format_datetime, format_skeleton
from flask import Flask
from markupsafe import Markup, escape

from pbem.i18n import words
from pbem.i18n.instants import by_when, place
from pbem.models import Person
from pbem.tables import clock_view, lists
from pbem.tables.lobby import phrase_hash
from pbem.web import context

LANGUAGE_NAMES = (("en", "English"), ("hu", "magyar"), ("pt", "português"), ("ru", "русский"))
Regions = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
REGIONS = {"Africa": "002", "America": "019", "Antarctica": "AQ", "Asia": "142", "Australia": "AU",
           "Brazil": "BR", "Canada": "CA", "Chile": "CL", "Europe": "150", "Mexico": "MX"}
"""First parts of zone names that are territories in the CLDR."""

WATERS = {"Arctic": words.msgid("Arctic Ocean"), "Atlantic": words.msgid("Atlantic Ocean"),
          "Indian": words.msgid("Indian Ocean"), "Pacific": words.msgid("Pacific Ocean")}
HOME_ZONES = {"hu": "Europe/Budapest", "pt": "Europe/Lisbon", "ru": "Europe/Moscow"}


def _(text: str, **values: Any) -> str:
    """Translate a text to the reader's language."""
    return words.gettext(text, context.language(), **values)


def ngettext(one: str, many: str, number: int, **values: Any) -> str:
    """Translate a text with a number in it, %(num)s, in its plural form."""
    return words.ngettext(one, many, number, context.language(), **values)


def moment(instant: datetime) -> Markup:
    """Return an instant as HTML on the reader's clock, with the name of their zone."""
    at, zone = moment_said(instant)
    return Markup('<time datetime="{}">{}</time> {}').format(
        instant.astimezone(UTC).isoformat(timespec="minutes"), at, zone)


def moment_said(instant: datetime) -> tuple[str, str]:
    """Return an instant as text, and the zone's name; for flashed messages, which hold no HTML."""
    zone = zone_of(context.person())
    local = instant.astimezone(zone)
    locale = Locale.parse(context.language())
    day = format_skeleton("yMMMd", local, tzinfo=zone, locale=locale)
    hour = format_datetime(local, "HH:mm", tzinfo=zone, locale=locale)
    return f"{day}, {hour}", place_of(zone.key)


def until(due: datetime) -> Markup:
    """Return a due time as HTML on the reader's clock, and how long that is from now."""
    person, now = context.person(), context.service().clock.now()
    zone = zone_of(person).key
    return Markup('<time datetime="{}">{}</time>').format(
        due.astimezone(UTC).isoformat(timespec="minutes"),
        by_when(due, now, zone, context.language()))


def waits_until(one: lists.ListedGame) -> str:
    """Return when a listed game is due; "" if it has no clock."""
    now, zone = context.service().clock.now(), zone_of(context.person()).key
    return clock_view.deadline_for_list(one.game, one.due, now, zone, context.language())


def day(instant: datetime) -> str:
    """Return the date of an instant in the reader's zone."""
    zone = zone_of(context.person())
    locale = Locale.parse(context.language())
    return format_skeleton("yMMMd", instant.astimezone(zone), tzinfo=zone, locale=locale)


def zone_of(person: Person | None) -> zoneinfo.ZoneInfo:
    """Return a person's zone; UTC for visitors."""
    return zoneinfo.ZoneInfo(person.zone if person is not None else "UTC")


def place_of(zone: str) -> str:
    """Return the place of a zone in the reader's language: Lisbon for Europe/Lisbon."""
    return place(zone, context.language())


def zones() -> Regions:
    """Return the IANA zones that are places, by region, and UTC, in the reader's language."""
    return zones_in(context.language())


@cache
def zones_in(language: str) -> Regions:
    """Return the zones in a language; places of the same name show their zone's name too."""
    regions: dict[str, list[str]] = defaultdict(list)
    for key in sorted(zoneinfo.available_timezones()):
        region, slash, _place = key.partition("/")
        if slash and region not in ("Etc", "SystemV", "US", "posix", "right"):
            regions[region].append(key)
    named = ((region_in(key, language), labelled(keys, language)) for key, keys in regions.items())
    found = sorted(named, key=lambda each: words.without_accents(each[0]))
    return (*found, ("UTC", (("UTC", "UTC"),)))


def region_in(key: str, language: str) -> str:
    """Return the first part of a zone's name in a language."""
    if key in WATERS:
        return words.gettext(WATERS[key], language)
    return str(Locale.parse(language).territories.get(REGIONS.get(key, ""), key))


def labelled(zones_there: list[str], language: str) -> tuple[tuple[str, str], ...]:
    """Return zones with their labels in alphabetical order."""
    called = {key: place(key, language) for key in zones_there}
    count = Counter(called.values())
    found = []
    for key, name in called.items():
        own = key.partition("/")[2].replace("_", " ").replace("/", ", ")
        found.append((key, name if count[name] == 1 else f"{name} ({own})"))
    return tuple(sorted(found, key=lambda each: words.without_accents(each[1])))


def is_zone(key: str) -> bool:
    """Tell whether this is the name of a zone that pages can show times in."""
    return key in zoneinfo.available_timezones() and not key.startswith(("posix", "right"))


def games_waiting() -> int:
    """Return how many games wait for the reader, for the head of every page."""
    person = context.person()
    return 0 if person is None or person.id is None else lists.waiting(context.reading(), person.id)


def called(name: str) -> str:
    """Return a person's name as this reader sees it."""
    return words.called(name, context.language())


def fingerprint(digest: str) -> Markup:
    """Return a hash in groups of characters, which are easier to compare by eye."""
    groups = " ".join(digest[at:at + 8] for at in range(0, len(digest), 8))
    return Markup('<span class="hash">{}</span>').format(escape(groups))


def register(app: Flask) -> None:
    """Add the filters and functions that templates use."""
    app.jinja_env.filters.update(
        moment=moment, until=until, day=day, fingerprint=fingerprint,
        phrase_hash=phrase_hash, called=called)
    app.jinja_env.globals.update(games_waiting=games_waiting, waits_until=waits_until)
