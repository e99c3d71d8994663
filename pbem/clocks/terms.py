"""What a game's players agree to about time: time control, what happens at zero, reminders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from babel.lists import format_list
from babel.numbers import format_percent

from pbem.clocks import rules
from pbem.clocks.rules import AT_ZERO, MISSES, NO_CLOCK, BadClock, TimeControl
from pbem.i18n.instants import LOCALES, how_long
from pbem.i18n.words import gettext, msgid, ngettext
from pbem.models import Game

NO_LIMIT = msgid("No time limit: the game waits for everybody.")
COUNTED = {
    "always": msgid("It counts day and night; it stands while a player is on vacation."),
    "awake": msgid(
        "Only the hours and days in which a player's time counts take something off it; they are "
        "set on the account page. It stands while a player is on vacation."),
}
AT_THE_END = {
    "bot": msgid("At zero a player of the service's own takes the seat at once."),
    "vote": msgid("At zero the game waits, and the others vote on what becomes of the seat."),
}


@dataclass(frozen=True, slots=True)
class Terms:
    """A game's terms; without a clock the other fields do not matter."""

    clock: TimeControl = NO_CLOCK
    at_zero: str = "default"
    reminders: tuple[int, ...] = (50, 10)

    @property
    def stored_reminders(self) -> str:
        """The reminders in stored form."""
        return " ".join(map(str, self.reminders))


UNTIMED = Terms()


def read(clock: str, at_zero: str, reminders: str) -> Terms:
    """Parse written terms. Raises BadClock."""
    found = rules.read(clock)
    if found == NO_CLOCK:
        return UNTIMED
    if at_zero not in AT_ZERO:
        raise BadClock("no_such_end")
    return Terms(found, at_zero, rules.read_reminders(reminders))


def of(row: Game) -> Terms:
    """A game's terms."""
    return read(row.clock, row.at_zero, row.reminders)


# ---- in words -----------------------------------------------------------------------------------


def in_words(terms: Terms, language: str) -> str:
    """The terms in sentences, for people who think of joining."""
    return " ".join(sentences(terms, language))


def sentences(terms: Terms, language: str) -> Iterator[str]:
    """The sentences: the time, what counts, what happens at zero, the reminders."""
    if terms.clock.kind == "none":
        yield gettext(NO_LIMIT, language)
        return
    yield time_in_words(terms.clock, language)
    yield gettext(COUNTED[terms.clock.counts], language)
    yield timeout_in_words(terms, language)
    if terms.reminders:
        parts = [format_percent(part / 100, locale=LOCALES[language]) for part in terms.reminders]
        left = format_list(parts, locale=LOCALES[language])
        yield gettext("Reminders come when %(parts)s of a decision's time are left.", language,
                      parts=left)


def time_in_words(clock: TimeControl, language: str) -> str:
    """The time control as a sentence."""
    time = span(clock, clock.hours, language)
    if clock.kind == "each":
        return gettext("%(time)s for each decision.", language, time=time)
    return gettext(
        "A bank of %(time)s for each player; each further decision adds %(more)s to it, up to "
        "%(most)s in all.", language, time=time, more=span(clock, clock.increment, language),
        most=span(clock, clock.cap, language))


def timeout_in_words(terms: Terms, language: str) -> str:
    """What happens at zero as a sentence."""
    if terms.at_zero == "default":
        return ngettext(
            "At zero the mildest move is played; after %(num)s miss the seat is dropped.",
            "At zero the mildest move is played; after %(num)s misses in a row the seat is "
            "dropped.", MISSES, language)
    return gettext(AT_THE_END[terms.at_zero], language)


def in_short(terms: Terms, language: str) -> str:
    """The time control in a few words, for a line of a list."""
    clock = terms.clock
    if clock.kind == "none":
        return gettext("no time limit", language)
    time = span(clock, clock.hours, language)
    if clock.kind == "each":
        return gettext("%(time)s a decision", language, time=time)
    return gettext("a bank of %(time)s", language, time=time)


def span(clock: TimeControl, hours: int, language: str) -> str:
    """Hours in words, as days where they are whole days; own hours never are."""
    if hours % 24 == 0 and clock.counts == "always":
        return how_long(hours * rules.HOUR, language)
    return ngettext("%(num)s hour", "%(num)s hours", hours, language)
