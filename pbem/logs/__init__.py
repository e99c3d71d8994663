"""Configures logging: one line per event, as JSON or text, without personal data.

Every module logs with the standard library. structlog holds the ids bound during a piece of work
and formats lines for people. `hiding` removes what must not be logged.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import structlog

from pbem.logs import hiding

FORMS = ("auto", "json", "text")  # values of CARREIRA_LOGS; auto: text on a terminal
LIBRARIES = {  # below this level they log nothing useful, or addresses
    "mail.log": logging.ERROR, "alembic": logging.WARNING, "celery": logging.WARNING,
    "kombu": logging.WARNING, "amqp": logging.WARNING, "flask_limiter": logging.ERROR,
    "asyncio": logging.WARNING, "fontTools": logging.WARNING, "PIL": logging.WARNING,
}  # fmt: skip

about = structlog.contextvars.bound_contextvars
"""Context manager: log lines of this thread carry these ids."""
bind = structlog.contextvars.bind_contextvars
forget = structlog.contextvars.clear_contextvars

ALLOWED = sorted(hiding.FIELDS)
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
            event["exception"] = hiding.traceback_told(record.exc_info[1])
        if record.stack_info:
            event["stack_info"] = record.stack_info
        return self.written(hiding.hide(event))


def for_eyes() -> Callable[[dict[str, Any]], str]:
    """Return the renderer of text lines."""
    written = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    return lambda event: written(None, "", event)
