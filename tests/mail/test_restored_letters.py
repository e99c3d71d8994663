"""A restored database hands row numbers out again: what named a lost letter names no other one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem import backup, config
from pbem.clock import FixedClock
from pbem.db import make_engine
from pbem.mail.incoming import store
from pbem.models import InboundState, Outbox
from pbem.service import Service
from tests.mail.answering import Answers, at_table, placing, written
from tests.pbem.letterfactory import placing_game, swept

ORDER = "place 8 recruiting"


@pytest.fixture
def restored(
    tmp_path: Path, clock: FixedClock, environment: dict[str, str]
) -> Iterator[Service]:
    """The installation that gets the backup."""
    at = {"CARREIRA_VAR": str(tmp_path / "restored")}
    settings = config.Settings.from_environment(environment | at)
    settings.var.mkdir()
    engine = make_engine(settings.database_url)
    yield Service(settings, engine, clock)
    engine.dispose()


def test_an_answer_to_a_letter_that_the_restored_site_never_wrote_plays_nothing(
    service: Service, restored: Service, tmp_path: Path
) -> None:
    before = tmp_path / "site.backup"
    at_table(service, placing)
    swept(service)
    backup.backup(service, before, service.clock.now())
    table = Answers(service, placing_game(service, ("Ana Two", "Bento Two")))
    lost = table.letter(name="Ana Two")
    address = table.address(lost)

    backup.restore(restored, before)
    assert store.addressed(restored.settings, address) is not None
    new = Answers(restored, placing_game(restored, ("Clara", "Dinis")))
    swept(restored)
    with restored.reading() as session:
        taken = session.get_one(Outbox, lost.id)
    assert taken.subject == f"g{new.game_id}"
    for sender in ("ana two@players.example", "clara@players.example"):
        came = new.arrives(written(address, ORDER, sender), address, sender)
        assert came.state != InboundState.PLAYED
    assert new.submissions() == []
