"""Commands that are given what is not theirs answer in a line, by an exit code, without a trace."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from pbem import cli

GARBAGE = {
    "nothing": b"", "a line end": b"\n", "a null": b"\0", "bytes": bytes(range(256)) * 9,
    "text": b"hello\n", "a list": b"[]\n", "an object": b"{}\n", "a depth": b"[" * 100_000,
    "a deep object": b'{"a":' * 50_000, "a deep table": b"a = " + b"[" * 50_000,
    "keys of dots": b"a" + b".a" * (30_000 if "SOAK" in os.environ else 10_000) + b" = 1",
    "a number": b"9" * 10_000,
    "half a character": b'{"format": "\\ud800"}', "gzip of nothing": gzip.compress(b""),
    "gzip of text": gzip.compress(b"hello\n"), "gzip of a depth": gzip.compress(b"[" * 100_000),
    "half a gzip": gzip.compress(b"hello" * 999)[:30],
    "scenario": b'[[example]]\ngame = "none"\n', "odd scenario": b"example = 3\n",
}
FILES = (
    ["verify"], ["import"], ["gate"], ["restore"], ["scenario"], ["play", "--components"],
)
WORDS = (
    ["export", "-5"], ["export", "9" * 30], ["export", "x"], ["export", "1", "--as", "x"],
    ["operator", "add", "x"], ["operator", "add"], ["operator", "what"], ["erase-player", "x"],
    ["erase-player", "9" * 30], ["doctor", "mail", "--to", "x"], ["mail-in", "--fd", "x"],
    ["play", "--option", "x"], ["play", "--option", "x=y"], ["play", "--bots", "x"],
    ["play", "--bots", "a,b,c,d,e,f"], ["play", "--players", "-1"], ["play", "--players", "x"],
    ["play", "--game", "x"], ["rotate-keys", "--forget", "x"], ["gate", "--from", "x"],
    ["gate", "--from", "9" * 30], ["gate", "--jobs", "-1"], ["dump"], ["backup"],
    ["no-such-command"],
)  # fmt: skip


@pytest.fixture(autouse=True)
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, empty_database: Path) -> None:
    """An installation of its own, with the tables."""
    var = tmp_path / "var"
    var.mkdir()
    (var / "carreira.db").write_bytes(empty_database.read_bytes())
    monkeypatch.setenv("CARREIRA_VAR", str(var))
    monkeypatch.delenv("CARREIRA_DATABASE_URL", raising=False)


def run(arguments: list[str]) -> int:
    """A command's exit code, also where argparse ends it."""
    try:
        return cli.main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)


@pytest.mark.parametrize("command", FILES, ids=" ".join)
@pytest.mark.parametrize("what", [*GARBAGE, "a folder", "no file"])
def test_garbage_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], what: str
) -> None:
    path = tmp_path / "given"
    if what == "a folder":
        path.mkdir()
    elif what != "no file":
        path.write_bytes(GARBAGE[what])

    code = run([*command, str(path)])

    told = capsys.readouterr()
    assert code in (1, 2) or (command == ["gate"] and what == "a folder")
    assert 0 < len((told.err + told.out).strip()) < 600
    assert "Traceback" not in told.err + told.out


@pytest.mark.parametrize("arguments", WORDS, ids=" ".join)
def test_words_that_mean_nothing_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    code = run(arguments)

    assert code in (1, 2)
    assert "Traceback" not in capsys.readouterr().err
