"""Serves files at fixed addresses: fonts, the icon, robots.txt."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from flask import Blueprint, Response, current_app, send_from_directory

FOLDER = Path(__file__).with_name("fonts_made")  # by pbem.web.make_fonts
STYLE = "faces.css"
YEAR = 365 * 24 * 3600  # seconds

blueprint = Blueprint("site_files", __name__)
mimetypes.add_type("font/woff2", ".woff2")  # not every machine's list has it


@blueprint.get("/fonts/<name>")
def font(name: str) -> Response:
    """A font (its name changes with its content), the style sheet of all fonts, or a licence."""
    answer = send_from_directory(FOLDER, name)
    if name.endswith(".woff2"):
        answer.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    else:
        answer.cache_control.private = True
    return answer


@blueprint.get("/favicon.ico")
def icon() -> Response:
    """The icon, for browsers that ask for it without reading a page's link to the drawing."""
    return static_file("favicon.ico")


@blueprint.get("/robots.txt")
def robots() -> Response:
    """What search engines leave alone: pages of one person, and secret addresses."""
    return static_file("robots.txt")


def static_file(name: str) -> Response:
    """A static file that no shared cache keeps: the answer may renew a reader's cookie."""
    answer = current_app.send_static_file(name)
    answer.cache_control.private = True
    return answer
