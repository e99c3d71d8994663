"""The final count (GO-9.1, GO-9.2)."""

from __future__ import annotations

from engine.chance import Forbidden
from engine.goa.events import HandsShown
from engine.goa.moves import Pass
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DUTY,
    GAME,
    MISSION,
    additional,
    colony,
    facts,
    move,
    plantation,
)

BROKE = {"ducats": 0}


def final(**given):
    """The standings; Anna ends the game; nobody has ducats unless they are given."""
    names = ("anna", "bram", "chaim")
    fields = {seat: BROKE | given.get(name, {}) for seat, name in enumerate(names)}
    state = additional(part="B", round=4, given=fields)
    return GAME.returns(move(state, ANNA, Pass()).state)


def test_success_markers_count_by_their_rows():
    """GO-9.1: 0, 1, 3, 6, 10."""
    rows = {"ships": 1, "harvest": 2, "taxes": 3, "expedition": 4, "colonists": 5}

    assert final(anna={"rows": rows})[ANNA].by_source["markers"] == 20


def test_colonies_count_by_their_number():
    """GO-9.1: 1, 3, 6, 10."""
    founded = (colony("quilon1", "ginger"), colony("cochin"), colony("madras1"), colony("calicut"))
    for number, vp in enumerate((0, 1, 3, 6, 10)):
        assert final(bram={"colonies": founded[:number]})[BRAM].by_source["colonies"] == vp


def test_cards_in_hand_count_by_symbol():
    """GO-9.1: three tigers 6, a palm 1."""
    assert final(chaim={"hand": (1, 12, 14, 10)})[CHAIM].by_source["cards"] == 7


def test_the_most_ducats_count_for_all_who_tie():
    """GO-9.1: even at 0."""
    assert [each.by_source["ducats"] for each in final()] == [3, 3, 3]
    rich = final(anna={"ducats": 5}, bram={"ducats": 5}, chaim={"ducats": 4})
    assert [each.by_source["ducats"] for each in rich] == [3, 3, 0]


def test_tiles_count_missions_duties_and_single_field_plantations():
    """GO-9.1, GO-8.1, GO-8.4: on the board or face down; a duty not done counts nothing."""
    anna = {"face_down": (MISSION, DUTY, "A01"),
            "plantations": (plantation("pepper", 1, 0), plantation("clove"))}

    standings = final(anna=anna, bram={"tiles": (DUTY,)})

    assert standings[ANNA].by_source["tiles"] == 2 + 4 + 1 + 1
    assert standings[BRAM].by_source["tiles"] == 0


def test_cards_above_the_limit_count_with_the_option():
    """GO-4.8a: all cards in hand score."""
    assert final(bram={"hand": (1, 2, 3, 4)})[BRAM].by_source["cards"] > 0


def test_of_those_who_tie_the_richer_one_wins():
    """GO-9.2: Anna and Bram have 10 VP, Chaim 3 for his ducats."""
    top = {"rows": {"ships": 5}}

    standings = final(anna=top | {"ducats": 2}, bram=top | {"ducats": 4}, chaim={"ducats": 9})

    assert [each.points for each in standings] == [10, 10, 3]
    assert [each.place for each in standings] == [2, 1, 3]


def test_then_the_win_is_shared():
    """GO-9.2: 1, 1, 3."""
    top = {"rows": {"ships": 5}}

    assert [each.place for each in final(anna=top, bram=top)] == [1, 1, 3]


def test_purses_and_hands_are_shown_at_the_end():
    """GO-9.1: and a preview stops in front of it."""
    state = additional(part="B", round=4, given={BRAM: {"hand": (7,), "ducats": 33}})

    (shown,) = facts(move(state, ANNA, Pass()), HandsShown)

    assert shown == HandsShown((10, 33, 10), ((), (7,), ()))
    assert shown.seen_by(ANNA) == shown
    preview = GAME.apply_action(state, ANNA, Pass(), Forbidden())
    assert preview.stopped
    assert facts(preview, HandsShown) == []


def test_before_the_end_nobody_leads():
    """GO-1.1: places would tell of purses."""
    assert {each.place for each in GAME.returns(additional())} == {1}
