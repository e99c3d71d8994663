"""A game is added in folders of its own and in the registry: nothing shared may name one."""

from __future__ import annotations

import pytest

from tests.support import lines_naming_games


def test_no_line_of_pages_service_and_workers_names_a_game() -> None:
    assert lines_naming_games.lines() == []


def test_hundreds_of_shared_files_are_looked_through() -> None:
    files = {path.name for path in lines_naming_games.shared_files()}

    assert {"app.py", "words.py", "tasks.py", "show.html", "messages.po", "tokens.css"} <= files
    assert "en.toml" not in files


@pytest.mark.parametrize("name", ["vasco", "vasco_da_gama", "Vasco da Gama", "goa", "VG-[0-9]"])
def test_a_game_is_known_by_key_package_name_and_rules(name: str) -> None:
    assert name in lines_naming_games.names()
