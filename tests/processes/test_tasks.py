"""The tasks: what a sweep takes up, what a task does, and that one bad game holds up no other."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, select

from pbem import enqueue
from pbem.archive.exports import kept
from pbem.clock import FixedClock
from pbem.mail import queue
from pbem.mail.incoming import inbox, store
from pbem.mail.incoming.parse.reading import Envelope
from pbem.mail.transport import transport_of
from pbem.models import (
    Game,
    GameState,
    Heartbeat,
    Inbound,
    InboundState,
    LetterState,
    Outbox,
    SeatRow,
    Submission,
)
from pbem.models.archive import Verification
from pbem.play import upkeep
from pbem.record import nightly
from pbem.service import Service
from pbem.tables import series
from tests.support.finished import finished_game
from tests.support.incoming import address
from tests.support.letterfactory import person, running_game
from workers import context, tasks
from workers.celery_app import SWEEPS

LOST = upkeep.ENQUEUED_FOR + timedelta(seconds=1)  # so long after them their task does not come


class Advances:
    """Stands for pbem.play.advance: notes which games it was asked for."""

    def __init__(self) -> None:
        self.games: list[int] = []
        self.delays: list[timedelta] = []
        self.cannot: set[int] = set()
        self.letters: set[int] = set()

    def __call__(
        self, session: Session, game_id: int, now: datetime, *, letter_delay: timedelta
    ) -> set[int]:
        self.games.append(game_id)
        self.delays.append(letter_delay)
        if game_id in self.cannot:
            raise AssertionError("a fault of ours")
        return self.letters


@pytest.fixture
def advances(monkeypatch: pytest.MonkeyPatch) -> Advances:
    stand_in = Advances()
    monkeypatch.setattr(tasks, "advance_game", stand_in)
    return stand_in


@pytest.fixture
def enqueued(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A worker of the test's service; the letters that it had sent."""
    letters: list[int] = []
    monkeypatch.setattr(context, "service", lambda: service)
    monkeypatch.setattr(context, "transport", lambda: transport_of(service.settings))
    monkeypatch.setattr(context, "enqueue_letters", letters.extend)
    return letters


def game(service: Service, *, asked: bool = True, pending: timedelta | None = None) -> int:
    """A running game of Ana and Bram; `pending`: how long Ana's orders have waited."""
    with service.writing() as session:
        number = len(session.exec(select(Game.id)).all())
        players = [person(session, f"{name}{number}") for name in ("Ana", "Bram")]
        made = running_game(session, players, service.clock.now())
        assert made.id is not None
        if not asked:
            for seat in session.exec(select(SeatRow).where(SeatRow.game_id == made.id)):
                seat.asked_since = None
        if pending is not None:
            came = service.clock.now() - pending
            session.add(submission(made.id, players[0].id or 0, came))
        session.commit()
        return made.id


def submission(game_id: int, person_id: int, now: datetime) -> Submission:
    return Submission(
        game_id=game_id, person_id=person_id, seat=0, source="page", key="k", orders="pass",
        seen=5, created=now,
    )  # fmt: skip


def test_the_sweep_takes_up_orders_whose_task_was_lost(
    service: Service, enqueued: list[int], advances: Advances
) -> None:
    waits = game(service, pending=LOST)

    tasks.sweep()

    assert advances.games == [waits]


def test_the_sweep_leaves_orders_to_their_own_task_that_have_just_come_in(
    service: Service, enqueued: list[int], advances: Advances
) -> None:
    game(service, pending=upkeep.ENQUEUED_FOR - timedelta(seconds=1))

    tasks.sweep()

    assert advances.games == []


def test_the_sweep_takes_up_orders_from_before_the_clock_was_put_back(
    service: Service, enqueued: list[int], advances: Advances
) -> None:
    waits = game(service, pending=-timedelta(hours=1))

    tasks.sweep()

    assert advances.games == [waits]


def test_the_sweep_takes_up_a_game_that_asks_nobody(
    service: Service, enqueued: list[int], advances: Advances
) -> None:
    stuck = game(service, asked=False)

    tasks.sweep()

    assert advances.games == [stuck]


