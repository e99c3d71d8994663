"""Handing letters to real servers: what they say comes back as a value, and never as two copies."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.mail import smtp
from pbem.mail.server_answers import Accepted, Meaning, Refused, Unreachable, meaning
from pbem.mail.smtp import Relay, SmtpTransport
from pbem.mail.transport import FileTransport
from tests.support.postbox import Postbox, postbox
from tests.support.servers import free_port

LETTER = b"Message-ID: <g1.turn.5.abcd@play.example>\r\nSubject: x\r\n\r\nline\r\n.dotted\r\n"
ENVELOPE = ("bounce@play.example", "ana@players.example")


@pytest.fixture
def box() -> Iterator[Postbox]:
    with postbox() as running:
        yield running


def test_a_letter_arrives_byte_for_byte_with_its_envelope(box: Postbox) -> None:
    said = SmtpTransport(box.url).send(*ENVELOPE, LETTER)

    assert said == Accepted(250, "2.0.0 kept")
    assert box.letters == [LETTER]
    assert box.envelopes == [ENVELOPE]


def test_an_answer_has_no_envelope_sender_that_could_be_answered(box: Postbox) -> None:
    transport = SmtpTransport(box.url)

    said = [transport.send(sender, "ana@players.example", LETTER) for sender in ("", "b@x.example")]

    assert said == [Accepted(250, "2.0.0 kept")] * 2
    assert [sender for sender, _ in box.envelopes] == ["<>", "b@x.example"]


def test_several_letters_share_one_connection(box: Postbox) -> None:
    transport = SmtpTransport(box.url)

    for _ in range(3):
        assert isinstance(transport.send(*ENVELOPE, LETTER), Accepted)

    assert (len(box.letters), box.greetings) == (3, 1)


def test_a_connection_is_given_up_after_fifty_letters(
    box: Postbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "LETTERS_A_CONNECTION", 2)
    transport = SmtpTransport(box.url)

    for _ in range(5):
        transport.send(*ENVELOPE, LETTER)

    assert (len(box.letters), box.greetings) == (5, 3)


def test_a_refusal_leaves_the_connection_good_for_the_next_letter(box: Postbox) -> None:
    box.at_rcpt = ["550 5.1.1 no such user"]
    transport = SmtpTransport(box.url)

    refused = transport.send(*ENVELOPE, LETTER)
    said = transport.send(*ENVELOPE, LETTER)

    assert refused == Refused(550, "5.1.1", "5.1.1 no such user", "rcpt")
    assert isinstance(said, Accepted)
    assert (len(box.letters), box.greetings) == (1, 1)


def test_the_first_of_several_refusals_counts(box: Postbox) -> None:
    box.at_mail = ["250 OK", "553 5.1.8 not your sender"]
    transport = SmtpTransport(box.url)
    transport.send(*ENVELOPE, LETTER)

    refused = transport.send(*ENVELOPE, LETTER)
    said = transport.send(*ENVELOPE, LETTER)

    assert refused == Refused(553, "5.1.8", "5.1.8 not your sender", "mail")
    assert isinstance(said, Accepted)
    assert (len(box.letters), box.greetings) == (2, 1)


@pytest.mark.parametrize("address", ["ana@x.example>\r\nRCPT TO:<b@x.example", "a\n@x.example"])
def test_an_address_with_a_line_break_is_no_second_command(box: Postbox, address: str) -> None:
    transport = SmtpTransport(box.url)

    assert isinstance(transport.send("b@x.example", address, LETTER), Unreachable)
    assert isinstance(transport.send(address, "b@x.example", LETTER), Unreachable)
    assert box.letters == []


@pytest.mark.parametrize("lines", [b".", b".\r\n", b"..\r\n.\r\n", b"a\r\n.", b"\r\n..\r\n"])
def test_lines_that_begin_with_a_dot_arrive_as_they_are(box: Postbox, lines: bytes) -> None:
    SmtpTransport(box.url).send(*ENVELOPE, lines)

    assert [each.removesuffix(b"\r\n") for each in box.letters] == [lines.removesuffix(b"\r\n")]


def test_a_kept_connection_that_the_server_closed_is_opened_again() -> None:
    port = free_port()
    transport = SmtpTransport(f"smtp://127.0.0.1:{port}")
    with postbox(port) as first:
        transport.send(*ENVELOPE, LETTER)
        assert len(first.letters) == 1

    with postbox(port) as second:
        said = transport.send(*ENVELOPE, LETTER)

    assert isinstance(said, Accepted)
    assert len(second.letters) == 1


def test_a_kept_connection_that_answers_421_is_opened_again(box: Postbox) -> None:
    transport = SmtpTransport(box.url)
    transport.send(*ENVELOPE, LETTER)
    box.at_mail = ["421 4.4.2 idle for too long"]

    said = transport.send(*ENVELOPE, LETTER)

    assert isinstance(said, Accepted)
    assert (len(box.letters), box.greetings) == (2, 2)


def test_nobody_listening_is_unreachable() -> None:
    said = SmtpTransport(f"smtp://127.0.0.1:{free_port()}").send(*ENVELOPE, LETTER)

    assert isinstance(said, Unreachable)
    assert "refused" in said.text


def test_a_server_that_never_answers_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        said = SmtpTransport(f"smtp://127.0.0.1:{port}").send(*ENVELOPE, LETTER)

    assert isinstance(said, Unreachable)


def test_a_server_that_is_slow_at_every_step_does_not_outlast_the_lease(
    box: Postbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is within its timeout, all of them together are not."""
    monkeypatch.setattr(smtp, "BUDGET", 0.8)
    monkeypatch.setattr(smtp, "FOR_THE_DATA", 0.3)
    box.slowness = 0.3

    said = SmtpTransport(box.url).send(*ENVELOPE, LETTER)

    assert isinstance(said, Unreachable)
    assert box.letters == []


