"""Exports a finished game as one HTML file that steps through every entry without a server.

Each entry has an anchor at the top of the page. Style rules show what belongs to the entry in the
URL. Markup that several entries share is stored once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from sqlmodel import Session

from engine import codec, journal
from engine.api import GameRules
from pbem.archive.exports.merging import Merged, members
from pbem.i18n import words
from pbem.i18n.instants import say_utc
from pbem.models import Game
from pbem.play import narration, positions, results

ROOT = Path(__file__).parents[3]
STYLES = ROOT / "pbem" / "static"
DRAWN = re.compile(
    r'(<svg\b[^>]*?) role="img" aria-labelledby="[^"]*">\s*<title\b.*?</title>\s*<desc\b.*?</desc>',
    re.DOTALL,
)


class Reader(NamedTuple):
    """The file's viewer: somebody who has no seat at the table."""

    language: str
    names: tuple[str, ...]
    letters: tuple[str, ...]
    seat: None = None


@cache
def environment(language: str) -> Environment:
    """Return the pages' template environment with the texts of one language."""
    env = Environment(loader=FileSystemLoader(ROOT / "templates"), autoescape=True,
                      undefined=StrictUndefined,
                      extensions=["jinja2.ext.i18n", "jinja2.ext.do"])
    env.install_gettext_translations(  # type: ignore[attr-defined]
        words.translations(language), newstyle=True)
    env.filters.update(moment=say_utc, day=lambda at: f"{at:%Y-%m-%d}")
    # A file has nothing to select.
    env.globals.update(spot=nothing, spot_at=nothing, cite=nothing, marked=())
    return env


def nothing(*_: Any, **__: Any) -> str:
    """Return nothing in place of a page's links and selectable places."""
    return ""


def written(session: Session, row: Game, language: str, site: str) -> Iterator[str]:
    """Yield the file in pieces. `site` is the base of its links to the rules."""
    rules = positions.rules_of(session, row)
    names = tuple(words.called(name, language) for name in narration.names(session, row))
    reader = Reader(language, names, words.seat_letters(names))
    env, shared = environment(language), context(rules, reader)
    merged = Merged()
    for step in steps(session, row, reader):
        html = drawn(env, rules, shared, step)
        merged.add(html.replace(' href="/', f' href="{escape(site)}/'))
    body = "".join(merged.markup())
    values = {
        **shared, "game": row, "site": site, "last": row.last_entry,
        "log": log_of(session, row, reader), "standings": results.standings(
            session, positions.table(session, row)),
        # Safe: our templates produced it, and they escape their values.
        "style": Markup(style(rules.key)),  # noqa: S704  # nosec B704
        "rules_of_steps": rules_of(merged),
        "body": Markup(body),  # noqa: S704  # nosec B704
    }  # fmt: skip
    yield from env.get_template("exports/static.html").generate(values)


class Step(NamedTuple):
    """One entry: the position after it, and what to say about it."""

    number: int
    state: Any
    log: narration.LogEntry
    last: int


def steps(session: Session, row: Game, reader: Reader) -> Iterator[Step]:
    """Yield every entry with its position, folded one after another. Undone ones are marked."""
    rules = positions.rules_of(session, row)
    options = codec.decode(row.options.encode(), dict)
    said = {entry.number: entry for entry in log_of(session, row, reader)}
    states = [rules.empty_table(len(reader.names), options)]
    for entry in positions.entries(session, row, 1, row.last_entry):
        states.append(journal.fold(states[entry.base], entry.events))
        yield Step(entry.number, states[-1], said[entry.number], row.last_entry)


def log_of(session: Session, row: Game, reader: Reader) -> list[narration.LogEntry]:
    """Return the whole log as a visitor may read it."""
    return narration.log(session, row, upto=row.last_entry, viewer=None, names=reader.names,
                       language=reader.language, limit=row.last_entry)


def context(rules: GameRules, reader: Reader) -> dict[str, Any]:
    """Return the template values that the game uses at every entry."""
    said = words.game_words(rules.key, reader.language)
    return {
        "reader": reader, "language": reader.language, "parts": f"games/{rules.key}",
        "t": said.term, "say": words.Say(said, reader.names).value, "signed": words.signed,
        "round_name": partial(words.round_name, rules, reader.language),
        "first_upper": words.first_upper, "seat_colours": rules.seat_colours, "key": rules.key,
    }  # fmt: skip


def drawn(env: Environment, rules: GameRules, shared: dict[str, Any], step: Step) -> str:
    """Render one entry's heading, table and seats.

    The lists beside the picture are its text form.
    """
    view = rules.observation(step.state, None)
    by_place = sorted(range(len(view.places)), key=lambda seat: view.places[seat])
    values = {**shared, **rules.page(view, None), "view": view, "step": step,
              "number": step.number, "by_place": by_place}
    html = env.get_template("exports/step.html").render(values)
    return DRAWN.sub(r'\1 aria-hidden="true">', html)


@cache
def style(game_key: str) -> str:
    """Return the pages' styles in one cascade layer."""
    sheets = ("tokens.css", "site.css", "table.css", f"games/{game_key}.css", "export.css")
    paths = [STYLES / sheet for sheet in sheets]
    return "\n".join(path.read_text("utf-8") for path in paths if path.exists())


def rules_of(merged: Merged) -> Markup:
    """Return the rules that show each part at its entries.

    If the URL names no entry, they show the last one.
    """
    last = merged.count - 1
    at_the_end = [f".v{number:x}" for versions, number in merged.sets.items()
                  if versions >> last & 1]
    lines = [
        ".v{display:none}",
        *(f"{part}{{display:revert-layer}}" for part in at_the_end),
        # More specific than the line above, less specific than those below.
        ":target~main .v:not(.x):not(.x){display:none}",
    ]
    for versions, number in merged.sets.items():
        anchors = ",".join(f"#e{version + 1}" for version in members(versions))
        # `:target` comes first, because the browser searches as many anchors as there are entries.
        lines.append(f":target:is({anchors})~main .v{number:x}{{display:revert-layer}}")
    return Markup("\n".join(lines))  # noqa: S704  (numbers of ours)  # nosec B704
