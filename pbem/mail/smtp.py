"""Sends letters to an SMTP server. Reuses the connection, and never takes longer than a lease."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from pbem.mail.server_answers import Accepted, Outcome, Refused, Stage, Unreachable, plain

TIMEOUT = 60.0  # seconds for one step of the conversation
# One letter takes at most 150 s, below the lease of 180 s. Otherwise two workers would send it.
BUDGET = 150.0
FOR_THE_DATA = 120.0  # of it, reserved for the letter itself
STEPS_OF_THE_DATA = 3  # DATA, the letter, the server's answer: 40 s each
LETTERS_A_CONNECTION = 50
SECONDS_A_CONNECTION = 30.0


@dataclass(frozen=True)
class Relay:
    """The server's address, parsed from smtp://, smtps:// or smtp+starttls://."""

    secure: Literal["", "starttls", "tls"]
    host: str
    port: int
    user: str
    password: str

    @classmethod
    def from_url(cls, url: str) -> Relay:
        parts = urlsplit(url)
        secure: dict[str, Literal["", "starttls", "tls"]] = {
            "smtp": "", "smtp+starttls": "starttls", "smtps": "tls"
        }  # fmt: skip
        if parts.scheme not in secure or not parts.hostname:
            raise ValueError("smtp://host:port, smtps:// or smtp+starttls:// is expected")
        port = parts.port or {"smtp": 25, "smtp+starttls": 587, "smtps": 465}[parts.scheme]
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(secure[parts.scheme], parts.hostname, port, user, password)


class _Connection:
    """One connection to the server, for several letters, with its time budget."""

    def __init__(self, relay: Relay, helo: str | None, ends: float) -> None:
        self.opened = time.monotonic()
        self.letters = 0
        self.is_amid_a_letter = False  # then the next one begins with RSET
        self.stage: Stage = "connect"
        self.smtp = self._connected(relay, helo, min(TIMEOUT, ends - FOR_THE_DATA - self.opened))
        try:
            self._secured(relay, ends)
        except BaseException:
            self.smtp.close()
            raise

    def _connected(self, relay: Relay, helo: str | None, timeout: float) -> smtplib.SMTP:
        if relay.secure != "tls":
            return smtplib.SMTP(relay.host, relay.port, local_hostname=helo, timeout=timeout)
        context = ssl.create_default_context()
        return smtplib.SMTP_SSL(
            relay.host, relay.port, local_hostname=helo, timeout=timeout, context=context
        )

    def _secured(self, relay: Relay, ends: float) -> None:
        self.allow(ends - FOR_THE_DATA)
        self.smtp.ehlo_or_helo_if_needed()
        if relay.secure == "starttls":
            self.allow(ends - FOR_THE_DATA)
            self.smtp.starttls(context=ssl.create_default_context())
            self.smtp.ehlo()
        if relay.user:
            self.allow(ends - FOR_THE_DATA)
            self.stage = "login"
            self.smtp.login(relay.user, relay.password)

    def allow(self, until: float) -> None:
        """Give the next step TIMEOUT seconds, but no time after `until`."""
        left = until - time.monotonic()
        if left <= 0 or self.smtp.sock is None:
            raise TimeoutError("the server took too long")
        self.smtp.sock.settimeout(min(TIMEOUT, left))

    def is_fresh(self) -> bool:
        age = time.monotonic() - self.opened
        return self.letters < LETTERS_A_CONNECTION and age < SECONDS_A_CONNECTION

    def greet(self, sender: str, ends: float) -> None:
        """Check that the server accepts mail from this sender."""
        self.stage = "mail"
        self._step(lambda: self.smtp.mail(sender), ends)

    def announce(self, sender: str, recipient: str, ends: float) -> None:
        """Send the envelope; nothing of the letter is sent yet."""
        if any(end in address for address in (sender, recipient) for end in "\r\n"):
            raise ValueError("a line break in an address")
        self.stage = "mail"
        if self.is_amid_a_letter:
            self._step(self.smtp.rset, ends)
        self.is_amid_a_letter = True
        self._step(lambda: self.smtp.mail(sender), ends)
        self.stage = "rcpt"
        self._step(lambda: self.smtp.rcpt(recipient), ends)

    def _step(self, step: Callable[[], tuple[int, bytes]], ends: float) -> None:
        self.allow(ends - FOR_THE_DATA)
        code, text = step()
        if code // 10 != 25:
            raise smtplib.SMTPResponseException(code, text)

    def hand_over(self, letter: bytes) -> Accepted:
        """Send the letter itself. If the answer is lost, the letter may or may not have arrived."""
        self.stage = "data"
        self.allow(time.monotonic() + FOR_THE_DATA / STEPS_OF_THE_DATA)
        code, text = self.smtp.data(letter)
        if code != 250:
            raise smtplib.SMTPResponseException(code, text)
        self.letters += 1
        self.is_amid_a_letter = False
        return Accepted(code, plain(text))

    def close(self) -> None:
        with contextlib.suppress(smtplib.SMTPException, OSError):
            if self.smtp.sock is not None:
                self.smtp.sock.settimeout(1.0)
            self.smtp.quit()
        self.smtp.close()


