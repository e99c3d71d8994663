"""How often a letter asks the database."""

from __future__ import annotations

import pytest
from sqlalchemy import event
from sqlmodel import select

from pbem.mail.delivery import sending
from pbem.mail.letters import build
from pbem.models import LetterState, Outbox, stored_id
from pbem.service import Service
from tests.support.letterfactory import Shelf, play_on, started_game, swept

MOST = 16  # SELECTs


@pytest.mark.parametrize("game_key", ["vasco-da-gama", "goa"])
def test_a_turn_letter_reads_each_list_once(service: Service, game_key: str) -> None:
    game = started_game(service, game_key=game_key)
    swept(service)
    play_on(service, game, 9)
    with service.reading() as session:
        newest = select(Outbox).where(Outbox.kind == "turn").order_by(Outbox.id.desc())
        letter = stored_id(session.exec(newest).first())
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(" ".join(statement.split()))

    event.listen(service.engine, "before_cursor_execute", note)
    state = sending.deliver(build, service, letter, Shelf())
    event.remove(service.engine, "before_cursor_execute", note)

    assert state == LetterState.SENT
    selects = [each for each in asked if each.startswith("SELECT")]
    print(f"a turn letter of {game_key}: {len(selects)} SELECTs of {len(asked)} statements")
    assert len(selects) <= MOST, "\n".join(selects)
