"""Builds the template values of each kind of letter. Only proofs write to the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlmodel import Session, col, func, select

from engine.api import Standing
from pbem.accounts import auth
from pbem.clocks import terms
from pbem.config import Settings
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.letter import Occasion, Reader, Values
from pbem.mail.letters import answers, question, recoveries, seat_letters, timed, told
from pbem.mail.letters.context import Overtaken, about, asked_in, common, seated
from pbem.mail.letters.offers import address_of, plain_ask
from pbem.models import (
    Game,
    Invitation,
    Outbox,
    Person,
    SeatRow,
    SignIn,
    Submission,
    stored_id,
)
from pbem.models.archive import WebHook
from pbem.models.operators import Report
from pbem.play import narration, positions, refusals, results, undo
from pbem.tables import consent, invitations, series

PROPOSED = msgid("%(by)s proposes to go back to before entry %(first)s.")
NOT_AGREED = msgid("%(refused_by)s does not agree to go back to before entry %(first)s.")


def of(
    session: Session,
    row: Outbox,
    reader: Reader,
    settings: Settings,
    now: datetime,
    *,
    others: Sequence[Outbox] = (),
) -> Values:
    """Return the template values of a letter. `others` are the letters merged into it."""
    occasion = Occasion(session, row, reader, settings, now, others)
    return common(occasion) | kinds()[row.kind](occasion)


# ---- proofs of an address, invitations ----------------------------------------------------------


def proof(it: Occasion) -> Values:
    """Draw a link and a code. Only their hashes are stored."""
    asked = it.session.get_one(SignIn, it.row.about_id)
    token, code = auth.issue_secrets(it.session, asked, it.now)
    return {
        "link": f"{it.settings.base_url}/sign-in/{token}",
        "code": code,
        "expires": asked.expires,
    }


def invited(it: Occasion) -> Values:
    """Say who invites the reader to which game, and the number that commits to its chance."""
    invitation = it.session.get_one(Invitation, it.row.invitation_id)
    game = it.session.get_one(Game, invitation.game_id)
    token = invitations.invitation_token(it.settings.keys, invitation)
    host = it.session.get_one(Person, invitation.by_id).name
    values = about(it, game)
    subject = words.gettext("%(host)s invites you to %(game)s", it.reader.language)
    said = subject % {"host": host, "game": values["table_called"]}
    return values | {
        "host": host,
        "ask": plain_ask(address_of(it.settings, it.row), said, ("accept", "decline")),
        "link": f"{it.settings.base_url}/invitations/{token}",
        "joined": joined(it.session, game),
        "expires": game.expires,
        "terms_said": terms.in_words(terms.of(game), it.reader.language),
    }


def joined(session: Session, game: Game) -> list[str]:
    """Return the names of those who have joined an open game."""
    people = select(Person.name).join(SeatRow, col(SeatRow.person_id) == Person.id)
    return list(session.exec(people.where(SeatRow.game_id == game.id).order_by(col(SeatRow.id))))


# ---- games --------------------------------------------------------------------------------------


def turn(it: Occasion) -> Values:
    """Return what the reader is asked in one game, and in the others that share the letter."""
    values, table, seat = seated(it)
    values |= question.put(it, values, table, seat)
    others = [section(it, row) for row in it.others]
    return values | {
        "others": others,
        "shown_entries": {stored_id(it.row): table.row.last_entry}
        | {each["row_id"]: each["entry"] for each in others},
    }


def section(it: Occasion, row: Outbox) -> Values:
    """Return another game's section in a shared letter: all of its own letter but the picture."""
    there = replace(it, row=row)
    values, table, seat = seated(there)
    number = words.gettext("game %(number)s", it.reader.language) % {"number": table.row.id}
    title = f": {table.row.title}" if table.row.title else ""
    return values | question.put(there, values, table, seat, has_picture=False) | {
        "row_id": row.id,
        "heading": f"{values['game_name']}, {number}{title}",
        "address": address_of(it.settings, row),
    }


