"""Asks one route as somebody, says what became of it, and undoes what it has done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask, message_flashed
from flask.testing import FlaskClient
from sqlalchemy import Connection, event
from sqlmodel import Session
from werkzeug.routing import Rule

from pbem.service import Service
from pbem.web import limits
from pbem.web.app import build
from pbem.web.context import COOKIE
from tests.conftest import Enqueuer
from tests.support.ways import BODIES, FORMS, NUMBERS, QUERIES, USUAL

# Bookkeeping that no answer is about: when somebody was here last, and what was counted.
UNASKED = re.compile(r'UPDATE (seat SET looked_at|web_?session SET|api_?token SET used)|'
                     r'INSERT INTO (count|web_?session)|DELETE FROM "?count', re.IGNORECASE)
WRITES = re.compile(r"(INSERT|UPDATE|DELETE)\b", re.IGNORECASE)


class Undone(Service):
    """A service whose commits are seen by its own writing sessions alone, and are taken back."""

    @classmethod
    def of(cls, service: Service) -> Undone:
        """The same database and time."""
        return cls(service.settings, service.engine, service.clock)

    def writing_session(self) -> Session:
        """A session within the transaction that is taken back."""
        return Session(self.__dict__["line"], expire_on_commit=False,
                       join_transaction_mode="create_savepoint")

    @contextmanager
    def undone(self) -> Iterator[list[str]]:
        """Take back what happens within; the statements that would have stayed."""
        with self.engine.connect() as line, line.begin() as all_of_it:
            self.__dict__["line"] = line
            yield from watched(line)
            all_of_it.rollback()


def watched(line: Connection) -> Iterator[list[str]]:
    """The writing statements between savepoints that were kept."""
    kept: list[str] = []
    open_ones: list[str] = []

    def statement(_c: Any, cursor: Any, text: str, *_rest: Any) -> None:
        if WRITES.match(text) and not UNASKED.match(text) and cursor.rowcount:
            open_ones.append(text)

    def release(_c: Any, *_rest: Any) -> None:
        kept.extend(open_ones)
        open_ones.clear()

    def rollback(_c: Any, *_rest: Any) -> None:
        open_ones.clear()

    event.listen(line, "after_cursor_execute", statement)
    event.listen(line, "release_savepoint", release)
    event.listen(line, "rollback_savepoint", rollback)
    yield kept


def undoing_app(service: Service) -> tuple[Flask, Undone]:
    """The pages on a service that takes back, without forms' tokens and without limits."""
    undone = Undone.of(service)
    app = build(undone)
    app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
    app.extensions["carreira_enqueuer"] = Enqueuer()
    app.extensions[limits.EXTENSION].is_counting = False
    return app, undone


# ---- what is asked ------------------------------------------------------------------------------


def path_of(rule: Rule, facts: dict[str, Any], game_id: int) -> str:
    """The rule's address with something that is there in all its places."""
    own = NUMBERS.get(rule.endpoint, {})

    def filled(place: re.Match[str]) -> str:
        name = place[1]
        if name == "game_id":
            return str(game_id)
        return str(facts[own.get(name) or USUAL[name]])

    path = re.sub(r"<(?:\w+:)?(\w+)>", filled, rule.rule)
    return path + QUERIES.get(rule.endpoint, "")


def content(method: str, rule: Rule, facts: dict[str, Any]) -> dict[str, Any]:
    """What is sent to a route along with its address."""
    if method == "GET":
        return {}
    if rule.endpoint in BODIES:
        return {"json": BODIES[rule.endpoint]}
    given = FORMS.get(rule.endpoint, {"why": "because", "token": "t" * 12})
    return {"data": {name: value.format(**facts) for name, value in given.items()}}


def entered(app: Flask, cookie: str | None) -> FlaskClient:
    """A new browser, signed in by this cookie."""
    client = app.test_client()
    if cookie is not None:
        client.set_cookie(COOKIE, cookie)
    return client


# ---- what became of it --------------------------------------------------------------------------


@contextmanager
def said(app: Flask) -> Iterator[list[str]]:
    """The kinds of what is flashed within."""
    kinds: list[str] = []

    def heard(_app: Any, message: str, category: str, **_more: Any) -> None:
        kinds.append(category)

    with message_flashed.connected_to(heard, app):
        yield kinds


def became(answer: Any, kinds: list[str], method: str, *, has_written: bool) -> str:
    """What an answer amounts to, as one letter of `who_may.txt`."""
    code, there = answer.status_code, answer.headers.get("Location", "")
    if code == 401 or (code == 303 and re.match(r"(http://localhost)?/sign-in(\?|$)", there)):
        return "s"
    if code == 404:
        return "h"
    if code >= 500:
        return "!"
    if code >= 400 or "refused" in kinds:
        return "n"
    if method == "GET":
        return "y" if code == 200 else "b"
    return "y" if has_written else "o"
