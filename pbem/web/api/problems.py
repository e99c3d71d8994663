"""Answers API errors with problem objects (RFC 9457)."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Response, make_response, request
from msgspec import Struct
from werkzeug.exceptions import HTTPException

PREFIX = "/api/"


class NewsShown(Struct, frozen=True):
    """Something that happened since the caller's entry."""

    entry: int
    text: str
    rule: str


class Problem(Struct, frozen=True, omit_defaults=True):
    """An error. For refused orders also the key, the rule, the numbers and legal lines.

    `news`: what happened since, if the position moved on. `entry`: the newest entry.
    """

    title: str
    status: int
    type: str = "about:blank"
    detail: str = ""
    key: str = ""
    rule: str = ""
    numbers: dict[str, Any] = {}
    choices: list[str] = []
    line: str | None = None
    entry: int | None = None
    news: list[NewsShown] = []


def are_wanted() -> bool:
    """Tell whether the request is for the API."""
    return request.path.startswith(PREFIX)


def answer(problem: Problem) -> Response:
    """Return the problem as a response."""
    made = make_response(msgspec.json.encode(problem), problem.status)
    made.headers["Content-Type"] = "application/problem+json"
    made.headers["Cache-Control"] = "no-store"
    return made


def of_http(error: HTTPException) -> Response:
    """Return an HTTP error as a problem, with the headers that belong to it."""
    status = error.code or 500
    made = answer(Problem(error.name, status, detail=error.description or ""))
    for name, value in error.get_headers():
        if name in ("Allow", "WWW-Authenticate", "Retry-After"):
            made.headers[name] = value
    return made
