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

from engine import bots
from engine.api import GameRules
from engine.lessons import Lesson
from pbem.i18n import words
from pbem.models import Game, SeatRow
from pbem.play import chance, positions

SHOWN = 24  # decisions of the bot on one page
TABLES = ("about", "asked", "moved", "steps", "short")
HOUSE = "steady"  # the bot whose choices are shown to the learner


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


@dataclass(frozen=True)
class PreparedStep:
    """A step of the prepared beginning: its number from 1, of how many, and what it explains."""

    number: int
    of: int
    text: str


@dataclass(frozen=True)
class HouseMove:
    """What the house would order at the learner's seat: as a line, in words, and why."""

    line: str
    labels: Sequence[str]
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


def prepared(
    session: Session, row: Game, seat: SeatRow, question: Any, language: str
) -> PreparedStep | None:
    """The step of the prepared beginning that the learner is at; None in free play.

    The table is the same for all learners, so the steps fit as long as the learner follows them. A
    step whose question is not the one asked is left out.
    """
    steps = list(texts(row.game, language)["steps"].items())
    if question is None or seat.number not in question.seats:
        return None
    made = len(decisions(session, row, seat))
    if made >= len(steps):
        return None
    key, text = steps[made]
    is_asked = key.partition("_")[2] == type(question).__name__
    return PreparedStep(made + 1, len(steps), text) if is_asked else None


def decisions(session: Session, row: Game, seat: SeatRow) -> list[positions.LoggedEntry]:
    """The learner's own moves that stand and do more than end a turn, oldest first."""
    back = positions.taken_back(positions.marks(session, row))
    return [
        entry for entry in positions.entries(session, row, 1, row.last_entry)
        if entry.seat == seat.number and entry.cause == "order" and entry.number not in back
        and not entry.move.ends_turn]


def house_move(
    table: positions.GamePosition, seat: int, names: Sequence[str], language: str
) -> HouseMove | None:
    """What the house would play at an asked seat, from that seat's own view."""
    rules, state = table.rules, table.state
    if seat not in rules.current_players(state):
        return None
    # The stream knows nothing of the game's secret, so the choice tells nothing of it.
    drawn = chance.stream(b"house", table.row.commitment, table.number)
    moves = bots.choose(rules, state, seat, HOUSE, drawn)
    view = rules.observation(state, seat)
    why = [hint for move in moves
           for hint in told(rules, "moved", rules.lessons_of_move(view, seat, move), names,
                            language)]
    return HouseMove(
        "; ".join(rules.to_text(move) for move in moves),
        [words.move_label(rules, move, language) for move in moves], why)


def wasted(table: positions.GamePosition, seat: int, line: str) -> bool:
    """Whether a line only gives the decision away while the house would use it."""
    rules, state = table.rules, table.state
    if seat not in rules.current_players(state):
        return False
    mildest = rules.to_text(rules.default_action(state, seat))
    if line != mildest:
        return False
    best = bots.choose(
        rules, state, seat, HOUSE, chance.stream(b"house", table.row.commitment, table.number))
    return rules.to_text(best[-1]) != mildest


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
