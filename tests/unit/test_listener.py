"""The listener over real connections: who is taken in, who is refused, and what is never said."""

from __future__ import annotations

import shutil
import smtplib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from email.feedparser import FeedParser
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from pbem import enqueue
from pbem.mail import queue
from pbem.mail.incoming import inbox, listener, store
from pbem.mail.incoming.listener import Door
from pbem.mail.incoming.parse import mime
from pbem.models import InboundState
from pbem.run import sockets
from pbem.service import Service
from tests.conftest import Enqueuer
from tests.support.incoming import WRITER, address, letter, listening, rows, smtp
from tests.support.letterfactory import person
from tests.support.servers import short_folder

ANYWHERE = "smtp://127.0.0.1:0"


@pytest.fixture
def door(service: Service, enqueuer: Enqueuer) -> Iterator[Door]:
    with listening(service, enqueuer, ANYWHERE) as opened:
        yield opened


def answer_to(line: smtplib.SMTP, *recipients: str) -> list[int]:
    """What RCPT is answered with, one recipient after the other."""
    line.ehlo_or_helo_if_needed()
    line.mail(WRITER)
    return [line.rcpt(recipient)[0] for recipient in recipients]


# ---- taken in -----------------------------------------------------------------------------------


def test_a_letter_is_in_the_database_before_it_is_accepted(
    door: Door, service: Service, enqueuer: Enqueuer
) -> None:
    with smtp(door) as line:
        line.sendmail(WRITER, [address(service)], letter())

    (row,) = rows(service)
    assert (row.state, row.sender, row.source) == (InboundState.STORED, WRITER, "smtp")
    assert row.raw == letter()
    assert row.message_id == "<1@home.example>"
    assert enqueuer.put_in == [(enqueue.INBOX, (row.id,))]


def test_on_postgres_a_letter_with_nul_and_broken_bytes_is_stored_as_it_came(
    postgres_service: Service, enqueuer: Enqueuer
) -> None:
    raw = b"Subject: \xff\x00\r\n\r\npass\x00 \xc3\r\n"
    with listening(postgres_service, enqueuer, ANYWHERE) as door, smtp(door) as line:
        line.sendmail("", [address(postgres_service)], raw)

    (row,) = rows(postgres_service)
    assert (row.raw, row.sender) == (raw, "")


@pytest.mark.parametrize("fold", [str.upper, str.title, str.swapcase])
def test_servers_may_change_the_case_of_an_address(door: Door, service: Service, fold) -> None:
    with smtp(door) as line:
        assert answer_to(line, fold(address(service))) == [250]


@pytest.mark.parametrize("purpose", ["turn", "words", "unsub", "bounce"])
def test_every_purpose_has_its_addresses(door: Door, service: Service, purpose) -> None:
    with smtp(door) as line:
        assert answer_to(line, address(service, 7, purpose)) == [250]


def test_a_line_longer_than_the_standard_allows_is_taken_in(door: Door, service: Service) -> None:
    with smtp(door) as line:
        line.sendmail(WRITER, [address(service)], letter("x" * 30_000))

    assert len(rows(service)) == 1


# ---- refused ------------------------------------------------------------------------------------


def strangers(service: Service) -> dict[str, str]:
    """Addresses that nobody has."""
    good = address(service)
    local, _, domain = good.partition("@")
    other = "b" if local[-10] == "a" else "a"
    return {
        "another domain": f"{local}@elsewhere.example",
        "our domain, no token": f"turn@{domain}",
        "a token with a slip": f"{local[:-10]}{other}{local[-9:]}@{domain}",
        "a token of another purpose": good.replace("turn+", "bounce+"),
        "a purpose that is none": good.replace("turn+", "table+"),
        "nothing like it": f"postmaster@{domain}",
    }


def test_whoever_is_nobodys_is_refused_before_the_letter_is_sent(
    door: Door, service: Service
) -> None:
    with smtp(door) as line:
        for recipient in strangers(service).values():
            line.ehlo_or_helo_if_needed()
            line.mail(WRITER)
            assert line.rcpt(recipient) == (550, b"5.1.1 No such address here"), recipient
            line.rset()

    assert rows(service) == []


