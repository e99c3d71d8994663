"""Fetching the links of our letters, by whatever and however often, changes nothing."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import SQLModel, select

from pbem.accounts import auth
from pbem.mail import queue
from pbem.mail.letters.kinds import KINDS
from pbem.models import Game, Person, Submission, stored_id
from pbem.models.archive import WebHook
from pbem.operators import recovery, reports
from pbem.play import undo
from pbem.service import Service
from pbem.tables import consent, invitations, lobby, vacation
from tests.support import tables
from tests.support.answering import Answers, at_table, placing
from tests.support.doors import browser
from tests.support.letterfactory import html_of, person, swept, text_of
from tests.support.timed import CATARINA, DAY, FIRST, timed

# A browser that looks leaves these traces, and no others.
TRACES = {"seat": {"looked_at"}, "websession": {"used"}}
REFUSAL = '{"key": "no_orders", "rule": "orders", "numbers": {}, "choices": [], "line": "x"}'


@pytest.fixture
def letters(service: Service) -> list[EmailMessage]:
    """A letter of every kind."""
    table = at_table(service, placing, names=("Ana", "Bento"))
    sent = swept(service).letters
    sent += answers(table)
    sent += of_people(service, table)
    sent += of_endings(service)
    sent += of_clocks(service)
    sent += of_votes(service)
    sent += of_operators(service)
    return sent


def answers(table: Answers) -> list[EmailMessage]:
    """A receipt, a question back, an order that came back, and one that was taken back."""
    letter = table.letter()
    table.says(letter, "place 8 recruiting; help")
    table.says(letter, "place 9 projects", sender="eve@elsewhere.example")
    table.advance()
    sent = swept(table.service).letters
    now = table.service.clock.now()
    with table.service.writing() as session:
        undo.undo(session, table.game_id, table.person("Ana").id or 0, now)
    with table.service.writing() as session:
        refused = Submission(
            game_id=table.game_id, person_id=table.person("Ana").id or 0, seat=0, source="page",
            key="k", orders="x", seen=1, state="refused", refusal=REFUSAL, draft="x", created=now,
        )  # fmt: skip
        session.add(refused)
        session.flush()
        queue.due(
            session, person_id=refused.person_id, kind="refused",
            game_id=table.game_id, about_id=refused.id, now=now,
        )  # fmt: skip
        session.commit()
    return sent + swept(table.service).letters


def of_people(service: Service, table: Answers) -> list[EmailMessage]:
    """Proofs of addresses, an invitation, a test, a web hook that failed."""
    now = service.clock.now()
    with service.writing() as session:
        ana = session.get_one(Person, table.person("Ana").id)
        auth.ask_to_sign_in(
            session, address=ana.address, browser="b1", registration="open", language="en",
            then=None, now=now,
        )  # fmt: skip
        auth.ask_for_second_address(
            session, person=ana, address="ana@work.example", browser="b2", now=now
        )
        auth.ask_to_confirm(session, person=ana, browser="b3", now=now)
        game = opened(session, ana, service)
        invitations.invite(
            session, game_id=game, host=ana, address="bento@players.example", a_day=40, now=now
        )
        queue.due(session, person_id=ana.id, kind="test", now=now)
        hook = WebHook(person_id=stored_id(ana), url="https://hooks.example/", secret="s",
                       created=now, confirmed=now, failures=20, off=now, why="timed out")
        session.add(hook)
        session.flush()
        queue.due(session, person_id=ana.id, kind="hook_off", about_id=hook.id, now=now)
        session.commit()
    return swept(service).letters


def opened(session: Any, host: Person, service: Service) -> int:
    """An open game."""
    made = lobby.open_game(
        session, host=host, game_key="goa", title="", seats=4, chosen_order=True, private=True,
        components=None, phrase="", open_days=3, now=service.clock.now(),
    )  # fmt: skip
    return stored_id(made)


def of_endings(service: Service) -> list[EmailMessage]:
    """Games that were played to their end, called off, or waited for too long."""
    finished = at_table(service, lambda _: False, names=("Catarina", "Duarte"))
    now = service.clock.now()
    with service.writing() as session:
        host = session.exec(select(Person).where(Person.name == "Catarina")).one()
        guest = session.exec(select(Person).where(Person.name == "Duarte")).one()
        called_off, waiting = opened(session, host, service), opened(session, host, service)
        for game_id in (called_off, waiting):
            lobby.join(session, game_id=game_id, person=guest, phrase="", now=now)
        lobby.cancel(session, game_id=called_off, host=host, now=now)
        session.get_one(Game, waiting).expires = now
        session.flush()
        lobby.expire(session, now)
        session.commit()
    assert finished.game().state == "finished"
    return swept(service).letters


def of_clocks(service: Service) -> list[EmailMessage]:
    """A reminder, and what is told when somebody's time is over, for the third time too."""
    sent = []
    with service.writing() as session:
        table = timed(service, session, names=("Elsa", "Fabio", "Gil", "Hana"))
        for span in (2 * DAY, DAY):
            table.wait(span)
            table.sweep()
            session.commit()
            sent += swept(service).letters
        seat = next(seat for seat in map(table.seat, range(4)) if seat.asked_since is not None)
        seat.misses = 2
        session.add(seat)
        table.wait(3 * DAY)
        table.sweep()
        invitations.invite_to_seat(
            session, game_id=stored_id(table.game), seat=seat.number or 0,
            by=table.person(0 if seat.number else 1), address="lia@players.example", a_day=40,
            now=table.now)
        session.commit()
    return sent + swept(service).letters


