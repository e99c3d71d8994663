"""A year in one process: a clock that jumps to the next thing due, real sweeps, mail in memory.

What the service does is done by its own tasks. Between two jumps the sweeps of a running service
would have come by and found nothing; that they were there is noted before each jump.
"""

from __future__ import annotations

import heapq
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, func, select

from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import make_engine, migrate
from pbem.mail.server_answers import Accepted, Outcome, Unreachable
from pbem.models import Game, GameState, Outbox, SeatRow
from pbem.play import upkeep
from pbem.play.outages import NAME
from pbem.service import Service
from pbem.tables import votes
from workers import context, tasks

BETWEEN_SWEEPS = 15.0  # seconds, as the beat has them
IN_AN_OUTAGE = timedelta(minutes=4)  # how often letters are tried that no server takes
MESSAGE_ID = re.compile(rb"(?im)^message-id:\s*(<[^>]+>)")
REPLY_TO = re.compile(rb"(?im)^reply-to:\s*<?([^<>\s]+)>?")
SERVICE, MAIL = "service", "mail"


@dataclass(frozen=True)
class Outage:
    """The service is down, or no mail can leave."""

    kind: str
    begins: datetime
    ends: datetime


@dataclass(frozen=True)
class Delivered:
    """A letter that arrived; `rows` are all that it tells."""

    at: datetime
    message_id: str
    address: str
    reply_to: str
    rows: tuple[Outbox, ...]


class Post:
    """The mail server: takes what is sent unless it is down, and hands it to its reader."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.delivered: list[Delivered] = []

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        world = self.world
        if world.is_out(MAIL):
            return Unreachable("the line is dead")
        head = letter.partition(b"\r\n\r\n")[0].replace(b"\r\n ", b" ")
        message_id = MESSAGE_ID.search(head)
        reply_to = REPLY_TO.search(head)
        number = message_id[1].decode() if message_id else ""
        with world.service.reading() as session:
            leading = select(Outbox).where(Outbox.message_id == number)
            rows = list(session.exec(leading))
            merged = select(Outbox).where(col(Outbox.merged_into).in_([row.id for row in rows]))
            rows += session.exec(merged).all()
        got = Delivered(world.now, number, recipient, reply_to[1].decode() if reply_to else "",
                        tuple(rows))
        self.delivered.append(got)
        for hears in world.hear:
            hears(got, letter)
        return Accepted(250, "taken")

    def close(self) -> None:
        return None


@dataclass(order=True)
class Event:
    """Something that somebody will do."""

    at: datetime
    number: int
    do: Callable[[], None] = field(compare=False)


class World:
    """The service, its mail server, and what is going to happen."""

    def __init__(self, service: Service, clock: FixedClock, seed: int) -> None:
        self.service, self.clock = service, clock
        self.dice = random.Random(seed)
        self.post = Post(self)
        self.outages: list[Outage] = []
        self.events: list[Event] = []
        self.hear: list[Callable[[Delivered, bytes], None]] = []  # letters, as they arrive
        self.after: list[Callable[[], None]] = []  # looks, behind each event
        self.tally: Counter[str] = Counter()
        self._numbers = count()
        self._back: set[Outage] = set()

    @property
    def now(self) -> datetime:
        return self.clock.now()

    @property
    def usual(self) -> timedelta:
        """The site's usual delay of letters."""
        return timedelta(seconds=self.service.settings.letter_delay)

    def plan(self, at: datetime, do: Callable[[], None]) -> None:
        """Have something done at an instant, or as soon as the service is there again."""
        heapq.heappush(self.events, Event(max(at, self.now), next(self._numbers), do))

    def fails(self, kind: str, begins: datetime, hours: float) -> None:
        """An outage that is going to be."""
        outage = Outage(kind, begins, begins + timedelta(hours=hours))
        self.outages.append(outage)
        self.plan(outage.ends, lambda: None)  # somebody is there again

    def out(self, at: datetime, kind: str) -> Outage | None:
        """The outage of a kind at an instant."""
        return next((each for each in self.outages
                     if each.kind == kind and each.begins <= at < each.ends), None)

    def is_out(self, kind: str) -> bool:
        return self.out(self.now, kind) is not None

    def chance(self, part: float) -> bool:
        return self.dice.random() < part

    # ---- time

    def run(self, until: datetime, is_over: Callable[[], bool]) -> None:
        """Jump from one thing to the next."""
        while not is_over():
            sweep = self.next_sweep()
            planned = self.events[0].at if self.events else None
            at = min((each for each in (sweep, planned) if each is not None), default=None)
            if at is None or at > until:
                return
            self.jump(at)
            if planned is not None and (sweep is None or planned <= sweep):
                event = heapq.heappop(self.events)
                event.do()
                self.tally["events"] += 1
            else:
                self.sweep()
            for look in self.after:
                look()

    def jump(self, at: datetime) -> None:
        """Let time pass; in an outage of the service nothing happens until it is over."""
        down = self.out(at, SERVICE)
        began = self.now
        if down is not None:
            at = down.ends + timedelta(seconds=self.dice.random() * 5)
        self.clock.forward(max(timedelta(0), at - began))
        ended = (each for each in self.outages if began < each.ends <= self.now)
        over = [each for each in ended if each.kind == SERVICE and each not in self._back]
        if over:  # the first thing that a service does which comes back
            self._back.update(over)
            self.noted(over[0].begins)
            self.sweep()
        else:
            self.noted(self.now - timedelta(seconds=BETWEEN_SWEEPS * self.dice.random()))

    def noted(self, at: datetime) -> None:
        """The sweeps that came by and found nothing."""
        with self.service.writing() as session:
            upkeep.store_heartbeat(session, NAME, at)
            session.commit()

    def next_sweep(self) -> datetime | None:
        """When the next sweep will find something."""
        with self.service.reading() as session:
            due = [each for each in due_in(session) if each is not None]
        if not due:
            return None
        at = max(min(due), self.now + timedelta(seconds=1))
        if self.is_out(MAIL):
            at = max(at, self.now + IN_AN_OUTAGE)
        return at + timedelta(seconds=self.dice.random() * BETWEEN_SWEEPS)

    def sweep(self) -> None:
        """All that the beat sends."""
        self.tally["sweeps"] += 1
        tasks.clocks()
        tasks.sweep()
        tasks.letters()

    # ---- what workers are enqueued for

    def enqueue(self, game_id: int) -> None:
        """Advance a game; one task of a hundred is lost."""
        if self.chance(0.01):
            self.tally["lost_enqueuer"] += 1
            self.plan(self.now + timedelta(seconds=BETWEEN_SWEEPS), self.sweep)
        else:
            tasks.advance(game_id)

    def enqueue_letters(self, letters: Any) -> None:
        for letter in letters:
            tasks.send(letter)


