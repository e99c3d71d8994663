"""The others decide about a player who does not answer; meanwhile all clocks stand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.clock import FixedClock
from pbem.models import Game, GameState, Outbox, Person, stored_id
from pbem.play import advance
from pbem.play.absences import open_vote
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from pbem.tables import seats, votes
from pbem.tables.seats import resign
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE, NAMES, seat, started_game
from tests.unit.test_advance import play_to_the_end
from tests.unit.test_submit import play

FULL = 72 * 3_600_000


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


def timed_game(session: Session, clock: FixedClock, names: tuple[str, ...] = NAMES) -> Game:
    """A game with three days a decision, opened with the others' vote."""
    game = started_game(session, clock.now(), names)
    game.clock, game.at_zero = "each 72", "vote"
    session.add(game)
    session.commit()
    settle(session, game, clock)
    return game


def settle(session: Session, game: Game, clock: FixedClock) -> None:
    writer = Writer.locked(session, stored_id(game), clock.now())
    assert writer is not None
    advance.settle(writer, advance.people_of(session, writer.seats), timedelta(0))
    session.commit()


def run_out(session: Session, game: Game, clock: FixedClock, number: int) -> None:
    """The clock of a seat is at zero."""
    clock.forward(timedelta(hours=73))
    writer = Writer.locked(session, stored_id(game), clock.now())
    assert writer is not None
    people = advance.people_of(session, writer.seats)
    writer.note(number, cause="overtime")
    votes.open_vote_about(writer, number)
    advance.settle(writer, people, timedelta(0))
    session.commit()


def say(
    session: Session, game: Game, clock: FixedClock, number: int, said: str, *,
    about: int = CATARINA,
) -> None:
    votes.answer(session, stored_id(game), seat(session, game, number).person_id, clock.now(),
                 seat=about, said=said)
    session.refresh(game)


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    """Catarina was asked, and has not answered for three days."""
    game = timed_game(session, clock)
    run_out(session, game, clock, CATARINA)
    return game


def test_all_others_are_asked_by_letter_and_no_clock_runs(session: Session, game: Game) -> None:
    asked = session.exec(select(Outbox).where(Outbox.kind == "vote")).all()

    assert len(asked) == 3
    assert seat(session, game, CATARINA).person_id not in [row.person_id for row in asked]
    assert game.paused is not None
    assert seat(session, game, CATARINA).due is None
    assert votes.is_open(session, game, CATARINA)


def test_more_than_half_who_wait_give_all_the_time_again(
    session: Session, game: Game, clock: FixedClock
) -> None:
    say(session, game, clock, ANA, "wait")
    assert game.paused is not None
    say(session, game, clock, BENTO, "wait")

    missed = seat(session, game, CATARINA)
    assert game.paused is None
    assert missed.clock_left == FULL
    assert missed.due == clock.now() + timedelta(hours=72)
    assert missed.resigned is None


def test_more_than_half_who_replace_have_a_bot_play_on(
    session: Session, game: Game, clock: FixedClock
) -> None:
    say(session, game, clock, ANA, "replace")
    say(session, game, clock, DUARTE, "replace")

    missed = seat(session, game, CATARINA)
    assert (missed.left, missed.played_by, game.paused) == ("dropped", "steady", None)
    play_to_the_end(session, game)
    assert game.state == GameState.FINISHED
    assert verify(export.record_lines(session, game)).ok


def test_cancelling_takes_all_who_are_asked(
    session: Session, game: Game, clock: FixedClock
) -> None:
    say(session, game, clock, ANA, "cancel")
    say(session, game, clock, BENTO, "cancel")
    assert game.state == GameState.RUNNING
    say(session, game, clock, DUARTE, "cancel")

    assert game.state == GameState.CANCELLED


def test_a_vote_can_be_changed_until_it_is_decided(
    session: Session, game: Game, clock: FixedClock
) -> None:
    say(session, game, clock, ANA, "replace")
    say(session, game, clock, ANA, "wait")
    say(session, game, clock, BENTO, "replace")
    assert game.paused is not None
    say(session, game, clock, DUARTE, "replace")

    assert seat(session, game, CATARINA).left == "dropped"


def test_the_clocks_go_on_when_the_missed_player_answers_after_all(
    session: Session, game: Game
) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")

    session.refresh(game)
    assert game.paused is None
    assert open_vote(session, game) is None
    with pytest.raises(TableRefused, match="no_vote"):
        votes.answer(session, stored_id(game), seat(session, game, ANA).person_id,
                     game.created, seat=CATARINA, said="wait")


