"""What a game explains to somebody who learns it: what is asked, and why others move as they do.

Without a language, like phrases: the wording stands in templates/games/<key>/lessons/. Both are
read off the learner's own view, so a lesson cannot tell what he could not see.
"""

from __future__ import annotations

from msgspec import Struct

from engine.phrases import Phrase, Value


class Lesson(Struct, frozen=True):
    """One sentence, and the rules to look up."""

    phrase: Phrase
    rules: tuple[str, ...]


def lesson(key: str, *rules: str, **values: Value) -> Lesson:
    """A lesson with values in its places."""
    return Lesson(Phrase(key, values), rules)
