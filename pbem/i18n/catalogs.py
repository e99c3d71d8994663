"""The service's texts in its languages, from the compiled catalogs of pbem/translations.

English is the text itself. `make messages` gathers the texts; babel.cfg says from where.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from babel.support import NullTranslations, Translations

CATALOGS = Path(__file__).parents[1] / "translations"


class NotCompiled(RuntimeError):
    """A language has a .po file and no .mo file."""


def msgid(text: str) -> str:
    """Marks a text for the catalogs where it stands; `gettext` says it later."""
    return text


@cache
def translations(language: str) -> NullTranslations:
    """The service's texts in a language; raises NotCompiled."""
    found = Translations.load(CATALOGS, [language])
    is_compiled = isinstance(found, Translations)
    if not is_compiled and (CATALOGS / language / "LC_MESSAGES" / "messages.po").exists():
        raise NotCompiled(f"The texts for {language!r} are not compiled: run `make install`.")
    return found


def gettext(message: str, language: str, **values: Any) -> str:
    """A text of the service: gettext("No seat is free in %(game)s.", language, game=...)."""
    text: str = translations(language).gettext(message) if message else ""  # "": the catalog's head
    return text % values if values else text


def ngettext(one: str, many: str, number: int, language: str, **values: Any) -> str:
    """A text of the service that goes with a number, which is there as %(num)s."""
    text: str = translations(language).ngettext(one, many, number)
    return text % {"num": number, **values}
