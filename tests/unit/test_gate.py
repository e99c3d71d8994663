"""The release gate: what other rules would say of stored games, and what storage has broken."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from engine.errors import IllegalMove
from engine.vasco_da_gama import VascoDaGama
from pbem.backup import backup
from pbem.cli import gate as cli_gate
from pbem.models import Game, GameState, stored_id
from pbem.record import export, gate
from pbem.service import Service
from tests.support import tables
from tests.support.finished import begun, finished_game, one_order
from tests.support.releases import FIRST, SECOND, Become, Changed, GivenUp, Learned, become, go_over
from tests.support.servers import ROOT, without_our_settings
from tests.unit.test_nightly import flipped, keep_every_position, put, stored

__all__ = ["become"]



class Gate:
    """`app.py gate` on the service's database, or on what it is given; what it says, by lines."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.lines: list[str] = []
        self.wrong: list[str] = []

    def __call__(self, *arguments: object) -> int:
        code = 130
        with suppress(KeyboardInterrupt):
            code = cli_gate.main([str(each) for each in arguments])
        told = self._capsys.readouterr()
        self.lines, self.wrong = told.out.splitlines(), told.err.splitlines()
        return code


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def over(service: Service, session: Session) -> Game:
    """A finished game, in which Dias is honoured by a figure of its own at the start, and then by
    entries 15 and 25."""
    return finished_game(service, session)


@pytest.fixture
def running(service: Service, session: Session) -> Game:
    """One that goes on."""
    return under_way(service, session)


def under_way(service: Service, session: Session) -> Game:
    game = begun(service, session, names=("Carla", "Dinis"))
    back: set[int] = set()
    while game.last_entry < 17:
        one_order(service, session, game, back)
    session.commit()
    return game


