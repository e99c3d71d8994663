"""`make fuzz`: letters without end at the reader and the judge, until the minutes are over.

`python -m tests.tools.fuzz [--minutes 10] [--reader]`. No letter may raise, and no order may be
played that no line of its writer's own asked for. What fails is shrunk and printed; exit code 1.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import delete, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.mail.incoming.parse.quotes import said
from pbem.mail.incoming.parse.reading import Mail
from pbem.models import Inbound, Outbox, SeatRow, Submission
from pbem.service import Service
from tests.conftest import NOON, make_empty_database
from tests.support.answering import Answers, at_table, bidding, placing
from tests.support.mail_programs import CLIENTS, LANGUAGES, WITH_HTML, Reply, reply
from tests.support.mail_programs import raw as raw_letter
from tests.support.strategies import ANY, RECIPIENTS, TO, Built, built, checked, damaged, sent

A_ROUND = 200  # letters; then the next kind of letter has its turn
ANA = "ana@players.example"
# Orders that the tables below would take, and others that they would take as well.
PLACED = (("place 8 recruiting", "place 9 projects"), ("place 7 navigation", "place 10 characters"))
BID = (("bid 1", "bid 2"), ("bid 3", "pass"))

tried: Counter[str] = Counter()
fuzzed = settings(
    max_examples=A_ROUND, deadline=None, database=None, derandomize=False, print_blob=True,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


# ---- the reader ---------------------------------------------------------------------------------


@fuzzed
@given(raw=ANY, recipient=RECIPIENTS, sender=st.sampled_from(["", ANA]))
def read_anything(raw: bytes, recipient: str, sender: str) -> None:
    tried["letters read"] += 1
    checked(raw, recipient, sender)


@fuzzed
@given(letter=built(), data=st.data())
def read_built(letter: Built, data: st.DataObject) -> None:
    tried["letters read"] += 1
    assert said(letter.text).lines == letter.own
    found = checked(data.draw(sent(letter.text, TO, ANA)))
    assert isinstance(found, Mail)
    assert found.lines == letter.own


READER = (read_anything, read_built)


# ---- the judge ----------------------------------------------------------------------------------


class Table:
    """A game that is really played, put back behind each letter; whose turn it is answers."""

    def __init__(self, answers: Answers, orders: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        self.answers = answers
        self.game = answers.game().game
        self.own, self.others = orders
        self.address = answers.address(answers.letter(name=self.awaited()))
        with answers.service.reading() as session:
            self.letters = {row for row in session.exec(select(Outbox.id)) if row}
            self.seat = session.exec(self.seats()).one().model_dump()

    def seats(self) -> SelectOfScalar[SeatRow]:
        """Whose turn it is."""
        return select(SeatRow).where(
            SeatRow.game_id == self.answers.game_id, SeatRow.asked_since.is_not(None)
        )

    def awaited(self) -> str:
        with self.answers.service.reading() as session:
            return session.exec(self.seats()).one().name

    @property
    def writer(self) -> str:
        return f"{self.awaited().lower()}@players.example"

    def played(self, raw: bytes) -> list[str]:
        """The orders that a letter has got into the game; afterwards all is as before it."""
        tried["letters judged"] += 1
        self.answers.arrives(raw, self.address, self.writer)
        orders = [row.orders for row in self.answers.submissions()]
        tried[f"of {self.game} played"] += bool(orders)
        with self.answers.service.writing() as session:
            session.exec(delete(Submission).where(Submission.source == "mail"))
            session.exec(delete(Inbound))
            session.exec(delete(Outbox).where(Outbox.id.not_in(self.letters)))
            seat = session.exec(self.seats()).one()
            for name, value in self.seat.items():
                setattr(seat, name, value)
            session.add(seat)
            session.commit()
        return [order for each in orders for order in lines_of(each)]


def lines_of(orders: str) -> list[str]:
    return [line.strip().lower() for line in orders.replace(";", "\n").splitlines() if line.strip()]


def judges(table: Table) -> tuple[Callable[[], None], ...]:
    """The judge's fuzz functions for one table."""

    @fuzzed
    @given(letter=built(table.own, table.others), data=st.data())
    def judge_built(letter: Built, data: st.DataObject) -> None:
        orders = table.played(data.draw(sent(letter.text, table.address, table.writer)))
        assert set(orders) <= {line.lower() for line in letter.own}

    answers = st.builds(
        Reply,
        orders=st.sampled_from([[""], *([each] for each in table.own), table.own]),
        language=st.sampled_from(LANGUAGES), to=st.just(table.address),
        sender=st.just(table.writer), below=st.sampled_from(["", "Ana"]),
        later=st.sampled_from(["", *table.others]), only_html=st.booleans(),
        asked=st.sampled_from([f"{first}\n\n##- above -##\n\n{table.others[0]}\n"
                               for first in ("", *table.others)]),
    )  # fmt: skip

    @fuzzed
    @given(client=st.sampled_from(WITH_HTML), letter=answers)
    def judge_written(client: str, letter: Reply) -> None:
        first = letter.orders if any(letter.orders) else letter.own
        assert set(table.played(raw_letter(client, letter))) <= set(first)

    letters = [
        reply(client, language, [table.own[0]], to=table.address, sender=table.writer)
        for client in CLIENTS for language in LANGUAGES
    ]  # fmt: skip

    @fuzzed
    @given(raw=damaged(letters))
    def judge_damaged(raw: bytes) -> None:
        found = checked(raw, table.address, table.writer)
        asked = [each for line in getattr(found, "lines", ()) for each in lines_of(line)]
        assert set(table.played(raw)) <= set(asked)

    return judge_built, judge_written, judge_damaged


