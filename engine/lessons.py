"""Defines lessons: what a game explains to learners about questions and others' moves.

Lessons have no language, like phrases; their wording is in templates/games/<key>/lessons/. They are
computed from the learner's own view, so that they cannot give away what the learner cannot see.
"""

from __future__ import annotations

from msgspec import Struct

from engine.phrases import Phrase, Value


class Lesson(Struct, frozen=True):
    """One sentence, and the ids of the rules to look up."""

    phrase: Phrase
    rules: tuple[str, ...]


def lesson(key: str, *rules: str, **values: Value) -> Lesson:
    """Build a lesson with values in its placeholders."""
    return Lesson(Phrase(key, values), rules)
