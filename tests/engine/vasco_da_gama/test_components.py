"""Component sets: what cannot be played with is refused by table and row."""

from __future__ import annotations

import re

import pytest

from engine import registry
from engine.errors import BadComponents
from engine.vasco_da_gama.component_sets import STANDARD, read

TOML = STANDARD.read_text("utf-8")
FIGURES = read(TOML)


def changed(old, new):
    """The standard set with one passage changed."""
    assert TOML.count(old) >= 1, old
    return TOML.replace(old, new, 1)


def fault(toml):
    with pytest.raises(BadComponents) as caught:
        read(toml)
    return caught.value


def without(pattern):
    """The standard set without the first passage that fits."""
    toml, number = re.subn(pattern, "", TOML, count=1, flags=re.DOTALL)
    assert number == 1
    return toml


def test_the_set_holds_the_printed_numbers():
    """VG-1.4, VG-1.5, VG-1.6: 35 projects, 6 merchant ships, 9 tiles, 32 sailors."""
    assert len(FIGURES.projects) == 35
    assert len(FIGURES.merchant_ships.navigation_limits) == 6
    assert sorted(tile.initial for tile in FIGURES.vasco_da_gama_tiles) == list(range(4, 13))
    assert FIGURES.supply.sailors_per_colour * 4 == 32


def test_slots_of_one_value_are_lettered_from_the_left():
    """VG-5.2: as orders write them."""
    assert FIGURES.labels["mombasa"] == ("7a", "7b", "6", "5")
    assert FIGURES.labels["mozambique"] == ("6", "5", "4")


def test_sources_and_comments_are_no_figures():
    """VG-1.1: the digest is that of the figures."""
    other = changed('source = "rulebook"', 'source = "my own box"') + "\n# a comment\n"

    assert read(other).digest == FIGURES.digest
    assert read(changed("reals = 10", "reals = 11")).digest != FIGURES.digest


def test_a_game_is_made_once_for_the_same_figures():
    """VG-1.1"""
    standard = registry.game("vasco-da-gama")

    assert registry.game("vasco-da-gama", TOML + "\n# a comment\n") is standard
    assert registry.game("vasco-da-gama", changed("reals = 10", "reals = 11")) is not standard


@pytest.mark.parametrize(("toml", "table", "row"), [
    (changed("captains = 1\n", "captains = 1\nships = 3\n"), "start", ""),
    (changed("captains = 1\n", ""), "start", ""),
    (changed('deck = "I"\n', 'deck = "I"\nsails = 2\n'), "projects", "I-01"),
    (changed("crew = 5\n", ""), "projects", "I-10"),
    (TOML + "\n[storms]\nreals = 1\n", "storms", ""),
    (without(r"\[final\].*?(?=\Z)"), "final", ""),
    (changed("3 = { navigation = 4, ", "3 = { "), "action_slots", "3"),
    (changed("{ 2 = 2, 3 = 3, 4 = 4 }", "{ 2 = 2, 3 = 3 }"), "recruiting", "active_sections"),
    (changed("to = 10, reals = 2", "to = 10"), "give_up", ""),
])
def test_unknown_and_missing_keys_are_refused_with_table_and_row(toml, table, row):
    """VG-1.1: nothing is guessed and nothing ignored."""
    assert (fault(toml).table, fault(toml).row) == (table, row)


def test_double_ids_are_refused():
    """VG-1.5"""
    refusal = fault(changed('id = "I-02"', 'id = "I-01"'))

    assert (refusal.table, refusal.row, refusal.reason) == ("projects", "I-01", "is there twice")


@pytest.mark.parametrize(("toml", "table", "row"), [
    (changed("reals = 10", "reals = 100"), "start", ""),
    (changed("reals = 10", "reals = -1"), "start", ""),
    (changed("reals = 10", "reals = true"), "start", ""),
    (changed("reals = 10", "reals = 1.5"), "start", ""),
    (changed("crew = 1\n", "crew = 6\n"), "projects", "I-01"),
    (changed("initial = 5\n", "initial = 100\n"), "vasco_da_gama_tiles", "row 2"),
    (changed("variation = -2", "variation = -21"), "vasco_da_gama_tiles", "row 2"),
    (changed("reals_per_vp = 3", "reals_per_vp = 0"), "final", ""),
])
def test_figures_outside_their_range_are_refused(toml, table, row):
    """VG-3.1, VG-4.3, VG-8.3: 0 to 99, a crew of 1 to 5, a variation within 20."""
    assert (fault(toml).table, fault(toml).row) == (table, row)


@pytest.mark.parametrize(("toml", "table"), [
    (changed('id = "I-02"', r'id = "I-02\n"'), "projects"),
    (changed('deck = "I"', r'deck = "I\n"'), "projects"),
    (changed('id = "I-02"', 'id = "I-٠٢"'), "projects"),
    (changed('name = "Natal"', r'name = "Na\ntal"'), "landings"),
    (changed('name = "Natal"', r'name = "\u0000"'), "landings"),
    (changed('key = "natal"', f'key = "{"n" * 41}"'), "landings"),
])
def test_ids_decks_and_names_are_short_and_stand_on_one_line(toml, table):
    """VG-1.5, VG-5.3: a tile of a deck `I` with a line end would lie in no deck."""
    assert fault(toml).table == table


