"""A finished game as one HTML file: the table at every entry, stepped through without any server.

Each entry has an anchor in front of the page; style rules show what belongs to the one that the
address names. What several entries share stands in the file once.
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
    """Whose eyes the file is for: anybody's who does not sit at the table."""

    language: str
    names: tuple[str, ...]
    letters: tuple[str, ...]
    seat: None = None


@cache
def environment(language: str) -> Environment:
    """The pages' own templates, with the texts of one language."""
    env = Environment(loader=FileSystemLoader(ROOT / "templates"), autoescape=True,
                      undefined=StrictUndefined,
                      extensions=["jinja2.ext.i18n", "jinja2.ext.do"])
    env.install_gettext_translations(  # type: ignore[attr-defined]
        words.translations(language), newstyle=True)
    env.filters.update(moment=say_utc, day=lambda at: f"{at:%Y-%m-%d}")
    # Nothing can be chosen in a file.
    env.globals.update(spot=nothing, spot_at=nothing, cite=nothing, marked=())
    return env


def nothing(*_: Any, **__: Any) -> str:
    """What stands where a page would have a link or a place to point at."""
    return ""


def written(session: Session, row: Game, language: str, site: str) -> Iterator[str]:
    """The file, piece by piece; `site` is the address that its rules' links lead to."""
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
        # Made by our templates, which have escaped what is in it, and by nobody else.
        "style": Markup(style(rules.key)),  # noqa: S704  # nosec B704
        "rules_of_steps": rules_of(merged),
        "body": Markup(body),  # noqa: S704  # nosec B704
    }  # fmt: skip
    yield from env.get_template("exports/static.html").generate(values)


class Step(NamedTuple):
    """One entry: the position behind it, and what to say of it."""

    number: int
    state: Any
    log: narration.LogEntry
    last: int


def steps(session: Session, row: Game, reader: Reader) -> Iterator[Step]:
    """Every entry with its position, folded one after another; one taken back is marked."""
    rules = positions.rules_of(session, row)
    options = codec.decode(row.options.encode(), dict)
    said = {entry.number: entry for entry in log_of(session, row, reader)}
    states = [rules.empty_table(len(reader.names), options)]
    for entry in positions.entries(session, row, 1, row.last_entry):
        states.append(journal.fold(states[entry.base], entry.events))
        yield Step(entry.number, states[-1], said[entry.number], row.last_entry)


def log_of(session: Session, row: Game, reader: Reader) -> list[narration.LogEntry]:
    """The whole log as a visitor may read it."""
    return narration.log(session, row, upto=row.last_entry, viewer=None, names=reader.names,
                       language=reader.language, limit=row.last_entry)


def context(rules: GameRules, reader: Reader) -> dict[str, Any]:
    """What the game's templates use at every entry."""
    said = words.game_words(rules.key, reader.language)
    return {
        "reader": reader, "language": reader.language, "parts": f"games/{rules.key}",
        "t": said.term, "say": words.Say(said, reader.names).value, "signed": words.signed,
        "round_name": partial(words.round_name, rules, reader.language),
        "first_upper": words.first_upper, "seat_colours": rules.seat_colours, "key": rules.key,
    }  # fmt: skip


def drawn(env: Environment, rules: GameRules, shared: dict[str, Any], step: Step) -> str:
    """One entry's heading, table and seats. The picture's text is in the lists beside it."""
    view = rules.observation(step.state, None)
    by_place = sorted(range(len(view.places)), key=lambda seat: view.places[seat])
    values = {**shared, **rules.page(view, None), "view": view, "step": step,
              "number": step.number, "by_place": by_place}
    html = env.get_template("exports/step.html").render(values)
    return DRAWN.sub(r'\1 aria-hidden="true">', html)


@cache
def style(game_key: str) -> str:
    """The pages' own styles, in one layer."""
    sheets = ("tokens.css", "site.css", "table.css", f"games/{game_key}.css", "export.css")
    paths = [STYLES / sheet for sheet in sheets]
    return "\n".join(path.read_text("utf-8") for path in paths if path.exists())


def rules_of(merged: Merged) -> Markup:
    """Which part is shown at which entry; the last one where the address names none."""
    last = merged.count - 1
    at_the_end = [f".v{number:x}" for versions, number in merged.sets.items()
                  if versions >> last & 1]
    lines = [
        ".v{display:none}",
        *(f"{part}{{display:revert-layer}}" for part in at_the_end),
        # Stronger than the line above, weaker than those below.
        ":target~main .v:not(.x):not(.x){display:none}",
    ]
    for versions, number in merged.sets.items():
        anchors = ",".join(f"#e{version + 1}" for version in members(versions))
        # `:target` first: it is looked for among as many anchors as there are entries.
        lines.append(f":target:is({anchors})~main .v{number:x}{{display:revert-layer}}")
    return Markup("\n".join(lines))  # noqa: S704  (numbers of ours)  # nosec B704
