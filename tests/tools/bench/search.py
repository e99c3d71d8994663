"""Searching 100,000 finished games against searching 1,000: rows of 100 played games, multiplied.

The same searches run in turn over both. Every thousand games has twelve people of its own,
as nobody plays a hundred thousand; all else is as frequent in the large archive as in the
small one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func
from sqlmodel import Session

from engine import bots, play, registry
from engine.chance import Stream
from pbem.archive import closing, index, search
from pbem.archive.index import newness
from pbem.models import Game, GameState, Person, SeatRow, stored_id
from pbem.models.archive import FoundGame, FoundName, Happening
from pbem.play import component_sets
from pbem.play.chance import commitment_of
from pbem.service import Service
from pbem.tables import full_text
from tests.tools.bench import stage
from tests.tools.bench.harness import RUNS, Figure, figure, p95, ratio

PLAYED = 100
SMALL, LARGE = 1_000, 100_000
PEOPLE = 12  # of a thousand games
SEARCHES = 150  # a run
TALK = [
    "good", "game", "well", "played", "thank", "you", "revenge", "pepper", "clove", "luck",
    "storm", "captain", "tomorrow",
]  # fmt: skip
HAPPENED = ("vasco-da-gama:hosted:manuel", "vasco-da-gama:completed:mombasa",
            "goa:founded:cochin", "goa:failed:calicut")  # fmt: skip


class Rows(NamedTuple):
    """What one played game leaves in the archive, to be copied."""

    game: dict[str, Any]
    seats: list[dict[str, Any]]
    found: dict[str, Any]
    happened: list[dict[str, Any]]
    talk: str


def measure() -> list[Figure]:
    """The p95 of the same searches over both archives."""
    with ExitStack() as stack:
        sessions = []
        for games in (LARGE, SMALL):
            var = stack.enter_context(stage.folder())
            service = stack.enter_context(stage.service(stage.environment(var)))
            fill(service, games)
            sessions.append(stack.enter_context(service.reading()))
        for session in sessions:
            one_side(session, wanted(random.Random(99)))
        pairs = [one_run(sessions, random.Random(seed)) for seed in range(RUNS)]
    said = f"p95 {{0}} ms over {LARGE:,} games; {{1}} ms over {SMALL:,}"
    return [
        figure("search", max(large for large, _ in pairs), "<= 100",
               f"ms, p95 over {LARGE:,} games; the highest of {len(pairs)} runs"),
        ratio("search-to-small", pairs, "<= 3", said),
    ]


def one_run(sessions: list[Session], choice: random.Random) -> tuple[float, float]:
    """The p95 of both, in milliseconds."""
    times: list[list[float]] = [[], []]
    for _ in range(SEARCHES):
        asked = wanted(choice)
        for side in choice.sample(range(2), 2):
            times[side].append(one_side(sessions[side], asked))
    return p95(times[0]), p95(times[1])


def one_side(session: Session, asked: index.Wanted) -> float:
    """How long a page of results takes, in milliseconds."""
    session.expunge_all()
    began = time.perf_counter()
    search.find(session, asked, None)
    return (time.perf_counter() - began) * 1000


def wanted(choice: random.Random) -> index.Wanted:
    """A search as somebody might make it: one to three things at once."""
    names = [f"Player {number}" for number in range(PEOPLE)]
    happened = choice.choice(HAPPENED)
    several: list[dict[str, Any]] = [
        {"player": choice.choice(names)}, {"winner": choice.choice(names)},
        {"game": happened.partition(":")[0]}, {"seats": choice.randint(2, 4)},
        {"words": " ".join(choice.sample(TALK, choice.randint(1, 2)))},
        {"margin": choice.randint(1, 40)}, {"longer": choice.randint(60, 400)},
        {"shorter": choice.randint(100, 400)}, {"option": "goa:quick_start=no"},
        {"happened": happened}, {"happened": happened, "round": choice.randint(1, 5)},
        {"happened": happened, "times": 2}, {"happened": happened, "by": choice.choice(names)},
        {"own": "no"}, {"until": stage.START + timedelta(days=choice.randint(30, 90))},
    ]  # fmt: skip
    asked: dict[str, Any] = {}
    for one in choice.sample(several, choice.randint(1, 3)):
        asked |= one
    return index.Wanted(**asked)


# ---- the archive --------------------------------------------------------------------------------


def fill(service: Service, games: int) -> None:
    """So many games, copied from those that were played."""
    with service.writing() as session:
        host = Person(name="Host", address="host@players.example", created=stage.START)
        session.add(host)
        session.flush()
        sets = {key: component_sets.stored_set(session, key, None)[1].digest
                for key in registry.GAMES}
        played = [rows(number, sets, stored_id(host)) for number in range(PLAYED)]
        if full_text.is_sqlite(session):
            session.connection().exec_driver_sql("pragma cache_size = -300000")
        for first in range(0, games, SMALL):
            people(session, first // SMALL)
            copies = islice(copied(played, first), SMALL)
            put(session, list(copies))
        session.commit()


def rows(number: int, sets: dict[str, str], host: int) -> Rows:
    """Play one game and keep what the archive would."""
    dice = random.Random(number)
    key = list(registry.GAMES)[number % len(registry.GAMES)]
    rules = registry.game(key)
    seats = dice.choice(list(rules.seats))
    state, history = played_out(rules, seats, dice)
    points = sorted((one.points for one in rules.returns(state)), reverse=True)
    found = FoundGame(
        game_id=0, game=key, seats=seats, components=sets[key], options="{}", private=False,
        ended=stage.START, days=dice.randint(5, 200), entries=len(history),
        winner_points=points[0], margin=points[0] - points[1], newness=0, indexed=stage.START,
        release=str(closing.INDEX_RELEASE),
    )
    happened = [
        Happening(game_id=0, number=place, key=one.key, seat=one.seat, round=one.round,
                  entry=one.step + 1)
        for place, one in enumerate(rules.happenings(seats, {}, history))
    ]
    game = Game(
        game=key, state=GameState.FINISHED, host_id=host, seats=seats, components=sets[key],
        server_part=bytes(32), commitment=commitment_of(bytes(32)), join_nonce="n" * 32,
        last_entry=len(history), created=stage.START, started=stage.START, ended=stage.START,
    ).model_dump()
    seated = [
        SeatRow(game_id=0, person_id=person, number=one.seat, name=f"Player {person}",
                joined=stage.START, place=one.place, points=one.points).model_dump()
        for one, person in zip(rules.returns(state), dice.sample(range(PEOPLE), seats), strict=True)
    ]
    talk = " ".join(dice.choices(TALK, k=dice.randint(0, 30)))
    return Rows(game, seated, found.model_dump(), [one.model_dump() for one in happened], talk)


def played_out(rules: Any, seats: int, dice: random.Random) -> tuple[Any, list[Any]]:
    """A whole game by players of the house: the last position, and the events of each entry."""
    secret = dice.randbytes(32)
    turn = play.start(rules, seats, {}, Stream(secret, "start"))
    history, state = [turn.events], turn.state
    while not rules.is_terminal(state):
        seat = rules.current_players(state)[0]
        for move in bots.choose(rules, state, seat, "random", Stream(secret, f"b{len(history)}")):
            turn = play.move(rules, state, seat, move, Stream(secret, f"m{len(history)}"))
            history.append(turn.events)
            state = turn.state
    return state, history


def people(session: Session, thousand: int) -> None:
    """The twelve of a thousand games; only the first are called as the searches ask."""
    for number in range(PEOPLE):
        name = f"Player {number}" if thousand == 0 else f"Player {number} of {thousand}"
        one = Person(id=person_id(number, thousand), name=name, created=stage.START,
                     address=f"p{number}-{thousand}@players.example")
        session.add(one)
        session.flush()  # or its names would be written first
        session.add(FoundName(name=full_text.plain(name), person_id=one.id or 0))
    session.flush()


def person_id(number: int, thousand: int) -> int:
    """The id of the `number`-th of a thousand games."""
    return 1_000 + thousand * PEOPLE + number


def copied(played: list[Rows], first: int) -> Iterator[tuple[int, int, Rows]]:
    """Game id, thousand and rows of copies without end, from `first` on."""
    number = first
    while True:
        yield number + 1, number // SMALL, played[number % len(played)]
        number += 1


def put(session: Session, copies: list[tuple[int, int, Rows]]) -> None:
    """Write copies, each ended an hour before the one in front of it."""
    tables: dict[Any, list[dict[str, Any]]] = {
        Game: [], SeatRow: [], FoundGame: [], Happening: []}
    words = []
    for game_id, thousand, one in copies:
        ended = stage.START + timedelta(days=100) - timedelta(hours=game_id)
        key = newness(ended, game_id)
        tables[Game].append({**one.game, "id": game_id, "ended": ended})
        tables[FoundGame].append(
            {**one.found, "game_id": game_id, "ended": ended, "newness": key})
        tables[Happening] += [{**row, "game_id": game_id} for row in one.happened]
        for seat in one.seats:
            who = person_id(seat["person_id"], thousand)
            row = {**seat, "game_id": game_id, "person_id": who}
            del row["id"]
            tables[SeatRow].append(row)
        if one.talk:
            words.append({"newness": key, "words": one.talk})
    connection = session.connection()
    for table, new in tables.items():
        connection.execute(table.__table__.insert(), new)
    insert = full_text.table_of(session).insert()
    if not full_text.is_sqlite(session):
        kept = func.to_tsvector(full_text.SIMPLE, bindparam("words"))
        insert = insert.values(newness=bindparam("newness"), words=kept)
    connection.execute(insert, words)

