"""What a letter is made of, and what all letters of a game say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from engine import registry
from pbem.config import Settings
from pbem.i18n import words
from pbem.i18n.render import seats_drawn
from pbem.mail.letter import Reader
from pbem.mail.letters.asked import ask, table_called
from pbem.mail.letters.truth import seat_at, seats_at
from pbem.mail.preferences import PROOFS
from pbem.mail.tokens import token
from pbem.models import Game, Outbox, Person, SeatRow
from pbem.play import positions
from pbem.tables import clock_view

Values = dict[str, Any]
ASK = frozenset({"turn", "receipt", "held"})  # letters that can tell all about a question


class Overtaken(Exception):
    """What a letter was to say has come to be untrue, as is seen while it is made."""


class Shown:
    """What a game's templates show beside its view: made when one asks for some of it."""

    def __init__(self, made: Callable[[], Mapping[str, Any]]) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        shown = self._made()
        if name not in shown:
            raise AttributeError(f"the game shows no {name}")
        found = self.__dict__[name] = shown[name]
        return found


def once_said(said: words.Say) -> Callable[[Any], str]:
    """Says values in words, each but once: the text tells of the same tiles as the HTML."""
    known: dict[int, tuple[Any, str]] = {}  # with the value itself, whose number would be another's

    def say(value: Any) -> str:
        found = known.get(id(value))
        if found is None:
            found = known[id(value)] = value, said.value(value)
        return found[1]

    return say


@dataclass(frozen=True)
class Occasion:
    """All that a letter can be made of."""

    session: Session
    row: Outbox
    reader: Reader
    settings: Settings
    now: datetime
    others: Sequence[Outbox] = ()  # turn letters of other games that this one tells as well


def common(it: Occasion) -> Values:
    """What every letter can say."""
    site = it.settings.base_url
    return {
        "reader": it.reader,
        "now": it.now,
        "site": site,
        "kind": it.row.kind,
        "is_proof": it.row.kind in PROOFS,
        "help_link": f"{site}/help/mail",
        "settings_link": f"{site}/letters",
        "stop_link": stop_link(it) if it.row.game_id is not None else None,
        "images": (),
    }


def stop_link(it: Occasion) -> str:
    """The page that stops the letters of this game."""
    stop = token(it.settings.keys, "unsub", it.row)
    return f"{it.settings.base_url}/u/{stop}"


# ---- games --------------------------------------------------------------------------------------


def about(it: Occasion, game: Game) -> Values:
    """A game's name and address, and its words in the reader's language."""
    language = it.reader.language
    url = f"{it.settings.base_url}/games/{game.id}"
    term = words.game_words(game.game, language).term
    return {"game": game, "game_name": term("game_name"), "table_link": url, "term": term,
            "table_called": table_called(game, language)}  # fmt: skip


def seated(it: Occasion) -> tuple[Values, positions.GamePosition, SeatRow]:
    """What all letters of a game that runs or ran say, its table, and the reader's seat."""
    game = it.session.get(Game, it.row.game_id)
    seat = seat_at(it.session, it.row)
    if game is None or seat is None or seat.number is None:
        raise LookupError(f"letter {it.row.id} is for nobody at table {it.row.game_id}")
    names = [words.called(each.name, it.reader.language)
             for each in seats_at(it.session, it.row) if each.number is not None]
    values = about(it, game) | {
        "names": names,
        "letters": words.seat_letters(names),
        "mine": seat.number,
        "SEATS": seats_drawn(registry.game(game.game).seat_colours),
        "entry": game.last_entry,
    }
    return values, positions.table(it.session, game), seat


def asked_in(
    it: Occasion, row: Outbox, table: positions.GamePosition, seat: SeatRow, values: Values
) -> Values:
    """What is asked of the reader, or whom the game waits for, and how to answer."""
    mine, language = seat.number or 0, it.reader.language
    awaiting = table.state.awaiting
    is_asked = awaiting is not None and mine in awaiting.seats
    return {
        "prompt": "" if awaiting is None else words.prompt(
            table.rules, awaiting, viewer=mine, names=values["names"], language=language
        ),
        "ask": ask(it.settings, row, table, mine, language=language) if is_asked else None,
        "deadline": deadline(it, table.row, seat) if is_asked else "",
    }  # fmt: skip


def deadline(it: Occasion, game: Game, seat: SeatRow) -> str:
    """By when the reader has to answer, by his own clock."""
    person = it.session.get(Person, seat.person_id)
    people = {} if person is None else {seat.person_id: person}
    dial = clock_view.of(it.session, game, [seat], people, it.now).get(
        seat.number or 0, clock_view.UNTIMED
    )
    return clock_view.in_words(dial, it.now, it.reader.zone, it.reader.language)
