"""What is stored is judged: once, again when it breaks, and by nobody for ever."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import col, update

from pbem.clock import FixedClock
from pbem.mail import queue
from pbem.mail.incoming import inbox, store
from pbem.mail.incoming.parse.reading import Envelope
from pbem.models import Inbound, InboundState
from pbem.service import Service
from tests.support.incoming import WRITER, address, letter, rows
from tests.support.letterfactory import person, running_game


class Judge:
    """Judges as it is told; what it was given."""

    def __init__(self) -> None:
        self.given: list[int] = []
        self.does: Callable[[], None] = lambda: None

    def __call__(
        self, service: Service, inbound_id: int, *, enqueue: Callable[[int], None]
    ) -> InboundState:
        self.given.append(inbound_id)
        self.does()
        with service.writing() as session:
            session.get_one(Inbound, inbound_id).state = InboundState.PLAYED
            session.commit()
        return InboundState.PLAYED


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    stand_in = Judge()
    monkeypatch.setattr(inbox, "judge", stand_in)
    return stand_in


def stored(service: Service, raw: bytes = b"") -> int:
    return store.store(service, Envelope(WRITER, address(service)), raw or letter())


def work_off(service: Service, inbound_id: int) -> InboundState:
    return inbox.work_off(service, inbound_id, enqueue=lambda _: None)


def waiting(service: Service) -> list[int]:
    now = service.clock.now()
    with service.reading() as session:
        return inbox.waiting(session, now, now)


# ---- judging ------------------------------------------------------------------------------------


def test_a_letter_is_judged_once(service: Service, judge: Judge) -> None:
    letter_id = stored(service)

    assert work_off(service, letter_id) == InboundState.PLAYED
    assert work_off(service, letter_id) == InboundState.PLAYED

    assert judge.given == [letter_id]


def test_a_letter_that_breaks_the_judge_is_tried_three_times_and_others_go_on(
    service: Service, judge: Judge
) -> None:
    bad = stored(service)

    def breaks() -> None:
        raise ZeroDivisionError

    judge.does = breaks
    states = [work_off(service, bad) for _ in range(4)]

    assert judge.given == [bad] * 3
    assert states == [InboundState.STORED] * 2 + [InboundState.IGNORED] * 2
    assert rows(service)[0].reason == "broken"
    judge.does = lambda: None
    assert work_off(service, stored(service)) == InboundState.PLAYED


def test_a_letter_that_kills_its_worker_is_tried_three_times(
    service: Service, judge: Judge, clock: FixedClock
) -> None:
    """Whoever is killed puts nothing back: the lease ends by itself."""
    deadly = stored(service)
    for _ in range(3):
        assert inbox.begin(service, deadly)
        clock.forward(inbox.LEASE + timedelta(seconds=1))

    assert work_off(service, deadly) == InboundState.IGNORED
    assert judge.given == []


def test_a_letter_in_other_hands_is_left_alone(service: Service, judge: Judge) -> None:
    letter_id = stored(service)
    inbox.begin(service, letter_id)

    assert work_off(service, letter_id) == InboundState.STORED
    assert waiting(service) == []
    assert judge.given == []


def test_a_database_that_is_away_counts_as_no_try(service: Service, judge: Judge) -> None:
    letter_id = stored(service)

    def away() -> None:
        raise OperationalError("select", {}, Exception("away"))

    judge.does = away
    for _ in range(5):
        with pytest.raises(OperationalError):
            work_off(service, letter_id)

    judge.does = lambda: None
    assert work_off(service, letter_id) == InboundState.PLAYED


def test_the_oldest_letters_wait_in_front(service: Service, clock: FixedClock) -> None:
    first = stored(service)
    clock.forward(timedelta(seconds=1))
    second = stored(service)

    assert waiting(service) == [first, second]


def test_what_a_letter_made_due_at_its_table_is_found_when_it_may_leave(service: Service) -> None:
    letter_id, now = stored(service), service.clock.now()
    with service.writing() as session:
        people = [person(session, name) for name in ("Ana", "Bento")]
        own, other = (running_game(session, people, now).id for _ in range(2))
        session.connection().execute(
            update(Inbound).where(col(Inbound.id) == letter_id).values(game_id=own))
        for about in (
            {"kind": "receipt", "game_id": own, "about_id": letter_id},
            {"kind": "held", "about_id": letter_id},
            {"kind": "turn", "game_id": own, "entry": 1},
            {"kind": "receipt", "game_id": own, "about_id": 999},
            {"kind": "receipt", "game_id": other, "about_id": 998},
        ):
            queue.due(session, person_id=people[0].id, now=now, **about)
        session.commit()

    with service.reading() as session:
        assert inbox.answers(session, letter_id, now) == [1, 2, 3, 4]


# ---- storing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"Message-ID: <a@b.example>", "<a@b.example>"),
        (b"message-id:\r\n <a@b.example>", "<a@b.example>"),
        (b"Message-Id: a@b.example", "<a@b.example>"),
        (b"Subject: x", None),
        (b"X-Note: Message-ID: <no@b.example>", None),
        (b"Message-ID: <" + b"x" * 2000 + b"@b.example>", "<" + "x" * 248 + ">"),
        (b"Message-ID: <\xff\x00@b.example>", "<??@b.example>"),
    ],
)
def test_a_message_id_is_found_without_parsing(head: bytes, found: str | None) -> None:
    raw = head + b"\r\n\r\nMessage-ID: <body@b.example>\r\n"

    assert store.message_id(raw) == (found and found.replace("??", "�"))


def test_addresses_are_stored_as_any_database_takes_them(service: Service) -> None:
    store.store(service, Envelope("a\0\udcff@" + "x" * 300, "b@c.example"), b"")

    (row,) = rows(service)
    assert row.sender.startswith("a?@xxx")
    assert len(row.sender) == 254


def test_after_some_time_only_what_became_of_a_letter_is_kept(
    service: Service, judge: Judge, clock: FixedClock
) -> None:
    old = stored(service)
    work_off(service, old)
    with service.writing() as session:
        session.get_one(Inbound, old).told = '{"lines": ["pass"]}'
        session.commit()
    clock.forward(timedelta(days=30))
    stored(service)
    clock.forward(timedelta(minutes=1))

    with service.writing() as session:
        assert store.forget_contents(session, clock.now(), 30) == 1
        assert store.forget_contents(session, clock.now(), 30) == 0
        session.commit()

    gone, here = rows(service)
    assert (gone.raw, gone.told, gone.sender, gone.state) == (None, None, "", "played")
    assert here.raw == letter()
