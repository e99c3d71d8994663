"""Styles on the elements themselves, as mail programs want them: written when a template is read.

Letters' templates know a small style sheet (templates/letters/letter.css): selectors are an
element's name, classes, or both. A tag gets its declarations once, not in every letter; a class
that only the letter decides is written by `look`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from pbem.mail.letters.styles import rules

# A tag whose attributes hold no ">" outside of quotation marks.
TAG = re.compile(r"<([a-z][a-z0-9]*)\b((?:[^<>\"]|\"[^\"]*\")*)>")
CLASS = re.compile(r'\bclass="([^"{]*)"')
STYLE = re.compile(r'\sstyle="([^"]*)"')
SELECTOR = re.compile(r"([a-z][a-z0-9]*)?((?:\.[a-z][\w-]*)*)")


class StyledLoader(FileSystemLoader):
    """Reads templates; letters come with their styles on the elements, pages as they are."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._sheet = folder / "letters" / "letter.css"

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        source, name, is_fresh = super().get_source(environment, template)
        if template.endswith(".html") and (
            template.startswith("letters/") or template.endswith("/letter.html")
        ):
            source = TAG.sub(self._styled, source)
        return source, name, is_fresh

    def look(self, tag: str, *classes: str) -> Markup:
        """The attributes of an element whose classes the letter decides; "" is no class."""
        return looks(self._sheet, tag, classes)

    def _styled(self, tag: re.Match[str]) -> str:
        if "look(" in tag[2]:
            return tag[0]
        classes = CLASS.search(tag[2])
        said = declarations(self._sheet, tag[1], tuple(classes[1].split() if classes else ()))
        if not said:
            return tag[0]
        own = STYLE.search(tag[2])
        rest = STYLE.sub("", tag[2])
        style = f"{said};{own[1]}" if own else said
        return f'<{tag[1]}{rest} style="{style}">'


@cache
def looks(sheet: Path, tag: str, classes: tuple[str, ...]) -> Markup:
    """Class and style as attributes."""
    named = " ".join(filter(None, classes))
    said = declarations(sheet, tag, tuple(named.split()))
    ours = Markup(said)  # noqa: S704  (our sheet)  # nosec B704
    return Markup('class="{}" style="{}"').format(named, ours)


@cache
def declarations(sheet: Path, tag: str, classes: tuple[str, ...]) -> str:
    """All that the sheet says of such an element, the more special rules winning."""
    found: dict[str, str] = {}
    for _, _, own_tag, own_classes, said in ranked(sheet):
        if own_tag in ("", tag) and own_classes <= set(classes):
            found |= said
    return ";".join(f"{name}:{value}" for name, value in found.items())


@cache
def ranked(sheet: Path) -> list[tuple[int, int, str, frozenset[str], dict[str, str]]]:
    """The sheet's rules, one a selector, the most special ones last."""
    made = []
    for selectors, said in rules(sheet.read_text("utf-8")):
        values = {
            name.strip(): value.strip()
            for name, _, value in (each.partition(":") for each in said.split(";") if each.strip())
        }
        for selector in selectors.split(","):
            found = SELECTOR.fullmatch(selector.strip())
            if found is None:
                raise ValueError(f"letter.css: {selector.strip()!r} is no selector for letters")
            classes = frozenset(found[2].split(".")[1:])
            made.append((len(classes), int(bool(found[1])), found[1] or "", classes, values))
    return sorted(made, key=lambda one: one[:2])
