"""Lines outside the games' own folders that name a game: by key, name, package or rule's id."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from engine import registry
from pbem.i18n import words

ROOT = Path(__file__).parents[2]
SHARED = ("app.py", "pbem", "workers", "templates")
OWN = re.compile(r"templates/games/[^/]+/|pbem/static/games/")
READABLE = {".py", ".html", ".txt", ".svg", ".css", ".js", ".po", ".toml", ".json", ".mako"}


class Found(NamedTuple):
    """A line that names a game."""

    place: str
    text: str


def names() -> set[str]:
    """What a game is called: key, package, name in each language, beginning of its rules' ids."""
    found = set()
    for key in registry.GAMES:
        game = registry.game(key)
        found |= {key, key.replace("-", "_"), key.split("-")[0], game.name}
        found |= {words.term(key, "game_name", language) for language in words.LANGUAGES}
        found.add(game.over_rule.split("-")[0] + "-[0-9]")
    return found


def lines() -> list[Found]:
    """All such lines."""
    # Letters around a name make another word of it ("goal"), but not its endings ("Vasco-ban").
    named = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(names()))})(?![^\W_])", re.IGNORECASE)
    return [
        Found(f"{path.relative_to(ROOT)}:{number}", line.strip())
        for path in shared_files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if named.search(line)
    ]


def shared_files() -> list[Path]:
    """The files that no game owns."""
    found = [path for at in SHARED for path in (ROOT / at, *(ROOT / at).rglob("*"))]
    return sorted(
        path for path in found
        if path.suffix in READABLE and not OWN.search(path.relative_to(ROOT).as_posix())
    )  # fmt: skip
