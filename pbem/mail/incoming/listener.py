"""Takes letters in by SMTP (on loopback) or LMTP (behind a mail server): stored first, then 250.

It reads no letter: who sends what, and whether it is any good, is judged later by a worker.
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

from pbem import db
from pbem import enqueue as task_names
from pbem.enqueue import Enqueuer
from pbem.mail.incoming import store
from pbem.mail.incoming.parse import mime
from pbem.mail.incoming.parse.reading import Envelope
from pbem.service import Service

CONNECTIONS = 100  # at once; a mail server opens some 20
WRITERS = 4  # threads that store
SECONDS_TO_STORE = 30
SECONDS_OF_IDLENESS = 120
SECONDS_TO_STOP = 10
LONGEST_LINE = 64 * 1024  # the standard's 1,000 bytes are not kept by everybody

ENDLESS_LINE = 1024 * 1024  # the library keeps what it throws away until its line ends

AGAIN_LATER = "451 4.3.0 Cannot take it now, try again later"
NOBODY = "550 5.1.1 No such address here"
ONE_AT_A_TIME = "452 4.5.3 One recipient at a time"
Source = Literal["smtp", "lmtp"]
TOO_MANY = b"421 4.3.2 Too many connections, try again later\r\n"

log = logging.getLogger("carreira.mail_in")


class Door:
    """What aiosmtpd asks; the answers, and nothing of our insides."""

    def __init__(self, service: Service, enqueuer: Enqueuer) -> None:
        self.service = service
        self.enqueuer = enqueuer
        self.writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="store")
        self.connections = 0
        self.in_hand = 0  # letters being stored

    async def handle_RCPT(  # noqa: N802  (the library's name)
        self, server: SMTP, session: Any, told: Told, address: str, options: list[str]
    ) -> str:
        """Only addresses that we have given out, and one in each transaction."""
        if store.addressed(self.service.settings, address) is None:
            return NOBODY
        if told.rcpt_tos:
            return ONE_AT_A_TIME
        told.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Any, told: Told) -> str:  # noqa: N802
        """250 if the letter is in the database by now, else 451: the sender keeps it."""
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
        self.enqueuer.put(task_names.INBOX, stored)
        return f"250 2.0.0 Stored as {stored}"

    async def store(self, envelope: Envelope, raw: bytes) -> int:
        """Store a letter in a thread, so that others are served meanwhile."""
        loop = asyncio.get_running_loop()
        stored = loop.run_in_executor(self.writers, store.store, self.service, envelope, raw)
        return await asyncio.wait_for(stored, SECONDS_TO_STORE)

    async def handle_exception(self, problem: Exception) -> str:
        """A fault of ours is no reason to send a player's letter back."""
        log.error("A fault while a letter came in", exc_info=problem)
        return AGAIN_LATER


class Guarded:
    """A connection that counts, and is turned away when there are too many."""

    event_handler: Door
    transport: Any
    line_length_limit = LONGEST_LINE
    turned_away = False
    unbroken = 0  # bytes since the last end of a line

    def connection_made(self, transport: Any) -> None:
        """Greet, unless there are too many."""
        door = self.event_handler
        if door.connections >= CONNECTIONS:
            self.turned_away = True
            transport.write(TOO_MANY)
            transport.close()
            return
        door.connections += 1
        super().connection_made(transport)  # type: ignore[misc]

    def data_received(self, data: bytes) -> None:
        """Hear nobody who was turned away, and nobody whose line does not end."""
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
        """The other side has said its last."""
        return None if self.turned_away else super().eof_received()  # type: ignore[misc]

    def connection_lost(self, error: Exception | None) -> None:
        """Make room for the next."""
        if not self.turned_away:
            self.event_handler.connections -= 1
            super().connection_lost(error)  # type: ignore[misc]


class GuardedSMTP(Guarded, SMTP):
    """SMTP on loopback."""


class GuardedLMTP(Guarded, LMTP):
    """LMTP for the mail server in front."""


def protocol_of(door: Door, loop: asyncio.AbstractEventLoop) -> Callable[[], SMTP]:
    """Makes the protocol of each connection, as CARREIRA_MAIL_IN says."""
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
    """Take letters in until `stopped`; what is in hand then is stored and answered."""
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
    await asyncio.sleep(0.05)  # the last answers leave
    door.writers.shutdown(wait=False)
