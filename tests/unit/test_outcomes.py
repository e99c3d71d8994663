"""What a server's refusal means for the letter, its reader, and all letters to a domain."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlmodel import select

from pbem.clock import FixedClock
from pbem.mail import bounces, queue
from pbem.mail.delivery import sending
from pbem.mail.delivery.retries import PATIENCE
from pbem.mail.letter import Image, LetterContext, Values
from pbem.mail.letters import build
from pbem.mail.letters.kinds import KINDS
from pbem.mail.server_answers import Outcome
from pbem.mail.smtp import SmtpTransport
from pbem.models import Bounce, LetterState, MailPause, Outbox, Person
from pbem.service import Service
from tests.support.letterfactory import person, placing_game, row, sign_in, turn_letter
from tests.support.postbox import Postbox

LONGEST = replace(PATIENCE, jitter=lambda least, most: most)
SHORTEST = replace(PATIENCE, jitter=lambda least, most: least)
NO_DKIM = "550 5.7.26 sign your letters"


@pytest.fixture(autouse=True)
def plain_letters(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a letter says is not the affair of these tests, but of the one about pictures."""
    from pbem.mail.letter import Letter

    def plain(session: object, due: Outbox, *about: object, **asked: object) -> Letter:
        return Letter(f"Message-ID: {due.message_id}\r\n\r\nwords\r\n".encode(), {})

    if "comes_once_more" not in request.node.name:
        monkeypatch.setattr(build, "build", plain)


def letters_to(service: Service, *addresses: str) -> list[int]:
    """A due letter to each of these addresses."""
    made = []
    for number, address in enumerate(addresses):
        letter = turn_letter(service, f"P{number}")
        with service.writing() as session:
            session.exec(select(Person).where(Person.name == f"P{number}")).one().address = address
            session.commit()
        made.append(letter)
    return made


def suppressed(service: Service) -> list[str | None]:
    """Why which people get no letters."""
    with service.reading() as session:
        return [one.suppressed for one in session.exec(select(Person)) if one.suppressed]


def pauses(service: Service) -> dict[str, str]:
    """The domains that get no letters, and why."""
    with service.reading() as session:
        return {one.domain: one.why for one in session.exec(select(MailPause))}


def with_why(service: Service, why: str) -> list[Outbox]:
    """The letters that wait for this reason."""
    with service.reading() as session:
        return list(session.exec(select(Outbox).where(Outbox.why == why)))


# ---- our own fault ------------------------------------------------------------------------------


def test_a_domain_that_refuses_us_for_our_fault_is_left_alone_for_an_hour(
    service: Service, clock: FixedClock, postbox: Postbox, caplog: pytest.LogCaptureFixture
) -> None:
    one, two, other = letters_to(service, "ana@big.example", "bo@big.example", "cy@small.example")
    postbox.at_data = [NO_DKIM]

    with caplog.at_level(logging.ERROR):
        sending.sweep(build, service, SmtpTransport(postbox.url), SHORTEST)

    assert [to for _, to in postbox.envelopes] == ["cy@small.example"]
    assert row(service, other).state == LetterState.SENT
    assert pauses(service) == {"big.example": NO_DKIM}
    assert suppressed(service) == []
    assert "big.example refuses our letters" in caplog.text
    refused, waiting = row(service, one), row(service, two)
    assert (waiting.why, waiting.attempts) == ("domain_paused", 0)
    assert waiting.not_before == clock.now() + timedelta(hours=1)
    assert refused.not_before > waiting.not_before


def test_letters_leave_again_once_the_operator_has_mended_it(
    service: Service, clock: FixedClock, postbox: Postbox
) -> None:
    letters = letters_to(service, "ana@big.example", "bo@big.example")
    transport = SmtpTransport(postbox.url)
    postbox.at_data = [NO_DKIM]
    sending.sweep(build, service, transport, SHORTEST)

    clock.forward(timedelta(hours=1, minutes=1))
    sending.sweep(build, service, transport, SHORTEST)

    assert [row(service, letter).state for letter in letters] == [LetterState.SENT] * 2
    assert pauses(service) == {}


