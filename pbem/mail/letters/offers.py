"""Builds the part of a letter that asks for orders: sample orders, reply links, orders ahead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import islice, zip_longest
from typing import Any
from urllib.parse import quote

from engine import bots
from engine import orders_ahead as ahead
from engine.api import GameRules
from engine.errors import MoveRefused
from engine.orders_ahead_lines import LATER
from pbem.config import Settings
from pbem.i18n import words
from pbem.mail.letter import LetterContext, Values
from pbem.mail.tokens import address_of
from pbem.models import Game, GameState, Outbox, SeatRow
from pbem.play import dry_runs, orders_ahead, positions

MOST = 5  # orders in a letter
FEWEST = 3  # where there are so many, even if only their numbers differ
LOOKED_AT = 1000  # of the answers; an expedition can have many more
MOST_READY = 2  # orders ahead, as examples


@dataclass(frozen=True)
class ReadyOrder:
    """An order ready to send. Its link opens an answer that holds it. `label` says it in words."""

    line: str
    href: str
    label: str = ""


@dataclass(frozen=True)
class Ask:
    """Where answers go, some possible orders, and how many others there are (`many`: not counted).
    """

    address: str
    orders: list[ReadyOrder]
    others: int = 0
    many: bool = False


def mailto(address: str, subject: str, body: str) -> str:
    """Return a link that opens an answer in the reader's mail program. It sends nothing."""
    about = f"subject={quote(f'Re: {subject}', safe='')}&body={quote(body, safe='')}"
    return f"mailto:{quote(address, safe='@+')}?{about}"


def table_called(game: Game, language: str) -> str:
    """Return the game's name with the table's title, which tells two tables apart on a lock screen.
    """
    name = words.term(game.game, "game_name", language)
    return f"{name}, {game.title}" if game.title else name


def turn_subject(game: Game, language: str) -> str:
    """Return the subject of a game's turn letters, as in turn/subject.txt."""
    said = words.gettext("Your turn – %(game)s", language) % {
        "game": table_called(game, language)}  # fmt: skip
    return f"[Carreira {game.id}] {said}"


def ask(
    settings: Settings, row: Outbox, table: positions.GamePosition, seat: int, *, language: str
) -> Ask:
    """Return orders that a seat can send as an answer to this letter, in the reader's words."""
    some = samples(table.rules, table.state, seat)
    address, subject = address_of(settings, "turn", row), turn_subject(table.row, language)
    orders = []
    for order, move in zip(some.lines, some.moves, strict=True):
        line = in_own_words(table.rules, table.state, seat, order, language)
        label = "" if language == "en" else words.move_label(table.rules, move, language)
        orders.append(ReadyOrder(line, mailto(address, subject, line), label))
    return Ask(address, orders, some.others, some.many)


def offered_below(lines: Iterable[str], asked: Ask | None) -> bool:
    """Return whether the letter already offers all of these lines as orders."""
    return asked is not None and set(lines) <= {each.line for each in asked.orders}


def plain_ask(address: str, subject: str, lines: Iterable[str]) -> Ask:
    """Return answers that are commands to the service."""
    return Ask(address, [ReadyOrder(line, mailto(address, subject, line)) for line in lines])


# ---- samples ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Samples:
    """Orders, their lines, and how many others there are (`many`: not all were counted)."""

    moves: list[Any]
    lines: list[str]
    others: int
    many: bool = False


def samples(rules: GameRules, state: Any, seat: int, most: int = MOST) -> Samples:
    """Return the most promising answers, one of each kind."""
    answers = list(islice(rules.answers(state, seat), LOOKED_AT + 1))
    many = len(answers) > LOOKED_AT
    ranked = bots.ranked(rules, state, seat, answers[:LOOKED_AT])
    moves = unlike([(move, rules.to_text(move)) for move in ranked])[:most]
    lines = [rules.to_text(move) for move in moves]
    return Samples(moves, lines, min(len(answers), LOOKED_AT) - len(lines), many)


def unlike(ranked: Sequence[tuple[Any, str]]) -> list[Any]:
    """Return the best of each kind.

    Kinds differ in the words of their lines, not in the numbers.
    """
    kinds: dict[tuple[str, ...], list[Any]] = {}
    for move, line in ranked:
        kinds.setdefault(kind_of(line), []).append(move)
    chosen: list[Any] = []
    for row in zip_longest(*kinds.values()):
        if len(chosen) >= FEWEST:
            break
        chosen += [move for move in row if move is not None]
    return chosen


def kind_of(line: str) -> tuple[str, ...]:
    """Return the kind of a line, without its numbers, cards and spaces."""
    return tuple(word for word in line.split() if not any(map(str.isdigit, word)))


def in_own_words(rules: GameRules, state: Any, seat: int, line: str, language: str) -> str:
    """Return a line in its reader's words, if it still parses to the same moves."""
    own = own_words(rules.key, language)
    said = " ".join(own.get(word, word) for word in line.split(" "))
    if said == line:
        return line
    aliases = words.aliases(rules.key, language)
    try:
        meant = rules.from_text(line, state, seat, {})
        return said if rules.from_text(said, state, seat, aliases) == meant else line
    except MoveRefused:
        return line


@cache
def own_words(game: str, language: str) -> Mapping[str, str]:
    """Return a language's words for orders.

    Words that the table also uses, such as places, stay.
    """
    said = words.game_words(game, language)
    shown = {term.lower() for term in said.terms.values() if isinstance(term, str)}
    own: dict[str, str] = {}
    for alias, meaning in said.aliases.items():
        own.setdefault(meaning, meaning if meaning in shown else alias)
    return own


# ---- orders ahead -------------------------------------------------------------------------------


def ahead_in(
    it: LetterContext, table: positions.GamePosition, seat: SeatRow, names: list[str]
) -> Values:
    """Return the reader's orders ahead with a dry run, and some that they could add by an answer.
    """
    if table.row.state != GameState.RUNNING or seat.resigned is not None:
        return {"ahead": (), "ahead_ready": ()}
    language = it.reader.language
    kept = dry_runs.of_kept(it.session, table.row, seat)
    return {
        "ahead": [(each.line, dry_runs.said(table.row.game, each, language, names))
                  for each in kept],
        "ahead_ready": ready(it, table, seat, {each.line for each in kept})
        if len(kept) < orders_ahead.MOST else (),
    }  # fmt: skip


def ready(
    it: LetterContext, table: positions.GamePosition, seat: SeatRow, stands: Set[str]
) -> list[ReadyOrder]:
    """Return examples that fit now and do not stand yet, as answers that hold them."""
    rules, number, language = table.rules, seat.number or 0, it.reader.language
    say = words.Say(words.game_words(table.row.game, language), ())
    address, subject = address_of(it.settings, "turn", it.row), turn_subject(table.row, language)
    examples = rules.orders_ahead.examples(rules.observation(table.state, number), number)
    fitting = (each for each in examples  # those that could all be given as they are
               if not stands or canonical(table, number, each.line) not in {None, *stands})
    return [
        ReadyOrder(line, mailto(address, subject, line), say.value(each.meaning))
        for each in islice(fitting, MOST_READY)
        for line in [f"{LATER}: {each.line}"]
    ]


def canonical(table: positions.GamePosition, seat: int, line: str) -> str | None:
    """Return an example in its stored form, or None if it could not be given."""
    try:
        return ahead.text(table.rules, ahead.read(table.rules, line, table.state, seat, {}))
    except MoveRefused:
        return None