def test_a_server_that_refuses_the_letter_itself_gets_the_next_one_all_the_same(
    box: Postbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.at_data = ["554 5.6.0 bad content"]
    transport = SmtpTransport(box.url)

    refused = transport.send(*ENVELOPE, LETTER)

    assert refused == Refused(554, "5.6.0", "5.6.0 bad content", "data")
    assert isinstance(transport.send(*ENVELOPE, LETTER), Accepted)


def test_threads_have_connections_of_their_own(box: Postbox) -> None:
    transport = SmtpTransport(box.url)
    both = threading.Barrier(2)

    def send_two() -> None:
        both.wait()
        for _ in range(2):
            transport.send(*ENVELOPE, LETTER)

    threads = [threading.Thread(target=send_two) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(box.letters), box.greetings) == (4, 2)


def test_a_server_without_the_demanded_encryption_gets_nothing(box: Postbox) -> None:
    starttls = SmtpTransport(box.url.replace("smtp://", "smtp+starttls://"))
    tls = SmtpTransport(box.url.replace("smtp://", "smtps://"))

    assert isinstance(starttls.send(*ENVELOPE, LETTER), Unreachable)
    assert isinstance(tls.send(*ENVELOPE, LETTER), Unreachable)
    assert box.letters == []


def test_the_relay_is_read_from_its_url() -> None:
    relay = Relay.from_url("smtp+starttls://table%40play.example:s%3Acret@mail.example")

    assert relay == Relay("starttls", "mail.example", 587, "table@play.example", "s:cret")
    assert ssl.create_default_context().check_hostname  # what starttls and smtps use


@pytest.mark.parametrize(
    ("answer", "means"),
    [
        (Accepted(250, "ok"), Meaning.SENT),
        (Unreachable("timed out"), Meaning.TRY_AGAIN),
        (Refused(421, "4.7.0", "", "mail"), Meaning.SLOW_DOWN),
        (Refused(451, "4.7.1", "too many", "rcpt"), Meaning.SLOW_DOWN),
        (Refused(450, "", "", "rcpt"), Meaning.TRY_AGAIN),
        (Refused(452, "4.2.2", "", "data"), Meaning.FULL),
        (Refused(552, "5.2.2", "mailbox full", "rcpt"), Meaning.FULL),
        (Refused(552, "", "quota", "rcpt"), Meaning.FULL),
        (Refused(552, "", "too much", "data"), Meaning.TOO_BIG),
        (Refused(552, "5.3.4", "too big", "mail"), Meaning.TOO_BIG),
        (Refused(554, "5.3.4", "too big", "data"), Meaning.TOO_BIG),
        (Refused(554, "", "no service for you", "connect"), Meaning.TRY_AGAIN),
        (Refused(550, "5.1.1", "", "rcpt"), Meaning.NO_SUCH_ADDRESS),
        (Refused(550, "5.1.10", "", "data"), Meaning.NO_SUCH_ADDRESS),
        (Refused(550, "", "who?", "rcpt"), Meaning.NO_SUCH_ADDRESS),
        (Refused(553, "", "who?", "rcpt"), Meaning.NO_SUCH_ADDRESS),
        (Refused(550, "", "no thanks", "data"), Meaning.HOPELESS),
        (Refused(550, "5.7.26", "no DKIM", "rcpt"), Meaning.OUR_FAULT),
        (Refused(550, "5.7.515", "no DMARC", "data"), Meaning.OUR_FAULT),
        (Refused(553, "", "not your sender", "mail"), Meaning.OUR_FAULT),
        (Refused(554, "5.6.0", "bad content", "data"), Meaning.HOPELESS),
        (Refused(535, "5.7.8", "wrong password", "login"), Meaning.OUR_CREDENTIALS),
        (Refused(534, "5.7.9", "stronger, please", "login"), Meaning.OUR_CREDENTIALS),
        (Refused(454, "4.7.0", "not now", "login"), Meaning.TRY_AGAIN),
        (Refused(530, "5.7.0", "log in first", "mail"), Meaning.OUR_CREDENTIALS),
    ],
    ids=str,
)
def test_every_answer_has_its_meaning(answer: Accepted | Refused, means: Meaning) -> None:
    assert meaning(answer) == means


def test_without_a_server_letters_are_kept_as_files(tmp_path: Path) -> None:
    folder = tmp_path / "outbox"

    said = FileTransport(folder).send(*ENVELOPE, LETTER)

    assert said == Accepted(250, "kept as g1.turn.5.abcd.eml")
    assert [path.name for path in folder.iterdir()] == ["g1.turn.5.abcd.eml"]
    assert (folder / "g1.turn.5.abcd.eml").read_bytes() == LETTER


def test_a_letter_kept_twice_is_one_file(tmp_path: Path) -> None:
    transport = FileTransport(tmp_path)

    transport.send(*ENVELOPE, LETTER)
    transport.send(*ENVELOPE, LETTER)

    assert len(list(tmp_path.iterdir())) == 1


def test_a_message_id_cannot_leave_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "outbox"

    FileTransport(folder).send(*ENVELOPE, LETTER.replace(b"g1.turn", b"../../g1/turn"))

    assert len(list(folder.iterdir())) == 1


def test_a_folder_that_cannot_be_written_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("a file, where a folder should be")

    said = FileTransport(tmp_path / "outbox").send(*ENVELOPE, LETTER)

    assert isinstance(said, Unreachable)
