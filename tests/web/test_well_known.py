"""What programs ask for unasked: an icon, and what robots leave alone."""

from __future__ import annotations

import io

from flask.testing import FlaskClient
from PIL import Image


def test_the_icon_that_browsers_ask_for_by_themselves_is_there(client: FlaskClient) -> None:
    answer = client.get("/favicon.ico")

    assert answer.status_code == 200
    assert Image.open(io.BytesIO(answer.data)).format == "ICO"


def test_robots_leave_alone_what_is_one_persons(client: FlaskClient) -> None:
    answer = client.get("/robots.txt")

    assert answer.mimetype == "text/plain"
    for path in ("/account", "/feeds/", "/sign-in", "/u/", "/operator"):
        assert f"Disallow: {path}\n" in answer.text
    assert "Disallow: /archive" not in answer.text
    assert "Disallow: /\n" not in answer.text
