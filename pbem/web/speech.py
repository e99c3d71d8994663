"""Templates of pages say `_("...")` in the reader's language: each is compiled once a language."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from flask import Flask, templating
from jinja2 import Template

from pbem.compiled import Spoken
from pbem.i18n import words
from pbem.web import context


class Environment(Spoken, templating.Environment):
    """Flask's own, with one of each language beneath it."""

    def __init__(self, app: Flask, **options: Any) -> None:
        super().__init__(app, **options)
        self.spoken: dict[str, Environment] = {}

    def get_template(self, name: Any, parent: str | None = None,
                     globals: MutableMapping[str, Any] | None = None) -> Template:  # noqa: A002  # as Jinja's
        """The template as the reader of this request reads it."""
        if self.language:
            return super().get_template(name, parent, globals)
        return self.speaking(context.language()).get_template(name, parent, globals)

    def speaking(self, language: str) -> Environment:
        """The one whose templates speak a language."""
        spoken = self.spoken.get(language)
        if spoken is None:
            made = self.overlay()
            made.language = language
            # Of two threads that come here at once the second takes what the first has made.
            spoken = self.spoken.setdefault(language, made)
        return spoken

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What all templates know, which stands when the first is read, in one dictionary."""
        return {**self.globals, **(d or {})}


def bind(app: Flask) -> None:
    """Templates say `_("...")` and `ngettext(...)` in the reader's language."""
    app.jinja_environment = Environment  # type: ignore[assignment]
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: words.translations(context.language()).gettext(text),
        lambda one, many, n: words.translations(context.language()).ngettext(one, many, n),
        newstyle=True,
    )
