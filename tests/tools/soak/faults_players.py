"""Made-up players who go on whatever happens, by page, API and letter, until things are taken.

What the service has said that it took is noted; it has to be there once. A form, a call and a
letter are sent again unchanged when no answer came, as browsers, programs and mail servers do.
"""

from __future__ import annotations

import http.client
import json
import random
import secrets
import smtplib
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, select

from engine import bots
from engine.chance import Stream
from pbem.accounts import api_tokens, auth
from pbem.mail import tokens
from pbem.models import (
    Game,
    GameState,
    Inbound,
    InboundState,
    Outbox,
    Person,
    SeatRow,
    Submission,
    SubmissionState,
    stored_id,
)
from pbem.play import positions
from pbem.web.context import COOKIE
from tests.processes.story.visitor import Form, Page, Visitor
from tests.support.answering import written
from tests.support.tables import started_game
from tests.tools.soak.faults_stack import Stack

SECONDS_FOR_A_PAGE = 60.0
SECONDS_OF_TALK = 50.0  # a line said again later would count as another one
KINDS = ("vasco-da-gama", "goa")
NO_ANSWER = (OSError, http.client.HTTPException, smtplib.SMTPException)


class Browser(Visitor):
    """A visitor with an address and a network of his own."""

    def __init__(self, base: str, cookie: str, source: str) -> None:
        super().__init__(base)
        self._cookies[COOKIE] = cookie
        self.source = source

    def connection(self, host: str, port: int | None) -> http.client.HTTPConnection:
        """A line to the site."""
        return http.client.HTTPConnection(
            host, port, timeout=SECONDS_FOR_A_PAGE, source_address=(self.source, 0))


@dataclass
class Player:
    """Somebody at a table."""

    person: int
    address: str
    browser: Browser
    token: str


@dataclass
class Noted:
    """What the service has said that it took, and what it has shown that it should not."""

    orders: list[tuple[int, int, str, str]] = field(default_factory=list)  # game, person, way, key
    letters: list[str] = field(default_factory=list)  # Message-IDs
    talk: list[tuple[int, str]] = field(default_factory=list)
    games: list[int] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    decided: int = 0
    longest: float = 0.0  # seconds from taken to played