def test_a_second_recipient_has_to_come_in_a_transaction_of_its_own(
    door: Door, service: Service
) -> None:
    with smtp(door) as line:
        assert answer_to(line, address(service, 1), address(service, 2)) == [250, 452]
        line.data(letter())

    assert [row.recipient for row in rows(service)] == [address(service, 1)]


def test_a_letter_that_says_its_size_is_refused_before_it_is_sent(
    door: Door, service: Service
) -> None:
    with smtp(door) as line:
        line.ehlo()
        assert line.mail(WRITER, [f"size={mime.LARGEST + 1}"])[0] == 552


def test_a_letter_that_the_reader_would_read_is_taken(door: Door, service: Service) -> None:
    with smtp(door) as line:
        line.sendmail(WRITER, [address(service)], letter(("x" * 70 + "\r\n") * 14_000))

    assert len(rows(service)) == 1


def test_a_letter_past_the_limit_is_refused(door: Door, service: Service) -> None:
    with smtp(door) as line:
        answer_to(line, address(service))
        assert line.data(letter(("x" * 70 + "\r\n") * 15_000))[0] == 552
        assert answer_to(line, address(service)) == [250], "the line can be used again"

    assert rows(service) == []


# ---- trouble ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "problem",
    [OperationalError("insert secrets", {}, Exception("db at 10.0.0.5 is down")),
     OSError("disk full"), ValueError("a fault of ours in /srv/app"), KeyError("secret")],
    ids=lambda problem: type(problem).__name__,
)  # fmt: skip
def test_whatever_fails_is_a_bare_451(
    door: Door, service: Service, enqueuer: Enqueuer, monkeypatch: pytest.MonkeyPatch,
    problem: Exception,
) -> None:
    def fails(*_: object) -> int:
        raise problem

    monkeypatch.setattr(store, "store", fails)

    with smtp(door) as line:
        answer_to(line, address(service))
        said = line.data(letter())

    assert said == (451, b"4.3.0 Cannot take it now, try again later")
    assert enqueuer.put_in == []


def test_a_fault_while_an_address_is_looked_at_is_a_bare_451(
    door: Door, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "addressed", lambda *_: 1 / 0)

    with smtp(door) as line:
        line.ehlo()
        line.mail(WRITER)
        said = line.rcpt(address(service))

    assert said == (451, b"4.3.0 Cannot take it now, try again later")


