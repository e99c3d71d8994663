"""What processes write down: one line an event, for machines or for eyes, without who it was about.

Every module logs by the standard library; structlog gives each line its time, process and the
numbers that are bound while something is worked on. `hiding` takes out what must not stand in it.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from typing import Any

import structlog
from structlog.stdlib import ExtraAdder, ProcessorFormatter
from structlog.typing import EventDict

from pbem.logs import hiding

FORMS = ("auto", "json", "text")  # CARREIRA_LOGS; auto: text on a terminal
LIBRARIES = {  # what they say below this level, or at all, is nothing new, or names addresses
    "mail.log": logging.ERROR, "alembic": logging.WARNING, "celery": logging.WARNING,
    "kombu": logging.WARNING, "amqp": logging.WARNING, "flask_limiter": logging.ERROR,
    "asyncio": logging.WARNING, "fontTools": logging.WARNING, "PIL": logging.WARNING,
}  # fmt: skip

about = structlog.contextvars.bound_contextvars
"""While this is entered, lines of this thread carry these numbers."""
bind = structlog.contextvars.bind_contextvars
forget = structlog.contextvars.clear_contextvars


def configure(process: str, environ: Mapping[str, str] | None = None) -> None:
    """Have all that this process logs written to standard error, by one handler."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(process, as_json=is_json(environ or os.environ)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("carreira").setLevel(logging.INFO)
    for name, level in LIBRARIES.items():
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(capture=True)


def is_json(environ: Mapping[str, str]) -> bool:
    """Whether machines read the lines."""
    form = environ.get("CARREIRA_LOGS", "").strip()
    return form == "json" or (form in ("", "auto") and not sys.stderr.isatty())


def formatter(process: str, *, as_json: bool) -> logging.Formatter:
    """Makes a line of a record: first what it is, then nothing that it must not hold."""

    def named(_logger: Any, _method: str, event: EventDict) -> EventDict:
        event.setdefault("process", process)
        return event

    written: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False, default=str) if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    )
    return ProcessorFormatter(
        foreign_pre_chain=[
            structlog.contextvars.merge_contextvars,
            ExtraAdder(allow=sorted(hiding.FIELDS)),
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
            named,
        ],
        processors=[
            ProcessorFormatter.remove_processors_meta,
            hiding.traceback_told,
            hiding.hide,
            written,
        ],
    )  # fmt: skip