def test_every_round_needs_seven_projects():
    """VG-1.5: 34 tiles are too few for five rounds."""
    refusal = fault(without(r'\[\[projects\]\]\nid = "III-11".*?(?=\n# ---)'))

    assert (refusal.table, refusal.reason) == ("projects", "35 are needed, 7 a round")


def test_every_round_needs_a_merchant_ship_and_one_is_sent_before():
    """VG-1.6, VG-1.7"""
    refusal = fault(changed("[4, 5, 6, 7, 9, 11]\n", "[4, 5, 6, 7, 9]\n"))

    assert (refusal.table, refusal.reason) == ("merchant_ships", "6 are needed")


def test_every_round_turns_a_tile_and_one_lies_face_up_before():
    """VG-3.1"""
    toml = TOML
    for _ in range(4):
        toml = re.sub(r"\[\[vasco_da_gama_tiles\]\].*?source = [^\n]*\n", "", toml, count=1,
                      flags=re.DOTALL)

    assert fault(toml).table == "vasco_da_gama_tiles"


def test_every_disc_needs_a_slot_and_a_number():
    """VG-2.4: 16 discs and the additional one; 15 numbers are too few."""
    full = "4 = { navigation = 5, recruiting = 5, projects = 5, characters = 5 }"
    refusal = fault(changed(full, full.replace("5", "4")))
    assert (refusal.table, refusal.row, refusal.reason) == ("action_slots", "4",
                                                            "17 slots are needed")

    assert fault(changed("ordinary = 20", "ordinary = 15")).table == "numbers"
    assert read(changed("ordinary = 20", "ordinary = 16"))


def test_a_landing_has_at_most_twelve_slots():
    """VG-5.4"""
    assert read(changed("slots = [4]\n", f"slots = {[4] * 12}\n"))
    refusal = fault(changed("slots = [4]\n", f"slots = {[4] * 13}\n"))

    assert (refusal.table, refusal.row) == ("landings", "natal")


def test_there_must_be_sailors_enough_to_begin():
    """VG-1.4: four sections of five."""
    refusal = fault(changed("sailors_per_colour = 8", "sailors_per_colour = 4"))

    assert (refusal.table, refusal.reason) == ("supply", "20 sailors are needed to begin")


def test_landings_are_those_of_the_rules_in_their_order():
    """VG-5.3: the words of orders cannot be changed."""
    assert fault(changed('word = "natal"', 'word = "goa"')).table == "landings"


def test_a_landing_has_one_kind_of_bonus():
    """VG-5.3"""
    refusal = fault(changed("bonus = { reals = 2 }", "bonus = { reals = 2, captains = 1 }"))

    assert (refusal.table, refusal.row) == ("landings", "mombasa")


@pytest.mark.parametrize("dealt", [
    '["sernigi", "dias"]', '["dias"]', '["dias", "sernigi", "manuel"]', '["dias", "henry"]',
    '["dias", "dias"]', "[]", "[1]", '"dias"',
])
def test_the_first_player_gets_dias_and_somebody_sernigi(dealt):
    """VG-1.2, VG-1.7: one character a seat."""
    assert fault(changed('2 = ["dias", "sernigi"]', f"2 = {dealt}")).table == "characters_at_setup"


def test_every_number_pays_in_exactly_one_row():
    """VG-3.4, VG-2.3: 20 is in none, 5 in two; 21 must differ from 22."""
    assert "20" in fault(changed("to = 20", "to = 19")).reason
    assert "5" in fault(changed("from = 6", "from = 5")).reason
    assert fault(changed("[21, 22]", "[21, 21]")).row == "additional"
    assert fault(changed("[21, 22]", "[20, 22]")).row == "additional"


@pytest.mark.parametrize("prices", ["[1]", "[1, 4, 9]"])
def test_one_and_two_projects_have_a_price_and_no_more(prices):
    """VG-4.1"""
    assert fault(changed("prices = [1, 4]", f"prices = {prices}")).table == "projects_action"


@pytest.mark.parametrize("prices", ["[0, 1, 3, 6]", "[2, 1, 3, 6, 10]"])
def test_every_number_of_colours_has_a_price_and_no_sailor_costs_nothing(prices):
    """VG-4.4: a captain alone is free."""
    refusal = fault(changed("[0, 1, 3, 6, 10]", prices))

    assert (refusal.table, refusal.row) == ("recruiting", "sailor_price_by_colours")


def test_a_seat_begins_with_captains_that_exist():
    """VG-1.1"""
    assert fault(changed("captains_per_seat = 7", "captains_per_seat = 0")).table == "supply"


@pytest.mark.parametrize("toml", [
    "", "reals = ", "a" * 70_000, "# " + "á" * 40_000, "a = " + "[" * 30_000, TOML + "\n[start]\n",
    "profile = 3", 'projects = "all"', TOML + "# \ud800",
    changed("reals = 10", "reals = " + "9" * 5000),
])
def test_what_is_no_component_set_is_refused(toml):
    """VG-1.1: no text makes more than a refusal."""
    assert isinstance(fault(toml), BadComponents)


def test_a_set_for_another_game_is_refused():
    """VG-1.1"""
    assert fault(changed('key = "vasco-da-gama"', 'key = "goa"')).table == "profile"


def test_a_byte_order_mark_in_front_of_a_set_is_passed_over():
    """VG-1.1: editors write one, and the host does not see it."""
    assert read("\ufeff" + TOML) == read(TOML)
