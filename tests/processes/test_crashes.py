"""A crash before or after any commit or letter of the sweeps: the next ones put all of it right.

Everything that sweeps do is due at once: orders and an answer by mail that nobody was enqueued for,
clocks at zero of each kind, an overdue vote, a reminder, an outage, an open game that has expired,
a vacant seat for which somebody waits, and letters. For each commit and each letter the sweeps are
ended there, as a killed process would; what is there in the end is what an uncrashed run leaves.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, select

from pbem.clock import FixedClock
from pbem.clocks import terms
from pbem.db import make_engine
from pbem.mail import tokens
from pbem.mail.incoming import store
from pbem.mail.incoming.parse.reading import Envelope
from pbem.mail.server_answers import Accepted, Outcome
from pbem.models import (
    Entry,
    Game,
    Inbound,
    Invitation,
    LetterState,
    Outage,
    Outbox,
    Person,
    SeatRow,
    Submission,
    stored_id,
)
from pbem.play import positions, submit, upkeep
from pbem.play.chance import commitment_of
from pbem.play.outages import NAME
from pbem.service import Service
from pbem.tables import lobby, substitutes
from tests.support.answering import written
from tests.support.tables import person
from workers import context, tasks

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
# Two of them are longer than a lease, and shorter than the silence that makes an outage.
NEXT = timedelta(seconds=100)
SWEEPS = 5  # after the crash: letters that one makes due the next sends
STEP = 1 if "SOAK" in os.environ else 41  # every so many-th place; `make soak` tries all


class Crash(BaseException):
    """The process is no more: nobody may catch this."""


@dataclass
class Points:
    """Where the process can end: `at` is the place that ends it, counted from 1."""

    when: str = "never"
    at: int = 0
    passed: int = 0
    here: list[str] = field(default_factory=list)

    def through(self, what: str, do: Any) -> Any:
        """Do it, unless the process ends in front of it or behind it."""
        self.passed += 1
        self.here.append(what)
        is_here = self.passed == self.at
        if is_here and self.when == "before":
            raise Crash
        done = do()
        if is_here and self.when == "after":
            raise Crash
        return done


@dataclass
class Server:
    """Takes every letter, and notes its Message-ID."""

    points: Points
    taken: list[str] = field(default_factory=list)

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        return self.points.through("letter", lambda: self.take(letter))

    def take(self, letter: bytes) -> Outcome:
        line = next(each for each in letter.splitlines() if each.lower().startswith(b"message-id"))
        self.taken.append(line.decode())
        return Accepted(250, "taken")

    def close(self) -> None:
        return None


# ---- the scene ----------------------------------------------------------------------------------


def begun(session: Session, people: list[Person], clock: FixedClock, timed: str = "none",
          at_zero: str = "default") -> int:  # fmt: skip
    """A game of these people, always the same shuffle."""
    game = lobby.open_game(
        session, host=people[0], game_key="vasco-da-gama", title="", seats=len(people),
        chosen_order=True, private=False, components=None, phrase="", open_days=1,
        now=clock.now(), terms=terms.read(timed, at_zero, "50 10"))  # fmt: skip
    game.server_part, game.commitment = bytes([5]) * 32, commitment_of(bytes([5]) * 32)
    for guest in people[1:]:
        lobby.join(session, game_id=stored_id(game), person=guest, phrase="", now=clock.now())
    session.commit()
    return stored_id(game)


def asked(session: Session, game_id: int) -> tuple[SeatRow, str]:
    """Who is asked, and the mildest answer."""
    table = positions.table(session, session.get_one(Game, game_id))
    [number, *_] = table.rules.current_players(table.state)
    seat = session.exec(select(SeatRow).where(
        SeatRow.game_id == game_id, SeatRow.number == number)).one()
    return seat, table.rules.to_text(table.rules.default_action(table.state, number))


def seen(service: Service, clock: FixedClock, ago: timedelta) -> None:
    """The sweep was here lately."""
    with service.writing() as session:
        upkeep.store_heartbeat(session, NAME, clock.now() - ago)
        session.commit()


def scene(service: Service, clock: FixedClock) -> None:
    """All that a sweep can find, due at once."""
    with service.writing() as session:
        people = [person(session, name, clock.now())
                  for name in ("Ana", "Bento", "Catarina", "Duarte")]
        session.commit()
        overdue = begun(session, people[:3], clock, "each 24", "vote")
    for hours in (25, 45):
        with working(service, Server(Points())):
            tasks.letters()
            clock.forward(hours * HOUR)
            seen(service, clock, MINUTE)
            tasks.clocks()
            tasks.letters()
    with service.writing() as session:
        assert session.get_one(Game, overdue).paused is not None
        by_page, by_mail = (begun(session, people[:2], clock) for _ in range(2))
        for at_zero in ("default", "bot", "vote"):
            begun(session, people[:3], clock, "each 24", at_zero)
        begun(session, people[:2], clock, "each 48")
        lobby.open_game(
            session, host=people[3], game_key="goa", title="", seats=4, chosen_order=True,
            private=False, components=None, phrase="", open_days=1, now=clock.now())
        substitutes.set_games(session, people[3], {"vasco-da-gama"}, clock.now())
        session.commit()
    with working(service, Server(Points())):
        tasks.letters()
    clock.forward(30 * HOUR)
    with service.writing() as session:
        seat, line = asked(session, by_page)
        submit.record(session, seat, line, seen=1, source="page", key="k", now=clock.now(),
                      enqueue=lambda _: None)
        answer(service, session, by_mail)
    clock.forward(MINUTE)
    seen(service, clock, 10 * MINUTE)


def answer(service: Service, session: Session, game_id: int) -> None:
    """An answer by mail that nobody has judged."""
    seat, line = asked(session, game_id)
    who = session.get_one(Person, seat.person_id)
    letter = session.exec(select(Outbox).where(
        Outbox.game_id == game_id, Outbox.person_id == who.id,
        Outbox.kind == "started")).one()
    session.commit()
    token = tokens.token(service.settings.keys, "turn", letter)
    to = f"turn+{token}@{service.settings.reply_domain}"
    raw = written(to, line, who.address, Message_ID="<answer@players.example>")
    store.store(service, Envelope(who.address, to, "smtp"), raw)


@contextmanager
def working(service: Service, server: Server) -> Iterator[None]:
    """A worker of this service; what it is enqueued for is lost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "service", lambda: service)
        patch.setattr(context, "transport", lambda: server)
        patch.setattr(context, "enqueue_letters", lambda letters: None)
        patch.setattr(context, "enqueue_game", lambda game_id: None)
        yield


