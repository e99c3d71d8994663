"""What answers to letters say: what was read, what it did, what is asked next."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any
from urllib.parse import unquote

import pytest
from sqlmodel import Session, col, select

from engine.errors import MoveRefused
from pbem.i18n import words
from pbem.i18n.render import MARKER
from pbem.mail.letters import build
from pbem.mail.letters.receipts import DOUBTS, WRONG
from pbem.models import Entry, Game, Inbound, Outbox, SeatRow
from pbem.play import positions, receipts, refusals, submit
from pbem.play.receipts import CommandAnswer, ReceiptNotes
from pbem.service import Service
from tests.support.letterfactory import html_of, placing_game, play_on, text_of


def came_in(
    session: Session, service: Service, seat: SeatRow, told: ReceiptNotes, **fields: Any
) -> Inbound:
    """A judged letter of a player."""
    row = Inbound(received=service.clock.now(), source="smtp", sender="ana@players.example",
                  recipient="turn+x@reply.carreira.example", digest="0" * 64, state="played",
                  person_id=seat.person_id, **fields)  # fmt: skip
    receipts.keep_notes(row, told)
    session.add(row)
    session.flush()
    return row


def answer(
    session: Session, service: Service, inbound: Inbound, kind: str = "receipt", *,
    of_no_game: bool = False,
) -> EmailMessage:
    """Our answer to it, as its sender gets it."""
    now = service.clock.now()
    row = Outbox(person_id=inbound.person_id, kind=kind, about_id=inbound.id, dedup_key="1",
                 game_id=None if of_no_game else inbound.game_id, not_before=now, created=now,
                 message_id="<answer@carreira.example>")  # fmt: skip
    session.add(row)
    session.flush()
    reader = build.kind_of(row).reader(session, row)
    letter = build.build(session, row, service.settings, now, reader=reader)
    assert letter is not None
    return message_from_bytes(letter.raw, policy=default)


def seat_of(session: Session, game: int, number: int) -> SeatRow:
    found = select(SeatRow).where(SeatRow.game_id == game, SeatRow.number == number)
    return session.exec(found).one()


def below(text: str, heading: str) -> str:
    return text.partition(f"\n{heading}\n\n")[2]


def test_a_receipt_says_what_was_read_what_it_did_and_until_when_it_goes_back(
    service: Service,
) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    play_on(service, game, 1)
    with service.writing() as session:
        newest = select(Entry).where(Entry.game_id == game).order_by(col(Entry.number).desc())
        entry = session.exec(newest).first()
        assert entry is not None
        told = ReceiptNotes(lines=["place 8 recruiting"], signed="Anita")
        inbound = came_in(session, service, seat_of(session, game, 0), told, game_id=game,
                          submission_id=entry.submission_id)  # fmt: skip
        text = text_of(answer(session, service, inbound))

    above = text.partition(MARKER)[0]
    assert above.startswith("Your order is played.\nThe game waits for Bento")
    assert below(text, "WHAT WAS READ").startswith("- place 8 recruiting\n")
    assert "“Anita” was taken as your name." in text
    assert re.match(rf" *{entry.number}  Ana places ", below(text, "WHAT IT DID"))
    assert "It can be taken back with the word “undo”" in text
    assert "ANSWER WITH ONE LINE" not in text


def test_a_receipt_of_a_refusal_says_line_rule_numbers_and_what_would_do(service: Service) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    with service.writing() as session:
        seat = seat_of(session, game, 0)
        rules = positions.rules_of(session, session.get_one(Game, game))
        with pytest.raises(MoveRefused) as refused:
            submit.preview(session, seat, "place 29 recruiting", seen=2)
        told = ReceiptNotes(lines=["place 29 recruiting"], draft=["place 29 recruiting"],
                    refusal=refusals.as_stored(refused.value, rules))  # fmt: skip
        inbound = came_in(session, service, seat, told, game_id=game)
        letter = answer(session, service, inbound)

    text = text_of(letter)
    assert told.refusal is not None
    why = words.refusal("vasco-da-gama", told.refusal.key, told.refusal.rule,
                        told.refusal.numbers, "en", names=["Ana", "Bento"])  # fmt: skip
    assert why in " ".join(text.partition(MARKER)[0].split())
    assert "    place 29" not in text
    offered = [*re.findall(r"^    (place .*)$", text.partition(MARKER)[2], re.MULTILINE)]
    assert set(told.refusal.choices) <= set(offered)
    assert "place 29 recruiting" in html_of(letter)


@pytest.mark.parametrize("why", WRONG)
def test_what_is_wrong_with_a_letter_as_a_whole_is_said(service: Service, why: str) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    with service.writing() as session:
        told = ReceiptNotes(lines=["some line"], why=why, most=20)
        inbound = came_in(session, service, seat_of(session, game, 0), told)
        text = text_of(answer(session, service, inbound, of_no_game=True))

    said = " ".join(text.partition(MARKER)[0].split())
    wrong = WRONG[why] % {"most": 20, "kib": 0}
    assert said.startswith(f"Nothing of your letter was played. {wrong}")
    assert "- some line" in text


def test_who_has_to_go_on_on_a_page_is_told_which(service: Service) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    with service.writing() as session:
        told = ReceiptNotes(lines=["accept"], why="finish_on_page", link="http://localhost/invitations/x")
        inbound = came_in(session, service, seat_of(session, game, 0), told)
        text = text_of(answer(session, service, inbound, of_no_game=True))

    assert text.startswith("To be seated you have to say on a page who you are:\n")
    assert "http://localhost/invitations/x" in text.partition(MARKER)[0]


def test_words_are_answered_in_their_order(service: Service) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    with service.writing() as session:
        answers = [CommandAnswer("status", "Round 1.\n  Ana 0 VP"), CommandAnswer("log", "1 <b>")]
        told = ReceiptNotes(words=answers)
        inbound = came_in(session, service, seat_of(session, game, 0), told, game_id=game)
        letter = answer(session, service, inbound)

    text = text_of(letter)
    assert text.startswith("The answer to your letter.")
    assert below(text, "STATUS").startswith("Round 1.\n  Ana 0 VP\n")
    assert text.index("STATUS") < text.index("LOG") < text.index("ANSWER WITH ONE LINE")
    assert "1 &lt;b&gt;" in html_of(letter)


@pytest.mark.parametrize("why", [*DOUBTS, "always"])
def test_a_letter_that_is_held_says_why_and_where_to_confirm_it(service: Service, why: str) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    with service.writing() as session:
        told = ReceiptNotes(lines=["place 1 navigation"], why=why, sender="ana@work.example")
        inbound = came_in(session, service, seat_of(session, game, 0), told, game_id=game)
        letter = answer(session, service, inbound, "held")

    text = text_of(letter)
    assert f"http://localhost/held/{inbound.id}" in text
    assert text.index(MARKER) < text.index("place 1 navigation")
    assert ("ana@work.example" in text) == (why == "other_sender")
    answers = re.findall(r'href="mailto:([^?"]+)', html_of(letter))
    assert set(map(unquote, answers)) == {letter["Reply-To"]}