def test_a_letter_that_alone_is_refused_does_not_stop_the_others_for_ever(
    service: Service, clock: FixedClock, postbox: Postbox
) -> None:
    """A rule of one reader's own answers 5.7.1 too."""
    one, two = letters_to(service, "ana@big.example", "bo@big.example")
    transport = SmtpTransport(postbox.url)
    postbox.at_rcpt = ["550 5.7.1 not to me"]
    sending.sweep(build, service, transport, LONGEST)
    clock.forward(timedelta(hours=1))
    sending.sweep(build, service, transport, LONGEST)  # the other one gets through

    postbox.at_rcpt = ["550 5.7.1 not to me"]
    clock.forward(timedelta(hours=1))
    sending.sweep(build, service, transport, LONGEST)

    assert row(service, two).state == LetterState.SENT
    assert (row(service, one).state, row(service, one).last_code) == (LetterState.DEAD, 550)
    assert pauses(service) == {}
    assert suppressed(service) == []


def test_a_domain_that_asks_for_time_gets_it_for_all_letters(
    service: Service, clock: FixedClock, postbox: Postbox
) -> None:
    letters_to(service, "ana@big.example", "bo@big.example", "cy@small.example")
    postbox.at_rcpt = ["451 4.7.0 too many letters"]
    transport = SmtpTransport(postbox.url)

    sending.sweep(build, service, transport, SHORTEST)
    assert [to for _, to in postbox.envelopes] == ["cy@small.example"]
    clock.forward(timedelta(minutes=5, seconds=1))
    sending.sweep(build, service, transport, SHORTEST)

    assert len(postbox.letters) == 3
    assert pauses(service) == {}


def test_refused_credentials_stop_letters_that_become_due_later_too(
    service: Service, clock: FixedClock, postbox: Postbox
) -> None:
    letters_to(service, "ana@big.example")
    postbox.at_mail = ["530 5.7.0 log in first"]
    transport = SmtpTransport(postbox.url)
    sending.sweep(build, service, transport)

    later = turn_letter(service, "Late")
    sending.sweep(build, service, transport)

    assert list(pauses(service)) == [""]
    assert row(service, later).state == LetterState.PENDING
    assert postbox.letters == []
    clock.forward(PATIENCE.pause)
    assert sending.sweep(build, service, transport) == 2
    assert pauses(service) == {}


def test_two_workers_may_pause_one_domain_at_once_on_postgresql(
    postgres_service: Service, postbox: Postbox
) -> None:
    one, two = letters_to(postgres_service, "ana@big.example", "bo@big.example")
    postbox.at_data = [NO_DKIM, NO_DKIM]
    postbox_of = SmtpTransport(postbox.url)
    with postgres_service.reading() as session:
        first, second = (session.get_one(Outbox, letter) for letter in (one, two))
    assert first.id != second.id

    sending.deliver(build, postgres_service, one, postbox_of)
    with postgres_service.writing() as session:  # as if the other one had asked before the pause
        session.get_one(MailPause, "big.example").until = postgres_service.clock.now()
        session.commit()
    sending.deliver(build, postgres_service, two, postbox_of)

    assert pauses(postgres_service) == {"big.example": NO_DKIM}


# ---- room ---------------------------------------------------------------------------------------


def test_a_letter_to_a_full_mailbox_is_tried_for_three_days(
    service: Service, clock: FixedClock
) -> None:
    from pbem.mail.server_answers import Refused

    class Full:
        tries = 0

        def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
            self.tries += 1
            return Refused(552, "5.2.2", "5.2.2 mailbox full", "rcpt")

        def close(self) -> None: ...

    (letter,) = letters_to(service, "ana@big.example")
    full, began = Full(), clock.now()

    while sending.deliver(build, service, letter, full, LONGEST) == LetterState.PENDING:
        assert clock.now() - began < timedelta(days=4)
        clock.forward(timedelta(hours=6))

    assert clock.now() - began > timedelta(days=3)
    assert full.tries > PATIENCE.tries
    assert row(service, letter).bounce == Bounce.SOFT
    assert suppressed(service) == []


