"""A real browser and a real server for tests; fixtures, to be imported by name."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.serving import make_server

from pbem.accounts import auth
from pbem.models import Game
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.support import tables

CHROMIUM = Path("/usr/bin/chromium")
FONTS = Path(__file__).with_name("fonts.conf")  # knows DejaVu alone, whatever a machine has
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
in_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is not installed"),
]


def launched(playwright: Any) -> Any:
    """A browser that sees the same fonts on every machine."""
    return playwright.chromium.launch(
        executable_path=str(CHROMIUM),
        args=["--no-sandbox", "--disable-dev-shm-usage"],
        env={**os.environ, "FONTCONFIG_FILE": str(FONTS)},
    )


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser."""
    with sync_api.sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture
def site(flask_app: Flask) -> Iterator[str]:
    """The site on a free port, with its forms' tokens checked; its worker is the test."""
    flask_app.config["WTF_CSRF_ENABLED"] = True
    server = make_server("127.0.0.1", 0, flask_app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


def signed_in(context: Any, service: Service, game: Game, seat: int, *, site: str) -> Any:
    """The context as this player's; `context.problems` tells what goes wrong in its pages."""
    with service.writing() as session:
        person_id = tables.seat(session, game, seat).person_id
        secret = auth.open_session(session, person_id, agent="test", now=service.clock.now())
        session.commit()
    context.add_cookies([{"name": COOKIE, "value": secret, "url": site}])
    context.set_default_timeout(20_000)
    context.problems = []
    context.on("console", lambda told: context.problems.append(told.text)
               if told.type in ("error", "warning") else None)
    context.on("weberror", lambda error: context.problems.append(str(error.error)))
    return context
