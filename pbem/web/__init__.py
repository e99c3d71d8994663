"""The web edge: builds the Flask app; its blueprints translate, and leave the work to pbem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Flask, Response
from flask_wtf import CSRFProtect
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter

from engine import registry
from pbem.i18n import words
from pbem.i18n.catalogs import translations
from pbem.service import Service
from pbem.web import (
    conditional,
    context,
    enqueue,
    errors,
    filters,
    games,
    limits,
    request_log,
    request_size,
)
from pbem.web.blueprints import BLUEPRINTS
from pbem.web.operator import overview

ROOT = Path(__file__).parents[2]

CONTENT_POLICY = "; ".join((
    "default-src 'self'", "img-src 'self' data:", "object-src 'none'", "base-uri 'none'",
    "form-action 'self'", "frame-ancestors 'none'",
))  # fmt: skip
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # addresses hold tokens; forms over HTTPS need the origin
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
    "Cache-Control": "private, no-cache",  # whoever else keeps it may show it to others
}


class Number(IntegerConverter):
    """The number of a game or entry in an address: no more than any database counts to."""

    regex = r"[1-9][0-9]{0,8}"


def build(service: Service) -> Flask:
    """The app that serves this service's pages."""
    app = Flask(
        "carreira",
        root_path=str(ROOT),
        template_folder="templates",
        static_folder="pbem/static",
        static_url_path="/static",
    )
    app.url_map.converters["int"] = Number
    speak(app)  # first: whoever gives templates something makes what holds it
    configure(app, service)
    context.bind(app, service)
    app.before_request(overview.guard)  # in front of what looks at the tokens of forms
    limits.bind(app, service.settings)
    request_size.bind(app)
    enqueue.bind(app, service.settings.broker_url)
    CSRFProtect(app)
    for each in BLUEPRINTS:
        app.register_blueprint(each)
    errors.register(app)
    filters.register(app)
    games.register(app)
    conditional.register(app)
    app.after_request(secure)
    request_log.register(app)
    return app


def warm_up(app: Flask) -> None:
    """Read texts and templates of all pages, else the first reader of each waits for it."""
    for language in words.LANGUAGES:
        translations(language)
        for key in registry.GAMES:
            words.game_words(key, language)
    for name in app.jinja_env.list_templates(extensions=["html", "svg", "xml"]):
        if not name.startswith("letters/") and not name.endswith("/letter.html"):
            app.jinja_env.get_template(name)


def configure(app: Flask, service: Service) -> None:
    """Flask's own settings; the service's come from pbem.config alone."""
    secure = service.settings.is_secure
    keys = service.settings.keys
    oldest_first = list(reversed(keys.old))
    app.config.update(
        SECRET_KEY=keys.new,
        SECRET_KEY_FALLBACKS=oldest_first,
        WTF_CSRF_SECRET_KEY=[*oldest_first, keys.new],  # the last one signs
        SESSION_COOKIE_NAME="carreira_form",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=secure,
        WTF_CSRF_TIME_LIMIT=None,  # a page may lie open for days in a game by mail
    )
    if secure:
        app.after_request(only_by_https)
    if service.settings.proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=service.settings.proxies, x_proto=0, x_host=0)


def speak(app: Flask) -> None:
    """Templates know the reader, speak their language, and raise on a name that nobody gave."""
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


def secure(response: Response) -> Response:
    """Security headers, unless the route has stricter ones of its own."""
    own = {name.lower() for name, _value in response.headers}  # looked through once
    for name, value in HEADERS.items():
        if name.lower() not in own:
            response.headers.add(name, value)
    return response


def only_by_https(response: Response) -> Response:
    """Tell browsers to come back by HTTPS only."""
    response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response
