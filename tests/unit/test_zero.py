"""At zero: the mildest move, a bot, or the others' vote; once, told to all, and only if so."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.models import GameState, Outbox, Submission, stored_id
from pbem.play import narration, positions, stuck
from pbem.play.refusals import TableRefused
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from pbem.tables import votes
from pbem.tables.seats import resign, take
from pbem.timeouts import expiry, watchdog
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE, person
from tests.support.timed import DAY, FIRST, HOUR, Timed, timed
from tests.unit.test_deadlines import go_away


@pytest.fixture(params=["service", "postgres_service"], ids=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> Service:
    """A service on each of the two databases."""
    found: Service = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def table(service: Service, session: Session) -> Timed:
    """Three days a decision; Catarina is asked."""
    return timed(service, session)


def test_at_zero_the_mildest_move_is_played_though_nobody_looks(store: Service) -> None:
    with store.writing() as session:
        table = timed(store, session)
        table.wait(3 * DAY - HOUR)
        table.sweep()
        assert table.causes() == ["start"]
        table.wait(HOUR)
        table.sweep()

        assert table.causes()[:3] == ["start", "overtime", "default"]
        asked = [seat for seat in map(table.seat, range(4)) if seat.asked_since is not None]
        assert [(seat.asked_since, seat.due) for seat in asked] == [(3, table.now + 3 * DAY)]
        assert verify(export.record_lines(session, table.game)).ok


def test_the_absent_one_and_the_others_are_told_once(table: Timed) -> None:
    table.wait(3 * DAY)
    table.sweep()
    table.sweep()

    entry = 2
    assert table.letters("overtime") == [
        (name, entry) for name in ("Ana", "Bento", "Catarina", "Duarte")]


def test_two_sweeps_at_once_are_as_one(store: Service) -> None:
    with store.writing() as session:
        table = timed(store, session)
        table.wait(3 * DAY)
        session.commit()
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: expiry.sweep(store), range(3)))
        session.expire_all()

        assert table.causes().count("overtime") == 1
        assert table.seat(CATARINA).misses == 1


def test_orders_that_came_in_time_count_though_the_worker_is_late(table: Timed) -> None:
    table.wait(3 * DAY - timedelta(seconds=1))
    table.send(CATARINA, FIRST)
    table.wait(HOUR)
    table.sweep()

    assert table.causes()[1] == "order"
    assert "overtime" not in table.causes()
    assert table.seat(CATARINA).misses == 0


def test_orders_that_came_before_the_sweep_did_count_too(table: Timed) -> None:
    table.wait(3 * DAY + timedelta(seconds=10))
    table.send(CATARINA, FIRST)
    table.sweep()

    assert table.causes()[1] == "order"


def test_orders_that_cannot_be_played_do_not_save_anybody(table: Timed) -> None:
    table.wait(3 * DAY)
    table.session.add(Submission(
        game_id=stored_id(table.game), person_id=table.seat(CATARINA).person_id, seat=CATARINA,
        source="page", key="k", orders="place 8 recruiting", seen=1, created=table.now))
    table.sweep()

    assert table.causes()[1:3] == ["overtime", "default"]
    assert table.seat(CATARINA).misses == 1


def test_who_misses_three_decisions_in_a_row_is_dropped_and_all_are_told(
    store: Service
) -> None:
    with store.writing() as session:
        table = timed(store, session)
        until_dropped(table, CATARINA)

        gone = table.seat(CATARINA)
        assert (gone.left, gone.played_by, gone.due, gone.misses) == ("dropped", None, None, 0)
        assert table.causes().count("overtime") == 3
        note = table.causes().index("dropped") - 1  # the entry that said whose time was over
        assert table.letters("dropped") == [
            (name, note) for name in ("Ana", "Bento", "Catarina", "Duarte")]
        assert verify(export.record_lines(session, table.game)).ok


def until_dropped(table: Timed, number: int) -> None:
    """All others answer at once; this one never does."""
    for _ in range(60):
        if table.seat(number).left is not None:
            return
        if table.seat(number).asked_since is not None:
            table.wait(3 * DAY)
            table.sweep()
        else:
            table.play_any()
    raise AssertionError("nobody was dropped")


def test_a_decision_of_ones_own_ends_a_row_of_misses(table: Timed) -> None:
    table.wait(3 * DAY)
    table.sweep()
    assert table.seat(CATARINA).misses == 1
    while table.seat(CATARINA).asked_since is None:
        table.play_any()
    while table.seat(CATARINA).asked_since is not None:
        table.play_any()  # the mildest thing, said by herself: no miss

    assert table.seat(CATARINA).misses == 0


def test_a_game_with_a_dropped_seat_is_played_to_its_end(table: Timed) -> None:
    until_dropped(table, CATARINA)
    for _ in range(2000):
        table.session.refresh(table.game)
        if table.game.state != GameState.RUNNING:
            break
        table.play_any()
    assert table.game.state == GameState.FINISHED
    assert [table.seat(number).due for number in range(4)] == [None] * 4


def test_a_game_opened_so_seats_a_bot_at_once(service: Service, session: Session) -> None:
    table = timed(service, session, at_zero="bot")
    table.wait(3 * DAY)
    table.sweep()

    assert table.causes()[1:3] == ["overtime", "dropped"]
    assert table.causes()[3] == "bot"
    gone = table.seat(CATARINA)
    assert (gone.left, gone.played_by) == ("dropped", "steady")
    assert ("Catarina", 2) in table.letters("dropped")
    assert verify(export.record_lines(session, table.game)).ok


def test_who_takes_a_dropped_seat_has_all_the_time_of_a_decision(
    service: Service, session: Session
) -> None:
    table = timed(service, session, "bank 72 12 240")
    table.wait(3 * DAY)
    for _ in range(3):
        until_dropped(table, CATARINA)
    eva = person(session, "Eva", table.now)
    take(session, stored_id(table.game), CATARINA, eva, table.now)
    session.commit()
    while table.seat(CATARINA).asked_since is None:
        table.play_any()

    assert table.seat(CATARINA).due == table.now + 3 * DAY
    assert table.seat(CATARINA).misses == 0


def test_a_game_opened_so_waits_for_the_others_vote_with_all_clocks_standing(
    service: Service, session: Session
) -> None:
    table = timed(service, session, at_zero="vote")
    table.wait(3 * DAY)
    table.sweep()

    assert table.causes() == ["start", "overtime", "pause"]
    assert [table.seat(number).due for number in range(4)] == [None] * 4
    assert table.letters("overtime") == [("Catarina", 2)]
    assert [name for name, _ in table.letters("vote")] == ["Ana", "Bento", "Duarte"]
    table.sweep()
    assert table.causes() == ["start", "overtime", "pause"]


def test_an_answer_of_the_absent_one_lets_the_game_go_on(
    service: Service, session: Session
) -> None:
    table = timed(service, session, at_zero="vote")
    table.wait(3 * DAY)
    table.sweep()
    table.wait(HOUR)
    table.play(CATARINA, FIRST)

    session.refresh(table.game)
    assert table.game.paused is None
    assert table.causes()[3:5] == ["order", "resume"]
    assert table.seat(ANA).due == table.now + 3 * DAY


def test_nobody_is_at_zero_while_he_is_away(service: Service, session: Session) -> None:
    table = timed(service, session)
    go_away(table, CATARINA, HOUR, 10 * DAY)
    table.wait(9 * DAY)
    table.sweep()
    assert table.causes() == ["start"]
    table.wait(4 * DAY)
    table.sweep()
    assert "overtime" in table.causes()


def test_a_used_up_bank_still_has_its_increment(service: Service, session: Session) -> None:
    table = timed(service, session, "bank 24 6 24")
    table.wait(DAY)
    table.sweep()
    while table.seat(CATARINA).asked_since is None:
        table.play_any()

    assert table.seat(CATARINA).due == table.now + 6 * HOUR
    assert table.seat(CATARINA).misses == 1


def test_a_game_that_cannot_be_seen_to_holds_up_no_other(
    service: Service, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = timed(service, session)
    table.wait(3 * DAY)
    real = expiry.expire
    broken = [True]

    def fail_once(*about: object, **asked: object) -> set[int]:
        if broken.pop() if broken else False:
            raise RuntimeError("no such luck")
        return real(*about, **asked)  # type: ignore[arg-type]

    monkeypatch.setattr(expiry, "expire", fail_once)
    table.sweep()
    assert table.causes() == ["start"]
    table.wait(stuck.FIRST_WAIT)
    table.sweep()
    assert table.causes()[1:3] == ["overtime", "default"]


def test_the_log_says_what_happened(table: Timed) -> None:
    table.wait(3 * DAY)
    table.sweep()
    told = narration.log(table.session, table.game, upto=2, viewer=None, language="en",
                       names=("Ana", "Bento", "Catarina", "Duarte"))
    assert [line.text for line in told[1].lines] == ["The time of Catarina is over."]
    assert positions.marks(table.session, table.game)[0].seat == CATARINA


# ---- games that stand still ---------------------------------------------------------------------


def test_a_clock_that_was_lost_is_reported(table: Timed, caplog: pytest.LogCaptureFixture) -> None:
    assert watchdog.report(table.session, table.now) == {}
    seat = table.seat(CATARINA)
    seat.due = seat.clock_from = None
    table.session.add(seat)
    table.wait(HOUR)
    table.sweep()

    assert "Game 1 stands still: seat 2's clock does not run." in caplog.text


def test_what_else_stands_still_is_said_by_name(table: Timed) -> None:
    seat, game = table.seat(CATARINA), stored_id(table.game)
    assert watchdog.report(table.session, table.now + 4 * DAY) == {
        game: "seat 2's clock has been at zero since 2026-03-05 12:00"}
    seat.clock_left = -1
    table.session.commit()
    assert watchdog.report(table.session, table.now) == {game: "a clock is below zero"}
    seat.clock_left, seat.asked_since = 0, None
    table.session.commit()
    assert watchdog.report(table.session, table.now) == {game: "nobody is asked"}


def test_no_letter_says_overtime_twice(table: Timed) -> None:
    table.wait(3 * DAY)
    for _ in range(3):
        table.sweep()
    rows = table.session.exec(select(Outbox).where(Outbox.kind == "overtime")).all()
    assert len(rows) == 4


# ---- votes --------------------------------------------------------------------------------------


@pytest.fixture
def asked(service: Service, session: Session) -> Timed:
    """A table at which the others are asked about Catarina, who has not answered in time."""
    table = timed(service, session, "each 72", "vote")
    table.wait(73 * HOUR)
    table.sweep()
    return table


def vote(table: Timed, number: int, said: str) -> None:
    votes.answer(table.session, stored_id(table.game), table.seat(number).person_id, table.now,
                 seat=CATARINA, said=said)
    table.session.expire_all()


def test_who_has_answered_is_not_replaced_though_no_worker_has_played_it(asked: Timed) -> None:
    vote(asked, ANA, "replace")
    asked.send(CATARINA, FIRST)
    with pytest.raises(TableRefused, match="no_vote"):
        vote(asked, BENTO, "replace")
    asked.sleep(votes.LASTS)
    asked.sweep()

    assert asked.seat(CATARINA).left is None
    assert "order" in asked.causes()


def test_a_vote_in_which_nobody_is_left_calls_no_game_off(asked: Timed) -> None:
    for number in (ANA, BENTO, DUARTE):
        resign(asked.session, stored_id(asked.game), asked.seat(number).person_id, asked.now)
    asked.session.expire_all()

    assert asked.seat(CATARINA).left == "dropped"
    assert asked.game.state == GameState.FINISHED
    assert verify(export.record_lines(asked.session, asked.game)).ok


def test_a_vote_is_decided_when_who_had_not_spoken_leaves(asked: Timed) -> None:
    vote(asked, ANA, "wait")
    for number in (BENTO, DUARTE):
        resign(asked.session, stored_id(asked.game), asked.seat(number).person_id, asked.now)
    asked.session.expire_all()

    assert asked.game.paused is None
    assert asked.seat(CATARINA).due == asked.now + 72 * HOUR


def test_one_who_is_left_alone_ends_no_game_at_the_first_time(asked: Timed) -> None:
    vote(asked, ANA, "cancel")
    for number in (BENTO, DUARTE):
        resign(asked.session, stored_id(asked.game), asked.seat(number).person_id, asked.now)
    asked.session.expire_all()

    assert asked.game.state == GameState.RUNNING
    with pytest.raises(TableRefused, match="no_such_answer"):
        vote(asked, ANA, "cancel")
