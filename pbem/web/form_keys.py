"""The forms' cookie and tokens: signed by the service's key of now, good by any older one."""

from __future__ import annotations

from flask import Flask, Request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface

from pbem.accounts.keys import Keys
from pbem.service import Service


class Sessions(SecureCookieSessionInterface):
    """Flask's sessions, which look before each request whether the keys have changed."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.known: Keys | None = None

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        keys = self.service.settings.keys
        if keys is not self.known:
            give(app, keys)
            self.known = keys
        return super().open_session(app, request)


def give(app: Flask, keys: Keys) -> None:
    """Have Flask and its forms sign and check by these; they want the signing key last."""
    oldest_first = list(reversed(keys.old))
    app.config.update(
        SECRET_KEY=keys.new,
        SECRET_KEY_FALLBACKS=oldest_first,
        WTF_CSRF_SECRET_KEY=[*oldest_first, keys.new],
    )
