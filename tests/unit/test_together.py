"""What waits for one person is told in one letter; who looks at the table is written to later."""

from __future__ import annotations

import secrets
import shutil
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.mail import preferences_changed, queue, states
from pbem.mail.delivery import rows, sending
from pbem.mail.delivery.retries import PATIENCE, TOO_BIG
from pbem.mail.letter import Letter
from pbem.mail.letters import build
from pbem.mail.preferences import Wish
from pbem.mail.server_answers import Accepted, Outcome, Refused
from pbem.models import Inbound, InboundState, LetterState, MailPause, Outbox, Person, SeatRow
from pbem.service import Service
from tests.conftest import NOON
from tests.support.letterfactory import person, row, running_game

SOON = replace(PATIENCE, jitter=lambda least, most: least)


@pytest.fixture(autouse=True)
def letters_that_name_their_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a letter says is tests/unit/test_compose.py's affair."""
    monkeypatch.setattr(build, "build", plain)


def plain(
    session: Session, due: Outbox, about: Any, now: Any, *, others: Any = (), **asked: Any
) -> Letter:
    told = [due, *others]
    games = " ".join(f"g{each.game_id}" for each in told)
    text = f"Message-ID: {due.message_id}\r\n\r\n{due.kind} {games}"
    return Letter(text.encode(), {each.id or 0: 5 for each in told})


class Server:
    """A mail server that answers as it is told, and keeps what was in each letter."""

    def __init__(self, *answers: Outcome) -> None:
        self.answers = list(answers)
        self.told: list[str] = []
        self.accepted: list[str] = []

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        self.told.append(letter.decode().rpartition("\r\n")[2])
        outcome = self.answers.pop(0) if self.answers else Accepted(250, "ok")
        if isinstance(outcome, Accepted):
            self.accepted.append(self.told[-1])
        return outcome

    def close(self) -> None:
        return None


LATER = Refused(450, "4.2.0", "4.2.0 come back later", "rcpt")


def games(
    service: Service, count: int = 3, *, apart: timedelta = timedelta(seconds=10)
) -> list[int]:
    """Turn letters of so many games to Ana, due in two minutes and a little."""
    now = service.clock.now()
    with service.writing() as session:
        ana = session.exec(select(Person).where(Person.name == "Ana")).first()
        ana = ana or person(session, "Ana")
        other = session.exec(select(Person).where(Person.name == "Bento")).first()
        other = other or person(session, "Bento")
        letters = []
        for number in range(count):
            game = running_game(session, [ana, other], now)
            letters.append(queue.due(
                session, person_id=ana.id, kind="turn", game_id=game.id, entry=5,
                now=now, not_before=now + timedelta(minutes=2) + number * apart,
            ) or 0)  # fmt: skip
        session.commit()
    return letters


def seat_of(session: Session, letter: int) -> SeatRow:
    """Ana's seat in the game of a letter."""
    game_id = session.get_one(Outbox, letter).game_id
    found = select(SeatRow).where(SeatRow.game_id == game_id, SeatRow.asked_since == 5)
    return session.exec(found).one()


def moved(service: Service, letter: int) -> None:
    """Ana answers the question of this letter."""
    with service.writing() as session:
        seat_of(session, letter).asked_since = None
        session.commit()


def looks(service: Service, letter: int) -> None:
    """Ana looks at the table of this letter's game."""
    with service.writing() as session:
        seat_of(session, letter).looked_at = service.clock.now()
        session.commit()


# ---- together -----------------------------------------------------------------------------------


def test_three_games_that_become_mine_in_the_same_minutes_are_one_letter(
    service: Service, clock: FixedClock
) -> None:
    first, *others = games(service)
    clock.forward(timedelta(minutes=2))
    server = Server()

    assert sending.sweep(build, service, server) == 1
    clock.forward(timedelta(hours=1))
    assert sending.sweep(build, service, server) == 0

    assert server.told == ["turn g1 g2 g3"]
    assert row(service, first).state == LetterState.SENT
    assert [(row(service, each).state, row(service, each).merged_into) for each in others] == [
        (LetterState.MERGED, first)] * 2
    assert [row(service, each).shown for each in (first, *others)] == [5, 5, 5]


def test_a_game_that_becomes_mine_later_has_a_letter_of_its_own(
    service: Service, clock: FixedClock
) -> None:
    games(service, 2, apart=timedelta(minutes=2, seconds=1))
    clock.forward(timedelta(minutes=2))
    server = Server()

    sending.sweep(build, service, server)
    clock.forward(timedelta(minutes=3))
    sending.sweep(build, service, server)

    assert server.told == ["turn g1", "turn g2"]


