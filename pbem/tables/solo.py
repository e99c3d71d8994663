"""Games of one person against bots: they begin at once and send no letters."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, exists, select

from engine import registry
from pbem.mail import preferences
from pbem.models import Game, GameState, Person, SeatRow, stored_id
from pbem.tables import lobby
from pbem.tables.lobby import LobbyRefused

AT_ONCE = 12  # running solo games of one person
TEACHER = "steady"


def start(
    session: Session, *, person: Person, game_key: str, bots: int, kind: str, letters: bool,
    now: datetime,
) -> Game:
    """Begin a private game against bots of one kind; the caller commits. Raises LobbyRefused."""
    if kind not in lobby.BOTS:
        raise LobbyRefused("no_such_bot")
    return _begun(session, person, game_key, bots=bots, kind=kind, now=now,
                  letters=None if letters else preferences.NONE.stored)


def start_tutorial(session: Session, *, person: Person, game_key: str, now: datetime) -> Game:
    """The person's running tutorial of a game, else a new one. Raises LobbyRefused."""
    session.exec(select(Person.id).where(Person.id == person.id).with_for_update()).first()
    there = running_tutorial(session, person, game_key)
    if there is not None:
        return there
    return _begun(session, person, game_key, bots=1, kind=TEACHER, letters=preferences.NONE.stored,
                  now=now, tutorial=True)


def running_tutorial(session: Session, person: Person, game_key: str) -> Game | None:
    """A person's running tutorial of a game."""
    mine = select(Game).where(
        Game.host_id == person.id, Game.game == game_key, Game.state == GameState.RUNNING,
        col(Game.tutorial).is_(True))
    return session.exec(mine.order_by(col(Game.id).desc())).first()


def restart_tutorial(session: Session, *, game_id: int, person: Person, now: datetime) -> Game:
    """End a tutorial and begin a new one. Raises LobbyRefused."""
    old = lobby.locked(session, game_id)
    if not old.tutorial or old.host_id != person.id:
        raise LobbyRefused("players_only")
    if old.state == GameState.RUNNING:
        lobby.call_off(session, old, now)
    return start_tutorial(session, person=person, game_key=old.game, now=now)


def _begun(
    session: Session, person: Person, game_key: str, *, bots: int, kind: str,
    letters: str | None, now: datetime, tutorial: bool = False,
) -> Game:
    if game_key not in registry.GAMES:
        raise LobbyRefused("no_such_title")
    if running(session, person) >= AT_ONCE:
        raise LobbyRefused("solo_enough", limit=AT_ONCE)
    game = lobby.open_game(
        session, host=person, game_key=game_key, title="", seats=bots + 1, chosen_order=tutorial,
        private=True, components=None, phrase="", open_days=1, now=now,
        server_part=prepared(game_key) if tutorial else None)
    game.tutorial = tutorial
    own = lobby.chair_of(session, stored_id(game), person.id)
    if own is not None:
        own.letters = letters
    for _number in range(bots):
        lobby.add_bot(session, game_id=stored_id(game), host=person, kind=kind, now=now)
    return game


def prepared(game_key: str) -> bytes:
    """The server part of all tutorials of a game: their tables are alike, as their steps need."""
    return hashlib.sha256(f"carreira lesson {game_key}".encode()).digest()


def running(session: Session, person: Person) -> int:
    """The number of a person's running games against bots only."""
    return session.exec(
        select(func.count()).select_from(Game)
        .where(Game.host_id == person.id, Game.state == GameState.RUNNING,
               col(Game.private).is_(True), alone())
    ).one()


def alone() -> ColumnElement[bool]:
    """The condition that at most one person sits in a game: it reveals nothing about others."""
    return ~between_people()


def is_alone(session: Session, game: Game) -> bool:
    """Whether at most one person sits in a game."""
    asked = select(Game.id).where(col(Game.id) == game.id, between_people())
    return session.exec(asked).first() is None


def between_people() -> ColumnElement[bool]:
    """The condition that at least two people sit in a game."""
    one, other = _sits("one"), _sits("other")
    return exists().where(
        one.c.game_id == col(Game.id), other.c.game_id == col(Game.id), one.c.id < other.c.id)


def _sits(name: str) -> Any:
    return (
        select(col(SeatRow.id), SeatRow.game_id)
        .join(Person, col(Person.id) == col(SeatRow.person_id))
        .where(col(Person.bot).is_(None)).subquery(name)
    )