class Table(threading.Thread):
    """One table after the other, its players taking turns."""

    def __init__(self, stack: Stack, number: int, seed: int, noted: Noted) -> None:
        super().__init__(daemon=True)
        self.stack, self.number, self.noted = stack, number, noted
        self.dice = random.Random(f"{seed} {number}")
        self.stopping = threading.Event()
        self.game_id, self.begun, self.players = 0, 0, {}

    def run(self) -> None:
        while not self.stopping.is_set():
            try:
                self.turn()
            except (*NO_ANSWER, SQLAlchemyError) as problem:
                self.noted.told[f"no answer: {type(problem).__name__}"] += 1
                self.stopping.wait(0.5)
            except Exception as problem:  # noqa: BLE001  (a table must not end unseen)
                self.noted.faults.append(f"table {self.number}: {problem!r}"[:600])
                self.stopping.wait(2)

    # ---- the table

    def begin(self) -> None:
        """A new game of new people."""
        service, now = self.stack.service, self.stack.service.clock.now()
        self.begun += 1
        names = [f"T{self.number}G{self.begun}P{seat}{secrets.token_hex(2)}"
                 for seat in range(self.dice.choice((2, 3)))]
        with service.writing() as session:
            game = started_game(session, now, names, game_key=KINDS[self.number % 2])
            people = session.exec(select(Person).where(col(Person.name).in_(names))).all()
            made = {
                stored_id(person): Player(
                    stored_id(person), person.address,
                    Browser(self.stack.base,
                            auth.open_session(session, stored_id(person), agent="x", now=now),
                            f"127.{self.number + 1}.{self.begun % 250}.{place + 1}"),
                    api_tokens.make(session, person, name="x", scopes=("read", "play"), days=30,
                                    now=now))
                for place, person in enumerate(people)
            }
            session.commit()
            self.game_id, self.players = stored_id(game), made
        self.noted.games.append(self.game_id)

    def turn(self) -> None:
        """One thing done by whoever is asked."""
        found = self.asked() if self.game_id else None
        if found is None:
            self.begin()
            return
        player, seen, orders = found
        whim = self.dice.random()
        if whim < 0.1:
            self.say(player)
        elif whim < 0.15 and self.take_back():
            return
        way = self.dice.choices((self.by_page, self.by_api, self.by_letter), (4, 3, 3))[0]
        way(player, seen, orders)
        self.stopping.wait(self.dice.uniform(0.1, 0.6))

    def asked(self) -> tuple[Player, int, str] | None:
        """Who is asked, and what `steady` would order; None when the game is over."""
        with self.stack.service.reading() as session:
            row = session.get_one(Game, self.game_id)
            if row.state != GameState.RUNNING:
                return None
            table = positions.table(session, row)
            number = self.dice.choice(list(table.rules.current_players(table.state)))
            seat = session.exec(select(SeatRow).where(
                SeatRow.game_id == row.id, SeatRow.number == number)).one()
            whim = Stream(b"whims", str(row.last_entry))
            moves = bots.choose(table.rules, table.state, number, "steady", whim)
            orders = "; ".join(table.rules.to_text(move) for move in moves)
            return self.players[seat.person_id], row.last_entry, orders

    # ---- ways

    def by_page(self, player: Player, seen: int, orders: str) -> None:
        """The form, sent until the site has it."""
        page = self.page(player)
        form = page.form(f"/games/{self.game_id}/preview") if page else None
        if page is None or form is None:
            return
        form.action = f"/games/{self.game_id}/orders"
        if self.sent(player, page, form, order=orders):
            self.taken(player, "page", form.fields["token"])

    def by_api(self, player: Player, seen: int, orders: str) -> None:
        """The call, made until the API has it."""
        key = secrets.token_hex(8)
        body = json.dumps({"orders": orders, "seen": seen})
        headers = {"Authorization": f"Bearer {player.token}", "Content-Type": "application/json",
                   "Idempotency-Key": key}
        path = f"/api/v1/games/{self.game_id}/orders"
        while not self.stopping.is_set():
            try:
                status, text = self.call(player, path, body, headers)
            except NO_ANSWER:
                self.noted.told["api: no answer"] += 1
                self.stopping.wait(0.5)
                continue
            if status == 202:
                self.taken(player, "api", key)
                return
            if not self.again(f"api {status}", status, text):
                return

    def call(
        self, player: Player, path: str, body: str, headers: dict[str, str]
    ) -> tuple[int, str]:
        """One POST."""
        host, _, port = self.stack.base.removeprefix("http://").partition(":")
        line = player.browser.connection(host, int(port))
        try:
            line.request("POST", path, body, headers)
            answer = line.getresponse()
            return answer.status, answer.read().decode()
        finally:
            line.close()

    def by_letter(self, player: Player, seen: int, orders: str) -> None:
        """An answer to the newest letter, handed over until it is taken."""
        service = self.stack.service
        with service.reading() as session:
            letter = session.exec(
                select(Outbox).where(
                    Outbox.person_id == player.person, Outbox.game_id == self.game_id,
                    col(Outbox.kind).in_(("turn", "started")))
                .order_by(col(Outbox.id).desc())).first()
        if letter is None:
            return
        to = tokens.address_of(service.settings, "turn", letter)
        number = f"<{secrets.token_hex(8)}@players.example>"
        raw = written(to, orders, player.address, Message_ID=number)
        while not self.stopping.is_set():
            try:
                with smtplib.SMTP("127.0.0.1", self.stack.mail_in, "players.example", 60) as line:
                    line.sendmail(player.address, [to], raw)
                break
            except NO_ANSWER as problem:
                self.noted.told[f"mail in: {type(problem).__name__}"] += 1
                self.stopping.wait(0.5)
        else:
            return
        self.noted.letters.append(number)
        self.until(lambda: self.is_judged(number))

    def say(self, player: Player) -> None:
        """A line at the table."""
        page = self.page(player)
        if page is None or f"/games/{self.game_id}/chat" not in page.text:
            return
        said = f"word {secrets.token_hex(6)}"
        until = time.monotonic() + SECONDS_OF_TALK
        if self.sent(player, page, page.form("/chat"), until, text=said) and said in self.shown:
            self.noted.talk.append((self.game_id, said))

    def take_back(self) -> bool:
        """Somebody takes his last orders back, if he may."""
        for player in self.players.values():
            page = self.page(player)
            if page is not None and f"/games/{self.game_id}/undo" in page.text:
                form = page.form(f"/games/{self.game_id}/undo")
                done = self.sent(player, page, form)
                self.noted.told["taken back"] += done
                return done
        return False

    # ---- until it is taken

    def page(self, player: Player) -> Page | None:
        """The table, if it is shown and may be ordered at."""
        page = player.browser.get(f"/games/{self.game_id}")
        if page.status != 200:
            self.again(f"page {page.status}", page.status, page.text)
        is_open = page.status == 200 and f"/games/{self.game_id}/preview" in page.text
        return page if is_open else None

    def sent(
        self, player: Player, page: Page, form: Form, until: float = float("inf"), **values: str
    ) -> bool:
        """Send a form until there is an answer that stays."""
        while not self.stopping.is_set() and time.monotonic() < until:
            try:
                answer = player.browser.submit(page, form, **values)
            except NO_ANSWER:
                self.noted.told["form: no answer"] += 1
                self.stopping.wait(0.5)
                continue
            self.shown = answer.text
            if answer.status == 200:
                return True
            if not self.again(f"form {answer.status}", answer.status, answer.text):
                return False
        return False

    shown = ""

    def again(self, what: str, status: int, text: str) -> bool:
        """Whether to send it again; what must not be seen is noted."""
        self.noted.told[what] += 1
        if status == 500 or "Traceback" in text:
            self.noted.faults.append(f"{what}: {text[-300:]!r}")
        if status >= 500 or status == 429:
            self.stopping.wait(1)
            return True
        return False

    def taken(self, player: Player, way: str, key: str) -> None:
        """Note orders, and wait until they are played."""
        self.noted.orders.append((self.game_id, player.person, way, key))
        self.until(lambda: self.is_played(player.person, way, key))

    def until(self, done: Any) -> None:
        """Wait for a worker."""
        began = time.monotonic()
        while not self.stopping.is_set():
            try:
                if done():
                    self.noted.decided += 1
                    self.noted.longest = max(self.noted.longest, time.monotonic() - began)
                    return
            except SQLAlchemyError:
                pass
            self.stopping.wait(0.1)

    def is_played(self, person: int, way: str, key: str) -> bool:
        with self.stack.service.reading() as session:
            found = session.exec(select(Submission.state).where(
                Submission.person_id == person, Submission.source == way, Submission.key == key))
            return found.first() not in (None, SubmissionState.PENDING)

    def is_judged(self, number: str) -> bool:
        with self.stack.service.reading() as session:
            states = session.exec(select(Inbound.state).where(Inbound.message_id == number)).all()
            waits = session.exec(select(Submission.id).where(
                Submission.game_id == self.game_id,
                Submission.state == SubmissionState.PENDING)).first()
        return bool(states) and InboundState.STORED not in states and waits is None
