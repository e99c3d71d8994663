"""Draws the table as a picture for a letter: the page's own drawing, with bundled fonts.

It is drawn once for all readers who see the same, and given up after `PATIENCE`. The letter then
leaves without a picture. SVG renderers know no custom properties, so the pages' style sheets are
resolved.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.api import GameRules, Seat
from pbem.i18n import words
from pbem.i18n.render import environment
from pbem.mail.letter import Image, LetterContext
from pbem.mail.letters import draw
from pbem.mail.letters.draw import Drawing, parts_of

log = logging.getLogger("carreira.pictures")

PATIENCE = 5.0  # seconds; the first picture of a process takes one, all others tenths
WIDEST, TALLEST = 552, 880  # the space for a picture in the letter's pixels; drawn at double size
KEPT = 500  # pictures in the folder, some 40 MB
CHART = re.compile(
    r"<figure\b[^>]*>\s*(<svg\b[^>]*>)(.*?)</svg>\s*(?:<figcaption|</figure>)", re.DOTALL
)
SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')
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


@dataclass(frozen=True)
class TableReader:
    """The viewer of the drawing."""

    names: Sequence[str]
    letters: Sequence[str]
    seat: Seat | None


def illustrated(
    it: LetterContext,
    rules: GameRules,
    shown: Mapping[str, Any],
    values: Mapping[str, Any],
    state: str,
) -> dict[str, Any]:
    """Return the template values of the reader's picture, if one is on and ready in time.

    `state` says in a sentence what it shows.
    """
    if not it.settings.pictures:
        return {}
    eyes = TableReader(values["names"], values["letters"], values["mine"])
    language = it.reader.language
    template = environment(language).get_template("letters/picture.svg")
    made = drawing(template, rules, shown, eyes, language)
    png = png_of(made, it.settings.var / "pictures")
    if png is None:
        return {}
    game = values["game"]
    cid = f"table.{game.id}.{game.last_entry}@{it.settings.mail_domain}"
    return {"images": (Image(cid, png, f"{values['game_name']}. {state}"), ), "picture": made}


def drawing(
    template: Any, rules: GameRules, shown: Mapping[str, Any], reader: TableReader, language: str
) -> Drawing:
    """Draw the table as on this reader's page.

    `shown` holds the view and the game's extra values.
    """
    said = words.game_words(rules.key, language)
    page = template.render(
        shown, key=rules.key, reader=reader, t=said.term,
        say=words.Say(said, reader.names).value, first_upper=words.first_upper,
        seat_colours=rules.seat_colours, spot_at=lambda *_picks, **_more: "",  # it has no links
    )  # fmt: skip
    chart = CHART.search(page)
    size = SIZE.search(chart[1]) if chart else None
    if chart is None or size is None:
        raise LookupError(f"no chart in the drawing of {rules.key}")
    wide, tall = int(size[1]), int(size[2])
    known = colours(rules.key)
    defs, parts = parts_of(resolved(chart[2], known))
    common = resolved(page[: chart.start()], known)
    defs = f"<defs>{common}</defs>{defs}"
    width = round(wide * min(WIDEST / wide, TALLEST / tall))
    ink = resolved("var(--ink)", known)
    return Drawing(drawing_style(rules.key), defs, parts, ink, wide, tall, width)


def png_of(made: Drawing, folder: Path) -> bytes | None:
    """Return the picture, from the folder if it is there.

    Returns None if it is not ready in time.
    """
    path = folder / f"{made.digest}.png"
    try:
        png = path.read_bytes()
        os.utime(path)  # the least recently used are removed first
        return png
    except FileNotFoundError:
        pass
    try:
        drawn = draw.png(made, PATIENCE)
    except (draw.TooSlow, ValueError) as problem:  # ValueError: the renderer cannot read it
        log.warning("a letter leaves without its picture: %s", type(problem).__name__)
        return None
    keep(path, drawn)
    return drawn


def keep(path: Path, png: bytes) -> None:
    """Store a picture in the folder, atomically, and remove the oldest ones."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            draft.write(png)
        Path(draft.name).replace(path)
        tidy(path.parent)
    except OSError as problem:  # a full disk costs the next letter some time, not this one
        log.warning("a picture could not be kept: %s", problem)


def tidy(folder: Path) -> None:
    """Limit the folder's size. Another process may remove files at the same time."""
    ages = []
    for path in folder.iterdir():
        try:
            ages.append((path.stat().st_mtime, path))
        except FileNotFoundError:
            continue
    for _, path in sorted(ages)[: max(0, len(ages) - KEPT)]:
        path.unlink(missing_ok=True)


# ---- styles -------------------------------------------------------------------------------------


def css_rules(css: str) -> Iterator[tuple[str, str]]:
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
    for selector, said in css_rules(sheet(game_key)):
        if selector == ":root":
            known |= dict(PROPERTY.findall(said))
    return known


@cache
def drawing_style(game_key: str) -> str:
    """Return the rules for a drawing of this game's table, without custom properties."""
    known, seats = colours(game_key), seats_of(game_key)
    made = []
    for selector, said in css_rules(sheet(game_key)):
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
    for selector, said in css_rules(sheet(game_key)):
        seat = SEAT.fullmatch(selector)
        if seat:
            found[int(seat[1])] = dict(PROPERTY.findall(said))
    return found