def started(it: Occasion) -> Values:
    """Say who sits where, whom the game waits for first, and the players' phrases."""
    values, table, seat = seated(it)
    asked = asked_in(it, it.row, table, seat, values)
    phrases = it.session.exec(positions.seats_of(table.row)).all()
    return values | asked | {
        "phrases": [(each.name, each.phrase) for each in phrases if each.phrase],
        "operators": [each.name for each in phrases if each.operator],
        "view": table.rules.observation(table.state, seat.number),
    }


def refused(it: Occasion) -> Values:
    """Say what was wrong with an order, list what would be accepted, and return the refused lines.
    """
    values, table, seat = seated(it)
    sent = it.session.get_one(Submission, it.row.about_id)
    why = refusals.read(sent.refusal or "")
    text = words.refusal(
        table.row.game, why.key, why.rule, why.numbers, it.reader.language, names=values["names"]
    )
    return values | {
        "why": text,
        "rule": why.rule,
        "line": why.line,
        "choices": told.choices(table, seat, why, it.reader.language),
        "draft": (sent.draft or "").splitlines(),
        "played": sent.first_entry is not None,
    }


def finished(it: Occasion) -> Values:
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


def undone(it: Occasion) -> Values:
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
    return values | asked_in(it, it.row, table, seat, values) | {
        "taken": " ".join(lines),
        "was_asked": it.row.person_id in undo.people_told(it.session, table.row, taken),
        "standing": undo.used_ahead(it.session, table.row, seat.person_id, taken),
    }


def proposal(it: Occasion) -> Values:
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


def points_table(values: Values, standings: Sequence[Standing]) -> list[list[Any]]:
    """Return rows of one source each and columns of one seat each, totals last, for plain text."""
    term, letters = values["term"], values["letters"]
    best_first = sorted(standings, key=lambda each: (each.place, each.seat))
    rows = [["", *(letters[each.seat] for each in best_first)]]
    for source in standings[0].by_source:
        rows.append([term(f"source_{source}"), *(each.by_source[source] for each in best_first)])
    return [*rows, [values["total"], *(each.points for each in best_first)]]


def ended(it: Occasion) -> Values:
    """Report a game that ended before it was finished."""
    game = it.session.get_one(Game, it.row.game_id)
    return about(it, game) | {"entry": game.last_entry, "joined": count_of_seats(it, game)}


def count_of_seats(it: Occasion, game: Game) -> int:
    """Return how many had joined."""
    seats = select(func.count()).select_from(SeatRow).where(SeatRow.game_id == game.id)
    return it.session.exec(seats).one()


# ---- answers ------------------------------------------------------------------------------------


def test(it: Occasion) -> Values:
    """Return a letter that only proves that letters arrive."""
    return {"page": f"{it.settings.base_url}/letters"}


def hook_off(it: Occasion) -> Values:
    """Report a web hook that was switched off after too many failures."""
    hook = it.session.get_one(WebHook, it.row.about_id)
    return {"url": hook.url, "why": hook.why, "failures": hook.failures,
            "page": f"{it.settings.base_url}/account/hooks"}


def report(it: Occasion) -> Values:
    """Say what became of the reader's report to the operators."""
    found = it.session.get_one(Report, it.row.about_id)
    return {"report": found, "about": it.session.get_one(Person, found.about_id).name,
            "page": f"{it.settings.base_url}/account"}


@cache
def kinds() -> dict[str, Callable[[Occasion], Values]]:
    """Map each kind of letter to its function.

    Built at first use, because some of these modules import the code that queues letters.
    """
    return {
        "sign_in": proof,
        "second_address": proof,
        "confirm": proof,
        "invited": invited,
        "started": started,
        "take_over": seat_letters.take_over,
        "vote": seat_letters.vote,
        "vacation_over": seat_letters.vacation_over,
        "turn": turn,
        "refused": refused,
        "undone": undone,
        "proposal": proposal,
        "finished": finished,
        "reminder": timed.reminder,
        "overtime": timed.overtime,
        "dropped": timed.overtime,
        "cancelled": ended,
        "expired": ended,
        "receipt": answers.receipt,
        "held": answers.held,
        "test": test,
        "hook_off": hook_off,
        "recover": recoveries.recover,
        "recovery": recoveries.told,
        "recovered": recoveries.recovered,
        "report": report,
    }
