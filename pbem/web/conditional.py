"""Tags finished pages by their content, and answers 304 to who has them already."""

from __future__ import annotations

from flask import Flask, Response, g, request, session
from flask_wtf.csrf import generate_csrf
from werkzeug.http import generate_etag


def register(app: Flask) -> None:
    """Tag all that may be kept."""
    app.after_request(tagged)


def tagged(response: Response) -> Response:
    """The answer with the tag of its content; 304 without any where the browser has it."""
    if (request.method not in ("GET", "HEAD") or response.status_code != 200
            or response.is_streamed or response.cache_control.no_store):
        return response
    response.set_etag(generate_etag(without_form_tokens(response.get_data())), weak=True)
    response.make_conditional(request)
    response.headers.pop("Date")  # the web server writes its own
    return response


def without_form_tokens(page: bytes) -> bytes:
    """A page without what differs each time: its forms' tokens.

    The secret that they are checked against counts: a kept page must not outlive it.
    """
    if "form_key" in g:
        page = page.replace(g.form_key.encode(), b"")
    if session.accessed and "csrf_token" in session:  # else each answer would vary by cookie
        page = page.replace(generate_csrf().encode(), form_secret())
    return page


def form_secret() -> bytes:
    """What this browser's forms are checked against."""
    return str(session["csrf_token"]).encode()
