"""One key signs, older ones prove; how keys are kept, rotated and forgotten."""

from __future__ import annotations

import base64
import os
import signal
import stat
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from pbem.accounts import keys
from pbem.accounts.keys import DamagedKeys, KeyFiles, Keys
from pbem.cli import rotate_keys
from pbem.cli.rotate_keys import rotate
from pbem.config import BadSetting, Settings

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
SAID = b"something"


def files_in(var: Path) -> KeyFiles:
    """Files of keys with one key in them, as a site begins."""
    var.mkdir(exist_ok=True)
    made = KeyFiles(var)
    made.begin(b"1" * 32)
    return made


# ---- proofs -------------------------------------------------------------------------------------


def test_what_an_old_key_signed_is_proved_and_the_new_one_signs() -> None:
    before, after = Keys(b"1" * 32), Keys(b"2" * 32, (b"1" * 32,))
    old, new = before.signed(SAID, bytes.hex), after.signed(SAID, bytes.hex)

    assert old != new == Keys(b"2" * 32).signed(SAID, bytes.hex)
    assert after.proved(old, SAID, bytes.hex)
    assert after.proved(new, SAID, bytes.hex)
    assert not before.proved(new, SAID, bytes.hex)
    assert not after.proved(old, b"something else", bytes.hex)


@pytest.mark.parametrize("given", ["", "x", "\ud800", "é" * 64])
def test_what_is_no_proof_proves_nothing(given: str) -> None:
    assert not Keys(b"1" * 32, (b"2" * 32,)).proved(given, SAID, bytes.hex)


# ---- files --------------------------------------------------------------------------------------


def test_old_keys_are_kept_for_nobody_else_to_read_each_with_its_last_instant(
    tmp_path: Path,
) -> None:
    files = files_in(tmp_path)
    rotate(files, NOON)
    rotate(files, NOON + DAY)

    assert [old.until for old in files.old_ones()] == [NOON + DAY, NOON]
    assert len({files.read().new, *files.read().old}) == 3
    for path in (files.signing, files.older):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.key", "secret.old"]


@pytest.mark.parametrize("content", ["nonsense\n", "2026-03-02T12:00:00+00:00 ?\n", "\xff"])
def test_damaged_old_keys_are_refused_by_name(tmp_path: Path, content: str) -> None:
    files = files_in(tmp_path)
    files.older.write_text(content, "latin-1")

    with pytest.raises(DamagedKeys, match=r"secret\.old is damaged"):
        files.read()
    with pytest.raises(BadSetting, match=r"CARREIRA_VAR: .*secret\.old is damaged"):
        Settings.from_environment({"CARREIRA_VAR": str(tmp_path)})


# ---- rotating -----------------------------------------------------------------------------------


