"""Whether the reader has this very page already, told without building it.

A tag is a keyed hash of what the page is made of: entry numbers and versions of what the reader may
see himself, never a state or its hash, so that two tags tell nothing that two pages would not.
Whatever else a page comes to show has to be named here (a deadline's time left, for example).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import make_response, request, session
from sqlmodel import col, func, select
from werkzeug.wrappers import Response

from pbem.games import chat, lists, notes, undo, vacation
from pbem.models import Chat, GameState, Submission
from pbem.models_archive import Verification
from pbem.web import current

if TYPE_CHECKING:
    from pbem.web.table import Desk

ROOT = Path(__file__).parents[2]
SHOWN = ("templates", "pbem/translations", "pbem/static", "pbem/web", "engine")
PERSON = ("id", "name", "address", "language", "zone", "letters", "suppressed", "vacation_from",
          "vacation_until")  # fmt: skip
SEAT = ("number", "name", "resigned", "place", "points")
OWN = ("letters", "asked_since", "moved_at", "agrees_to_cancel")
VISITORS_KEEP = 60  # seconds in which somebody who only looks need not ask again


def page(desk: Desk, build: Callable[[], str]) -> Response:
    """The page as `build` makes it, or 304 for who has it already."""
    passes = "_flashes" in session  # what is said once is not kept
    if not passes and request.if_none_match.contains_weak(tag := tag_of(desk)):
        return labelled(make_response("", 304), desk, tag)
    answer = make_response(build())
    # Only now: the forms of the page may have needed a secret first.
    return labelled(answer, desk, None if passes else tag_of(desk))


def labelled(answer: Response, desk: Desk, tag: str | None) -> Response:
    """An answer with its tag, and who may keep it for how long."""
    if tag is not None:
        answer.set_etag(tag, weak=True)
    is_public = current.person() is None and desk.row.state == GameState.FINISHED
    keeps = f"public, max-age={VISITORS_KEEP}" if is_public and tag else "private, no-cache"
    answer.headers["Cache-Control"] = keeps
    answer.headers["Vary"] = "Cookie, Accept-Language"
    return answer


def tag_of(desk: Desk) -> str:
    """The tag of the page as it would be built now."""
    key = current.service().settings.secret_key
    return hmac.new(key, repr(made_of(desk)).encode(), hashlib.sha256).hexdigest()[:32]


def made_of(desk: Desk) -> list[Any]:
    """All that the page depends on."""
    row, person = desk.row, current.person()
    parts: list[Any] = [
        release(), request.query_string, current.language(),
        row.id, desk.number, row.last_entry, row.state, row.title, row.ended,
        [values(seat, SEAT) for seat in desk.sitting.seats],
    ]  # fmt: skip
    if desk.is_present:
        parts.append(talk(desk))
    if row.state != GameState.RUNNING:
        parts.append(verified(desk))
    elif desk.is_present:
        parts.append(vacation.away(current.reading(), desk.sitting.seats,
                                   current.service().clock.now()))
    if person is not None:
        parts += [values(person, PERSON), form_secret(), *own_parts(desk)]
    return parts


def own_parts(desk: Desk) -> list[Any]:
    """What only this reader's page shows."""
    reading, own, person = current.reading(), desk.sitting.own, current.person()
    assert person is not None and person.id is not None  # noqa: S101
    parts: list[Any] = [lists.waiting(reading, person.id), notes.version(reading, desk.row, person)]
    if own is not None and desk.row.state == GameState.RUNNING:
        parts += [values(own, OWN), sent(desk), undo.others_wait(reading, own)]
    return parts


def talk(desk: Desk) -> Any:
    """Changes with every line of talk that the reader may read, and when one goes."""
    lines = chat.readable(desk.row, desk.sitting.own)
    found = select(func.count(), func.max(Chat.id), func.max(Chat.name)).where(*lines)
    return tuple(current.reading().exec(found).one())


def sent(desk: Desk) -> Any:
    """Changes when the reader sends orders and when something becomes of them."""
    own = desk.sitting.own
    assert own is not None  # noqa: S101
    newest = (
        select(Submission.id, Submission.state, Submission.decided)
        .where(Submission.game_id == own.game_id, Submission.seat == own.number)
        .order_by(col(Submission.id).desc()).limit(1)
    )  # fmt: skip
    return current.reading().exec(newest).first()


def verified(desk: Desk) -> Any:
    """When a finished game was last checked."""
    found = current.reading().get(Verification, desk.row.id)
    return None if found is None else (found.at, found.release, found.broken_at)


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
    for folder in SHOWN:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                found.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
