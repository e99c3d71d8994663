"""Logs a line for each request, with the number that X-Request-Id also carries."""

from __future__ import annotations

import logging
import secrets
import time
from typing import Any

from flask import Flask, Response, g, request

from pbem import logs
from pbem.models import Submission

log = logging.getLogger("carreira.web")

# Requested all the time, and always answered.
QUIET = ("/static/<path:filename>", "/fonts/<name>", "/healthz")
BOUND = ("game_id", "series_id")  # numbers in addresses that are safe to log


def register(app: Flask) -> None:
    """Log the requests of this app, from before the first handler to after the last."""
    app.before_request_funcs.setdefault(None, []).insert(0, begin)
    app.after_request_funcs.setdefault(None, []).insert(0, end)  # first in the list runs last
    app.teardown_request(lambda _problem: logs.forget())
    app.log_exception = failed  # type: ignore[method-assign]


def failed(exc_info: Any) -> None:
    """Log an internal error; the route is in the request's own line."""
    log.error("a page failed", exc_info=exc_info)


def begin() -> None:
    """Draw the request's number; a number that a client sends is ignored."""
    logs.forget()
    g.request_id, g.begun = secrets.token_hex(8), time.monotonic()
    named = {name: value for name, value in (request.view_args or {}).items() if name in BOUND}
    logs.bind(request_id=g.request_id, **named)


def orders(kept: Submission) -> None:
    """Add the number of the recorded orders to the request's line."""
    logs.bind(submission_id=kept.id)


def end(answer: Response) -> Response:
    """Log the outcome with the route, not the address, which may hold a secret."""
    number = g.get("request_id")
    if number is None:
        return answer
    answer.headers["X-Request-Id"] = number
    rule = request.url_rule
    if rule is None or rule.rule not in QUIET:
        log.info("request", extra={
            "method": request.method if rule is not None else "-",
            "route": rule.rule if rule is not None else "-", "status": answer.status_code,
            "milliseconds": round((time.monotonic() - g.begun) * 1000),
        })  # fmt: skip
    return answer
