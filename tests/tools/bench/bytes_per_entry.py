"""What an entry weighs once 200 games are played: on SQLite by `dbstat`, and on PostgreSQL.

Every order goes through `submit.record` and `advance`; every letter's row goes through the states
of one that was sent. Commits do not wait for the disk here, which changes no size.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import Connection, bindparam, event, make_url, update
from sqlmodel import col, select

from pbem.mail.letters import build
from pbem.models import Game, LetterState, Outbox, stored_id
from pbem.service import Service
from tests.support.servers import private_postgres
from tests.tools.bench import stage
from tests.tools.bench.harness import Figure, figure, shown

GAMES = 200
AT_ONCE = 20  # games that grow side by side, as they do on a site
ORDERS_BETWEEN_VACUUMS = 400  # PostgreSQL's autovacuum does this where games take weeks
ENTRY_AND_POSITION, EVERYTHING = 700, 1500


def measure() -> list[Figure]:
    """Both databases, each filled by a process of its own."""
    processes = {
        kind: subprocess.Popen(
            [sys.executable, "-m", "tests.tools.bench.bytes_per_entry", kind],
            stdout=subprocess.PIPE, text=True,
        )
        for kind in FILLED
    }  # fmt: skip
    figures = []
    for kind, process in processes.items():
        said, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(f"{kind}: ended with {process.returncode}")
        figures += figures_of(kind, json.loads(said))
    return figures


def figures_of(kind: str, found: dict[str, float]) -> list[Figure]:
    """The two figures of one database; `found` is in bytes, but for `entries`."""
    entries = found["entries"]
    said = f"bytes an entry over {GAMES} games of {shown(entries / GAMES)} entries, {kind}"
    parts = ", ".join(
        f"{name} {shown(found[name] / entries)}" for name in sorted(set(found) - {"entries", "all"})
    )
    own = (found["entry"] + found["snapshot"]) / entries
    return [
        figure(f"bytes-entry-{kind}", own, f"<= {ENTRY_AND_POSITION}", f"entry + position, {said}"),
        figure(f"bytes-all-{kind}", found["all"] / entries, f"<= {EVERYTHING}", f"{said}: {parts}"),
    ]


# ---- filling ------------------------------------------------------------------------------------


def fill(service: Service, between: Callable[[], None]) -> int:
    """Play the games, so many at once in turn; how many entries they have."""
    waiting = iter(range(GAMES))
    letter = bytes(1)
    played = 0
    tables: list[Table] = []
    while True:
        tables += [Table(service, number) for number in islice(waiting, AT_ONCE - len(tables))]
        if not tables:
            return entries_of(service)
        letter = letter if len(letter) > 1 else real_letter(service)
        tables = [table for table in tables if table.play_one(letter)]
        played += len(tables)
        if played >= ORDERS_BETWEEN_VACUUMS:
            between()
            played = 0


class Table:
    """One game and the orders that are left to play."""

    def __init__(self, service: Service, number: int) -> None:
        self._service = service
        with service.writing() as session:
            game = stage.started_game(session, stage.people(session, number), stage.START)
            session.commit()
            self._chairs = stage.seats(session, game)
            self._orders = iter(list(stage.orders(session, game, random.Random(number))))
        self._place = 0
        self._game_id = stored_id(game)

    def play_one(self, letter: bytes) -> bool:
        """Play the next order and send its letters; False if there was none."""
        order = next(self._orders, None)
        self._place += 1
        now = stage.START + self._place * stage.BETWEEN_MOVES
        if order is not None:
            chair = self._chairs[order.seat]
            stage.play_order(self._service, chair, order, key_of(self._place), now)
        with self._service.engine.begin() as connection:
            settle_letters(connection, self._game_id, letter, now)
        return order is not None


def key_of(place: int) -> str:
    """As long as a form's own token."""
    return f"bench-token-{place:04}"


