"""Component sets: the standard one as the rules say, and sets that cannot be played with."""

from __future__ import annotations

import pytest

from engine.errors import BadComponents
from engine.goa.component_sets import STANDARD, read
from tests.engine.goa.positions import FIGURES

TOML = STANDARD.read_text("utf-8")


def test_there_are_27_tiles_of_each_part():
    """GO-1.2."""
    for part in "AB":
        tiles = [tile for tile in FIGURES.by_id if tile[0] == part]
        assert tiles == [f"{part}{number:02}" for number in range(1, 28)]


def test_plantations_are_numbered_spice_by_spice():
    """GO-8.1: A06 and A07 are ginger."""
    assert [FIGURES.by_id[f"A{number:02}"].spice for number in (1, 5, 6, 7, 8)] == [
        "ginger", "clove", "ginger", "ginger", "pepper",
    ]  # fmt: skip
    assert {tile.vp for tile in FIGURES.by_id.values() if tile.fields == 1} == {1}


def test_there_are_30_cards_five_symbols_six_times_each():
    """GO-7.2."""
    cards = list(FIGURES.cards.values())
    symbols, colonists = [each.symbol for each in cards], [each.colonists for each in cards]

    assert len(cards) == 30
    assert {symbols.count(symbol) for symbol in symbols} == {6}
    assert [colonists.count(number) for number in (1, 2, 3)] == [10, 10, 10]


def test_each_step_costs_one_spice_more():
    """GO-4.2."""
    for steps in FIGURES.costs.values():
        assert [len(step) for step in steps] == [1, 2, 3, 4]


def test_the_same_figures_have_the_same_digest():
    """GO-1.1: what `source` says is no figure."""
    assert read(TOML.replace('source = "rulebook"', 'source = "mine"')).digest == FIGURES.digest
    assert read(TOML.replace("ships = 4\ncol", "ships = 5\ncol")).digest != FIGURES.digest


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('key = "goa-2004"', 'key = "vasco-da-gama"', "profile"),
        ("ducats_others = 10", "ducats_others = 100", "start"),
        ("ducats_others = 10", "ducats_other = 10", "start"),
        ("ducats_others = 10\n", "", "start"),
        ("2 = 3\n3 = 4", "3 = 4", "auction_markers"),
        ("4 = 5\n", "4 = 9\n", "auction_markers"),
        ("tiles_laid = 25", "tiles_laid = 26", "rules"),
        ("vp = 2\nn = 4", "vp = 2\nn = 1", "tiles"),
        ("fields = 1\nn = 1\nvp", "n = 1\nvp", "tiles"),
        ('kind = "trade"\nn = 1', 'kind = "trade"\nn = 2', "tiles"),
        ('kind = "trade"\nn = 1', 'kind = "trade"\nn = 1\nvp = 1', "tiles"),
        ('kind = "trade"', 'kind = "trick"', "tiles"),
        ("spices = 6", 'spices = ["clove"]', "tiles"),
        ("gain = { ducats = 4 }", "gain = { ducats = 4, ships = 1 }", "tiles"),
        ("gain = { spices_of_choice = 1 }", "gain = { spices_of_choice = 2 }", "tiles"),
        ("gain = { colonists = 4 }", "gain = { colonists = 0 }", "tiles"),
        ("[{ ships = 3 }, { colonists = 3 }]", "[{ ships = 3 }, { ducats = 3 }]", "tiles"),
        ("take = [4, 6, 8, 10, 12]", "take = [4, 6, 8, 10]", "development.taxes"),
        ("take = [4, 6, 8, 10, 12]", "take = [0, 6, 8, 10, 12]", "development.taxes"),
        ("take = [1, 2, 4, 6, 8]", "take = [1, 2, 4, 6, 80]", "development.harvest"),
        ("draw = [1, 1, 2, 2, 3]", "draw = [0, 1, 2, 2, 3]", "development.expedition"),
        ("hand_limit = [1, 2, 3, 4, 5]", "hand_limit = [1, 2, 3, 2, 5]", "development.expedition"),
        ('taxes      = [["pepper"]', 'taxes      = [["salt"]', "development.cost"),
        ("4 = { expedition_cards = 1 }", "4 = { ships = 1 }", "development.bonus"),
        ("[colonies.quilon]", "[colonies.goa]", "colonies"),
        ('fields = 1\nn = 4\nspices = "any"', "fields = 1\nn = 4", "colonies.cochin"),
        ('fields = 1\ntiles = [["ginger", "nutmeg"]', 'fields = 1\nn = 1\ntiles = [["ginger"]',
         "colonies.quilon"),
        ('key = "take_2_ships"', 'key = "take_9_ships"', "expedition_effects"),
        ('key = "take_2_ships"', 'key = "buy_progress"', "expedition_effects"),
        ("price = 8", "colonist = 8", "expedition_effects"),
        (', price = 8', "", "expedition_effects"),
        ("reveal = 3", "reveal = 2", "expedition_effects"),
        ("gain = { ducats = 5 }", "gain = { ships = 5 }", "expedition_effects"),
        ("most = 4\n", "", "expedition_effects"),
        ('action = "found"', 'action = "harvest"', "expedition_effects"),
        ('"tiger"', '"palm"', "expedition_effects"),
        ("symbols_vp = [1, 3, 6, 10, 15, 21]", "symbols_vp = [1, 3]", "final"),
        ("[final]", "[finale]", "finale"),
        ("[final]", "[extra]\nmore = 1\n[final]", "extra"),
        ("actions = 3", "actions = 0", "rules"),
        ("quick_start_markers = 2", "quick_start_markers = 5", "rules"),
        ("first_in_row = { 4 =", "first_in_row = { 2 =", "development.bonus"),
        ('"clove"]   # n of each\nfields = 1\nn = 1', '"clove"]\nfields = 1\nn = 99', "tiles"),
        ("plantation_places = 4", "plantation_places = 3", "rules"),
    ],
)
def test_a_set_that_cannot_be_played_with_is_refused_by_name(old, new, named):
    """Unknown and missing keys, ids there twice, figures out of range, too few tiles (GO-1.2)."""
    assert old in TOML

    with pytest.raises(BadComponents) as refused:
        read(TOML.replace(old, new))

    assert refused.value.table == named
