"""The machine's clock jumps forward and back: nothing doubled, nothing lost, nothing waits."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from celery.beat import Scheduler
from sqlmodel import select

from pbem import enqueue, health
from pbem.clock import FixedClock
from pbem.mail.delivery.retries import PATIENCE
from pbem.mail.delivery.rows import claim
from pbem.mail.server_answers import Accepted, Outcome, Unreachable
from pbem.models import Entry, Inbound, LetterState, Outage, Outbox, SeatRow, stored_id
from pbem.play import outages, upkeep
from pbem.service import Service
from tests.support import tables
from tests.support.answering import Answers, written
from workers import context, tasks
from workers.celery_app import SECONDS_BETWEEN_SWEEPS, SWEEPS, app

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
JUMPS = (timedelta(hours=1), DAY, 400 * DAY)


class Server:
    """A mail server that counts Message-IDs, if it answers."""

    def __init__(self) -> None:
        self.taken: Counter[bytes] = Counter()
        self.is_away = False

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        if self.is_away:
            return Unreachable("away")
        lines = letter.splitlines()
        self.taken[next(line for line in lines if line.startswith(b"Message-ID"))] += 1
        return Accepted(250, "taken")

    def close(self) -> None:
        return None


@pytest.fixture
def server(service: Service, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Workers of this service that enqueue nothing."""
    made = Server()
    monkeypatch.setattr(context, "service", lambda: service)
    monkeypatch.setattr(context, "transport", lambda: made)
    monkeypatch.setattr(context, "enqueue_letters", lambda letters: None)
    monkeypatch.setattr(context, "enqueue_game", lambda game: None)
    return made


def sweep(clock: FixedClock, times: int = 1) -> None:
    """What the beat has done, a quarter of a minute later each time."""
    for _ in range(times):
        tasks.clocks.run()
        tasks.sweep.run()
        tasks.letters.run()
        clock.forward(timedelta(seconds=SECONDS_BETWEEN_SWEEPS))


def begun(service: Service, clock: FixedClock, of: str = "each 24") -> int:
    with service.writing() as session:
        return stored_id(tables.started_game(session, clock.now(), clock=of))


def letters(service: Service) -> list[Outbox]:
    with service.reading() as session:
        return list(session.exec(select(Outbox)))


@pytest.mark.parametrize("jump", JUMPS)
def test_a_jump_there_and_back_costs_nobody_time_or_a_letter(
    service: Service, clock: FixedClock, server: Server, jump: timedelta
) -> None:
    sweep(clock)
    game = begun(service, clock)
    sweep(clock, 2)
    began = clock.now()

    clock.forward(jump)
    sweep(clock, 2)
    clock.forward(-jump)
    sweep(clock, 2)

    with service.reading() as session:
        entries = session.exec(select(Entry).where(Entry.game_id == game)).all()
        assert {each.cause for each in entries} <= {"start", "outage"}, "nobody was at zero"
        due = [seat.due for seat in session.exec(select(SeatRow)) if seat.due is not None]
        assert len(due) == 1
        assert began + DAY - MINUTE < due[0] < clock.now() + DAY
        for outage in session.exec(select(Outage)):
            assert outage.begins <= outage.ends <= clock.now()
        assert upkeep.last_heartbeat(session, outages.NAME) <= clock.now()
    assert all(row.settled is not None for row in letters(service))
    assert set(server.taken.values()) == {1}


@pytest.mark.parametrize("jump", JUMPS)
def test_a_letter_that_became_due_in_the_wrong_time_leaves_in_the_right_one(
    service: Service, clock: FixedClock, server: Server, jump: timedelta
) -> None:
    sweep(clock)
    clock.forward(jump)
    tasks.clocks.run()
    begun(service, clock, "none")
    server.is_away = True
    tasks.letters.run()
    clock.forward(-jump)
    server.is_away = False

    sweep(clock, 2)

    assert {row.state for row in letters(service)} <= {
        LetterState.SENT, LetterState.MERGED, LetterState.SUPERSEDED}
    assert set(server.taken.values()) == {1}


def test_a_lease_of_the_wrong_time_ends(
    service: Service, clock: FixedClock, server: Server
) -> None:
    """Its holder was killed; the clock was put right."""
    sweep(clock)
    begun(service, clock, "none")
    clock.forward(DAY)
    tasks.clocks.run()
    held = letters(service)[0]
    assert claim(service, stored_id(held), PATIENCE.lease)
    clock.forward(-DAY)

    sweep(clock, 2)

    assert all(row.settled is not None for row in letters(service))
    assert set(server.taken.values()) == {1}


def test_an_answer_that_came_in_the_wrong_time_is_judged_in_the_right_one(
    service: Service, clock: FixedClock, server: Server
) -> None:
    from pbem.mail.incoming import store
    from pbem.mail.incoming.parse.reading import Envelope

    sweep(clock)
    game = begun(service, clock, "none")
    sweep(clock)
    clock.forward(DAY)
    tasks.clocks.run()
    letter = next(row for row in letters(service) if row.state == LetterState.SENT)
    to = Answers(service, game).address(letter)
    raw = written(to, "status", "ana@players.example")
    store.store(service, Envelope("ana@players.example", to, "smtp"), raw)
    clock.forward(-DAY)

    sweep(clock, 4)

    with service.reading() as session:
        [stored] = session.exec(select(Inbound)).all()
    assert stored.state != "stored"


# ---- the beat -----------------------------------------------------------------------------------


def test_the_beat_goes_on_through_jumps_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [datetime(2026, 3, 1, tzinfo=UTC)]
    monkeypatch.setattr(app, "now", lambda: now[0])
    beats: Counter[str] = Counter()
    monkeypatch.setattr(Scheduler, "producer", None)  # it would look for a broker

    def started_beat() -> Scheduler:
        made = Scheduler(app=app)
        monkeypatch.setattr(
            made, "apply_entry", lambda entry, producer=None: beats.update([entry.task]))
        return made

    beat = started_beat()

    def within(seconds: int) -> set[str]:
        """What is sent in so long."""
        beats.clear()
        for _ in range(seconds):
            for _ in range(3 * len(SWEEPS)):  # one task each
                beat.tick()
            now[0] += timedelta(seconds=1)
        return set(beats)

    everything = set(SWEEPS)
    assert within(SECONDS_BETWEEN_SWEEPS + 1) == everything
    now[0] += DAY
    assert within(SECONDS_BETWEEN_SWEEPS + 1) == everything
    now[0] -= DAY
    beat = started_beat()
    assert within(SECONDS_BETWEEN_SWEEPS + 1) == everything, "once the beat is started again"


def test_a_letter_that_is_due_is_looked_for_every_few_seconds() -> None:
    due = app.conf.beat_schedule[enqueue.LETTERS]

    assert due["schedule"] + app.conf.beat_max_loop_interval <= 3


def test_where_the_clock_was_set_back_readyz_has_the_beat_started_again(service: Service) -> None:
    with service.writing() as session:
        for name in ("sweep", "clocks"):
            upkeep.store_heartbeat(session, name, service.clock.now() + DAY)
        session.commit()

    with service.reading() as session:
        found = health.vitals(session, service.clock.now())

    assert list(health.complaints(found)) == [
        "the sweep was last here 86400 seconds from now: the clock was set back; restart the beat"]