@dataclass(frozen=True)
class Greeting:
    """A server that would take letters: the TLS version, and until when its certificate is valid.
    """

    protocol: str  # "" if not encrypted
    until: str


class SmtpTransport:
    """An SMTP server. One connection per thread, kept for up to 50 letters or 30 seconds."""

    def __init__(self, url: str, helo: str | None = None) -> None:
        self.relay = Relay.from_url(url)
        self.helo = helo
        self._mine = threading.local()

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        ends = time.monotonic() + BUDGET
        try:
            connection = self._announced(sender, recipient, ends)
            with self._kept_only_if_sound(connection):
                return connection.hand_over(letter)
        except smtplib.SMTPResponseException as answer:
            return _refused(answer, getattr(self._mine, "stage", "connect"))
        except (smtplib.SMTPException, OSError, ValueError) as wrong:
            return Unreachable(plain(str(wrong) or type(wrong).__name__))

    def greeting(self, sender: str) -> Greeting | Outcome:
        """Connect and go as far as MAIL FROM, then quit."""
        self._mine.stage = "connect"
        ends = time.monotonic() + BUDGET
        try:
            connection = self._opened(ends)
            with self._kept_only_if_sound(connection):
                connection.greet(sender, ends)
        except smtplib.SMTPResponseException as answer:
            return _refused(answer, self._mine.stage)
        except (smtplib.SMTPException, OSError, ValueError) as wrong:
            return Unreachable(plain(str(wrong) or type(wrong).__name__))
        protocol, until = encryption(connection.smtp.sock)
        connection.close()
        return Greeting(protocol, until)

    def _announced(self, sender: str, recipient: str, ends: float) -> _Connection:
        """Return a connection on which the envelope is sent, and nothing of the letter yet."""
        kept: _Connection | None = getattr(self._mine, "connection", None)
        if kept is not None and kept.is_fresh():
            try:
                with self._kept_only_if_sound(kept):
                    kept.announce(sender, recipient, ends)
                return kept
            except smtplib.SMTPResponseException as answer:
                if answer.smtp_code != 421:
                    raise
            except (smtplib.SMTPServerDisconnected, OSError):
                pass  # a kept connection that the server has closed says nothing about the letter
        self.close()
        self._mine.stage = "connect"
        opened = self._mine.connection = self._opened(ends)
        with self._kept_only_if_sound(opened):
            opened.announce(sender, recipient, ends)
        return opened

    def _opened(self, ends: float) -> _Connection:
        try:
            return _Connection(self.relay, self.helo, ends)
        except smtplib.SMTPAuthenticationError:
            self._mine.stage = "login"
            raise

    @contextlib.contextmanager
    def _kept_only_if_sound(self, connection: _Connection) -> Iterator[None]:
        try:
            yield
        except smtplib.SMTPResponseException as answer:
            self._mine.stage = connection.stage
            if answer.smtp_code == 421:
                self.close()
            raise
        except (smtplib.SMTPException, OSError):
            self._mine.connection = None
            connection.smtp.close()
            raise

    def close(self) -> None:
        connection = getattr(self._mine, "connection", None)
        self._mine.connection = None
        if connection is not None:
            connection.close()


def encryption(line: socket.socket | None) -> tuple[str, str]:
    """Return a connection's TLS version, and until when its certificate is valid.

    Both are "" if the connection is not encrypted.
    """
    if not isinstance(line, ssl.SSLSocket):
        return "", ""
    certificate = line.getpeercert() or {}
    return line.version() or "", str(certificate.get("notAfter", ""))


def _refused(answer: smtplib.SMTPResponseException, stage: Stage) -> Outcome:
    text = plain(answer.smtp_error)
    if not 400 <= answer.smtp_code <= 599:
        return Unreachable(f"answered {answer.smtp_code} {text}")
    found = re.match(r"[245]\.\d{1,3}\.\d{1,3}\b", text)
    return Refused(answer.smtp_code, found.group() if found else "", text, stage)
