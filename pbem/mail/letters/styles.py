"""Resolves the pages' style sheets for programs without custom properties, such as SVG renderers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parents[2] / "static"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
PROPERTY = re.compile(r"(--[\w-]+)\s*:\s*([^;]+)")
VARIABLE = re.compile(r"var\((--[\w-]+)(?:,\s*([^()]+))?\)")
SEAT = re.compile(r"\.s-(\d)")
# The properties that a drawing understands. The others are for boxes in a page.
DRAWN = re.compile(
    r"(?:^|;)\s*((?:fill|stroke|font|text-anchor|letter-spacing|opacity|color)[\w-]*\s*:[^;]+)"
)


def rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield selector and declarations of every rule that applies unconditionally."""
    plain = COMMENT.sub("", css)
    depth = start = 0
    for place, sign in enumerate(plain):
        depth += (sign == "{") - (sign == "}")
        if sign == "}" and depth == 0:
            block = plain[start : place + 1].strip()
            start = place + 1
            found = RULE.fullmatch(block)
            if found:  # a block within a block belongs to @media
                yield found[1].strip(), found[2].strip()


def resolved(text: str, known: Mapping[str, str]) -> str:
    """Replace custom properties by their values. Unknown ones stay."""
    before = ""
    while before != text:
        before = text
        text = VARIABLE.sub(lambda found: known.get(found[1]) or found[2] or found[0], text)
    return text


@cache
def sheet(game_key: str) -> str:
    """Return the style sheets of this game's page, light colours first."""
    own = STATIC / "games" / f"{game_key}.css"
    names = [STATIC / name for name in ("tokens.css", "site.css", "table.css")]
    return "\n".join(path.read_text("utf-8") for path in [*names, own] if path.exists())


@cache
def colours(game_key: str) -> Mapping[str, str]:
    """Return the custom properties of the page in its light theme."""
    known: dict[str, str] = {}
    for selector, said in rules(sheet(game_key)):
        if selector == ":root":
            known |= dict(PROPERTY.findall(said))
    return known


@cache
def drawing_style(game_key: str) -> str:
    """Return the rules for a drawing of this game's table, without custom properties."""
    known, seats = colours(game_key), seats_of(game_key)
    made = []
    for selector, said in rules(sheet(game_key)):
        drawn = "; ".join(DRAWN.findall(said))
        if not drawn or selector == ":root" or re.search(r"[:>@*~+\[]", selector):
            continue
        plain = resolved(drawn, known)
        if "var(" not in plain:
            made.append(f"{selector} {{ {plain} }}")
            continue
        # The value depends on the enclosing seat, so each seat gets a rule.
        for seat, own in seats.items():
            within = ", ".join(f".s-{seat} {one.strip()}" for one in selector.split(","))
            made.append(f"{within} {{ {resolved(plain, {**known, **own})} }}")
    return "\n".join(made)


@cache
def seats_of(game_key: str) -> Mapping[int, Mapping[str, str]]:
    """Map each seat to the properties of its marks. The game's own sheet wins."""
    found: dict[int, Mapping[str, str]] = {}
    for selector, said in rules(sheet(game_key)):
        seat = SEAT.fullmatch(selector)
        if seat:
            found[int(seat[1])] = dict(PROPERTY.findall(said))
    return found