# ---- runs ---------------------------------------------------------------------------------------


@dataclass
class Run:
    """The sweeps over a copy of the scene, ended at one place, and what is there in the end."""

    points: Points
    taken: list[str]
    there: dict[str, Any]


def run(service: Service, scene_at: Path, when: str, at: int, begins: Any) -> Run:
    """Sweep until the crash; then other sweeps come."""
    var = scene_at.parent / "run"
    var.mkdir(exist_ok=True)
    path = var / "carreira.db"
    for old in var.iterdir():
        old.unlink()
    shutil.copyfile(scene_at, path)
    points = Points(when, at)
    clock = FixedClock(begins)
    settings = replace(service.settings, database_url=f"sqlite:///{path}")
    engine = make_engine(settings.database_url)
    one = Service(settings, engine, clock)
    server = Server(points)
    commit = engine.dialect.do_commit
    engine.dialect.do_commit = lambda at: points.through(  # type: ignore[method-assign]
        "commit", lambda: commit(at))
    with working(one, server):
        for _ in range(1 + SWEEPS):
            try:
                tasks.clocks()
                tasks.sweep()
                tasks.letters()
            except Crash:
                engine.dispose()  # what the process held goes with it
            clock.forward(NEXT)
    there = final(one)
    engine.dispose()
    return Run(points, server.taken, there)


def final(service: Service) -> dict[str, Any]:
    """What is there, without instants and random ids."""
    with service.reading() as session:
        letters = {row.id: row for row in session.exec(select(Outbox))}
        return {
            "entries": [(each.game_id, each.number, each.base, each.seat, each.cause,
                         b"" if each.cause == "outage" else each.body)
                        for each in session.exec(select(Entry).order_by("game_id", "number"))],
            "games": [(each.id, each.state, each.last_entry, each.paused is None)
                      for each in session.exec(select(Game).order_by("id"))],
            "seats": [(each.id, each.person_id, each.asked_since, each.left, each.played_by,
                       each.misses, each.reminded, each.due is None)
                      for each in session.exec(select(SeatRow).order_by("id"))],
            "letters": Counter(
                (row.kind, row.dedup_key, was_told(row, letters))
                for row in letters.values()),
            "orders": [(each.id, each.state, each.first_entry)
                       for each in session.exec(select(Submission).order_by("id"))],
            "answers": [(each.id, each.state) for each in session.exec(select(Inbound))],
            "invitations": Counter((each.game_id, each.seat, each.address, each.state)
                                   for each in session.exec(select(Invitation))),
            "outages": Counter((each.kind, each.over) for each in session.exec(select(Outage))),
        }


def was_told(row: Outbox, letters: dict[int | None, Outbox]) -> str:
    """Whether its reader has read it, alone or with another."""
    leading = letters[row.merged_into] if row.merged_into is not None else row
    return "told" if leading.state == LetterState.SENT else row.state


def test_a_crash_anywhere_in_a_sweep_changes_nothing_that_the_next_does_not_put_right(
    service: Service, clock: FixedClock, tmp_path: Path
) -> None:
    scene(service, clock)
    service.engine.dispose()
    scene_at = tmp_path / "scene.db"
    shutil.copyfile(service.settings.var / "carreira.db", scene_at)

    whole = run(service, scene_at, "never", 0, clock.now())

    causes = {entry[4] for entry in whole.there["entries"]}
    assert {"overtime", "default", "dropped", "pause", "outage", "order", "bot"} <= causes
    kinds = {letter[0] for letter in whole.there["letters"]}
    assert {"turn", "overtime", "dropped", "vote", "reminder", "expired", "receipt",
            "take_over"} <= kinds  # fmt: skip
    assert {letter[2] for letter in whole.there["letters"]} <= {"told", "superseded"}
    assert len(whole.taken) == len(set(whole.taken))
    assert whole.points.here.count("letter") > 5

    last = len(whole.points.here) - whole.points.here[::-1].index("letter") + 2
    for at, what in list(enumerate(whole.points.here[:last], start=1))[::STEP]:
        for when in ("before", "after"):
            crashed = run(service, scene_at, when, at, clock.now())
            place = f"{when} {what} {at} of {last}"
            assert crashed.points.passed >= at, place
            for part, wanted in whole.there.items():
                assert crashed.there[part] == wanted, f"{place}: {part}"
            # Nobody can know whether a letter was taken, if not by sending it again.
            twice = len(crashed.taken) - len(set(crashed.taken))
            assert twice <= int(what == "letter" and when == "after") + int(
                what == "commit" and when == "before"), place
