"""A real SMTP server for tests, that keeps what it accepts and answers as it is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.support.servers import free_port


@dataclass
class Postbox:
    """What arrived, and what the server says; an answer is taken from the front while there are."""

    letters: list[bytes] = field(default_factory=list)
    envelopes: list[tuple[str, str]] = field(default_factory=list)  # sender, recipient
    at_mail: list[str] = field(default_factory=list)
    at_rcpt: list[str] = field(default_factory=list)
    at_data: list[str] = field(default_factory=list)
    greetings: int = 0
    slowness: float = 0.0  # seconds before the answers to MAIL and RCPT
    before_answer: Callable[[], None] = lambda: None  # called with the letter in hand, before 250
    port: int = 0

    async def handle_EHLO(
        self, server, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        self.greetings += 1
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        await asyncio.sleep(self.slowness)
        said = self.at_mail.pop(0) if self.at_mail else "250 OK"
        if said.startswith("250"):
            envelope.mail_from = address
        return said

    async def handle_RCPT(self, server, session, envelope, address, options):
        await asyncio.sleep(self.slowness)
        said = self.at_rcpt.pop(0) if self.at_rcpt else "250 OK"
        if said.startswith("250"):
            envelope.rcpt_tos.append(address)
        return said

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        said = self.at_data.pop(0) if self.at_data else "250 2.0.0 kept"
        if said.startswith("250"):
            content = envelope.content or b""
            self.letters.append(content if isinstance(content, bytes) else content.encode())
            self.envelopes.append((envelope.mail_from or "", envelope.rcpt_tos[0]))
            self.before_answer()
        return said

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def messages(self) -> list[EmailMessage]:
        """All that arrived, parsed."""
        return [message_from_bytes(raw, policy=policy.default) for raw in self.letters]

    def ids(self) -> list[str]:
        return [str(message["Message-ID"]) for message in self.messages()]

    def wait_for(self, number: int, seconds: float = 20.0) -> None:
        """Wait until so many letters have arrived."""
        ends = time.monotonic() + seconds
        while len(self.letters) < number:
            if time.monotonic() > ends:
                raise AssertionError(f"{len(self.letters)} of {number} letters arrived")
            time.sleep(0.01)


@contextmanager
def postbox(port: int = 0) -> Iterator[Postbox]:
    """A mail server on a free loopback port."""
    box = Postbox()
    controller = Controller(box, hostname="127.0.0.1", port=port or free_port())
    controller.start()
    box.port = controller.port
    try:
        yield box
    finally:
        controller.stop()
