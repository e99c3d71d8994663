"""The kept letters, and others like them, over the real listener at games that are played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pbem.mail import tokens
from pbem.mail.incoming import inbox
from pbem.models import Inbound, InboundState, Outbox, Person, stored_id
from pbem.service import Service
from tests.conftest import Enqueuer
from tests.support import mail_programs
from tests.support.answering import Answers, at_table, bidding, placing
from tests.support.incoming import listening, rows, smtp

LETTERS = Path(__file__).parents[2] / "letters"
TOKEN, STALE = "k7q2v9m4x3t8w5z6b2c7d4f3h9", "p4n8r2s6y3j7g5k9m2q4t6v8x3"
PLAYER = "player.one@mail.example"
INDEX = {
    name: (right, command.strip())
    for name, right, command in (
        line.split("\t") for line in (LETTERS / "INDEX.tsv").read_text("utf-8").splitlines()[1:]
    )
}
ACCEPTED = sorted(name for name, (right, _) in INDEX.items() if right.startswith("accept"))


@dataclass
class Post:
    """A table whose first player's letters come in by SMTP and are judged as a worker would."""

    table: Answers
    letter: Outbox
    stale: Outbox

    def arrive(self, raw: bytes, recipient: str, sender: str) -> Inbound:
        """Hand a letter to the listener; its row once it is judged."""
        enqueuer = Enqueuer()
        service = self.table.service
        with listening(service, enqueuer, "smtp://127.0.0.1:0") as door, smtp(door) as line:
            line.sendmail(sender, [recipient], raw)
        newest = rows(service)[-1]
        inbox.work_off(service, stored_id(newest), enqueue=self.table.enqueued.append)
        return rows(service)[-1]

    def kept(self, name: str) -> Inbound:
        """One of the kept letters, with this game's tokens."""
        raw = (LETTERS / f"{name}.eml").read_bytes()
        key = self.table.service.settings.keys
        purpose: tokens.Purpose = "bounce" if b"\nTo: bounce+" in raw else "turn"
        for old, ours in ((TOKEN, self.letter), (STALE, self.stale)):
            new = tokens.token(key, purpose, ours).encode()
            raw = raw.replace(old.encode(), new).replace(old.upper().encode(), new.upper())
        head = raw.partition(b"\r\n\r\n")[0].decode("latin-1")
        given = dict(line.split(": ", 1) for line in head.split("\r\n") if ": " in line)
        return self.arrive(raw, given["Delivered-To"], given["Return-Path"].strip("<>"))

    @property
    def played(self) -> list[str]:
        """The orders that letters brought."""
        return [sent.orders.casefold() for sent in self.table.submissions()]

    @property
    def answers(self) -> list[str]:
        """The kinds of our answers."""
        return [each.kind for kind in ("receipt", "held") for each in self.table.all(kind)]


def post(service: Service, game_key: str) -> Post:
    """A game in which Ana, at this address, is asked."""
    settings = replace(
        service.settings, reply_domain="reply.play.example", mail_domain="play.example",
        authserv_id="mx.play.example", mail_trust="dmarc",
    )  # fmt: skip
    service = replace(service, settings=settings)
    table = at_table(
        service, placing if game_key == "vasco-da-gama" else bidding, game_key=game_key
    )
    asked = next(number for number in range(4) if table.seat(number).asked_since is not None)
    person_id = table.seat(asked).person_id
    table.change(Person, person_id, address=PLAYER)
    with service.reading() as session:
        name = session.get_one(Person, person_id).name
    letter = table.letter("turn", name)
    with service.writing() as session:
        stale = Outbox(
            person_id=letter.person_id, kind="turn", game_id=letter.game_id, entry=1,
            dedup_key="stale",
            state="sent", shown=1, not_before=letter.created, created=letter.created,
        )  # fmt: skip
        session.add(stale)
        session.commit()
    return Post(table, letter, stale)


@pytest.fixture
def vasco(service: Service) -> Post:
    return post(service, "vasco-da-gama")


@pytest.fixture
def goa(service: Service) -> Post:
    return post(service, "goa")


# ---- the kept letters ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_kept_letter_with_an_order_is_played(service: Service, name: str) -> None:
    command = INDEX[name][1]
    box = post(service, "vasco-da-gama" if command.startswith("place") else "goa")
    came = box.kept(name.removesuffix(".eml"))
    assert (came.state, came.reason) == (InboundState.PLAYED, None)
    assert box.played == [command]
    box.table.advance()
    assert box.answers == ["receipt"]
    assert [sent.state for sent in box.table.submissions()] == ["played"]


def test_a_kept_letter_that_only_quotes_an_order_is_refused(goa: Post) -> None:
    came = goa.kept("reject_empty_reply_only_quoted_old_command")
    assert (came.state, came.reason) == (InboundState.REFUSED, "no_orders")
    assert (goa.played, goa.answers) == ([], ["receipt"])


