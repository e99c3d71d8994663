"""Draws the table as a picture for a letter: the page's own drawing, with bundled fonts.

It is drawn once for all readers who see the same, and given up after `PATIENCE`. The letter then
leaves without a picture.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.api import GameRules, Seat
from pbem.i18n import words
from pbem.mail.letters import draw, styles
from pbem.mail.letters.draw import Drawing, parts_of

log = logging.getLogger("carreira.pictures")

PATIENCE = 5.0  # seconds; the first picture of a process takes one, all others tenths
WIDEST, TALLEST = 552, 880  # the space for a picture in the letter's pixels; drawn at double size
KEPT = 500  # pictures in the folder, some 40 MB
CHART = re.compile(
    r"<figure\b[^>]*>\s*(<svg\b[^>]*>)(.*?)</svg>\s*(?:<figcaption|</figure>)", re.DOTALL
)
SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


@dataclass(frozen=True)
class TableReader:
    """The viewer of the drawing."""

    names: Sequence[str]
    letters: Sequence[str]
    seat: Seat | None


def nothing(*_picks: object, **_more: object) -> str:
    """Return nothing: a letter's picture has no links."""
    return ""


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
        seat_colours=rules.seat_colours, spot_at=nothing,
    )  # fmt: skip
    chart = CHART.search(page)
    size = SIZE.search(chart[1]) if chart else None
    if chart is None or size is None:
        raise LookupError(f"no chart in the drawing of {rules.key}")
    wide, tall = int(size[1]), int(size[2])
    known = styles.colours(rules.key)
    defs, parts = parts_of(styles.resolved(chart[2], known))
    common = styles.resolved(page[: chart.start()], known)
    head = f"<style>{styles.drawing_style(rules.key)}</style><defs>{common}</defs>{defs}"
    width = round(wide * min(WIDEST / wide, TALLEST / tall))
    ink = styles.resolved("var(--ink)", known)
    return Drawing(head, parts, ink, wide, tall, width)


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
