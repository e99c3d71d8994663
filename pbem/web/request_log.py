"""A line of the log for each request, and the number by which both can be found: X-Request-Id."""

from __future__ import annotations

import logging
import secrets
import time
from typing import Any

from flask import Flask, Response, g, request

from pbem import logs
from pbem.models import Submission

log = logging.getLogger("carreira.web")

# Asked all the time, and always answered.
QUIET = ("/static/<path:filename>", "/fonts/<name>", "/healthz")
BOUND = ("game_id", "series_id")  # parts of addresses that are numbers of ours


def register(app: Flask) -> None:
    """Log the requests of this app, from before anything is done until all is."""
    app.before_request_funcs.setdefault(None, []).insert(0, begin)
    app.after_request_funcs.setdefault(None, []).insert(0, end)  # runs last
    app.teardown_request(lambda _problem: logs.forget())
    app.log_exception = failed  # type: ignore[method-assign]


def failed(exc_info: Any) -> None:
    """A fault of ours; the route stands in the line of the request."""
    log.error("a page failed", exc_info=exc_info)


def begin() -> None:
    """Draw the request's number; none that a client sends is believed."""
    logs.forget()
    g.request_id, g.begun = secrets.token_hex(8), time.monotonic()
    named = {name: value for name, value in (request.view_args or {}).items() if name in BOUND}
    logs.bind(request_id=g.request_id, **named)


def orders(kept: Submission) -> None:
    """Have the request's line say which orders came with it, rather than write a line of them."""
    logs.bind(submission_id=kept.id)


def end(answer: Response) -> Response:
    """Say what became of it: the route, never the address, which may hold a secret."""
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
