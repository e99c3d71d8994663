"""Letters about a game: it has begun or ended, orders were undone, or somebody proposes that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlmodel import func, select

from engine.api import Standing
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.letter import DueLetter, LetterContext, LetterKind, Overtaken, Values
from pbem.mail.letters.context import about, asked_in, seated
from pbem.models import Game, GameState, SeatRow, Vote
from pbem.play import narration, positions, results, undo
from pbem.tables import consent, series

PROPOSED = msgid("%(by)s proposes to go back to before entry %(first)s.")
NOT_AGREED = msgid("%(refused_by)s does not agree to go back to before entry %(first)s.")


def is_begun(it: DueLetter) -> bool:
    """Return whether the game runs and its reader still holds a seat: it shows what they see."""
    return it.row.seat_in_play is not None


def started(it: LetterContext) -> Values:
    """Say who sits where, whom the game waits for first, and the players' phrases."""
    values, table, seat = seated(it)
    asked = asked_in(it, table, seat, values)
    phrases = it.session.exec(positions.seats_of(table.row)).all()
    return values | asked | {
        "phrases": [(each.name, each.phrase) for each in phrases if each.phrase],
        "operators": [each.name for each in phrases if each.operator],
        "view": table.rules.observation(table.state, seat.number),
    }


STARTED = LetterKind(
    "started", msgid("The game has begun"), is_begun, started, takes_orders=True,
    can_repeat=True,
)  # fmt: skip


# ---- the end ------------------------------------------------------------------------------------


def is_finished(it: DueLetter) -> bool:
    """Return whether the game is finished and its reader has a seat in it."""
    game = it.row.game
    return it.row.seat is not None and game is not None and game.state == GameState.FINISHED


def finished(it: LetterContext) -> Values:
    """Return each player's final score by source, and where the record is."""
    values, table, seat = seated(it)
    standings = results.standings(it.session, table)
    values["total"] = words.gettext("Total", it.reader.language)
    return values | {
        "standings": sorted(standings, key=lambda each: (each.place, each.seat)),
        "sources": list(standings[0].by_source),
        "points": points_table(values, standings),
        "record_link": f"{values['table_link']}/record",
        "has_rematch": (series.may_have_rematch(table.row, seat)
                        and not series.has_next_game(it.session, table.row)),
    }


def points_table(values: Values, standings: Sequence[Standing]) -> list[list[Any]]:
    """Return rows of one source each and columns of one seat each, totals last, for plain text."""
    term, letters = values["term"], values["letters"]
    best_first = sorted(standings, key=lambda each: (each.place, each.seat))
    rows = [["", *(letters[each.seat] for each in best_first)]]
    for source in standings[0].by_source:
        rows.append([term(f"source_{source}"), *(each.by_source[source] for each in best_first)])
    return [*rows, [values["total"], *(each.points for each in best_first)]]


FINISHED = LetterKind("finished", msgid("The game is over"), is_finished, finished, can_repeat=True)


def is_cancelled(it: DueLetter) -> bool:
    """Return whether the game was cancelled. People who had left it are told too."""
    return it.row.game is not None and it.row.game.state == GameState.CANCELLED


def has_expired(it: DueLetter) -> bool:
    """Return whether the game ended because too few had joined."""
    return it.row.game is not None and it.row.game.state == GameState.EXPIRED


def ended(it: LetterContext) -> Values:
    """Report a game that ended before it was finished."""
    game = it.session.get_one(Game, it.row.game_id)
    joined = select(func.count()).select_from(SeatRow).where(SeatRow.game_id == game.id)
    return about(it, game) | {"entry": game.last_entry, "joined": it.session.exec(joined).one()}


CANCELLED = LetterKind(
    "cancelled", msgid("The game was cancelled"), is_cancelled, ended, can_repeat=True)
EXPIRED = LetterKind(
    "expired", msgid("The game ended without a start"), has_expired, ended, can_repeat=True)


# ---- going back ----------------------------------------------------------------------------------


def is_untold(it: DueLetter) -> bool:
    """Return whether no newer question tells of the undo: a player asked since reads it there."""
    seat = it.row.seat_in_play
    return seat is not None and (seat.asked_since or 0) < (it.row.entry or 0)


def undone(it: LetterContext) -> Values:
    """Say who has undone orders that the reader had a letter about, and what is asked now."""
    values, table, seat = seated(it)
    number = it.row.entry or 0
    entries = positions.entries(it.session, table.row, number, number)
    lines = [
        line.text for entry in entries for line in narration.told(
            table.rules, entry, entry.events, viewer=seat.number, names=values["names"],
            language=it.reader.language)
    ]
    taken = range(entries[0].base + 1, number)
    return values | asked_in(it, table, seat, values) | {
        "taken": " ".join(lines),
        "was_asked": it.row.person_id in undo.people_told(it.session, table.row, taken),
        "used_ahead": undo.used_ahead(it.session, table.row, seat.person_id, taken),
    }


UNDONE = LetterKind("undone", msgid("Orders that were taken back"), is_untold, undone)


# ---- proposals ----------------------------------------------------------------------------------


def is_proposed(it: DueLetter) -> bool:
    """Return whether a proposal waits for this player's answer, or their own one was declined.

    Whether it can still be carried out is checked when the letter is built.
    """
    made, seat = it.session.get(Vote, it.row.about_id), it.row.seat_in_play
    if made is None or seat is None:
        return False
    votes = select(Vote).where(Vote.game_id == made.game_id, Vote.about == made.about)
    answers = {vote.person_id: vote.answer for vote in it.session.exec(votes)}
    is_refused = "no" in answers.values()
    if made.person_id == seat.person_id:
        return is_refused and answers[made.person_id] == "yes"
    return not is_refused and seat.person_id not in answers


def proposal(it: LetterContext) -> Values:
    """Say who proposes to undo what, or who has declined the reader's proposal."""
    values, table, seat = seated(it)
    found = consent.latest(it.session, table.row)
    if found is None or found.id != it.row.about_id or not consent.is_possible(
            it.session, table.row, found, it.now):
        raise Overtaken
    shown = consent.view_of(it.session, table.row, found)
    lines = consent.lines(it.session, table, found, viewer=seat.number, names=values["names"],
                          language=it.reader.language)
    return values | {
        "lead": words.gettext(PROPOSED if shown.refused_by is None else NOT_AGREED,
                              it.reader.language) % asdict(shown),
        "proposal": shown,
        "lines": lines[:consent.MOST_LISTED],
        "unlisted": len(lines[consent.MOST_LISTED:]),
        "until": found.until,
    }


PROPOSAL = LetterKind(
    "proposal", msgid("A proposal to take entries back"), is_proposed, proposal)
