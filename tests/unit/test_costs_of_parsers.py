"""What strangers send is read at a cost that grows with its length, and no faster.

Each parser reads a text and four times as much of the same, and the two times are compared: that
may take some four times as long, the square would be 16. `make soak` takes longer texts.
Keys with dots are counted in steps.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from engine import notation, play, registry
from engine.errors import BadComponents, MoveRefused
from pbem import names
from pbem.archive import search
from pbem.clocks import rules, terms
from pbem.clocks.rules import BadClock
from pbem.mail import address, message, preferences
from pbem.mail.address import BadAddress
from pbem.mail.incoming.parse import authresults, read
from pbem.mail.incoming.parse.mime import Head
from pbem.mail.incoming.parse.reading import Envelope, Ours
from pbem.play import orders_ahead
from pbem.record.verify import verify
from pbem.tables import chat, full_text
from pbem.web import responses
from pbem.web.api import types
from pbem.web.table import forms
from tests.support.costs import processor_time, steps

WHOLE = (64 if "SOAK" in os.environ else 32) * 1024
QUARTER = WHOLE // 4
MOST_STEPS = 1_500_000  # for 64 KiB; a component set as printed takes some 20,000
MOST_TIMES = 11
SEEN = 0.02  # seconds: what takes less is lost in the noise, and does no harm
OURS = Ours("reply.carreira.example", "carreira.example", "mx.example")
ENVELOPE = Envelope("ana@players.example", f"turn+{'a' * 26}@reply.carreira.example")
REFUSALS = (BadComponents, BadAddress, BadClock, MoveRefused, names.BadText, msgspec.MsgspecError)
FROM_ANA = "From: ana@players.example\n"


def letter(kind: str, encoding: str = "8bit") -> Callable[[str], Any]:
    """Reads a letter that has the text as its body."""
    head = f"{FROM_ANA}Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n\n"
    return lambda text: read.read((head + text).encode(), ENVELOPE, OURS)


def header(name: str, begins: str = "") -> Callable[[str], Any]:
    """Reads a letter that has the text in a header."""
    def reading(text: str) -> Any:
        line = " ".join(text.split())
        return read.read(f"{name}: {begins}{line}\n{FROM_ANA}\nhi".encode(), ENVELOPE, OURS)

    return reading


def checked_by_ours(text: str) -> str:
    head = Head((("authentication-results", f"mx.example; dkim=pass {text}"),))
    return authresults.authentic(head, "ana@players.example", "mx.example")


PARSERS: dict[str, Callable[[str], Any]] = {
    "a set of Goa": lambda text: registry.made("goa", text),
    "a set of Vasco da Gama": lambda text: registry.made("vasco-da-gama", text),
    "a name": names.clean_name,
    "a phrase": lambda text: names.clean_line(text, limit=names.PHRASE_LENGTH),
    "talk and notes": chat.cleaned,
    "an address": address.normalise,
    "a header of ours": message.clean_header,
    "a search": full_text.parse_query,
    "a day": lambda text: search.day_begins(text, None),
    "a number": lambda text: forms.whole_number(text, least=1, most=9),
    "a way back": responses.local_path,
    "a clock": lambda text: terms.read(text, "default", text),
    "holidays": rules.read_holidays,
    "own hours": rules.read_hours,
    "reminders": rules.read_reminders,
    "a wish for letters": preferences.read,
    "orders": play.orders_in,
    "orders and orders ahead": lambda text: orders_ahead.split(text, "goa", "pt"),
    "a line of orders": notation.normalised,
    "orders of a program": lambda text: msgspec.json.decode(text, type=types.SentOrders),
    "a record": lambda text: verify([text.encode()]),
    "a plain letter": letter("text/plain; charset=utf-8"),
    "a letter that flows": letter("text/plain; format=flowed; delsp=yes; charset=utf-8"),
    "a letter in HTML": letter("text/html; charset=utf-8"),
    "a letter in quoted-printable": letter("text/plain; charset=utf-8", "quoted-printable"),
    "a letter in base64": letter("text/plain; charset=utf-8", "base64"),
    "a letter of parts": letter("multipart/mixed; boundary=a"),
    "a sender": header("From"),
    "a type": header("Content-Type"),
    "parameters": header("Content-Type", "multipart/mixed; "),
    "a recipient": header("Delivered-To"),
    "results of checks": checked_by_ours,
}
REPEATED = (
    "a", "A", " ", "\n", "\t", "\r\n", "9", ".", "a.", "-", "_", ",", ";", ":", "=", "/", "//",
    '"', "'", "\\", '\\"', '"" ', "(", "()", "[", "[[", "{", "<", ">", "<b ", "<!--", "<div>",
    "</div>", '<a b="', "&#1;", "&amp", "=?", "=?a?q?", "=3D", "=\n", "\n> ", "-- \n", "\n--",
    "--a\n", "@", "a@b.", "1-", "x=1\n", "[a]\n", "[[a]]\n", "{a=", "a.b=", "later:", "if ",
    "else ", "2026-12-24\n", " wrote:\n", "https://a.example/", "á", "\u0301", "\u0316\u0301",
    "e\u0301", "\uac00", "\ufdfa", "\u200b", "\u202e", "Ⅷ",
)  # fmt: skip
KEYS = ("[b]\na{} = 1", "[a{}]", "a{} = 1", "[[a{}]]", "x = {{a{} = 1}}", '"a"{} = 1')


def of_length(piece: str, length: int) -> str:
    """The piece over and over; no two are the same, so that no memory of it helps."""
    return piece * (length // len(piece.encode())) + secrets.token_hex(4)


def quiet(parser: Callable[[str], Any], text: str) -> Callable[[], None]:
    """One reading; what may be refused is refused, and nothing else is raised."""
    def work() -> None:
        with suppress(*REFUSALS):
            parser(text)

    return work


@pytest.mark.parametrize("name", PARSERS)
def test_no_text_costs_more_than_its_length(name: str) -> None:
    parser = PARSERS[name]
    dear: dict[str, tuple[float, float]] = {}
    for piece in REPEATED:
        less, more = (quiet(parser, of_length(piece, size)) for size in (QUARTER, WHOLE))
        time = processor_time(more)
        if time > SEEN and time > MOST_TIMES * (least := processor_time(less)):
            dear[piece] = least, time
    assert dear == {}


def keys() -> Iterator[str]:
    """Sets of 64 KiB whose keys have dots."""
    for pattern in KEYS:
        for dots in (1, 90, 32_000):
            line = pattern.format(".a" * dots)
            lines = max(1, (WHOLE - 100) // (len(line) + 6))
            yield "\n".join(line.replace("a", f"k{number}", 1) for number in range(lines))


@pytest.mark.parametrize("game", registry.GAMES)
def test_a_component_set_with_dots_in_its_keys_is_read_or_refused_cheaply(game: str) -> None:
    taken = [steps(quiet(PARSERS["a set of Goa" if game == "goa" else "a set of Vasco da Gama"],
                         text)) for text in keys()]

    assert max(taken) < 3 * MOST_STEPS
