"""Serves monitoring: /healthz, /readyz and /metrics. No names, no addresses."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterator

from flask import Blueprint, Response, abort, jsonify, request
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from pbem import __version__, health
from pbem.operators import reports
from pbem.run import broker_status
from pbem.web import context

blueprint = Blueprint("health", __name__)

FORWARDED = {"forwarded", "via", "x-forwarded-for", "x-real-ip"}
NEWEST = {"letters": "letters", "orders": "orders", "letters_in": "letters that came in"}


@blueprint.get("/healthz")
def healthz() -> Response:
    """Tell that this process answers, whatever state its dependencies are in."""
    return unkept(jsonify(service="carreira", release=__version__))


@blueprint.get("/readyz")
def readyz() -> tuple[Response, int]:
    """Tell whether the site can work; answers 503 with the reasons if not."""
    try:
        found = health.vitals(context.reading(), context.service().clock.now())
    except SQLAlchemyError:
        found = None
    wrong = list(reasons(found))
    failing = None if found is None else found.failing_games  # the site still works
    answer = unkept(jsonify(service="carreira", release=__version__, ready=not wrong, wrong=wrong,
                            failing_games=failing))
    return answer, 503 if wrong else 200


def reasons(found: health.Health | None) -> Iterator[str]:
    """Yield what is wrong, a line each."""
    if found is None:
        yield "the database does not answer"
    else:
        yield from health.complaints(found)
    trouble = broker_status.trouble(context.service().settings.broker_url)
    if trouble is not None:
        yield broker_status.complaint(trouble)



@blueprint.get("/metrics")
def metrics() -> Response:
    """Return figures for Prometheus; raises 404 unless `may_measure`."""
    if not may_measure():
        abort(404)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(MetricsCollector(context.reading()))
    answer = Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
    return unkept(answer)


def may_measure() -> bool:
    """Tell whether the caller has CARREIRA_METRICS_TOKEN, or without one is on this machine."""
    token = context.service().settings.metrics_token
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if token is not None:
        return hmac.compare_digest(given.encode(), token.encode())
    try:
        near = ipaddress.ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        near = False
    passed_on = any(name.lower() in FORWARDED for name in request.headers.keys())  # noqa: SIM118
    return near and not passed_on


def unkept(answer: Response) -> Response:
    """Return an answer that no cache keeps."""
    answer.headers["Cache-Control"] = "no-store"
    return answer


class MetricsCollector(Collector):
    """Reads the figures from the database at each scrape, so every web process reports the same."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def collect(self) -> Iterator[Metric]:
        """Yield all figures."""
        found = health.vitals(self._session, context.service().clock.now())
        for name, what, waiting in (
            ("letters_due", "Letters that are due and did not leave", found.letters_out),
            ("letters_in_unjudged", "Letters that came in and are not judged", found.letters_in),
            ("orders_unplayed", "Orders that no worker has played", found.orders),
        ):
            yield gauge(name, f"{what}.", waiting.number)
            yield gauge(f"{name}_oldest_seconds", f"{what}: for how long the first of them.",
                        waiting.oldest.total_seconds())
        if found.swept is not None:
            yield gauge("sweep_age_seconds", "Since the sweep was last here.",
                        found.swept.total_seconds())
        if found.accepted is not None:
            yield gauge("letter_accepted_age_seconds", "Since a mail server last took a letter.",
                        found.accepted.total_seconds())
        yield gauge("mail_pauses", "Domains that refuse our letters for now.", found.paused_domains)
        yield gauge("broken_games", "Finished games that do not fit their record.",
                    found.broken_games)
        yield gauge("failing_games", "Running games that could not be advanced last time.",
                    found.failing_games)
        yield gauge("reports_waiting", "Reports of players that no operator has settled.",
                    reports.waiting(self._session))
        yield gauge("standing_orders", "Orders ahead that stand.",
                    health.standing_orders(self._session))
        games = GaugeMetricFamily("carreira_games", "Games by state.", labels=["state"])
        for state, number in health.games_by_state(self._session).items():
            games.add_metric([state], number)
        yield games
        for name, number in health.newest(self._session).items():
            yield CounterMetricFamily(f"carreira_{name}", f"All {NEWEST[name]} so far.",
                                      value=number)
        for name, number in health.counts(self._session).items():
            yield CounterMetricFamily(f"carreira_{name}", health.COUNTS[name], value=number)


def gauge(name: str, what: str, value: float) -> GaugeMetricFamily:
    """Return a gauge with one value."""
    return GaugeMetricFamily(f"carreira_{name}", what, value=value)
