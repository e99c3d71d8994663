"""Reads the form with a person's name, language and time zone."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.i18n.words import LANGUAGES
from pbem.names import BadText, clean_name
from pbem.web import context, filters
from pbem.web.filters import _, ngettext


def read_person(form: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return name, language and zone as typed (the name cleaned), and error texts by field."""
    values = {key: form.get(key, "") for key in ("name", "language", "zone")}
    wrong = {}
    try:
        values["name"] = clean_name(values["name"])
    except BadText as bad:
        wrong["name"] = why_bad(bad)
    if values["language"] not in LANGUAGES:
        values["language"] = context.language()
    if not filters.is_zone(values["zone"]):
        wrong["zone"] = _("Choose a zone from the list.")
    return values, wrong


def why_bad(bad: BadText) -> str:
    """Word what is wrong with a name, title or phrase."""
    if bad.reason == "empty":
        return _("A name needs at least one letter or digit.")
    if bad.reason == "long":
        return ngettext("This is longer than %(num)s character.",
                        "This is longer than %(num)s characters.", bad.limit)
    return _("This holds signs that cannot be seen, or that turn the reading direction.")
