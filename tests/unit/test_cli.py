"""What every command says when the database cannot be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pbem import cli
from tests.support.servers import private_postgres, without_our_settings


@pytest.mark.parametrize("command", [["erase-player", "nobody@players.example"], ["dump", "DUMP"],
                                     ["export", "1"], ["operator", "list"]])
def test_a_command_on_a_database_without_tables_says_how_it_gets_them(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    on(f"sqlite:///{tmp_path / 'empty.db'}", tmp_path, monkeypatch)
    asked = [str(tmp_path / "dump") if word == "DUMP" else word for word in command]

    assert cli.main(asked) == 1

    said = capsys.readouterr().err
    assert said.startswith("CARREIRA_DATABASE_URL: no such table") and said.count("\n") == 1
    assert "`python app.py migrate`" in said


def test_on_postgresql_it_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with private_postgres() as url:
        on(url, tmp_path, monkeypatch)

        assert cli.main(["export", "1"]) == 1

    assert "does not exist. If it is older" in capsys.readouterr().err


def test_a_database_that_is_none_is_told_without_that_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.db").write_text("no database at all, but long enough to look like one" * 40)
    on(f"sqlite:///{tmp_path / 'text.db'}", tmp_path, monkeypatch)

    assert cli.main(["export", "1"]) == 1

    said = capsys.readouterr().err
    assert said == "CARREIRA_DATABASE_URL: file is not a database\n"


def on(url: str, var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands work on this database."""
    for name in set(os.environ) - set(without_our_settings(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("CARREIRA_DATABASE_URL", url)
    monkeypatch.setenv("CARREIRA_VAR", str(var))
