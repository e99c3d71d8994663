"""`python app.py receive --to ADDRESS < letter.eml`: stores one letter and judges it at once.

For mail servers that pipe letters to a program, and for trials. The exit codes are those of
sysexits: 0 accepted, 67 no such address, 65 too large, 64 wrong usage, 75 try again later.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from pbem import db, enqueue, logs
from pbem.config import BadSetting
from pbem.enqueue import EnqueueThread, Publisher
from pbem.mail.incoming import inbox, store
from pbem.mail.incoming.parse import mime
from pbem.mail.incoming.parse.reading import Envelope
from pbem.models import Inbound, InboundState
from pbem.service import Service

USAGE, TOO_LARGE, NO_SUCH_ADDRESS, TRY_AGAIN = 64, 65, 67, 75


class Parser(argparse.ArgumentParser):
    """An argument parser that fails with the exit code that mail servers know."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit."""
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(arguments: list[str]) -> int:
    """Receive the letter. A fault of ours asks for another try, so that no letter is returned."""
    parser = Parser(prog="app.py receive", description=__doc__)
    parser.add_argument("--to", help="the envelope's recipient; else what the headers name")
    parser.add_argument("--from", dest="sender", help="the envelope's sender; else Return-Path")
    chosen = parser.parse_args(arguments)
    logs.configure("receive")
    try:
        return take(chosen.to, chosen.sender, sys.stdin.buffer.read(mime.LARGEST + 1))
    except BadSetting as bad:
        return later(str(bad))
    except Exception as problem:  # noqa: BLE001  (the mail server keeps the letter)
        return later(db.plain_reason(problem))


def take(to: str | None, sender: str | None, raw: bytes) -> int:
    """Store and judge the letter, and print the result in a line."""
    service = Service.from_environment(os.environ)
    if len(raw) > mime.LARGEST:
        return said(f"The letter has more than {mime.LARGEST} bytes.", TOO_LARGE)
    named = Envelope(sender or "", to or "") if to is not None else store.envelope_in(
        service.settings, raw, "pipe", to=("To", "Cc"))
    if named is None or store.addressed(service.settings, named.recipient) is None:
        return said("There is no such address here.", NO_SUCH_ADDRESS)
    if sender is None and to is not None:
        named = Envelope(store.sender_of(raw), to)
    return judged(service, store.store(service, named, raw))


def judged(service: Service, inbound_id: int) -> int:
    """Judge a stored letter. If that is not possible now, the sweep does it."""
    enqueuer = EnqueueThread(Publisher(service.settings.broker_url).publish)
    try:
        state = inbox.work_off(
            service, inbound_id, enqueue=lambda game_id: enqueuer.put(enqueue.ADVANCE, game_id))
    except db.AWAY:
        state = InboundState.STORED
    enqueuer.put(enqueue.LETTERS)
    enqueuer.join()
    with service.reading() as session:
        reason = session.get_one(Inbound, inbound_id).reason
    return said(f"Letter {inbound_id}: {state}{f' ({reason})' if reason else ''}.", 0)


def said(line: str, code: int) -> int:
    """Print a line and return the code."""
    (sys.stderr if code else sys.stdout).write(line + "\n")
    return code


def later(reason: str) -> int:
    """Ask for another try."""
    return said(f"Try again later: {reason}", TRY_AGAIN)
