"""What stands in the log files of all processes after real traffic: numbers, and nobody."""

from __future__ import annotations

import json
import re
import shutil
import smtplib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlmodel import col, select

from pbem import enqueue
from pbem.accounts import feed_addresses
from pbem.clock import SystemClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.enqueue import EnqueueThread, Publisher
from pbem.mail.tokens import token
from pbem.models import Game, Inbound, InboundState, Outbox, Person, SeatRow, stored_id
from pbem.play import positions
from pbem.service import Service
from pbem.tables import invitations
from tests.processes.story.visitor import Visitor
from tests.support.answering import written
from tests.support.postbox import Postbox
from tests.support.servers import Running, eventually, free_port, short_folder
from tests.support.tables import started_game

pytestmark = pytest.mark.slow

NEWCOMER = "zenobia.quint@somewhere.example"


@pytest.fixture
def var() -> Iterator[Path]:
    made = short_folder("lg-")
    yield made
    shutil.rmtree(made, ignore_errors=True)


def test_no_process_writes_down_addresses_tokens_codes_or_what_a_game_hides(
    var: Path, postbox: Postbox
) -> None:
    environ = {
        "CARREIRA_VAR": str(var), "CARREIRA_PORT": str(free_port()), "CARREIRA_PICTURES": "off",
        "CARREIRA_SMTP_URL": postbox.url, "CARREIRA_LETTER_DELAY": "0",
        "CARREIRA_MAIL_IN": f"smtp://127.0.0.1:{free_port()}",
    }
    postbox.at_rcpt = [f"450 4.2.1 <{NEWCOMER}> asks for patience"]
    running = Running(environ)
    try:
        running.wait_for_line("Carreira is at")
        settings = Settings.from_environment(environ)
        service = Service(settings, make_engine(settings.database_url), SystemClock())
        secrets = traffic(service, postbox)
        service.engine.dispose()
    finally:
        running.stop()

    logs = {path.stem: path.read_text() for path in (var / "log").glob("*.log")
            if path.stem != "valkey"}  # it knows rows by their numbers alone
    for name, text in logs.items():
        for secret in secrets:
            assert secret.lower() not in text.lower(), (name, secret)
        assert "@" not in text, name
    lines = [json.loads(line) for text in logs.values() for line in text.splitlines()
             if line.startswith("{")]
    assert {line["process"] for line in lines} >= {"web", "worker", "letters", "mail_in"}
    for bound in ("request_id", "game_id", "submission_id", "letter_id", "inbound_id", "task"):
        assert any(bound in line for line in lines), bound
    for line in lines:
        assert {"time", "level", "event", "process"} <= line.keys()


def traffic(service: Service, postbox: Postbox) -> list[str]:
    """Sign in, join, stop letters, read feeds, play by letter; all that must not be told."""
    browser = Visitor(service.settings.base_url)
    page = browser.get("/sign-in")
    browser.submit(page, page.form("/sign-in"), address=NEWCOMER)
    eventually(lambda: refused(service), seconds=60)
    with service.writing() as session:  # it need not wait as long as it would
        again = session.exec(select(Outbox).where(Outbox.kind == "sign_in")).one()
        again.not_before = service.clock.now()
        session.add(again)
        session.commit()
    send(service)
    postbox.wait_for(1, seconds=60)
    text = str(postbox.messages()[0].get_body(("plain",)).get_content())  # type: ignore[union-attr]
    link = re.search(r"/sign-in/([\w-]{20,})", text)
    code = re.search(r"\b(\d{3} ?\d{3})\b", text)
    assert link is not None
    assert code is not None
    browser.get(link[0])
    with service.writing() as session:
        game = started_game(session, service.clock.now())
        ana = session.exec(select(Person).where(Person.name == "Ana")).one()
        feed_addresses.renew(session, ana)
        session.commit()
        game_id = stored_id(game)
        feed = feed_addresses.secret_of(session, service.settings.keys, ana) or ""
        join = invitations.join_token(service.settings.keys, game)
        hidden = game.server_part.hex()
    stop, reply, line = played_by_letter(service, game_id)
    for path in (f"/join/{join}", f"/feeds/{feed}/games.atom", f"/u/{stop}", f"/games/{game_id}",
                 f"/archive?q={NEWCOMER}", "/healthz", "/sign-in/wrong-link-0123456789abcdef"):
        browser.get(path)
    return [NEWCOMER, "zenobia", "players.example", "somewhere.example", link[1], code[1],
            code[1].replace(" ", ""), feed, join, stop, reply, hidden, line,
            *browser._cookies.values()]


def send(service: Service) -> None:
    """Have what is due sent, without waiting for the sweep."""
    enqueuer = EnqueueThread(Publisher(service.settings.broker_url).publish)
    enqueuer.put(enqueue.LETTERS)
    enqueuer.join()


def refused(service: Service) -> bool:
    """Whether the mail server has put the letter off."""
    with service.reading() as session:
        row = session.exec(select(Outbox).where(Outbox.kind == "sign_in")).first()
        return row is not None and row.last_code == 450


def played_by_letter(service: Service, game_id: int) -> tuple[str, str, str]:
    """Answer a letter of the game by SMTP, and wait for its judge; its tokens, the answer."""
    with service.reading() as session:
        seat = session.exec(select(SeatRow).where(
            SeatRow.game_id == game_id, col(SeatRow.asked_since).is_not(None))).first()
        assert seat is not None
        address, person_id = session.get_one(Person, seat.person_id).address, seat.person_id

    def sent() -> Outbox | None:
        with service.reading() as session:
            return session.exec(select(Outbox).where(
                Outbox.game_id == game_id, Outbox.person_id == person_id,
                Outbox.state == "sent")).first()

    send(service)
    keys = service.settings.keys
    letter = eventually(sent, seconds=60)
    reply = token(keys, "turn", letter)
    to = f"turn+{reply}@{service.settings.reply_domain}"
    place = urlsplit(service.settings.mail_in or "")
    with service.reading() as session:
        game = session.get_one(Game, game_id)
        rules, state = (
            positions.rules_of(session, game),
            positions.position(session, game, game.last_entry),
        )
        line = rules.to_text(next(rules.answers(state, seat.number)))
    with smtplib.SMTP(str(place.hostname), place.port or 0, "home.example") as smtp:
        smtp.sendmail(address, to, written(to, line, address))
    eventually(lambda: judged(service), seconds=60)
    return token(keys, "unsub", letter), reply, line


def judged(service: Service) -> bool:
    """Whether the letter that came in is decided."""
    with service.reading() as session:
        row = session.exec(select(Inbound)).first()
        return row is not None and row.state == InboundState.PLAYED
