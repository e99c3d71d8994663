"""Letters that ask for an order have all that is needed to give it, in an order fit for a phone."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest

from pbem.i18n.render import TEMPLATES, block
from pbem.mail.letters import own_letters
from pbem.models import InboundState, stored_id
from pbem.service import Service
from tests.support.answering import Answers, at_table, placing, written
from tests.support.letterfactory import html_of, play_on, started_game, swept, text_of, the_letter

ORDER = "place 8 recruiting"


@pytest.fixture
def table(service: Service) -> Answers:
    return at_table(service, placing)


def places(text: str, *parts: str) -> list[int]:
    return [text.index(part) for part in parts]


# ---- the order of things ------------------------------------------------------------------------


def test_news_stand_below_the_question_and_orders_below_what_one_holds(table: Answers) -> None:
    letter = the_letter(table.service, "turn", "ana@")

    for said in (text_of(letter).lower(), html_of(letter).lower()):
        found = places(said, "what happened so far", "what you hold", "answer with one line",
                       "landings", "the seats, clockwise")
        assert found == sorted(found)


def test_the_picture_stands_between_news_and_orders() -> None:
    said = (TEMPLATES / "letters/_question.html").read_text("utf-8")
    found = places(said, "news.lines", "<img", "to_answer", "table.board()")
    assert found == sorted(found)


def test_goas_grid_is_a_block_of_five_rows_in_plain_text(service: Service) -> None:
    game = started_game(service, ("Ana", "Bento", "Catarina"), game_key="goa", language="hu")
    play_on(service, game, 3)
    letter = [each for each in swept(service).letters if ".turn." in each["Message-ID"]][-1]

    grid = text_of(letter).partition("RÁCS\n")[2].partition("ALAPÍTHATÓ")[0]

    assert re.findall(r"(?m)^(\d) ", grid) == ["1", "2", "3", "4", "5"]
    assert "a             b             c             d             e" in grid
    assert max(map(len, grid.splitlines())) <= 72


def test_cells_of_a_block_are_wrapped_side_by_side() -> None:
    assert block([["1", "one two", "abcdefgh"], ["2", "x", "–"]], width=6) == (
        "1  one    abcde-\n   two    fgh\n\n2  x      –")


# ---- receipts -----------------------------------------------------------------------------------


def test_a_receipt_that_asks_tells_all_that_the_turn_letter_would_have_told(
    table: Answers
) -> None:
    letter = table.letter()
    table.says(letter, "plaze 8")
    receipt = the_letter(table.service, "receipt", "ana@")

    asked, turn = text_of(receipt), text_of(the_turn(table))

    for heading in ("WHAT HAPPENED SO FAR", "WHAT YOU HOLD", "ANSWER WITH ONE LINE", "LANDINGS",
                    "THE NUMBERS", "THE SEATS, CLOCKWISE FROM YOU"):
        told = section(turn, heading)
        assert told.strip()
        assert told == section(asked, heading), heading


def the_turn(table: Answers) -> EmailMessage:
    """The turn letter, once more."""
    with table.service.writing() as session:
        row = table.letter()
        own_letters.again(session, table.person("Ana"), stored_id(row), table.service.clock.now())
        session.commit()
    return the_letter(table.service, "turn", "ana@")


def section(text: str, heading: str) -> str:
    """What stands between a heading and the next one."""
    below = text.partition(f"{heading}\n")[2]
    return re.split(r"(?m)^[^a-z\n]{8,}$|^(?:The table now|You get this)", below, maxsplit=1)[0]


def test_a_receipt_of_who_is_not_asked_stays_short(table: Answers) -> None:
    table.says(table.letter(), ORDER)
    table.advance()
    receipt = the_letter(table.service, "receipt", "ana@")
    assert "LANDINGS" not in text_of(receipt)


# ---- where answers go ---------------------------------------------------------------------------


@pytest.mark.parametrize("body", [f"place {'8' * 300} recruiting", "\n".join([ORDER] * 30)])
def test_the_answer_to_a_letter_that_could_not_be_read_takes_an_order(
    table: Answers, body: str
) -> None:
    letter = table.letter()
    assert table.says(letter, body).state == InboundState.REFUSED
    receipt = the_letter(table.service, "receipt", "ana@")

    assert receipt["Subject"] == "Re: [Carreira 1] Your turn – Vasco da Gama, The winter fleet"
    assert f"<g{table.game().mark}@carreira.example>" in receipt["References"]
    answers_play(table, receipt["Reply-To"])


def test_who_is_asked_whether_a_letter_is_theirs_can_answer_with_the_order(table: Answers) -> None:
    letter = table.letter()
    assert table.says(letter, ORDER, sender="eve@elsewhere.example").state == InboundState.HELD
    asked = the_letter(table.service, "held", "ana@")

    assert asked["Subject"] == "Re: [Carreira 1] Your turn – Vasco da Gama, The winter fleet"
    assert f"<g{table.game().mark}@carreira.example>" in asked["References"]
    assert "ANSWER WITH ONE LINE" in text_of(asked)
    answers_play(table, asked["Reply-To"])


def answers_play(table: Answers, address: str) -> None:
    assert address.startswith("turn+")
    came = table.arrives(written(address, ORDER, "ana@players.example"), address)
    assert came.state == InboundState.PLAYED
    assert len(table.submissions()) == 1
