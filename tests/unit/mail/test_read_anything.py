"""Whatever comes in is read without raising, and no quoted line is ever taken for an own one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.incoming.parse.quotes import said
from pbem.mail.incoming.parse.reading import Mail
from tests.support.strategies import ANY, RECIPIENTS, TO, Built, built, checked, damaged, sent

quietly = settings(max_examples=150, deadline=None, derandomize=True, database=None)


@quietly
@given(raw=ANY, recipient=RECIPIENTS, sender=st.sampled_from(["", "ana@players.example"]))
def test_any_bytes_are_read(raw: bytes, recipient: str, sender: str) -> None:
    checked(raw, recipient, sender)


@quietly
@given(raw=damaged())
def test_a_damaged_letter_is_read(raw: bytes) -> None:
    checked(raw)


@quietly
@given(letter=built())
def test_only_what_was_typed_is_read(letter: Built) -> None:
    assert said(letter.text).lines == letter.own


@quietly
@given(letter=built(), data=st.data())
def test_only_what_was_typed_is_read_in_every_encoding(
    letter: Built, data: st.DataObject
) -> None:
    found = checked(data.draw(sent(letter.text, TO, "ana@players.example")))
    assert isinstance(found, Mail)
    assert found.lines == letter.own


@quietly
@given(text=st.text())
def test_any_text_gives_lines_that_stand_in_it(text: str) -> None:
    checked(f"From: ana@players.example\r\n\r\n{text}".encode("utf-8", "replace"))
