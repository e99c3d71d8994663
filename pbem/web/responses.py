"""What several pages answer with: cookies, private pages, the way to the sign-in and back."""

from __future__ import annotations

from datetime import timedelta
from typing import cast
from urllib.parse import urlsplit

from flask import abort, make_response, redirect, request, url_for
from sqlmodel import Session
from werkzeug.wrappers import Response

from pbem.models import Person
from pbem.web import context

COOKIE_LIFE = timedelta(days=400)  # the 180 days of disuse are counted by the database


def set_cookie(answer: Response, name: str, value: str, life: timedelta) -> None:
    """A cookie that no script reads and no other site sends along."""
    answer.set_cookie(name, value, max_age=life, httponly=True, samesite="Lax",
                      secure=context.service().settings.is_secure)


def me(writing: Session) -> Person:
    """Who is signed in, as a row that may be changed; his erasure waits until that is done.

    Who was erased since his request began is sent to the sign-in.
    """
    number = cast("Person", context.person()).id
    found = writing.get_one(Person, number, with_for_update={"read": True, "key_share": True})
    if found.suppressed == "gone":
        abort(to_sign_in())
    return found


def to_sign_in() -> Response:
    """Sign in first, then come back to the page (a form that was posted has to be sent again)."""
    then = request.full_path.rstrip("?") if request.method == "GET" else None
    return redirect(url_for("sign_in.form", next=then), 303)


def private(page: str, status: int = 200) -> Response:
    """A page that is kept by nobody and found by no search engine."""
    answer = make_response(page, status)
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer


def local_path(path: str | None) -> str | None:
    """The path, if it leads to a page of this site and nowhere else."""
    if not path or len(path) > 200 or not path.isprintable() or "\\" in path:
        return None
    parts = urlsplit(path)
    is_local = path.startswith("/") and not path.startswith("//")
    return path if is_local and not parts.scheme and not parts.netloc else None
