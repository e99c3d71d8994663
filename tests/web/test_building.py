"""What every page has in common."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.i18n import words
from pbem.models import Game
from pbem.service import Service
from pbem.web.app import build, warm_up
from tests.support import tables


def test_pages_allow_no_script_but_the_sites_own(client: FlaskClient) -> None:
    policy = client.get("/healthz").headers["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy


def test_a_post_without_a_form_token_is_refused(service: Service) -> None:
    app = build(service)
    app.add_url_rule("/probe", view_func=lambda: "done", methods=["POST"])

    assert app.test_client().post("/probe").status_code == 400


def test_behind_the_warm_up_a_table_compiles_no_template_in_any_language(
    flask_app: Flask, service: Service, session: Session, game: Game,
    monkeypatch: pytest.MonkeyPatch
) -> None:
    warm_up(flask_app)
    monkeypatch.setattr(
        flask_app.jinja_env, "compile", lambda *_: pytest.fail("a template is compiled"))
    goa = tables.started_game(session, service.clock.now(), names=("Eva", "Ivo"), game_key="goa")

    for path in (f"/games/{game.id}", f"/games/{goa.id}"):
        for language in words.LANGUAGES:
            answer = flask_app.test_client().get(path, headers={"Accept-Language": language})
            assert answer.status_code == 200
