"""A restored database hands row numbers out again: what named a lost letter names no other one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem import backup, config
from pbem.clock import FixedClock
from pbem.db import make_engine
from pbem.mail.incoming import store
from pbem.mail.tokens import NUMBER_ALONE
from pbem.mail.tokens import written as proof
from pbem.models import InboundState, Outbox, stored_id
from pbem.service import Service
from tests.support.answering import Answers, at_table, placing, written
from tests.support.letterfactory import placing_game, swept, text_of

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
    assert taken.game_id == new.game_id
    for sender in ("ana two@players.example", "clara@players.example"):
        came = new.arrives(written(address, ORDER, sender), address, sender)
        assert came.state != InboundState.PLAYED
    assert new.submissions() == []


def old_address(service: Service, letter: Outbox) -> str:
    """Where answers went in a release that signed a letter's number and nothing else."""
    number = stored_id(letter).to_bytes(NUMBER_ALONE, "big")
    return f"turn+{proof(service.settings.keys, 'turn', number)}@{service.settings.reply_domain}"


def test_an_answer_to_a_letter_of_a_release_before_comes_back_with_the_question_asked_again(
    service: Service
) -> None:
    table = at_table(service, placing)
    letter = table.letter()
    address = old_address(service, letter)
    assert store.addressed(service.settings, address) is not None

    came = table.arrives(written(address, ORDER, "ana@players.example"), address)

    assert (came.state, came.reason) == (InboundState.REFUSED, "letter_lost")
    shelf = swept(service)
    told, asked = sorted(shelf.letters, key=lambda each: ".turn." in each["Message-ID"])
    assert "answers a letter that this site no longer knows" in text_of(told).replace("\n", " ")
    again = table.arrives(
        written(asked["Reply-To"], ORDER, "ana@players.example"), asked["Reply-To"])
    assert again.state == InboundState.PLAYED


def test_a_bounce_about_a_letter_of_a_release_before_accuses_nobody(service: Service) -> None:
    table = at_table(service, placing)
    letter = table.letter()
    number = stored_id(letter).to_bytes(NUMBER_ALONE, "big")
    token = proof(service.settings.keys, "bounce", number)
    address = f"bounce+{token}@{service.settings.reply_domain}"

    table.arrives(written(address, "gone", "ana@players.example"), address, sender="")

    assert table.person("Ana").suppressed is None
    assert table.all("receipt") == []


def test_strangers_hear_nothing_from_an_address_of_a_release_before(service: Service) -> None:
    table = at_table(service, placing)
    address = old_address(service, table.letter())
    came = table.arrives(written(address, ORDER, "eve@elsewhere.example"), address)
    assert (came.state, came.reason) == (InboundState.IGNORED, "unknown_address")
    assert table.all("receipt") == []
