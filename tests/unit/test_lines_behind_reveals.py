"""Lines behind a reveal: what counts of them, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from sqlmodel import Session, select

from engine import codec
from engine.goa.state import ADDITIONAL, AwaitAdditional
from pbem.clock import FixedClock
from pbem.models import Game, Outbox, Snapshot, Submission, stored_id
from pbem.play import advance, positions
from pbem.service import Service
from tests.engine.goa import positions as goa
from tests.support.tables import ANA, BENTO, seat, started_game
from tests.unit.test_submit import send

ROOMY = {goa.ANNA: {"hand": (goa.TAKE_SHIPS,), "rows": {"expedition": 4}}}


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    return started_game(session, clock.now(), ("Ana", "Bento", "Catarina"), game_key="goa")


def lay(session: Session, game: Game, state: Any) -> None:
    """Have the game stand at this position, as if it had come to it."""
    row = session.exec(select(Snapshot).where(
        Snapshot.game_id == game.id, Snapshot.number == game.last_entry)).one()
    row.state = codec.encode(state).decode()
    session.add(row)
    for number in range(len(state.players)):
        player = seat(session, game, number)
        player.asked_since = game.last_entry if number in state.awaiting.seats else None
        session.add(player)
    session.commit()


def sent(session: Session, game: Game, number: int, orders: str, key: str = "k") -> Submission:
    """A letter of orders, played."""
    kept = send(session, game, number, orders, key=key, seen=game.last_entry)
    advance.advance(session, stored_id(game), game.created)
    session.refresh(kept)
    session.refresh(game)
    return kept


def present(session: Session, game: Game) -> Any:
    return positions.table(session, game).state


def two_cards_alone(*hand: int) -> Any:
    """Ana has two additional action cards and this hand; the others are out of the round."""
    given = {goa.ANNA: {"hand": hand, "ducats": 3, "rows": {"expedition": 4}}}
    state = goa.additional(cards=2, given=given)
    state.passed = (1, 2)
    return state


def test_a_line_is_not_carried_into_the_next_turn(session: Session, game: Game) -> None:
    """Two additional cards: the second expedition card waits for the second action."""
    lay(session, game, two_cards_alone(goa.TAKE_SHIPS, goa.TAKE_COLONISTS))
    first, second = goa.TAKE_SHIPS, goa.TAKE_COLONISTS

    letter = sent(session, game, ANA, f"play {first}; extra expedition; play {second}")

    assert letter.state == "played"
    assert letter.draft == f"play {second}"
    assert second in present(session, game).players[ANA].hand


def test_a_line_for_another_turn_comes_back_even_if_it_could_be_played_there(
    session: Session, game: Game
) -> None:
    lay(session, game, two_cards_alone())

    letter = sent(session, game, ANA, "extra expedition; done; extra taxes")

    state = present(session, game)
    assert letter.draft == "extra taxes"
    assert letter.refusal is not None
    assert "unseen_question" in letter.refusal
    assert state.phase == ADDITIONAL
    assert isinstance(state.awaiting, AwaitAdditional)


def test_a_bid_on_the_next_lot_comes_back(session: Session, game: Game) -> None:
    """letters/faults/01: `pass`, `bid 5`."""
    state = goa.auction(auctioneer=2)
    lots = tuple(replace(state.markers[0], number=n, space=s, seat=2)
                 for n, s in ((1, "c3"), (2, "d3")))
    state.markers = lots
    state.awaiting = replace(state.awaiting, lot=1)
    state.players = tuple(replace(each, ducats=9 if n == ANA else 0)
                          for n, each in enumerate(state.players))
    lay(session, game, state)

    letter = sent(session, game, ANA, "pass\nbid 5")

    assert letter.draft == "bid 5"
    assert present(session, game).awaiting.high_bid == 0


def test_a_line_that_answers_the_same_turn_is_played(session: Session, game: Game) -> None:
    lay(session, game, goa.turn(given=ROOMY))

    letter = sent(session, game, ANA, f"expedition; play {goa.TAKE_SHIPS}")

    assert (letter.state, letter.draft) == ("played", None)
    assert present(session, game).turn.seat == BENTO


def test_of_a_line_played_in_part_the_rest_comes_back(session: Session, game: Game) -> None:
    given = {goa.ANNA: {"hand": (30,), "ships": 9, "colonists": 9}}
    lay(session, game, goa.turn(given=given))

    letter = sent(session, game, ANA, "found calicut; discard 30, 1")

    state = present(session, game)
    assert 30 not in state.players[ANA].hand
    assert letter.draft == "discard 1"


@pytest.mark.parametrize(
    "given",
    [{"ships": 9, "colonists": 0}, {"ships": 9, "colonists": 9},
     {"hand": (goa.TAKE_SHIPS,), "ships": 9, "colonists": 1}],
    ids=["the turn is over", "a colony's tile is asked", "asked whether to pay"],
)
def test_that_a_turn_ends_never_comes_back(
    session: Session, game: Game, given: dict[str, Any]
) -> None:
    """The steps of the page write `done` behind an action that reveals something."""
    lay(session, game, goa.turn(given={goa.ANNA: given}))

    letter = sent(session, game, ANA, "found calicut; done")

    assert (letter.state, letter.draft, letter.refusal) == ("played", None, None)
    assert session.exec(select(Outbox).where(Outbox.kind == "refused")).all() == []


def test_what_comes_back_with_an_end_of_the_turn_names_both(session: Session, game: Game) -> None:
    lay(session, game, goa.turn(given={goa.ANNA: {"hand": (30,), "ships": 9, "colonists": 0}}))

    letter = sent(session, game, ANA, "found calicut; play 1; done")

    assert letter.draft == "play 1\ndone"


def test_a_second_letter_does_not_answer_what_its_writer_had_not_seen(
    session: Session, game: Game
) -> None:
    """Both are sent before a worker plays the first."""
    lay(session, game, two_cards_alone())
    send(session, game, ANA, "extra expedition; done", key="one", seen=1)

    second = sent(session, game, ANA, "extra taxes", key="two")

    assert second.state == "refused"
    assert second.draft == "extra taxes"
    assert present(session, game).players[ANA].additional_cards == 1


def test_a_second_letter_goes_on_with_the_turn_that_the_first_one_began(
    session: Session, game: Game
) -> None:
    lay(session, game, goa.turn(given=ROOMY))
    send(session, game, ANA, "expedition", key="one", seen=1)

    second = sent(session, game, ANA, f"play {goa.TAKE_SHIPS}", key="two")

    assert second.state == "played"
    assert present(session, game).turn.seat == BENTO
