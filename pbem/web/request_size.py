"""How large a request may be, looked at before anything in it is read further."""

from __future__ import annotations

from flask import Flask, abort, request
from gunicorn.http.errors import ParseException

LARGEST_SET = 256 * 1024  # bytes: a component set of 64 KiB, escaped, and its form
LARGEST_FORM = 64 * 1024  # bytes of every other form, and of what programs send
WITH_SETS = frozenset({"lobby.open_game"})
MOST_FIELDS = 1000  # of one form, and behind the "?" of an address
LONGEST_ADDRESS = 4096  # bytes; gunicorn takes no more either
LONGEST_LANGUAGES = 300  # characters of Accept-Language; browsers send fewer than 100
FORM = "application/x-www-form-urlencoded"


def bind(app: Flask) -> None:
    """Look at each request's size first."""
    app.config.update(MAX_CONTENT_LENGTH=LARGEST_SET, MAX_FORM_MEMORY_SIZE=LARGEST_SET,
                      MAX_FORM_PARTS=MOST_FIELDS)
    app.before_request(refuse_what_is_large)
    app.before_request(refuse_nul)


def refuse_what_is_large() -> None:
    """413 for what no page of ours sends; the language of who lists hundreds is left open."""
    most = LARGEST_SET if request.endpoint in WITH_SETS else LARGEST_FORM
    request.max_content_length = most
    if request.content_length is None and len(whole_body()) >= most:
        abort(413)  # such a body ends where the limit is, as if it were whole
    if len(request.full_path) > LONGEST_ADDRESS or request.query_string.count(b"&") >= MOST_FIELDS:
        abort(413)
    if request.mimetype == FORM and whole_body().count(b"&") >= MOST_FIELDS:
        abort(413)  # counted before they are taken apart, which costs far more
    if len(request.headers.get("Accept-Language", "")) > LONGEST_LANGUAGES:
        request.environ.pop("HTTP_ACCEPT_LANGUAGE")


def whole_body() -> bytes:
    """What was sent; 400 where it cannot be read, as in chunks of a size that is none."""
    try:
        return request.get_data()
    except (OSError, ParseException):
        abort(400)


def refuse_nul() -> None:
    """No text of ours holds a NUL, and PostgreSQL takes none."""
    for values in (request.args, request.form):
        if any("\0" in value for _name, value in values.items(multi=True)):
            abort(400)
