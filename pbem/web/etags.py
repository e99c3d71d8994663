"""Whether the reader has this very page already, told without building it.

A tag is a keyed hash of what the page is made of: entry numbers and versions of what the reader may
see himself, never a state or its hash, so that two tags tell nothing that two pages would not.
Whatever else a page comes to show has to be named here (a deadline's time left, for example).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy
from flask import g, make_response, request, session
from sqlmodel import col, func, select
from werkzeug.wrappers import Response

from pbem.models import Chat, Game, GameState, PastHolder, Person, SeatRow, Submission, Vote
from pbem.models.archive import Verification
from pbem.play import orders_ahead, rotation, seat_history, undo
from pbem.tables import blocks, chat, consent, lists, notes, players, series, vacation
from pbem.web import context, shelf
from pbem.web.account import recovery
from pbem.web.table import clocks

if TYPE_CHECKING:
    from pbem.web.table.page import Desk

ROOT = Path(__file__).parents[2]
SHOWN = ("templates", "pbem", "engine")
PERSON = ("id", "name", "address", "language", "zone", "letters", "suppressed", "awake", "holidays",
          "operator")
SEAT = ("number", "name", "resigned", "left", "played_by", "place", "points", "operator")
OWN = ("letters", "asked_since", "moved_at", "agrees_to_cancel")
VISITORS_KEEP = 60  # seconds in which somebody who only looks need not ask again


def called_anew(person: Any) -> Any:
    """A number that changes when a person loses his name in all his games: he leaves for good, or
    an operator takes it."""
    is_gone = sqlalchemy.case((person.suppressed == "gone", 1), else_=0)
    until = sqlalchemy.cast(person.name_stays_until, sqlalchemy.BigInteger)
    return is_gone + func.coalesce(until, 0)


# A finished game's pages change for visitors by talk, by a check and by farewells alone.
_talk = col(Chat.game_id) == col(Game.id)
_seated = (col(SeatRow.game_id) == col(Game.id)) & (col(SeatRow.person_id) == col(Person.id))
_sat = (col(PastHolder.game_id) == col(Game.id)) & (col(PastHolder.person_id) == col(Person.id))
_spoke = col(Chat.person_id) == col(Person.id)
_SHELVED = (
    sqlalchemy.select(
        col(Game.state), col(Game.private), col(Game.last_entry), col(Game.ended),
        sqlalchemy.select(func.max(col(Chat.id))).where(_talk).scalar_subquery(),
        sqlalchemy.select(func.count()).select_from(Chat).where(_talk).scalar_subquery(),
        sqlalchemy.select(func.count(col(Chat.removed))).where(_talk).scalar_subquery(),
        sqlalchemy.select(func.sum(called_anew(Person))).where(_sat).scalar_subquery(),
        sqlalchemy.select(func.sum(called_anew(Person))).where(_seated).scalar_subquery(),
        sqlalchemy.select(func.sum(called_anew(Person)))
        .where(_talk, _spoke).scalar_subquery(),
        col(Verification.at), col(Verification.broken_at),
    )
    .join_from(Game, Verification, col(Verification.game_id) == col(Game.id), isouter=True)
    .where(col(Game.id) == sqlalchemy.bindparam("game"))
)  # fmt: skip


_VOTED = sqlalchemy.select(func.count(), func.max(col(Vote.at))).where(
    col(Vote.game_id) == sqlalchemy.bindparam("game"))
_SENT = (
    sqlalchemy.select(col(Submission.id), col(Submission.state), col(Submission.decided))
    .where(
        col(Submission.game_id) == sqlalchemy.bindparam("game"),
        col(Submission.seat) == sqlalchemy.bindparam("seat"),
        col(Submission.person_id) == sqlalchemy.bindparam("person"),
    )
    .order_by(col(Submission.id).desc()).limit(1)
)  # fmt: skip


def shelved(game_id: int, number: int | None = None) -> Response | None:
    """The answer to a visitor where this page of a finished game is kept, by him or by us.

    It costs one statement: what is read most is found in most caches. None for all others.
    """
    if request.cookies:
        return None
    g.shelf_tag = tag = shelf_tag(game_id, number)
    if tag is None:
        return None
    if request.if_none_match.contains_weak(tag):
        return kept_by_all(make_response("", 304), tag)
    page = shelf.shelf().get(tag)
    return None if page is None else kept_by_all(make_response(page), tag)


def shelf_tag(game_id: int, number: int | None) -> str | None:
    """The tag of a page of a finished game for whoever is not signed in; None if it has none."""
    found = context.reading().execute(_SHELVED, {"game": game_id}).first()
    if found is None or found.state != GameState.FINISHED or found.private:
        return None
    at = found.last_entry if number is None else number
    return hashed([game_id, at, request.query_string, context.language(), *found])


def kept_by_all(answer: Response, tag: str) -> Response:
    """A page that shared caches may keep for a while."""
    answer.set_etag(tag, weak=True)
    answer.headers["Cache-Control"] = f"public, max-age={VISITORS_KEEP}"
    answer.headers["Vary"] = "Cookie, Accept-Language"
    return answer


def page(desk: Desk, build: Callable[[], str]) -> Response:
    """The page as `build` makes it, or 304 for who has it already."""
    if not request.cookies:
        return visitors_page(desk, build)
    if "_flashes" in session:  # what is said once is not kept
        return kept_by_one(make_response(build()), None)
    parts = made_of(desk)
    if request.if_none_match.contains_weak(tag := signed(parts)):
        return kept_by_one(make_response("", 304), tag)
    answer = make_response(build())
    # Only now: the forms of the page may have needed a secret first.
    return kept_by_one(answer, signed(parts))


def visitors_page(desk: Desk, build: Callable[[], str]) -> Response:
    """The page for whoever is not signed in: built once for all of them."""
    shared = g.get("shelf_tag")
    keep, tag = (kept_by_all, shared) if shared else (kept_by_one, tag_of(desk))
    if request.if_none_match.contains_weak(tag):
        return keep(make_response("", 304), tag)
    return keep(make_response(shelf.kept(tag, build)), tag)


def kept_by_one(answer: Response, tag: str | None) -> Response:
    """A page for one reader: the browser asks again each time."""
    if tag is not None:
        answer.set_etag(tag, weak=True)
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["Vary"] = "Cookie, Accept-Language"
    return answer


def tag_of(desk: Desk) -> str:
    """The tag of the page as it would be built now."""
    return signed(made_of(desk))


def signed(parts: list[Any]) -> str:
    """The tag of what a page is made of, for a browser with this secret of its forms."""
    return hashed(parts if context.person() is None else [*parts, form_secret()])


def hashed(parts: list[Any]) -> str:
    """A tag that says nothing to who has not the service's secret."""
    said = repr([release(), *parts]).encode()
    return context.service().settings.keys.signed(said, lambda proof: proof.hex()[:32])


