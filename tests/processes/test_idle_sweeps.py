"""What comes every few seconds by itself logs nothing at info level where nothing is to do."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from pbem.service import Service
from tests.processes.test_tasks import LOST, submission
from tests.support.letterfactory import person, running_game
from workers import context, tasks

BY_THEMSELVES = (tasks.sweep, tasks.clocks, tasks.letters, tasks.hooks, tasks.verify, tasks.exports)


@pytest.fixture
def lines(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Callable[[], list[str]]:
    """How the tasks ended that a worker of the test's service has logged at info level."""
    monkeypatch.setattr(context, "service", lambda: service)
    monkeypatch.setattr(context, "transport", lambda: None)
    monkeypatch.setattr(context, "enqueue_letters", lambda _letters: None)
    caplog.set_level(logging.INFO, "carreira.workers")
    return lambda: [vars(line)["state"] for line in caplog.records if line.message == "task"]


@pytest.mark.parametrize("task", BY_THEMSELVES, ids=lambda task: task.name)
def test_a_sweep_that_finds_nothing_to_do_logs_no_line(
    task: Any, lines: Callable[[], list[str]]
) -> None:
    done = task.apply()

    assert done.state == "SUCCESS"
    assert lines() == []


def test_a_sweep_that_takes_something_up_logs_its_line(
    service: Service, lines: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "advance_game", lambda *_, **__: set())
    with service.writing() as session:
        players = [person(session, name) for name in ("Ana", "Bram")]
        made = running_game(session, players, service.clock.now())
        session.add(submission(made.id or 0, players[0].id or 0, service.clock.now() - LOST))
        session.commit()

    tasks.sweep.apply()

    assert lines() == ["SUCCESS"]


def test_a_sweep_that_fails_logs_its_line(
    lines: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(tasks.sending, "sweep", fails)

    assert tasks.letters.apply().state == "FAILURE"
    assert lines() == ["FAILURE"]
