"""The table as a picture in a letter: the page's own drawing, in fonts that look alike everywhere.

Drawing takes some tenths of a second of a processor, so it is done apart (draw.py), once
for equal drawings, and given up after `PATIENCE`: the letter then leaves without a picture.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import font_source_sans_pro
import font_source_serif_pro

from engine.api import Game, Seat
from pbem.i18n import words
from pbem.mail.letters import styles

log = logging.getLogger("carreira.pictures")

PATIENCE = 2.0  # seconds
WIDEST, TALLEST = 552, 880  # what a picture fits into, in the pixels of a letter; drawn double
KEPT = 500  # pictures in the folder, some 40 MB
SERIFS = ("", "Semibold", "Bold", "It", "SemiboldIt")
PROGRAM = Path(__file__).with_name("draw.py")
CHART = re.compile(
    r"<figure\b[^>]*>\s*(<svg\b[^>]*>)(.*?)</svg>\s*(?:<figcaption|</figure>)", re.DOTALL
)
SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


@dataclass(frozen=True)
class Drawing:
    """A picture that is still an SVG; its size is that in the letter."""

    svg: str
    width: int
    height: int

    @property
    def digest(self) -> str:
        """Alike for drawings that look alike; other templates or fonts would change it."""
        return hashlib.sha256(f"{self.width}|{fonts()}|{self.svg}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class TableReader:
    """Whose eyes the drawing is for."""

    names: Sequence[str]
    letters: Sequence[str]
    seat: Seat | None


def nothing(*_picks: object, **_more: object) -> str:
    """A letter's picture has no places to point at."""
    return ""


def drawing(
    template: Any, rules: Game, shown: Mapping[str, Any], reader: TableReader, language: str
) -> Drawing:
    """The table as this reader's page draws it; `shown` holds the view and what the game adds."""
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
    scale = min(WIDEST / wide, TALLEST / tall)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" class="chart">'
        f"<style>{styles.drawing_style(rules.key)}</style><defs>{page[: chart.start()]}</defs>"
        f'<g color="var(--ink)">{chart[2]}</g></svg>'
    )
    plain = styles.resolved(svg, styles.colours(rules.key))
    return Drawing(plain, round(wide * scale), round(tall * scale))


def png_of(made: Drawing, folder: Path) -> bytes | None:
    """The picture, from the folder if it lies there; None if none is ready in time."""
    path = folder / f"{made.digest}.png"
    try:
        png = path.read_bytes()
        os.utime(path)  # the longest unused go first
        return png
    except FileNotFoundError:
        pass
    drawn = draw(made)
    if drawn is not None:
        keep(path, drawn)
    return drawn


def draw(made: Drawing) -> bytes | None:
    """The picture, drawn by a process that can be stopped."""
    command = [sys.executable, "-I", str(PROGRAM), str(2 * made.width), *fonts()]
    try:
        done = subprocess.run(  # noqa: S603  (a program of ours)  # nosec B603
            command, input=made.svg.encode(), capture_output=True, timeout=PATIENCE, check=True
        )
    except (subprocess.SubprocessError, OSError) as problem:
        log.warning("a letter leaves without its picture: %s", type(problem).__name__)
        return None
    return done.stdout


def keep(path: Path, png: bytes) -> None:
    """Put a picture into the folder, whole or not at all, and the oldest ones out."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            draft.write(png)
        Path(draft.name).replace(path)
        tidy(path.parent)
    except OSError as problem:  # a full disk costs the next letter some time, not this one
        log.warning("a picture could not be kept: %s", problem)


def tidy(folder: Path) -> None:
    """Keep the folder at its size; whoever else tidies it takes files away under our eyes."""
    ages = []
    for path in folder.iterdir():
        try:
            ages.append((path.stat().st_mtime, path))
        except FileNotFoundError:
            continue
    for _, path in sorted(ages)[: max(0, len(ages) - KEPT)]:
        path.unlink(missing_ok=True)


@cache
def fonts() -> tuple[str, ...]:
    """The files of the fonts; all of them hold Latin and Cyrillic, but the italics."""
    sans, serif = font_source_sans_pro.font_files_ttf, font_source_serif_pro.font_files_ttf
    return (
        *(sans[f"SourceSansPro{weight}"] for weight in ("", "Semibold", "Bold")),
        *(serif[f"SourceSerifPro{weight}"] for weight in SERIFS),
    )