def due_in(session: Session) -> Iterator[datetime | None]:
    """When the next letter, clock, reminder and vote are due."""
    yield session.exec(select(func.min(Outbox.not_before)).where(
        col(Outbox.settled).is_(None))).one()
    yield session.exec(select(func.min(SeatRow.due)).where(col(SeatRow.due).is_not(None))).one()
    yield session.exec(select(func.min(SeatRow.remind_at)).where(
        col(SeatRow.remind_at).is_not(None))).one()
    asked = session.exec(select(func.min(Game.paused)).where(
        Game.state == GameState.RUNNING, col(Game.paused).is_not(None))).one()
    yield None if asked is None else asked + votes.LASTS


@contextmanager
def world(seed: int, begins: datetime) -> Iterator[World]:
    """A service of its own on a new database, gone afterwards."""
    fast = Path("/dev/shm")  # where a commit costs no disk
    var = Path(tempfile.mkdtemp(prefix="year-", dir=fast if fast.is_dir() else None))
    settings = Settings.from_environment({
        "CARREIRA_VAR": str(var), "CARREIRA_PICTURES": "off",
        "CARREIRA_TEST_LIMITS": "off",
        "CARREIRA_SECRET_KEY": "a secret key that only this year knows",
    })  # fmt: skip
    engine = make_engine(settings.database_url)
    migrate(engine)
    clock = FixedClock(begins)
    made = World(Service(settings, engine, clock), clock, seed)
    kept = context.service, context.transport, context.enqueue_letters, context.enqueue_game
    context.service = lambda: made.service  # type: ignore[assignment]
    context.transport = lambda: made.post  # type: ignore[assignment]
    context.enqueue_letters = made.enqueue_letters
    context.enqueue_game = made.enqueue
    try:
        yield made
    finally:
        (context.service, context.transport,  # type: ignore[assignment]
         context.enqueue_letters, context.enqueue_game) = kept
        engine.dispose()
        shutil.rmtree(var, ignore_errors=True)
