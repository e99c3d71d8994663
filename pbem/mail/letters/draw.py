"""Renders a drawing to PNG. Each part is rasterized once and cached, and Pillow composes them.

Rasterizing a table's whole SVG takes some tenths of a second of processor time. Nearly all of its
parts (tiles, ships, discs) have occurred in earlier pictures.
"""

from __future__ import annotations

import hashlib
import io
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import ceil, floor
from typing import NamedTuple
from xml.etree import ElementTree  # nosec B405  (reads our own templates alone)

import font_source_sans_pro
import font_source_serif_pro
import resvg_py
from cachetools import LRUCache, cached
from PIL import Image

KEPT = 32 * 2**20  # bytes of parts in a process' cache
COARSE = 8  # a part is first drawn so many times smaller, to find its extent
ROOT = "chart"  # the class of the whole drawing, which rules ask for
SERIFS = ("", "Semibold", "Bold", "It", "SemiboldIt")
REFERENCE, WORD = re.compile(r"#([\w-]+)"), re.compile(r"[\w-]+")
RULE, CLASS = re.compile(r"([^{}]+)\{[^{}]*\}"), re.compile(r"\.([\w-]+)")
PLACE = re.compile(r"translate\((-?[\d.]+)[ ,]+(-?[\d.]+)\)\s*")


class ChartPart(NamedTuple):
    """A child of the drawing, without its position. `at` is None if it has none."""

    svg: str
    at: tuple[float, float] | None


class Layer(NamedTuple):
    """A part's pixels, and their offset right and down from its position."""

    image: Image.Image
    left: int
    top: int


@dataclass(frozen=True)
class Drawing:
    """A table's drawing, in its own units.

    It is `width` by `height` in the letter, and has twice as many pixels each way.
    """

    style: str
    defs: str
    parts: tuple[ChartPart, ...]
    ink: str  # the default colour
    wide: int
    tall: int
    width: int

    @property
    def height(self) -> int:
        """The height in the letter's pixels."""
        return round(self.tall * self.width / self.wide)

    @property
    def scale(self) -> float:
        """Pixels per unit."""
        return 2 * self.width / self.wide

    @cached_property
    def digest(self) -> str:
        """Hash of the drawing.

        It is equal for drawings that look alike, as long as templates and fonts stay the same.
        """
        looks = (self.style, self.defs, self.parts, self.ink, self.wide, self.tall, self.width,
                 fonts())  # fmt: skip
        return hashlib.sha256(repr(looks).encode()).hexdigest()[:32]


class TooSlow(Exception):
    """Raised when the picture is not ready in time."""


def parts_of(chart: str) -> tuple[str, tuple[ChartPart, ...]]:
    """Split a chart into its definitions and its parts, in order. Titles are dropped."""
    root = ElementTree.fromstring(f"<g>{chart}</g>")  # noqa: S314  (a template's)  # nosec B314
    for parent in list(root.iter()):
        for child in [each for each in parent if each.tag in ("title", "desc")]:
            parent.remove(child)
    defs = "".join(text_of(each) for each in root.iter("defs"))
    return defs, tuple(part_of(each) for each in root if each.tag != "defs")


def part_of(element: ElementTree.Element) -> ChartPart:
    """Take a child of the chart out of its position."""
    found = PLACE.match(element.get("transform", ""))
    if found is None:
        return ChartPart(text_of(element), None)
    element.set("transform", element.get("transform", "")[found.end():])
    return ChartPart(text_of(element), (float(found[1]), float(found[2])))


def text_of(element: ElementTree.Element) -> str:
    """Serialise an element."""
    element.tail = None
    return ElementTree.tostring(element, encoding="unicode")


def png(made: Drawing, patience: float) -> bytes:
    """Render the picture, opaque, in at most 256 colours.

    Raises TooSlow after `patience` seconds.
    """
    ends = time.monotonic() + patience
    canvas = Image.new("RGB", (2 * made.width, round(made.tall * made.scale)), "#ffffff")
    for part in made.parts:
        if time.monotonic() > ends:
            raise TooSlow
        layer = layer_of(
            made.style, made.defs, f'<g color="{made.ink}">{part.svg}</g>', made.scale,
            (made.wide, made.tall),
            is_placed=part.at is not None,
        )  # fmt: skip
        if layer is not None:
            x, y = part.at or (0, 0)
            at = round(x * made.scale) + layer.left, round(y * made.scale) + layer.top
            canvas.paste(layer.image, at, layer.image if layer.image.mode == "RGBA" else None)
    return packed(canvas)


