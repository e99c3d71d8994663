"""Serves error pages: what happened and what to do, never a stack trace."""

from __future__ import annotations

import errno
import logging

from flask import Flask, Response, current_app, g, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session
from werkzeug.exceptions import HTTPException, InternalServerError, ServiceUnavailable

from pbem import db
from pbem.web import context
from pbem.web.api import problems
from pbem.web.filters import _

AN_HOUR = 3600
KNOWN = (400, 403, 404, 405, 409, 413, 429)
SECONDS_AWAY = 15  # for Retry-After
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # a disk that takes no more data

log = logging.getLogger("carreira.web")


def texts(code: int) -> tuple[str, str]:
    """Return a title and advice for an HTTP status."""
    return {
        400: (_("This could not be read"),
              _("Something in the request was missing or had an unknown form. "
                "Go back, load the page again, and send it once more.")),
        403: (_("This is not open to you"),
              _("You may need to be signed in, or this belongs to somebody else.")),
        404: (_("There is no such page"),
              _("The address may have a slip in it, or the game is private. "
                "Your own games are behind “Your games”.")),
        405: (_("This address does not take that"),
              _("Go back to the page, and use its buttons.")),
        409: (_("Something else was quicker"),
              _("What you saw has changed in the meantime. Load the page again to see how "
                "it stands now.")),
        413: (_("This is too large"),
              _("A component set may have 64 KiB, everything else far less.")),
        429: (_("Too many at once"),
              _("This was asked for very often lately. Wait a while, then try again. "
                "Letters that were sent already stay good for 20 minutes.")),
        500: (_("This went wrong on our side"),
              _("It has been noted. What you had sent before is safe. Try again in a minute.")),
        503: (_("The service is away for a moment"),
              _("It comes back by itself, mostly within a minute. What you had sent before is "
                "safe. What you have just sent may not have been taken: send it again then. "
                "Orders count once, however often they arrive.")),
    }[code]


def page(code: int, *, why: str | None = None, wait: int = AN_HOUR) -> Response:
    """Return the page for an HTTP status; `why` replaces the general advice.

    `wait`: seconds until the next try, for 429.
    """
    title, advice = texts(code)
    answer = make_response(
        render_template("errors/error.html", title=title, advice=why or advice, code=code,
                        number=None, sent=None), code
    )
    answer.headers["Cache-Control"] = "no-store"
    if code == 429:
        answer.headers["Retry-After"] = str(wait)
    return answer


def http_error(problem: HTTPException) -> Response | HTTPException:
    """Answer an HTTP error with a page, or with a problem object for the API."""
    if problems.are_wanted():
        return problems.of_http(problem)
    if problem.code not in KNOWN:
        return problem
    wait = getattr(problem, "retry_after", None)
    answer = page(problem.code, wait=wait if isinstance(wait, int) else AN_HOUR)
    if problem.code == 405:
        answer.headers["Allow"] = dict(problem.get_headers()).get("Allow", "GET")
    return answer


def stale_form(problem: CSRFError) -> Response:
    """Answer a form without a valid token: cookies are off, or the form is another browser's."""
    return page(400, why=_("The form did not belong to this browser's visit. Allow cookies for "
                           "this site, load the page again, and send it once more."))


def our_fault(problem: InternalServerError) -> Response:
    """Answer an internal error."""
    return bare(problem)


def database_error(problem: SQLAlchemyError) -> Response:
    """Answer 503 if the database is away, locked, full or read-only; re-raises other errors."""
    if not db.is_away(problem):
        raise problem
    return away(problem)


def system_error(problem: OSError) -> Response:
    """Answer 503 if the disk is full; re-raises other errors."""
    if problem.errno not in FULL:
        raise problem
    return away(problem)


def away(problem: Exception) -> Response:
    """Answer 503 for a temporary failure, with the sent form to send again."""
    log.warning("%s %s: %s", request.method, request.path, db.plain_reason(problem))
    return bare(ServiceUnavailable(retry_after=SECONDS_AWAY))


def bare(problem: HTTPException) -> Response:
    """Return a page without looking up its reader, as the database may be broken."""
    for name in ("reading", "writing"):
        session = g.pop(name, None)
        if session is not None:
            close(session)
    context.asks(None)
    if problems.are_wanted():
        return problems.of_http(problem)
    code = problem.code or 500
    title, advice = texts(code)
    template = current_app.jinja_env.get_template("errors/error.html")
    answer = make_response(template.render(
        title=title, advice=advice, code=code, person=None, language=context.language(),
        number=g.get("request_id") if code == 500 else None,
        sent=sent_again() if code == 503 else None), code)  # fmt: skip
    answer.headers["Cache-Control"] = "no-store"
    if code == 503:
        answer.headers["Retry-After"] = str(SECONDS_AWAY)
    return answer


def close(session: Session) -> None:
    """Close a session, even if the database cannot take its rollback."""
    try:
        session.close()
    except SQLAlchemyError as problem:
        log.warning("A session is not closed: %s", db.plain_reason(problem))
        session.invalidate()


def sent_again() -> list[tuple[str, str]] | None:
    """Return the fields of the sent form, token and key included; None if there was no form."""
    if request.method != "POST" or "csrf_token" not in request.form or request.files:
        return None
    return list(request.form.items(multi=True))


def register(app: Flask) -> None:
    """Register the error handlers."""
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(CSRFError, stale_form)
    app.register_error_handler(InternalServerError, our_fault)
    app.register_error_handler(SQLAlchemyError, database_error)
    app.register_error_handler(OSError, system_error)