def test_keys_older_than_so_many_days_are_forgotten(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    for day in range(4):
        rotate(files, NOON + day * DAY)
    left = rotate(files, NOON + 4 * DAY, 2 * DAY)

    assert left == 2
    assert [old.until for old in files.old_ones()] == [NOON + 4 * DAY, NOON + 3 * DAY]


def test_after_a_theft_all_old_keys_are_forgotten_that_just_replaced_too(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    rotate(files, NOON)
    stolen = files.read()

    rotate(files, NOON + DAY, rotate_keys.days("all"))

    assert files.read().old == ()
    assert files.read().new not in (stolen.new, *stolen.old)


@pytest.mark.parametrize("forget", [None, timedelta(0)])
@pytest.mark.parametrize("steps", range(4))
def test_killed_at_any_step_a_rotation_leaves_keys_that_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int, forget: timedelta | None
) -> None:
    files = files_in(tmp_path)
    before = files.read().new
    child = os.fork()
    if not child:
        left = iter(range(steps))
        whole = keys.replace

        def dying(path: Path, content: bytes) -> None:
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            whole(path, content)

        monkeypatch.setattr(keys, "replace", dying)
        monkeypatch.setattr(rotate_keys, "replace", dying)
        rotate(KeyFiles(tmp_path), NOON, forget)
        os._exit(0)
    os.waitpid(child, 0)

    found = KeyFiles(tmp_path).read()
    is_done = steps >= (3 if forget is not None else 2)
    assert (before in (found.new, *found.old)) == (forget is None or not is_done)
    rotate(KeyFiles(tmp_path), NOON + DAY)
    assert found.new in KeyFiles(tmp_path).read().old


# ---- the command --------------------------------------------------------------------------------


def test_the_command_rotates_the_files_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CARREIRA_VAR", str(tmp_path))
    monkeypatch.delenv("CARREIRA_SECRET_KEY", raising=False)
    before = files_in(tmp_path).read().new

    assert rotate_keys.main([]) == 0
    assert KeyFiles(tmp_path).read().old == (before,)
    said = capsys.readouterr().out
    assert "1 old one still proves what it signed" in said
    assert base64.b64encode(before).decode() not in said

    assert rotate_keys.main(["--forget", "all"]) == 0
    assert "no old one is kept" in capsys.readouterr().out


def test_keys_of_the_environment_are_told_in_two_steps_that_each_process_understands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    of_now = {"CARREIRA_VAR": str(tmp_path), "CARREIRA_SECRET_KEY": "the key of now, long enough",
              "CARREIRA_OLD_SECRET_KEYS": "an-older-key-that-is-long-enough"}
    of_now["CARREIRA_SECRET_KEY"] += " by far"
    for name, value in of_now.items():
        monkeypatch.setenv(name, value)

    assert rotate_keys.main([]) == 0

    said = capsys.readouterr().out
    lines = [line.strip().partition("=") for line in said.splitlines() if "=\"" in line]
    told = [(name, value.strip('"')) for name, _, value in lines]
    assert [name for name, _ in told] == [
        "CARREIRA_OLD_SECRET_KEYS", "CARREIRA_SECRET_KEY", "CARREIRA_OLD_SECRET_KEYS"]
    stages = [
        Settings.from_environment(of_now).keys,
        Settings.from_environment(of_now | dict(told[:1])).keys,
        Settings.from_environment(of_now | dict(told[1:])).keys,
    ]
    assert stages[1].new == stages[0].new != stages[2].new
    for here, there in pairwise(stages):  # side by side during a restart
        assert there.proved(here.signed(SAID, bytes.hex), SAID, bytes.hex)
        assert here.proved(there.signed(SAID, bytes.hex), SAID, bytes.hex)
    assert set(stages[2].old) == {stages[0].new, *stages[0].old}


def test_keys_of_the_environment_have_no_age(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CARREIRA_VAR", str(tmp_path))
    monkeypatch.setenv("CARREIRA_SECRET_KEY", "k" * 32)

    assert rotate_keys.main(["--forget", "30"]) == 1
    assert "by hand" in capsys.readouterr().err


@pytest.mark.parametrize("days", ["-1", "x", "", "1000000", "²"])
def test_days_that_are_none_are_refused(days: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        rotate_keys.main(["--forget", days])
    assert "number of days, or all" in capsys.readouterr().err


# ---- settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "value"), [
    ("SECRET_KEY", "short"), ("SECRET_KEY", "base64:c2hvcnQ="), ("SECRET_KEY", "base64:?"),
    ("OLD_SECRET_KEYS", f"{'k' * 32} short"),
])
def test_a_key_that_is_too_short_or_unreadable_is_refused_by_name(
    tmp_path: Path, name: str, value: str
) -> None:
    given = {"CARREIRA_VAR": str(tmp_path), "CARREIRA_SECRET_KEY": "k" * 32}

    with pytest.raises(BadSetting, match=f"CARREIRA_{name}"):
        Settings.from_environment(given | {f"CARREIRA_{name}": value})


def test_old_keys_alone_are_refused(tmp_path: Path) -> None:
    given = {"CARREIRA_VAR": str(tmp_path), "CARREIRA_OLD_SECRET_KEYS": "k" * 32}

    with pytest.raises(BadSetting, match="for use with CARREIRA_SECRET_KEY"):
        Settings.from_environment(given)


def test_a_key_in_a_file_can_be_given_by_the_environment_instead(tmp_path: Path) -> None:
    key = files_in(tmp_path).read().new
    given = {"CARREIRA_VAR": str(tmp_path), "CARREIRA_SECRET_KEY": keys.text_of(key)}

    assert Settings.from_environment(given).keys.new == key
