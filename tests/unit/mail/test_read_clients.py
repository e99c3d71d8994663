"""What nine mail programs in four languages send, read back as what was typed.

An order is read from each program in each language; all else from each program in one language,
each language having its programs. `make soak` (SOAK=yes) reads every pair.
"""

from __future__ import annotations

import os

import pytest

from pbem.mail.incoming.parse.read import read
from pbem.mail.incoming.parse.reading import Addressed, Envelope, Mail, Ours
from tests.support.mail_programs import ASKED, CHARSETS, CLIENTS, LANGUAGES, WITH_HTML, reply

OURS = Ours("reply.play.example", "play.example", "mx.play.example")
TOKEN = "k7q2v5m4x3t6w5z6b2c7d4f3h7"
TO = f"turn+{TOKEN}@reply.play.example"
PAIRS = [(client, language) for client in CLIENTS for language in LANGUAGES]
SOME_PAIRS = PAIRS if os.environ.get("SOAK") else [
    (client, LANGUAGES[place % len(LANGUAGES)]) for place, client in enumerate(CLIENTS)]
ORDERS = ["place 8 recruiting", "bid 5", "harvest ginger@1 2, pepper@cochin"]


def lines_of(raw: bytes) -> tuple[str, ...]:
    """The lines that are read, in a letter that nothing speaks against."""
    found = read(raw, Envelope("ana@players.example", TO, "lmtp"), OURS)
    assert isinstance(found, Mail), found
    assert (found.to, found.sender, found.doubts) == (
        Addressed("turn", TOKEN), "ana@players.example", (),
    )  # fmt: skip
    return found.lines


@pytest.mark.parametrize(("client", "language"), PAIRS)
def test_one_order_is_read_and_nothing_else(client: str, language: str) -> None:
    for order in ORDERS:
        assert lines_of(reply(client, language, [order], to=TO)) == (order,)


@pytest.mark.parametrize(("client", "language"), SOME_PAIRS)
class TestEveryClient:
    def test_one_order_is_read_in_every_charset(self, client: str, language: str) -> None:
        for charset in CHARSETS[language]:
            raw = reply(client, language, ["bid 5"], to=TO, charset=charset)
            assert lines_of(raw) == ("bid 5",), charset

    def test_two_orders_are_read_line_by_line(self, client: str, language: str) -> None:
        assert lines_of(reply(client, language, ORDERS[:2], to=TO)) == tuple(ORDERS[:2])

    def test_two_orders_in_one_line_stay_one_line(self, client: str, language: str) -> None:
        both = "; ".join(ORDERS[:2])
        assert lines_of(reply(client, language, [both], to=TO)) == (both,)

    def test_a_name_directly_below_is_a_line(self, client: str, language: str) -> None:
        raw = reply(client, language, ["pass"], to=TO, below="Ana")
        assert lines_of(raw) == ("pass", "Ana")

    def test_what_stands_below_an_empty_line_is_not_read(self, client: str, language: str) -> None:
        raw = reply(client, language, ["bid 5"], to=TO, later="pass")
        assert lines_of(raw) == ("bid 5",)

    def test_an_empty_answer_holds_no_line_of_the_quote(self, client: str, language: str) -> None:
        assert lines_of(reply(client, language, [""], to=TO)) == ()

    def test_a_quote_that_begins_with_an_order_gives_none(self, client: str, language: str) -> None:
        raw = reply(client, language, [""], to=TO, asked=f"pass\nbid 9\n{ASKED}")
        assert lines_of(raw) == ()

    def test_the_letters_of_the_language_survive(self, client: str, language: str) -> None:
        said = {"en": "chat naïve", "hu": "licitál: őű", "ru": "пас", "pt": "lançar não"}[language]
        for charset in CHARSETS[language]:
            if charset != "us-ascii":
                raw = reply(client, language, [said], to=TO, charset=charset)
                assert lines_of(raw) == (said,), charset


@pytest.mark.parametrize(
    ("client", "language"), [pair for pair in SOME_PAIRS if pair[0] in WITH_HTML])
class TestHtmlAlone:
    def test_one_order_is_read_and_nothing_else(self, client: str, language: str) -> None:
        for charset in CHARSETS[language]:
            raw = reply(client, language, ["bid 5"], to=TO, charset=charset, only_html=True)
            assert lines_of(raw) == ("bid 5",), charset

    def test_two_orders_are_read_line_by_line(self, client: str, language: str) -> None:
        raw = reply(client, language, ORDERS[:2], to=TO, only_html=True)
        assert lines_of(raw) == tuple(ORDERS[:2])

    def test_a_name_and_a_later_line_are_kept_apart(self, client: str, language: str) -> None:
        raw = reply(client, language, ["pass"], to=TO, below="Ana", later="bid 9", only_html=True)
        assert lines_of(raw) == ("pass", "Ana")

    def test_an_empty_answer_holds_no_line_of_the_quote(self, client: str, language: str) -> None:
        raw = reply(client, language, [""], to=TO, only_html=True, asked=f"pass\n{ASKED}")
        assert lines_of(raw) == ()
