"""What a form that comes back says: the line that was typed, or the steps; in every language."""

from __future__ import annotations

import pytest
from werkzeug.datastructures import MultiDict

from engine.forms import Incomplete
from engine.phrases import Term
from pbem.i18n.words import LANGUAGES
from pbem.web.table.forms import GameReader, typed_line


def test_an_order_line_that_the_player_changed_wins_over_the_steps() -> None:
    assert typed_line(MultiDict({"order": "give up", "built": "place 8 navigation"})) == "give up"


def test_an_untouched_order_line_leaves_the_word_to_the_steps() -> None:
    line = "place 8 navigation"
    assert typed_line(MultiDict({"order": line, "built": line})) is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["nothing", "other_landing"])
def test_what_the_steps_leave_open_is_said_in_the_readers_language(key: str, language: str) -> None:
    reader = GameReader(language, "vasco-da-gama", ("Ana", "Bento"), 0)

    said = reader.missing(Incomplete(key, ship="I-02", landing=Term("landing", "natal")))

    assert said
    assert "{" not in said