def test_the_sweep_leaves_a_game_alone_that_waits_for_a_player(
    service: Service, enqueued: list[int], advances: Advances
) -> None:
    game(service)

    tasks.sweep()

    assert advances.games == []


def test_a_game_that_cannot_be_advanced_holds_up_no_other(
    service: Service, enqueued: list[int], advances: Advances
) -> None:
    bad, good = game(service, pending=LOST), game(service, pending=LOST)
    advances.cannot = {bad}

    tasks.sweep()

    assert advances.games == [bad, good]
    with service.reading() as session:
        assert session.get(Heartbeat, "sweep") is not None


def test_the_sweep_says_when_it_was_here(
    service: Service, enqueued: list[int], clock: FixedClock
) -> None:
    tasks.sweep()
    clock.forward(timedelta(seconds=15))
    tasks.sweep()

    with service.reading() as session:
        assert session.get_one(Heartbeat, "sweep").at == clock.now()


def test_two_sweeps_at_once_harm_nothing(service: Service, enqueued: list[int]) -> None:
    problems: list[BaseException] = []

    def sweep() -> None:
        try:
            tasks.sweep()
        except Exception as problem:  # noqa: BLE001  (whatever it is, the test tells)
            problems.append(problem)

    sweeps = [threading.Thread(target=sweep) for _ in range(4)]
    for one in sweeps:
        one.start()
    for one in sweeps:
        one.join()

    assert problems == []


def test_the_sweep_begins_the_next_game_of_a_series_once(
    service: Service, enqueued: list[int]
) -> None:
    with service.writing() as session:
        over = finished_game(service, session)
        series.begin(session, over, 2, service.clock.now())
        session.commit()

    for _again in range(2):
        tasks.sweep()

    with service.reading() as session:
        states = session.exec(select(Game.state).order_by(Game.series_place)).all()  # type: ignore[arg-type]
    assert states == [GameState.FINISHED, GameState.RUNNING]


def test_the_sweep_ends_open_games_whose_time_has_run_out(
    service: Service, enqueued: list[int], clock: FixedClock
) -> None:
    opened = game(service)
    with service.writing() as session:
        row = session.get_one(Game, opened)
        row.state, row.expires = GameState.OPEN, clock.now()
        session.commit()

    tasks.sweep()

    with service.reading() as session:
        assert session.get_one(Game, opened).state == GameState.EXPIRED


def test_a_task_has_the_letters_sent_that_may_leave_now(
    service: Service, enqueued: list[int], advances: Advances
) -> None:
    advances.letters = {12, 7}

    tasks.advance(game(service))

    assert enqueued == [7, 12]


def test_turn_letters_wait_as_long_as_the_setting_says(
    service: Service, enqueued: list[int], advances: Advances
) -> None:
    tasks.advance(game(service))

    assert advances.delays == [timedelta(seconds=service.settings.letter_delay)]


