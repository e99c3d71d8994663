"""Orders taken in: what is kept, what is refused, and what a repeated or late sending does."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlmodel import Session, func, select

from engine.errors import GameOver, IllegalMove, MalformedOrder, NotYourTurn
from pbem.clock import FixedClock
from pbem.models import Entry, Game, GameState, Submission, stored_id
from pbem.play import advance, submit
from pbem.play.refusals import KeyReused, PositionMovedOn
from pbem.service import Service
from tests.conftest import NOON
from tests.support.tables import ANA, BENTO, CATARINA, seat, started_game


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    """Ana, Bento, Catarina and Duarte; Catarina has to send the first merchant ship."""
    return started_game(session, clock.now())


def send(
    session: Session, game: Game, number: int, orders: str, *, key: str = "one", seen: int = 9999
) -> Submission:
    row = seat(session, game, number)
    return submit.record(
        session, row, orders, seen=seen, source="page", key=key, now=game.created, enqueue=unheard
    )


def unheard(game_id: int) -> None:
    """Nobody is woken; the tests advance the game themselves."""


def play(session: Session, game: Game, number: int, orders: str, *, key: str = "one") -> None:
    send(session, game, number, orders, key=f"{number}{key}{orders}")
    advance.advance(session, stored_id(game), game.created)
    session.refresh(game)


def count(session: Session, table: type) -> int:
    return session.exec(select(func.count()).select_from(table)).one()


def test_orders_are_kept_and_the_worker_is_woken_after_the_commit(
    session: Session, game: Game, service: Service
) -> None:
    woken = []

    def look(game_id: int) -> None:
        with service.reading() as other:
            woken.append((game_id, count(other, Submission)))

    submit.record(
        session,
        seat(session, game, CATARINA),
        "merchant mombasa>5",
        seen=1,
        source="page",
        key="k",
        now=game.created,
        enqueue=look,
    )

    assert woken == [(game.id, 1)]


def test_the_same_sending_twice_is_one_submission(session: Session, game: Game) -> None:
    first = send(session, game, CATARINA, "merchant mombasa>5")
    again = send(session, game, CATARINA, "merchant mombasa>5")

    assert again.id == first.id
    assert count(session, Submission) == 1


def test_the_same_sending_after_it_was_played_still_gets_its_receipt(
    session: Session, game: Game
) -> None:
    first = send(session, game, CATARINA, "merchant mombasa>5")
    advance.advance(session, stored_id(game), game.created)

    again = send(session, game, CATARINA, "merchant mombasa>5", seen=1)

    assert again.id == first.id
    assert again.state == "played"


def test_a_key_stands_for_one_order_only(session: Session, game: Game) -> None:
    send(session, game, CATARINA, "merchant mombasa>5")

    with pytest.raises(KeyReused):
        send(session, game, CATARINA, "merchant terra>5")


def test_twenty_clicks_at_once_are_one_submission(
    service: Service, session: Session, game: Game
) -> None:
    def click(_: int) -> int | None:
        with service.writing() as own:
            return send(own, own.get_one(Game, game.id), CATARINA, "merchant mombasa>5").id

    session.commit()
    with ThreadPoolExecutor(8) as pool:
        receipts = set(pool.map(click, range(20)))

    assert len(receipts) == 1
    assert count(session, Submission) == 1


def test_an_answer_to_a_question_that_has_gone_says_that_the_position_moved_on(
    session: Session, game: Game
) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")

    with pytest.raises(PositionMovedOn):
        send(session, game, CATARINA, "merchant terra>5", key="two", seen=1)


def test_an_answer_from_a_page_older_than_the_question_is_refused(
    session: Session, game: Game
) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")
    for number, orders in ((0, "place 11 nav"), (1, "place 12 nav"), (2, "place 13 nav")):
        play(session, game, number, orders)
    play(session, game, 3, "place 14 nav")

    with pytest.raises(PositionMovedOn):
        send(session, game, ANA, "place 15 rec", seen=2)
    assert send(session, game, ANA, "place 15 rec", seen=game.last_entry).id


def test_who_is_not_asked_is_told_whose_turn_it_is_not(session: Session, game: Game) -> None:
    with pytest.raises(NotYourTurn):
        send(session, game, BENTO, "place 8 rec")


def test_an_unreadable_line_voids_the_letter(session: Session, game: Game) -> None:
    with pytest.raises(MalformedOrder) as refused:
        send(session, game, CATARINA, "merchant mombasa>5\nplaze 8 rec")

    assert refused.value.text == "plaze 8 rec"
    assert count(session, Submission) == 0


def test_an_illegal_order_is_refused_with_its_rule_and_what_would_be_accepted(
    session: Session, game: Game
) -> None:
    with pytest.raises(IllegalMove) as refused:
        send(session, game, CATARINA, "merchant calicut>11a")

    assert refused.value.rule == "VG-6.6"
    assert refused.value.choices
    assert count(session, Submission) == 0


def test_who_is_refused_keeps_nobody_from_writing(session: Session, game: Game) -> None:
    """A page is drawn after a refusal; the lock must not be held meanwhile."""
    row = seat(session, game, CATARINA)
    session.commit()
    with pytest.raises(IllegalMove):
        submit.record(
            session, row, "merchant calicut>11a", seen=1, source="page", key="k",
            now=NOON, enqueue=unheard,
        )  # fmt: skip

    assert not session.in_transaction()


def test_a_second_order_is_tried_behind_the_first_that_still_waits(
    session: Session, game: Game
) -> None:
    send(session, game, CATARINA, "merchant mombasa>5")

    with pytest.raises((NotYourTurn, PositionMovedOn)):
        send(session, game, CATARINA, "merchant terra>5", key="two")


def test_a_preview_writes_nothing(session: Session, game: Game) -> None:
    shown = submit.preview(session, seat(session, game, CATARINA), "merch mombasa>5", seen=1)

    assert shown.orders == ("merchant mombasa>5",)
    assert shown.state.players[CATARINA].reals == 12
    assert count(session, Submission) == 0
    assert count(session, Entry) == 1


def test_a_game_that_is_over_takes_no_orders(session: Session, game: Game) -> None:
    game.state = GameState.CANCELLED
    session.add(game)
    session.commit()

    with pytest.raises(GameOver):
        send(session, game, CATARINA, "merchant mombasa>5")


def test_a_flood_of_text_is_refused(session: Session, game: Game) -> None:
    with pytest.raises(MalformedOrder):
        send(session, game, CATARINA, "pass\n" * 2000)


# ---- tried in front of the lock -----------------------------------------------------------------


def send_foreseen(
    service: Service, session: Session, game: Game, orders: str, *, meanwhile: str = ""
) -> Submission:
    """Catarina sends from a page that is older than what she has sent `meanwhile`."""
    with service.reading() as reading:
        row = seat(reading, game, CATARINA)
        reading.get(Game, game.id)
        if meanwhile:
            play(session, game, CATARINA, meanwhile)
        return submit.record(
            session, row, orders, seen=1, source="page", key="two", now=game.created,
            enqueue=unheard, reading=reading,
        )  # fmt: skip


def test_what_was_tried_in_front_of_the_lock_is_kept(
    session: Session, game: Game, service: Service
) -> None:
    kept = send_foreseen(service, session, game, "merchant mombasa>5")

    assert (kept.orders, kept.state) == ("merchant mombasa>5", "pending")


def test_what_was_fine_before_somebody_moved_is_tried_again_behind_the_lock(
    session: Session, game: Game, service: Service
) -> None:
    with pytest.raises((PositionMovedOn, NotYourTurn)):
        send_foreseen(
            service, session, game, "merchant mombasa>5", meanwhile="merchant mombasa>5"
        )

    assert count(session, Submission) == 1


def test_what_looked_wrong_in_front_of_the_lock_is_refused_with_its_reason(
    session: Session, game: Game, service: Service
) -> None:
    with pytest.raises(MalformedOrder):
        send_foreseen(service, session, game, "merchant nowhere>5")

    assert count(session, Submission) == 0


def test_of_two_forms_sent_at_once_one_is_recorded(
    session: Session, game: Game, service: Service
) -> None:
    session.commit()

    def from_a_tab(key: str) -> bool:
        with service.writing() as own, service.reading() as reading:
            try:
                submit.record(own, seat(reading, game, CATARINA), "merchant mombasa>5", seen=9999,
                              source="page", key=key, now=game.created, enqueue=unheard,
                              reading=reading, alone=True)
            except PositionMovedOn:
                return False
            return True

    with ThreadPoolExecutor(4) as tabs:
        recorded = list(tabs.map(from_a_tab, "abcd"))

    assert recorded.count(True) == 1
    assert count(session, Submission) == 1
