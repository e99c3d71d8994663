"""What may stand in a line of the log, and what is taken out of it at the end."""

from __future__ import annotations

import importlib
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from gunicorn.glogging import Logger
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from pbem import logs
from pbem.config import BadSetting, Settings
from pbem.mail.tokens import token
from pbem.models import Outbox
from pbem.run import supervisor
from pbem.service import Service
from tests.support.letterfactory import person

log = logging.getLogger("carreira.test_logs")
DOCS = Path(__file__).parents[2] / "docs"
GUIDES = ("settings.md", "deploy/systemd/carreira-web.service")


class Lines(logging.Handler):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logs.formatter("web", as_json=True))
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))

    @property
    def last(self) -> dict[str, object]:
        told: dict[str, object] = json.loads(self.lines[-1])
        return told


@pytest.fixture
def written() -> Iterator[Lines]:
    """What the service's modules log."""
    lines, ours = Lines(), logging.getLogger("carreira")
    before = ours.level
    ours.addHandler(lines)
    ours.setLevel(logging.INFO)
    yield lines
    ours.removeHandler(lines)
    ours.setLevel(before)
    logs.forget()


def test_a_line_has_time_level_process_and_what_is_bound(written: Lines) -> None:
    with logs.about(letter_id=7):
        log.warning("%s is late", "a letter", extra={"code": 451})

    told = written.last
    assert str(told.pop("time")).endswith("Z")
    assert told == {"event": "a letter is late", "level": "warning", "process": "web", "code": 451,
                    "logger": "carreira.test_logs", "letter_id": 7}
    log.warning("another one")
    assert "letter_id" not in written.last


@pytest.mark.parametrize("said", [
    "550 5.1.1 <ana@players.example>: no such user", "to=ana@players.example, refused",
    "turn+abcdefghijklmnop234567qrst@reply.example", "/u/abcdefghijklmnopqrstuvwxyz gone",
    "/join/12-AbCdEfGh1jKlMnOpQrStUv failed", "smtp://carreira:pass@mail.example:25 is away",
    "/feeds/7-AbCdEfGh1jKlMnOpQrStUvWx/games.atom", "/archive?q=ana went wrong",
    'Cookie "kJ8dK3-_fjw9Fjfk39Fjdk30fkdDkf930dkfDkdkf92"',
])
def test_addresses_tokens_and_queries_are_taken_out(written: Lines, said: str) -> None:
    log.error("it went wrong: %s", said)

    line = written.lines[-1]
    for secret in ("ana", "abcdefgh", "AbCd", "pass", "kJ8d"):
        assert secret not in line
    assert "it went wrong" in line


def test_every_token_of_ours_is_taken_out(service: Service) -> None:
    for number in range(1, 2_000):
        secret = token(service.settings.keys, "unsub", Outbox(id=number))
        assert secret not in logs.hidden(f"/u/{secret} and so on")


@pytest.mark.parametrize("said", [
    "ALARM: game 7 does not fit entry 12: hash", "Game 12 waits for the sweep: timed out",
    "worker_cancel_long_running_tasks_on_connection_loss", "2026-03-02T12:00:00+00:00",
])
def test_plain_words_stay(said: str) -> None:
    assert logs.hidden(said) == said


def test_what_is_no_field_of_ours_is_left_out(written: Lines) -> None:
    log.error("it went wrong", extra={"recipient": "Ana", "game_id": 7})

    assert "Ana" not in written.lines[-1]
    assert written.last["game_id"] == 7


@pytest.mark.parametrize("kind", ["service", "postgres_service"])
def test_a_faults_traceback_tells_no_row_of_a_table(
    request: pytest.FixtureRequest, written: Lines, kind: str
) -> None:
    service: Service = request.getfixturevalue(kind)
    with service.writing() as session:
        person(session, "Anastazja")
        session.commit()
    try:
        with service.writing() as session:
            session.execute(text(
                "insert into person (name, address, language, zone, created) "
                "values (:name, :address, 'en', 'UTC', 0)"),
                {"name": "Anastazja", "address": "anastazja@players.example"})
    except IntegrityError:
        log.exception("it went wrong")

    line = written.lines[-1]
    assert "IntegrityError" in line
    assert "test_logs" in line
    assert "anastazja" not in line.lower()


def test_a_request_is_logged_by_its_route_and_found_by_its_number(
    client: FlaskClient, written: Lines
) -> None:
    answer = client.get("/join/12-secret?code=123456", headers={"X-Request-Id": "mine"})

    told = written.last
    assert told["request_id"] == answer.headers["X-Request-Id"] != "mine"
    assert (told["event"], told["route"], told["status"]) == ("request", "/join/<token>", 404)
    assert "secret" not in written.lines[-1].replace("request", "")
    assert "123456" not in written.lines[-1]
    assert client.get("/").headers["X-Request-Id"] != answer.headers["X-Request-Id"]
    log.warning("behind it")
    assert "request_id" not in written.last


def test_a_fault_of_a_page_is_logged_with_the_requests_number(
    client: FlaskClient, written: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.application.config["PROPAGATE_EXCEPTIONS"] = False
    monkeypatch.setattr("pbem.web.home.render_template", lambda *_, **__: 1 / 0)

    answer = client.get("/")

    fault = json.loads(written.lines[-2])
    assert answer.status_code == 500
    assert (fault["event"], fault["level"]) == ("a page failed", "error")
    assert "ZeroDivisionError" in fault["exception"]
    assert fault["request_id"] == answer.headers["X-Request-Id"] == written.last["request_id"]


def test_text_is_for_terminals_unless_it_is_said_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for is_terminal in (True, False):
        monkeypatch.setattr("sys.stderr.isatty", lambda found=is_terminal: found)
        assert logs.is_json({}) == (not is_terminal)
        assert logs.is_json({"CARREIRA_LOGS": "json"})
        assert not logs.is_json({"CARREIRA_LOGS": "text"})
    with pytest.raises(BadSetting, match="CARREIRA_LOGS"):
        Settings.from_environment({"CARREIRA_VAR": str(tmp_path), "CARREIRA_LOGS": "xml"})


@pytest.mark.parametrize("guide", [None, *GUIDES])
def test_the_web_server_finds_the_logger_that_commands_and_guides_name(guide: str | None) -> None:
    told = " ".join(supervisor.web(0)) if guide is None else (DOCS / guide).read_text()
    named = re.findall(r"--logger-class[=\s]+([\w.]+)\.(\w+)", told)
    assert named
    for module, name in named:
        assert issubclass(getattr(importlib.import_module(module), name), Logger)
