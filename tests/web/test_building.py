"""What every page has in common."""

from __future__ import annotations

from datetime import timedelta

from flask.testing import FlaskClient

from pbem.clock import FixedClock
from pbem.models import Heartbeat
from pbem.service import Service
from pbem.web import build


def test_healthz_answers_before_the_first_sweep(client: FlaskClient) -> None:
    answer = client.get("/healthz")

    assert answer.status_code == 200
    assert answer.get_json()["sweep_seconds_ago"] is None


def test_healthz_turns_red_when_the_sweep_stays_away(
    client: FlaskClient, service: Service, clock: FixedClock
) -> None:
    with service.writing() as session:
        session.add(Heartbeat(name="sweep", at=clock.now()))
        session.commit()
    assert client.get("/healthz").status_code == 200

    clock.forward(timedelta(seconds=61))

    assert client.get("/healthz").status_code == 503


def test_pages_allow_no_script_but_the_sites_own(client: FlaskClient) -> None:
    policy = client.get("/healthz").headers["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy


def test_a_post_without_a_form_token_is_refused(service: Service) -> None:
    app = build(service)
    app.add_url_rule("/probe", view_func=lambda: "done", methods=["POST"])

    assert app.test_client().post("/probe").status_code == 400
