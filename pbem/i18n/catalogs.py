"""Translates the service's texts with the compiled catalogs of pbem/translations.

English texts are the msgids. `make messages` extracts them from the files in babel.cfg.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from babel.support import NullTranslations, Translations

CATALOGS = Path(__file__).parents[1] / "translations"


class NotCompiled(RuntimeError):
    """Raised if a language has a .po file but no .mo file."""


def msgid(text: str) -> str:
    """Mark a text for extraction. `gettext` translates it later."""
    return text


@cache
def translations(language: str) -> NullTranslations:
    """Return the catalog of a language. Raises NotCompiled."""
    found = Translations.load(CATALOGS, [language])
    is_compiled = isinstance(found, Translations)
    if not is_compiled and (CATALOGS / language / "LC_MESSAGES" / "messages.po").exists():
        raise NotCompiled(f"The texts for {language!r} are not compiled: run `make install`.")
    return found


def gettext(message: str, language: str, **values: Any) -> str:
    """Translate a text: gettext("No seat is free in %(game)s.", language, game=...)."""
    # "" is the catalog's header
    text: str = translations(language).gettext(message) if message else ""
    return text % values if values else text


def ngettext(one: str, many: str, number: int, language: str, **values: Any) -> str:
    """Translate a text that depends on a number, which it contains as %(num)s."""
    text: str = translations(language).ngettext(one, many, number)
    return text % {"num": number, **values}
