"""What tests of pages need: letters as their readers get them, people who are signed in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from flask.testing import FlaskClient

from pbem.accounts import auth
from pbem.mail.delivery import sending
from pbem.mail.letters import build
from pbem.mail.server_answers import Accepted, Outcome
from pbem.models import Person
from pbem.service import Service
from pbem.web import context, enqueue
from tests.support.letterfactory import person


@dataclass
class Tray:
    """Takes every letter."""

    letters: list[EmailMessage] = field(default_factory=list)

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        self.letters.append(message_from_bytes(letter, policy=policy.default))
        return Accepted(250, "kept")

    def close(self) -> None:
        return None


@dataclass
class Bell:
    """Takes tasks instead of a broker."""

    rung: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)

    def put(self, task: str, *arguments: int) -> None:
        self.rung.append((task, arguments))


def letters(service: Service) -> list[EmailMessage]:
    """All that is due, sent now."""
    tray = Tray()
    sending.sweep(build, service, tray)
    return tray.letters


def text_of(letter: EmailMessage) -> str:
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def path_in(letter: EmailMessage, begin: str) -> str:
    """The path of the link that begins so."""
    found = re.search(rf"http://localhost({re.escape(begin)}[\w.~-]+)", text_of(letter))
    assert found is not None, text_of(letter)
    return found[1]


def code_in(letter: EmailMessage) -> str:
    """The six digits, however they are grouped."""
    found = re.search(r"(?<!\d)(\d{3} ?\d{3})(?!\d)", text_of(letter))
    assert found is not None, text_of(letter)
    return found[1]


def somebody(service: Service, name: str, **fields: str) -> Person:
    """A person, stored."""
    with service.writing() as session:
        made = person(session, name, **fields)
        session.commit()
    return made


def enter(client: FlaskClient, service: Service, who: Person) -> FlaskClient:
    """The browser, signed in as somebody."""
    with service.writing() as session:
        cookie = auth.open_session(session, who.id or 0, agent="test", now=service.clock.now())
        session.commit()
    client.set_cookie(context.COOKIE, cookie)
    return client


def browser(flask_app: object, service: Service, who: Person | None = None) -> FlaskClient:
    """A further browser, signed in if somebody is given."""
    made = cast("FlaskClient", flask_app.test_client())  # type: ignore[attr-defined]
    return made if who is None else enter(made, service, who)


def bell(client: FlaskClient) -> Bell:
    """Listen to the tasks of this browser's app."""
    made = Bell()
    client.application.extensions[enqueue.EXTENSION] = made
    return made
