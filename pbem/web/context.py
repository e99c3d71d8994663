"""What belongs to the request in hand: the service, its sessions, who asks, in which language."""

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
KNOWN = "carreira_known"  # signed: who was signed in here before
BROWSER = "carreira_browser"  # tells the browser that asked for a sign-in from another one


def service() -> Service:
    """The service that this app was built for."""
    return cast("Service", current_app.extensions[EXTENSION])


def usual_delay() -> timedelta:
    """How long a turn's letter waits where nobody wishes anything else."""
    return timedelta(seconds=service().settings.letter_delay)


def reading() -> Session:
    """This request's reading session, closed when the request is over."""
    session: Session | None = g.get("reading")
    if session is None:
        session = g.reading = service().reading_session()
    return session


def streamed(pieces: Callable[[Session], Iterator[P]]) -> Iterator[P]:
    """The pieces of a long answer, read by a session of their own.

    They leave when the request is over, and with it its sessions: one used again stays open.
    """
    here = service()

    def read() -> Iterator[P]:
        with here.reading() as session:
            yield from pieces(session)

    return read()


def writing() -> Session:
    """This request's writing session; commits are the route's, closed when the request is over."""
    session: Session | None = g.get("writing")
    if session is None:
        session = g.writing = service().writing_session()
    return session


def signed_in() -> tuple[WebSession, Person] | None:
    """The signed-in browser that asks and whose it is, looked up once a request."""
    if "signed_in" not in g:
        cookie = request.cookies.get(COOKIE)
        now = service().clock.now()
        g.signed_in = auth.signed_in(reading(), cookie, now) if cookie else None
    return cast("tuple[WebSession, Person] | None", g.signed_in)


def web_session() -> WebSession | None:
    """The signed-in browser that asks."""
    found = signed_in()
    return None if found is None else found[0]


def person() -> Person | None:
    """Who asks, if signed in or known otherwise; as the reading session found them."""
    if "asking" in g:
        return cast("Person | None", g.asking)
    found = signed_in()
    return None if found is None else found[1]


def asks(who: Person | None) -> None:
    """This request is somebody's, or nobody's, whatever cookies come with it."""
    g.signed_in = None
    g.asking = who
    g.pop("language", None)


def language() -> str:
    """The person's language, else the one of ours that the browser likes best, else English."""
    known: str | None = g.get("language")  # each text of a page asks
    if known is None:
        reader = person()
        liked = None if reader is not None else request.accept_languages.best_match(LANGUAGES)
        known = g.language = (liked or "en") if reader is None else reader.language
    return known


def close(_problem: BaseException | None = None) -> None:
    """Close this request's sessions; what was not committed is undone."""
    for name in ("writing", "reading"):
        session = g.pop(name, None)
        if session is None:
            continue
        try:
            session.close()
        except db.AWAY:  # the server has undone everything itself, and the answer is made
            session.invalidate()


def bind(app: Flask, to: Service) -> None:
    """Give an app its service."""
    app.extensions[EXTENSION] = to
    app.teardown_appcontext(close)
