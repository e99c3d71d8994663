"""Load from outside: moves sent by form until their letters arrive, and the same at the floor."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection
from threading import Lock
from urllib.parse import urlencode

from sqlmodel import col, func, select

from pbem.models import PENDING, Outbox, Submission
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.support.servers import eventually
from tests.tools.bench import noop
from tests.tools.bench.going import Going, game_at
from tests.tools.bench.receiver import Receiver

CLIENTS = 8
A_SECOND = 10  # moves, where a pace is kept
UNDER_WAY = 64  # moves at most, where as many are made as can be
SECONDS_TO_ARRIVE = 120

Send = Callable[[HTTPConnection], str]
"""Sends one move; the table (or letter) of whose letter it waits."""


@dataclass
class Site:
    """The running service, its games that go on, and a form's token that serves everybody."""

    service: Service
    games: list[Going]
    port: int
    mail: Receiver
    environ: dict[str, str]
    token: tuple[str, str] = ("", "")  # cookies, CSRF token
    made: int = 0  # moves, one game after the other
    _choosing: Lock = field(default_factory=Lock)

    def sign_in(self) -> None:
        """Get a form's token as a browser does that nobody has signed in with."""
        cookies, csrf = form_token(self.port, self.games[0].cookie(0))
        others = [each for each in cookies.split("; ") if not each.startswith(f"{COOKIE}=")]
        self.token = "; ".join(others), csrf

    def move(self, line: HTTPConnection) -> str:
        """Send the next order of the game whose turn it is; the game."""
        with self._choosing:
            game, turn = self.place(self.made)
            self.made += 1
        order = game.orders[turn]
        others, csrf = self.token
        fields = {"csrf_token": csrf, "token": f"bench-{order.behind}", "seen": str(order.behind),
                  "order": order.line}
        cookies = f"{COOKIE}={game.cookie(order.seat)}; {others}"
        send(line, f"/games/{game.game_id}/orders", fields, cookies, 303)
        return str(game.game_id)

    def place(self, number: int) -> tuple[Going, int]:
        """The game of a move, and how many orders it has taken before."""
        turn, at = divmod(number, len(self.games))
        return self.games[at], turn

    def waiting(self) -> int:
        """Orders that are not played and letters that have not left."""
        with self.service.reading() as session:
            orders = session.exec(select(func.count(col(Submission.id)))
                                  .where(col(Submission.state) == PENDING)).one()
            letters = session.exec(select(func.count(col(Outbox.id)))
                                   .where(col(Outbox.settled).is_(None))).one()
        return orders + letters

    def left(self) -> int:
        """What still waits a second later: a row is settled behind its letter's arrival."""
        time.sleep(1)
        return self.waiting()

    def paced(self, seconds: float, patience: float = SECONDS_TO_ARRIVE) -> list[float]:
        """Ten moves a second: milliseconds from each form to its letter at the mail server."""
        return paced(self.port, self.mail, self.move, seconds, patience)

    def sustained(self, seconds: float) -> float:
        """Moves a second, letters included, as many as can be."""
        return sustained(self.port, self.mail, self.move, seconds,
                         min(UNDER_WAY, len(self.games) // 2))


@dataclass
class Floor:
    """The same chain without a game; its letters have `size` bytes."""

    port: int
    mail: Receiver
    publish: Callable[[str, tuple[object, ...]], None]
    size: int
    sent: int = 0
    _counting: Lock = field(default_factory=Lock)

    def one_letter(self, _line: HTTPConnection) -> str:
        """A task that hands over a letter: a Celery no-op and one SMTP transaction."""
        number = self.next_number()
        self.publish(noop.LETTER, (number, self.mail.port, self.size))
        return noop.reader(number)

    def row(self, line: HTTPConnection) -> str:
        """A row by the bare route, and what it leads to."""
        number = self.next_number()
        fields = {"csrf_token": "x" * 91, "token": "bench", "seen": "1", "order": "place 3"}
        send(line, f"/games/{number}/orders", fields, "", 201)
        return noop.reader(number)

    def next_number(self) -> int:
        """A number that no other letter of the floor has."""
        with self._counting:
            self.sent += 1
            return self.sent

    def paced(self, seconds: float) -> list[float]:
        """Ten letters a second: milliseconds from each one's task to the mail server."""
        return paced(self.port, self.mail, self.one_letter, seconds, SECONDS_TO_ARRIVE)

    def sustained(self, seconds: float) -> float:
        """Rows, tasks and letters a second."""
        return sustained(self.port, self.mail, self.row, seconds, UNDER_WAY)


# ---- both sides -------------------------------------------------------------------------------


def paced(
    port: int, mail: Receiver, one: Send, seconds: float, patience: float
) -> list[float]:
    """Ten a second, whether or not the earlier ones are through; milliseconds to the letter."""
    before, first = mail.accepted(), time.monotonic()
    number = max(2, round(seconds * A_SECOND))

    def begin(_place: int) -> tuple[str, float]:
        began = time.monotonic()
        return one(HTTPConnection("127.0.0.1", port, timeout=60)), began

    with ThreadPoolExecutor(CLIENTS) as threads:
        begun = []
        for place in range(number):
            time.sleep(max(0.0, first + place / A_SECOND - time.monotonic()))
            begun.append(threads.submit(begin, place))
        moves = [each.result() for each in begun]
    return list(eventually(lambda: waits(mail.arrivals(before), moves), patience))


def waits(arrivals: list[tuple[str, float]], moves: list[tuple[str, float]]) -> list[float]:
    """Milliseconds from each move to the first letter behind it; nothing while one is missing."""
    at: dict[str, list[float]] = {}
    for recipient, when in arrivals:
        at.setdefault(table_of(recipient), []).append(when)
    took = [min((when - began for when in at.get(table, []) if when >= began), default=None)
            for table, began in moves]
    found = [each * 1000 for each in took if each is not None]
    return found if len(found) == len(moves) else []


def table_of(recipient: str) -> str:
    """The game at which the reader of a letter sits; of the floor's readers their name."""
    return str(game_at(recipient) or recipient.partition("@")[0])


def sustained(port: int, mail: Receiver, one: Send, seconds: float, under_way: int) -> float:
    """As many a second as arrive, of so many under way, until the last letter is there."""
    load = Load(mail)
    began = time.monotonic()

    def client() -> None:
        line = HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < began + seconds:
            if load.under_way() < under_way:
                at = time.monotonic()
                load.sent(one(line), at)
            else:
                time.sleep(0.005)

    with ThreadPoolExecutor(CLIENTS) as threads:
        for running in [threads.submit(client) for _ in range(CLIENTS)]:
            running.result()
    eventually(lambda: load.under_way() == 0, SECONDS_TO_ARRIVE)
    return load.made / (load.last - began)


class Load:
    """Which moves are under way: those to whose table no letter has come since."""

    def __init__(self, mail: Receiver) -> None:
        self._mail = mail
        self._lock = Lock()
        self._heard = mail.accepted()
        self._letters: dict[str, float] = {}  # by table: when the newest came
        self._open: dict[str, float] = {}  # by table: when its move was begun
        self.made = 0
        self.last = 0.0

    def sent(self, table: str, began: float) -> None:
        """A move was made."""
        with self._lock:
            self.made += 1
            if self._letters.get(table, 0.0) < began:
                self._open[table] = began

    def under_way(self) -> int:
        """How many moves still wait for their letters."""
        with self._lock:
            arrivals = self._mail.arrivals(self._heard)
            self._heard += len(arrivals)
            for recipient, at in arrivals:
                table = table_of(recipient)
                self._letters[table] = self.last = at
                if self._open.get(table, at + 1) <= at:
                    del self._open[table]
            return len(self._open)


def send(
    line: HTTPConnection, path: str, fields: dict[str, str], cookies: str, good: int
) -> None:
    """Post a form and read the answer."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookies}
    line.request("POST", path, urlencode(fields), headers)
    answer = line.getresponse()
    body = answer.read()
    if answer.status != good:
        raise AssertionError(f"{answer.status} for {fields}: {body[-3000:].decode()}")


def form_token(port: int, cookie: str) -> tuple[str, str]:
    """The cookies of a player's browser, and the token of a form that everybody has."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    own = f"{COOKIE}={cookie}"
    line.request("GET", "/account", headers={"Cookie": own})
    answer = line.getresponse()
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', answer.read().decode())
    if found is None:
        raise AssertionError(f"/account has no form ({answer.status})")
    given = [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
    line.close()
    return "; ".join([own, *given]), found[1]
