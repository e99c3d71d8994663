"""Lines of pbem/, workers/ and shared templates that name a game: what a third one would cost."""

from __future__ import annotations

from tests import lines_naming_games
from tests.bench.harness import Figure, figure


def measure() -> list[Figure]:
    """Counted, not timed."""
    found = lines_naming_games.lines()
    files = len(lines_naming_games.shared_files())
    where = ", ".join(line.place for line in found[:3]) or f"{files} files, none of them"
    return [figure("lines-that-name-a-game", len(found), "<= 0", where)]
