"""Renders the templates of letters and exports as text and HTML, in the reader's language."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context, select_autoescape
from jinja2.runtime import Context

from pbem.i18n import words
from pbem.i18n.instants import say_instant, say_utc

Told = TypeVar("Told")

TEMPLATES = Path(__file__).parents[2] / "templates"
COLUMNS = 72
SOFT_HYPHEN = "\u00ad"
WIDEST_CELL = 20
# Marks the end of an answer if a mail program quotes our letter without a mark. The same in all
# languages.
MARKER = "##- type your move above this line -##"
SEAT_COLOURS = {  # background and letter, as in tokens.css
    "yellow": ("#f2c63f", "#2b2105"),
    "red": ("#b4281f", "#ffffff"),
    "black": ("#23262a", "#ffffff"),
    "blue": ("#2669b3", "#ffffff"),
    "green": ("#2c7340", "#ffffff"),
}
# An entry's number precedes its lines. Wrapped lines are indented by its width.
HANGING = re.compile(r" *(?:\d+ {2}|[-*] )?")


@cache
def environment(language: str) -> Environment:
    """Return the template environment of one language. It escapes .html and .svg files."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(enabled_extensions=("html", "svg"), default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        cache_size=-1,  # unlimited; a large cache is not slower
        auto_reload=False,  # otherwise each letter checks the files of fifteen templates
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
    )
    env.install_gettext_translations(  # type: ignore[attr-defined]
        words.translations(language), newstyle=True
    )
    env.globals.update(say_utc=say_utc, MARKER=MARKER)
    env.filters.update(
        instant=pass_context(instant), block=block, columns=columns, by_entry=by_entry,
        first_upper=words.first_upper,
    )
    return env


def instant(context: Context, at: Any) -> str:
    """Format an instant in the reader's time zone."""
    reader = context["reader"]
    return say_instant(at, reader.zone, reader.language)


def seats_drawn(colours: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return each seat's colour term, and the background and letter colours of its disc."""
    return [(f"seat_{colour}", *SEAT_COLOURS[colour]) for colour in colours]


def in_text(kind: str, part: str, language: str, values: Mapping[str, Any]) -> str:
    """Render a letter's subject or body as plain text."""
    return printed(environment(language).get_template(f"letters/{kind}/{part}.txt").render(values))


def printed(text: str) -> str:
    """Drop soft hyphens: only HTML knows where to show one."""
    return text.replace(SOFT_HYPHEN, "")


def in_html(kind: str, language: str, values: Mapping[str, Any]) -> str:
    """Render the HTML body with inline styles."""
    page = environment(language).get_template(f"letters/{kind}/body.html").render(values)
    return inliner().inline(page)


@cache
def inliner() -> CSSInliner:
    """Return the inliner that applies letter.css.

    The style sheet in a letter's head stays for programs that read it.
    """
    sheet = (TEMPLATES / "letters" / "letter.css").read_text("utf-8")
    return CSSInliner(extra_css=sheet, inline_style_tags=False, keep_style_tags=True,
                      load_remote_stylesheets=False)


def folded(text: str) -> str:
    """Wrap the text at 72 columns and collapse empty lines."""
    lines: list[str] = []
    before = ""
    for line in map(str.rstrip, text.splitlines()):
        if len(line) > COLUMNS:
            lines += fold(line)
        elif line or before:
            lines.append(line)
        before = line
    return "\n".join(lines).strip("\n") + "\n"


@lru_cache(1024)  # most long lines also occur in other letters
def fold(line: str) -> Sequence[str]:
    """Wrap a long line. URLs stay whole, because a broken one leads nowhere."""
    if " " not in line.strip():
        return [line]
    found = HANGING.match(line)
    hanging = " " * (found.end() if found else 0)
    return textwrap.wrap(
        line,
        COLUMNS,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )


def by_entry(lines: Iterable[Told]) -> list[tuple[int, list[Told]]]:
    """Group consecutive lines by their entry."""
    return [(number, list(several)) for number, several in groupby(lines, attrgetter("number"))]


def cell(text: Any) -> str:
    """Shorten a text to a column's width. Cut text ends with dots."""
    said = printed(str(text))
    return said if len(said) <= WIDEST_CELL else said[: WIDEST_CELL - 2] + ".."


def block(rows: Sequence[Sequence[Any]], width: int = 13) -> str:
    """Format rows as a text grid. Cells wrap, and the row's name comes first."""
    lines = []
    for name, *cells in rows:
        wrapped = [textwrap.wrap(hyphened(printed(str(each)), width), width) for each in cells]
        for first, parts in enumerate(zip_longest(*wrapped, fillvalue="")):
            line = " ".join(part.ljust(width) for part in parts)
            lines.append(f"{'' if first else name:<2} {line}".rstrip())
        lines.append("")
    return "\n".join(lines[:-1])


def hyphened(text: str, width: int) -> str:
    """Hyphenate words that are too long for a line."""
    long = re.compile(rf"\w{{{width + 1},}}")
    return long.sub(lambda word: f"{word[0][: width - 1]}-{word[0][width - 1 :]}", text)


def columns(rows: list[list[Any]], gap: str = "  ", right: tuple[int, ...] = ()) -> str:
    """Format rows as a text table.

    The columns in `right` hold numbers; the others have at most 20 characters.
    """
    said = [[cell(each) for each in row] for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*said, fillvalue="")]
    lines = []
    for row in said:
        aligned = (
            text.rjust(widths[place]) if place in right else text.ljust(widths[place])
            for place, text in enumerate(row)
        )
        lines.append(gap.join(aligned).rstrip())
    return "\n".join(lines)
