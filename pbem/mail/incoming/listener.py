"""Receives letters by SMTP (on loopback) or LMTP (behind a mail server).

It stores each one before it answers 250.

It parses no letter. A worker decides later who sent it and what it does.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP
from aiosmtpd.smtp import Envelope as Told
from sqlalchemy.exc import SQLAlchemyError

from pbem import db, enqueue
from pbem.enqueue import Enqueuer
from pbem.mail.incoming import store
from pbem.mail.incoming.parse import mime
from pbem.mail.incoming.parse.reading import Envelope
from pbem.service import Service

CONNECTIONS = 100  # open at a time; a mail server opens some 20
WRITERS = 4  # threads that store letters
SECONDS_TO_STORE = 30
SECONDS_OF_IDLENESS = 120
SECONDS_TO_STOP = 10
# more than the standard's 1,000 bytes, because not all programs keep to them
LONGEST_LINE = 64 * 1024

ENDLESS_LINE = 1024 * 1024  # the library buffers a line that it discards until the line ends

AGAIN_LATER = "451 4.3.0 Cannot take it now, try again later"
NOBODY = "550 5.1.1 No such address here"
ONE_AT_A_TIME = "452 4.5.3 One recipient at a time"
Source = Literal["smtp", "lmtp"]
TOO_MANY = b"421 4.3.2 Too many connections, try again later\r\n"

log = logging.getLogger("carreira.mail_in")


class Door:
    """The handler that aiosmtpd calls. Its answers show no internals."""

    def __init__(self, service: Service, enqueuer: Enqueuer) -> None:
        self.service = service
        self.enqueuer = enqueuer
        self.writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="store")
        self.connections = 0
        self.in_hand = 0  # letters being stored

    async def handle_RCPT(  # noqa: N802  (the library's name)
        self, server: SMTP, session: Any, told: Told, address: str, options: list[str]
    ) -> str:
        """Accept only addresses that we have given out, and one for each transaction."""
        if store.addressed(self.service.settings, address) is None:
            return NOBODY
        if told.rcpt_tos:
            return ONE_AT_A_TIME
        told.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Any, told: Told) -> str:  # noqa: N802
        """Answer 250 once the letter is in the database, else 451, so that the sender keeps it."""
        sender = "" if told.mail_from in (None, "<>") else str(told.mail_from)
        source: Source = "lmtp" if isinstance(server, LMTP) else "smtp"
        envelope = Envelope(sender, told.rcpt_tos[0], source)
        self.in_hand += 1
        try:
            stored = await self.store(envelope, bytes(told.original_content or b""))
        except (SQLAlchemyError, OSError, TimeoutError) as problem:
            log.warning("A letter is not stored: %s", db.plain_reason(problem))
            return AGAIN_LATER
        finally:
            self.in_hand -= 1
        log.info("a letter is stored", extra={"inbound_id": stored})
        self.enqueuer.put(enqueue.INBOX, stored)
        return f"250 2.0.0 Stored as {stored}"

    async def store(self, envelope: Envelope, raw: bytes) -> int:
        """Store a letter in a thread, so that the event loop goes on."""
        loop = asyncio.get_running_loop()
        stored = loop.run_in_executor(self.writers, store.store, self.service, envelope, raw)
        return await asyncio.wait_for(stored, SECONDS_TO_STORE)

    async def handle_exception(self, problem: Exception) -> str:
        """Answer a fault of ours with a temporary error, so that no player's letter is returned."""
        log.error("A fault while a letter came in", exc_info=problem)
        return AGAIN_LATER


class Guarded:
    """A connection that counts towards the limit, and is refused above it."""

    event_handler: Door
    transport: Any
    line_length_limit = LONGEST_LINE
    turned_away = False
    unbroken = 0  # bytes since the last end of a line

    def connection_made(self, transport: Any) -> None:
        """Greet the client, unless there are too many connections."""
        door = self.event_handler
        if door.connections >= CONNECTIONS:
            self.turned_away = True
            transport.write(TOO_MANY)
            transport.close()
            return
        door.connections += 1
        super().connection_made(transport)  # type: ignore[misc]

    def data_received(self, data: bytes) -> None:
        """Ignore refused clients, and disconnect clients that send a line without end."""
        if self.turned_away:
            return
        end = data.rfind(b"\r\n")
        self.unbroken = len(data) - end if end >= 0 else self.unbroken + len(data)
        if self.unbroken > ENDLESS_LINE:
            log.warning("A line without end: hung up")
            self.transport.abort()
            return
        super().data_received(data)  # type: ignore[misc]

    def eof_received(self) -> bool | None:
        """Handle the end of the client's data."""
        return None if self.turned_away else super().eof_received()  # type: ignore[misc]

    def connection_lost(self, error: Exception | None) -> None:
        """Release the connection's slot."""
        if not self.turned_away:
            self.event_handler.connections -= 1
            super().connection_lost(error)  # type: ignore[misc]


class GuardedSMTP(Guarded, SMTP):
    """SMTP on loopback."""


class GuardedLMTP(Guarded, LMTP):
    """LMTP for the mail server in front."""


def protocol_of(door: Door, loop: asyncio.AbstractEventLoop) -> Callable[[], SMTP]:
    """Return the factory of connections that CARREIRA_MAIL_IN asks for."""
    settings = door.service.settings
    kind = GuardedLMTP if (settings.mail_in or "").startswith("lmtp:") else GuardedSMTP

    def made() -> SMTP:
        return kind(
            door, data_size_limit=mime.LARGEST, enable_SMTPUTF8=True, ident="Carreira",
            hostname=settings.reply_domain, timeout=SECONDS_OF_IDLENESS, loop=loop,
        )  # fmt: skip

    return made


async def serve(
    door: Door, listener: socket.socket, stopped: Awaitable[Any], ready: Callable[[], None]
) -> None:
    """Receive letters until `stopped` is done. Letters in hand are then stored and answered."""
    loop = asyncio.get_running_loop()
    listener.setblocking(False)
    protocol = protocol_of(door, loop)
    if listener.family == socket.AF_UNIX:
        server = await loop.create_unix_server(protocol, sock=listener)
    else:
        server = await loop.create_server(protocol, sock=listener)
    ready()
    await stopped
    server.close()
    until = loop.time() + SECONDS_TO_STOP
    while door.in_hand and loop.time() < until:
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.05)  # let the last answers leave
    door.writers.shutdown(wait=False)