def test_a_daily_letter_names_all_that_waits(service: Service, clock: FixedClock) -> None:
    games(service, 1)
    clock.forward(timedelta(seconds=30))
    games(service, 2)
    with service.writing() as session:
        ana = session.exec(select(Person).where(Person.name == "Ana")).one()
        preferences_changed.change(
            session, ana, Wish("digest", 20), usual=timedelta(minutes=2), now=clock.now()
        )
        session.commit()
    server = Server()

    clock.forward(timedelta(hours=7))
    assert sending.sweep(build, service, server) == 0
    clock.forward(timedelta(hours=1))
    sending.sweep(build, service, server)

    assert server.told == ["turn g1 g2 g3"]


def test_letters_to_others_and_letters_that_are_not_true_stay_apart(
    service: Service, clock: FixedClock
) -> None:
    _first, done, last = games(service)
    moved(service, done)
    with service.writing() as session:
        seat_of(session, last).letters = "none"
        session.commit()
    clock.forward(timedelta(minutes=3))
    server = Server()

    sending.sweep(build, service, server)

    assert server.told == ["turn g1"]
    assert row(service, done).state == LetterState.SUPERSEDED
    assert row(service, last).state == LetterState.UNWANTED


def test_a_letter_of_several_games_is_tried_again_while_one_of_them_waits(
    service: Service, clock: FixedClock
) -> None:
    first, second, third = games(service)
    clock.forward(timedelta(minutes=3))
    server = Server(LATER, LATER)
    sending.sweep(build, service, server, SOON)
    moved(service, first)
    moved(service, third)
    clock.forward(timedelta(minutes=1))
    sending.sweep(build, service, server, SOON)
    moved(service, second)
    clock.forward(timedelta(minutes=1))
    sending.sweep(build, service, server, SOON)

    assert server.told == ["turn g1 g2 g3"] * 2
    assert {row(service, each).state for each in (first, second, third)} == {
        LetterState.SUPERSEDED}


def test_what_was_to_be_told_by_a_letter_that_is_given_up_is_given_up(
    service: Service, clock: FixedClock
) -> None:
    letters = games(service)
    clock.forward(timedelta(minutes=3))
    sending.sweep(build, service, Server(Refused(550, "5.1.1", "5.1.1 no such user", "rcpt")))

    assert {row(service, each).state for each in letters} == {LetterState.DEAD}
    assert {row(service, each).last_text for each in letters} == {"5.1.1 no such user"}


def test_a_letter_that_is_built_anew_tells_what_it_told_before(
    service: Service, clock: FixedClock
) -> None:
    first, *_ = games(service)
    clock.forward(timedelta(minutes=3))
    server = Server(Refused(552, "5.3.4", "5.3.4 too big", "data"))

    sending.sweep(build, service, server, SOON)
    assert row(service, first).why == TOO_BIG
    clock.forward(timedelta(minutes=1))
    sending.sweep(build, service, server, SOON)

    assert server.told == ["turn g1 g2 g3"] * 2


def test_a_letter_asked_for_once_more_is_about_its_own_game(
    service: Service, clock: FixedClock
) -> None:
    games(service)
    with service.writing() as session:
        asked = select(Outbox).where(Outbox.game_id == 2, Outbox.kind == "turn")
        queue.again(session, session.exec(asked).one(), clock.now())
        session.commit()
    server = Server()

    sending.sweep(build, service, server)

    assert server.told == ["turn g2"]


def test_a_receipt_tells_the_next_question_of_its_game(
    service: Service, clock: FixedClock
) -> None:
    letters = games(service, 2)
    with service.writing() as session:
        receipt = queue.due(session, person_id=1, kind="receipt", game_id=2, about_id=1,
                             now=clock.now())  # fmt: skip
        session.commit()
    server = Server()

    sending.sweep(build, service, server)
    clock.forward(timedelta(minutes=3))
    sending.sweep(build, service, server)

    assert server.told == ["receipt g2 g2", "turn g1"]
    assert row(service, letters[1]).merged_into == receipt


