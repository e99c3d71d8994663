"""What every page has in common."""

from __future__ import annotations

from flask.testing import FlaskClient

from pbem.service import Service
from pbem.web import build


def test_pages_allow_no_script_but_the_sites_own(client: FlaskClient) -> None:
    policy = client.get("/healthz").headers["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy


def test_a_post_without_a_form_token_is_refused(service: Service) -> None:
    app = build(service)
    app.add_url_rule("/probe", view_func=lambda: "done", methods=["POST"])

    assert app.test_client().post("/probe").status_code == 400