@contextmanager
def a_service(folder: Path) -> Iterator[Service]:
    """A service on a database of its own."""
    settings = Settings.from_environment(
        {"CARREIRA_VAR": str(folder), "CARREIRA_LETTER_DELAY": "0",
         "CARREIRA_SECRET_KEY": "a secret key that only tests know"}
    )  # fmt: skip
    make_empty_database(folder / "carreira.db")
    engine = make_engine(settings.database_url)
    yield Service(settings, engine, FixedClock(NOON))
    engine.dispose()


@contextmanager
def tables() -> Iterator[list[Table]]:
    """A table of each game, at a question that has several answers."""
    with tempfile.TemporaryDirectory() as folder:
        at = [Path(folder) / name for name in ("placing", "bidding")]
        for each in at:
            each.mkdir()
        with a_service(at[0]) as first, a_service(at[1]) as second:
            yield [
                Table(at_table(first, placing), PLACED),
                Table(at_table(second, bidding, game_key="goa"), BID),
            ]
        for each in at:
            shutil.rmtree(each, ignore_errors=True)


# ---- as long as there is time -------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Fuzz until the time is over or something fails."""
    asked = argparse.ArgumentParser(prog="fuzz", description=__doc__.split("\n")[0])
    asked.add_argument("--minutes", type=float, default=10.0)
    asked.add_argument("--reader", action="store_true", help="the pure reader alone")
    given_ = asked.parse_args(arguments)
    ends = time.monotonic() + given_.minutes * 60
    if given_.reader:
        return until(ends, READER)
    with tables() as played:
        return until(ends, (*READER, *(each for table in played for each in judges(table))))


def until(ends: float, functions: tuple[Callable[[], None], ...]) -> int:
    """One round of each function in turn."""
    while time.monotonic() < ends:
        for function in functions:
            try:
                function()
            except Exception:  # noqa: BLE001  (told, and the exit code says so)
                traceback.print_exc()
                print("A letter was found that must not be: see above.", file=sys.stderr)
                return 1
            if time.monotonic() >= ends:
                break
    print(", ".join(f"{number} {name}" for name, number in tried.items()) + ": nothing found.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