def test_a_kept_letter_of_a_vacation_responder_is_ignored(goa: Post) -> None:
    assert goa.kept("ignore_out_of_office_auto_replied").state == InboundState.IGNORED
    assert (goa.played, goa.answers) == ([], [])


def test_a_kept_hard_bounce_stops_letters_to_the_address(goa: Post) -> None:
    came = goa.kept("bounce_hard_5_1_1_dsn")
    assert (came.state, came.reason) == (InboundState.BOUNCE, "hard")
    assert (goa.played, goa.answers) == ([], [])
    assert suppressed(goa) is not None


def test_a_kept_note_of_a_delay_stops_nothing(goa: Post) -> None:
    came = goa.kept("bounce_delayed_4_4_7_dsn_is_not_failure")
    assert (came.state, came.reason) == (InboundState.BOUNCE, "delayed")
    assert (goa.played, goa.answers, suppressed(goa)) == ([], [], None)


def suppressed(box: Post) -> str | None:
    with box.table.service.reading() as session:
        return session.get_one(Person, box.letter.person_id).suppressed


def test_a_kept_letter_that_comes_twice_is_played_once(goa: Post) -> None:
    goa.kept("valid_gmail_en_pass_wrapped_attribution")
    came = goa.kept("duplicate_redelivered_same_message_id")
    assert (came.state, came.reason) == (InboundState.IGNORED, "duplicate")
    goa.table.advance()
    assert (goa.played, goa.answers) == (["pass"], ["receipt"])


def test_a_kept_letter_without_an_id_that_comes_twice_is_played_once(goa: Post) -> None:
    states = [goa.kept("accept_missing_message_id_dedupe_by_digest").state for _ in range(2)]
    assert states == [InboundState.PLAYED, InboundState.IGNORED]
    assert goa.played == ["pass"]


def test_a_kept_answer_to_an_older_letter_is_told_that_the_game_moved_on(goa: Post) -> None:
    came = goa.kept("reject_stale_token_previous_turn")
    assert (came.state, came.reason) == (InboundState.REFUSED, "position_moved_on")
    assert (goa.played, goa.answers) == ([], ["receipt"])


@pytest.mark.parametrize(
    ("name", "reason"),
    [("quarantine_forwarded_token_other_sender", "other_sender"),
     ("reject_forged_authentication_results", "not_authentic")],
)  # fmt: skip
def test_a_kept_letter_that_may_be_forged_is_held(goa: Post, name: str, reason: str) -> None:
    came = goa.kept(name)
    assert (came.state, came.reason) == (InboundState.HELD, reason)
    assert (goa.played, goa.answers) == ([], ["held"])


def test_a_kept_letter_of_150_levels_is_refused_and_the_next_one_played(goa: Post) -> None:
    came = goa.kept("reject_mime_nesting_150_levels")
    assert (came.state, came.reason) == (InboundState.REFUSED, "too_deep")
    assert goa.kept("accept_token_address_uppercased").state == InboundState.PLAYED


# ---- others like them ---------------------------------------------------------------------------



@pytest.fixture(scope="module")
def orders() -> Iterator[list[str]]:
    yield ["place 9 projects", "place 8 recruiting", "place 7 characters", "place 6 navigation"]


@pytest.mark.parametrize("client", sorted(mail_programs.CLIENTS))
def test_letters_of_every_program_are_played_in_every_language(
    service: Service, orders: list[str], client: str
) -> None:
    box = post(service, "vasco-da-gama")
    for number, language in enumerate(mail_programs.LANGUAGES):
        charsets = mail_programs.CHARSETS[language]
        raw = mail_programs.reply(
            client, language, [orders[number]], to=box.table.address(box.letter), sender=PLAYER,
            charset=charsets[number % len(charsets)],
            below="Ana" if number % 2 else "", message_id=f"<{client}.{number}@mail.example>",
            on_top=["Authentication-Results: mx.play.example; dmarc=pass"
                    " header.from=mail.example"],
        )  # fmt: skip
        came = box.arrive(raw, box.table.address(box.letter), PLAYER)
        told = box.table.told(came)
        assert told.lines == [orders[number]], (client, language)
        assert told.signed == ("Ana" if number % 2 else None), (client, language)
        assert came.state == (InboundState.PLAYED if number == 0 else InboundState.REFUSED)
    assert box.played == [orders[0]]


@pytest.mark.parametrize("client", ["gmail", "outlook", "mutt"])
def test_several_orders_with_a_name_below_are_all_read(vasco: Post, client: str) -> None:
    both = ["place 8 recruiting; place 9 projects", "place 7 characters"]
    raw = mail_programs.reply(
        client, "pt", both, to=vasco.table.address(vasco.letter), sender=PLAYER, below="Zé",
        on_top=["Authentication-Results: mx.play.example; dmarc=pass header.from=mail.example"],
    )  # fmt: skip
    came = vasco.arrive(raw, vasco.table.address(vasco.letter), PLAYER)
    told = vasco.table.told(came)
    assert told.lines == ["place 8 recruiting", "place 9 projects", "place 7 characters"]
    assert told.signed == "Zé"
