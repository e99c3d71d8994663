"""Every move of Goa has a one-line order that reads back to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import play
from engine.chance import Scripted
from engine.errors import MalformedOrder, NotYourTurn
from engine.goa import moves, orders
from engine.goa.component_sets import STANDARD, read
from engine.goa.fields import ORDER
from engine.goa.grammar import VERBS
from engine.goa.lookups import SPACES
from engine.goa.moves import (
    Bid,
    BuildShips,
    ChooseAhead,
    ChooseColony,
    ChooseGain,
    Discard,
    DrawCards,
    Drop,
    Expedition,
    Extra,
    FoundColony,
    Harvest,
    PayUpTo,
    PlaceFlag,
    PlaceMarker,
    PlayCard,
    Progress,
    QuickMarkers,
    Taxes,
    UseDuty,
    UseGoods,
    UseHarvest,
    UseSpice,
    UseTile,
    UseTrade,
    Wait,
)
from engine.goa.state import (
    COLONIES,
    COLUMNS,
    GRID,
    PLACES,
    SPICES,
    Colony,
    GoaPlayer,
    GoaState,
    Plantation,
)
from tests.engine.goa.positions import BRAM, CHAIM, GAME, auction, changed, turn

COMPONENTS = read(STANDARD.read_text("utf-8"))
CARD = {card.effect: card.number for card in COMPONENTS.cards.values()}
PLANTED = (
    Plantation("A06", "ginger", 2, 1),
    Plantation("A14", "clove", 2, 2),
    Plantation("A07", "ginger", 2, 2),
    None,
)
COLONISED = (
    Colony("quilon1", 1, ("ginger", "nutmeg"), (0, 0, 0, 0, 0)),
    Colony("cochin", 1, SPICES, (0, 1, 0, 0, 0)),
    Colony("madras3", 2, ("pepper", "cinnamon"), (0, 1, 0, 0, 0)),
    None,
)
OWNER = GoaPlayer(ducats=9, ships=5, hand=(4, 9), plantations=PLANTED, colonies=COLONISED)
TABLE = GoaState(players=(OWNER, GoaPlayer()), deck=tuple(range(10, 31)))
ALIASES = {"aratás": "harvest", "gyömbér": "ginger", "hajók": "ships"}


def table_with(**fields):
    """The table with other holdings of its first seat."""
    table = TABLE.copy()
    table.change(0, **fields)
    return table


def readings(line, table=TABLE):
    return orders.from_text(COMPONENTS, line, table, 0, ALIASES)


def reading(line, table=TABLE):
    (move,) = readings(line, table)
    return move


def refusal(line, table=TABLE):
    with pytest.raises(MalformedOrder) as refused:
        readings(line, table)
    return refused.value


# ---- round trips -------------------------------------------------------------------------------

numbers = st.integers(0, 9999)
cards = st.sampled_from(tuple(COMPONENTS.cards))
hands = st.lists(cards, unique=True, max_size=5).map(sorted).map(tuple)
columns = st.sampled_from(COLUMNS)
colonies = st.sampled_from(COLONIES)
grid = st.sampled_from(GRID)
goods = st.sampled_from(("ships", "colonists"))
maybe_card = st.none() | cards
sack_places = st.sampled_from(sorted(ORDER, key=ORDER.__getitem__))
loads = st.lists(st.tuples(sack_places, st.integers(1, 9)), min_size=1, max_size=6,
                 unique_by=lambda sack: sack[0])
sacks = loads.map(
    lambda found: tuple((*key, number) for key, number in sorted(found, key=lambda s: ORDER[s[0]]))
)
some_spices = st.lists(st.sampled_from(SPICES), min_size=1, max_size=3)
spices = some_spices.map(lambda found: tuple(sorted(found, key=SPICES.index)))
fillings = st.dictionaries(st.sampled_from(PLACES), st.just(()) | spices, min_size=1, max_size=3)

EVERY_ACTION = {
    Progress: st.builds(Progress, columns, maybe_card, sacks),
    BuildShips: st.just(BuildShips()),
    Harvest: st.builds(Harvest, maybe_card, st.integers(0, 8), st.integers(0, 8), sacks),
    Taxes: st.just(Taxes()),
    Expedition: st.builds(Expedition, numbers, hands),
    FoundColony: st.builds(FoundColony, colonies, maybe_card),
}
EVERY_MOVE = {
    **EVERY_ACTION,
    QuickMarkers: st.lists(columns, min_size=2, max_size=2).map(
        lambda chosen: QuickMarkers(tuple(sorted(chosen, key=COLUMNS.index)))
    ),
    moves.QuickDucats: st.just(moves.QuickDucats()),
    PlaceFlag: st.builds(PlaceFlag, st.sampled_from(tuple(SPACES))),
    PlaceMarker: st.builds(PlaceMarker, grid),
    Bid: st.builds(Bid, numbers),
    moves.Pass: st.just(moves.Pass()),
    Drop: st.builds(Drop, numbers),
    ChooseGain: st.builds(ChooseGain, goods),
    DrawCards: st.builds(DrawCards, numbers, hands),
    moves.Pay: st.just(moves.Pay()),
    moves.Decline: st.just(moves.Decline()),
    ChooseColony: st.builds(ChooseColony, st.sampled_from(tuple(COMPONENTS.may_hold)), spices),
    PlayCard: st.builds(PlayCard, cards, st.just(()) | sacks, st.none())
    | st.builds(PlayCard, cards, st.just(()), columns),
    UseGoods: st.builds(UseGoods, st.sampled_from(("ship", "ducats", "colonist"))),
    UseSpice: st.builds(UseSpice, st.sampled_from(SPICES), st.sampled_from(PLACES)),
    UseDuty: st.builds(UseDuty, sacks),
    UseHarvest: fillings.map(
        lambda found: UseHarvest(tuple((place, found[place]) for place in PLACES if place in found))
    ),
    UseTrade: st.builds(UseTrade, grid),
    UseTile: st.builds(UseTile, st.sampled_from(tuple(COMPONENTS.by_id)), st.none() | numbers,
                       st.none() | goods),
    Extra: st.builds(Extra, st.one_of(*EVERY_ACTION.values())),
    Discard: st.builds(Discard, cards),
    moves.EndTurn: st.just(moves.EndTurn()),
}


def test_every_kind_of_move_is_among_those_tried():
    assert set(EVERY_MOVE) == set(moves.AnyMove.__args__)


@given(st.one_of(*EVERY_MOVE.values()))
def test_an_order_reads_back_to_its_move(move):
    line = orders.to_text(COMPONENTS, move)

    assert reading(line) == move
    assert reading(line.upper() + ".") == move
    assert reading(line, table_with(plantations=(None,) * 4, colonies=(None,) * 4)) == move


@given(st.one_of(*EVERY_MOVE.values()))
def test_the_canonical_order_has_no_idle_signs(move):
    line = orders.to_text(COMPONENTS, move)

    assert line == " ".join(line.split())
    assert line == line.strip(" .,:")


@given(st.text(max_size=60))
def test_no_text_does_more_than_be_refused(line):
    try:
        readings(line)
    except MalformedOrder as refused:
        assert refused.rule == "orders"
    else:
        assert line.strip()


@given(
    st.lists(
        st.sampled_from(
            [*VERBS, *SPICES, *COLUMNS, *COLONIES, "using", "from", "pay up to", "north", "c", "c3",
             "a01", "quilon1", "duty", "spice", "ship", ":", ",", "@", "1", "2", "9", "27"]
        ),
        max_size=8,
    )
)
def test_no_row_of_known_words_does_more_than_be_refused(words):
    line = " ".join(words)
    try:
        read_as = readings(line)
    except MalformedOrder as refused:
        assert all(readings(choice) for choice in refused.choices)
    else:
        again = readings(orders.line_of(COMPONENTS, read_as))
        assert again == read_as


# ---- the forms of orders.md --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("flag C3", PlaceFlag("c3")),
        ("flag nor c", PlaceFlag("north c")),
        ("FLAG WEST2.", PlaceFlag("west 2")),
        ("marker d4", PlaceMarker("d4")),
        ("bid 6", Bid(6)),
        ("gain col", ChooseGain("colonists")),
        ("draw 2 dis 9, 4", DrawCards(2, (4, 9))),
        ("quick taxes, ships", QuickMarkers(("ships", "taxes"))),
        ("hajok", BuildShips()),
        ("aratas gyomber@1", Harvest(None, 0, 0, (("ginger", "1", 1),))),
        ("harvest using 19:1 ships, 2 col", Harvest(19, 1, 2, ())),
        ("harvest 2 ships", Harvest(None, 2, 0, ())),
        ("expedition 2 discard 4", Expedition(2, (4,))),
        ("found coc using 22", FoundColony("cochin", 22)),
        ("choose quilon1: nutmeg, ginger", ChooseColony("quilon1", ("ginger", "nutmeg"))),
        ("choose coc: clove", ChooseColony("cochin", ("clove",))),
        ("play 1", PlayCard(1, (), None)),
        ("play 16: expedition", PlayCard(16, (), "expedition")),
        ("use col", UseGoods("colonist")),
        ("use trade D2", UseTrade("d2")),
        ("use harvest: quilon ginger, 1", UseHarvest((("1", ()), ("quilon", ("ginger",))))),
        ("use b22 gain ships", UseTile("B22", None, "ships")),
        ("use B03 drop 2", UseTile("B03", 2, None)),
        ("extra taxes", Extra(Taxes())),
        ("wait", Wait()),
    ],
)
def test_orders_may_be_written_in_these_ways(line, move):
    assert reading(line) == move


def test_several_discards_are_one_move_a_card():
    assert readings("discard 9, 4") == [Discard(9), Discard(4)]


def test_answers_ahead_stand_behind_a_founding_in_their_order():
    choice = ChooseAhead(ChooseColony("quilon2", ("nutmeg",)))

    assert readings("found quilon using 22 pay up to 3 choose quilon2: nutmeg") == [
        FoundColony("quilon", 22), PayUpTo(3), choice,
    ]
    assert readings("extra found calicut pay up to 1") == [Extra(FoundColony("calicut", None)),
                                                           PayUpTo(1)]
    assert refusal("found quilon choose quilon2: nutmeg pay up to 3").key == "wrong_shape"


# ---- spices without a place --------------------------------------------------------------------


def test_payments_are_served_by_plantations_in_turn_then_by_colonies():
    move = reading("progress taxes from ginger 2, pepper 2")

    assert move.sacks == (("ginger", "1", 1), ("ginger", "3", 1), ("pepper", "cochin", 1),
                          ("pepper", "madras", 1))


def test_madras_is_served_before_cochin():
    assert reading("progress taxes from pepper").sacks == (("pepper", "madras", 1),)


def test_entries_with_a_place_are_served_first_and_equal_ones_are_merged():
    move = reading("progress taxes from ginger, ginger@1, clove@2, clove@2")

    assert move.sacks == (("ginger", "1", 1), ("clove", "2", 2), ("ginger", "3", 1))


def test_a_harvest_is_laid_on_empty_fields_in_the_order_in_which_it_is_written():
    assert reading("harvest ginger 2, cinnamon").sacks == (
        ("ginger", "1", 1), ("ginger", "quilon", 1), ("cinnamon", "madras", 1)
    )


def test_what_finds_no_place_is_laid_on_a_full_one_for_the_rules_to_refuse():
    assert reading("harvest ginger 3").sacks == (("ginger", "1", 2), ("ginger", "quilon", 1))
    assert reading("use duty: nutmeg 6").sacks == (("nutmeg", "quilon", 6),)
    assert reading("harvest clove", table_with(colonies=(None,) * 4)).sacks == (("clove", "2", 1),)


def test_progress_without_sacks_pays_the_cost_from_the_first_fields():
    assert reading("progress ships").sacks == (("ginger", "1", 1),)
    assert reading("progress taxes", table_with(markers=(1, 1, 2, 1, 1))).sacks == (
        ("pepper", "madras", 1),
    )


def test_progress_with_the_card_without_spices_pays_none():
    card = CARD["progress_without_spices"]

    assert reading(f"progress ships using {card}") == Progress("ships", card, ())


def test_a_card_that_sells_takes_from_fields_and_one_that_gives_fills_them():
    sells, gives = CARD["sell_up_to_4_spices"], CARD["take_2_spices"]

    assert reading(f"play {sells}: pepper 2").sacks == (("pepper", "cochin", 1),
                                                        ("pepper", "madras", 1))
    assert reading(f"play {gives}: pepper, ginger").sacks == (("ginger", "1", 1),
                                                              ("pepper", "madras", 1))


def test_a_spice_of_a_tile_goes_to_the_first_field_that_may_hold_it():
    assert reading("use spice nutmeg") == UseSpice("nutmeg", "quilon")
    assert reading("use spice ginger@3") == UseSpice("ginger", "3")


# ---- expeditions that do not say how many ------------------------------------------------------


def on_expedition(row, hand):
    return table_with(markers=(1, 1, 1, row, 1), hand=hand)


def test_an_expedition_draws_all_cards_where_they_fit():
    assert reading("expedition", on_expedition(4, (4,))) == Expedition(2, ())
    assert reading("extra expedition", on_expedition(4, (4,))) == Extra(Expedition(2, ()))


def test_an_expedition_asks_where_they_do_not_fit():
    assert reading("expedition", on_expedition(4, (4, 5, 9))) == Expedition(None, ())
    assert orders.to_text(COMPONENTS, Expedition(None, ())) == "expedition"


def test_an_expedition_with_discards_draws_what_fits_behind_them():
    full = on_expedition(4, (4, 5, 6, 9))

    assert reading("expedition discard 9", full) == Expedition(1, (9,))
    assert reading("expedition discard 9, 4", full) == Expedition(2, (4, 9))


def test_an_expedition_draws_no_more_than_there_is():
    table = on_expedition(5, ())
    table.deck = (10,)

    assert reading("expedition", table) == Expedition(1, ())


# ---- what cannot be read -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("bidd 6", "unknown_verb"),
        ("flag f3", "unknown_id"),
        ("flag north 3", "unknown_id"),
        ("marker north c", "unknown_id"),
        ("harvest", "wrong_shape"),
        ("harvest sugar", "unknown_word"),
        ("harvest ginger 0", "wrong_shape"),
        ("harvest ginger@5", "unknown_id"),
        ("harvest using 31: 1 ships", "unknown_id"),
        ("bid 99999", "number_too_big"),
        ("choose quilon: ginger", "unknown_id"),
        ("use a28", "unknown_id"),
        ("use harvest 1", "wrong_shape"),
        ("extra pass", "unknown_word"),
        ("progress taxes form pepper", "wrong_shape"),
        ("found quilon pay 2", "wrong_shape"),
        ("", "wrong_shape"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(line, key):
    assert refusal(line).key == key


@pytest.mark.parametrize(
    ("line", "choice"),
    [
        ("falg c3", "flag c3"),
        ("flag nroth c", "flag north c"),
        ("harvest gnger@1", "harvest ginger@1"),
        ("found quillon", "found quilon"),
        ("choose quilno1: ginger", "choose quilon1: ginger"),
        ("use dutty: clove 2", "use duty: clove@2 2"),
        ("found qulon pay up to 2", "found quilon pay up to 2"),
        ("discrad 9, 4", "discard 9, 4"),
    ],
)
def test_a_slip_gets_the_line_that_was_meant(line, choice):
    assert choice in refusal(line).choices


def test_the_order_of_another_seat_is_read_by_its_own_fields():
    table = TABLE.copy()
    table.players = (GoaPlayer(), replace(OWNER, hand=()))

    (move,) = orders.from_text(COMPONENTS, "harvest nutmeg", table, 1, ALIASES)

    assert move.sacks == (("nutmeg", "quilon", 1),)


@pytest.mark.parametrize(
    ("state", "line", "rule"),
    [
        (auction(), "bid 3; wait", "GO-3.1"),
        (auction(), "discard 1; wait", "GO-3.1"),
        (turn(seat=CHAIM), "discard 1; wait", "GO-4.1"),
    ],
)
def test_wait_is_the_last_word_of_a_line_of_ones_own_turn(state, line, rule):
    """GO-4.10: it keeps a turn open, and Bram has none now."""
    state = changed(state, BRAM, hand=(1,))

    with pytest.raises(NotYourTurn) as refused:
        play.letter(GAME, state, BRAM, line, {}, chance=Scripted(()))

    assert (refused.value.key, refused.value.rule) == ("not_your_turn", rule)
