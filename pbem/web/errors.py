"""Friendly pages for what goes wrong: what happened, what can be done; never a stack trace."""

from __future__ import annotations

from flask import Flask, Response, current_app, g, make_response, render_template
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, InternalServerError

from pbem.web import current, problems
from pbem.web.filters import _

KNOWN = (400, 403, 404, 405, 409, 413, 429)


def texts(code: int) -> tuple[str, str]:
    """A title and what can be done, for an HTTP status."""
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
    }[code]


def page(code: int, *, why: str | None = None) -> Response:
    """The page for an HTTP status; `why` takes the place of the general sentence."""
    title, advice = texts(code)
    answer = make_response(
        render_template("errors/error.html", title=title, advice=why or advice, code=code), code
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def http_error(problem: HTTPException) -> Response | HTTPException:
    """What the visitor sees of an HTTP error."""
    if problems.are_wanted():
        return problems.of_http(problem)
    if problem.code not in KNOWN:
        return problem
    answer = page(problem.code)
    if problem.code == 405:
        answer.headers["Allow"] = dict(problem.get_headers()).get("Allow", "GET")
    return answer


def stale_form(problem: CSRFError) -> Response:
    """A form without its token: another browser's page, or cookies are off."""
    return page(400, why=_("The form did not belong to this browser's visit. Allow cookies for "
                           "this site, load the page again, and send it once more."))


def our_fault(problem: InternalServerError) -> Response:
    """Our own error. The database may be what is broken, so nobody is looked up in it."""
    for name in ("reading", "writing"):
        session = g.pop(name, None)
        if session is not None:
            session.close()
    current.asks(None)
    if problems.are_wanted():
        return problems.of_http(problem)
    title, advice = texts(500)
    template = current_app.jinja_env.get_template("errors/error.html")
    answer = make_response(template.render(title=title, advice=advice, code=500, person=None,
                                           language=current.language()), 500)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def register(app: Flask) -> None:
    """Answer these errors with our pages."""
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(CSRFError, stale_form)
    app.register_error_handler(InternalServerError, our_fault)
