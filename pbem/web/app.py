"""Builds the Flask app: its settings, its templates, its blueprints and what runs around them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Flask
from flask_wtf import CSRFProtect
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter

from engine import registry
from pbem.i18n import words
from pbem.i18n.catalogs import translations
from pbem.service import Service
from pbem.web import (
    context,
    devmail,
    enqueue,
    errors,
    filters,
    games,
    health,
    home,
    limits,
    request_log,
    responses,
    rows,
    rules,
    site_files,
)
from pbem.web.account import (
    availability,
    blocks,
    integrations,
    letter_links,
    profile,
    sign_in,
)
from pbem.web.account import letters as account_letters
from pbem.web.api import routes
from pbem.web.archive import compare, exports, feeds, graph, lists, players, statistics
from pbem.web.lobby import games as lobby_games
from pbem.web.lobby import invitations, quick_start, seats
from pbem.web.operator import failures, overview, people, reports
from pbem.web.table import consent, link_preview, newest, orders, page, seat

ROOT = Path(__file__).parents[2]

BLUEPRINTS = tuple(module.blueprint for module in (
    home, site_files, rules, health, devmail,
    sign_in, profile, availability, account_letters, letter_links, blocks, integrations,
    lobby_games, invitations, seats, quick_start,
    page, newest, link_preview, orders, seat, consent,
    lists, players, statistics, feeds, graph, compare, exports,
    overview, failures, people, reports,
    routes,
))


class Number(IntegerConverter):
    """The number of a game or entry in an address, within the range of database integers."""

    regex = r"[1-9][0-9]{0,8}"


def build(service: Service) -> Flask:
    """Return the app that serves this service's pages."""
    app = Flask(
        "carreira",
        root_path=str(ROOT),
        template_folder="templates",
        static_folder="pbem/static",
        static_url_path="/static",
    )
    app.url_map.converters["int"] = Number
    speak(app)  # first: registering template functions creates the environment
    configure(app, service)
    context.bind(app, service)
    app.before_request(overview.guard)  # before the form tokens are checked
    limits.bind(app, service.settings)
    limits.bind_sizes(app)
    enqueue.bind(app, service.settings.broker_url)
    CSRFProtect(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    errors.register(app)
    filters.register(app)
    games.register(app)
    rows.register(app)
    app.after_request(responses.tag_content)
    app.after_request(responses.secure)
    request_log.register(app)
    return app


def warm_up(app: Flask) -> None:
    """Load the texts and templates of all pages, so that no first reader waits for them."""
    for language in words.LANGUAGES:
        translations(language)
        for key in registry.GAMES:
            words.game_words(key, language)
    for name in app.jinja_env.list_templates(extensions=["html", "svg", "xml"]):
        if not name.startswith("letters/") and not name.endswith("/letter.html"):
            app.jinja_env.get_template(name)


def configure(app: Flask, service: Service) -> None:
    """Set Flask's own settings; the service's settings come from pbem.config alone."""
    is_secure = service.settings.is_secure
    keys = service.settings.keys
    oldest_first = list(reversed(keys.old))
    app.config.update(
        SECRET_KEY=keys.new,
        SECRET_KEY_FALLBACKS=oldest_first,
        WTF_CSRF_SECRET_KEY=[*oldest_first, keys.new],  # the last one signs
        SESSION_COOKIE_NAME="carreira_form",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=is_secure,
        WTF_CSRF_TIME_LIMIT=None,  # in a game by mail a page may stay open for days
    )
    if is_secure:
        app.after_request(responses.only_by_https)
    if service.settings.proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=service.settings.proxies, x_proto=0, x_host=0)


def speak(app: Flask) -> None:
    """Give templates the reader and their language; an undefined name raises an error."""
    app.jinja_options = {**app.jinja_options, "undefined": StrictUndefined}
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: translations(context.language()).gettext(text),
        lambda one, many, number: translations(context.language()).ngettext(one, many, number),
        newstyle=True,
    )

    @app.context_processor
    def who_and_how() -> dict[str, Any]:
        return {"person": context.person(), "language": context.language()}
