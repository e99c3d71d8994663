"""Fetches letters from a mailbox by IMAP. Each is stored, then moved to `done` or `failed`.

Nothing is deleted and flags are ignored. Of all processes only the one that holds the lease
fetches. If it dies between storing and moving, the next one recognises the letter by its digest.
"""

from __future__ import annotations

import imaplib
import logging
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

from imap_tools import BaseMailBox, ImapToolsError, MailBox, MailBoxUnencrypted
from sqlalchemy import update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col

from pbem import db, enqueue
from pbem.enqueue import Enqueuer
from pbem.mail.incoming import store
from pbem.mail.incoming.parse import mime
from pbem.models import EPOCH, Heartbeat
from pbem.service import Service

SECONDS_BETWEEN_LOOKS = 30
LEASE = timedelta(seconds=180)  # longer than one letter can take
TIMEOUT = 60.0  # for one IMAP command
LETTERS_A_LOOK = 200
DONE, FAILED = "done", "failed"
NAME = "imap"

PROBLEMS = (imaplib.IMAP4.error, ImapToolsError, OSError, SQLAlchemyError)

log = logging.getLogger("carreira.imap")


# ---- lease --------------------------------------------------------------------------------------


class Lease:
    """The right to fetch until an instant that the database and this process both keep."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.mine: datetime | None = None

    def hold(self) -> bool:
        """Take or renew the lease. Returns False if another process holds it."""
        now = self.service.clock.now()
        until = now + LEASE
        free = col(Heartbeat.at) < now
        if self.mine is not None:
            free |= col(Heartbeat.at) == self.mine
        self.mine = until if self._put(until, free) else None
        return self.mine is not None

    def release(self) -> None:
        """Release the lease, so that another process can fetch at once."""
        if self.mine is not None:
            self._put(EPOCH, col(Heartbeat.at) == self.mine)
            self.mine = None

    def _put(self, at: datetime, when: Any) -> bool:
        with self.service.writing() as session:
            connection = session.connection()
            on_sqlite = connection.dialect.name == "sqlite"
            insert: Any = sqlite.insert if on_sqlite else postgresql.insert
            connection.execute(insert(Heartbeat).values(name=NAME, at=EPOCH)
                               .on_conflict_do_nothing(index_elements=["name"]))  # fmt: skip
            changed = connection.execute(
                update(Heartbeat).where(col(Heartbeat.name) == NAME, when).values(at=at))
            session.commit()
        return changed.rowcount == 1


# ---- one run ------------------------------------------------------------------------------------


def look(
    service: Service,
    mailbox: BaseMailBox,
    enqueuer: Enqueuer,
    keep_on: Callable[[], bool],
) -> int:
    """Take in the letters of the mailbox while we hold the lease. Returns how many were moved."""
    for folder in (DONE, FAILED):
        if not mailbox.folder.exists(folder):
            mailbox.folder.create(folder)
    moved = 0
    for uid in mailbox.uids("ALL")[:LETTERS_A_LOOK]:
        if not keep_on():
            break
        mailbox.move(uid, DONE if take_in(service, mailbox, uid, enqueuer) else FAILED)
        moved += 1
    return moved


def take_in(service: Service, mailbox: BaseMailBox, uid: str, enqueuer: Enqueuer) -> bool:
    """Store one letter. Returns False if it is too large or addressed to nobody here."""
    raw = fetched(mailbox, uid)
    envelope = None if raw is None else store.envelope_in(service.settings, raw, "imap")
    if raw is None or envelope is None:
        log.warning("The letter %s of the mailbox is not for us, or too large.", uid)
        return False
    with service.reading() as session:
        known = store.stored_before(session, envelope, raw)
    if not known:
        enqueuer.put(enqueue.INBOX, store.store(service, envelope, raw))
    return True


def fetched(mailbox: BaseMailBox, uid: str) -> bytes | None:
    """Return a letter's bytes without marking it as read, or None if it is too large."""
    answer = told(mailbox.client.uid("fetch", uid, "(RFC822.SIZE)"))
    found = re.search(rb"RFC822\.SIZE (\d+)", b" ".join(each for each in answer if each))
    if found is None or int(found[1]) > mime.LARGEST:
        return None
    for each in mailbox.client.uid("fetch", uid, "(BODY.PEEK[])")[1]:
        if isinstance(each, tuple):
            return bytes(each[1])
    raise imaplib.IMAP4.error(f"no body of {uid}")


def told(answer: tuple[str, list[Any]]) -> list[bytes]:
    """Return the lines of a successful answer."""
    status, lines = answer
    if status != "OK":
        raise imaplib.IMAP4.error(f"answered {status}")
    return [line if isinstance(line, bytes) else b" ".join(line) for line in lines if line]


# ---- polling ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """The mailbox's location, parsed from imaps://USER:PASSWORD@HOST/FOLDER."""

    secure: bool
    host: str
    port: int
    user: str
    password: str
    folder: str

    @classmethod
    def from_url(cls, url: str) -> Place:
        parts = urlsplit(url)
        secure = parts.scheme == "imaps"
        return cls(
            secure, parts.hostname or "", parts.port or (993 if secure else 143),
            unquote(parts.username or ""), unquote(parts.password or ""),
            unquote(parts.path.strip("/")) or "INBOX",
        )  # fmt: skip

    def open(self) -> BaseMailBox:
        """Sign in and select the folder. The result is a context manager that signs out."""
        kind = MailBox if self.secure else MailBoxUnencrypted
        return kind(self.host, self.port, timeout=TIMEOUT).login(
            self.user, self.password, initial_folder=self.folder)


def watch(service: Service, enqueuer: Enqueuer, stopping: threading.Event) -> None:
    """Poll the mailbox until `stopping` is set."""
    place = Place.from_url(service.settings.imap_url or "")
    lease = Lease(service)
    while not stopping.is_set():
        look_once(service, place, enqueuer, lease, stopping)
        stopping.wait(SECONDS_BETWEEN_LOOKS)
    try:
        lease.release()
    except SQLAlchemyError as problem:
        log.warning("The lease ends by itself: %s", type(problem).__name__)


def look_once(
    service: Service, place: Place, enqueuer: Enqueuer, lease: Lease, stopping: threading.Event
) -> int:
    """Poll once, if we hold the lease. A failure is logged, and the next poll tries again."""
    try:
        if not lease.hold():
            return 0
        with place.open() as mailbox:
            return look(service, mailbox, enqueuer, lambda: not stopping.is_set() and lease.hold())
    except PROBLEMS as problem:
        log.warning("The mailbox cannot be looked into: %s", db.plain_reason(problem))
        return 0
    except Exception:  # the thread must go on, and the letter stays in the mailbox
        log.exception("A fault while looking into the mailbox")
        return 0
