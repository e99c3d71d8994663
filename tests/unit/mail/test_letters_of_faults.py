"""Letters that were misread once, judged as their index says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlmodel import select

from pbem.mail.incoming import store
from pbem.mail.incoming.judge import judge
from pbem.mail.incoming.parse.reading import Envelope
from pbem.models import Chat, Inbound, Outbox, Person
from pbem.service import Service
from tests.support.answering import Answers, at_table, bidding, placing
from tests.support.letterfactory import text_of
from tests.support.letters_read import LETTERS, TOKEN

FAULTS = LETTERS / "faults"
WRITER = "player.one@mail.example"
PLAYED, REFUSED, HELD, IGNORED = "played", "refused", "held", "ignored"


class Right(NamedTuple):
    """What is right for a letter: its state, the orders that are recorded, and the rest."""

    state: str
    orders: str | None = None
    words: tuple[str, ...] = ()
    signed: str | None = None
    below: tuple[str, ...] = ()
    reason: str | None = None


LATER_22 = (
    "later: up to 4 for lot 2; pass on the rest; up to 3 for lot 3; up to 2 for lot 4"
)
RIGHT = {
    "01": Right(PLAYED, "pass\nbid 5"),
    "02": Right(PLAYED, "bid 5", below=("later: pass on the rest",)),
    "03": Right(PLAYED, words=("chat",), below=("place 8 recruiting",)),
    "05": Right(PLAYED, words=("vacation",)),
    "07": Right(PLAYED, "bid 5"),
    "09": Right(PLAYED, "bid 5"),
    "10": Right(PLAYED, "bid 5"),
    "11": Right(IGNORED, reason="reaction"),
    "13": Right(IGNORED, reason="null_sender"),
    "14": Right(PLAYED, "bid 5", signed="Thanks! Player One"),
    "16": Right(PLAYED, "bid 5"),
    "18": Right(REFUSED, words=("undo",), reason="nothing_to_take_back"),
    "19": Right(PLAYED, words=("status",)),
    "20": Right(PLAYED, "bid 5", words=("chat",)),
    "22": Right(PLAYED, LATER_22),
    "23": Right(PLAYED, "bid 5"),
    "24": Right(PLAYED, "bid 5"),
    "25": Right(HELD, reason="not_authentic"),
    "26": Right(PLAYED, "bid 5"),
    "27": Right(PLAYED, "bid 5"),
}


def number(path: Path) -> str:
    return path.name.partition("_")[0]


def table_for(service: Service, path: Path) -> Answers:
    """A table whose asked player has the letters' address, behind a server that checks senders."""
    checked = replace(service, settings=replace(
        service.settings, mail_trust="dmarc", authserv_id="mx.play.example"))
    is_vasco = path.stem.endswith("_vasco")
    table = at_table(checked, placing if is_vasco else bidding,
                     game_key="vasco-da-gama" if is_vasco else "goa")  # fmt: skip
    asked = next(seat for seat in map(table.seat, range(4)) if seat.asked_since is not None)
    table.change(Person, asked.person_id, address=WRITER)
    return table


def comes_in(table: Answers, path: Path) -> Inbound:
    """The letter, as an answer to the newest turn letter of its writer."""
    letter = table.letter(name=name_of(table))
    purpose = "bounce" if path.stem.endswith("__to_bounce_address") else "turn"
    recipient = table.address(letter, purpose)  # type: ignore[arg-type]
    raw = path.read_bytes().replace(
        f"turn+{TOKEN}@reply.play.example".encode(), recipient.encode())
    sender = "" if b"Return-Path: <>" in raw else WRITER
    came = store.store(table.service, Envelope(sender, recipient, "smtp"), raw)
    judge(table.service, came, enqueue=table.enqueued.append)
    table.advance()
    return table.inbound(came)


def name_of(table: Answers) -> str:
    with table.service.reading() as session:
        return session.exec(select(Person.name).where(Person.address == WRITER)).one()


def test_each_letter_is_in_the_index_and_has_what_is_right() -> None:
    named = {line.split("\t")[0] for line in (FAULTS / "INDEX.tsv").read_text().splitlines()[1:]}
    assert {path.name for path in FAULTS.glob("*.eml")} == named
    assert {number(path) for path in FAULTS.glob("*.eml")} == set(RIGHT)


@pytest.mark.parametrize("path", sorted(FAULTS.glob("*.eml")), ids=number)
def test_a_letter_that_was_misread_once_is_judged_as_the_index_says(
    service: Service, path: Path
) -> None:
    table = table_for(service, path)
    came = comes_in(table, path)
    told = table.told(came)
    orders = [each.orders for each in table.submissions()]
    assert Right(
        str(came.state), orders[0] if orders else None, tuple(each.word for each in told.words),
        told.signed, tuple(told.below), came.reason,
    ) == RIGHT[number(path)]  # fmt: skip


def judged(service: Service, begins: str) -> tuple[Answers, Inbound]:
    [path] = FAULTS.glob(f"{begins}_*.eml")
    table = table_for(service, path)
    return table, comes_in(table, path)


def test_an_order_about_a_lot_that_its_writer_had_not_seen_comes_back(service: Service) -> None:
    table, came = judged(service, "01")
    assert table.told(came).draft == ["bid 5"]


def test_a_chat_that_tells_what_somebody_wrote_is_whole(service: Service) -> None:
    table, _ = judged(service, "20")
    with table.service.reading() as session:
        assert [each.text for each in session.exec(select(Chat))] == [
            "On Sunday at 10:12 Bento wrote:\nhe will not fight for Quilon."]


def test_the_receipt_names_what_stood_below_an_empty_line(service: Service) -> None:
    table, _ = judged(service, "02")
    [letter] = [each for each in table.sent().letters if "receipt" in str(each["Message-ID"])]
    assert "“later: pass on the rest”; it was not read" in " ".join(text_of(letter).split())


@pytest.mark.parametrize("begins", ["11", "13"])
def test_what_no_person_wrote_is_not_answered_and_kills_no_address(
    service: Service, begins: str
) -> None:
    table, came = judged(service, begins)
    assert table.all("receipt") + table.all("held") == []
    with table.service.reading() as session:
        assert session.get_one(Outbox, came.letter_id or 0).bounce is None \
            if came.letter_id else True
