"""Letters are split into orders, and lines are read by a grammar."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import notation
from engine.errors import MalformedOrder
from engine.notation import LineReader, OrderLine, order_lines, read

ALIASES = {"adj fel": "give up", "türkiz": "turquoise", "zsák": "bag", "vissza": "home"}


def words(*options):
    """A grammar of one word."""
    return lambda reader: reader.word(*options)


def reading(line, grammar, aliases=ALIASES):
    return read(line, grammar, aliases, str)


def key_of(line, grammar):
    with pytest.raises(MalformedOrder) as refused:
        reading(line, grammar)
    return refused.value.key


def test_a_letter_holds_one_order_a_line_or_several_with_semicolons():
    assert order_lines("place 3 nav;give up\n\n done ;") == [
        OrderLine(1, "place 3 nav"),
        OrderLine(1, "give up"),
        OrderLine(3, "done"),
    ]


def test_what_mail_programs_add_is_not_part_of_an_order():
    assert order_lines("\ufeffplace\u00a03\u200b nav\uff1bdone") == [
        OrderLine(1, "place 3 nav"),
        OrderLine(1, "done"),
    ]


def test_case_and_spaces_and_the_full_stop_are_free():
    assert reading("  TURQUOISE . ", words("turquoise")) == "turquoise"


@pytest.mark.parametrize("cut", ["tur", "turq", "turquois", "turquoise"])
def test_a_word_may_be_cut_to_three_letters(cut):
    assert reading(cut, words("turquoise", "violet")) == "turquoise"


def test_two_letters_are_too_few():
    assert key_of("tu", words("turquoise", "violet")) == "unknown_word"


def test_a_cut_that_fits_two_words_is_ambiguous():
    assert key_of("mal", words("malindi", "malabar")) == "ambiguous_word"


def test_a_word_that_is_also_the_start_of_another_stands_for_itself():
    assert reading("mal", words("mal", "malindi")) == "mal"


@pytest.mark.parametrize("word", ["ba", "fro", "fr"])
def test_bag_and_from_are_never_cut(word):
    assert key_of(word, words("bag", "from")) == "unknown_word"


def test_up_is_never_cut_but_the_verb_before_it_is():
    assert reading("giv up", words("give up")) == "give up"
    assert key_of("give u", words("give up")) == "unknown_word"


@pytest.mark.parametrize("line", ["türkiz", "turkiz", "TÜRK", "turquoise"])
def test_another_language_stands_beside_english_with_and_without_accents(line):
    assert reading(line, words("turquoise", "violet")) == "turquoise"


@pytest.mark.parametrize("line", ["adj fel", "Adj  fel."])
def test_an_alias_may_have_several_words(line):
    assert reading(line, words("give up", "place")) == "give up"


def test_an_alias_for_a_word_that_cannot_stand_here_is_not_read():
    assert key_of("vissza", words("give up", "place")) == "unknown_word"


def test_english_wins_over_an_alias_that_looks_the_same():
    assert read("natal", words("natal", "terra"), {"natal": "terra"}, str) == "natal"


def test_a_slip_is_answered_with_the_line_that_was_probably_meant():
    with pytest.raises(MalformedOrder) as refused:
        reading("violt", words("turquoise", "violet"))

    assert refused.value.choices == ["violet"]
    assert refused.value.numbers == {"line": "violt", "word": "violt"}
    assert refused.value.rule == "orders"


def test_half_an_order_of_two_words_is_completed():
    with pytest.raises(MalformedOrder) as refused:
        reading("give", words("give up", "place"))

    assert refused.value.choices == ["give up"]


def test_numbers_have_four_digits_at_most():
    def number(reader):
        return reader.number()

    assert reading("0042", number) == 42
    assert key_of("10000", number) == "number_too_big"
    assert key_of("1" * 200, number) == "number_too_big"


def test_what_stands_behind_the_order_is_refused():
    assert key_of("violet violet", words("violet")) == "wrong_shape"


def test_a_line_of_more_than_three_hundred_characters_is_not_read():
    assert key_of("violet" + " " * 300, words("violet")) == "line_too_long"


def test_ids_are_free_in_case_and_never_cut():
    def tile(reader):
        return reader.id(["I-03", "I-30"])

    assert reading("i-03", tile) == "I-03"
    assert key_of("i-3", tile) == "unknown_id"


def test_a_hand_over_arrow_reads_as_the_sign():
    def arrow(reader: LineReader):
        reader.sign(">")
        return "sent"

    assert {reading(line, arrow) for line in (">", "->", "→")} == {"sent"}


@given(st.text(max_size=400))
def test_no_letter_breaks_the_splitting(letter):
    assert all(line.text.strip() and ";" not in line.text for line in order_lines(letter))


@given(st.text(max_size=80))
def test_normalising_twice_changes_nothing(line):
    assert notation.normalised(notation.normalised(line)) == notation.normalised(line)
