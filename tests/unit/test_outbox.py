"""A due letter leaves once, if it still is true; what a server says decides what becomes of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest
from sqlmodel import Session, select

from pbem.clock import FixedClock
from pbem.mail import queue
from pbem.mail.delivery import sending
from pbem.mail.delivery.retries import PATIENCE, Patience
from pbem.mail.delivery.rows import claim
from pbem.mail.letter import Letter
from pbem.mail.letters import build
from pbem.mail.server_answers import Accepted, Outcome, Refused, Unreachable
from pbem.mail.smtp import SmtpTransport
from pbem.mail.tokens import token
from pbem.models import LetterState, Outbox, Person, SeatRow, SignIn
from pbem.service import Service
from tests.support.letterfactory import person, row, running_game, sign_in, states, turn_letter
from tests.support.postbox import Postbox, postbox
from tests.support.servers import free_port

LONGEST = replace(PATIENCE, jitter=lambda least, most: most)
SHORTEST = replace(PATIENCE, jitter=lambda least, most: least)


@pytest.fixture(autouse=True)
def plain_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a letter says is tests/unit/test_compose.py's affair."""

    def plain(session: Session, due: Outbox, settings: Any, now: Any, **asked: Any) -> Letter:
        letter = EmailMessage(policy=SMTP)
        letter["Message-ID"] = due.message_id
        letter["Subject"] = f"{due.kind} built at {now:%H:%M}"
        letter.set_content("words")
        return Letter(letter.as_bytes(), {})

    monkeypatch.setattr(build, "build", plain)


@pytest.fixture
def box() -> Iterator[Postbox]:
    with postbox() as running:
        yield running


class Told:
    """A transport that answers as it is told, over and over with its last answer."""

    def __init__(self, *answers: Outcome) -> None:
        self.answers = list(answers)
        self.sent: list[bytes] = []

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        self.sent.append(letter)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def close(self) -> None:
        return None


def bounce_of(service: Service, letter: int) -> str:
    """Where a server says that this letter did not arrive."""
    name = token(service.settings.keys, "bounce", row(service, letter))
    return f"bounce+{name}@reply.carreira.example"


def test_while_one_letter_is_handed_over_the_next_is_built(service: Service) -> None:
    both = threading.Barrier(2, timeout=20)

    class Meeting(Told):
        def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
            both.wait()  # nobody goes on before the other one is here
            return super().send(sender, recipient, letter)

    transport = Meeting(Accepted(250, "kept"))
    due = [turn_letter(service, name) for name in ("Ana", "Bento")]

    with ThreadPoolExecutor(2) as threads:
        left = threads.map(lambda each: sending.deliver(build, service, each, transport), due)

    assert list(left) == [LetterState.SENT, LetterState.SENT]


