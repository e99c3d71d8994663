"""What mail programs and servers go by: threads, answers, unsubscribing; and that no name adds."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from sqlmodel import select

from pbem.accounts.keys import Keys
from pbem.mail import queue
from pbem.mail.letter import Image, LetterContext, Reader
from pbem.mail.letters.kinds import KINDS
from pbem.mail.message import as_bytes, envelope_sender, folded, headers, mailbox, subject, written
from pbem.mail.tokens import is_ours, letter_of, token
from pbem.models import Game, Inbound, Outbox, Person
from pbem.service import Service
from pbem.tables import invitations, lobby
from tests.support.letterfactory import person, placing_game, play_on, sign_in, swept, the_letter

REPLY = "@reply.carreira.example"
HIDDEN = "=?utf-8?q?a=0d=0aBcc:_all@players.example?="  # a line end and a header, encoded


def named(service: Service, address: str) -> tuple[str, int | None]:
    """The purpose of one of our addresses, and the letter that it names."""
    purpose, _, token = address.removesuffix(REPLY).partition("+")
    with service.reading() as session:
        found = letter_of(session, service.settings.keys, purpose, token)  # type: ignore
    return purpose, found and found.id


def row_of(service: Service, letter: EmailMessage) -> Outbox:
    """The row of a letter that was sent."""
    with service.reading() as session:
        return session.exec(select(Outbox).where(Outbox.message_id == letter["Message-ID"])).one()


ABOUT = {"g": "game_id", "i": "invitation_id"}  # of a letter, by the first letter of what it names


def made(service: Service, kind: str, about: str, **fields: Any) -> dict:
    """The headers of a letter of any kind to Ana, and its envelope sender as "sender"."""
    with service.writing() as session:
        ana = session.exec(select(Person).where(Person.name == "Ana")).first()
        ana = ana or person(session, "Ana")
        row = Outbox(id=1, person_id=ana.id, kind=kind, message_id="<x@carreira.example>",
                     **{"about_id": 1, ABOUT.get(about[0], "about_id"): int(about[1:])})
        row.game = None if row.game_id is None else session.get(Game, row.game_id)
        reader = Reader.of(ana, ana.address)
        it = LetterContext(session, row, service.clock.now(), reader, service.settings, **fields)
        found = headers(it, KINDS[kind])
        session.rollback()
    return dict(found) | {"sender": envelope_sender(KINDS[kind], row, service.settings)}


# ---- a letter of a game -------------------------------------------------------------------------


def test_a_letter_of_a_game_has_the_headers_that_mail_programs_go_by(service: Service) -> None:
    placing_game(service)

    letter = the_letter(service, "turn", "ana@")
    with service.reading() as session:
        mark = session.get_one(Game, 1).mark

    assert mark.startswith("1-")  # a restore gives the number to another game, never the mark
    assert letter["From"] == "Carreira <table@carreira.example>"
    assert letter["To"] == "Ana <ana@players.example>"
    assert letter["Subject"] == "[Carreira 1] Your turn – Vasco da Gama, Spring fleet"
    assert letter["Date"] == "Mon, 02 Mar 2026 12:00:00 +0000"
    assert re.fullmatch(r"<g1\.turn\.2\.[0-9a-f]{8}@carreira\.example>", letter["Message-ID"])
    assert letter["References"] == letter["In-Reply-To"] == f"<g{mark}@carreira.example>"
    assert letter["List-Id"] == f"Game 1 <g{mark}.carreira.example>"
    assert letter["List-Archive"] == "<http://localhost/games/1>"
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter["X-Auto-Response-Suppress"] == "All"
    assert letter["Feedback-ID"] == "g1:turn:en:carreira"
    assert letter["Precedence"] is None


def test_the_addresses_in_a_letter_name_the_letter_and_what_they_are_for(service: Service) -> None:
    placing_game(service)

    letter = the_letter(service, "turn", "ana@")

    number = row_of(service, letter).id
    page, address = letter["List-Unsubscribe"].split(", ")
    assert named(service, letter["Reply-To"]) == ("turn", number)
    assert named(service, address[len("<mailto:") : -1]) == ("unsub", number)
    token = page.removeprefix("<http://localhost/u/").removesuffix(">")
    assert named(service, f"unsub+{token}{REPLY}") == ("unsub", number)
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_a_letter_has_one_address_of_each_kind() -> None:
    key = Keys(b"k" * 32)
    name = token(key, "turn", Outbox(id=42, message_id="<a@carreira.example>"))
    spelled = [name[:-1] + last for last in "abcdefghijklmnopqrstuvwxyz234567"]
    assert [each for each in spelled if is_ours(key, "turn", each)] == [name]
    assert is_ours(key, "turn", name.upper())


def test_the_archive_of_a_private_game_is_not_named(service: Service) -> None:
    game = placing_game(service)
    with service.writing() as session:
        session.get_one(Game, game).private = True
        session.commit()

    assert the_letter(service, "turn", "ana@")["List-Archive"] is None


def test_all_letters_of_a_game_to_one_player_stand_in_one_thread(service: Service) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    first = the_letter(service, "turn", "ana@")
    play_on(service, game, 2)

    second = the_letter(service, "turn", "ana@")

    root = first["In-Reply-To"]
    assert first["Subject"] == second["Subject"]
    assert second["In-Reply-To"] == root
    assert second["References"].split() == [root, first["Message-ID"]]
    assert first["Message-ID"] != second["Message-ID"]


def test_the_letter_before_is_found_without_walking_all_letters(service: Service) -> None:
    from pbem.mail.message import NEWEST_BEFORE

    with service.reading() as session:
        compiled = NEWEST_BEFORE.compile(session.get_bind())
        plan = session.connection().exec_driver_sql(
            f"explain query plan {compiled}", (0, 1, "turn", 1, "sent", 9)
        ).all()

    assert "USING INDEX" in plan[-1][-1]
    assert "PRIMARY KEY" not in plan[-1][-1]


# ---- by kind ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "about", "purpose"),
    [
        ("turn", "g1", "turn"), ("started", "g1", "turn"), ("refused", "g1", "turn"),
        ("receipt", "g1", "turn"), ("invited", "i1", "turn"), ("receipt", "m1", "words"),
        ("finished", "g1", "words"), ("cancelled", "g1", "words"), ("expired", "g1", "words"),
        ("test", "p1", "words"), ("sign_in", "s1", ""), ("confirm", "s1", ""),
        ("second_address", "s1", ""),
    ],
)  # fmt: skip
def test_an_answer_to_a_letter_may_do_what_its_kind_says(
    service: Service, kind: str, about: str, purpose: str
) -> None:
    found = made(service, kind, about).get("Reply-To", "")

    assert found.partition("+")[0] == purpose
    assert found.endswith(REPLY if purpose else "")


def test_a_letter_that_tells_of_several_games_takes_no_orders(service: Service) -> None:
    own, other = (
        Outbox(person_id=1, kind="turn", game_id=number, entry=2) for number in (1, 2)
    )

    assert made(service, "turn", "g1", others=[other])["Reply-To"].startswith("words+")
    assert made(service, "receipt", "g1", others=[own])["Reply-To"].startswith("turn+")


@pytest.mark.parametrize("kind", ["turn", "sign_in", "invited", "finished"])
def test_a_bounce_says_which_letter_did_not_arrive(service: Service, kind: str) -> None:
    about = {"sign_in": "s1", "invited": "i1"}.get(kind, "g1")

    assert re.fullmatch(rf"bounce\+[a-z2-7]{{26}}{REPLY}", made(service, kind, about)["sender"])


@pytest.mark.parametrize(("kind", "about"), [("receipt", "g1"), ("receipt", "m1"), ("held", "m1")])
def test_an_answer_says_so_and_to_what_and_nothing_comes_back_for_it(
    service: Service, kind: str, about: str
) -> None:
    came_in(service, "<abc.1@mail.players.example>")

    found = made(service, kind, about)

    assert found["sender"] == ""
    assert found["Auto-Submitted"] == "auto-replied"
    assert found["In-Reply-To"] == "<abc.1@mail.players.example>"
    assert found["References"].split()[-1] == "<abc.1@mail.players.example>"


@pytest.mark.parametrize(
    "message_id", [None, "<a b@c>", "x", "<a@b>\r\nBcc: <c@d>", "<ä@b>", HIDDEN, f"<{HIDDEN}>"]
)
def test_an_answer_copies_no_odd_message_id(service: Service, message_id: str | None) -> None:
    placing_game(service)
    came_in(service, message_id)

    found = made(service, "receipt", "g1")

    assert found["In-Reply-To"] == found["References"]
    assert re.fullmatch(r"<g1-[0-9a-f]{8}@carreira\.example>", found["References"])


def came_in(service: Service, message_id: str | None) -> None:
    with service.writing() as session:
        session.add(Inbound(received=service.clock.now(), source="pipe", recipient="turn@x",
                            message_id=message_id, digest="d"))  # fmt: skip
        session.commit()


def test_a_letter_that_is_of_no_game_is_no_list_s(service: Service) -> None:
    found = made(service, "sign_in", "s1")

    assert not {name for name in found if name.startswith(("List-", "Ref", "In-Reply"))}
    assert found["Feedback-ID"] == "site:sign_in:en:carreira"


# ---- names --------------------------------------------------------------------------------------

NAMES = [
    "Ana\r\nBcc: all@players.example", 'Ana" <x@y.example>', "Ána", HIDDEN, "Ana, Bento", "Ж" * 40,
    "=?utf-8?b?DQpCY2M6IGFsbEBwbGF5ZXJzLmV4YW1wbGUNCg0KeA==?=", "a\\", "Ana\u202egro",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_no_name_can_add_a_header_or_another_recipient(service: Service, name: str) -> None:
    with service.writing() as session:
        ana = person(session, "Ana")
        ana.name = name
        now = service.clock.now()
        asked = sign_in(session, ana.address, now)
        queue.due(session, person_id=ana.id, kind="sign_in", about_id=asked.id,
                      now=now)
        session.commit()

    shelf = swept(service)

    letter = shelf.letters[0]
    assert letter["Bcc"] is None
    assert shelf.recipients == ["ana@players.example"]
    assert [to.addr_spec for to in letter["To"].addresses] == ["ana@players.example"]
    assert b"\r\nBcc" not in shelf.raw[0]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_no_host_s_name_can_add_a_header_by_the_subject(service: Service, name: str) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana = person(session, "Ana")
        game = lobby.open_game(
            session, host=ana, game_key="vasco-da-gama", title="", seats=3, chosen_order=False,
            private=True, components=None, phrase="", open_days=30, now=now,
        )  # fmt: skip
        invitations.invite(session, game_id=game.id or 0, host=ana,
                           address="guest@players.example", a_day=40, now=now)  # fmt: skip
        ana.name = name
        session.commit()

    shelf = swept(service)

    raw = next(raw for raw in shelf.raw if b".invited." in raw)
    head = raw.partition(b"\r\n\r\n")[0]
    assert not re.search(rb"(?m)^Bcc", head)
    assert b"\r\nList-" not in head
    assert "Content-Type: multipart/alternative" in head.decode("ascii")


@pytest.mark.parametrize("text", ["Your turn – Vasco", "Ваш ход " * 12, HIDDEN, "plain", "=?x"])
def test_a_subject_reads_as_it_was_meant_and_stays_one_line(text: str) -> None:
    raw = written([subject(text)])

    head = message_from_bytes(raw, policy=policy.compat32)
    assert list(head.keys()) == ["Subject"]
    if text != HIDDEN:
        read = message_from_bytes(raw, policy=policy.default)["Subject"]
        assert read == text.strip()[:119] + ("…" if len(text.strip()) > 120 else "")
    assert all(len(line) <= 78 for line in raw.split(b"\r\n"))


@pytest.mark.parametrize("name", ["Ana", 'Ana "la" B', "Ж" * 20, "Ana (x)", "A. B", "Ö, Ü"])
def test_a_name_reads_as_it_was_typed(name: str) -> None:
    raw = written([("To", mailbox(name, "ana@players.example"))])

    (to,) = message_from_bytes(raw, policy=policy.default)["To"].addresses
    assert (to.display_name, to.addr_spec) == (name, "ana@players.example")


def test_addresses_of_pages_are_never_broken_or_encoded() -> None:
    page = f"<https://{'very-' * 16}long.example/u/{'a' * 26}>,"

    line = folded("List-Unsubscribe", f"{page} <mailto:unsub+{'a' * 26}@reply.example>")

    assert page in line
    assert line.count("\r\n ") == 1


# ---- pictures -----------------------------------------------------------------------------------


def test_a_picture_comes_with_the_html_that_shows_it() -> None:
    image = Image("table.1.2@carreira.example", b"\x89PNG" * 500, "a table")

    raw = as_bytes([("To", "ana@players.example")], "text\n", '<img src="cid:table">', [image])

    letter = message_from_bytes(raw, policy=policy.default)
    kinds = [part.get_content_type() for part in letter.walk()]
    picture = list(letter.walk())[-1]
    assert kinds == ["multipart/alternative", "text/plain", "multipart/related", "text/html",
                     "image/png"]  # fmt: skip
    assert picture["Content-ID"] == "<table.1.2@carreira.example>"
    assert picture.get_content_disposition() == "inline"
    assert picture.get_content() == image.png
    assert all(len(line) <= 78 for line in raw.split(b"\r\n"))
