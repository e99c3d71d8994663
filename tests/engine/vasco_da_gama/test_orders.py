"""Every move of Vasco da Gama has a one-line order that reads back to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import MalformedOrder, UnsettledOrder
from engine.vasco_da_gama import moves, orders
from engine.vasco_da_gama.component_sets import STANDARD, read
from engine.vasco_da_gama.moves import (
    Buy,
    BuyGabriel,
    ChooseProject,
    ChooseSailor,
    DrawSailor,
    GiveUp,
    Host,
    HostManuel,
    HostSernigi,
    Launch,
    PlaceDisc,
    Recruit,
    Send,
    SendMerchant,
    TakeMoney,
)
from engine.vasco_da_gama.state import (
    AREAS,
    CHARACTERS,
    CREW,
    LANDINGS,
    SPACES,
    Ship,
    VascoPlayer,
    VascoState,
)

COMPONENTS = read(STANDARD.read_text("utf-8"))
IDS = tuple(COMPONENTS.order)
TABLE = VascoState(
    players=(VascoPlayer(),) * 4,
    landings=tuple((None,) * len(landing.slots) for landing in COMPONENTS.landings),
    money=(9, 4),
    gabriel="I-10",
    sections=((0, 0, 0, 0),) * 4,
)
ALIASES = {"adj fel": "give up", "helyez": "place", "hajózás": "navigation"}


def moored(landing, *slots):
    """The empty table with merchant ships in these slots of a landing."""
    table = TABLE.copy()
    place = LANDINGS.index(landing)
    row = tuple(
        Ship(4) if slot in slots else None for slot in range(len(TABLE.landings[place]))
    )
    table.landings = (*TABLE.landings[:place], row, *TABLE.landings[place + 1 :])
    return table


def reading(line, table=TABLE):
    (move,) = orders.from_text(COMPONENTS, line, table, 0, ALIASES)
    return move


def refusal(line, table=TABLE):
    with pytest.raises(MalformedOrder) as refused:
        reading(line, table)
    return refused.value


# ---- round trips -------------------------------------------------------------------------------

numbers = st.integers(0, 9999)
ids = st.sampled_from(IDS)
areas = st.sampled_from(AREAS)
targets = st.sampled_from(
    [
        (landing.word, slot)
        for landing in COMPONENTS.landings
        for slot in range(len(landing.slots))
    ]
)


@st.composite
def bought(draw):
    """Up to two projects in the order of the set; one alone is not the São Gabriel project."""
    chosen = draw(st.lists(ids, min_size=1, max_size=2, unique=True))
    if chosen == [TABLE.gabriel]:
        chosen = ["I-01"]
    return Buy(tuple(sorted(chosen, key=IDS.index)))


@st.composite
def recruited(draw):
    """Sailors of a section and a captain, or a captain alone."""
    sailors = draw(st.tuples(*[st.integers(0, 5)] * 4))
    if not any(sailors):
        return Recruit(None, sailors, captain=True)
    return Recruit(draw(st.integers(1, 9)), sailors, captain=draw(st.booleans()))


@st.composite
def sent(draw):
    """Ships in different slots of one landing, by slot."""
    landing = draw(st.sampled_from(COMPONENTS.landings))
    places = st.integers(0, len(landing.slots) - 1)
    slots = sorted(draw(st.lists(places, min_size=1, unique=True)))
    tiles = draw(st.lists(ids, min_size=len(slots), max_size=len(slots), unique=True))
    return Send(landing.word, tuple(zip(tiles, slots, strict=True)))


@st.composite
def launched(draw):
    crew = draw(st.lists(st.sampled_from(CREW), min_size=1, max_size=5, unique=True))
    return Launch(draw(ids), tuple(sorted(crew, key=CREW.index)))


EVERY_MOVE = {
    PlaceDisc: st.builds(PlaceDisc, numbers, areas),
    GiveUp: st.just(GiveUp()),
    Buy: bought(),
    BuyGabriel: st.just(BuyGabriel()),
    Recruit: recruited(),
    Send: sent(),
    ChooseProject: st.builds(ChooseProject, ids),
    ChooseSailor: st.builds(ChooseSailor, st.sampled_from(CREW[:4]), numbers),
    DrawSailor: st.just(DrawSailor()),
    TakeMoney: st.builds(TakeMoney, st.sampled_from(SPACES)),
    Host: st.builds(Host, st.sampled_from(CHARACTERS)),
    HostSernigi: targets.map(lambda target: HostSernigi(*target)),
    HostManuel: st.builds(HostManuel, numbers, areas),
    SendMerchant: targets.map(lambda target: SendMerchant(*target)),
    Launch: launched(),
    moves.EndLaunches: st.just(moves.EndLaunches()),
}


def test_every_kind_of_move_is_among_those_tried():
    assert set(EVERY_MOVE) == set(moves.AnyMove.__args__)


@given(st.one_of(*EVERY_MOVE.values()))
def test_an_order_reads_back_to_its_move(move):
    line = orders.to_text(COMPONENTS, move)

    assert reading(line) == move
    assert reading(line.upper() + ".") == move
    assert reading(line, moored("malindi", 0, 1)) == move


@given(st.one_of(*EVERY_MOVE.values()))
def test_the_canonical_order_has_no_idle_signs(move):
    line = orders.to_text(COMPONENTS, move)

    assert line == " ".join(line.split())
    assert not line.endswith(".")


@given(st.text(max_size=60))
def test_no_text_does_more_than_be_refused(line):
    try:
        reading(line)
    except MalformedOrder as refused:
        assert refused.rule == "orders"
    else:
        assert line.strip()


@given(
    st.lists(
        st.sampled_from(
            [*orders.VERBS, *AREAS, *LANDINGS, *CREW, *CHARACTERS, *IDS[:3], "captain", "from",
             "bag", "upper", ":", ",", ">", "9", "9a", "21", "gabriel", "merchant"]
        ),
        max_size=8,
    )
)
def test_no_row_of_known_words_does_more_than_be_refused(words):
    line = " ".join(words)
    try:
        move = reading(line)
    except MalformedOrder as refused:
        assert all(reading(choice) for choice in refused.choices)
    else:
        assert reading(orders.to_text(COMPONENTS, move)) == move


# ---- the forms of orders.md --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("place 22 nav", PlaceDisc(22, "navigation")),
        ("PLACE 3 Characters.", PlaceDisc(3, "characters")),
        ("place 3nav", PlaceDisc(3, "navigation")),
        ("helyez 4 hajozas", PlaceDisc(4, "navigation")),
        ("giv up", GiveUp()),
        ("adj fel", GiveUp()),
        ("buy gab", BuyGabriel()),
        ("buy i-10", BuyGabriel()),
        ("buy I-04 i-02", Buy(("I-02", "I-04"))),
        ("buy I-02, I-04", Buy(("I-02", "I-04"))),
        ("recruit 2: violet, violet", Recruit(2, (0, 2, 0, 0), captain=False)),
        ("recruit 2:3 orange,captain, vio", Recruit(2, (0, 1, 0, 3), captain=True)),
        ("recruit 2: captain", Recruit(None, (0, 0, 0, 0), captain=True)),
        ("recruit captain", Recruit(None, (0, 0, 0, 0), captain=True)),
        ("bonus viol from 2", ChooseSailor("violet", 2)),
        ("bonus bag", DrawSailor()),
        ("bonus i-04", ChooseProject("I-04")),
        ("take low", TakeMoney("lower")),
        ("take 4", TakeMoney("lower")),
        ("host manuel", Host("manuel")),
        ("host manuel 21 nav", HostManuel(21, "navigation")),
        ("host ser merch mal>9a", HostSernigi("malindi", 0)),
        ("host sernigi", Host("sernigi")),
        ("merchant natal > 4", SendMerchant("natal", 0)),
        ("launch I-03: white, turquoise", Launch("I-03", ("turquoise", "white"))),
        ("launch I-03: missionary, turq", Launch("I-03", ("turquoise", "white"))),
    ],
)
def test_orders_may_be_written_in_these_ways(line, move):
    assert reading(line) == move


def test_a_sailor_named_without_a_number_is_one_and_is_written_so():
    assert orders.to_text(COMPONENTS, reading("recruit 2: grey")) == "recruit 2: 1 grey"


def test_ships_are_written_by_their_slots_from_the_left():
    move = reading("send malindi: I-12>9b, I-11>9a")

    assert orders.to_text(COMPONENTS, move) == "send malindi: I-11>9a, I-12>9b"


def test_lettered_slots_are_reserved_before_bare_values_are_filled():
    assert reading("send malindi: I-11>9, I-12>9a") == Send("malindi", (("I-12", 0), ("I-11", 1)))


def test_a_bare_value_takes_the_leftmost_such_slot_still_empty():
    assert reading("merchant malindi>9", moored("malindi", 0)) == SendMerchant("malindi", 1)


def test_bare_values_are_filled_ship_by_ship():
    assert reading("send calicut: III-10>11, III-11>11") == Send(
        "calicut", (("III-10", 0), ("III-11", 1))
    )


def test_a_bare_value_without_an_empty_slot_names_the_leftmost_of_all():
    assert reading("merchant malindi>9", moored("malindi", 0, 1)) == SendMerchant("malindi", 0)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("bidd 6", "unknown_verb"),
        ("place 3 harbour", "unknown_word"),
        ("send ma: I-11>9", "unknown_word"),
        ("place nav 3", "wrong_shape"),
        ("place 3", "wrong_shape"),
        ("give up now", "wrong_shape"),
        ("recruit 2: 0 grey", "wrong_shape"),
        ("recruit 2: captain, captain", "unknown_word"),
        ("launch I-03", "wrong_shape"),
        ("buy IV-01", "unknown_id"),
        ("merchant natal>5", "unknown_slot"),
        ("place 99999 nav", "number_too_big"),
        ("place 3 nav; done", "wrong_shape"),
        ("", "wrong_shape"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(line, key):
    assert refusal(line).key == key


@pytest.mark.parametrize(
    ("line", "choice"),
    [
        ("plaice 3 nav", "place 3 navigation"),
        ("place 3 navigaton", "place 3 navigation"),
        ("give", "give up"),
        ("recruit 2: violt", "recruit 2: 1 violet"),
        ("bonus ba", "bonus bag"),
        ("buy I-4", "buy I-04"),
        ("launch I-03: turquise, grey", "launch I-03: turquoise, grey"),
    ],
)
def test_a_slip_gets_the_line_that_was_meant(line, choice):
    assert choice in refusal(line).choices


def test_an_amount_that_lies_in_both_spaces_names_neither():
    table = TABLE.copy()
    table.money = (4, 4)

    assert refusal("take 4", table).key == "ambiguous_amount"


def test_an_amount_that_lies_nowhere_may_lie_there_later():
    assert isinstance(refusal("take 5"), UnsettledOrder)


@pytest.mark.parametrize("line", ["buy I–05", "buy I‑05", "buy I−05", "buy i—05"])
def test_an_id_may_be_typed_with_whatever_dash_a_phone_makes_of_it(line):
    assert reading(line) == Buy(("I-05",))
