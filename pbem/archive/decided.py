"""Says in three sentences what decided a finished game: margin, source of points, the lead."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from pbem.archive.progress import Moment, progress
from pbem.i18n import words
from pbem.i18n.words import msgid, ngettext
from pbem.models import Game
from pbem.play import positions

LEVEL = msgid("%(winner)s and %(other)s have the same points; the tie was broken by the rules.")
MOST = msgid("Most of the difference comes from: %(source)s, %(more)s points against %(less)s.")
AHEAD = msgid("%(winner)s was ahead for good from this point on: %(when)s.")
ALWAYS = msgid("%(winner)s was ahead from the beginning.")
LATE = msgid("Only the final count brought %(winner)s in front.")


def sentences(
    session: Session, row: Game, places: Sequence[int], names: Sequence[str], language: str
) -> list[str]:
    """Return the sentences; `places` are by seat, from 1."""
    moments = progress(session, row, None)
    order = sorted(range(row.seats), key=lambda seat: (places[seat], seat))
    winner, other = order[0], order[1]
    said = {"winner": names[winner], "other": names[other]}
    margin = points(moments[-1], winner) - points(moments[-1], other)
    first = words.gettext(LEVEL, language, **said) if margin <= 0 else ngettext(
        "%(winner)s won by %(num)s point over %(other)s.",
        "%(winner)s won by %(num)s points over %(other)s.", margin, language, **said)
    sentence, when = lead(session, row, moments, order[:2], language)
    return [first, source_of(row, moments[-1], order[:2], language),
            words.gettext(sentence, language, when=when, **said)]


def points(moment: Moment, seat: int) -> int:
    """Return a seat's points from all sources."""
    return sum(moment.tallies[seat].points.values())


def source_of(row: Game, last: Moment, best: Sequence[int], language: str) -> str:
    """Return the source in which the winner, the first of `best`, was furthest ahead."""
    mine, theirs = (last.tallies[seat].points for seat in best)
    source = max(mine, key=lambda each: mine[each] - theirs[each])
    return words.gettext(
        MOST, language, source=words.term(row.game, f"source_{source}", language),
        more=mine[source], less=theirs[source])


def lead(
    session: Session, row: Game, moments: Sequence[Moment], best: Sequence[int], language: str
) -> tuple[str, str]:
    """Return the sentence on the winner's lead at the ends of phases, and since when it held."""
    winner, other = best
    behind = [at for at, each in enumerate(moments)
              if points(each, winner) <= points(each, other)]
    since = behind[-1] + 1 if behind else 0
    if since == 0:
        return ALWAYS, ""
    if since >= len(moments) - 1:
        return LATE, ""
    rules, moment = positions.rules_of(session, row), moments[since]
    chapter = words.chapter(rules, moment.round, language) if moment.round else ""
    phase = words.term(row.game, f"phase_{moment.phase}", language)
    return AHEAD, ", ".join(filter(None, (chapter, phase)))
