"""Configures logging: one line per event, as JSON or text, without personal data.

Every module logs with the standard library. structlog holds the ids bound during a piece of work
and formats lines for people. Addresses, tokens, queries and row values are removed from every line.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import structlog

FORMS = ("auto", "json", "text")  # values of CARREIRA_LOGS; auto: text on a terminal
LIBRARIES = {  # below this level they log nothing useful, or addresses
    "mail.log": logging.ERROR, "alembic": logging.WARNING, "celery": logging.WARNING,
    "kombu": logging.WARNING, "amqp": logging.WARNING, "flask_limiter": logging.ERROR,
    "asyncio": logging.WARNING, "fontTools": logging.WARNING, "PIL": logging.WARNING,
}  # fmt: skip

# The fields that a line may have beside its text. Each is an id or a name of ours.
FIELDS = frozenset({
    "request_id", "game_id", "submission_id", "letter_id", "inbound_id", "series_id", "task",
    "method", "route", "status", "milliseconds", "code", "state",
})  # fmt: skip
TRUE = FIELDS | {"time", "level", "logger", "process"}  # made by us, so not searched for secrets

ADDRESS = re.compile(r"[^\s<>()\[\]\"',;:=@]+@[^\s<>()\[\]\"',;:=@]+")
QUERY = re.compile(r"\?[^\s\"'<>]+")
# Runs of the characters of our signatures, cookies and hashes. Words have no digits, and nothing
# else of ours with both letters and digits is so long.
SECRET = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}={0,2}"
    r"|(?<![\w-])[a-z2-7]{26}(?![\w-])"  # one in two hundred tokens of reply addresses has no digit
)
SHORTEST = 20  # characters of a secret
CREDENTIALS = re.compile(r"//[^\s/@]+@")
# After these words databases quote a row. After the last one comes a statement, and its values are
# hidden already.
QUOTING = re.compile(r"^\s*(DETAIL|CONTEXT|HINT|QUERY|PARAMETERS|LINE \d+|\[parameters)\b.*$",
                     re.MULTILINE | re.IGNORECASE)

about = structlog.contextvars.bound_contextvars
"""Context manager: log lines of this thread carry these ids."""
bind = structlog.contextvars.bind_contextvars
forget = structlog.contextvars.clear_contextvars

ALLOWED = sorted(FIELDS)
for_machines = json.JSONEncoder(ensure_ascii=False, default=str).encode


def configure(process: str, environ: Mapping[str, str] | None = None) -> None:
    """Send all of this process' logs to standard error, by one handler."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(process, as_json=is_json(environ or os.environ)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("carreira").setLevel(logging.INFO)
    for name, level in LIBRARIES.items():
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(capture=True)
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # not logged


def is_json(environ: Mapping[str, str]) -> bool:
    """Return whether lines are JSON."""
    form = environ.get("CARREIRA_LOGS", "").strip()
    return form == "json" or (form in ("", "auto") and not sys.stderr.isatty())


def formatter(process: str, *, as_json: bool) -> logging.Formatter:
    """Return the formatter of JSON or of text lines."""
    return Lines(process, for_machines if as_json else for_eyes())


class Lines(logging.Formatter):
    """Formats a record as a line, and then removes what it must not hold."""

    def __init__(self, process: str, written: Callable[[dict[str, Any]], str]) -> None:
        super().__init__()
        self.process = process
        self.written = written

    def format(self, record: logging.LogRecord) -> str:
        given = record.__dict__
        event = {
            "event": record.getMessage(),
            **structlog.contextvars.get_contextvars(),
            **{name: given[name] for name in ALLOWED if name in given},
            "level": record.levelname.lower(),
            "logger": record.name,
            "time": datetime.fromtimestamp(record.created, UTC).isoformat()[: -len("+00:00")] + "Z",
            "process": self.process,
        }
        if record.exc_info and record.exc_info[1] is not None:
            event["exception"] = traceback_told(record.exc_info[1])
        if record.stack_info:
            event["stack_info"] = record.stack_info
        return self.written(hide(event))


def for_eyes() -> Callable[[dict[str, Any]], str]:
    """Return the renderer of text lines."""
    written = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    return lambda event: written(None, "", event)


# ---- what must not be logged --------------------------------------------------------------------


def hidden(text: str) -> str:
    """Return the text with everything confidential replaced."""
    if len(text) < SHORTEST and text.isalpha():
        return text  # most lines are one word of ours
    text = CREDENTIALS.sub("//...@", text)
    text = ADDRESS.sub("<address>", text)
    return SECRET.sub("<secret>", QUERY.sub("?...", QUOTING.sub("", text)))


def hide(event: dict[str, Any]) -> dict[str, Any]:
    """Clean every text of the line, whoever wrote it."""
    return {name: cleaned(name, value) for name, value in event.items()}


def cleaned(name: str, value: Any) -> Any:
    """Clean one value of the line. Values other than text and numbers become text."""
    if name in TRUE or value is None or isinstance(value, bool | int | float):
        return value
    return hidden(value if isinstance(value, str) else str(value))


def traceback_told(problem: BaseException) -> str:
    """Format an exception: locations and message, without the values of variables."""
    return "".join(traceback.format_exception(problem)).rstrip()
