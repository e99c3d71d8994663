"""What the measurements play on: services with people and games, and orders that are legal."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from sqlmodel import Session, col, select

from engine import play
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import make_engine, migrate
from pbem.models import Game, Person, SeatRow, stored_id
from pbem.play import advance, chance, positions, submit
from pbem.service import Service
from pbem.tables import lobby
from tests.support.servers import ROOT, without_our_settings

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
BETWEEN_MOVES = timedelta(hours=7)
KEY = "vasco-da-gama"
KEYS = (KEY, "goa")  # of a random game's 190 and 420 entries
NAMES = ("Ana", "Bento", "Catarina", "Duarte")
ODDS_OF_LAUNCH = 0.5  # that a random player launches when he can


class Order(NamedTuple):
    """One line of one seat; `behind` is the newest entry in front of which it is legal."""

    seat: int
    line: str
    behind: int


@contextmanager
def folder() -> Iterator[Path]:
    """A folder with a short name (sockets), removed afterwards."""
    made = Path(tempfile.mkdtemp(prefix="cb-", dir="/tmp"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def environment(var: Path, **more: str) -> dict[str, str]:
    """CARREIRA_* variables of a service in `var`."""
    return {
        "CARREIRA_VAR": str(var),
        "CARREIRA_SECRET_KEY": "a secret key for measurements only",
        "CARREIRA_PICTURES": "off",
        "CARREIRA_TEST_LIMITS": "off",
        **{f"CARREIRA_{name}": value for name, value in more.items()},
    }


def process_environment(environ: dict[str, str]) -> dict[str, str]:
    """The environment of a process of that service; none of the measurer's own settings."""
    paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    return without_our_settings(os.environ) | environ | {"PYTHONPATH": os.pathsep.join(paths)}


@contextmanager
def service(environ: dict[str, str]) -> Iterator[Service]:
    """A service on an empty, migrated database; its clock stands until it is moved."""
    settings = Settings.from_environment(environ)
    settings.var.mkdir(parents=True, exist_ok=True)
    engine = make_engine(settings.database_url)
    migrate(engine)
    try:
        yield Service(settings, engine, FixedClock(START))
    finally:
        engine.dispose()


def people(session: Session, table: int) -> list[Person]:
    """Four people for one table; each has an address that no other table's people have."""
    made = [
        Person(name=name, address=f"{name.lower()}.{table}@players.example", created=START)
        for name in NAMES
    ]
    session.add_all(made)
    session.flush()
    return made


def started_game(
    session: Session, players: list[Person], now: datetime, key: str = KEY
) -> Game:
    """A game with these people that has begun; not committed."""
    game = lobby.open_game(
        session, host=players[0], game_key=key, title="", seats=len(players), chosen_order=True,
        private=False, components=None, phrase="", open_days=30, now=now,
    )  # fmt: skip
    for guest in players[1:]:
        lobby.join(session, game_id=stored_id(game), person=guest, phrase="", now=now)
    return game


def started_games(
    session: Session, number: int, now: datetime = START, key: str = KEY
) -> list[Game]:
    """So many games, each with four people of its own; committed."""
    games = [started_game(session, people(session, table), now, key) for table in range(number)]
    session.commit()
    return games


def seats(session: Session, game: Game) -> list[SeatRow]:
    """The game's seats by number, as they are now."""
    found = select(SeatRow).where(SeatRow.game_id == game.id).order_by(col(SeatRow.number))
    return list(session.exec(found.execution_options(populate_existing=True)))


def orders(
    session: Session, game: Game, choice: random.Random, odds_of_launch: float = ODDS_OF_LAUNCH
) -> Iterator[Order]:
    """A whole game of random orders, by a dry run with the game's own secret; writes nothing."""
    rules = positions.rules_of(session, game)
    phrases = [seat.phrase or "" for seat in seats(session, game)]
    secret = chance.secret_of(game.server_part, phrases)
    number = game.last_entry
    state = positions.position(session, game, number)
    while not rules.is_terminal(state):
        forced = play.forced(rules, state)
        if forced is None:
            seat, move = chosen(rules, state, choice, odds_of_launch)
            yield Order(seat, rules.to_text(move), number)
        else:
            seat, move = forced
        number += 1
        stream = chance.stream(secret, game.commitment, number)
        state = rules.apply_action(state, seat, move, stream).state


def chosen(
    rules: Any, state: Any, choice: random.Random, odds_of_launch: float
) -> tuple[int, Any]:
    """A random order of the first asked seat: often a launch if it can, else an answer."""
    seat = rules.current_players(state)[0]
    answers = list(rules.answers(state, seat))
    launches = list(rules.legal_actions(state, seat))[len(answers) :]
    wants = launches if launches and choice.random() < odds_of_launch else answers
    return seat, choice.choice(wants)


def play_game(
    service: Service, game: Game, choice: random.Random, *, upto: int | None = None
) -> int:
    """Play a started game to its end, one order a letter, as page and worker do; its entries.

    `upto`: no further than a few entries behind this one.
    """
    with service.reading() as session:
        chairs = seats(session, game)
    for place in count():
        with service.reading() as session:
            table = positions.table(session, session.get_one(Game, game.id))
        if table.rules.is_terminal(table.state) or (upto is not None and table.number >= upto):
            return table.number
        seat, move = chosen(table.rules, table.state, choice, ODDS_OF_LAUNCH)
        order = Order(seat, table.rules.to_text(move), table.number)
        play_order(service, chairs[seat], order, str(place), START + place * BETWEEN_MOVES)
    raise AssertionError


def next_order(
    session: Session, game: Game, choice: random.Random, odds_of_launch: float = ODDS_OF_LAUNCH
) -> Order:
    """A random order that a running game would take now."""
    table = positions.table(session, session.get_one(Game, game.id))
    seat, move = chosen(table.rules, table.state, choice, odds_of_launch)
    return Order(seat, table.rules.to_text(move), table.number)


def play_order(service: Service, seat: SeatRow, order: Order, key: str, now: datetime) -> None:
    """Record one order and advance its game."""
    with service.writing() as session:
        submit.record(
            session, seat, order.line, seen=order.behind, source="page", key=key, now=now,
            enqueue=lambda game_id: None,
        )  # fmt: skip
    with service.writing() as session:
        advance.advance(session, seat.game_id, now)
