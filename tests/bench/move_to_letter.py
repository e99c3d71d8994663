"""From the commit of a move to the next player's letter at the mail server, ten moves a second."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import cycle, islice, pairwise
from pathlib import Path

from sqlmodel import col, select

from pbem import enqueue as task_names
from pbem.enqueue import EnqueueThread, Publisher
from pbem.models import Game, Outbox, SeatRow
from pbem.play import submit
from pbem.run.processes import Child, stop
from pbem.run.supervisor import WORKERS, beat, worker
from pbem.service import Service
from tests.bench import noop, stage
from tests.bench.harness import RUNS, Figure, p95, ratio
from tests.pbem.postbox import Postbox, postbox
from tests.servers import eventually, private_valkey

GAMES = 40
A_SECOND = 10
BLOCK = 20  # of each kind, in turn
BLOCKS = 3  # a run
SECONDS_TO_ARRIVE = 20
MOVES_A_GAME = 2 + BLOCK * (1 + BLOCKS * RUNS) // GAMES


class Arrivals:
    """When the mail server has accepted a letter to somebody at a table."""

    def __init__(self, box: Postbox) -> None:
        self.box = box
        self.at: dict[str, float] = {}
        box.before_answer = self.note

    def note(self) -> None:
        """Called with a letter in hand, in front of the server's 250."""
        now = time.perf_counter()
        self.at.setdefault(table_of(self.box.envelopes[-1][1]), now)

    def expect(self, table: str) -> None:
        """Forget what has arrived there before."""
        self.at.pop(table, None)

    def wait(self, table: str) -> float:
        """The time of the first letter since `expect`."""
        return float(eventually(lambda: self.at.get(table), SECONDS_TO_ARRIVE))


def table_of(address: str) -> str:
    """ana.17@players.example sits at table 17."""
    return address.partition("@")[0].partition(".")[2]


def measure() -> list[Figure]:
    """Real workers, broker and receiver; both sides share broker and receiver."""
    with stage.folder() as var, private_valkey() as valkey, postbox() as box:
        environ = stage.environment(
            var, REDIS_URL=valkey.url, SMTP_URL=box.url, LETTER_DELAY="0", BASE_URL="http://localhost"
        )
        with stage.service(environ) as service, workers(environ, var, valkey.url):
            pairs = runs(service, box, valkey.url)
    said = "p95 {0} ms from the commit; Celery no-op and one SMTP transaction {1} ms"
    return [ratio("move-to-letter", pairs, "<= 3", said)]


@contextmanager
def workers(environ: dict[str, str], var: Path, broker_url: str) -> Iterator[None]:
    """The service's workers and beat as its supervisor starts them, and the floor's worker."""
    surroundings = stage.process_environment(environ | {"BENCH_BROKER": broker_url})
    family = [
        *(Child(name, worker(name, queues), surroundings, var) for name, queues in WORKERS.items()),
        Child("beat", beat(), surroundings, var),
        Child("floor", noop_worker(), surroundings, var),
    ]
    for child in family:
        child.start()
    try:
        yield
    finally:
        stop(family, 10, hurry=lambda: False)


def noop_worker() -> list[str]:
    """The floor's worker, started like ours."""
    command = worker("floor", noop.QUEUE)
    return ["tests.bench.noop" if word == "workers.celery_app" else word for word in command]


def runs(service: Service, box: Postbox, broker_url: str) -> list[tuple[float, float]]:
    """The p95 of both sides in each run, in milliseconds."""
    arrivals = Arrivals(box)
    with service.writing() as session:
        games = stage.started_games(session, GAMES, datetime.now(UTC))
    eventually(lambda: all_sent(service), 120)
    moves = Moves(service, arrivals, broker_url, games)
    letters = Letters(arrivals, broker_url, size=len(box.letters[-1]), port=box.port)
    paced(letters.one)  # the first ones open connections and load templates
    paced(moves.one)
    return [one_run(moves, letters) for _ in range(RUNS)]


def all_sent(service: Service) -> bool:
    """Whether no letter is due."""
    with service.reading() as session:
        due = session.exec(select(Outbox.id).where(col(Outbox.settled).is_(None)).limit(1))
        return due.first() is None


class Moves:
    """One game after the other takes its next move; its letter goes to somebody at its table."""

    def __init__(
        self, service: Service, arrivals: Arrivals, broker_url: str, games: list[Game]
    ) -> None:
        self._service = service
        self._arrivals = arrivals
        self._enqueuer = EnqueueThread(Publisher(broker_url).publish)
        self._committed = 0.0
        tables = [(str(table), *self._prepared(game)) for table, game in enumerate(games)]
        self._next = cycle(tables)

    def _prepared(self, game: Game) -> tuple[list[SeatRow], Iterator[list[stage.Order]]]:
        with self._service.reading() as session:
            whole = stage.orders(session, game, random.Random(0), odds_of_launch=0)
            return stage.seats(session, game), iter(list(islice(turns(whole), MOVES_A_GAME)))

    def _enqueue(self, game_id: int) -> None:
        self._committed = time.perf_counter()
        self._enqueuer.put(task_names.ADVANCE, game_id)

    def one(self) -> Callable[[], float]:
        """Record a move; the function waits for its letter, and returns the seconds between."""
        table, chairs, orders = next(self._next)
        *before, order = next(orders)
        for each in before:
            stage.play_order(
                self._service, chairs[each.seat], each, str(each.behind), datetime.now(UTC))
        self._arrivals.expect(table)
        with self._service.writing() as session:
            submit.record(
                session, chairs[order.seat], order.line, seen=order.behind, source="page",
                key=str(order.behind), now=datetime.now(UTC), enqueue=self._enqueue,
            )  # fmt: skip
        committed = self._committed
        return lambda: self._arrivals.wait(table) - committed


def turns(orders: Iterator[stage.Order]) -> Iterator[list[stage.Order]]:
    """Orders up to one behind which somebody else is asked, who gets a letter."""
    turn = []
    for order, following in pairwise(orders):
        turn.append(order)
        if following.seat != order.seat:
            yield turn
            turn = []


class Letters:
    """The floor: tasks that send a letter of the same size and do nothing else."""

    def __init__(self, arrivals: Arrivals, broker_url: str, *, size: int, port: int) -> None:
        self._arrivals = arrivals
        self._publish = noop.publisher(broker_url)
        self._size = size
        self._port = port
        self._sent = 0

    def one(self) -> Callable[[], float]:
        """Publish one; the function waits for its letter, and returns the seconds between."""
        self._sent += 1
        table = f"floor-{self._sent}"
        began = time.perf_counter()
        self._publish(noop.LETTER, (f"nobody.{table}@players.example", self._port, self._size))
        return lambda: self._arrivals.wait(table) - began


def one_run(moves: Moves, letters: Letters) -> tuple[float, float]:
    """Blocks of both kinds in turn."""
    ours: list[float] = []
    floor: list[float] = []
    for _ in range(BLOCKS):
        floor += paced(letters.one)
        ours += paced(moves.one)
    return p95(ours), p95(floor)


def paced(begin: Callable[[], Callable[[], float]]) -> list[float]:
    """Begin ten a second, then wait for all: milliseconds from each one's start to its letter."""
    first = time.perf_counter()
    under_way = []
    for place in range(BLOCK):
        time.sleep(max(0.0, first + place / A_SECOND - time.perf_counter()))
        under_way.append(begin())
    return [ends() * 1000 for ends in under_way]