def test_a_database_that_is_away_costs_no_letter(
    door: Door, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is gone for a while: a real error of a real database."""
    with service.engine.begin() as connection:
        connection.exec_driver_sql("alter table inbound rename to inbound_away")
    with smtp(door) as line:
        answer_to(line, address(service))
        assert line.data(letter())[0] == 451

        with service.engine.begin() as connection:
            connection.exec_driver_sql("alter table inbound_away rename to inbound")
        answer_to(line, address(service))
        assert line.data(letter())[0] == 250

    assert len(rows(service)) == 1


def test_nothing_that_is_logged_says_what_a_letter_says(
    door: Door, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    with service.engine.begin() as connection:
        connection.exec_driver_sql("alter table inbound rename to inbound_away")

    with smtp(door) as line:
        answer_to(line, address(service))
        line.data(letter("a private word"))

    said = "\n".join(
        record.getMessage() + str(record.exc_info or "") for record in caplog.records
        if record.name.startswith("carreira")
    )  # fmt: skip
    assert "is not stored" in said
    assert "private" not in said
    assert WRITER not in said


def test_others_are_served_while_a_letter_is_being_stored(
    door: Door, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, really = threading.Event(), store.store

    def slow(to: Service, envelope, raw: bytes) -> int:
        if b"slow" in raw:
            assert goes_on.wait(20)
        return really(to, envelope, raw)

    monkeypatch.setattr(store, "store", slow)
    with smtp(door) as waiting, smtp(door) as other:
        answer_to(waiting, address(service))
        waiting.putcmd("data")
        waiting.getreply()
        waiting.send(letter("slow") + b".\r\n")

        other.sendmail(WRITER, [address(service)], letter("quick"))
        assert [row.raw for row in rows(service)] == [letter("quick")]

        goes_on.set()
        assert waiting.getreply()[0] == 250
    assert len(rows(service)) == 2


def test_a_letter_that_takes_too_long_to_store_is_to_come_again(
    door: Door, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(listener, "SECONDS_TO_STORE", 0.05)
    monkeypatch.setattr(store, "store", lambda *_: goes_on.wait(20))

    with smtp(door) as line:
        answer_to(line, address(service))
        said = line.data(letter())

    goes_on.set()
    assert said[0] == 451


def test_too_many_connections_are_turned_away_and_room_is_made_again(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "CONNECTIONS", 2)
    first, second = smtp(door), smtp(door)

    with pytest.raises(smtplib.SMTPConnectError) as refused:
        smtp(door)

    assert refused.value.smtp_code == 421
    first.quit()
    second.quit()
    until = time.monotonic() + 10
    while door.connections and time.monotonic() < until:
        time.sleep(0.01)
    smtp(door).quit()


@pytest.mark.parametrize("filling", [b"x" * 1024, b"x" * 1023 + b"\n"])
def test_a_line_without_end_is_not_kept_for_ever(
    door: Door, service: Service, filling: bytes
) -> None:
    line = smtp(door)
    answer_to(line, address(service))
    line.putcmd("data")
    line.getreply()

    with pytest.raises(OSError, match=r"reset|pipe|connected"):
        for _ in range(64):
            line.send(filling * 1024)

    assert rows(service) == []
    smtp(door).quit()


def test_a_letter_in_hand_is_stored_before_the_listener_ends(
    service: Service, enqueuer: Enqueuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, really = threading.Event(), store.store

    def slow(to: Service, envelope, raw: bytes) -> int:
        begun.set()
        time.sleep(0.3)
        return really(to, envelope, raw)

    monkeypatch.setattr(store, "store", slow)
    with listening(service, enqueuer, ANYWHERE) as door:
        line = smtp(door)
        answer_to(line, address(service))
        line.putcmd("data")
        line.getreply()
        line.send(letter() + b".\r\n")
        assert begun.wait(10)

    assert line.getreply()[0] == 250
    assert len(rows(service)) == 1


# ---- hostile ------------------------------------------------------------------------------------

SMALL_BOMB = letter("", message_id="<bomb@home.example>").replace(
    b"Subject:", b'Content-Type: multipart/mixed; boundary="b"\r\nSubject:'
) + b"--b\r\n\r\n" * 28_000
BOMB = b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b\r\n\r\n" * 200_000


def test_a_letter_of_200_000_parts_is_refused_while_others_are_served(
    door: Door, service: Service
) -> None:
    """Refused by its size alone: nobody begins to parse it. Others get in meanwhile."""
    with smtp(door) as bomber, smtp(door) as other:
        bomber.ehlo()
        assert bomber.mail(WRITER, [f"size={len(BOMB)}"])[0] == 552

        answer_to(bomber, address(service))  # without a size: it is only known in the end
        bomber.putcmd("data")
        bomber.getreply()
        sends = threading.Thread(target=bomber.sock.sendall, args=(BOMB + b".\r\n",))
        sends.start()
        other.sendmail(WRITER, [address(service)], letter())
        sends.join(20)
        assert bomber.getreply()[0] == 552

    assert [row.raw for row in rows(service)] == [letter()]


def test_a_bomb_that_is_small_enough_is_stored_unread_and_refused_unparsed(
    door: Door, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service.writing() as session:
        ana = person(session, "Ana")
        asked = queue.due(session, person_id=ana.id, kind="test",
                          now=service.clock.now())  # fmt: skip
        session.commit()

    def parsed(*_: object) -> None:
        raise AssertionError("28,000 parts take the library seconds")

    monkeypatch.setattr(FeedParser, "_parsegen", parsed)
    with smtp(door) as line:
        line.sendmail(WRITER, [address(service, asked or 0)], SMALL_BOMB)

    (row,) = rows(service)
    assert row.message_id == "<bomb@home.example>"
    assert inbox.work_off(service, row.id or 0, enqueue=lambda _: None) == InboundState.REFUSED
    assert rows(service)[0].reason == "too_many_parts"


def test_a_bare_line_feed_ends_no_letter(door: Door, service: Service) -> None:
    """What follows would else be taken for commands of the sending server."""
    with smtp(door) as line:
        answer_to(line, address(service))
        line.putcmd("data")
        line.getreply()
        line.send(b"Subject: a\r\n\r\npass\n.\nMAIL FROM:<b@home.example>\r\n.\r\n")
        assert line.getreply()[0] == 250
        line.noop()

    assert len(rows(service)) == 1


def test_nonsense_is_answered_and_not_believed(door: Door) -> None:
    with smtp(door) as line:
        for command in ("RCPT", "MAIL FROM:<", "MAIL FROM:" + "x" * 600, "DATA", "\x00\xff"):
            line.sock.sendall(command.encode("latin-1") + b"\r\n")
            assert line.getreply()[0] >= 450
        assert line.noop()[0] == 250


# ---- LMTP ---------------------------------------------------------------------------------------


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: a socket's path has 107 bytes."""
    made = short_folder("lm-")
    yield made
    shutil.rmtree(made, ignore_errors=True)


def by_lmtp(service: Service, url: str) -> Service:
    return replace(service, settings=replace(service.settings, mail_in=url))


def statuses(line: socket.socket, *said: bytes) -> list[bytes]:
    """The codes of what is answered to each line, the greeting first."""
    heard: list[bytes] = []
    with line.makefile("rb") as answers:
        for each in (b"", *said):
            line.sendall(each + b"\r\n" if each else b"")
            answer = next(answer for answer in answers if answer[3:4] != b"-")
            heard.append(answer[:3])
    return heard


def test_by_lmtp_on_a_unix_socket_one_recipient_gets_one_answer(
    service: Service, enqueuer: Enqueuer, folder: Path
) -> None:
    place = folder / "lmtp.sock"
    with (
        listening(by_lmtp(service, f"lmtp://{place}"), enqueuer),
        socket.socket(socket.AF_UNIX) as line,
    ):
        line.settimeout(20)
        line.connect(str(place))
        heard = statuses(
            line, b"LHLO mx.example", b"MAIL FROM:<>",
            b"RCPT TO:<" + address(service, 1).encode() + b">",
            b"RCPT TO:<" + address(service, 2).encode() + b">",
            b"DATA", letter().rstrip() + b"\r\n.", b"QUIT",
        )  # fmt: skip

    assert heard == [b"220", b"250", b"250", b"250", b"452", b"354", b"250", b"221"]
    (row,) = rows(service)
    assert (row.source, row.sender, row.recipient) == ("lmtp", "", address(service, 1))


def test_by_lmtp_on_a_port_nobody_says_ehlo(service: Service, enqueuer: Enqueuer) -> None:
    with (
        listening(by_lmtp(service, "lmtp://127.0.0.1:0"), enqueuer) as door,
        smtp(door) as line,
    ):
        assert line.docmd("EHLO mx.example")[0] == 500
        assert line.docmd("LHLO mx.example")[0] == 250


def test_a_socket_that_a_killed_listener_left_is_replaced(folder: Path) -> None:
    sockets.unix(folder / "lmtp.sock").close()

    with sockets.unix(folder / "lmtp.sock") as again:
        assert again.fileno() >= 0
        with pytest.raises(OSError, match="in use"):
            sockets.unix(folder / "lmtp.sock")


def test_a_file_is_never_taken_for_a_socket(folder: Path) -> None:
    (folder / "lmtp.sock").write_text("somebody's")

    with pytest.raises(OSError, match="in use"):
        sockets.unix(folder / "lmtp.sock")
    assert (folder / "lmtp.sock").read_text() == "somebody's"
