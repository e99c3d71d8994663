"""The real listener on a free port, and letters to it."""

from __future__ import annotations

import asyncio
import smtplib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlmodel import col, select

from pbem.enqueue import Enqueuer
from pbem.mail import tokens
from pbem.mail.incoming.listener import Door, serve
from pbem.mail.tokens import Purpose
from pbem.models import Inbound, Outbox
from pbem.run import sockets
from pbem.service import Service

WRITER = "ana@players.example"


@contextmanager
def listening(service: Service, enqueuer: Enqueuer, url: str = "") -> Iterator[Door]:
    """The listener in a thread, on `url` or what the settings name (port 0: any free one)."""
    listener = sockets.for_mail(url or service.settings.mail_in or "")
    door = Door(service, enqueuer)
    loop, ready = asyncio.new_event_loop(), threading.Event()
    stopped = loop.create_future()
    thread = threading.Thread(
        target=loop.run_until_complete, args=(serve(door, listener, stopped, ready.set),)
    )
    thread.start()
    assert ready.wait(10)
    try:
        door.place = listener.getsockname()  # type: ignore[attr-defined]
        yield door
    finally:
        loop.call_soon_threadsafe(stopped.set_result, None)
        thread.join(15)
        loop.close()
        listener.close()


def address(service: Service, letter_id: int = 1, purpose: Purpose = "turn") -> str:
    """A reply address of one of our letters, or of one that there might be."""
    settings = service.settings
    with service.reading() as session:
        letter = session.get(Outbox, letter_id) or Outbox(id=letter_id)
    return tokens.address_of(settings, purpose, letter)


def letter(text: str = "pass", *, message_id: str = "<1@home.example>", to: str = "") -> bytes:
    """An answer as a mail program writes it."""
    lines = [f"From: Ana <{WRITER}>", f"To: {to or 'carreira'}", "Subject: Re: your turn"]
    lines += [f"Message-ID: {message_id}"] if message_id else []
    return "\r\n".join([*lines, "", text, ""]).encode()


def smtp(door: Door, timeout: float = 20) -> smtplib.SMTP:
    """A line to the listener."""
    host, port = door.place[:2]  # type: ignore[attr-defined]
    return smtplib.SMTP(host, port, local_hostname="home.example", timeout=timeout)


def rows(service: Service) -> list[Inbound]:
    """All letters that came in."""
    with service.reading() as session:
        return list(session.exec(select(Inbound).order_by(col(Inbound.id))))
