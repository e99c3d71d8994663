"""The driver: letters of several orders, refusals with choices, forced moves."""

import pytest

from engine import codec, play
from engine.errors import MalformedOrder, MoveRefused, UnsettledOrder
from engine.vasco_da_gama.moves import GiveUp, PlaceDisc
from engine.vasco_da_gama.state import Disc
from tests.engine.vasco_da_gama.positions import ANNA, BRAM, GAME, called, placing, table

LAUNCH = {"projects": ("I-02",), "crew": "violet, grey", "captains": 1}


def sailing():
    """Anna has number 9 for an expedition and a project that she can launch; Bram follows."""
    return called(9, "navigation", Disc(12, BRAM, "recruiting"), given={ANNA: LAUNCH})


def last_placing():
    """Anna places the last disc of phase 1."""
    return placing(discs=[Disc(5, BRAM, "projects")], left=(1, 0, 0, 0))


def tried(state, lines, seat=ANNA, aliases=None):
    return play.letter(GAME, state, seat, lines, aliases or {})


def refused(state, lines, seat=ANNA):
    with pytest.raises(MoveRefused) as caught:
        tried(state, lines, seat)
    return caught.value


def test_orders_of_a_letter_build_on_one_another():
    attempt = tried(sailing(), "launch I-02: violet, grey; send moz: I-02>4")

    assert [text for text, _ in attempt.moves] == [
        "launch I-02: violet, grey",
        "send mozambique: I-02>4",
    ]
    assert attempt.state.players[ANNA].points[1] == 4
    assert not attempt.stopped
    assert attempt.untried == ()


def test_trying_a_letter_leaves_the_table_alone():
    state = sailing()
    before = state.copy()

    tried(state, "launch I-02: violet, grey")

    assert state == before


def test_a_line_that_cannot_be_read_voids_the_letter():
    refusal = refused(sailing(), "launch I-02: violet, grey\n\nsend mozambik: I-02>4\ndone")

    assert isinstance(refusal, MalformedOrder)
    assert (refusal.line, refusal.text) == (3, "send mozambik: I-02>4")
    assert refusal.choices == ["send mozambique: I-02>4"]


def test_an_illegal_line_is_named_and_what_can_be_sent_comes_with_it():
    refusal = refused(sailing(), "launch I-02: violet, grey\nsend natal: I-03>4")

    assert (refusal.line, refusal.text, refusal.key) == (2, "send natal: I-03>4", "not_your_ship")
    assert GiveUp() in refusal.choices


def test_a_letter_stops_in_front_of_what_would_be_revealed():
    attempt = tried(last_placing(), "place 7 projects\ngive up\nbuy I-01")

    assert attempt.stopped
    assert [text for text, _ in attempt.moves] == ["place 7 projects"]
    assert attempt.turns[-1].stopped
    assert [order.text for order in attempt.untried] == ["give up", "buy I-01"]


def test_nothing_behind_a_reveal_is_computed():
    (turn,) = tried(last_placing(), "place 7 projects").turns

    assert [codec.tag_of(type(event)) for event in turn.events] == ["DiscPlaced"]


def test_a_line_behind_a_reveal_must_be_readable_all_the_same():
    refusal = refused(last_placing(), "place 7 projects\nbuuy I-01")

    assert (refusal.line, refusal.key) == (2, "unknown_verb")


def test_a_later_line_may_name_an_amount_that_lies_there_only_then():
    attempt = tried(last_placing(), "place 7 projects\ntake 9")

    assert [order.text for order in attempt.untried] == ["take 9"]


def test_the_first_line_may_not():
    state = called(9, "characters", money=(8, 4))

    assert isinstance(refused(state, "take 9"), UnsettledOrder)


def test_a_bare_slot_is_read_against_the_table_that_the_lines_before_it_leave():
    state = called(
        9, "navigation", Disc(10, ANNA, "navigation"),
        given={ANNA: {"ships": ("II-12", "III-10"), "captains": 2}},
    )

    attempt = tried(state, "send calicut: II-12>11; send calicut: III-10>11")

    assert attempt.moves[1][0] == "send calicut: III-10>11b"


def test_an_empty_letter_is_no_order():
    assert refused(sailing(), " ;\n; ").key == "no_orders"


def test_a_letter_of_more_than_sixty_orders_is_not_tried():
    assert refused(sailing(), "give up;" * 61).key == "too_many_orders"


def test_a_letter_as_long_as_a_book_is_not_even_split():
    assert refused(sailing(), "a" * 10_000_000).key == "too_many_orders"


def test_an_order_of_a_page_is_refused_without_looking_for_what_it_resembles():
    assert refused(sailing(), "give up " * 1000).key == "line_too_long"


def test_a_seat_that_is_not_asked_is_told_so():
    assert refused(sailing(), "give up", seat=BRAM).key == "not_your_turn"


def test_a_refusal_offers_twelve_moves_at_most_from_the_first_to_the_last():
    refusal = refused(placing(), "place 21 navigation")

    assert len(refusal.choices) == play.MOST_CHOICES
    assert refusal.choices[0] == PlaceDisc(1, "navigation")
    assert refusal.choices[-1] == PlaceDisc(20, "characters")


def test_every_choice_of_a_refusal_would_be_accepted():
    state = sailing()
    refusal = refused(state, "send natal: I-03>4")

    for move in refusal.choices:
        play.move(GAME, state, ANNA, move, play.Forbidden())


@pytest.mark.parametrize("slip", ["plaice 6 projects", "doen", "send natal: I-O3>4", "launch I-O2"])
def test_a_slip_is_corrected_into_what_can_be_played_now_and_nothing_else(slip):
    state = sailing()
    refusal = refused(state, slip)

    assert isinstance(refusal, MalformedOrder)
    for line in refusal.choices:
        tried(state, line)


def test_a_question_with_one_answer_answers_itself():
    state = called(9, "characters", money=(None, None), hosts=(BRAM,) * 4)

    assert play.forced(GAME, state) == (ANNA, GiveUp())


def test_a_question_with_a_choice_is_asked():
    assert play.forced(GAME, sailing()) is None


def test_a_table_that_asks_nobody_forces_nothing():
    assert play.forced(GAME, table()) is None


def test_another_language_reads_to_the_same_move():
    attempt = tried(sailing(), "feladás", aliases={"feladás": "give up"})

    assert attempt.moves == (("give up", GiveUp()),)
