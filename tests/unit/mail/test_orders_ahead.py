"""Orders ahead by mail: read, kept, told in receipts and turn letters."""

from __future__ import annotations

import pytest

from pbem.mail.incoming.commands import spoken
from pbem.models import InboundState, Outbox
from pbem.play import orders_ahead, positions
from pbem.service import Service
from tests.support.answering import Answers, at_table, placing
from tests.support.letterfactory import Shelf, html_of, text_of


def said(*lines: str) -> tuple[str, ...]:
    """The orders of a letter; every line that begins no bid may be a name."""
    aliases = {"később": "later"}
    return spoken(lines, "hu", lambda line: not line.startswith("bid "), aliases=aliases).orders


@pytest.fixture
def table(service: Service) -> Answers:
    """Four people in front of lot 1 of Goa's first auction; Bento is asked first, Ana last."""
    return at_table(service, lambda state: hasattr(state.awaiting, "high_bid"), game_key="goa")


def kept(table: Answers, seat: int) -> list[str]:
    """What stands for a seat."""
    with table.service.reading() as session:
        return [row.line for row in orders_ahead.of(session, table.seat(seat))]


def newest(shelf: Shelf, kind: str, name: str) -> str:
    """The text of the newest of these letters to somebody."""
    found = [letter for letter in shelf.letters
             if f".{kind}." in str(letter["Message-ID"]) and name.lower() in str(letter["To"])]
    return text_of(found[-1])


# ---- reading ------------------------------------------------------------------------------------


def test_what_stands_behind_later_is_one_piece_to_the_end_of_its_line() -> None:
    assert said("pass", "bid 6; later: up to 4 for lot 4; pass on the rest") == (
        "pass", "bid 6", "later: up to 4 for lot 4; pass on the rest")


def test_a_row_that_was_broken_behind_a_semicolon_goes_on() -> None:
    long = "later: up to 4 for lot 4; up to 3 for lot 2 if bento has not bid;"
    assert said(long, "pass on the rest") == (f"{long} pass on the rest",)


def test_a_semicolon_that_ends_a_short_row_for_later_takes_no_other_row_in() -> None:
    assert said("later: up to 4 for lot 4;", "bid 6", "Ana") == (
        "later: up to 4 for lot 4;", "bid 6")
    assert said("Később: up to 4 for lot 4; ", "bid 6", "chat hi") == (
        "Később: up to 4 for lot 4;", "bid 6")


def test_a_last_line_for_later_is_no_name_in_whatever_language() -> None:
    assert said("bid 6", "Később: pass on the rest") == ("bid 6", "Később: pass on the rest")


def test_a_chat_may_say_later() -> None:
    found = spoken(["chat See you later: at five; bye"], "en", lambda _: False)
    assert (found.orders, found.words[0].text) == ((), "See you later: at five; bye")


# ---- kept and told ------------------------------------------------------------------------------


def test_a_letter_for_now_and_later_is_played_and_kept(table: Answers) -> None:
    came = table.says(table.letter(name="Bento"),
                      "bid 1; later: up to 4 for lot 3; pass on the rest",
                      sender="bento@players.example")
    table.advance()

    assert came.state == InboundState.PLAYED
    assert kept(table, 1) == ["up to 4 for lot 3 in round A1", "pass on the rest in round A1"]
    receipt = newest(table.sent(), "receipt", "Bento")
    assert "Your order is played." in receipt or "Your orders are played." in receipt
    assert "later: up to 4 for lot 3 in round A1\n        It waits." in receipt


def test_who_is_not_asked_can_order_ahead_by_answering_any_letter_of_his(table: Answers) -> None:
    table.says(table.letter(), "later: up to 3 for lot 1")
    table.advance()

    receipt = newest(table.sent(), "receipt", "Ana")
    assert kept(table, 0) == ["up to 3 for lot 1 in round A1"]
    assert receipt.startswith("Your orders ahead are kept.")
    assert "ORDERS AHEAD" in receipt


def test_the_word_orders_lists_what_was_ordered_ahead(table: Answers) -> None:
    table.says(table.letter(), "later: up to 3 for lot 1")
    table.advance()

    came = table.says(table.letter(), "orders")

    [word] = table.told(came).words
    assert "  1  later: up to 3 for lot 1 in round A1\n     It waits." in word.text


def test_one_is_withdrawn_by_its_number_and_all_of_them_together(table: Answers) -> None:
    table.says(table.letter(), "later: up to 3 for lot 1; taxes; ships")
    table.advance()

    first = table.says(table.letter(), "withdraw 1")
    left = kept(table, 0)
    second = table.says(table.letter(), "withdraw all")

    assert "later: up to 3 for lot 1" in table.told(first).words[0].text
    assert left == ["taxes", "ships"]
    assert kept(table, 0) == []
    assert table.told(second).words[0].text.count("later:") == 2


