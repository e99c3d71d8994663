"""Addresses have one stored form; nothing from outside can bend a header."""

from __future__ import annotations

import pytest

from pbem.mail.address import BadAddress, normalise
from pbem.mail.message import clean_header


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Ana@Players.EXAMPLE", "ana@players.example"),
        ("  ana+goa@players.example\n", "ana+goa@players.example"),
        ("ana@münchen.example", "ana@xn--mnchen-3ya.example"),
    ],
)
def test_an_address_is_stored_folded_with_its_domain_in_ascii(typed: str, stored: str) -> None:
    assert normalise(typed) == stored
    assert normalise(stored) == stored


@pytest.mark.parametrize(
    "typed",
    [
        "", "ana", "ana@", "@players.example", "ana@nowhere", "Ana <ana@players.example>",
        "ana@players.example, bento@players.example", "ana@players.example\nBcc: b@players.example",
        "a\x00na@players.example", "ana@play\u202eers.example", "ána@players.example",
        "a" * 65 + "@players.example", "ana@[127.0.0.1]",
    ],
)  # fmt: skip
def test_what_is_no_single_address_is_refused(typed: str) -> None:
    with pytest.raises(BadAddress):
        normalise(typed)


def test_a_header_text_is_one_line_without_turning_characters() -> None:
    assert clean_header("Ana\r\nBcc: all@x.example") == "Ana Bcc: all@x.example"
    assert clean_header("a\u202eb\u2066c\x00d\x85e") == "abc d e"
    assert clean_header("  Tábua \u2028 ") == "Tábua"


def test_a_header_text_is_cut_at_120_characters() -> None:
    assert clean_header("x" * 120) == "x" * 120
    assert clean_header("x" * 121) == "x" * 119 + "…"
