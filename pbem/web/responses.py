"""Builds what answers share: cookies, private pages, security headers, entity tags."""

from __future__ import annotations

from datetime import timedelta
from typing import cast
from urllib.parse import urlsplit

from flask import abort, g, make_response, redirect, request, session, url_for
from flask_wtf.csrf import generate_csrf
from sqlmodel import Session
from werkzeug.http import generate_etag
from werkzeug.wrappers import Response

from pbem.models import Person
from pbem.web import context

CONTENT_POLICY = "; ".join((
    "default-src 'self'", "img-src 'self' data:", "object-src 'none'", "base-uri 'none'",
    "form-action 'self'", "frame-ancestors 'none'",
))  # fmt: skip
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # addresses hold tokens; forms over HTTPS need the origin
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
    "Cache-Control": "private, no-cache",  # a shared cache could show a person's page to others
}

COOKIE_LIFE = timedelta(days=400)  # the database ends sessions after 180 days without use


def set_cookie(answer: Response, name: str, value: str, life: timedelta) -> None:
    """Set a cookie that scripts cannot read and other sites cannot send."""
    answer.set_cookie(name, value, max_age=life, httponly=True, samesite="Lax",
                      secure=context.service().settings.is_secure)


def me(writing: Session) -> Person:
    """Return the signed-in person, locked in the writing session: an erasure waits for the commit.

    Redirects to the sign-in if the person was erased since the request began.
    """
    number = cast("Person", context.person()).id
    found = writing.get_one(Person, number, with_for_update={"read": True, "key_share": True})
    if found.suppressed == "gone":
        abort(to_sign_in())
    return found


def to_sign_in() -> Response:
    """Redirect to the sign-in, and from there back to the page. A posted form is not kept."""
    then = request.full_path.rstrip("?") if request.method == "GET" else None
    return redirect(url_for("sign_in.form", next=then), 303)


def private(page: str, status: int = 200) -> Response:
    """Return a page that no cache keeps and no search engine indexes."""
    answer = make_response(page, status)
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer


def local_path(path: str | None) -> str | None:
    """Return the path if it leads to a page of this site, else None."""
    if not path or len(path) > 200 or not path.isprintable() or "\\" in path:
        return None
    parts = urlsplit(path)
    is_local = path.startswith("/") and not path.startswith("//")
    return path if is_local and not parts.scheme and not parts.netloc else None


# ---- headers ------------------------------------------------------------------------------------


def secure(response: Response) -> Response:
    """Add the security headers that the route has not set itself."""
    own = {name.lower() for name, _value in response.headers}  # looked through once
    for name, value in HEADERS.items():
        if name.lower() not in own:
            response.headers.add(name, value)
    return response


def only_by_https(response: Response) -> Response:
    """Tell browsers to use HTTPS only (HSTS, RFC 6797)."""
    response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response


# ---- entity tags --------------------------------------------------------------------------------


def tag_content(response: Response) -> Response:
    """Add the ETag of the content (RFC 9110); answers 304 without a body if the browser has it."""
    if (request.method not in ("GET", "HEAD") or response.status_code != 200
            or response.is_streamed or response.cache_control.no_store):
        return response
    response.set_etag(generate_etag(without_form_tokens(response.get_data())), weak=True)
    response.make_conditional(request)
    response.headers.pop("Date")  # the web server writes its own
    return response


def without_form_tokens(page: bytes) -> bytes:
    """Return a page without its form tokens, which differ on every request.

    The secret that tokens are checked against stays part of the tag: when the secret changes, a
    cached page must not be used again.
    """
    if "form_key" in g:
        page = page.replace(g.form_key.encode(), b"")
    if session.accessed and "csrf_token" in session:  # else every answer would get Vary: Cookie
        page = page.replace(generate_csrf().encode(), form_secret())
    return page


def form_secret() -> bytes:
    """Return the secret that this browser's form tokens are checked against."""
    return str(session["csrf_token"]).encode()
