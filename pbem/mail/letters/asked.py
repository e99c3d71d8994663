"""What a letter asks for: orders ready to send, and the addresses that take them."""

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
    """A line to send: a press on the link opens an answer that holds it. `label`: in words."""

    line: str
    href: str
    label: str = ""


@dataclass(frozen=True)
class Ask:
    """Where answers go, some of them, and how many others there are (`many`: not counted)."""

    address: str
    orders: list[Ready]
    others: int = 0
    many: bool = False


def address_of(settings: Settings, row: Outbox, purpose: Purpose = "turn") -> str:
    """The address of ours that names this letter."""
    return settings.reply_to(purpose, token(settings.keys, purpose, row))


def mailto(address: str, subject: str, body: str) -> str:
    """A link that opens an answer in the reader's mail program; nothing is sent by it."""
    return f"{mailto_begins(address, subject)}{quoted(body)}"


@lru_cache(1024)  # most orders are other letters' too
def quoted(body: str) -> str:
    """What a link writes into an answer."""
    return quote(body, safe="")


@lru_cache(256)  # the links of one letter begin alike
def mailto_begins(address: str, subject: str) -> str:
    """Such a link up to what the answer says."""
    return f"mailto:{quote(address, safe='@+')}?subject={quote(f'Re: {subject}', safe='')}&body="


def table_called(game: Game, language: str) -> str:
    """The game with the table's title: on a lock screen they tell two tables apart."""
    name = words.term(game.game, "game_name", language)
    return f"{name}, {game.title}" if game.title else name


def turn_subject(game: Game, language: str) -> str:
    """The subject of a game's turn letters, as turn/subject.txt says it."""
    said = words.gettext("Your turn – %(game)s", language) % {
        "game": table_called(game, language)}  # fmt: skip
    return f"[Carreira {game.id}] {said}"


def ask(
    settings: Settings, row: Outbox, table: positions.GamePosition, seat: int, *, language: str
) -> Ask:
    """Orders that a seat could answer this letter with, in the reader's words."""
    some = samples(table.rules, table.state, seat)
    address, subject = address_of(settings, row), turn_subject(table.row, language)
    orders = []
    for order, move in zip(some.lines, some.moves, strict=True):
        line = in_own_words(table.rules, table.state, seat, order, language)
        label = "" if language == "en" else words.move_label(table.rules, move, language)
        orders.append(Ready(line, mailto(address, subject, line), label))
    return Ask(address, orders, some.others, some.many)


def offered_below(lines: Iterable[str], asked: Ask | None) -> bool:
    """Whether all lines stand among the orders that a letter offers anyway."""
    return asked is not None and set(lines) <= {each.line for each in asked.orders}


def plain_ask(address: str, subject: str, lines: Iterable[str]) -> Ask:
    """Answers that are words of the service."""
    return Ask(address, [Ready(line, mailto(address, subject, line)) for line in lines])
