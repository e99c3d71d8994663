"""Whom a game waits for, as it is stored, is whom its rules ask: after everything that happens."""

from __future__ import annotations

import random
from typing import Any

import pytest
from sqlmodel import Session

from engine import registry
from engine.errors import MoveRefused
from pbem.models import Game, GameState, Person, SeatRow
from pbem.play import advance, positions, submit
from pbem.play.log import Writer
from pbem.service import Service
from tests.engine.play_outs import drawn_move, known_moves, play_out
from tests.support.histories import stored_game

SEED, OPENING = 3, 1


@pytest.fixture(params=registry.GAMES)
def game(request: pytest.FixtureRequest, service: Service) -> Game:
    """A running game that has been set up, for as many as can play."""
    played = play_out(str(request.param), registry.game(str(request.param)).seats[-1], SEED)
    game_id = stored_game(service, played, played.turns[:OPENING])
    with service.writing() as session:
        row = session.get_one(Game, game_id)
        session.commit()
        return row


def test_the_stored_acting_set_is_the_one_that_the_rules_give(
    game: Game, service: Service
) -> None:
    """At random: orders, free moves out of turn, refused orders, and polls for nothing."""
    dice = random.Random(SEED)
    checked = 0
    for _ in range(400):
        with service.writing() as session:
            assert_asked_rightly(session, session.get_one(Game, game.id))
            checked += 1
            if not act(session, session.get_one(Game, game.id), service, dice):
                break
        with service.writing() as session:
            advance.advance(session, game.id or 0, service.clock.now())

    assert checked > 50
    with service.reading() as session:
        assert session.get_one(Game, game.id).state == GameState.FINISHED


def test_after_a_bot_has_moved_the_stored_acting_set_still_is_right(
    game: Game, service: Service
) -> None:
    """Two seats play by themselves: many entries in one transaction."""
    dice = random.Random(SEED)
    with service.writing() as session:
        for seat in session.exec(positions.seats_of(game)).all()[:2]:
            session.get_one(Person, seat.person_id).bot = "random"
        session.commit()
    for _ in range(12):
        with service.writing() as session:
            advance.advance(session, game.id or 0, service.clock.now())
        with service.writing() as session:
            row = session.get_one(Game, game.id)
            assert_asked_rightly(session, row)
            if not act(session, row, service, dice):
                break


def test_who_answers_and_is_asked_the_same_once_more_is_asked_anew(
    game: Game, service: Service
) -> None:
    """Or no letter would tell a player by mail that it is his turn again."""
    played = play_out(game.game, game.seats, SEED)
    again = [
        (number, step.seat) for number, step in enumerate(played.steps[1:], start=2)
        if not step.move.free and step.seat is not None
        and step.before.awaiting == step.turn.state.awaiting
    ]  # fmt: skip
    if not again:
        pytest.skip("this game asks nobody the same twice running")
    for number, seat in again:
        with service.writing() as session:
            row = session.get_one(Game, game.id)
            seats = list(session.exec(positions.seats_of(row)).all())
            writer = Writer(session, row, seats, service.clock.now())
            for step in played.steps[row.last_entry : number]:
                writer.append(step.seat, step.move, step.turn, cause="order")
            writer.flush()
            assert seats[seat].asked_since == number
            session.commit()


def act(session: Session, row: Game, service: Service, dice: random.Random) -> bool:
    """Somebody sends something; False once nobody can."""
    table = positions.table(session, row)
    seats: list[SeatRow] = list(session.exec(positions.seats_of(row)).all())
    if row.state != GameState.RUNNING:
        return False
    number, move = drawn_move(table.rules, table.state, len(seats), dice, eager=0.2)
    if dice.random() < 0.1:
        move = dice.choice(known_moves(table.rules.key))  # most of them are refused
    try:
        submit.record(session, seats[number], table.rules.to_text(move), seen=row.last_entry,
                      source="page", key=str(dice.random()), now=service.clock.now(),
                      enqueue=lambda _: None)
    except MoveRefused:
        session.rollback()
    return True


def assert_asked_rightly(session: Session, row: Game) -> None:
    """Each seat is asked or not as the rules say, and since the entry that put its question."""
    table = positions.table(session, row)
    asked = table.rules.current_players(table.state)
    seats: list[SeatRow] = list(session.exec(positions.seats_of(row)).all())
    stored = {seat.number: seat.asked_since for seat in seats if seat.asked_since is not None}
    own = {seat.number: seat.moved_at for seat in seats}

    assert stored == {seat: asked_since(session, row, seat) for seat in asked}
    assert own == {seat: last_entry_of(session, row, seat) for seat in own}


def asked_since(session: Session, row: Game, seat: int) -> int:
    """The oldest entry since which this very question has been open, found by going back."""
    later = positions.position(session, row, row.last_entry).awaiting
    number = row.last_entry
    while True:
        [entry] = positions.entries(session, row, number, number)
        if entry.cause == "undo":
            # Open all the time, from before what was taken back; else asked anew.
            if not always_open(session, row, seat, entry, later):
                return number
            number = entry.base
            continue
        if entry.base == 0 or (entry.seat == seat and entry.move and not entry.move.free):
            return number
        before = positions.position(session, row, entry.base).awaiting
        if seat not in before.seats or not before.same_for(seat, later):
            return number
        number = entry.base


def always_open(
    session: Session, row: Game, seat: int, undo: positions.LoggedEntry, question: Any
) -> bool:
    """Whether this question stood open for the seat in all that was taken back."""
    for number in range(undo.base, undo.number):
        [entry] = positions.entries(session, row, number, number)
        if number > undo.base and entry.seat == seat and entry.move and not entry.move.free:
            return False
        awaiting = positions.position(session, row, number).awaiting
        if awaiting is None or seat not in awaiting.seats or not awaiting.same_for(seat, question):
            return False
    return True


def last_entry_of(session: Session, row: Game, seat: int | None) -> int:
    """The newest entry that this player sent himself and that stands, 0 if there is none."""
    number = row.last_entry
    while number:
        [entry] = positions.entries(session, row, number, number)
        if entry.seat == seat and entry.cause == "order":
            return number
        number = entry.base
    return 0
