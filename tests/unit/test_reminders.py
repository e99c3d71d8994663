"""Reminders come at set parts of a decision's time, once each, as their reader wishes letters."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.hooks import deliver
from pbem.models import LetterState, Outbox, stored_id
from pbem.models.archive import HookCall, WebHook
from pbem.service import Service
from pbem.tables import votes
from tests.support.letterfactory import html_of, swept, text_of
from tests.support.tables import ANA, BENTO, CATARINA
from tests.support.timed import DAY, FIRST, HOUR, Timed, timed
from tests.unit.test_deadlines import go_away
from tests.unit.test_zero import store

__all__ = ["store"]
MINUTE = timedelta(minutes=1)


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def table(service: Service, session: Session) -> Timed:
    """Three days a decision; Catarina is asked."""
    return timed(service, session)


def test_at_half_and_a_tenth_of_the_time_a_reminder_is_due_once(store: Service) -> None:
    with store.writing() as session:
        table = timed(store, session, "each 100")
        table.wait(50 * HOUR - MINUTE)
        table.sweep()
        assert table.letters("reminder") == []
        table.wait(MINUTE)
        table.sweep()
        table.sweep()
        assert table.letters("reminder") == [("Catarina", 1)]
        table.wait(40 * HOUR)
        table.sweep()
        table.sweep()
        assert table.letters("reminder") == [("Catarina", 1), ("Catarina", 1)]


def test_a_late_sweep_sends_only_the_last_one(table: Timed) -> None:
    table.wait(3 * DAY - HOUR)
    table.sweep()
    assert table.letters("reminder") == [("Catarina", 1)]


def test_a_sweep_that_comes_at_zero_reminds_nobody(table: Timed) -> None:
    table.wait(3 * DAY)
    table.sweep()
    assert table.letters("reminder") == []


def test_the_next_decision_has_reminders_of_its_own(table: Timed) -> None:
    table.wait(2 * DAY)
    table.sweep()
    table.play(CATARINA, FIRST)
    table.wait(2 * DAY)
    table.sweep()
    assert table.letters("reminder") == [("Ana", 2), ("Catarina", 1)]


def test_who_has_sent_orders_that_wait_is_not_reminded(table: Timed) -> None:
    table.wait(2 * DAY)
    table.send(CATARINA, FIRST)
    table.sweep()
    assert table.letters("reminder") == []


def test_short_decisions_have_none_that_nobody_could_use(
    service: Service, session: Session
) -> None:
    table = timed(service, session, "each 1")
    table.wait(31 * MINUTE)
    table.sweep()
    assert table.letters("reminder") == [("Catarina", 1)]
    table.wait(25 * MINUTE)
    table.sweep()
    assert len(table.letters("reminder")) == 1  # a tenth of an hour is too little


def test_a_vacation_puts_reminders_off(table: Timed) -> None:
    go_away(table, CATARINA, DAY, 6 * DAY)
    table.wait(5 * DAY)
    table.sweep()
    assert table.letters("reminder") == []
    table.wait(2 * DAY)
    table.sweep()
    assert table.letters("reminder") == [("Catarina", 1)]


# ---- as wished ----------------------------------------------------------------------------------


def reminder(table: Timed) -> Outbox:
    table.sweep()
    return table.session.exec(select(Outbox).where(Outbox.kind == "reminder")).one()


def wishes(table: Timed, number: int, wish: str) -> None:
    person = table.person(number)
    person.letters = wish
    table.session.add(person)
    table.session.commit()


def test_who_wants_no_letters_gets_no_reminder(table: Timed) -> None:
    wishes(table, CATARINA, "none")
    table.wait(2 * DAY)
    assert reminder(table).state == LetterState.UNWANTED


def test_who_wants_them_once_a_day_gets_it_at_his_hour_if_that_is_in_time(table: Timed) -> None:
    wishes(table, CATARINA, "digest 8")
    table.wait(36 * HOUR)  # Wednesday, 0:00; the time is over on Thursday at noon
    assert reminder(table).not_before == table.now + 8 * HOUR


def test_who_wants_them_once_a_day_gets_it_at_once_where_that_would_be_too_late(
    table: Timed
) -> None:
    wishes(table, CATARINA, "digest 13")
    table.wait(2 * DAY + 2 * HOUR)  # Wednesday, 14:00
    assert reminder(table).not_before == table.now


def test_web_hooks_are_told_with_the_deadline(table: Timed) -> None:
    hook = WebHook(person_id=table.person(CATARINA).id or 0, url="https://hook.example/x",
                   secret="s", created=table.now, confirmed=table.now)
    table.session.add(hook)
    table.wait(2 * DAY)
    table.sweep()

    call = table.session.exec(select(HookCall)).one()
    due = deliver.told(table.session, call, table.service)
    assert due is not None
    assert due.body["event"] == "reminder"
    assert due.body["due"] == "2026-03-05T12:00:00+00:00"


# ---- the letter ---------------------------------------------------------------------------------


def test_the_letter_says_by_when_by_its_readers_clock_and_takes_an_answer(table: Timed) -> None:
    person = table.person(CATARINA)
    person.zone = "Asia/Kathmandu"
    table.session.add(person)
    table.wait(2 * DAY)
    table.sweep()
    [letter] = swept(table.service).letters

    text = text_of(letter)
    assert "Reminder: your turn" in letter["Subject"]
    for said in (text, html_of(letter)):
        assert "5 March 2026, 17:45 (Kathmandu, UTC+05:45), in 1 day" in " ".join(said.split())
        assert "merchant" in said
    assert letter["Reply-To"].addresses[0].username.startswith("turn+")


def test_a_reminder_that_was_overtaken_by_an_answer_is_not_sent(table: Timed) -> None:
    table.wait(2 * DAY)
    table.sweep()
    table.play(CATARINA, FIRST)
    kinds = [letter["Subject"] for letter in swept(table.service).letters]

    assert not any("Reminder" in subject for subject in kinds)
    assert reminder(table).state == LetterState.SUPERSEDED
    assert table.seat(ANA).asked_since is not None


def test_whose_time_was_over_reads_what_was_played_and_how_long_he_stays(table: Timed) -> None:
    table.wait(3 * DAY)
    table.sweep()
    letters = {letter["To"]: text_of(letter) for letter in swept(table.service).letters
               if "over" in letter["Subject"]}
    own = next(text for to, text in letters.items() if "catarina" in to)
    other = next(text for to, text in letters.items() if "bento" in to)

    assert "Your time for a decision was over." in own
    assert "2 more times in a row" in " ".join(own.split())
    assert "- The time of Catarina is over." in other
    assert "you lose your seat" not in other


def test_who_is_dropped_is_told_so_though_his_seat_is_gone(
    service: Service, session: Session
) -> None:
    table = timed(service, session, at_zero="bot")
    table.wait(3 * DAY)
    table.sweep()
    letters = {str(letter["To"]): text_of(letter) for letter in swept(service).letters
               if "seat" in letter["Subject"] or "dropped" in letter["Subject"]}

    assert any("catarina" in to and "have lost your seat" in text for to, text in letters.items())
    assert any("duarte" in to and "A player did not answer" in " ".join(text.split())
               for to, text in letters.items())


def test_who_got_all_his_time_again_is_reminded_again(
    service: Service, session: Session
) -> None:
    table = timed(service, session, "each 72", "vote")
    table.wait(37 * HOUR)
    table.sweep()
    table.wait(36 * HOUR)
    table.sweep()
    for number in (ANA, BENTO):
        votes.answer(session, stored_id(table.game), table.seat(number).person_id, table.now,
                     seat=CATARINA, said="wait")
    table.wait(37 * HOUR)
    table.sweep()

    assert table.letters("reminder") == [("Catarina", 1), ("Catarina", 1)]
