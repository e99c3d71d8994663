"""A short finished game with all that a log can hold: orders, forced moves, a taking back."""

from __future__ import annotations

import re
from typing import Any

from sqlmodel import Session

from engine import bots, registry
from engine.chance import Stream
from pbem.models import Game, GameState, stored_id
from pbem.play import advance, positions, submit
from pbem.play.chance import commitment_of
from pbem.play.undo import can_undo, undo
from pbem.service import Service
from pbem.tables import lobby
from pbem.tables.seats import resign
from tests.support import tables
from tests.support.played_once import played_once

NAMES = ("Ana", "Bento")
KEY = "vasco-da-gama"


def one_round() -> str:
    """The figures as printed, for a game of one round."""
    return re.sub(r"rounds = 5", "rounds = 1", registry.standard(KEY))


def finished_game(
    service: Service,
    session: Session,
    *,
    names: tuple[str, ...] = NAMES,
    resigning: int | None = None,
    phrases: tuple[str, ...] = ("boa viagem", ""),
    chosen_order: bool = True,
) -> Game:
    """Played by `steady` to its end, one order of each seat taken back; `resigning` gives up."""
    how: dict[str, Any] = {"names": names, "resigning": resigning, "phrases": phrases,
                           "chosen_order": chosen_order}
    found = played_once(service, session, lambda: finish(service, session, **how), "finished", how)
    game = session.get_one(Game, found)
    session.commit()  # lets others write
    return game


def finish(
    service: Service, session: Session, *, names: tuple[str, ...], resigning: int | None,
    phrases: tuple[str, ...], chosen_order: bool,
) -> int:
    """Order by order; the game."""
    game = begun(service, session, names=names, phrases=phrases, chosen_order=chosen_order)
    back: set[int] = set()
    while one_order(service, session, game, back):
        if resigning is not None and len(back) == len(names):
            person_id = tables.seat(session, game, resigning).person_id
            resign(session, stored_id(game), person_id, service.clock.now())
            resigning = None
    return stored_id(game)


def begun(
    service: Service, session: Session, *, names: tuple[str, ...] = NAMES,
    phrases: tuple[str, ...] = ("boa viagem", ""), chosen_order: bool = True,
) -> Game:
    """The same game at its start."""
    now = service.clock.now()
    people = [tables.person(session, name, now) for name in names]
    game = lobby.open_game(
        session, host=people[0], game_key=KEY, title="", seats=len(people),
        chosen_order=chosen_order, private=False, components=one_round(), phrase=phrases[0],
        open_days=30, now=now,
    )  # fmt: skip
    game.server_part = bytes([len(names)]) * 32
    game.commitment = commitment_of(game.server_part)
    game.join_nonce = f"{game.id:032}"  # nothing drawn: what begins alike is played once
    session.commit()
    for guest, phrase in zip(people[1:], phrases[1:], strict=True):
        lobby.join(session, game_id=stored_id(game), person=guest, phrase=phrase, now=now)
    session.commit()
    return game


def one_order(service: Service, session: Session, game: Game, back: set[int]) -> bool:
    """One order of the asked seat, taken back if it is the seat's first that can be."""
    session.refresh(game)
    if game.state != GameState.RUNNING:
        session.commit()
        return False
    table = positions.table(session, game)
    seat = table.rules.current_players(table.state)[0]
    row = tables.seat(session, game, seat)
    moves = chosen(table, seat)
    submit.record(session, row, "; ".join(map(table.rules.to_text, moves)), seen=game.last_entry,
                  source="page", key=f"{game.last_entry}-{seat}", now=service.clock.now(),
                  enqueue=lambda _game_id: None)
    advance.advance(session, stored_id(game), service.clock.now())
    session.refresh(game)
    if seat not in back and can_undo(session, game, tables.seat(session, game, seat)):
        undo(session, stored_id(game), row.person_id, service.clock.now())
        back.add(seat)
    return True


def chosen(table: positions.GamePosition, seat: int) -> list[Any]:
    """What `steady` would do."""
    whim = Stream(bytes(32), f"steady {table.number}")
    return list(bots.choose(table.rules, table.state, seat, "steady", whim))
