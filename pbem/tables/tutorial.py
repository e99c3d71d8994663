"""What a tutorial tells its learner: what the question is about, and why the bot moved as it did.

It uses only what the learner may see, never the bot's own evaluation.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlmodel import Session

from engine.api import GameRules
from engine.lessons import Lesson
from pbem.i18n import words
from pbem.models import Game, SeatRow
from pbem.play import positions

SHOWN = 24  # decisions of the bot on one page
TABLES = ("about", "asked", "moved")


@dataclass(frozen=True)
class Hint:
    """A sentence and the ids of the rules behind it."""

    text: str
    rules: Sequence[str]


@dataclass(frozen=True)
class BotExplanation:
    """A decision of the bot: its entry, the bot's name, the order, and the reasons."""

    number: int
    name: str
    order: str
    why: Sequence[Hint]


@cache
def texts(game_key: str, language: str) -> Mapping[str, Mapping[str, str]]:
    """A game's lessons in one language; read once per process."""
    path = words.GAMES / game_key / "lessons" / f"{language}.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return {table: found[table] for table in TABLES}


def about(game_key: str, key: str, language: str) -> str:
    """The text about the game itself."""
    return texts(game_key, language)["about"][key]


def asked(
    rules: GameRules, view: Any, seat: int, *, names: Sequence[str], language: str
) -> list[Hint]:
    """Hints about the open question; none if this seat is not asked."""
    if seat not in view.asked:
        return []
    return told(rules, "asked", rules.lessons_of_question(view, seat), names, language)


def explained(
    session: Session, row: Game, seat: SeatRow, *, names: Sequence[str], language: str
) -> list[BotExplanation]:
    """The bot's decisions since the learner's last one, oldest first."""
    rules = positions.rules_of(session, row)
    first = max(1, seat.moved_at + 1, row.last_entry - SHOWN * 2)
    back = positions.taken_back(positions.marks(session, row))
    found = []
    for entry in positions.entries(session, row, first, row.last_entry):
        if entry.cause != "bot" or entry.seat is None or entry.number in back:
            continue
        view = rules.observation(positions.position(session, row, entry.base), seat.number)
        lessons = rules.lessons_of_move(view, entry.seat, entry.move)
        label = words.move_label(rules, entry.move, language) if is_open(entry) else ""
        found.append(BotExplanation(entry.number, names[entry.seat], label,
                               told(rules, "moved", lessons, names, language)))
    return found[-SHOWN:]


def is_open(entry: positions.LoggedEntry) -> bool:
    """Whether everything in the move is public afterwards."""
    return all(event.seen_by(None) == event for event in entry.events)


def told(
    rules: GameRules, table: str, lessons: Sequence[Lesson], names: Sequence[str], language: str
) -> list[Hint]:
    """Lessons in words."""
    wording = texts(rules.key, language)[table]
    say = words.Say(words.game_words(rules.key, language), names)
    return [Hint(say.phrase(wording[one.phrase.key], one.phrase), one.rules) for one in lessons]
