"""A burst in both directions through the whole service, its listener killed on the way."""

from __future__ import annotations

import pytest

from tests.tools.soak.letters_burst import answers_in, burst, failed, out

pytestmark = [pytest.mark.slow, pytest.mark.soak]
LETTERS = 60


def test_in_a_burst_no_letter_is_lost_or_doubled() -> None:
    """`python -m tests.tools.soak.letters_burst` does the same with 10,000."""
    with burst(LETTERS) as test:
        sent = out(test)
        told = answers_in(test)

    assert not failed(sent), sent
    assert not failed(told), told
    assert told["played"] == LETTERS
    assert told["ignored"] >= LETTERS // 10, "those that were sent twice"