def test_a_letter_that_is_too_big_comes_once_more_without_its_pictures(
    service: Service, clock: FixedClock, postbox: Postbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def illustrated(it: LetterContext) -> Values:
        size = SimpleNamespace(width=600, height=400)
        images = (Image("x@y.example", b"png" * 9, "a table"),)
        return kinds[it.row.kind].values(it) | {"images": images, "picture": size}

    kinds = dict(KINDS)
    for name, kind in kinds.items():
        monkeypatch.setitem(KINDS, name, replace(kind, values=illustrated))
    placing_game(service, ("Ana", "Bento"))
    postbox.at_data = ["250 ok", "552 5.3.4 too big"]
    transport = SmtpTransport(postbox.url)
    sending.sweep(build, service, transport, SHORTEST)
    [refused] = with_why(service, "too_big")

    clock.forward(timedelta(seconds=31))
    sending.sweep(build, service, transport, SHORTEST)

    again = next(raw for raw in postbox.letters if refused.message_id.encode() in raw)
    assert b"image/png" not in again
    assert b"cid:" not in again
    assert any(b"image/png" in raw for raw in postbox.letters)


def test_a_letter_that_is_too_big_without_pictures_is_given_up(
    service: Service, clock: FixedClock, postbox: Postbox
) -> None:
    (letter,) = letters_to(service, "ana@big.example")
    postbox.at_data = ["552 5.3.4 too big"] * 2
    transport = SmtpTransport(postbox.url)

    sending.deliver(build, service, letter, transport, SHORTEST)
    clock.forward(timedelta(seconds=31))

    assert sending.deliver(build, service, letter, transport, SHORTEST) == LetterState.DEAD
    assert suppressed(service) == []


def test_a_letter_refused_for_its_content_is_given_up_with_an_alarm(
    service: Service, postbox: Postbox, caplog: pytest.LogCaptureFixture
) -> None:
    (letter,) = letters_to(service, "ana@big.example")
    postbox.at_data = ["554 5.6.0 what is this"]

    with caplog.at_level(logging.ERROR):
        state = sending.deliver(build, service, letter, SmtpTransport(postbox.url))

    assert state == LetterState.DEAD
    assert "refused for its content" in caplog.text
    assert "what is this" not in caplog.text  # servers quote addresses
    assert suppressed(service) == []


# ---- what is reported later ---------------------------------------------------------------------


def report(service: Service, letter: int, what: str, status: str = "", text: str = "") -> None:
    """A server's letter about one of ours."""
    with service.writing() as session:
        about = session.get_one(Outbox, letter)
        reader = build.kind_of(about).reader(session, about)
        bounces.bounced(session, about, reader.address, what=what,
                        said=f"{status} {text}".strip(), now=service.clock.now())
        session.commit()


def test_an_address_that_bounces_for_good_gets_no_more_letters(service: Service) -> None:
    (letter,) = letters_to(service, "ana@big.example")

    report(service, letter, "hard", "5.1.1", "no such user")

    kept = row(service, letter)
    assert suppressed(service) == ["5.1.1 no such user"]
    assert (kept.bounce, kept.bounced) == (Bounce.HARD, service.clock.now())
    assert kept.last_text == "hard: 5.1.1 no such user"


def test_a_complaint_stops_letters_at_once(service: Service) -> None:
    (letter,) = letters_to(service, "ana@big.example")

    report(service, letter, "complaint")

    assert suppressed(service) == ["complaint"]
    assert row(service, letter).bounce == Bounce.COMPLAINT


def test_the_fourth_soft_bounce_in_fourteen_days_counts_as_a_hard_one(
    service: Service, clock: FixedClock
) -> None:
    (first,) = letters_to(service, "ana@big.example")
    person_id = row(service, first).person_id
    with service.writing() as session:
        more = [Outbox(person_id=person_id, kind="turn", game_id=1, dedup_key=f"{n}",
                       created=clock.now(), not_before=clock.now()) for n in range(4)]  # fmt: skip
        session.add_all(more)
        session.commit()
    report(service, first, "soft", "4.2.2", "full")
    clock.forward(timedelta(days=15))

    for number, letter in enumerate(more):
        assert suppressed(service) == []
        report(service, letter.id or 0, "soft", "4.2.2", "full")
        if number == 0:
            report(service, letter.id or 0, "soft", "4.2.2", "full")  # the same letter once more

    assert suppressed(service) == ["4.2.2 full"]


@pytest.mark.parametrize("what", ["delayed", "delivered"])
def test_a_letter_that_is_late_or_has_arrived_is_noted_only(service: Service, what: str) -> None:
    (letter,) = letters_to(service, "ana@big.example")

    report(service, letter, what, "4.4.1", "will try again")

    kept = row(service, letter)
    assert suppressed(service) == []
    assert (kept.bounce, kept.bounced) == (None, None)
    assert kept.last_text == f"{what}: 4.4.1 will try again"


def test_a_bounce_of_a_letter_to_a_stranger_blames_nobody(service: Service) -> None:
    with service.writing() as session:
        person(session, "Ana")
        asked = sign_in(session, "typo@players.example", service.clock.now())
        letter = queue.due(session, address="typo@players.example", kind="sign_in",
                            about_id=asked.id,
                            now=service.clock.now())  # fmt: skip
        session.commit()

    report(service, letter or 0, "hard", "5.1.1", "no such user")

    assert suppressed(service) == []
    assert row(service, letter or 0).bounce == Bounce.HARD
