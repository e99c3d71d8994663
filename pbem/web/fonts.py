"""The pages' own fonts, so that a page measures the same on every machine."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from flask import Blueprint, Response, send_from_directory

FOLDER = Path(__file__).with_name("fonts_made")  # by pbem.web.make_fonts
STYLE = "faces.css"
YEAR = 365 * 24 * 3600  # seconds

blueprint = Blueprint("fonts", __name__)
mimetypes.add_type("font/woff2", ".woff2")  # not every machine's list has it


@blueprint.get("/fonts/<name>")
def font(name: str) -> Response:
    """A font, whose name changes with its content; the style that names them; a licence."""
    answer = send_from_directory(FOLDER, name)
    if name.endswith(".woff2"):
        answer.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    return answer
