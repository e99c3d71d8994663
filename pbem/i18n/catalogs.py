"""The service's texts in its languages, from the .po files, without a compile step.

English is the text itself. `make messages` gathers the texts; babel.cfg says from where.
"""

from __future__ import annotations

import gettext as stdlib_gettext
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.pofile import read_po

CATALOGS = Path(__file__).parents[1] / "translations"


class Catalog(stdlib_gettext.NullTranslations):
    """The texts of one .po file; a text without a translation stays English."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        with path.open("rb") as file:
            catalog = read_po(file)
        self.choose = stdlib_gettext.c2py(catalog.plural_expr)
        self.texts: dict[str, str | tuple[str, ...]] = {}
        for message in catalog:
            if message.id and not message.fuzzy:
                one = message.id if isinstance(message.id, str) else message.id[0]
                said = message.string or ""
                self.texts[one] = said if isinstance(said, str) else tuple(said)

    def gettext(self, message: str) -> str:
        """The text in this language."""
        text = self.texts.get(message)
        return (text if isinstance(text, str) else "") or message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The form of the text that goes with n."""
        forms = self.texts.get(msgid1)
        if isinstance(forms, tuple) and all(forms):
            return forms[self.choose(n)]
        return super().ngettext(msgid1, msgid2, n)


def msgid(text: str) -> str:
    """Marks a text for the catalogs where it stands; `gettext` says it later."""
    return text


@cache
def translations(language: str) -> stdlib_gettext.NullTranslations:
    """The service's texts in a language, as gettext wants them."""
    path = CATALOGS / language / "LC_MESSAGES" / "messages.po"
    return Catalog(path) if path.exists() else stdlib_gettext.NullTranslations()


def gettext(message: str, language: str, **values: Any) -> str:
    """A text of the service: gettext("No seat is free in %(game)s.", language, game=...)."""
    text = translations(language).gettext(message)
    return text % values if values else text


def ngettext(one: str, many: str, number: int, language: str, **values: Any) -> str:
    """A text of the service that goes with a number, which is there as %(num)s."""
    text = translations(language).ngettext(one, many, number)
    return text % {"num": number, **values}