def test_of_two_senders_of_one_persons_letters_one_tells_all(
    service: Service, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    together(service, clock, monkeypatch)


def test_on_postgresql_too_of_two_senders_one_tells_all(
    postgres_service: Service, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    together(postgres_service, clock, monkeypatch)


def together(service: Service, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sender has built its letter, of all games, before any of them takes its row."""
    letters = games(service)
    clock.forward(timedelta(minutes=2))
    all_built, here, take = threading.Barrier(3), threading.local(), rows.take

    def take_when_all_have_built(*about: Any) -> bool:
        if not hasattr(here, "waited"):
            here.waited = True
            all_built.wait(20)
        return take(*about)

    monkeypatch.setattr(rows, "take", take_when_all_have_built)
    with service.writing() as session:
        for letter in letters:
            session.get_one(Outbox, letter).not_before = clock.now()
        session.commit()
    server = Server()

    with ThreadPoolExecutor(3) as senders:
        list(senders.map(lambda each: sending.deliver(build, service, each, server), letters))

    states = sorted(row(service, each).state for each in letters)
    assert len(server.accepted) == 1
    assert states == [LetterState.MERGED, LetterState.MERGED, LetterState.SENT]


# ---- looking ------------------------------------------------------------------------------------


def test_who_has_seen_the_question_just_now_gets_the_letter_later(
    service: Service, clock: FixedClock
) -> None:
    """Seen, and then nothing for ten minutes: exactly one letter."""
    [letter] = games(service, 1)
    clock.forward(timedelta(minutes=1))
    looks(service, letter)
    clock.forward(timedelta(minutes=1))
    server = Server()

    assert sending.sweep(build, service, server) == 0
    waits = row(service, letter)
    assert (waits.state, waits.why, waits.attempts) == (LetterState.PENDING, "looking", 0)
    assert waits.not_before == clock.now() + timedelta(minutes=1)
    for _ in range(10):
        clock.forward(timedelta(minutes=1))
        sending.sweep(build, service, server)

    assert server.told == ["turn g1"]


def test_who_has_looked_before_the_question_was_put_gets_the_letter(
    service: Service, clock: FixedClock
) -> None:
    [letter] = games(service, 1)
    clock.forward(timedelta(minutes=2))
    with service.writing() as session:
        seat_of(session, letter).looked_at = clock.now() - timedelta(minutes=2, seconds=1)
        session.commit()

    assert sending.sweep(build, service, Server()) == 1


def test_who_looks_on_and_on_gets_the_letter_after_a_quarter_of_an_hour(
    service: Service, clock: FixedClock
) -> None:
    service = replace(service, settings=replace(service.settings, letter_delay=120))
    [letter] = games(service, 1)
    began, server = clock.now(), Server()

    while not server.told:
        clock.forward(timedelta(seconds=15))
        looks(service, letter)
        sending.sweep(build, service, server)

    assert clock.now() - began == timedelta(minutes=17)


def test_looking_at_one_game_holds_up_no_other(service: Service, clock: FixedClock) -> None:
    looked_at, *_ = games(service)
    clock.forward(timedelta(minutes=2))
    looks(service, looked_at)
    clock.forward(timedelta(seconds=30))
    server = Server()

    sending.sweep(build, service, server)
    clock.forward(timedelta(minutes=2))
    sending.sweep(build, service, server)

    assert server.told == ["turn g2 g3", "turn g1"]


# ---- a domain that takes nothing ----------------------------------------------------------------


@pytest.mark.parametrize("domain", ["players.example", ""])
def test_no_letter_goes_to_a_domain_that_is_paused(
    service: Service, clock: FixedClock, domain: str
) -> None:
    [letter] = games(service, 1)
    clock.forward(timedelta(minutes=2))
    until = clock.now() + timedelta(hours=1)
    with service.writing() as session:
        session.add(MailPause(domain=domain, since=clock.now(), until=until, why="550 5.7.1"))
        session.commit()
    server = Server()

    assert sending.sweep(build, service, server) == 0
    waits = row(service, letter)
    assert (waits.why, waits.not_before, waits.attempts) == ("domain_paused", until, 0)
    clock.forward(timedelta(hours=1, seconds=1))

    assert sending.sweep(build, service, server) == 1


# ---- letters that came in -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "age", "sent"),
    [
        (InboundState.HELD, timedelta(hours=1), 1),
        (InboundState.HELD, timedelta(hours=24), 0),
        (InboundState.PLAYED, timedelta(hours=1), 0),
    ],
)
def test_a_letter_to_confirm_is_asked_about_while_it_waits(
    service: Service, clock: FixedClock, state: InboundState, age: timedelta, sent: int
) -> None:
    with service.writing() as session:
        ana = person(session, "Ana")
        came = Inbound(received=clock.now() - age, source="smtp", recipient="turn+x@r.example",
                       digest="d", state=state, person_id=ana.id)  # fmt: skip
        session.add(came)
        session.flush()
        queue.due(session, person_id=ana.id, kind="held", about_id=came.id,
                  now=clock.now())  # fmt: skip
        session.commit()

    assert sending.sweep(build, service, Server()) == sent


# ---- every due letter ends in one way -----------------------------------------------------------


Step = tuple[str, int]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 2)),
        st.tuples(st.just("wait"), st.sampled_from([20, 119, 300, 4000, 90_000])),
        st.tuples(st.sampled_from(["answer", "look"]), st.integers(0, 9)),
        st.tuples(st.just("want"), st.integers(0, 3)),
        st.tuples(st.just("sweep"), st.integers(0, 1)),
    ),
    max_size=24,
)
WANTED = (Wish("at_once"), Wish("none"), Wish("digest", 8), Wish("usual"))


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS)
def test_every_due_letter_ends_in_exactly_one_way(
    steps: list[Step], empty_database: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Questions put and answered, looks, wishes and servers that put off, in any order."""
    file = tmp_path / f"{secrets.token_hex(6)}.db"
    shutil.copyfile(empty_database, file)
    engine, clock, server = make_engine(f"sqlite:///{file}"), FixedClock(NOON), Server()
    service = Service(Settings.from_environment(environment), engine, clock)
    allow_only_the_transitions(engine)

    for what, number in steps:
        step(service, clock, server, what=what, number=number)
    server.answers = []
    for _ in range(4):
        clock.forward(timedelta(days=1))
        sending.sweep(build, service, server, SOON)

    with service.reading() as session:
        found = session.exec(select(Outbox)).all()
    engine.dispose()
    told = Counter(game for letter in server.accepted for game in letter.split()[1:])
    for one in found:
        leader = next((each for each in found if each.id == one.merged_into), None)
        is_told = one.state == LetterState.SENT or (
            one.state == LetterState.MERGED and leader is not None
            and leader.state == LetterState.SENT)  # fmt: skip
        ends = (LetterState.SUPERSEDED, LetterState.UNWANTED, LetterState.DEAD)
        assert is_told or one.state in ends
        assert told[f"g{one.game_id}"] == is_told


def allow_only_the_transitions(engine: Engine) -> None:
    """Have the database itself refuse every other change of a letter's state."""
    allowed = ", ".join(f"'{before} {after}'" for after, some in states.TRANSITIONS.items()
                        for before in some)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "create trigger transitions before update of state on outbox "
            f"when old.state || ' ' || new.state not in ({allowed}) "
            "begin select raise(abort, 'no such transition'); end")


@pytest.mark.parametrize("after", list(LetterState))
@pytest.mark.parametrize("before", list(LetterState))
def test_a_row_comes_to_a_state_only_from_those_that_the_table_names(
    service: Service, before: LetterState, after: LetterState
) -> None:
    letter = games(service, 1)[0]
    with service.writing() as session:
        session.get_one(Outbox, letter).state = before
        session.flush()
        session.exec(states.becomes(after, col(Outbox.id) == letter))
        session.commit()

    may_come = before in states.TRANSITIONS[after]
    assert row(service, letter).state == (after if may_come else before)


def step(
    service: Service, clock: FixedClock, server: Server, *, what: str, number: int
) -> None:
    """One thing that happens."""
    if what == "put":
        games(service, number + 1, apart=timedelta(seconds=50 * number))
    elif what == "wait":
        clock.forward(timedelta(seconds=number))
    elif what == "sweep":
        server.answers = [LATER] * number
        sending.sweep(build, service, server, SOON)
    else:
        with service.writing() as session:
            act(session, clock, what, number)
            session.commit()


def act(session: Session, clock: FixedClock, what: str, number: int) -> None:
    """Something that Ana does."""
    ana = session.exec(select(Person).where(Person.name == "Ana")).first()
    if ana is None:
        return
    if what == "want":
        wish = WANTED[number]
        preferences_changed.change(session, ana, wish, usual=timedelta(minutes=2), now=clock.now())
        return
    asked = session.exec(select(SeatRow).where(SeatRow.asked_since == 5)).all()
    for seat in asked[number:][:1]:
        if what == "answer":
            seat.asked_since = None
        else:
            seat.looked_at = clock.now()