def of_votes(service: Service) -> list[EmailMessage]:
    """A proposal to go back, the others' vote about who does not answer, and a vacation's end."""
    names = ("Ines", "Jon", "Kata", "Mihai")
    with service.writing() as session:
        table = timed(service, session, at_zero="vote", names=names)
        table.play(CATARINA, FIRST)
        consent.propose(session, stored_id(table.game), table.person(1).id or 0, table.now, first=2)
        session.commit()
        sent = swept(service).letters
        table.wait(3 * DAY)
        table.sweep()
        vacation.announce(session, table.person(3), 1, table.now)
        session.commit()
        sent += swept(service).letters
        table.sleep(DAY)
    return sent + swept(service).letters


def of_operators(service: Service) -> list[EmailMessage]:
    """Accounts that are to get another address, one that got it, and what became of a report."""
    now = service.clock.now()
    with service.writing() as session:
        olga, petra, ruben = (
            person(session, name) for name in ("Olga", "Petra", "Ruben"))
        olga.operator = now
        for lost in (petra, ruben):
            begun = recovery.begin(session, olga, lost, f"new.{lost.address}", "lost", now=now)
        session.commit()
        sent = swept(service).letters
        begun.confirmed, begun.due = now, now
        session.flush()
        recovery.carry_out(session, stored_id(begun), now)
        told = reports.report(session, petra, ruben, "He shouts.", now)
        session.flush()
        reports.settle(session, olga, stored_id(told), "He has been told.", now=now)
        session.commit()
    return sent + swept(service).letters


def kinds(letters: list[EmailMessage]) -> set[str]:
    """Which kinds of letters these are."""
    return {str(letter["Feedback-ID"]).split(":")[1].strip() for letter in letters}


def links(letters: list[EmailMessage]) -> Iterator[str]:
    """Every address of our site in their texts, pages and headers, as a path."""
    found: set[str] = set()
    for letter in letters:
        everywhere = "\n".join(
            [text_of(letter), html.unescape(html_of(letter)), *map(str, letter.values())]
        )
        found |= set(re.findall(r"http://localhost(/[^\s\"'<>]*)", everywhere))
    yield from sorted(found)


def dump(service: Service) -> dict[str, list[dict[str, Any]]]:
    """All that the database holds, but the traces of looking."""
    with service.reading() as session:
        return {
            name: sorted(
                (
                    {key: value for key, value in row._mapping.items()
                     if key not in TRACES.get(name, ())}
                    for row in session.execute(table.select())
                ),
                key=repr,
            )
            for name, table in SQLModel.metadata.tables.items()
        }  # fmt: skip


def fetch(client: FlaskClient, path: str) -> list[int]:
    """What scanners and impatient readers do."""
    return [client.head(path).status_code, *(client.get(path).status_code for _ in range(3))]


def test_links_of_all_letters_change_nothing(
    service: Service, flask_app: Flask, letters: list[EmailMessage]
) -> None:
    assert kinds(letters) == set(KINDS)
    with service.reading() as session:
        ana = session.exec(select(Person).where(Person.name == tables.NAMES[0])).one()
    signed_in = browser(flask_app, service, ana)
    before = dump(service)
    paths = list(links(letters))
    assert len(paths) > 10
    for client in (browser(flask_app, service), signed_in):
        for path in paths:
            assert max(fetch(client, path)) < 500, path
    assert dump(service) == before
