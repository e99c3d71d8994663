"""Games in the database for tests: people at a table, as the lobby seats them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, select

from pbem.models import Game, Person, SeatRow, stored_id
from pbem.play.chance import commitment_of
from pbem.tables import lobby
from tests.support.played_once import done_once

NAMES = ("Ana", "Bento", "Catarina", "Duarte")
ANA, BENTO, CATARINA, DUARTE = range(4)
SHUFFLE = 5  # a shuffle that deals a merchant ship of limit 9 first, and I-01 among the projects


def person(session: Session, name: str, now: datetime, language: str = "en") -> Person:
    """Somebody with a made-up address."""
    made = Person(
        name=name, address=f"{name.lower()}@players.example", created=now, language=language
    )
    session.add(made)
    session.flush()
    return made


def started_game(
    session: Session,
    now: datetime,
    names: Sequence[str] = NAMES,
    *,
    game_key: str = "vasco-da-gama",
    options: Mapping[str, Any] | None = None,
    clock: str = "none",
    at_zero: str = "default",
) -> Game:
    """A committed game in the order of the names: Ana is first player."""
    def start() -> int:
        return stored_id(start_game(session, now, names, game_key=game_key, options=options or {},
                                    clock=clock, at_zero=at_zero))

    if session.exec(select(Game.id).limit(1)).first() is not None:
        game = session.get_one(Game, start())
    else:
        said = repr((now, tuple(names), game_key, options or {}, clock, at_zero))
        game = session.get_one(Game, done_once(session, start, "start", said))
    session.commit()  # reading it has begun a transaction, in which nobody else can write
    return game


def start_game(
    session: Session, now: datetime, names: Sequence[str],
    *, game_key: str, options: Mapping[str, Any], clock: str, at_zero: str,
) -> Game:
    """Opened by the first of them; the others join in order."""
    people = [person(session, name, now) for name in names]
    game = lobby.open_game(
        session,
        host=people[0],
        game_key=game_key,
        title="The winter fleet",
        seats=len(people),
        chosen_order=True,
        private=False,
        components=None,
        phrase="",
        open_days=30,
        now=now,
        options=options,
    )
    # Tests name free slots and sections, so all of them play the same shuffled game.
    game.server_part = bytes([SHUFFLE]) * 32
    game.commitment = commitment_of(game.server_part)
    game.join_nonce = "0" * 32  # nothing drawn: what begins alike is played once (played_once)
    game.clock, game.at_zero = clock, at_zero
    session.commit()
    for guest in people[1:]:
        lobby.join(session, game_id=stored_id(game), person=guest, phrase="", now=now)
    session.commit()
    return game


def seat(session: Session, game: Game, number: int) -> SeatRow:
    """A seat of the game, as it is now."""
    found = select(SeatRow).where(SeatRow.game_id == game.id, SeatRow.number == number)
    return session.exec(found.execution_options(populate_existing=True)).one()
