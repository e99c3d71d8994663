"""For the tests of the game page: games played on by `steady`, and browsers that are signed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask.testing import FlaskClient
from sqlmodel import Session

from engine import bots
from engine.chance import Stream
from pbem import auth
from pbem.games import advance, load, submit
from pbem.models import Game, GameState, stored_id
from pbem.service import Service
from pbem.web.current import COOKIE
from tests.pbem import tables


def play_on(
    service: Service, session: Session, game: Game, until: Callable[[Any], bool]
) -> Any:
    """Let `steady` play for everybody until the state is as wanted; that state."""
    while True:
        session.refresh(game)
        table = load.table(session, game)
        if game.state != GameState.RUNNING or until(table.state):
            session.commit()  # lets others write
            return table.state
        number = table.rules.current_players(table.state)[0]
        whim = Stream(bytes(32), f"steady {table.number}")
        moves = bots.choose(table.rules, table.state, number, "steady", whim)
        order(service, session, game, number, "; ".join(map(table.rules.to_text, moves)))


def order(service: Service, session: Session, game: Game, seat: int, orders: str) -> None:
    """Record a player's orders and play them, as page and worker would."""
    row = tables.seat(session, game, seat)
    session.refresh(game)
    submit.record(session, row, orders, seen=game.last_entry, source="page",
                  key=f"{game.last_entry}-{seat}-steady", now=service.clock.now(),
                  poke=lambda _game_id: None)
    advance.advance(session, stored_id(game), service.clock.now())
    session.refresh(game)
    session.commit()


def sign_in(service: Service, client: FlaskClient, session: Session, game: Game, seat: int) -> None:
    """Let the browser be this player's."""
    person_id = tables.seat(session, game, seat).person_id
    secret = auth.open_session(session, person_id, agent="test", now=service.clock.now())
    session.commit()
    client.set_cookie(COOKIE, secret)
