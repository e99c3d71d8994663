"""Formats deadlines as iCalendar (RFC 5545). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from pbem.archive.feeds import Deadline, title_of
from pbem.i18n import words

COLUMNS = 74  # octets of a line before it is folded
# All our times are in UTC format. The zone is here because a calendar must contain something.
UTC_ZONE = (
    "BEGIN:VTIMEZONE", "TZID:Etc/UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "TZNAME:UTC", "END:STANDARD", "END:VTIMEZONE",
)  # fmt: skip


def calendar(deadlines: Sequence[Deadline], language: str, *, site: str, host: str) -> str:
    """Return the calendar. A deadline that moves keeps its UID and increments its SEQUENCE."""
    name = words.gettext("Deadlines", language)
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Carreira//Deadlines//EN", "METHOD:PUBLISH",
        f"X-WR-CALNAME:Carreira: {escaped(name)}", "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        *UTC_ZONE,
    ]  # fmt: skip
    for each in deadlines:
        lines += event(each, language, site=site, host=host)
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in folded(line))


def event(deadline: Deadline, language: str, *, site: str, host: str) -> list[str]:
    """Format one deadline as an instant, which blocks no time in a calendar."""
    row = deadline.row
    what = words.gettext("Answer until now: %(game)s", language)
    said = what % {"game": title_of(row, language)}
    return [
        "BEGIN:VEVENT",
        f"UID:game-{row.mark}-question-{deadline.question}@{host}",
        f"SEQUENCE:{deadline.changes}",
        f"DTSTAMP:{stamp(deadline.changed)}",
        f"DTSTART:{stamp(deadline.until)}",
        f"SUMMARY:{escaped(said)}",
        f"URL:{site}/games/{row.id}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def stamp(instant: datetime) -> str:
    """Format an instant: 20260302T120000Z."""
    return instant.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def escaped(text: str) -> str:
    """Escape text for an iCalendar value, without line ends."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    for sign in ("\\", ";", ","):
        plain = plain.replace(sign, f"\\{sign}")
    return plain


def folded(line: str) -> Iterator[str]:
    """Yield a line in parts of at most 75 octets. All but the first begin with a space."""
    part, size = "", 0
    for sign in line:
        octets = len(sign.encode())
        if size + octets > COLUMNS:
            yield part
            part, size = " ", 1
        part, size = part + sign, size + octets
    yield part
