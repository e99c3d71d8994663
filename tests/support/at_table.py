"""For the tests of the game page: games played on by `steady`, and browsers that are signed in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from flask.testing import FlaskClient
from sqlmodel import Session, select

from engine import bots
from engine.chance import Stream
from pbem.accounts import auth
from pbem.models import Game, GameState, Submission, stored_id
from pbem.play import advance, positions, submit
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.support import tables
from tests.support.played_once import played_once


def play_on(
    service: Service, session: Session, game: Game, until: Callable[[Any], bool]
) -> Any:
    """Let `steady` play for everybody until the state is as wanted; that state."""
    game_id = stored_id(game)
    played_once(service, session, lambda: steadily(service, session, game, until),
                "steady", game_id, until)
    session.refresh(game)
    state = positions.table(session, game).state
    session.commit()  # lets others write
    return state


def steadily(
    service: Service, session: Session, game: Game, until: Callable[[Any], bool]
) -> int:
    """Order by order, as page and worker would; the newest entry."""
    while True:
        session.refresh(game)
        table = positions.table(session, game)
        if game.state != GameState.RUNNING or until(table.state):
            return game.last_entry
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
                  enqueue=lambda _game_id: None)
    advance.advance(session, stored_id(game), service.clock.now())
    session.refresh(game)
    session.commit()


def sign_in(service: Service, client: FlaskClient, session: Session, game: Game, seat: int) -> None:
    """Let the browser be this player's."""
    person_id = tables.seat(session, game, seat).person_id
    secret = auth.open_session(session, person_id, agent="test", now=service.clock.now())
    session.commit()
    client.set_cookie(COOKIE, secret)


def fields(page: str, **more: Any) -> dict[str, Any]:
    """The form's hidden fields, as a browser would send them, and what was chosen."""
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    line = re.search(r'id="order" name="order" value="([^"]*)"', page)
    return {**hidden, "order": line.group(1) if line else "", **more}


def sent(service: Service) -> list[Submission]:
    """All orders of players, those of `steady` before the test left out."""
    with service.reading() as session:
        found = session.exec(select(Submission).where(Submission.key.not_like("%-%-steady")))
        return list(found.all())


def can_sail(state: Any) -> bool:
    """Whether an expedition is asked of somebody with a ship and a captain."""
    question = state.awaiting
    if state.phase != 2 or getattr(question, "area", "") != "navigation":
        return False
    player = state.players[question.seat]
    return bool(player.ships and player.captains and player.reals >= question.price)