@pytest.fixture
def asked(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Gate:  # fmt: skip
    """With the service's settings."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Gate(capsys)


def of_all(service: Service) -> list[gate.Found | None]:
    return [gate.stored(service.engine, each) for each in gate.begun(service.engine, 0)]


# ---- what it finds ------------------------------------------------------------------------------


def test_the_gate_is_open_where_nothing_would_differ(
    asked: Gate, over: Game, running: Game
) -> None:
    assert asked() == 0
    [line] = asked.lines
    entries = over.last_entry + running.last_entry
    assert line == (f"2 games (1 running), {entries} entries; all fold; all entries would come as "
                    "they stand. The gate is open.")


def test_every_entry_that_a_changed_rule_would_make_otherwise_is_listed(
    asked: Gate, over: Game, become: Become
) -> None:
    become(Changed)

    assert asked() == 0, "it is over: nobody's game would go otherwise"
    *lines, last = asked.lines
    assert [line.partition(" (vasco")[0] for line in lines] == [
        f"game {over.id} (over), rules would now say otherwise: entry {number}"
        for number in (15, 25)]
    assert all(f"({FIRST}, VG-" in line and "DiasHonoured, would differ" in line for line in lines)
    assert '"seat":1,"vp":2}, would come {' in lines[0]
    assert '"vp":5}' in lines[0]
    assert "2 entries of 1 games would come otherwise" in last


def test_a_running_game_that_would_go_otherwise_closes_the_gate(
    asked: Gate, running: Game, become: Become
) -> None:
    become(Changed)

    assert asked() == 1
    *lines, last = asked.lines
    assert len(lines) == 1
    assert lines[0].startswith(
        f"game {running.id} (running), rules would now say otherwise: entry 15 ")
    assert last.endswith("The gate is closed.")


def test_a_move_that_would_be_refused_is_listed_with_the_rule(
    service: Service, over: Game, become: Become
) -> None:
    class Stricter(VascoDaGama):
        def apply_action(self, state: Any, seat: int, move: Any, chance: Any) -> Any:
            if type(move).__name__ == "Host":
                raise IllegalMove("not_now", rule="VG-4.3")
            return super().apply_action(state, seat, move, chance)

    become(Stricter)
    [found] = of_all(service)
    assert found is not None
    assert not found.broken
    assert found.lines
    assert all("VG-4.3): the rules refuse 'host " in line for line in found.lines)


def test_another_result_is_listed(
    service: Service, over: Game, become: Become
) -> None:
    class Upside(VascoDaGama):
        def returns(self, state: Any) -> Any:
            return tuple(each._replace(points=each.points + 1) for each in super().returns(state))

    become(Upside)
    [found] = of_all(service)
    assert found is not None
    assert [line.partition(" ")[0] for line in found.lines] == ["result"]
    assert not found.broken


@pytest.mark.parametrize(
    "where", ["entry.body", "entry.hash", "entry.state_hash", "snapshot.state"])
@pytest.mark.parametrize("which", ["over", "running"])
def test_what_storage_has_broken_is_told_from_a_change_of_rules(
    request: pytest.FixtureRequest, asked: Gate, session: Session, where: str, which: str,
) -> None:  # fmt: skip
    game: Game = request.getfixturevalue(which)
    keep_every_position(session, game)
    put(session, game, where, 5, flipped(stored(session, game, where, 5), 20))

    assert asked() == 1
    line, last = asked.lines
    assert line.startswith(f"game {game.id} ({which}) does not fold: entry 5: ")
    assert "1 games do not fold" in last


def test_a_fault_of_the_engine_in_one_game_hides_no_other(
    asked: Gate, over: Game, running: Game, become: Become
) -> None:
    class Faulty(VascoDaGama):
        def is_terminal(self, state: Any) -> bool:
            raise RuntimeError("at sea")

    become(Faulty)
    assert asked() == 1
    assert [line.split(":")[0] for line in asked.lines[:2]] == [
        f"game {over.id} (running) does not fold", f"game {running.id} (running) does not fold"]


# ---- rulesets -----------------------------------------------------------------------------------


def test_a_release_that_only_learns_a_ruleset_finds_the_gate_open(
    service: Service, over: Game, running: Game, become: Become
) -> None:
    become(Learned)
    assert all(found is not None and not found.lines and not found.unknown
               for found in of_all(service))


def test_rules_that_a_release_has_given_up_close_the_gate_to_running_games_alone(
    asked: Gate, session: Session, over: Game, become: Become, service: Service,
) -> None:  # fmt: skip
    become(GivenUp)
    assert asked() == 0
    assert "it was followed by its facts alone" in asked.lines[0]
    with pytest.MonkeyPatch.context() as for_a_while:
        go_over(for_a_while, Learned)
        game = under_way(service, session)
    become(Changed)
    assert asked() == 1
    assert (f"game {game.id} (running): this release has no rules '{SECOND}'; it would stand still"
            in asked.lines)


# ---- what it is asked about ---------------------------------------------------------------------


def test_a_backup_is_looked_at_in_a_place_of_its_own(
    asked: Gate, service: Service, over: Game, running: Game, tmp_path: Path,
) -> None:  # fmt: skip
    backup(service, tmp_path / "site.backup", service.clock.now())
    put_elsewhere = tmp_path / "var" / "carreira.db"
    put_elsewhere.unlink()

    assert asked(tmp_path / "site.backup", "--jobs", "2") == 0
    assert asked.lines[-1].startswith("2 games (1 running)")
    assert not put_elsewhere.exists()


def test_a_folder_of_records_and_a_single_one_are_looked_at(
    asked: Gate, session: Session, become: Become, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    over: Game = request.getfixturevalue("over")
    for game in (over, request.getfixturevalue("running")):
        (tmp_path / f"game-{game.id}.jsonl").write_bytes(
            b"".join(export.record_lines(session, game)))
    (tmp_path / "index.jsonl").write_text("{}\n")
    assert asked(tmp_path) == 0
    assert "the chance of 1 is secret: they were only folded" in asked.lines[-1]

    become(Changed)
    assert asked(tmp_path / f"game-{over.id}.jsonl") == 0
    assert len([line for line in asked.lines if "would now say otherwise" in line]) == 2


def test_what_is_no_record_and_no_backup_is_refused_in_one_line(
    asked: Gate, tmp_path: Path
) -> None:
    (tmp_path / "letter").write_text("Dear all")
    for name in ("letter", "nowhere"):
        assert asked(tmp_path / name) == 1
        assert len(asked.wrong) == 1
        assert name in asked.wrong[0]


def test_from_past_the_last_game_it_opens_no_gate(
    asked: Gate, service: Service, over: Game, tmp_path: Path
) -> None:
    for arguments in (("--from", stored_id(over) + 1), (tmp_path, "--from", "game-9.jsonl")):
        assert asked(*arguments) == 2
        assert asked.lines == []
        assert asked.wrong == [
            f"No game was looked at: there is none from {arguments[-1]} on."]


def test_it_goes_on_from_a_game(
    asked: Gate, over: Game, running: Game
) -> None:
    assert asked("--from", running.id) == 0
    assert asked.lines[-1].startswith("1 games (1 running)")


def test_who_stops_it_is_told_where_to_go_on(
    asked: Gate, over: Game, running: Game, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    really = gate.stored

    def until_stopped(engine: Any, game_id: int) -> gate.Found | None:
        if game_id == running.id:
            raise KeyboardInterrupt
        return really(engine, game_id)

    monkeypatch.setattr(gate, "stored", until_stopped)
    asked()
    assert asked.wrong == [f"Stopped; go on with --from {running.id}."]


def test_several_processes_say_the_same_in_the_same_order(
    service: Service, session: Session, environment: dict[str, str], over: Game
) -> None:
    """As a command: what each process needs it finds by itself."""
    for number in range(3):
        tables.started_game(session, service.clock.now(), names=(f"Eva{number}", f"Rui{number}"))
    session.commit()
    put(session, over, "entry.body", 5, flipped(stored(session, over, "entry.body", 5), 20))
    told = [
        subprocess.run(
            [sys.executable, str(ROOT / "app.py"), "gate", "--jobs", jobs], capture_output=True,
            text=True, env=without_our_settings(os.environ) | environment,
            check=False)
        for jobs in ("1", "2")
    ]
    assert told[0].returncode == told[1].returncode == 1
    assert told[0].stdout == told[1].stdout
    assert "does not fold" in told[0].stdout


def test_postgresql_is_read_too(postgres_service: Service) -> None:
    with postgres_service.writing() as session:
        game = finished_game(postgres_service, session)
        assert game.state == GameState.FINISHED
        number = stored_id(game)
    found = gate.stored(postgres_service.engine, number)
    assert found is not None
    assert (found.broken, found.lines, found.is_hindrance) == ("", (), False)