def test_nothing_is_withdrawn_that_has_no_such_number(table: Answers) -> None:
    came = table.says(table.letter(), "withdraw 7")

    assert table.told(came).words[0].text == "You have no such order ahead in this game."


@pytest.mark.parametrize("line", ["withdraw", "withdraw it", "withdraw 1 2"])
def test_a_withdrawal_that_says_not_which_is_not_guessed(line: str) -> None:
    assert spoken([line], "en", lambda _: False).garbled == line


def test_an_unreadable_line_for_later_comes_back_with_the_whole_letter(table: Answers) -> None:
    came = table.says(table.letter(name="Bento"), "bid 1; later: up to 4 for lot",
                      sender="bento@players.example")

    assert came.state == InboundState.REFUSED
    assert table.told(came).draft == ["bid 1", "later: up to 4 for lot"]
    assert kept(table, 1) == []


def test_a_turn_letter_offers_orders_ahead_that_fit(table: Answers) -> None:
    shelf = table.sent()
    text = newest(shelf, "turn", "Bento")

    assert "    later: up to 4 for lot 2\n" in text
    assert "    later: pass on the rest\n" in text


def test_the_next_turn_letter_says_what_became_of_an_order_ahead(table: Answers) -> None:
    """Its owner is asked for lot 1 after all: no letter of its own tells him that before."""
    table.says(table.letter(), "later: exactly 2 for lot 1")
    table.advance()
    table.sent()
    for name, order in (("Bento", "bid 2"), ("Catarina", "pass"), ("Duarte", "pass")):
        table.says(table.letter(name=name), order, sender=f"{name.lower()}@players.example")
        table.advance()

    shelf = table.sent()
    text = newest(shelf, "turn", "Ana")

    assert "You had ordered ahead: exactly 2 for lot 1 in round A1." in text
    assert "it left the question to you" in text
    assert "exactly 2 for lot 1" in html_of(shelf.letters[-1])


def test_through_a_whole_auction_one_player_alone_is_written_to(table: Answers) -> None:
    """The three others have answered letters with what they want; only Bento is asked."""
    for name, orders in (
        ("Ana", "up to 3 for lot 2; pass on the rest"),
        ("Catarina", "up to 2 for lot 3; pass on the rest"),
        ("Duarte", "exactly 1 for lot 5 else pass; pass on the rest"),
    ):
        table.says(table.letter(name=name), f"later: {orders}",
                   sender=f"{name.lower()}@players.example")
        table.advance()
    table.sent()
    known = {letter.id for letter in table.all("turn")}

    questions = 0
    while is_auction(table):
        questions += 1
        table.says(table.letter(name="Bento"), "pass", sender="bento@players.example")
        table.advance()

    bento = table.person("Bento").id
    asked = [letter.person_id for letter in table.all("turn") if letter.id not in known]
    assert questions == 5
    assert asked[:-1] == [bento] * (questions - 1)  # the last one is about the first action
    record = [line for seat in (0, 2, 3) for line in kept(table, seat)]
    assert record == []


def is_auction(table: Answers) -> bool:
    """Whether a lot is under the hammer."""
    with table.service.reading() as session:
        state = positions.table(session, table.game()).state
    return hasattr(state.awaiting, "high_bid")


# ---- behind an undo -----------------------------------------------------------------------------


@pytest.mark.parametrize("answered", ["turn letter", "first receipt", "receipt of the undo"])
def test_an_order_for_later_right_behind_an_undo_is_kept_for_the_next_question(
    service: Service, answered: str
) -> None:
    table = at_table(service, placing)
    letters = {"turn letter": table.letter()}
    table.says(letters["turn letter"], "place 8 recruiting")
    table.advance()
    letters["first receipt"] = table.letter("receipt")
    table.says(letters["turn letter"], "undo")
    letters["receipt of the undo"] = table.letter("receipt")

    table.says(letters[answered], "later: place 7 projects")
    table.advance()

    assert kept(table, 0) == ["place 7 projects"]


def test_an_order_for_later_from_before_the_question_is_played_at_it_after_an_undo_too(
    service: Service,
) -> None:
    table = at_table(service, placing)
    letter = table.letter()
    table.says(letter, "place 8 recruiting")
    table.advance()
    table.says(letter, "undo")
    table.change(Outbox, letter.id, shown=1)

    table.says(letter, "later: place 7 projects")
    table.advance()

    assert kept(table, 0) == []