def test_a_database_that_is_away_for_a_moment_is_tried_again(
    service: Service, enqueued: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def away_at_first(session: Session, game_id: int, now: datetime, **_: Any) -> set[int]:
        tries.append(game_id)
        if len(tries) == 1:
            raise OperationalError("select", {}, Exception("away"))
        return set()

    monkeypatch.setattr(tasks, "advance_game", away_at_first)

    tasks.advance.apply(args=(7,))

    assert tries == [7, 7]


def test_the_letters_sweep_settles_what_is_due(service: Service, enqueued: list[int]) -> None:
    game(service)
    row_id = due(service, 4, timedelta(0))  # asks about a turn that is over

    tasks.letters()

    with service.reading() as session:
        assert session.get_one(Outbox, row_id).state == LetterState.SUPERSEDED


def due(service: Service, entry: int, pause: timedelta) -> int:
    """A turn letter to the first player."""
    now = service.clock.now()
    with service.writing() as session:
        row_id = queue.due(
            session, person_id=1, kind="turn", game_id=1, entry=entry, now=now,
            not_before=now + pause,
        )  # fmt: skip
        session.commit()
    assert row_id is not None
    return row_id


# ---- finished games ---


def test_finished_games_are_verified_a_little_at_each_beat(
    service: Service, enqueued: list[int]
) -> None:
    with service.writing() as session:
        over = finished_game(service, session)
        session.commit()

    tasks.verify()

    with service.reading() as session:
        assert session.get_one(Verification, over.id).fault is None
    assert {enqueue.NIGHTLY, enqueue.EXPORTS} <= set(SWEEPS)


def test_the_verification_takes_a_tenth_of_its_time_beside_moves(
    service: Service, enqueued: list[int], advances: Advances, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, taken = [1000.0], []
    monkeypatch.setattr(context, "last_move", context.LastMove(lambda: now[0]))
    monkeypatch.setattr(nightly, "work_off", lambda _, seconds: taken.append(seconds))

    tasks.verify()
    tasks.advance(7)
    tasks.verify()
    now[0] += context.LastMove.RECENT - 0.1
    tasks.verify()
    now[0] += 0.2
    tasks.verify()

    assert taken == [1.0, 0.1, 0.1, 1.0]


def test_exports_are_made_by_one_process_at_a_time(
    service: Service, enqueued: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Making] = []

    def start(_: Service) -> Making:
        started.append(Making())
        return started[-1]

    monkeypatch.setattr(kept, "start", start)

    tasks.exports()
    tasks.exports()
    started[0].code = 0
    tasks.exports()

    assert len(started) == 2


class Making:
    """Stands for a process that makes exports."""

    code: int | None = None

    def poll(self) -> int | None:
        return self.code


# ---- letters that come in -----------------------------------------------------------------------


def came_in(service: Service) -> int:
    """A robot's letter, stored and not judged."""
    raw = b"Auto-Submitted: auto-replied\r\n\r\npass\r\n"
    return store.store(service, Envelope("a@players.example", address(service)), raw)


def state_of(service: Service, inbound_id: int) -> str:
    with service.reading() as session:
        return session.get_one(Inbound, inbound_id).state


def test_a_letter_that_came_in_is_judged(service: Service, enqueued: list[int]) -> None:
    letter = came_in(service)

    tasks.inbox(letter)

    assert state_of(service, letter) == InboundState.IGNORED


def test_the_sweep_takes_up_letters_whose_task_was_lost(
    service: Service, enqueued: list[int], clock: FixedClock
) -> None:
    letter = came_in(service)
    tasks.sweep()
    assert state_of(service, letter) == InboundState.STORED, "its task may be under way"

    clock.forward(timedelta(seconds=15))
    tasks.sweep()

    assert state_of(service, letter) == InboundState.IGNORED


def test_a_letter_that_cannot_be_judged_holds_up_no_game_and_no_letter(
    service: Service, enqueued: list[int], advances: Advances, clock: FixedClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    bad, good, waits = came_in(service), came_in(service), game(service, pending=LOST)
    really = inbox.judge

    def breaks_at_one(service: Service, inbound_id: int, **more: Any) -> InboundState:
        if inbound_id == bad:
            raise ZeroDivisionError
        return really(service, inbound_id, **more)

    monkeypatch.setattr(inbox, "judge", breaks_at_one)
    clock.forward(timedelta(seconds=15))

    tasks.sweep()

    assert (state_of(service, bad), state_of(service, good)) == ("stored", "ignored")
    assert advances.games == [waits]


def test_the_sweep_forgets_what_old_letters_said_once_an_hour(
    service: Service, enqueued: list[int], clock: FixedClock
) -> None:
    letter = came_in(service)
    tasks.inbox(letter)
    tasks.sweep()
    clock.forward(timedelta(days=service.settings.raw_mail_days, seconds=1))

    tasks.sweep()

    with service.reading() as session:
        row = session.get_one(Inbound, letter)
        assert (row.raw, row.state) == (None, InboundState.IGNORED)
        assert not upkeep.is_time_for_cleanup(session, clock.now())
