"""A turn in its parts is one letter: what a line means beyond its orders, from submission to entry.

Goa has such turns (GO-4.10): the action, perhaps a card or a tile, and then the turn is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlmodel import Session

from engine import play
from engine.goa.moves import Earlier, PayUpTo
from pbem.clock import FixedClock
from pbem.models import Game, SeatRow, Submission, stored_id
from pbem.play import advance, positions, submit, undo
from pbem.record import export
from pbem.service import Service
from tests.support.tables import seat, started_game
from tests.unit.test_submit import unheard

MOST = 60  # questions until the first turn


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    """The flag lies, everything is auctioned: somebody has his first turn."""
    started = started_game(session, clock.now(), game_key="goa")
    for number in range(MOST):
        rules, state = position(session, started)
        if state.turn is not None:
            return started
        asked = rules.current_players(state)[0]
        send(session, started, rules.to_text(rules.default_action(state, asked)), key=str(number))
    raise AssertionError("no turn began")


def position(session: Session, game: Game) -> tuple[Any, Any]:
    return positions.rules_of(session, game), positions.position(session, game, game.last_entry)


def asked(session: Session, game: Game) -> int:
    rules, state = position(session, game)
    return int(rules.current_players(state)[0])


def send(session: Session, game: Game, orders: str, *, key: str = "one") -> Submission:
    """The asked seat sends orders, and a worker plays them."""
    row = seat(session, game, asked(session, game))
    sent = submit.record(session, row, orders, seen=9999, source="page", key=key,
                         now=game.created, enqueue=unheard)
    advance.advance(session, stored_id(game), game.created)
    session.refresh(game)
    return session.get_one(Submission, sent.id, populate_existing=True)


def test_the_turn_ends_with_the_last_order_of_the_line(session: Session, game: Game) -> None:
    """GO-4.10."""
    first = asked(session, game)

    send(session, game, "taxes")

    assert asked(session, game) != first


def test_a_line_that_draws_is_asked_once_more(session: Session, game: Game) -> None:
    """GO-4.10."""
    first = asked(session, game)

    send(session, game, "expedition")
    assert asked(session, game) == first
    send(session, game, "done", key="two")

    assert asked(session, game) != first


def test_done_behind_a_draw_waives_the_question(session: Session, game: Game) -> None:
    """GO-4.10, GO-4.11: what stands behind a draw is played when it has been drawn."""
    first = asked(session, game)

    sent = send(session, game, "expedition; done")

    assert (sent.state, sent.draft) == ("played", None)
    assert asked(session, game) != first


def test_done_where_nothing_else_could_be_said_is_no_mistake(session: Session, game: Game) -> None:
    """The attempt fails, no card and no tile is left: the turn would end by itself."""
    first = asked(session, game)

    sent = send(session, game, "found calicut; done")

    assert (sent.state, sent.draft) == ("played", None)
    assert asked(session, game) != first


def test_wait_keeps_the_turn_open(session: Session, game: Game) -> None:
    """GO-4.10: but not where nothing could follow."""
    first = asked(session, game)

    sent = send(session, game, "expedition; wait")

    assert sent.state == "played"
    assert asked(session, game) == first


def test_what_does_not_fit_behind_a_draw_comes_back(session: Session, game: Game) -> None:
    """GO-4.11: and the turn stays open."""
    first = asked(session, game)

    sent = send(session, game, "expedition; taxes; done")

    assert sent.draft == "taxes\ndone"
    assert asked(session, game) == first


# ---- what is said ahead --------------------------------------------------------------------------


def given_ahead(session: Session, game: Game) -> SeatRow:
    """The asked seat has said something ahead that its next letter must know (a test's set-up)."""
    row = seat(session, game, asked(session, game))
    positions.store_ahead(row, [Earlier(("A", 1, 4, 1), ahead=(PayUpTo(3),))])
    session.add(row)
    session.commit()
    return row


def test_what_was_said_ahead_is_given_to_the_next_letter_and_lapses_with_its_turn(
    session: Session, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GO-5.4."""
    given_ahead(session, game)
    heard: list[Any] = []
    try_orders = play.try_orders

    def listening(*about: Any, ahead: Any = (), **more: Any) -> Any:
        heard.append(ahead)
        return try_orders(*about, ahead=ahead, **more)

    monkeypatch.setattr(play, "try_orders", listening)
    first = asked(session, game)

    send(session, game, "taxes")

    assert {each[0].ahead for each in heard} == {(PayUpTo(3),)}  # tried, then played
    assert seat(session, game, first).ahead is None


def test_what_was_said_ahead_stands_in_no_entry_and_goes_with_what_is_taken_back(
    session: Session, game: Game
) -> None:
    number = asked(session, game)
    send(session, game, "taxes")
    row = seat(session, game, number)
    positions.store_ahead(row, [Earlier(("A", 1, 4, 1), ahead=(PayUpTo(3),))])
    session.add(row)
    session.commit()
    told = b"".join(export.record_lines(session, game))

    undo.undo(session, stored_id(game), row.person_id, game.created)

    assert b"PayUpTo" not in told
    assert seat(session, game, number).ahead is None


def test_what_an_older_engine_kept_is_no_hindrance(session: Session, game: Game) -> None:
    row = given_ahead(session, game)
    row.ahead = '[{"type":"Gone"}]'
    session.add(row)
    session.commit()

    assert send(session, game, "taxes").state == "played"
