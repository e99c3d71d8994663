"""Makes the pages' fonts: WOFF2 subsets of the fonts in the wheels, and their style sheet.

`make install` runs this. The fonts' licence (SIL OFL 1.1) reserves the name "Source" for the whole
files, so the subsets are called Carreira. The licence lies beside them.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import font_source_sans_pro
import font_source_serif_pro
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from pbem.web.site_files import FOLDER, STYLE

FEATURES = ["kern", "tnum", "lnum", "locl", "ccmp", "mark", "mkmk"]
NAMES = (1, 3, 4, 6, 16, 18, 25)  # entries of the name table that hold the font's name


@dataclass(frozen=True)
class Face:
    """A family at one weight; `weights` is the font-weight range that pages may ask for.

    Until its file is there a page shows `before`, a font of many machines, `narrowed` to the same
    width (in percent), so that nothing moves when the file comes.
    """

    family: str
    name: str
    weights: str
    whole: str  # path of the whole font
    before: str
    narrowed: int


@dataclass(frozen=True)
class Script:
    """A range of characters; a browser loads its file only for pages that use one of them."""

    name: str
    ranges: tuple[tuple[int, int], ...]

    @property
    def characters(self) -> Iterable[int]:
        return (each for first, last in self.ranges for each in range(first, last + 1))

    @property
    def css(self) -> str:
        return ", ".join(f"U+{first:04X}-{last:04X}" for first, last in self.ranges)


FACES = (
    Face("Carreira Sans", "sans", "400", font_source_sans_pro.font_files_ttf["SourceSansPro"],
         "DejaVu Sans", 82),
    Face("Carreira Sans", "sans-strong", "600 700",
         font_source_sans_pro.font_files_ttf["SourceSansProSemibold"], "DejaVu Sans Bold", 75),
    Face("Carreira Serif", "serif", "400",
         font_source_serif_pro.font_files_ttf["SourceSerifPro"], "DejaVu Serif", 87),
    Face("Carreira Serif", "serif-strong", "600 700",
         font_source_serif_pro.font_files_ttf["SourceSerifProSemibold"], "DejaVu Serif Bold", 80),
)
SCRIPTS = (
    Script("latin", ((0x20, 0x7E), (0xA0, 0x17F), (0x218, 0x21B), (0x3BC, 0x3BC), (0x3C3, 0x3C3),
        (0x2010, 0x203A), (0x20AC, 0x20AC), (0x2116, 0x2116), (0x2190, 0x2199), (0x2212, 0x2212),
        (0x25A0, 0x25FF), (0x2713, 0x2713))),
    Script("cyrillic", ((0x400, 0x45F), (0x490, 0x491))),
)  # fmt: skip


def make(folder: Path = FOLDER) -> None:
    """Write the subsets, the licences and the style sheet.

    The style sheet is replaced last: it exists only once everything it names does.
    """
    folder.mkdir(exist_ok=True)
    rules, names = [], {STYLE}
    for face in FACES:
        for script in SCRIPTS:
            part = cut(face, script)
            name = f"{face.name}-{script.name}-{hashlib.sha256(part).hexdigest()[:12]}.woff2"
            (folder / name).write_bytes(part)
            names.add(name)
            rules.append(rule(face, script, name))
        rules.append(rule_before(face))
    for face in FACES:
        name = f"OFL-{face.name.partition('-')[0]}.txt"
        licence = Path(face.whole).with_name("LICENSE.txt")
        (folder / name).write_text(licence.read_text("utf-8"), "utf-8")
        names.add(name)
    draft = folder / f"{STYLE}.draft"
    draft.write_text("".join(rules), "utf-8")
    draft.replace(folder / STYLE)
    for old in folder.iterdir():
        if old.name not in names:
            old.unlink()


def cut(face: Face, script: Script) -> bytes:
    """Return the subset of a font for a script, under our own name."""
    font = TTFont(face.whole, recalcTimestamp=False)
    options = Options(hinting=False, layout_features=FEATURES, name_IDs=["*"])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=script.characters)
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in NAMES:
            record.string = f"{face.family} {face.name}".replace(" ", "-")
    font.flavor = "woff2"
    written = io.BytesIO()
    font.save(written)
    return written.getvalue()


def rule(face: Face, script: Script, name: str) -> str:
    return (
        f'@font-face {{ font-family: "{face.family}"; font-weight: {face.weights};'
        f' font-display: swap; src: url("{name}") format("woff2");'
        f" unicode-range: {script.css}; }}\n"
    )


def rule_before(face: Face) -> str:
    return (
        f'@font-face {{ font-family: "{face.family} Before"; font-weight: {face.weights};'
        f' src: local("{face.before}"); size-adjust: {face.narrowed}%; }}\n'
    )


if __name__ == "__main__":
    make()
