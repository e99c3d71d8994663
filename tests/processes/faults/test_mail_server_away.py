"""A mail server that refuses, stalls or dies: each letter arrives, the same one where twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import col, select

from pbem.clock import FixedClock
from pbem.mail import smtp
from pbem.mail.delivery import sending
from pbem.mail.letters import build
from pbem.mail.transport import transport_of
from pbem.models import LetterState, Outbox, stored_id
from pbem.service import Service
from tests.support.letterfactory import row, started_game
from tests.tools.soak.faults_stack import Receiver

LATER = timedelta(hours=1)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    made.open()
    yield made
    made.close()


@pytest.fixture
def sending_service(service: Service, receiver: Receiver) -> Service:
    url = f"smtp://127.0.0.1:{receiver.port}"
    return replace(service, settings=replace(service.settings, smtp_url=url))


def started(service: Service, *names: str) -> list[int]:
    """The letters that a game of these has begun; others are settled, so as not to disturb."""
    started_game(service, names)
    with service.writing() as session:
        due = session.exec(select(Outbox).order_by(col(Outbox.id))).all()
        for letter in due:
            if letter.kind != "started":
                letter.settled = service.clock.now()
        session.commit()
    return [stored_id(letter) for letter in due if letter.kind == "started"]


def settled(service: Service, letter: int) -> None:
    """Nobody waits for this one."""
    with service.writing() as session:
        session.get_one(Outbox, letter).settled = service.clock.now()
        session.commit()


def tried(service: Service) -> int:
    """One sweep of a sender."""
    transport = transport_of(service.settings)
    left = sending.sweep(build, service, transport)
    transport.close()
    return left


def arrived(receiver: Receiver) -> list[str]:
    return [number for _, number, _ in receiver.arrived]


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        ({"at_rcpt": "451 4.3.0 not now"}, 1),
        ({"dies": "before"}, 1),
        ({"dies": "lost"}, 1),
        ({"dies": "kept"}, 2),
    ],
    ids=["451", "before the dot", "behind it, lost", "behind it, kept"],
)
def test_a_letter_that_met_a_fault_leaves_at_the_next_try_with_the_same_message_id(
    fault: dict[str, str], times: int, sending_service: Service, receiver: Receiver,
    clock: FixedClock,
) -> None:
    letter, other = started(sending_service, "Ana", "Bento")
    settled(sending_service, other)
    for name, value in fault.items():
        setattr(receiver, name, value)
    assert tried(sending_service) == 0
    for name in fault:
        setattr(receiver, name, "")
    assert tried(sending_service) == 0, "nobody knocks again at once"

    clock.forward(LATER)
    assert tried(sending_service) == 1

    number = row(sending_service, letter).message_id
    assert arrived(receiver) == [number] * times


def test_a_server_that_is_not_there_is_asked_once_a_sweep(
    sending_service: Service, receiver: Receiver, clock: FixedClock
) -> None:
    letters = started(sending_service, "Ana", "Bento", "Catarina")
    receiver.close()
    assert tried(sending_service) == 0
    assert sorted(row(sending_service, each).attempts for each in letters) == [0, 0, 1]

    receiver.open()
    clock.forward(LATER)
    assert tried(sending_service) == 3
    assert len(set(arrived(receiver))) == len(receiver.arrived) == 3


def test_a_server_that_stalls_costs_no_more_than_a_lease(
    sending_service: Service, receiver: Receiver, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "BUDGET", 0.6)
    monkeypatch.setattr(smtp, "FOR_THE_DATA", 0.3)
    letter, other = started(sending_service, "Ana", "Bento")
    settled(sending_service, other)
    receiver.slowness = 2.0
    assert tried(sending_service) == 0
    assert row(sending_service, letter).state == LetterState.PENDING

    receiver.slowness = 0.0
    monkeypatch.undo()
    clock.forward(LATER)
    assert tried(sending_service) == 1
    assert arrived(receiver) == [row(sending_service, letter).message_id]


def test_an_address_that_does_not_exist_costs_the_others_nothing(
    sending_service: Service, receiver: Receiver
) -> None:
    gone, good = started(sending_service, "Ana", "Bento")
    receiver.hated = "ana@players.example"

    assert tried(sending_service) == 1

    assert row(sending_service, gone).state == LetterState.DEAD
    assert arrived(receiver) == [row(sending_service, good).message_id]
