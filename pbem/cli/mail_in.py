"""`python app.py mail-in`: receives answers by SMTP or LMTP, and polls a mailbox if configured.

`run` starts it. Started alone, it listens where CARREIRA_MAIL_IN says.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import sys
import threading

from pbem import logs
from pbem.config import Settings
from pbem.enqueue import EnqueueThread, Publisher
from pbem.mail.incoming import imap, listener
from pbem.run import sockets
from pbem.run.processes import say
from pbem.service import Service


def main(arguments: list[str]) -> int:
    """Serve until SIGINT or SIGTERM.

    Returns 1 if nothing is configured or the socket is not available.
    """
    parser = argparse.ArgumentParser(prog="app.py mail-in", description=__doc__)
    parser.add_argument("--fd", type=int, help="a listening socket that is open already")
    fd = parser.parse_args(arguments).fd
    logs.configure("mail_in")
    service = Service.from_environment(os.environ)
    if not wanted(service.settings):
        sys.stderr.write("CARREIRA_MAIL_IN is none and CARREIRA_IMAP_URL is not set.\n")
        return 1
    try:
        opened = opened_listener(service.settings, fd)
    except OSError as problem:
        sys.stderr.write(
            f"CARREIRA_MAIL_IN: {service.settings.mail_in} cannot be used: {problem.strerror}\n")
        return 1
    asyncio.run(work(service, opened))
    return 0


def wanted(settings: Settings) -> bool:
    """Return whether incoming mail is configured."""
    return settings.mail_in is not None or settings.imap_url is not None


def opened_listener(settings: Settings, fd: int | None) -> socket.socket | None:
    """Return the listening socket, or None if only a mailbox is polled."""
    if fd is not None:
        return socket.socket(fileno=fd)
    return sockets.for_mail(settings.mail_in) if settings.mail_in else None


async def work(service: Service, opened: socket.socket | None) -> None:
    """Listen, and poll the mailbox, until asked to stop."""
    enqueuer = EnqueueThread(Publisher(service.settings.broker_url).publish)
    asked, stopping = asyncio.Event(), threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    poller = threading.Thread(target=imap.watch, args=(service, enqueuer, stopping), name="imap")
    if service.settings.imap_url:
        poller.start()
    if opened is None:
        say(f"Looks for letters in a mailbox every {imap.SECONDS_BETWEEN_LOOKS} s.")
        await asked.wait()
    else:
        door = listener.Door(service, enqueuer)
        await listener.serve(door, opened, asked.wait(), ready=lambda: say(
            f"Takes letters in at {service.settings.mail_in}."))
    stopping.set()
    if poller.is_alive():
        await asyncio.to_thread(poller.join, listener.SECONDS_TO_STOP)
