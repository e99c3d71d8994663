"""What each kind of letter says, as values for its templates. Read only, but for the proofs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from engine import registry
from engine.api import Standing
from pbem import auth, words
from pbem.config import Settings
from pbem.games import archive, invitations, load, refusals
from pbem.mail.render import seats_drawn
from pbem.mail.samples import samples
from pbem.mail.truth import Reader, number_in, seat_of
from pbem.models import Game, Invitation, Outbox, Person, SeatRow, SignIn, Submission

Values = dict[str, Any]


@dataclass(frozen=True)
class Occasion:
    """All that a letter can be made of."""

    session: Session
    row: Outbox
    reader: Reader
    settings: Settings
    now: datetime


def of(session: Session, row: Outbox, reader: Reader, settings: Settings, now: datetime) -> Values:
    """The values for the templates of this kind of letter."""
    occasion = Occasion(session, row, reader, settings, now)
    common = {"reader": reader, "now": now, "site": settings.base_url, "kind": row.kind}
    return common | KINDS[row.kind](occasion)


# ---- proofs of an address, invitations ----------------------------------------------------------


def proof(it: Occasion) -> Values:
    """A link and a code, drawn here and stored as hashes only."""
    asked = it.session.get_one(SignIn, number_in(it.row.subject))
    token, code = auth.issue_secrets(it.session, asked, it.now)
    return {
        "link": f"{it.settings.base_url}/sign-in/{token}",
        "code": code,
        "expires": asked.expires,
    }


def invited(it: Occasion) -> Values:
    """Who invites to what, and the number that fixes the game's chance."""
    invitation = it.session.get_one(Invitation, number_in(it.row.subject))
    game = it.session.get_one(Game, invitation.game_id)
    token = invitations.invitation_token(it.settings.secret_key, invitation)
    return about(it, game) | {
        "host": it.session.get_one(Person, invitation.by_id).name,
        "link": f"{it.settings.base_url}/invitations/{token}",
        "joined": joined(it.session, game),
        "expires": game.expires,
    }


def joined(session: Session, game: Game) -> list[str]:
    """The names of those who have joined an open game."""
    people = select(Person.name).join(SeatRow, col(SeatRow.person_id) == Person.id)
    return list(session.exec(people.where(SeatRow.game_id == game.id).order_by(col(SeatRow.id))))


# ---- games --------------------------------------------------------------------------------------


def about(it: Occasion, game: Game) -> Values:
    """A game's name and address, and its words in the reader's language."""
    language = it.reader.language
    url = f"{it.settings.base_url}/games/{game.id}"

    def term(key: str, number: int | None = None) -> str:
        return words.term(game.game, key, language, number)

    return {"game": game, "game_name": term("game_name"), "table_link": url, "term": term}


def seated(it: Occasion) -> tuple[Values, load.Table, SeatRow]:
    """What all letters of a game that runs or ran say, its table, and the reader's seat."""
    game = it.session.get_one(Game, number_in(it.row.subject))
    seat = seat_of(it.session, it.row, game)
    if seat is None or seat.number is None:
        raise LookupError(f"letter {it.row.id} is for nobody at the table of game {game.id}")
    names = archive.names(it.session, game)
    values = about(it, game) | {
        "names": names,
        "letters": words.seat_letters(names),
        "mine": seat.number,
        "SEATS": seats_drawn(registry.game(game.game).seat_colours),
        "entry": game.last_entry,
    }
    return values, load.table(it.session, game), seat


def turn(it: Occasion) -> Values:
    """What is asked, what happened since, what everybody holds, and orders that would do."""
    values, table, seat = seated(it)
    game, mine = table.row, seat.number or 0
    view = table.rules.observation(table.state, mine)
    said = words.Say(words.game_words(game.game, it.reader.language), values["names"])
    return values | {
        "prompt": words.prompt(
            game.game,
            table.state.awaiting,
            viewer=mine,
            names=values["names"],
            language=it.reader.language,
        ),
        "news": archive.since_last_moved(
            it.session, game, seat, it.reader.language, everyone=values["names"]
        ),
        "has_moved": seat.moved_at > 0,
        "view": view,
        "shown": table.rules.page(view, None),
        "say": said.value,
        "samples": samples(table.rules, table.state, mine),
    }


def started(it: Occasion) -> Values:
    """Who sits where, whom the game waits for first, and the players' phrases."""
    values, table, seat = seated(it)
    phrases = it.session.exec(load.seats_of(table.row)).all()
    return values | {
        "prompt": words.prompt(
            table.row.game,
            table.state.awaiting,
            viewer=seat.number,
            names=values["names"],
            language=it.reader.language,
        ),
        "phrases": [(each.name, each.phrase) for each in phrases if each.phrase],
        "view": table.rules.observation(table.state, seat.number),
    }


def refused(it: Occasion) -> Values:
    """What was wrong with an order, what would be accepted, and the lines that came back."""
    values, table, _ = seated(it)
    sent = it.session.get_one(Submission, int(it.row.occasion))
    why = refusals.read(sent.refusal or "")
    text = words.refusal(
        table.row.game, why.key, why.rule, why.numbers, it.reader.language, names=values["names"]
    )
    return values | {
        "why": text,
        "rule": why.rule,
        "line": why.line,
        "choices": why.choices,
        "draft": (sent.draft or "").splitlines(),
        "played": sent.first_entry is not None,
    }


def finished(it: Occasion) -> Values:
    """The final score of each player, by source, and where the record is."""
    values, table, _ = seated(it)
    standings = table.rules.returns(table.state)
    values["total"] = words.gettext("Total", it.reader.language)
    return values | {
        "standings": sorted(standings, key=lambda each: (each.place, each.seat)),
        "sources": list(standings[0].by_source),
        "points": points_table(values, standings),
        "record_link": f"{values['table_link']}/record",
    }


def points_table(values: Values, standings: Sequence[Standing]) -> list[list[Any]]:
    """Rows of one source each, columns of one seat each, the totals last; for the plain text."""
    term, letters = values["term"], values["letters"]
    best_first = sorted(standings, key=lambda each: (each.place, each.seat))
    rows = [["", *(letters[each.seat] for each in best_first)]]
    for source in standings[0].by_source:
        rows.append([term(f"source_{source}"), *(each.by_source[source] for each in best_first)])
    return [*rows, [values["total"], *(each.points for each in best_first)]]


def ended(it: Occasion) -> Values:
    """A game that ended before it was played to its end."""
    game = it.session.get_one(Game, number_in(it.row.subject))
    return about(it, game) | {"entry": game.last_entry, "joined": count_of_seats(it, game)}


def count_of_seats(it: Occasion, game: Game) -> int:
    """How many had joined."""
    seats = select(func.count()).select_from(SeatRow).where(SeatRow.game_id == game.id)
    return it.session.exec(seats).one()


KINDS: dict[str, Callable[[Occasion], Values]] = {
    "sign_in": proof,
    "second_address": proof,
    "invited": invited,
    "started": started,
    "turn": turn,
    "refused": refused,
    "finished": finished,
    "cancelled": ended,
    "expired": ended,
}
