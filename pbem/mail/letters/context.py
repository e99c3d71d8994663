"""Builds the values that letters share: links, a game's name and words, what is asked."""

from __future__ import annotations

from sqlmodel import Session, col, select

from engine import registry
from pbem.i18n import words
from pbem.i18n.render import seats_drawn
from pbem.mail.letter import LetterContext, LetterKind, Reader, Values
from pbem.mail.letters.offers import ask, table_called
from pbem.mail.tokens import token
from pbem.models import Game, Person, SeatRow
from pbem.play import positions
from pbem.tables import clock_view


def reader_at(session: Session, address: str, language: str) -> Reader:
    """Return the reader at an address: a player if it is one's address."""
    at = (col(Person.address) == address) | (col(Person.second_address) == address)
    person = session.exec(select(Person).where(at)).first()
    return Reader(address, "", language, "UTC") if person is None else Reader.of(person, address)


def common(it: LetterContext, kind: LetterKind) -> Values:
    """Return the values that every letter has. `stop_link` stops the letters of its game."""
    site = it.settings.base_url
    stop = None if it.row.game_id is None else token(it.settings.keys, "unsub", it.row)
    return {
        "reader": it.reader,
        "now": it.now,
        "site": site,
        "is_proof": kind.is_proof,
        "help_link": f"{site}/help/mail",
        "settings_link": f"{site}/letters",
        "stop_link": stop and f"{site}/u/{stop}",
        "images": (),
    }


# ---- games --------------------------------------------------------------------------------------


def about(it: LetterContext, game: Game) -> Values:
    """Return a game's name and address, and its words in the reader's language."""
    language = it.reader.language
    url = f"{it.settings.base_url}/games/{game.id}"
    term = words.game_words(game.game, language).term
    return {"game": game, "game_name": term("game_name"), "table_link": url, "term": term,
            "table_called": table_called(game, language)}  # fmt: skip


def seated(it: LetterContext) -> tuple[Values, positions.GamePosition, SeatRow]:
    """Return the common values of a game's letters, its position, and the reader's seat.

    Raises LookupError if the reader has no seat there, or the game has not begun.
    """
    game, seat = it.row.game, it.row.seat
    if game is None or seat is None or seat.number is None:
        raise LookupError(f"letter {it.row.id} is for nobody at table {it.row.game_id}")
    names = [words.called(each.name, it.reader.language)
             for each in game.seat_rows if each.number is not None]
    values = about(it, game) | {
        "names": names,
        "letters": words.seat_letters(names),
        "mine": seat.number,
        "SEATS": seats_drawn(registry.game(game.game).seat_colours),
        "entry": game.last_entry,
    }
    return values, positions.table(it.session, game), seat


def asked_in(
    it: LetterContext, table: positions.GamePosition, seat: SeatRow, values: Values
) -> Values:
    """Return what the reader is asked, or whom the game waits for, and how to answer."""
    mine, language = seat.number or 0, it.reader.language
    awaiting = table.state.awaiting
    is_asked = awaiting is not None and mine in awaiting.seats
    return {
        "prompt": "" if awaiting is None else words.prompt(
            table.rules, awaiting, viewer=mine, names=values["names"], language=language
        ),
        "ask": ask(it.settings, it.row, table, mine, language=language) if is_asked else None,
        "deadline": deadline(it, table.row, seat) if is_asked else "",
    }  # fmt: skip


def deadline(it: LetterContext, game: Game, seat: SeatRow) -> str:
    """Say until when the reader has to answer, in their time zone."""
    person = it.session.get(Person, seat.person_id)
    people = {} if person is None else {seat.person_id: person}
    dial = clock_view.of(it.session, game, [seat], people, it.now).get(
        seat.number or 0, clock_view.UNTIMED
    )
    return clock_view.in_words(dial, it.now, it.reader.zone, it.reader.language)
