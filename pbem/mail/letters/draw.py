"""A program of its own: an SVG on standard input becomes a PNG on standard output.

It runs apart from the worker, as a drawing that takes too long can only be stopped by ending its
process. Arguments: the width in pixels, then the files of the fonts.
"""

import io
import sys

import resvg_py
from PIL import Image


def draw(svg: str, width: int, fonts: list[str]) -> bytes:
    """The picture, opaque, in at most 256 colours."""
    made = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        background="#ffffff",
        skip_system_fonts=True,
        font_files=fonts,
        font_family="Source Sans Pro",
        sans_serif_family="Source Sans Pro",
        serif_family="Source Serif Pro",
    )
    picture = Image.open(io.BytesIO(bytes(made))).convert("RGB")
    small = io.BytesIO()
    picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        small, "PNG", compress_level=9
    )
    return small.getvalue()


if __name__ == "__main__":
    sys.stdout.buffer.write(draw(sys.stdin.buffer.read().decode(), int(sys.argv[1]), sys.argv[2:]))
