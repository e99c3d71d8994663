"""Serves files at fixed addresses: fonts, the icon, robots.txt."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from flask import Blueprint, Response, current_app, send_from_directory

FOLDER = Path(__file__).with_name("fonts_made")  # written by pbem.web.make_fonts
STYLE = "faces.css"
YEAR = 365 * 24 * 3600  # seconds

blueprint = Blueprint("site_files", __name__)
mimetypes.add_type("font/woff2", ".woff2")  # missing from some machines' lists


@blueprint.get("/fonts/<name>")
def font(name: str) -> Response:
    """Return a font, the style sheet of all fonts, or a licence.

    A font's name contains its hash, so that caches may keep it.
    """
    answer = send_from_directory(FOLDER, name)
    if name.endswith(".woff2"):
        answer.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    else:
        answer.cache_control.private = True
    return answer


@blueprint.get("/favicon.ico")
def icon() -> Response:
    """Return the icon for browsers that ask for it at the usual address."""
    return static_file("favicon.ico")


@blueprint.get("/robots.txt")
def robots() -> Response:
    """Tell search engines to leave out personal pages and secret addresses."""
    return static_file("robots.txt")


def static_file(name: str) -> Response:
    """Return a static file that no shared cache keeps: the answer may renew a reader's cookie."""
    answer = current_app.send_static_file(name)
    answer.cache_control.private = True
    return answer