def packed(canvas: Image.Image) -> bytes:
    """Encode a PNG of at most 256 colours.

    The palette is computed from every other pixel of every other row.
    """
    few = canvas.resize((canvas.width // 2, canvas.height // 2), Image.Resampling.NEAREST)
    palette = few.quantize(256, method=Image.Quantize.FASTOCTREE)
    written = io.BytesIO()
    canvas.quantize(palette=palette, dither=Image.Dither.NONE).save(
        written, "PNG", compress_level=4)  # 6 takes 6 ms more for 7 % fewer bytes
    return written.getvalue()


def size_of(layer: Layer | None) -> int:
    """Return the bytes that a cached part takes."""
    if layer is None:
        return 1
    return len(layer.image.getbands()) * layer.image.width * layer.image.height


@cached(LRUCache(KEPT, getsizeof=size_of), lock=threading.Lock())
def layer_of(
    style: str, defs: str, svg: str, scale: float, whole: tuple[int, int], *, is_placed: bool
) -> Layer | None:
    """Rasterize one part. Returns None if nothing of it is visible."""
    head = head_of(style, defs, svg)
    there = whole if is_placed else (0, 0)  # how far it may extend left and up of its position
    corner, size = (-there[0], -there[1]), (whole[0] + there[0], whole[1] + there[1])
    coarse = raster(head, svg, scale / COARSE, corner, size)
    box = coarse.getbbox()
    if box is None:
        return None
    unit = size[0] / coarse.width
    left, top = (floor((at + (near - 1) * unit) * scale)
                 for at, near in zip(corner, box[:2], strict=True))
    right, low = (ceil((at + (far + 1) * unit) * scale)
                  for at, far in zip(corner, box[2:], strict=True))
    if not is_placed:
        left, top = max(0, left), max(0, top)
        right, low = min(right, ceil(whole[0] * scale)), min(low, ceil(whole[1] * scale))
    found = raster(head, svg, scale, (left / scale, top / scale),
                   ((right - left) / scale, (low - top) / scale))
    opaque = found.getchannel("A").getextrema() == (255, 255)
    return Layer(found.convert("RGB") if opaque else found, left, top)


def head_of(style: str, defs: str, svg: str) -> str:
    """Return the definitions and rules that a part uses. To read all takes twice its drawing."""
    chosen, text = -1, svg
    while chosen != len(text):
        chosen = len(text)
        used = set(REFERENCE.findall(text))
        text = svg + "".join(said for names, said in definitions(defs) if names & used)
    words = {*WORD.findall(text), ROOT}
    rules = (said for names, said in rules_of(style) if any(each <= words for each in names))
    return f"<style>{''.join(rules)}</style><defs>{text[len(svg):]}</defs>"


@lru_cache(64)
def definitions(defs: str) -> tuple[tuple[set[str], str], ...]:
    """Split definitions: the names within each, and its text."""
    root = ElementTree.fromstring(f"<g>{defs}</g>")  # noqa: S314  (a template's)  # nosec B314
    return tuple(
        ({name for inner in child.iter() if (name := inner.get("id"))}, text_of(child))
        for group in root for child in group
    )


@lru_cache(8)
def rules_of(style: str) -> tuple[tuple[list[set[str]], str], ...]:
    """Split a style sheet: the classes that each of a rule's selectors asks for, and its text."""
    return tuple(
        ([set(CLASS.findall(one)) for one in rule[1].split(",")], rule[0])
        for rule in RULE.finditer(style)
    )


def raster(
    head: str, svg: str, scale: float, corner: Sequence[float], size: Sequence[float]
) -> Image.Image:
    """Rasterize what a window of the drawing shows of a part."""
    wide, tall = (max(1, round(each * scale)) for each in size)
    window = " ".join(str(each) for each in (*corner, wide / scale, tall / scale))
    made = resvg_py.svg_to_bytes(
        svg_string=f'<svg xmlns="http://www.w3.org/2000/svg" class="{ROOT}" viewBox="{window}"'
                   f' width="{wide}" height="{tall}">{head}{svg}</svg>',
        skip_system_fonts=True,
        font_files=list(fonts()),
        font_family="Source Sans Pro",
        sans_serif_family="Source Sans Pro",
        serif_family="Source Serif Pro",
    )  # fmt: skip
    return Image.open(io.BytesIO(bytes(made))).convert("RGBA")


@cache
def fonts() -> tuple[str, ...]:
    """Return the font files. All but the italics have Latin and Cyrillic."""
    sans, serif = font_source_sans_pro.font_files_ttf, font_source_serif_pro.font_files_ttf
    return (
        *(sans[f"SourceSansPro{weight}"] for weight in ("", "Semibold", "Bold")),
        *(serif[f"SourceSerifPro{weight}"] for weight in SERIFS),
    )