def test_of_two_the_other_decides_but_ends_no_game_at_the_first_time(
    session: Session, clock: FixedClock
) -> None:
    game = timed_game(session, clock, NAMES[:2])
    missed = next(n for n in (0, 1) if seat(session, game, n).asked_since is not None)
    run_out(session, game, clock, missed)
    with pytest.raises(TableRefused, match="no_such_answer"):
        say(session, game, clock, 1 - missed, "cancel", about=missed)
    say(session, game, clock, 1 - missed, "wait", about=missed)
    assert seat(session, game, missed).due is not None
    run_out(session, game, clock, missed)
    say(session, game, clock, 1 - missed, "cancel", about=missed)

    assert game.state == GameState.CANCELLED


def test_who_takes_a_seat_meanwhile_is_asked_too(
    session: Session, game: Game, clock: FixedClock
) -> None:
    resign(session, stored_id(game), seat(session, game, ANA).person_id, clock.now())
    newcomer = Person(name="Eva", address="eva@players.example", created=clock.now())
    session.add(newcomer)
    session.flush()

    seats.take(session, stored_id(game), ANA, newcomer, clock.now())
    session.commit()

    asked = session.exec(select(Outbox.person_id).where(Outbox.kind == "vote")).all()
    assert newcomer.id in asked


def test_a_vote_in_which_nobody_speaks_ends_with_a_bot(
    session: Session, game: Game, clock: FixedClock
) -> None:
    clock.forward(votes.LASTS - timedelta(seconds=1))
    assert votes.overdue(session, clock.now()) == []
    clock.forward(timedelta(seconds=1))
    for number in votes.overdue(session, clock.now()):
        votes.close_overdue(session, number, clock.now())

    assert seat(session, game, CATARINA).left == "dropped"


def test_where_nobody_is_left_to_be_asked_a_bot_takes_the_seat_at_once(
    session: Session, clock: FixedClock
) -> None:
    game = started_game(session, clock.now(), NAMES[:2])
    others = [n for n in (0, 1) if seat(session, game, n).asked_since is None]
    resign(session, stored_id(game), seat(session, game, others[0]).person_id, clock.now())
    missed = 1 - others[0]
    run_out(session, game, clock, missed)

    session.refresh(game)
    assert game.state == GameState.FINISHED
    assert verify(export.record_lines(session, game)).ok


def test_who_was_missed_says_nothing_about_himself(
    session: Session, game: Game, clock: FixedClock
) -> None:
    with pytest.raises(TableRefused, match="players_only"):
        say(session, game, clock, CATARINA, "wait")


def news(session: Session, game: Game, kind: str) -> dict[str, int | None]:
    """Whom letters of a kind are due to, and about which entry."""
    names = {seat(session, game, number).person_id: name
             for number, name in enumerate(NAMES)}
    rows = session.exec(select(Outbox).where(Outbox.kind == kind)).all()
    return {names[row.person_id]: row.entry for row in rows}


def test_when_it_is_decided_to_wait_all_are_told_but_whose_word_decided_it(
    session: Session, game: Game, clock: FixedClock
) -> None:
    say(session, game, clock, ANA, "wait")
    say(session, game, clock, BENTO, "wait")

    resumed = game.last_entry
    assert news(session, game, "overtime") == dict.fromkeys(
        ("Ana", "Catarina", "Duarte"), resumed)


def test_a_tie_that_the_sweep_decides_is_told_to_all(
    session: Session, game: Game, clock: FixedClock
) -> None:
    say(session, game, clock, ANA, "wait")
    say(session, game, clock, BENTO, "replace")
    clock.forward(votes.LASTS)
    votes.close_overdue(session, stored_id(game), clock.now())

    session.refresh(game)
    assert news(session, game, "overtime") == dict.fromkeys(NAMES, game.last_entry)
    assert seat(session, game, CATARINA).due is not None


def test_who_is_replaced_by_vote_is_told_and_so_are_the_others(
    session: Session, game: Game, clock: FixedClock
) -> None:
    say(session, game, clock, ANA, "replace")
    say(session, game, clock, DUARTE, "replace")

    assert set(news(session, game, "dropped")) == {"Ana", "Bento", "Catarina"}
