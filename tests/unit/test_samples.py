"""The sample games of a new site: verified, shown at once, left out if the operator says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import col, select

from pbem.cli import samples
from pbem.models import Game, GameState, Outbox, SeatRow, stored_id
from pbem.models.archive import FoundGame
from pbem.record.verify import verify
from pbem.service import Service
from pbem.tables import glances
from tests.conftest import NOON
from tests.support import tables

RECORDS = sorted(samples.FOLDER.glob("*.jsonl"))


@pytest.fixture
def told(
    service: Service, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Service:
    """The settings of this service are in the environment, as for a command."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return service


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_sample_replays_to_its_last_byte(path: Path) -> None:
    with path.open("rb") as file:
        verdict = verify(file)

    assert verdict.ok
    assert verdict.finished


def test_a_new_site_shows_finished_games_of_each_kind_and_one_that_runs(
    told: Service,
) -> None:
    assert samples.main([]) == 0

    with told.reading() as session:
        found = session.exec(select(FoundGame)).all()
        running = session.exec(select(Game).where(Game.state == GameState.RUNNING)).one()
        assert len(found) == len(RECORDS)
        assert {each.game for each in found} == {path.stem[:-2] for path in RECORDS}
        assert all(each.pictures for each in found)
        assert not running.private
        seats = session.exec(select(SeatRow).where(SeatRow.game_id == running.id)).all()
        shown = glances.of_games(session, [running], seats)[stored_id(running)]
        assert shown.glance.round == samples.SHOWN_ROUND
        assert any(seat.asked_since for seat in seats)


def test_nobody_is_written_to_about_samples(told: Service) -> None:
    samples.main([])

    with told.reading() as session:
        states = set(session.exec(select(Outbox.state)))
        assert states <= {"unwanted"}


def test_a_site_with_games_and_one_that_wants_none_get_no_samples(
    told: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARREIRA_SAMPLES", "off")
    samples.main([])
    assert games(told) == 0

    monkeypatch.setenv("CARREIRA_SAMPLES", "on")
    with told.writing() as session:
        tables.started_game(session, NOON)
    samples.main([])
    assert games(told) == 1


def games(service: Service) -> int:
    """How many games there are."""
    with service.reading() as session:
        return len(session.exec(select(Game).order_by(col(Game.id))).all())


def test_a_sample_is_taken_in_once(told: Service) -> None:
    samples.main([])
    before = games(told)

    samples.main([])

    assert games(told) == before
