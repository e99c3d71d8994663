"""What is done at every move, or every quarter of a minute, finds its rows by an index.

SQLite says of each statement how it would look for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import Session

from pbem import health
from pbem.archive import closing
from pbem.mail.incoming import inbox
from pbem.models import Game, stored_id
from pbem.play import advance, submit, undo, upkeep
from pbem.record import nightly
from pbem.service import Service
from pbem.timeouts import watchdog
from tests.support.tables import CATARINA, seat, started_game

SMALL = ("webhook", "mailpause", "outage", "heartbeat")


@contextmanager
def statements(service: Service) -> Iterator[list[tuple[str, Any]]]:
    """All that is asked of the database in here."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(service.engine, "before_cursor_execute", note)
    yield asked
    event.remove(service.engine, "before_cursor_execute", note)


def read_whole(service: Service, asked: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    """The tables that are read from end to end, each with the statement."""
    found = []
    with service.engine.connect() as connection:
        for statement, parameters in asked:
            if statement.startswith("BEGIN"):
                continue
            plan = connection.exec_driver_sql(f"explain query plan {statement}", parameters)
            found += [(how, statement) for *_, how in plan
                      if how.startswith("SCAN") and how.split()[1] not in SMALL]
    return found


def test_a_move_reads_no_table_from_end_to_end(service: Service) -> None:
    now = service.clock.now()
    with service.writing() as session:
        game_id = stored_id(started_game(session, now))
        session.commit()
        with statements(service) as asked, service.reading() as reading:
            own = seat(reading, reading.get_one(Game, game_id), CATARINA)
            submit.record(session, own, "merchant mombasa>5", seen=1, source="page", key="k",
                          now=now, enqueue=lambda _game: None, reading=reading, alone=True)
            submit.pending_of(reading, own)
            undo.others_wait(reading, own)
            assert advance.advance(session, game_id, now)

    assert len(asked) > 10
    assert read_whole(service, asked) == []


def sweeping(session: Session, service: Service) -> None:
    upkeep.games_to_advance(session, service.clock.now())
    inbox.waiting(session, service.clock.now(), service.clock.now())


def watching(session: Session, service: Service) -> None:
    health.vitals(session, service.clock.now())


def seeing_who_stands_still(session: Session, service: Service) -> None:
    list(watchdog.games_standing_still(session, service.clock.now()))


@pytest.mark.parametrize("look", [sweeping, watching, seeing_who_stands_still])
def test_who_watches_over_the_site_reads_neither_orders_nor_letters_from_end_to_end(
    service: Service, look: Callable[[Session, Service], None]
) -> None:
    with statements(service) as asked, service.reading() as session:
        look(session, service)

    large = ("SCAN submission", "SCAN inbound", "SCAN entry", "SCAN position")
    assert [found for found in read_whole(service, asked) if found[0].startswith(large)
            and "USING" not in found[0]] == []


def test_finished_games_that_are_done_cost_the_sweep_nothing(service: Service) -> None:
    with statements(service) as asked, service.reading() as session:
        closing.unclosed(session)
        nightly.due(session, service.clock.now())

    with service.engine.connect() as connection:
        plans = [connection.exec_driver_sql(f"explain query plan {each}", given).all()
                 for each, given in asked if not each.startswith("BEGIN")]
    assert [plan[0][-1].split(" (")[0] for plan in plans] == [
        "SEARCH game USING COVERING INDEX ix_game_unindexed",
        "SEARCH game USING COVERING INDEX ix_game_verify_at"]
