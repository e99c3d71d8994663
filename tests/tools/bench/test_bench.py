"""The arithmetic behind `make bench`: medians, p95, ratios, goals, and the form of the file."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from tests.tools.bench import __main__ as command
from tests.tools.bench.going import FIRST_ID, person_id
from tests.tools.bench.harness import (
    NONE,
    Figure,
    figure,
    median,
    meets,
    p95,
    ratio,
    shown,
    table,
    write,
)
from tests.tools.bench.site import waits

MET = Figure("quick", 2.5, "<= 3", "5 ms; floor 2 ms", ok=True)
MISSED = Figure("slow", 0.3, ">= 0.4", "3/s; floor 10/s", ok=False)


def test_a_median_is_the_middle_value() -> None:
    assert median([9, 1, 5]) == 5
    assert median([1, 2, 3, 10]) == 2.5


def test_p95_is_the_smallest_value_that_95_of_100_do_not_exceed() -> None:
    assert p95(range(1, 101)) == 95
    assert p95(range(1, 21)) == 19
    assert p95([7]) == 7


def test_p95_does_not_depend_on_the_order() -> None:
    assert p95([3, 1, 2]) == p95([1, 2, 3]) == 3


@pytest.mark.parametrize(
    ("value", "goal", "is_met"),
    [(3, "<= 3", True), (3.01, "<= 3", False), (0.4, ">= 0.4", True), (0.39, ">= 0.4", False)],
)
def test_a_goal_is_met_at_its_bound(value: float, goal: str, is_met: bool) -> None:  # noqa: FBT001
    assert meets(value, goal) is is_met


def test_a_figure_without_a_goal_limits_nothing() -> None:
    assert figure("wait", 131.0, NONE, "").ok


def test_a_goal_is_not_met_by_rounding() -> None:
    found = figure("slow", 3.0004, "<= 3", "")

    assert found.value == 3
    assert not found.ok


def test_a_ratio_is_the_median_of_the_runs_and_shows_both_sides() -> None:
    # Noise that slows both sides of the second run down leaves its ratio alone.
    runs = [(20, 10), (200, 100), (30, 10), (21, 10), (22, 10)]

    found = ratio("moves", runs, "<= 3", "{0} ms; floor {1} ms")

    assert found == Figure("moves", 2.1, "<= 3", "22 ms; floor 10 ms", ok=True)


def test_numbers_are_shown_with_three_digits() -> None:
    assert [shown(value) for value in (0.012345, 3.14159, 12345.6, 0)] == [
        "0.0123", "3.14", "12,346", "0",
    ]  # fmt: skip


def test_a_missed_goal_is_printed_as_missed() -> None:
    heading, first, second = table([MET, MISSED]).splitlines()

    assert heading.split() == ["what", "value", "goal", "ok", "against"]
    assert "yes" in first
    assert "MISSED" in second
    assert second.endswith("3/s; floor 10/s")


def test_the_file_is_a_list_of_figures(tmp_path: Path) -> None:
    write([MET, MISSED], tmp_path / "var" / "bench.json")

    found = json.loads((tmp_path / "var" / "bench.json").read_text())
    assert found[0] == {
        "name": "quick", "value": 2.5, "goal": "<= 3", "against": "5 ms; floor 2 ms", "ok": True,
    }  # fmt: skip
    assert found[1]["ok"] is False


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Two measurements that take no time: one misses its goal, the other breaks."""

    def breaks() -> list[Figure]:
        raise RuntimeError("nothing answers")

    misses = type("Misses", (), {"measure": staticmethod(lambda: [MISSED])})
    broken = type("Breaks", (), {"measure": staticmethod(breaks)})
    monkeypatch.setattr(command, "BENCHES", {"slow": "slow", "broken": "broken"})
    monkeypatch.setattr(command, "import_module", {"slow": misses, "broken": broken}.__getitem__)
    return tmp_path / "bench.json"


def test_a_missed_goal_is_no_failure(measured: Path) -> None:
    assert command.main(["--only", "slow", "--out", str(measured)]) == 0


def test_a_measurement_that_breaks_is_one_and_leaves_the_others(measured: Path) -> None:
    assert command.main(["--out", str(measured)]) == 1
    assert [each["name"] for each in json.loads(measured.read_text())] == ["slow"]


def test_a_name_that_is_no_measurement_is_refused(
    measured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command.main(["--only", "slow,fast", "--out", str(measured)])

    assert "there is no fast; there are slow, broken" in capsys.readouterr().err


def test_a_move_waits_for_the_first_letter_to_its_table_behind_it() -> None:
    table, other = FIRST_ID + 1, FIRST_ID + 2
    letters = [(f"p{person_id(table, seat)}@players.example", at)
               for seat, at in ((0, 1.0), (3, 3.0), (1, 4.0))]

    assert waits(letters, [(str(table), 2.0)]) == [1000]
    assert waits(letters, [(str(table), 2.0), (str(other), 2.0)]) == []  # not yet


def test_every_measurement_is_there() -> None:
    assert all(callable(import_module(module).measure) for module in command.BENCHES.values())