def test_a_letter_that_cannot_be_made_holds_up_no_other_and_is_given_up(
    service: Service, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = build.build

    def only_for_others(session: Session, due: Outbox, *more: Any, **asked: Any) -> Any:
        if due.id == broken:
            raise ZeroDivisionError("a template that divides")
        return plain(session, due, *more, **asked)

    monkeypatch.setattr(build, "build", only_for_others)
    broken = turn_letter(service, "Ana")
    good = turn_letter(service, "Bento")

    assert sending.sweep(build, service, Told(Accepted(250, "ok"))) == 1
    assert row(service, good).state == LetterState.SENT
    for _ in range(PATIENCE.tries + 3):
        clock.forward(timedelta(minutes=4))
        sending.sweep(build, service, Told(Accepted(250, "ok")))
    assert row(service, broken).state == LetterState.DEAD


LATER = Refused(450, "4.2.0", "4.2.0 come back later", "rcpt")


# ---- becoming due -------------------------------------------------------------------------------


def test_a_letter_is_due_once_for_an_occasion(service: Service) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana = person(session, "Ana")
        game = running_game(session, [ana, person(session, "Bento")], now)
        about: dict[str, Any] = {"person_id": ana.id, "kind": "turn", "game_id": game.id,
                                 "entry": 5}
        first = queue.due(session, **about, now=now)
        again = queue.due(session, **about, now=now + timedelta(hours=1))
        other = queue.due(session, **{**about, "entry": 6}, now=now)
        session.commit()

    assert first is not None
    assert again is None
    assert other not in (None, first)
    assert row(service, first).not_before == now


def test_a_letter_of_a_transaction_that_failed_is_never_due(service: Service) -> None:
    with service.writing() as session:
        ana = person(session, "Ana")
        queue.due(session, person_id=ana.id, kind="test", now=service.clock.now())

    assert states(service) == []


def test_on_postgresql_too_letters_are_due_once_and_leave_once(
    postgres_service: Service, box: Postbox
) -> None:
    now = postgres_service.clock.now()
    letters = [turn_letter(postgres_service, name) for name in ("Ana", "Bento", "Clara")]
    with postgres_service.writing() as session:
        known = session.get_one(Outbox, letters[0])
        again = queue.due(session, person_id=known.person_id, kind="turn",
                          game_id=known.game_id, entry=known.entry, now=now)
        session.commit()
    all_at_once = threading.Barrier(3)

    def work(_: int) -> None:
        all_at_once.wait()
        sending.sweep(build, postgres_service, SmtpTransport(box.url))

    with ThreadPoolExecutor(3) as workers:
        list(workers.map(work, range(3)))

    assert again is None
    assert len(box.letters) == 3
    assert states(postgres_service) == [LetterState.SENT] * 3


# ---- leaving ------------------------------------------------------------------------------------


def test_a_due_letter_leaves_and_keeps_only_what_the_server_said(
    service: Service, box: Postbox
) -> None:
    letter = turn_letter(service)

    state = sending.deliver(build, service, letter, SmtpTransport(box.url))

    kept = row(service, letter)
    assert state == LetterState.SENT
    assert box.envelopes == [(bounce_of(service, letter), "ana@players.example")]
    assert box.ids() == [kept.message_id]
    assert (kept.last_code, kept.last_text, kept.raw) == (250, "2.0.0 kept", None)
    assert kept.settled == service.clock.now()


def test_a_letter_that_left_does_not_leave_again(service: Service, box: Postbox) -> None:
    letter = turn_letter(service)
    transport = SmtpTransport(box.url)

    sending.deliver(build, service, letter, transport)

    assert sending.deliver(build, service, letter, transport) == LetterState.SENT
    assert sending.sweep(build, service, transport) == 0
    assert len(box.letters) == 1


def test_a_letter_does_not_leave_before_its_time(
    service: Service, clock: FixedClock, box: Postbox
) -> None:
    letter = turn_letter(service)
    with service.writing() as session:
        session.get_one(Outbox, letter).not_before = clock.now() + timedelta(minutes=2)
        session.commit()
    transport = SmtpTransport(box.url)

    assert sending.deliver(build, service, letter, transport) == LetterState.PENDING
    clock.forward(timedelta(minutes=2))
    assert sending.sweep(build, service, transport) == 1


def test_two_workers_and_a_sweep_send_one_copy(service: Service, box: Postbox) -> None:
    letters = [turn_letter(service, name) for name in ("Ana", "Bento", "Clara")]
    all_at_once = threading.Barrier(6)

    def work(number: int) -> None:
        transport = SmtpTransport(box.url)
        all_at_once.wait()
        if number % 2:
            sending.sweep(build, service, transport)
        else:
            for letter in letters:
                sending.deliver(build, service, letter, transport)

    with ThreadPoolExecutor(6) as workers:
        list(workers.map(work, range(6)))

    assert len(box.letters) == 3
    assert set(states(service)) == {LetterState.SENT}


def test_a_sweep_that_meets_another_sender_goes_on_elsewhere(service: Service) -> None:
    names = ("Ana", "Bento", "Clara", "Diogo", "Eva", "Filipa")
    letters = {name.lower(): turn_letter(service, name) for name in names}
    sent = []

    class Meeting(Told):
        def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
            sent.append(recipient.partition("@")[0])
            if sent == ["ana"]:
                sending.deliver(build, service, letters["bento"], Told(Accepted(250, "ok")))
            return super().send(sender, recipient, letter)

    sending.sweep(build, service, Meeting(Accepted(250, "ok")))

    assert sent == ["ana", "eva", "filipa", "clara", "diogo"]


def test_nothing_is_sent_inside_a_transaction(service: Service, box: Postbox) -> None:
    """While the server thinks, others can write."""
    letter = turn_letter(service)

    def meanwhile() -> None:
        with service.writing() as session:
            person(session, "Somebody")
            session.commit()

    box.before_answer = meanwhile

    assert sending.deliver(build, service, letter, SmtpTransport(box.url)) == LetterState.SENT


# ---- still true? --------------------------------------------------------------------------------


def test_a_turn_letter_is_dropped_once_the_player_has_moved(service: Service, box: Postbox) -> None:
    letter = turn_letter(service)
    with service.writing() as session:
        asked = session.exec(select(SeatRow).where(SeatRow.asked_since == 5)).one()
        asked.asked_since = 9
        session.commit()

    assert sending.deliver(build, service, letter, SmtpTransport(box.url)) == LetterState.SUPERSEDED
    assert box.letters == []


def test_a_retried_turn_letter_is_asked_again_whether_it_is_true(
    service: Service, clock: FixedClock
) -> None:
    letter = turn_letter(service)
    transport = Told(LATER)
    sending.deliver(build, service, letter, transport, SHORTEST)
    with service.writing() as session:
        session.exec(select(SeatRow).where(SeatRow.asked_since == 5)).one().asked_since = None
        session.commit()
    clock.forward(timedelta(minutes=1))

    assert sending.deliver(build, service, letter, transport) == LetterState.SUPERSEDED
    assert len(transport.sent) == 1


def test_a_sign_in_letter_is_dropped_once_its_link_was_used_or_is_too_old(
    service: Service, clock: FixedClock, box: Postbox
) -> None:
    now = clock.now()
    with service.writing() as session:
        used = sign_in(session, "ana@players.example", now, used=now)
        old = sign_in(session, "bento@players.example", now - timedelta(minutes=30))
        for one in (used, old):
            queue.due(session, address=one.address, kind="sign_in", about_id=one.id,
                      now=now)
        session.commit()

    assert sending.sweep(build, service, SmtpTransport(box.url)) == 0
    assert states(service) == [LetterState.SUPERSEDED] * 2


def test_players_of_our_own_get_no_letters(service: Service, box: Postbox) -> None:
    letter = turn_letter(service)
    with service.writing() as session:
        session.exec(select(Person).where(Person.name == "Ana")).one().bot = "steady"
        session.commit()

    assert sending.deliver(build, service, letter, SmtpTransport(box.url)) == LetterState.SUPERSEDED
    assert box.letters == []


# ---- what the server says -----------------------------------------------------------------------


def test_a_letter_put_off_is_tried_again_with_the_same_bytes(
    service: Service, clock: FixedClock
) -> None:
    letter = turn_letter(service)
    transport = Told(LATER, Accepted(250, "ok"))

    assert sending.deliver(build, service, letter, transport, LONGEST) == LetterState.PENDING
    kept = row(service, letter)
    assert (kept.last_code, kept.last_text) == (450, "4.2.0 come back later")
    clock.forward(timedelta(minutes=2))
    assert sending.deliver(build, service, letter, transport) == LetterState.SENT

    first, second = transport.sent
    assert first == second


def test_waiting_times_double_up_to_six_hours_and_never_fall_below_thirty_seconds() -> None:
    longest = [LONGEST.before_try(attempts).total_seconds() / 60 for attempts in range(1, 13)]

    assert longest == [2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360, 360]
    assert SHORTEST.before_try(1) == timedelta(seconds=30)


def test_a_letter_is_given_up_after_twelve_tries(service: Service, clock: FixedClock) -> None:
    letter = turn_letter(service)
    transport = Told(Unreachable("connection refused"))
    soon = replace(SHORTEST, span=timedelta(days=365))

    while sending.deliver(build, service, letter, transport, soon) == LetterState.PENDING:
        clock.forward(timedelta(seconds=31))

    kept = row(service, letter)
    assert len(transport.sent) == 12
    assert (kept.state, kept.last_text) == (LetterState.DEAD, "connection refused")
    assert kept.raw is None


def test_a_letter_is_given_up_after_two_days_but_not_before_three_tries(
    service: Service, clock: FixedClock
) -> None:
    letter = turn_letter(service)
    transport = Told(LATER)
    clock.forward(timedelta(days=3))  # no worker ran

    seen = []
    for _ in range(3):
        seen.append(sending.deliver(build, service, letter, transport, SHORTEST))
        clock.forward(timedelta(minutes=1))

    assert seen == [LetterState.PENDING, LetterState.PENDING, LetterState.DEAD]


def test_an_address_that_does_not_exist_gets_nothing_but_sign_in_letters(
    service: Service, clock: FixedClock
) -> None:
    first = turn_letter(service)
    gone = Told(Refused(550, "5.1.1", "5.1.1 no such user", "rcpt"))

    assert sending.deliver(build, service, first, gone) == LetterState.DEAD

    now = clock.now()
    with service.writing() as session:
        ana = session.exec(select(Person).where(Person.name == "Ana")).one()
        game = running_game(session, [ana, person(session, "Bento")], now)
        asked = sign_in(session, ana.address, now)
        turn = queue.due(session, person_id=ana.id, kind="turn", game_id=game.id,
                          entry=5, now=now)  # fmt: skip
        proof = queue.due(session, person_id=ana.id, kind="sign_in", about_id=asked.id,
                      now=now)
        session.commit()
    good = Told(Accepted(250, "ok"))

    assert ana.suppressed == "5.1.1 no such user"
    assert sending.deliver(build, service, turn or 0, good) == LetterState.DEAD
    assert row(service, turn or 0).last_text == "5.1.1 no such user"
    assert sending.deliver(build, service, proof or 0, good) == LetterState.SENT


def test_refused_credentials_stop_all_letters_for_a_while_and_lose_none(
    service: Service, clock: FixedClock
) -> None:
    letters = [turn_letter(service, name) for name in ("Ana", "Bento", "Clara")]
    locked_out = Told(Refused(535, "5.7.8", "wrong password", "login"))

    for _ in range(20):  # longer than any letter's twelve tries
        sending.sweep(build, service, locked_out)
        sending.sweep(build, service, locked_out)
        clock.forward(PATIENCE.pause)

    assert len(locked_out.sent) == 20
    assert all(row(service, letter).attempts == 0 for letter in letters)
    assert sending.sweep(build, service, Told(Accepted(250, "ok"))) == 3


def test_a_sweep_stops_at_a_server_that_is_not_there(service: Service) -> None:
    for name in ("Ana", "Bento", "Clara"):
        turn_letter(service, name)
    nobody = Told(Unreachable("connection refused"))

    sending.sweep(build, service, nobody)

    assert len(nobody.sent) == 1


def test_one_letter_put_off_does_not_hold_up_the_others(service: Service) -> None:
    for name in ("Ana", "Bento", "Clara"):
        turn_letter(service, name)

    assert sending.sweep(build, service, Told(LATER, Accepted(250, "ok"))) == 2


def test_a_server_that_is_down_gets_the_letter_when_it_is_up(
    service: Service, clock: FixedClock
) -> None:
    letter = turn_letter(service)
    port = free_port()
    transport = SmtpTransport(f"smtp://127.0.0.1:{port}")

    assert sending.deliver(build, service, letter, transport) == LetterState.PENDING
    with postbox(port) as box:
        clock.forward(timedelta(minutes=3))
        assert sending.sweep(build, service, transport) == 1

    assert box.ids() == [row(service, letter).message_id]


# ---- leases -------------------------------------------------------------------------------------


def test_a_letter_that_somebody_holds_is_left_alone_until_the_lease_is_over(
    service: Service, clock: FixedClock
) -> None:
    """Whoever held it was killed; the sweep sends it with the Message-ID that it had."""
    letter = turn_letter(service)
    assert claim(service, letter, PATIENCE.lease)
    promised = row(service, letter).message_id
    good = Told(Accepted(250, "ok"))

    clock.forward(timedelta(seconds=179))
    assert sending.sweep(build, service, good) == 0
    assert sending.deliver(build, service, letter, good) == LetterState.SENDING
    clock.forward(timedelta(seconds=2))
    assert sending.sweep(build, service, good) == 1

    assert promised is not None
    assert promised.encode() in good.sent[0]


@pytest.mark.parametrize("late", [timedelta(0), timedelta(minutes=5)])
def test_a_worker_that_slept_while_it_built_a_letter_sends_nothing(
    service: Service, clock: FixedClock, monkeypatch: pytest.MonkeyPatch, late: timedelta
) -> None:
    """The laptop's lid was closed: what was true before may not be so now, and a claim is over."""
    letter = turn_letter(service)
    clock.forward(late)
    plain = build.build

    def slowly(*about: Any, **asked: Any) -> Letter | None:
        clock.forward(timedelta(minutes=10))
        return plain(*about)

    monkeypatch.setattr(build, "build", slowly)
    good = Told(Accepted(250, "ok"))

    assert sending.deliver(build, service, letter, good) != LetterState.SENT
    assert good.sent == []
    monkeypatch.setattr(build, "build", plain)
    assert sending.sweep(build, service, good) == 1


def test_a_letter_that_kills_every_worker_is_given_up(service: Service, clock: FixedClock) -> None:
    letter = turn_letter(service)
    short = Patience(lease=timedelta(seconds=1), tries=3)
    for _ in range(3):
        claim(service, letter, short.lease)  # and never heard of again
        clock.forward(timedelta(seconds=2))
    good = Told(Accepted(250, "ok"))

    assert sending.deliver(build, service, letter, good, short) == LetterState.DEAD
    assert good.sent == []


def test_secrets_of_a_sign_in_are_not_kept_once_its_letter_left(service: Service) -> None:
    with service.writing() as session:
        now = service.clock.now()
        asked = sign_in(session, "new@players.example", now)
        letter = queue.due(session, address="new@players.example", kind="sign_in",
                            about_id=asked.id, now=now)  # fmt: skip
        session.commit()

    sent = Told(Accepted(250, "ok"))
    assert sending.deliver(build, service, letter or 0, sent) == LetterState.SENT
    assert row(service, letter or 0).raw is None
    with service.reading() as session:
        assert session.exec(select(SignIn)).one().used is None
