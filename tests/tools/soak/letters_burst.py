"""`python -m tests.tools.soak.letters_burst [--letters 10000]`: bursts of letters out and in.

The whole service runs as processes. Out: letters to as many people fall due at once, and sweeps of
several processes send them. In: each is answered by SMTP, every tenth twice, while the listener is
killed; whoever gets no 250 sends again, as mail servers do. None may be lost, and none doubled. The
last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import smtplib
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from pathlib import Path

from sqlmodel import col, func, select

from pbem.clock import SystemClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.mail import queue
from pbem.mail.delivery import sending
from pbem.mail.letters import build
from pbem.mail.transport import transport_of
from pbem.models import Inbound, InboundState, Person
from pbem.service import Service
from tests.support.postbox import Postbox, postbox
from tests.support.servers import Running, eventually, free_port

SENDERS = 8  # connections that answers come in by
TWICE = 10  # each so many-th answer
SECONDS_A_LETTER = 0.25  # that the machine may take in all, at worst
TIME_TO_BEGIN = 120
SECONDS_TO_BE_FOUND = 60  # by the sweep, of what lost its enqueue


@dataclass
class Burst:
    """A running service, its mail server, and people to write to."""

    service: Service
    running: Running
    box: Postbox
    letters: int

    def until(self, what: str, number: int) -> None:
        """Wait for so many letters at the mail server, saying how far it is."""
        ends = time.monotonic() + TIME_TO_BEGIN + self.letters * SECONDS_A_LETTER
        said = 0.0
        while len(self.box.letters) < number and time.monotonic() < ends:
            if time.monotonic() > said + 20:
                said = time.monotonic()
                sys.stderr.write(f"{what}: {len(self.box.letters)} of {number}\n")
            time.sleep(0.2)


@contextmanager
def burst(letters: int) -> Iterator[Burst]:
    """A service of its own, gone afterwards."""
    var = Path(tempfile.mkdtemp(prefix="cb-", dir="/tmp"))
    with postbox() as box:
        environ = {
            "CARREIRA_VAR": str(var), "CARREIRA_PORT": str(free_port()),
            "CARREIRA_MAIL_IN": f"smtp://127.0.0.1:{free_port()}",
            "CARREIRA_SMTP_URL": box.url, "CARREIRA_LETTER_DELAY": "0",
        }  # fmt: skip
        running = Running(environ)
        try:
            running.wait_for_line("Carreira is at")
            settings = Settings.from_environment(environ)
            service = Service(settings, make_engine(settings.database_url), SystemClock())
            yield Burst(service, running, box, letters)
            service.engine.dispose()
        finally:
            running.stop()
            shutil.rmtree(var, ignore_errors=True)


# ---- out ----------------------------------------------------------------------------------------


def out(test: Burst) -> dict[str, int]:
    """Letters to all fall due in one transaction; sweeps here and in the service send them."""
    now = test.service.clock.now()
    with test.service.writing() as session:
        people = [
            Person(name=f"P {number}", address=f"p{number}@players.example", created=now)
            for number in range(test.letters)
        ]
        session.add_all(people)
        session.flush()
        for person in people:
            queue.due(session, person_id=person.id, kind="test", part=1, now=now)
        session.commit()
    with ThreadPoolExecutor(2) as sweeps:
        for _ in range(2):
            sweeps.submit(sweep_up, test)
        test.until("out", test.letters)
    return counted(test.box.envelopes, test.letters)


def sweep_up(test: Burst) -> None:
    """Sweep until nothing is due."""
    transport = transport_of(test.service.settings)
    while sending.sweep(build, test.service, transport):
        pass
    transport.close()


# ---- in -----------------------------------------------------------------------------------------


def answers_in(test: Burst) -> dict[str, int]:
    """Everybody answers; the listener is killed on the way; all are answered once."""
    asked = [headers_of(raw) for raw in test.box.letters[: test.letters]]
    answers = [
        answer for place, (reply_to, person) in enumerate(asked)
        for answer in [(reply_to, person, place)] * (1 + (place % TWICE == 0))
    ]  # fmt: skip
    before = len(test.box.envelopes)
    killer = threading.Timer(1.0, kill_listener, args=(test,))
    killer.start()
    with ThreadPoolExecutor(SENDERS) as senders:
        list(senders.map(lambda part: send_all(test, part), parts(answers)))
    killer.join()
    test.until("in", before + test.letters)
    # What the listener took just before it was killed the sweep finds; then all must be judged.
    eventually(lambda: InboundState.STORED not in states(test.service), SECONDS_TO_BE_FOUND)
    time.sleep(3)  # for a second answer that must not come
    told = counted(test.box.envelopes[before:], test.letters)
    return told | states(test.service) | {"sent": len(answers)}


def headers_of(raw: bytes) -> tuple[str, str]:
    """Where a letter is to be answered to, and whose it is."""
    headers = BytesHeaderParser().parsebytes(raw)
    return str(headers["Reply-To"]), str(headers["To"]).rpartition("<")[2].rstrip(">")


def parts(answers: list[tuple[str, str, int]]) -> list[list[tuple[str, str, int]]]:
    """The answers of each connection."""
    return [answers[start::SENDERS] for start in range(SENDERS)]


def send_all(test: Burst, answers: list[tuple[str, str, int]]) -> None:
    """Send answers by one connection, each until it is taken."""
    line: smtplib.SMTP | None = None
    for reply_to, person, place in answers:
        raw = (f"From: {person}\r\nMessage-ID: <{place}@players.example>\r\n\r\n"
               "status\r\n").encode()  # fmt: skip
        while True:
            try:
                line = line or opened(test)
                line.sendmail(person, [reply_to], raw)
                break
            except (smtplib.SMTPException, OSError):
                line = None
                time.sleep(0.2)
    if line is not None:
        line.close()


def opened(test: Burst) -> smtplib.SMTP:
    host, _, port = (test.service.settings.mail_in or "").removeprefix("smtp://").partition(":")
    return smtplib.SMTP(host, int(port), local_hostname="players.example", timeout=60)


def kill_listener(test: Burst) -> None:
    """As if the machine had run out of memory."""
    for number, command in test.running.children().items():
        if "mail-in" in command:
            os.kill(number, signal.SIGKILL)


# ---- what became of them ------------------------------------------------------------------------


def counted(envelopes: list[tuple[str, str]], letters: int) -> dict[str, int]:
    """How many people got no letter, and how many letters were one too many."""
    times = Counter(recipient for _, recipient in envelopes)
    return {"lost": letters - len(times), "doubled": sum(times.values()) - len(times)}


def states(service: Service) -> dict[str, int]:
    """How many letters that came in ended how."""
    with service.reading() as session:
        found = session.exec(
            select(Inbound.state, func.count()).group_by(col(Inbound.state))).all()
        broken = session.exec(select(func.count()).where(Inbound.reason == "broken")).one()
    return dict(found) | {"broken": broken}


def main() -> int:
    """Run the burst; 1 if anything was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--letters", type=int, default=10_000)
    letters = parser.parse_args().letters
    with burst(letters) as test:
        began = time.monotonic()
        told = {"letters": letters, "out": out(test)}
        told["out_seconds"], began = round(time.monotonic() - began), time.monotonic()
        told["in"] = answers_in(test)
        told["in_seconds"] = round(time.monotonic() - began)
    sys.stdout.write(json.dumps(told) + "\n")
    return int(failed(told["out"]) or failed(told["in"]))


def failed(told: dict[str, int]) -> bool:
    """Whether something was lost, doubled, broken or left."""
    return any(told.get(key) for key in ("lost", "doubled", "broken", InboundState.STORED))


if __name__ == "__main__":
    sys.exit(main())