def settle_letters(connection: Connection, game_id: int, letter: bytes, now: datetime) -> None:
    """Claimed, kept, settled: the three writes that every letter's row sees."""
    for changes in (
        {
            "state": LetterState.SENDING, "lease_until": now + LEASE, "attempts": 1,
            "message_id": MESSAGE_ID,
        },
        {"raw": letter},
        {
            "state": LetterState.SENT, "settled": now + SECOND, "raw": None, "lease_until": None,
            "last_code": 250, "last_text": "2.0.0 Ok: queued as 4XyZ1b2c3dz9sR",
        },
    ):  # fmt: skip
        connection.execute(_open.values(changes), {"about": game_id})


_open = update(Outbox).where(
    col(Outbox.game_id) == bindparam("about"), col(Outbox.settled).is_(None))
MESSAGE_ID = "<g42.turn.117.9f86d081@carreira.example>"  # as long as a real one
LEASE, SECOND = timedelta(minutes=3), timedelta(seconds=1)


def real_letter(service: Service) -> bytes:
    """One of the letters that are due, as it would be sent."""
    with service.reading() as session:
        row = session.exec(select(Outbox).where(Outbox.kind == "turn").limit(1)).one()
        row.message_id = "<g1.turn.1.9f86d081@carreira.example>"
        letter = build.build(session, row, service.settings, stage.START)
        if letter is None:
            raise AssertionError("the first turn letter is not true")
        return letter.raw


def entries_of(service: Service) -> int:
    """How many entries all games have; every game must be over."""
    with service.reading() as session:
        games = session.exec(select(Game)).all()
        if any(game.state != "finished" for game in games):
            raise AssertionError("a game was not played to its end")
        return sum(game.last_entry for game in games)


# ---- SQLite -------------------------------------------------------------------------------------


def on_sqlite() -> dict[str, float]:
    """Bytes by table, its indexes included."""
    with stage.folder() as var, stage.service(stage.environment(var)) as service:

        @event.listens_for(service.engine, "connect")
        def hurry(connection: Any, record: Any) -> None:
            connection.execute("PRAGMA synchronous=OFF")

        entries = fill(service, between=lambda: None)
        with service.engine.connect() as connection:
            pages = connection.exec_driver_sql(
                "select m.tbl_name, sum(d.pgsize) from dbstat d"
                " join sqlite_schema m on m.name = d.name group by m.tbl_name"
            )
            found: dict[str, int] = {row[0]: row[1] for row in pages}
    return totals(found, entries)


def totals(tables: dict[str, int], entries: int) -> dict[str, float]:
    """The tables that grow with entries by name, and the sum of all."""
    named = {name: tables[name] for name in ("entry", "snapshot", "submission", "outbox")}
    return {**named, "all": sum(tables.values()), "entries": entries}


# ---- PostgreSQL ---------------------------------------------------------------------------------


@contextmanager
def postgres_service() -> Iterator[Service]:
    """A service on a database of its own."""
    with private_postgres() as server, stage.folder() as var:
        url = make_url(server).update_query_dict({"options": "-csynchronous_commit=off"})
        database = url.render_as_string(hide_password=False)
        with stage.service(stage.environment(var, DATABASE_URL=database)) as service:
            yield service


def on_postgresql() -> dict[str, float]:
    """Bytes by table, its indexes and long values included."""
    with postgres_service() as service:
        entries = fill(service, between=lambda: vacuum(service))
        vacuum(service)
        with service.engine.connect() as connection:
            sizes = connection.exec_driver_sql(
                "select relname, pg_total_relation_size(oid) from pg_class"
                " where relkind = 'r' and relnamespace = 'public'::regnamespace"
            )
            found: dict[str, int] = {row[0]: row[1] for row in sizes}
    return totals(found, entries)


def vacuum(service: Service) -> None:
    """What autovacuum does in the days between so many moves."""
    with service.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("vacuum outbox, submission, seat, game")


FILLED = {"sqlite": on_sqlite, "postgresql": on_postgresql}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(FILLED[sys.argv[1]]()))
