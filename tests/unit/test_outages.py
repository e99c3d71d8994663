"""The time in which the service was not there is given back to every clock, once, and said so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.mail.delivery import retries
from pbem.models import EVERYWHERE, Entry, LetterState, Outage, Outbox, stored_id
from pbem.play import narration, outages, positions, upkeep
from pbem.service import Service
from pbem.tables import lobby
from pbem.timeouts import expiry
from tests.support.tables import ANA, CATARINA, NAMES
from tests.support.timed import DAY, FIRST, HOUR, Timed, timed
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


def noted(table: Timed) -> list[int]:
    """The seconds that the log says were given back."""
    entries = table.session.exec(select(Entry).where(Entry.cause == "outage")).all()
    numbers = [entry.number for entry in entries]
    found = positions.entries(table.session, table.game, 1, max(numbers, default=0))
    return [int((entry.note or {})["seconds"]) for entry in found if entry.number in numbers]


def test_six_hours_without_a_sweep_move_all_deadlines_by_six_hours(store: Service) -> None:
    with store.writing() as session:
        table = timed(store, session)
        due = table.seat(CATARINA).due
        assert due is not None
        table.wait(3 * DAY - HOUR)
        table.sleep(6 * HOUR)
        table.sweep()

        assert "overtime" not in table.causes()
        assert table.seat(CATARINA).due == due + 6 * HOUR
        assert noted(table) == [6 * 3600]
        table.wait(HOUR)
        table.sweep()
        assert "overtime" in table.causes()


def test_an_outage_is_given_back_once_however_often_the_sweep_comes(table: Timed) -> None:
    table.wait(DAY)
    table.sleep(6 * HOUR)
    due = table.seat(CATARINA).due
    for _ in range(3):
        table.sweep()

    assert due is not None
    assert table.seat(CATARINA).due == due + 6 * HOUR
    assert len(noted(table)) == 1


def test_two_outages_are_two(table: Timed) -> None:
    due = table.seat(CATARINA).due
    for _ in range(2):
        table.wait(HOUR)
        table.sleep(6 * HOUR)
        table.sweep()

    assert due is not None
    assert table.seat(CATARINA).due == due + 12 * HOUR
    assert noted(table) == [6 * 3600] * 2


def test_a_sweep_that_is_a_little_late_is_no_outage(table: Timed) -> None:
    table.sleep(4 * MINUTE)
    table.sweep()
    assert noted(table) == []


@pytest.mark.parametrize("dies_behind", ["notice", "first game"])
def test_a_crash_within_an_outages_sweep_gives_neither_twice_nor_not_at_all(
    service: Service, session: Session, monkeypatch: pytest.MonkeyPatch, dies_behind: str
) -> None:
    one = timed(service, session)
    two = again(one)
    dues = [each.seat(CATARINA).due for each in (one, two)]
    one.sleep(6 * HOUR)
    real, seen = expiry.note_outages, []

    def die(*about: object) -> set[int]:
        if dies_behind == "notice" or seen:
            raise KeyboardInterrupt
        seen.append(about)
        return real(*about)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(expiry, "note_outages", die)
        with pytest.raises(KeyboardInterrupt):
            one.sweep()
    one.wait(MINUTE)
    one.sweep()

    for each, due in zip((one, two), dues, strict=True):
        assert due is not None
        assert each.seat(CATARINA).due == due + 6 * HOUR
        assert each.causes().count("outage") == 1


def again(table: Timed) -> Timed:
    """Another game of the same people."""
    people = [table.person(number) for number in range(4)]
    game = lobby.open_game(
        table.session, host=people[0], game_key="vasco-da-gama", title="", seats=4,
        chosen_order=True, private=False, components=None, phrase="", open_days=30, now=table.now)
    game.server_part, game.commitment = table.game.server_part, table.game.commitment
    game.clock = table.game.clock
    for guest in people[1:]:
        lobby.join(table.session, game_id=stored_id(game), person=guest, phrase="", now=table.now)
    table.session.commit()
    return Timed(table.service, table.session, game)


def test_who_answers_before_the_first_sweep_has_not_used_the_outage(
    service: Service, session: Session
) -> None:
    table = timed(service, session, "bank 240 12 240")
    table.wait(HOUR)
    table.sleep(6 * HOUR)
    table.play(CATARINA, FIRST)  # a worker is back, the sweep is not

    assert table.seat(CATARINA).clock_left == 239 * HOUR // timedelta(milliseconds=1)
    table.sweep()
    assert table.seat(CATARINA).clock_left == 239 * HOUR // timedelta(milliseconds=1)


def test_the_log_says_how_long_it_was(table: Timed) -> None:
    table.sleep(2 * HOUR)
    table.sweep()
    told = narration.log(table.session, table.game, upto=2, viewer=None, names=NAMES, language="en")
    assert [line.text for line in told[1].lines] == [
        "The service was out of order: all clocks got 120 minutes back."]


def test_a_game_without_a_clock_is_not_bothered(service: Service, session: Session) -> None:
    table = timed(service, session, "none")
    table.sleep(6 * HOUR)
    table.sweep()
    assert table.causes() == ["start"]


# ---- letters that cannot leave ------------------------------------------------------------------


def stuck(table: Timed, span: timedelta) -> None:
    """Our own server refuses us, sweep after sweep."""
    retries.pause(table.session, EVERYWHERE, until=table.now + 10 * MINUTE, why="535",
                 now=table.now)
    table.session.commit()
    passed = timedelta(0)
    while passed < span:
        table.sleep(4 * MINUTE)
        passed += 4 * MINUTE
        table.sweep()


def through(table: Timed) -> None:
    """Letters leave again."""
    retries.lift(table.session, "ana@players.example")
    for row in table.session.exec(select(Outbox).where(Outbox.settled == None)):  # noqa: E711
        row.state, row.settled = LetterState.SENT, table.now
        table.session.add(row)
    table.session.commit()


def test_who_could_not_be_told_gets_that_time_back(table: Timed) -> None:
    due = table.seat(CATARINA).due
    assert due is not None
    stuck(table, 2 * HOUR)
    through(table)
    table.sweep()

    assert table.seat(CATARINA).due == due + 2 * HOUR
    assert noted(table) == [2 * 3600]


def test_nobody_is_at_zero_while_he_cannot_be_told(service: Service, session: Session) -> None:
    table = timed(service, session, "each 1")
    stuck(table, 3 * HOUR)

    assert table.causes() == ["start"]
    through(table)
    table.sweep()
    table.wait(HOUR)
    table.sweep()
    assert "overtime" in table.causes()


def test_who_was_told_before_gets_nothing_back(table: Timed) -> None:
    table.wait(MINUTE)  # his letter left
    due = table.seat(CATARINA).due
    stuck(table, 2 * HOUR)
    through(table)
    table.sweep()

    assert table.seat(CATARINA).due == due
    assert noted(table) == []


def test_who_has_seen_the_question_on_the_page_was_told(table: Timed) -> None:
    due = table.seat(CATARINA).due
    assert due is not None
    seat = table.seat(CATARINA)
    seat.looked_at = table.now + HOUR
    table.session.add(seat)
    table.session.commit()
    stuck(table, 2 * HOUR)
    through(table)
    table.sweep()

    assert table.seat(CATARINA).due == due + HOUR


def test_who_wants_no_letters_gets_nothing_back(service: Service, session: Session) -> None:
    table = timed(service, session)
    table.play(CATARINA, FIRST)
    table.person(ANA).letters = "none"
    row = session.exec(select(Outbox).where(
        Outbox.kind == "turn", Outbox.person_id == table.person(ANA).id)).one()
    row.state, row.settled = LetterState.UNWANTED, table.now
    session.commit()
    due = table.seat(ANA).due
    stuck(table, HOUR)

    assert table.seat(ANA).due == due


def test_letters_that_are_due_and_do_not_leave_are_an_outage_without_a_word_of_a_server(
    table: Timed
) -> None:
    for _ in range(30):  # no worker sends letters; the sweep goes on
        table.sleep(4 * MINUTE)
        table.sweep()

    [found] = table.session.exec(select(Outage)).all()
    assert (found.kind, found.over) == ("mail", False)
    through(table)
    table.sweep()
    assert noted(table) == [117 * 60]  # from five minutes before it was noticed, in the eighth


def test_one_letter_that_waits_while_others_leave_is_no_outage(table: Timed) -> None:
    table.sleep(10 * MINUTE)
    upkeep.store_heartbeat(table.session, outages.NAME, table.now)
    table.session.add(Outbox(person_id=1, kind="test", dedup_key="1",
                             state=LetterState.SENT, settled=table.now, created=table.now,
                             not_before=table.now))
    table.session.commit()
    table.sweep()

    assert table.session.exec(select(Outage)).all() == []


def test_an_outage_within_one_of_the_letters_is_noted_and_both_count_once(table: Timed) -> None:
    due = table.seat(CATARINA).due
    assert due is not None
    stuck(table, HOUR)
    table.sleep(2 * HOUR)  # nor does the sweep come
    table.sweep()
    table.sleep(MINUTE)
    through(table)
    table.sweep()

    assert table.seat(CATARINA).due == due + 3 * HOUR + MINUTE
    assert sum(noted(table)) == 3 * 3600 + 60
