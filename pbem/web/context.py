"""Gives a request its service, database sessions, signed-in person and language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TypeVar, cast

from flask import Flask, current_app, g, request
from sqlmodel import Session

from pbem import db
from pbem.accounts import auth
from pbem.i18n.words import LANGUAGES
from pbem.models import Person, WebSession
from pbem.service import Service

P = TypeVar("P", str, bytes)

EXTENSION = "carreira"
COOKIE = "carreira_session"  # holds the secret whose hash is WebSession.id
KNOWN = "carreira_known"  # signed: the person who was signed in here before
BROWSER = "carreira_browser"  # identifies the browser that asked for a sign-in letter


# Where a guest is somebody: their lessons. Everywhere else they are a visitor.
FOR_GUESTS = frozenset({
    "lobby.game", "table.at_entry", "newest.newest", "orders.send_orders", "orders.preview_orders",
    "seat.undo", "quick_start.learn", "quick_start.begin_to_learn", "quick_start.anew"})


def service() -> Service:
    """Return the service that this app was built for."""
    return cast("Service", current_app.extensions[EXTENSION])


def usual_delay() -> timedelta:
    """Return how long a turn's letter waits if the player has set no preference."""
    return timedelta(seconds=service().settings.letter_delay)


def reading() -> Session:
    """Return this request's reading session; it closes when the request ends."""
    session: Session | None = g.get("reading")
    if session is None:
        session = g.reading = service().reading_session()
    return session


def streamed(pieces: Callable[[Session], Iterator[P]]) -> Iterator[P]:
    """Yield the pieces of a long answer, read in a session of their own.

    The pieces are sent after the request and its sessions have ended. A request's session used then
    would never be closed.
    """
    here = service()

    def read() -> Iterator[P]:
        with here.reading() as session:
            yield from pieces(session)

    return read()


def writing() -> Session:
    """Return this request's writing session; routes commit, and it closes when the request ends."""
    session: Session | None = g.get("writing")
    if session is None:
        session = g.writing = service().writing_session()
    return session


def signed_in() -> tuple[WebSession, Person] | None:
    """Return the browser session and its person, looked up once a request; None if signed out."""
    if "signed_in" not in g:
        cookie = request.cookies.get(COOKIE)
        now = service().clock.now()
        found = auth.signed_in(reading(), cookie, now) if cookie else None
        if found is not None and found[1].is_guest and request.endpoint not in FOR_GUESTS:
            found = None
        g.signed_in = found
    return cast("tuple[WebSession, Person] | None", g.signed_in)


def person() -> Person | None:
    """Return the person who asks, as the reading session loaded them; None for visitors."""
    if "asking" in g:
        return cast("Person | None", g.asking)
    found = signed_in()
    return None if found is None else found[1]


def asks(who: Person | None) -> None:
    """Set the person who asks (None for nobody), whatever the cookies say."""
    g.signed_in = None
    g.asking = who
    g.pop("language", None)


def language() -> str:
    """Return the person's language, else the browser's preferred one of ours, else English."""
    known: str | None = g.get("language")  # kept, as every text of a page asks for it
    if known is None:
        reader = person()
        liked = None if reader is not None else request.accept_languages.best_match(LANGUAGES)
        known = g.language = (liked or "en") if reader is None else reader.language
    return known


def close(_problem: BaseException | None = None) -> None:
    """Close this request's sessions; uncommitted changes are rolled back."""
    for name in ("writing", "reading"):
        session = g.pop(name, None)
        if session is None:
            continue
        try:
            session.close()
        except db.AWAY:  # the server has rolled back already, and the answer is made
            session.invalidate()


def bind(app: Flask, to: Service) -> None:
    """Give the app its service, and close the sessions after each request."""
    app.extensions[EXTENSION] = to
    app.teardown_appcontext(close)
