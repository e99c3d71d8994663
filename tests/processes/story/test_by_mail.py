"""Four people play a round of each game by mail only, in four languages, over real SMTP."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.models import Inbound, InboundState, Submission
from tests.processes.story.by_mail import LANGUAGES, Correspondents
from tests.processes.story.demo import stage


@pytest.mark.parametrize("key", [
    "goa", pytest.param("vasco-da-gama", marks=pytest.mark.soak)])
def test_a_round_is_played_by_mail_alone(tmp_path: Path, key: str) -> None:
    with stage(tmp_path / "var", PICTURES="off") as (cast, _):
        for name, language in LANGUAGES.items():
            cast.sign_in(name, language)
        people = Correspondents(cast)
        people.sit_down(key, list(LANGUAGES))

        letters = people.play_a_round()
        cast.wait_for_letters()

        assert all(letters.values()), letters
        with cast.service.reading() as session:
            came = session.exec(select(Inbound)).all()
            orders = session.exec(select(Submission)).all()
        assert {each.state for each in came} == {InboundState.PLAYED}
        assert len(came) == people.written
        assert {each.source for each in orders} == {"mail"}
        assert Counter(each.state for each in orders) == {"played": sum(letters.values())}
        kinds, doubled, missing = cast.ledger()
        assert (doubled, missing) == (0, 0)
        assert kinds["receipt"] == len(came)
        assert all(letter["Content-Language"] for letter in cast.postbox.messages())
