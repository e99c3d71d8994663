"""Holds what a letter is built from, and builds the values that all letters of a game share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine import registry
from pbem.i18n import words
from pbem.i18n.render import seats_drawn
from pbem.mail.letter import Occasion, Values
from pbem.mail.letters.offers import ask, table_called
from pbem.mail.letters.truth import seat_at, seats_at
from pbem.mail.preferences import PROOFS
from pbem.mail.tokens import token
from pbem.models import Game, Outbox, Person, SeatRow
from pbem.play import positions
from pbem.tables import clock_view

ASK = frozenset({"turn", "receipt", "held"})  # letters that can include everything about a question


class Overtaken(Exception):
    """Raised while a letter is built, if what it says is no longer true."""


class Shown:
    """The game's extra template values, computed when a template first uses one."""

    def __init__(self, made: Callable[[], Mapping[str, Any]]) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        shown = self._made()
        if name not in shown:
            raise AttributeError(f"the game shows no {name}")
        found = self.__dict__[name] = shown[name]
        return found


def once_said(said: words.Say) -> Callable[[Any], str]:
    """Return a function that says values in words and caches each one.

    The text and the HTML name the same tiles.
    """
    known: dict[int, tuple[Any, str]] = {}  # keeps the value, so that its id is not reused

    def say(value: Any) -> str:
        found = known.get(id(value))
        if found is None:
            found = known[id(value)] = value, said.value(value)
        return found[1]

    return say


def common(it: Occasion) -> Values:
    """Return the values that every letter has."""
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
    """Return the URL of the page that stops the letters of this game."""
    stop = token(it.settings.keys, "unsub", it.row)
    return f"{it.settings.base_url}/u/{stop}"


# ---- games --------------------------------------------------------------------------------------


def about(it: Occasion, game: Game) -> Values:
    """Return a game's name and address, and its words in the reader's language."""
    language = it.reader.language
    url = f"{it.settings.base_url}/games/{game.id}"
    term = words.game_words(game.game, language).term
    return {"game": game, "game_name": term("game_name"), "table_link": url, "term": term,
            "table_called": table_called(game, language)}  # fmt: skip


def seated(it: Occasion) -> tuple[Values, positions.GamePosition, SeatRow]:
    """Return the common values of a game's letters, its position, and the reader's seat.

    Raises LookupError if the reader has no seat there, or the game has not begun.
    """
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
    """Return what the reader is asked, or whom the game waits for, and how to answer."""
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
    """Say until when the reader has to answer, in their time zone."""
    person = it.session.get(Person, seat.person_id)
    people = {} if person is None else {seat.person_id: person}
    dial = clock_view.of(it.session, game, [seat], people, it.now).get(
        seat.number or 0, clock_view.UNTIMED
    )
    return clock_view.in_words(dial, it.now, it.reader.zone, it.reader.language)
