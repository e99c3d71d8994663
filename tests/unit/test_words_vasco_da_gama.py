"""What Vasco da Gama says, in sentences; that nothing is left unsaid: test_words.py."""

from __future__ import annotations

from typing import Any

import pytest

from engine import registry
from engine.chance import Stream
from engine.vasco_da_gama import events as facts
from engine.vasco_da_gama import moves
from engine.vasco_da_gama import state as questions
from pbem.i18n import words

GAME = "vasco-da-gama"
RULES = registry.game(GAME)
ANNA, BRAM, CHAIM = range(3)
NAMES = ("Anna", "Bram", "Chaim")


def line(event: Any, language: str = "en") -> str:
    said = words.event_line(RULES, event, names=NAMES, viewer=None, language=language)
    assert said is not None
    return said.text


def test_a_move_names_its_slots_as_orders_do():
    move = moves.Send("malindi", (("I-02", 0), ("I-03", 2)))

    assert words.move_label(RULES, move, "en") == (
        "Send to Malindi: I-02 (slot 9a), I-03 (slot 7a)"
    )


def test_the_next_question_is_not_worth_a_line():
    asked = facts.VascoNowAwaiting(questions.AwaitPlacement(ANNA))

    assert words.event_line(RULES, asked, names=NAMES, viewer=None, language="en") is None


@pytest.mark.parametrize(
    "fact",
    [
        facts.MoneyReturned(0),
        facts.ProjectsDiscarded(()),
        facts.SectionRefilled(1, ()),
        facts.ShipEarned(ANNA, "I-06", 0, 0),
    ],
)
def test_what_changes_nothing_is_not_worth_a_line(fact):
    assert words.event_line(RULES, fact, names=NAMES, viewer=None, language="en") is None


def test_a_crew_is_counted_by_colour():
    recruited = facts.CrewRecruited(ANNA, 2, (2, 0, 0, 1), True, 6)

    assert line(recruited) == (
        "Anna recruits from section 2 for 6 Reals: turquoise 2, orange 1, and a captain."
    )


@pytest.mark.parametrize(
    ("reals", "language", "said"),
    [
        (1, "en", "1 Real"),
        (2, "en", "2 Reals"),
        (5, "hu", "5 Real"),
        (1, "ru", "1 реал"),
        (3, "ru", "3 реала"),
        (11, "ru", "11 реалов"),
        (21, "ru", "21 реал"),
        (1, "pt", "1 real"),
        (2, "pt", "2 reais"),
    ],
)
def test_reals_take_the_form_of_their_number(reals, language, said):
    assert f"{said}." in line(facts.BonusReals(ANNA, "mombasa", reals), language)


def test_a_marker_that_goes_back_shows_a_minus():
    assert line(facts.VariationTurned(2, -2, 7)).startswith("The marker moves by −2.")


def test_the_end_names_all_by_place():
    assert line(facts.VascoGameEnded((2, 1, 2), (40, 45, 40))) == (
        "The game is over: 1. Bram (45 VP), 2. Anna (40 VP), 2. Chaim (40 VP)."
    )


def test_a_hidden_order_of_the_decks_is_not_told():
    decks = facts.DecksShuffled((("I-01", "I-02"), ("II-01",), ()))

    assert "I-02" not in line(decks)


def test_a_name_with_braces_stays_a_name():
    said = words.event_line(
        RULES, facts.BonusCaptain(ANNA), names=("{seat}",), viewer=None, language="en"
    )

    assert said is not None
    assert said.text == "Bonus for {seat}: 1 captain."


def test_what_a_player_made_up_is_said_as_it_was_written():
    said = words.refusal(GAME, "no_such_landing", "VG-5.1", {"landing": "goa"}, "en")

    assert said == "There is no landing goa."


def test_a_price_above_the_purse_shows_all_parts_of_it():
    numbers = {"cost": 5, "right": 1, "action": 4, "reals": 3}

    assert words.refusal(GAME, "too_few_reals", "VG-3.3", numbers, "en") == (
        "This costs 5 Reals: 1 Real for the right to act and 4 Reals for the action itself. "
        "You hold 3 Reals."
    )


# ---- words of orders ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "alias", "word"),
    [
        ("hu", "lemond", "give up"),
        ("hu", "küld", "send"),
        ("hu", "kuld", "send"),
        ("ru", "отказ", "give up"),
        ("ru", "наем", "recruiting"),
        ("ru", "серый", "grey"),
        ("pt", "desistir", "give up"),
        ("pt", "navegacao", "navigation"),
    ],
)
def test_orders_have_words_of_the_players_language(language, alias, word):
    assert words.aliases(GAME, language)[alias] == word


@pytest.mark.parametrize(
    ("language", "line", "order"),
    [
        ("hu", "kihelyez 8 toborzás", "place 8 recruiting"),
        ("hu", "lemond", "give up"),
        ("hu", "vesz I-02 I-03", "buy I-02 I-03"),
        ("hu", "toboroz 2: narancs, kapitány", "recruit 2: 1 orange, captain"),
        ("hu", "kuld malindi: I-02>6", "send malindi: I-02>6"),
        ("hu", "bónusz szürke innen 2", "bonus grey from 2"),
        ("hu", "bónusz zsák", "bonus bag"),
        ("hu", "elvesz alsó", "take lower"),
        ("hu", "választ mánuel 22 hajótervek", "host manuel 22 projects"),
        ("hu", "választ sernigi kereskedő natal>4", "host sernigi merchant natal>4"),
        ("hu", "bocsát I-02: lila, fehér", "launch I-02: violet, white"),
        ("hu", "kész", "done"),
        ("ru", "поставить 8 наём", "place 8 recruiting"),
        ("ru", "отказ", "give up"),
        ("ru", "купить габриэль", "buy gabriel"),
        ("ru", "нанять 2: оранжевый, капитан", "recruit 2: 1 orange, captain"),
        ("ru", "послать малинди: I-02>6", "send malindi: I-02>6"),
        ("ru", "премия серый из 2", "bonus grey from 2"),
        ("ru", "взять нижнее", "take lower"),
        ("ru", "выбрать диас", "host dias"),
        ("ru", "торговый натал>4", "merchant natal>4"),
        ("ru", "спустить I-02: фиолетовый, белый", "launch I-02: violet, white"),
        ("ru", "готово", "done"),
        ("pt", "colocar 8 recrutamento", "place 8 recruiting"),
        ("pt", "desistir", "give up"),
        ("pt", "comprar I-03 I-04", "buy I-03 I-04"),
        ("pt", "recrutar 2: laranja, capitao", "recruit 2: 1 orange, captain"),
        ("pt", "enviar melinde: I-02>6", "send malindi: I-02>6"),
        ("pt", "bónus cinzento da 2", "bonus grey from 2"),
        ("pt", "receber inferior", "take lower"),
        ("pt", "acolher álvares", "host alvares"),
        ("pt", "mercante natal>4", "merchant natal>4"),
        ("pt", "lançar I-02: violeta, branco", "launch I-02: violet, white"),
        ("pt", "pronto", "done"),
        ("pt", "take upper", "take upper"),
    ],
)  # fmt: skip
def test_a_whole_order_can_be_written_in_the_players_language(language, line, order):
    rules = registry.game(GAME)
    table = rules.new_initial_state(2, {}, Stream(b"words", "test")).state

    (move,) = rules.from_text(line, table, ANNA, words.aliases(GAME, language))

    assert rules.to_text(move) == order