def made_of(desk: Desk) -> list[Any]:
    """All that the page depends on, but for the secret of its forms."""
    row, person = desk.row, context.person()
    parts: list[Any] = [
        request.query_string, context.language(),
        row.id, desk.number, row.last_entry, row.state, row.title, row.ended,
        [values(seat, SEAT) for seat in desk.sitting.seats],
    ]  # fmt: skip
    if desk.is_present:
        parts.append(talk(desk))
    if row.state != GameState.RUNNING:
        parts += [verified(desk), *next_game(desk)]
    elif desk.is_present:
        parts += of_company(desk)
        parts.append(clocks.said(desk))  # with the time that is left: by the minute
    if any(seat.resigned or seat.holds_from for seat in desk.sitting.seats):
        parts.append([(one.seat, one.name, one.until) for one in seat_history.past(
            context.reading(), row.id)])
    if person is not None:
        parts += [values(person, PERSON), *own_parts(desk)]
    return parts


def of_company(desk: Desk) -> list[Any]:
    """What the present page shows of who is away, or does not answer."""
    reading, seats, now = context.reading(), desk.sitting.seats, context.service().clock.now()
    return [vacation.away(reading, seats, now), vacation.coming(reading, seats, now),
            desk.row.paused, reading.execute(_VOTED, {"game": desk.row.id}).one()]


def own_parts(desk: Desk) -> list[Any]:
    """What only this reader's page shows."""
    reading, own, person = context.reading(), desk.sitting.own, context.person()
    assert person is not None and person.id is not None  # noqa: S101
    parts: list[Any] = [
        lists.waiting(reading, person.id), notes.version(reading, desk.row, person),
        sorted(blocks.blocked_by(reading, person.id)), recovery.own() is not None,
    ]  # fmt: skip
    if own is not None and desk.row.state == GameState.RUNNING:
        parts += [values(own, OWN), sent(desk), undo.others_wait(reading, own),
                  consent.version(reading, desk.row, context.service().clock.now()),
                  orders_ahead.version(reading, own)]
    return parts


def talk(desk: Desk) -> Any:
    """Changes with every line of talk the reader may read, and when one or its speaker goes."""
    lines = chat.readable(desk.row, desk.sitting.own)
    found = select(func.count(), func.max(Chat.id), func.count(col(Chat.removed))).where(*lines)
    renamed = select(func.sum(called_anew(Person))).where(*lines, Chat.person_id == Person.id)
    return *context.reading().exec(found).one(), context.reading().exec(renamed).one()


def sent(desk: Desk) -> Any:
    """Changes when the reader sends orders and when something becomes of them."""
    own = desk.sitting.own
    assert own is not None  # noqa: S101
    return context.reading().execute(_SENT, players.whose(own)).first()


def verified(desk: Desk) -> Any:
    """When a finished game was last checked."""
    found = context.reading().get(Verification, desk.row.id)
    return None if found is None else (found.at, found.release, found.broken_at)


def next_game(desk: Desk) -> list[Any]:
    """What follows a finished game: its rematch, or whether its series goes on."""
    reading, row = context.reading(), desk.row
    rematch = rotation.rematch_of(reading, row.id or 0)
    return [None if rematch is None else (rematch.id, rematch.state), series.follows(reading, row)]


def form_secret() -> str | None:
    """What the page's forms are checked against: a kept page must not outlive it."""
    secret: str | None = session.get("csrf_token")
    return secret


def values(row: Any, names: tuple[str, ...]) -> list[Any]:
    """The named fields."""
    return [getattr(row, name) for name in names]


@cache
def release() -> str:
    """Changes with every template, text, style and word of this release; read once a process."""
    found = hashlib.sha256()
    for path in shown():
        found.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def shown() -> Iterator[Path]:
    """The files of which pages are made: programs, texts, styles."""
    for folder in SHOWN:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                yield path
