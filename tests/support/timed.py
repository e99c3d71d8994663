"""Timed games for tests: somebody is asked, time passes, a sweep comes by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import update
from sqlmodel import Session, col, select

from pbem.clock import FixedClock
from pbem.models import Entry, Game, LetterState, Outbox, Person, SeatRow, stored_id
from pbem.play import advance, positions, submit, upkeep
from pbem.play.outages import NAME
from pbem.service import Service
from pbem.timeouts import expiry
from tests.support.tables import CATARINA, NAMES, seat, started_game

FIRST = "merchant mombasa>5"  # what Catarina is asked for first
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass
class Timed:
    """A table with a clock; it begins with Catarina's question."""

    service: Service
    session: Session
    game: Game
    sent: int = field(default=0)

    @property
    def now(self) -> datetime:
        return self.service.clock.now()

    def seat(self, number: int) -> SeatRow:
        """A seat as it is now."""
        return seat(self.session, self.game, number)

    def person(self, number: int) -> Person:
        return self.session.get_one(Person, self.seat(number).person_id)

    def wait(self, span: timedelta) -> None:
        """Let time pass in which letters left and the sweep came by, and had nothing to do."""
        self.session.execute(
            update(Outbox).where(col(Outbox.settled).is_(None))
            .values(state=LetterState.SENT, settled=self.now))
        clock = self.service.clock
        assert isinstance(clock, FixedClock)
        clock.forward(span)
        upkeep.store_heartbeat(self.session, NAME, self.now)
        self.session.commit()

    def sleep(self, span: timedelta) -> None:
        """Let time pass in which no sweep came by."""
        clock = self.service.clock
        assert isinstance(clock, FixedClock)
        clock.forward(span)

    def sweep(self) -> set[int]:
        """What the sweep does now."""
        self.session.commit()
        letters = expiry.sweep(self.service)
        self.session.expire_all()
        return letters

    def send(self, number: int, orders: str) -> None:
        """Orders that no worker has played yet."""
        self.sent += 1
        submit.record(self.session, self.seat(number), orders, seen=9999, source="page",
                      key=str(self.sent), now=self.now, enqueue=lambda game_id: None)

    def play(self, number: int, orders: str) -> None:
        """Orders, and a worker that plays them."""
        self.send(number, orders)
        advance.advance(self.session, stored_id(self.game), self.now)
        self.session.expire_all()

    def play_any(self) -> int:
        """Let the first seat that is asked do the mildest thing by its own orders; the seat."""
        table = positions.table(self.session, self.game)
        number = table.rules.current_players(table.state)[0]
        move = table.rules.default_action(table.state, number)
        self.play(number, table.rules.to_text(move))
        return number

    def causes(self) -> list[str]:
        """The causes of all entries, in their order."""
        found = select(Entry.cause).where(Entry.game_id == self.game.id)
        return list(self.session.exec(found.order_by(col(Entry.number))))

    def letters(self, kind: str) -> list[tuple[str, int | None]]:
        """Whom letters of a kind are due to, by name, and about which entry."""
        names = {self.seat(number).person_id: self.seat(number).name for number in range(4)}
        rows = self.session.exec(select(Outbox).where(Outbox.kind == kind))
        return sorted((names.get(row.person_id, str(row.person_id)), row.entry) for row in rows)


def timed(
    service: Service, session: Session, clock: str = "each 72", at_zero: str = "default",
    names: Sequence[str] = NAMES,
) -> Timed:
    """A game of Vasco da Gama with a clock, and a sweep that was just here."""
    game = started_game(session, service.clock.now(), names, clock=clock, at_zero=at_zero)
    upkeep.store_heartbeat(session, NAME, service.clock.now())
    session.commit()
    return Timed(service, session, game)


__all__ = ["CATARINA", "DAY", "FIRST", "HOUR", "Timed", "timed"]
