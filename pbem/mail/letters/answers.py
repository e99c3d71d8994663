"""Builds the answers to letters that came in, and the next question to their writers."""

from __future__ import annotations

from pbem.mail.letter import Occasion, Values
from pbem.mail.letters import question, told
from pbem.mail.letters.context import about, asked_in, seated
from pbem.mail.letters.offers import ahead_in, offered_below
from pbem.mail.letters.truth import seat_at
from pbem.models import Game, GameState, Inbound
from pbem.play.receipts import notes_of

NOTHING_ASKED: Values = {"ask": None, "prompt": "", "deadline": ""}


def receipt(it: Occasion) -> Values:
    """Say how a letter was read, what it did, and what its sender is asked next."""
    inbound = it.session.get_one(Inbound, it.row.about_id)
    values = told.receipt(it.session, inbound, it.reader.language)
    values["offered_below"] = offered_below
    if not is_at_table(it):
        return values | of_its_game(it) | NOTHING_ASKED | {"can_undo": False}
    at_table, table, seat = seated(it)
    done = told.of_game(
        it.session, inbound, table, seat, names=at_table["names"], language=it.reader.language
    )
    return values | done | next_asked(it)


def held(it: Occasion) -> Values:
    """Ask the sender to confirm a held letter on a page."""
    inbound = it.session.get_one(Inbound, it.row.about_id)
    said = notes_of(inbound)
    values = {
        "lines": said.lines,
        "doubt": told.doubt(said, it.reader.language),
        "link": f"{it.settings.base_url}/held/{inbound.id}",
    }
    return values | (next_asked(it) if is_at_table(it) else of_its_game(it) | NOTHING_ASKED)


def next_asked(it: Occasion) -> Values:
    """Describe the reader's game, with everything of a turn letter if they are asked."""
    values, table, seat = seated(it)
    if table.row.state != GameState.RUNNING or seat.resigned is not None:
        return values | NOTHING_ASKED
    asked = asked_in(it, it.row, table, seat, values)
    if asked["ask"] is not None:
        return values | question.put(it, values, table, seat)
    return values | asked | ahead_in(it, it.row, table, seat, values["names"])


def is_at_table(it: Occasion) -> bool:
    """Return whether a letter is about a game in which its reader still has a seat."""
    return it.row.game_id is not None and seat_at(it.session, it.row) is not None


def of_its_game(it: Occasion) -> Values:
    """Name the game that a letter is about, for a reader who has no seat there (any more)."""
    if it.row.game_id is None:
        return {}
    return about(it, it.session.get_one(Game, it.row.game_id))
