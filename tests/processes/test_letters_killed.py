"""Killed anywhere on its way (kill -9, for real), a letter arrives; twice only behind the 250."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.clock import FixedClock, SystemClock
from pbem.mail import queue
from pbem.mail.delivery import sending
from pbem.mail.delivery.retries import PATIENCE
from pbem.mail.letters import build
from pbem.mail.transport import transport_of
from pbem.models import LetterState, Outbox
from pbem.service import Service
from tests.support.letterfactory import row, sign_in, started_game, states
from tests.support.postbox import Postbox, postbox

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture
def box() -> Iterator[Postbox]:
    with postbox() as running:
        yield running


@pytest.fixture
def living(service: Service, box: Postbox) -> Service:
    """The test's service with the machine's clock, sending to the postbox."""
    settings = replace(service.settings, smtp_url=box.url)
    return replace(service, settings=settings, clock=SystemClock())


def later(service: Service) -> Service:
    """The same service when every lease is over."""
    behind = SystemClock().now() + PATIENCE.lease + timedelta(seconds=1)
    return replace(service, clock=FixedClock(behind))


def a_turn_letter(service: Service) -> int:
    """The one letter that says whose turn it is; the others are settled, so as not to disturb."""
    started_game(service, ("Ana", "Bento"))
    with service.writing() as session:
        due = session.exec(select(Outbox)).all()
        for letter in due:
            if letter.kind != "turn":
                letter.settled = service.clock.now()
        session.commit()
    return next(letter.id for letter in due if letter.kind == "turn") or 0


def a_sign_in_letter(service: Service) -> int:
    now = service.clock.now()
    with service.writing() as session:
        asked = sign_in(session, "ana@players.example", now)
        letter = queue.due(session, address="ana@players.example", kind="sign_in",
                            about_id=asked.id, now=now)  # fmt: skip
        session.commit()
    return letter or 0


def start(service: Service, point: str, letter: int) -> subprocess.Popen[bytes]:
    """A sender in a process of its own."""
    environ = os.environ | {
        "CARREIRA_VAR": str(service.settings.var),
        "CARREIRA_SMTP_URL": service.settings.smtp_url or "",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "tests.processes.dying_sender", point, str(letter)]
    return subprocess.Popen(command, env=environ, cwd=ROOT)


def sweep(service: Service) -> int:
    """What the beat does every 15 seconds."""
    transport = transport_of(service.settings)
    sent = sending.sweep(build, service, transport)
    transport.close()
    return sent


@pytest.mark.parametrize("point", [
    pytest.param("before-commit-1", marks=pytest.mark.soak),
    pytest.param("after-commit-1", marks=pytest.mark.soak), "half-sent"])
def test_killed_before_the_server_has_it_a_letter_arrives_once(
    living: Service, box: Postbox, point: str
) -> None:
    letter = a_turn_letter(living)

    assert start(living, point, letter).wait(60) == -signal.SIGKILL
    assert box.letters == []
    assert sweep(later(living)) == 1

    assert box.ids() == [row(living, letter).message_id]


HELD_FIRST = ["before-commit-1", "after-commit-1", "before-commit-2", "after-commit-2"]


@pytest.mark.soak
@pytest.mark.parametrize("point", HELD_FIRST)
def test_a_letter_that_was_late_when_its_sender_was_killed_arrives_once(
    living: Service, box: Postbox, point: str
) -> None:
    """It may have been the letter that killed him: its row is held before it is built."""
    letter = a_turn_letter(living)
    with living.writing() as session:
        session.get_one(Outbox, letter).not_before -= timedelta(minutes=5)
        session.commit()

    assert start(living, point, letter).wait(60) == -signal.SIGKILL
    assert row(living, letter).attempts == (0 if point == "before-commit-1" else 1)
    assert sweep(later(living)) == 1

    assert box.ids() == [row(living, letter).message_id]


@pytest.mark.parametrize("point", [
    pytest.param("accepted", marks=pytest.mark.soak), "before-commit-2"])
def test_killed_behind_the_250_a_letter_arrives_twice_with_one_message_id(
    living: Service, box: Postbox, point: str
) -> None:
    letter = a_turn_letter(living)

    assert start(living, point, letter).wait(60) == -signal.SIGKILL
    assert len(box.letters) == 1
    assert sweep(later(living)) == 1

    first, second = box.letters
    assert first == second
    assert box.ids() == [row(living, letter).message_id] * 2


@pytest.mark.soak
def test_killed_when_all_is_committed_a_letter_arrives_once(living: Service, box: Postbox) -> None:
    letter = a_turn_letter(living)

    assert start(living, "after-commit-2", letter).wait(60) == -signal.SIGKILL
    assert sweep(later(living)) == 0

    assert len(box.letters) == 1
    assert row(living, letter).state == LetterState.SENT


@pytest.mark.soak
@pytest.mark.parametrize("point", ["before-commit-2", "after-commit-2"])
def test_a_killed_sign_in_letter_arrives_once(living: Service, box: Postbox, point: str) -> None:
    letter = a_sign_in_letter(living)

    assert start(living, point, letter).wait(60) == -signal.SIGKILL
    assert sweep(later(living)) == 1

    assert len(box.letters) == 1


def test_no_letter_is_sent_while_its_killed_sender_may_still_be_alive(
    living: Service, box: Postbox
) -> None:
    """Another worker cannot know; it waits for the lease to end."""
    letter = a_turn_letter(living)
    assert start(living, "after-commit-1", letter).wait(60) == -signal.SIGKILL

    assert sweep(living) == 0
    assert row(living, letter).state == LetterState.SENDING
    assert sweep(later(living)) == 1


@pytest.mark.soak
def test_three_sweeping_processes_send_each_letter_once(living: Service, box: Postbox) -> None:
    for seats in (("Ana", "Bento"), ("Catarina", "Duarte", "Elsa"), ("Fabio", "Gil")):
        started_game(living, seats)

    sweepers = [start(living, "none", 0) for _ in range(3)]

    assert [sweeper.wait(60) for sweeper in sweepers] == [0, 0, 0]
    assert set(states(living)) == {LetterState.SENT}
    assert len(box.letters) == 10  # seven players, three of them asked first
    assert set(Counter(box.ids()).values()) == {1}
