"""Builds the part of a letter that asks for orders: ready-made orders and the reply addresses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from pbem.config import Settings
from pbem.i18n import words
from pbem.mail.letters.samples import in_own_words, samples
from pbem.mail.tokens import Purpose, token
from pbem.models import Game, Outbox
from pbem.play import positions


@dataclass(frozen=True)
class Ready:
    """An order ready to send. Its link opens an answer that holds it. `label` says it in words."""

    line: str
    href: str
    label: str = ""


@dataclass(frozen=True)
class Ask:
    """Where answers go, some possible orders, and how many others there are (`many`: not counted).
    """

    address: str
    orders: list[Ready]
    others: int = 0
    many: bool = False


def address_of(settings: Settings, row: Outbox, purpose: Purpose = "turn") -> str:
    """Return the reply address that names this letter."""
    return settings.reply_to(purpose, token(settings.keys, purpose, row))


def mailto(address: str, subject: str, body: str) -> str:
    """Return a link that opens an answer in the reader's mail program. It sends nothing."""
    return f"{mailto_begins(address, subject)}{quoted(body)}"


@lru_cache(1024)  # most orders also occur in other letters
def quoted(body: str) -> str:
    """Percent-encode the text that a link writes into an answer."""
    return quote(body, safe="")


@lru_cache(256)  # the links of one letter begin alike
def mailto_begins(address: str, subject: str) -> str:
    """Return the beginning of such a link, up to the body of the answer."""
    return f"mailto:{quote(address, safe='@+')}?subject={quote(f'Re: {subject}', safe='')}&body="


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
    address, subject = address_of(settings, row), turn_subject(table.row, language)
    orders = []
    for order, move in zip(some.lines, some.moves, strict=True):
        line = in_own_words(table.rules, table.state, seat, order, language)
        label = "" if language == "en" else words.move_label(table.rules, move, language)
        orders.append(Ready(line, mailto(address, subject, line), label))
    return Ask(address, orders, some.others, some.many)


def offered_below(lines: Iterable[str], asked: Ask | None) -> bool:
    """Return whether the letter already offers all of these lines as orders."""
    return asked is not None and set(lines) <= {each.line for each in asked.orders}


def plain_ask(address: str, subject: str, lines: Iterable[str]) -> Ask:
    """Return answers that are commands to the service."""
    return Ask(address, [Ready(line, mailto(address, subject, line)) for line in lines])
