"""The whole service as processes: lost enqueuer, a killed worker, a broker killed or emptied."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from sqlmodel import col, select

from pbem.clock import SystemClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.models import Entry, Game, Outbox, SeatRow, Submission, SubmissionState, stored_id
from pbem.play import positions, submit
from pbem.service import Service
from tests.support.postbox import Postbox
from tests.support.servers import Running, eventually, free_port, short_folder
from tests.support.tables import started_game

pytestmark = [pytest.mark.slow, pytest.mark.soak]


class Site:
    """A running service, and its database from the outside."""

    def __init__(self, var: Path, postbox: Postbox) -> None:
        self.environ = {
            "CARREIRA_VAR": str(var),
            "CARREIRA_PORT": str(free_port()),
            "CARREIRA_SMTP_URL": postbox.url,
            "CARREIRA_LETTER_DELAY": "0",
        }
        self.running = Running(self.environ)
        self.running.wait_for_line("Carreira is at")
        settings = Settings.from_environment(self.environ)
        self.broker_socket = settings.broker_socket
        self.service = Service(settings, make_engine(settings.database_url), SystemClock())

    def new_game(self) -> int:
        """A started game of four."""
        with self.service.writing() as session:
            game = started_game(session, self.service.clock.now())
            return stored_id(game)

    def send_first_answer(self, game_id: int, key: str) -> int:
        """Orders of whoever is asked, recorded and not enqueued; the submission's id."""
        with self.service.writing() as session:
            game = session.get_one(Game, game_id)
            asked = session.exec(
                select(SeatRow)
                .where(SeatRow.game_id == game_id, col(SeatRow.asked_since).is_not(None))
                .order_by(col(SeatRow.number))
            ).first()
            assert asked is not None
            assert asked.number is not None
            rules = positions.rules_of(session, game)
            state = positions.position(session, game, game.last_entry)
            orders = rules.to_text(next(rules.answers(state, asked.number)))
            sent = submit.record(
                session, asked, orders, seen=game.last_entry, source="page", key=key,
                now=self.service.clock.now(), enqueue=lambda _: None,
            )  # fmt: skip
            assert sent.id is not None
            return sent.id

    def played(self, submission: int) -> bool:
        with self.service.reading() as session:
            return session.get_one(Submission, submission).state == SubmissionState.PLAYED

    def entries(self, game_id: int) -> list[int]:
        with self.service.reading() as session:
            numbers = select(Entry.number).where(Entry.game_id == game_id)
            return list(session.exec(numbers.order_by(col(Entry.number))))

    def unsettled(self) -> int:
        with self.service.reading() as session:
            return len(session.exec(select(Outbox.id).where(col(Outbox.settled).is_(None))).all())

    def process(self, part: str) -> int:
        """The main process whose command line has this part."""
        family = self.running.children()
        return min((number for number, said in family.items() if part in said), default=0)

    def stop(self) -> None:
        self.service.engine.dispose()
        self.running.stop()


@pytest.fixture
def site(postbox: Postbox) -> Iterator[Site]:
    var = short_folder("cr-")
    running = Site(var, postbox)
    yield running
    running.stop()
    shutil.rmtree(var, ignore_errors=True)


def test_orders_go_on_after_lost_tasks_and_killed_processes(site: Site, postbox: Postbox) -> None:
    """No task, then no worker, then an empty broker, then no broker: each time the sweep plays."""
    game = site.new_game()

    sent = site.send_first_answer(game, "no enqueue")
    eventually(lambda: site.played(sent), seconds=60)

    os.kill(site.process("--queues=engine,upkeep"), signal.SIGKILL)
    sent = site.send_first_answer(game, "no worker")
    eventually(lambda: site.played(sent), seconds=60)

    with redis.Redis(unix_socket_path=str(site.broker_socket)) as line:
        line.flushall()
    sent = site.send_first_answer(game, "empty broker")
    eventually(lambda: site.played(sent), seconds=60)

    os.kill(site.process("valkey-server"), signal.SIGKILL)
    sent = site.send_first_answer(game, "no broker")
    eventually(lambda: site.played(sent), seconds=60)

    numbers = site.entries(game)
    assert numbers == list(range(1, len(numbers) + 1)), "no entry is lost or doubled"
    eventually(lambda: site.unsettled() == 0, seconds=60)
    assert len(set(postbox.ids())) == len(postbox.ids()), "no letter was sent twice"
    assert len(postbox.letters) >= 4 + 4, "four that it began, and one to each that was asked"
