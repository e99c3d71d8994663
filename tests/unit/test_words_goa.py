"""What Goa says, in sentences, and what it tells nobody; that nothing is unsaid: test_words.py."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from engine import registry
from engine.api import Transition
from engine.chance import Stream
from engine.goa import events as facts
from engine.goa import moves, values
from engine.goa import state as questions
from pbem.i18n import words
from tests.support.said import goa as samples

GAME = "goa"
RULES = samples.MAKE(None)
ANNA, BRAM, CHAIM = range(3)
NAMES = ("Anna", "Bram", "Chaim")


@pytest.fixture(autouse=True)
def _goa_is_there(monkeypatch):
    """Its words can be there before anybody can play it."""
    if GAME not in registry.GAMES:
        monkeypatch.setitem(registry.GAMES, GAME, samples.MAKE)


def line(event: Any, viewer: int | None = None, language: str = "en") -> str:
    said = words.event_line(RULES, event, names=NAMES, viewer=viewer, language=language)
    assert said is not None
    return said.text


def label(move: Any, language: str = "en") -> str:
    return words.move_label(RULES, move, language)


# ---- what nobody else may read -----------------------------------------------------------------


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("viewer", [BRAM, None])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (facts.CardsDrawn(ANNA, (5, 9)), facts.CardsDrawn(ANNA, (28, 30))),
        (facts.TileCardsDrawn(ANNA, (5, 9)), facts.TileCardsDrawn(ANNA, (28, 30))),
        (
            facts.BonusCardsDrawn(ANNA, (5,), by_action=True),
            facts.BonusCardsDrawn(ANNA, (28,), by_action=True),
        ),
        (facts.DeckShuffled((5, 9)), facts.DeckShuffled((9, 5))),
        (facts.DeckReshuffled((5, 9)), facts.DeckReshuffled((9, 5))),
        (
            facts.TilesLaidOut("A", ("A01", "A02", "A03"), 2),
            facts.TilesLaidOut("A", ("A01", "A02", "A04"), 2),
        ),
    ],
    ids=lambda one: type(one).__name__,
)
def test_hidden_faces_make_no_difference_in_what_others_read(one, other, viewer, language):
    assert line(one, viewer, language) == line(other, viewer, language)


def test_drawn_cards_are_named_to_their_owner_and_counted_for_others():
    drawn = facts.CardsDrawn(ANNA, (5, 9))

    assert line(drawn, ANNA) == (
        "Anna draws on the expedition: card 5 (take 2 colonists), card 9 (take 5 ducats)."
    )
    assert line(drawn, BRAM) == "Anna draws on the expedition: 2 expedition cards."


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_no_refusal_and_no_question_has_a_place_for_a_purse(language):
    tables = tomllib.loads((words.GAMES / GAME / "words" / f"{language}.toml").read_text("utf-8"))
    told = [*tables["refusals"].values()]
    told += [text for whom in tables["prompts"].values() for text in whom.values()]

    assert [text for text in told if "{purse}" in text or "{ducats}" in text] == []


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_a_bid_above_the_purse_is_refused_without_the_purse(language):
    said = words.refusal(GAME, "bid_above_purse", "GO-3.1", {"bid": 9, "purse": 7}, language)

    assert "9" in said
    assert "7" not in said


def test_at_the_end_all_purses_and_hands_are_told():
    shown = facts.HandsShown((12, 9, 1), ((5, 9), (), (1,)))

    assert line(shown) == (
        "Purses and hands are shown. Anna (12 ducats, cards: fish 5, shell 9), "
        "Bram (9 ducats, cards: –), Chaim (1 ducat, cards: tiger 1)."
    )


# ---- facts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fact",
    [
        facts.GoaNowAwaiting(questions.AwaitFlag(ANNA)),
        facts.TurnBegun(ANNA, 1, additional=False),
        facts.TurnEnded(ANNA),
        facts.ActionChosen(ANNA, "ships"),
        facts.RevealedDiscarded((5, 9)),
        facts.CardsRevealed(ANNA, (), 0),
        facts.GridCleared(()),
        facts.MarkersCounted(ANNA, (1, 1, 1, 1, 1), 0),
    ],
    ids=lambda fact: type(fact).__name__,
)
def test_what_another_line_tells_or_what_changes_nothing_is_not_worth_a_line(fact):
    assert words.event_line(RULES, fact, names=NAMES, viewer=None, language="en") is None


def test_a_payment_names_ships_and_each_field_that_pays():
    sacks = (("ginger", "1", 2), ("clove", "quilon", 1))

    assert line(facts.MarkerMoved(ANNA, "harvest", 3, 3, sacks)) == (
        "Anna makes progress: harvest, row 3. "
        "Paid: 3 ships, 2 ginger (plantation 1), clove (Quilon)."
    )


def test_a_step_paid_by_nothing_shows_a_dash():
    assert line(facts.MarkerMoved(ANNA, "harvest", 3, 0, ())).endswith("Paid: –.")


def test_a_lot_is_paid_to_the_auctioneer_or_to_the_bank():
    assert line(facts.LotPaid(ANNA, 2, BRAM, 1)) == "Anna pays 1 ducat to Bram for lot 2."
    assert line(facts.LotPaid(ANNA, 2, None, 4)) == "Anna pays 4 ducats to the bank for lot 2."


def test_a_space_outside_the_grid_is_named_as_in_orders_of_the_readers_language():
    placed = facts.FlagPlaced(ANNA, "north c")

    assert line(placed, language="hu") == "Anna elhelyezi a zászlót: észak c."
    assert line(placed, language="ru") == "Anna ставит флаг: север c."


@pytest.mark.parametrize(
    ("ducats", "language", "said"),
    [
        (1, "en", "1 ducat."),
        (2, "en", "2 ducats."),
        (5, "hu", "5 dukát."),
        (1, "ru", "1 дукат."),
        (3, "ru", "3 дуката."),
        (11, "ru", "11 дукатов."),
        (21, "ru", "21 дукат."),
        (1, "pt", "1 ducado."),
        (2, "pt", "2 ducados."),
    ],
)
def test_ducats_take_the_form_of_their_number(ducats, language, said):
    assert line(facts.TaxesTaken(ANNA, ducats), language=language).endswith(said)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Part B, round 4"),
        ("hu", "„B” rész, 4. forduló"),
        ("ru", "Часть B, раунд 4"),
        ("pt", "Parte B, ronda 4"),
    ],
)
def test_a_round_is_called_by_its_part_as_the_head_calls_it(language, said):
    assert words.round_name(RULES, language, 8) == said
    assert words.chapter(RULES, 8, language, key="chapter_short") == "B4"


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_a_won_tile_is_said_with_what_it_is(language):
    mission = line(facts.TileWon(ANNA, 2, "B27", "c1", 5), language=language)
    say = words.Say(words.game_words(GAME, language), NAMES)

    assert f"B27 ({say.value(values.of_tile(RULES.components, 'B27'))})" in mission


def test_revealed_cards_are_said_with_their_colonists_and_the_turned_one_with_its_symbol():
    assert line(facts.CardsRevealed(ANNA, (5, 9), 5)) == (
        "Anna reveals card 5 (2 colonists), card 9 (3 colonists): 5 colonists."
    )
    assert line(facts.CardTurned(ANNA, 1)) == "Anna turns up card 1 (tiger)."


# ---- questions and labels ----------------------------------------------------------------------


def asked(question: Any, viewer: int = ANNA) -> str:
    return words.prompt(RULES, question, viewer=viewer, names=NAMES, language="en")


def test_a_lot_without_a_bid_one_with_a_bid_and_the_auctioneers_last_word_are_asked_differently():
    assert asked(questions.AwaitBid(2, "A06", CHAIM, (ANNA, BRAM, CHAIM))) == (
        "Lot 2, tile A06 (ginger plantation, 2 fields): nobody has bid yet. Bid, or pass."
    )
    assert asked(questions.AwaitBid(1, None, CHAIM, (ANNA, CHAIM), 5, BRAM)) == (
        "Lot 1, flag: Bram offers 5 ducats. Bid more, or pass."
    )
    assert asked(questions.AwaitBid(2, "A06", ANNA, (ANNA,), 5, BRAM)) == (
        "You auction lot 2, tile A06 (ginger plantation, 2 fields): Bram offers 5 ducats. "
        "You bid last: bid more, or pass."
    )


def test_who_may_not_pass_is_not_offered_to_pass():
    assert "or pass" in asked(questions.AwaitAdditional(ANNA, 1, may_pass=True))
    assert "may not pass" in asked(questions.AwaitAdditional(ANNA, 1, may_pass=False))


def test_the_founding_question_tells_the_difference():
    said = asked(questions.AwaitFounding(ANNA, "quilon", 6, 4))

    assert "Pay the difference, 2 colonists, or decline" in said


def test_a_card_is_named_with_what_it_does():
    assert label(moves.PlayCard(1, (), None)) == "Play card 1 (take 2 ships)"
    assert label(moves.FoundColony("madras", 22)) == (
        "Found Madras with card 22 (reveal 3 cards when founding)"
    )


def test_an_additional_action_is_named_with_all_that_it_takes():
    action = moves.Harvest(19, 1, 0, (("ginger", "1", 2),))

    assert label(moves.Extra(action)) == (
        "Additional action, harvest: 1 ship, 2 ginger (plantation 1), with card 19"
    )
    assert label(moves.Extra(moves.Taxes())) == "Additional action: taxes"


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_tile_and_every_card_of_the_set_can_be_described(language):
    components = samples.MAKE(None).components
    say = words.Say(words.game_words(GAME, language), NAMES)
    described = [say.value(values.of_tile(components, tile)) for tile in components.by_id]
    described += [say.value(values.of_card(components, card)) for card in components.cards]

    assert not [text for text in described if not text or set("{}_–") & set(text)]
    assert " 0 " not in f" {' '.join(described)}"


@pytest.mark.parametrize(
    ("tile", "said"),
    [
        ("A01", "ginger plantation, 1 field, 1 VP"),
        ("A06", "ginger plantation, 2 fields"),
        ("A17", "4 ducats, once a round"),
        ("A19", "1 spice, once a round"),
        ("A20", "duty: 6 spices for 4 VP"),
        ("A25", "1 ship, 1 colonist, 1 additional action card, at once"),
        ("A26", "3 ships or 3 colonists, at once"),
        ("B27", "mission: 3 VP"),
    ],
)
def test_a_tile_is_described_with_its_figures(tile, said):
    components = samples.MAKE(None).components
    say = words.Say(words.game_words(GAME, "en"), NAMES)

    assert say.value(values.of_tile(components, tile)) == said


def test_a_preview_says_which_tile_stays_unused():
    game = samples.MAKE(None)
    table = game.empty_table(3, {})
    table.phase, table.turn = questions.ADDITIONAL, questions.TurnSoFar(ANNA, 1)
    table.change(ANNA, tiles=("A16",))
    passed = Transition(table, (facts.AdditionalDeclined(ANNA, unasked=False),))
    (lapse,) = game.lapses(table, [passed], ANNA)
    say = words.Say(words.game_words(GAME, "en"), NAMES)

    assert say.value(lapse.what) == "Left unused in this round: tile A16, 1 ship, once a round."


# ---- orders in the player's language -----------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "line", "order"),
    [
        ("hu", "zászló c3", "flag c3"),
        ("hu", "zászló észak c", "flag north c"),
        ("hu", "jelző d4", "marker d4"),
        ("hu", "licit 6", "bid 6"),
        ("hu", "passz", "pass"),
        ("hu", "gyors hajók adók", "quick ships taxes"),
        ("hu", "kap telepesek", "gain colonists"),
        ("hu", "eldobja 2", "drop 2"),
        ("hu", "hajóépítés", "ships"),
        ("hu", "adószedés", "taxes"),
        ("hu", "fejleszt adók kártyával 25 ebből bors@1", "progress taxes using 25 from pepper@1"),
        ("hu", "betakarit gyomber@1 2, bors@quilon", "harvest ginger@1 2, pepper@quilon"),
        ("hu", "alapít madras kártyával 22 fizet legfeljebb 3",
         "found madras using 22; pay up to 3"),
        ("hu", "választ madras1: gyömbér, szerecsendió", "choose madras1: ginger, nutmeg"),
        ("hu", "kijátszik 16: betakarítás", "play 16: harvest"),
        ("hu", "használ fűszer bors@1", "use spice pepper@1"),
        ("hu", "használ csere d2", "use trade d2"),
        ("hu", "további adószedés", "extra taxes"),
        ("hu", "expedíció 2 eldob 5, 9", "expedition 2 discard 5, 9"),
        ("hu", "kész", "done"),
        ("hu", "vár", "wait"),
        ("ru", "флаг запад 2", "flag west 2"),
        ("ru", "ставка 6", "bid 6"),
        ("ru", "пас", "pass"),
        ("ru", "взять корабли", "gain ships"),
        ("ru", "развитие налоги из перец@1, корица@2",
         "progress taxes from pepper@1, cinnamon@2"),
        ("ru", "урожай имбирь@1", "harvest ginger@1"),
        ("ru", "урожай с картой 19: 2 корабля, 1 колонист",
         "harvest using 19: 2 ships, 1 colonists"),
        ("ru", "основать Мадрас с картой 22 платить до 3", "found madras using 22; pay up to 3"),
        ("ru", "отказ", "decline"),
        ("ru", "использовать обмен d2", "use trade d2"),
        ("ru", "ещё налоги", "extra taxes"),
        ("ru", "тянуть 2 сбросить 5", "draw 2 discard 5"),
        ("ru", "сбросить 5", "discard 5"),
        ("ru", "готово", "done"),
        ("pt", "bandeira sul b", "flag south b"),
        ("pt", "apostar 6", "bid 6"),
        ("pt", "passar", "pass"),
        ("pt", "receber colonos", "gain colonists"),
        ("pt", "progresso taxas de pimenta@1", "progress taxes from pepper@1"),
        ("pt", "colher gengibre@1, cravo@cochim", "harvest ginger@1, clove@cochin"),
        ("pt", "fundar calecute pagar até 2", "found calicut; pay up to 2"),
        ("pt", "jogar 16: colheita", "play 16: harvest"),
        ("pt", "usar direitos: canela@1 6", "use duty: cinnamon@1 6"),
        ("pt", "adicional expedicao 1", "extra expedition 1"),
        ("pt", "pronto", "done"),
        ("pt", "taxes", "taxes"),
    ],
)  # fmt: skip
def test_a_whole_order_can_be_written_in_the_players_language(language, line, order):
    rules = samples.MAKE(None)
    table = rules.new_initial_state(2, {}, Stream(b"words", "test")).state

    said = rules.from_text(line, table, ANNA, words.aliases(GAME, language))

    assert "; ".join(map(rules.to_text, said)) == order
