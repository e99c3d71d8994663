"""Killed anywhere on its way (kill -9, for real), a move is in the log once, with its letter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.models import Entry, Game, Outbox, Submission, stored_id
from pbem.play import advance, upkeep
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from tests.support.tables import CATARINA, started_game

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
OTHER_POINTS = ("before-commit-1", "after-commit-1", "before-commit-2", "after-commit-2")


def run(service: Service, point: str, game_id: int) -> int:
    """Catarina's first order, in a process of its own; its exit code."""
    environ = os.environ | {"CARREIRA_VAR": str(service.settings.var), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.processes.dying_mover", point, str(game_id)]
    return subprocess.run(
        [*command, str(CATARINA), "merchant mombasa>5"], env=environ, cwd=ROOT, check=False
    ).returncode


@pytest.mark.parametrize("point", [
    "at-enqueue", *(pytest.param(each, marks=pytest.mark.soak) for each in OTHER_POINTS)])
def test_a_process_killed_on_a_moves_way_leaves_it_whole_or_not_at_all(
    service: Service, point: str
) -> None:
    with service.writing() as session:
        game_id = stored_id(started_game(session, service.clock.now()))

    assert run(service, point, game_id) == -signal.SIGKILL
    sweep(service)
    assert run(service, "none", game_id) == 0  # the player clicks again: the same form
    sweep(service)

    with service.reading() as session:
        game = session.get_one(Game, game_id)
        assert game.last_entry == 2
        assert len(session.exec(select(Entry)).all()) == 2
        assert [each.state for each in session.exec(select(Submission))] == ["played"]
        turn = select(Outbox).where(Outbox.kind == "turn", Outbox.entry == 2)
        assert len(session.exec(turn).all()) == 1
        assert verify(list(export.record_lines(session, game))).ok


def sweep(service: Service) -> None:
    """What the beat's sweep does for games."""
    with service.reading() as session:
        behind = upkeep.games_to_advance(session, service.clock.now())
    for game_id in behind:
        with service.writing() as session:
            advance.advance(session, game_id, service.clock.now())
