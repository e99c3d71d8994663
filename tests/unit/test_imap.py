"""A mailbox that is looked into, on a small real server: nothing lost, doubled or deleted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError

from pbem import enqueue
from pbem.clock import FixedClock
from pbem.mail.incoming import imap, store
from pbem.mail.incoming.parse import mime
from pbem.service import Service
from tests.conftest import Enqueuer
from tests.support.imap_server import Mailbox, imap_server
from tests.support.incoming import WRITER, address, letter, rows


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with imap_server() as server:
        yield server


def delivered(service: Service, text: str = "pass", header: str = "Delivered-To") -> bytes:
    """An answer as its server has laid it into the mailbox."""
    head = f"Return-Path: <{WRITER}>\r\n{header}: {address(service)}\r\n"
    return head.encode() + letter(text, message_id=f"<{text}@home.example>")


def look(
    service: Service, box: Mailbox, enqueuer: Enqueuer, lease: imap.Lease | None = None
) -> int:
    place = imap.Place.from_url(box.url)
    return imap.look_once(
        service, place, enqueuer, lease or imap.Lease(service), threading.Event())


def test_a_letter_is_stored_and_moved(service: Service, box: Mailbox, enqueuer: Enqueuer) -> None:
    raw = delivered(service)
    box.put(raw)

    assert look(service, box, enqueuer) == 1

    (row,) = rows(service)
    assert (row.raw, row.source, row.sender) == (raw, "imap", WRITER)
    assert row.recipient == address(service)
    assert (box.letters("INBOX"), box.letters("done")) == ([], [raw])
    assert enqueuer.put_in == [(enqueue.INBOX, (row.id,))]


@pytest.mark.parametrize("header", ["Delivered-To", "X-Original-To", "Envelope-To"])
def test_the_envelope_is_read_where_delivering_servers_write_it(
    service: Service, box: Mailbox, enqueuer: Enqueuer, header: str
) -> None:
    box.put(delivered(service, header=header))

    look(service, box, enqueuer)

    assert [row.recipient for row in rows(service)] == [address(service)]


def test_behind_a_forwarded_address_the_one_of_ours_is_found(
    service: Service, box: Mailbox, enqueuer: Enqueuer
) -> None:
    box.put(b"Delivered-To: games@mailbox.example\r\n" + delivered(service))

    look(service, box, enqueuer)

    assert [row.recipient for row in rows(service)] == [address(service)]


@pytest.mark.parametrize("header", ["To", "Cc", "X-To"])
def test_what_the_sender_wrote_names_no_recipient(
    service: Service, box: Mailbox, enqueuer: Enqueuer, header: str
) -> None:
    raw = delivered(service, header=header)
    box.put(raw)

    look(service, box, enqueuer)

    assert rows(service) == []
    assert box.letters("failed") == [raw]


def test_an_empty_return_path_is_a_servers_letter_and_a_missing_one_is_not(
    service: Service, box: Mailbox, enqueuer: Enqueuer
) -> None:
    with_path = delivered(service)
    box.put(with_path.replace(f"<{WRITER}>".encode(), b"<>", 1))
    box.put(with_path.split(b"\r\n", 1)[1])

    look(service, box, enqueuer)

    assert [row.sender for row in rows(service)] == ["", store.UNKNOWN_SENDER]


def test_a_letter_that_is_too_large_is_not_even_fetched(
    service: Service, box: Mailbox, enqueuer: Enqueuer
) -> None:
    box.put(delivered(service) + b"x" * mime.LARGEST)

    look(service, box, enqueuer)

    assert rows(service) == []
    assert len(box.letters("failed")) == 1
    assert not any("BODY" in command for command in box.said)


def test_no_flag_is_set_or_asked_for_and_nothing_is_deleted(
    service: Service, box: Mailbox, enqueuer: Enqueuer
) -> None:
    box.put(delivered(service))

    look(service, box, enqueuer)

    said = " ".join(box.said)
    assert "PEEK" in said
    for word in ("SEEN", "DELETE", "EXPUNGE", "STORE"):
        assert word not in said.upper()


def test_a_server_that_cannot_move_gets_a_copy_first(
    service: Service, box: Mailbox, enqueuer: Enqueuer
) -> None:
    box.knows_move = False
    raw = delivered(service)
    box.put(raw)

    look(service, box, enqueuer)

    assert (box.letters("INBOX"), box.letters("done")) == ([], [raw])
    commands = [command.partition(" ")[2] for command in box.said if command.startswith("UID")]
    assert [command.split()[0] for command in commands[-2:]] == ["COPY", "STORE"]


def test_a_letter_that_was_stored_and_not_moved_is_not_stored_again(
    service: Service, box: Mailbox, enqueuer: Enqueuer, clock: FixedClock
) -> None:
    raw = delivered(service)
    box.put(raw)
    box.cut_at = "UID MOVE"
    look(service, box, enqueuer)
    assert (len(rows(service)), box.letters("INBOX")) == (1, [raw])
    clock.forward(imap.LEASE + timedelta(seconds=1))

    look(service, box, enqueuer)

    assert len(rows(service)) == 1
    assert (box.letters("INBOX"), box.letters("done")) == ([], [raw])


@pytest.mark.parametrize("command", ["LOGIN", "UID SEARCH", "RFC822.SIZE", "BODY.PEEK"])
def test_a_line_that_is_cut_costs_no_letter(
    service: Service, box: Mailbox, enqueuer: Enqueuer, command: str
) -> None:
    for text in ("first", "second"):
        box.put(delivered(service, text))
    box.cut_at = command
    lease = imap.Lease(service)
    look(service, box, enqueuer, lease)

    look(service, box, enqueuer, lease)

    assert len(rows(service)) == len(box.letters("done")) == 2


def test_a_database_that_is_away_leaves_the_letter_where_it_is(
    service: Service, box: Mailbox, enqueuer: Enqueuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> int:
        raise OperationalError("insert", {}, Exception("away"))

    raw = delivered(service)
    box.put(raw)
    monkeypatch.setattr(store, "store", away)

    look(service, box, enqueuer)

    assert (box.letters("INBOX"), box.letters("failed")) == ([raw], [])


def test_a_server_that_refuses_us_ends_nothing(
    service: Service, box: Mailbox, enqueuer: Enqueuer, caplog: pytest.LogCaptureFixture
) -> None:
    place = imap.Place.from_url(box.url.replace("pass%20word", "secret"))

    imap.look_once(service, place, enqueuer, imap.Lease(service), threading.Event())

    assert "cannot be looked into" in caplog.text
    assert "secret" not in caplog.text


# ---- one at a time ------------------------------------------------------------------------------


@pytest.fixture(params=["service", "postgres_service"])
def each_service(request: pytest.FixtureRequest) -> Service:
    return request.getfixturevalue(request.param)


def test_one_poller_looks_at_a_time(each_service: Service, clock: FixedClock) -> None:
    first, second = imap.Lease(each_service), imap.Lease(each_service)

    assert first.hold()
    assert not second.hold()
    clock.forward(timedelta(seconds=60))
    assert first.hold(), "renewed"
    clock.forward(imap.LEASE)
    assert not second.hold(), "until the last renewal is over"
    clock.forward(timedelta(seconds=1))
    assert second.hold()
    assert not first.hold()


def test_who_stops_lets_the_next_one_look_at_once(each_service: Service) -> None:
    first, second = imap.Lease(each_service), imap.Lease(each_service)
    first.hold()

    first.release()

    assert second.hold()
    first.release()
    assert second.hold(), "what one gives back twice is not another's"


def test_who_has_lost_the_lease_moves_nothing_any_more(
    service: Service, box: Mailbox, enqueuer: Enqueuer, clock: FixedClock
) -> None:
    for text in ("first", "second"):
        box.put(delivered(service, text))
    mine, theirs = imap.Lease(service), imap.Lease(service)

    class Slow(Enqueuer):
        def put(self, task: str, *arguments: int) -> None:
            clock.forward(imap.LEASE + timedelta(seconds=1))
            assert theirs.hold()

    look(service, box, Slow(), mine)

    assert len(rows(service)) == len(box.letters("done")) == 1


def test_two_pollers_of_one_mailbox_store_each_letter_once(
    service: Service, box: Mailbox, enqueuer: Enqueuer
) -> None:
    for number in range(20):
        box.put(delivered(service, f"letter {number}"))
    pollers = [threading.Thread(target=look, args=(service, box, enqueuer)) for _ in range(3)]
    for poller in pollers:
        poller.start()
    for poller in pollers:
        poller.join()

    assert len({row.digest for row in rows(service)}) == len(rows(service)) == 20


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("imaps://me%40x.example:p%2Fw@mail.example/Games/In",
         imap.Place(True, "mail.example", 993, "me@x.example", "p/w", "Games/In")),
        ("imap://me@127.0.0.1:1143", imap.Place(False, "127.0.0.1", 1143, "me", "", "INBOX")),
    ],
)
def test_a_mailbox_is_named_by_a_url(url: str, place: imap.Place) -> None:
    assert imap.Place.from_url(url) == place
