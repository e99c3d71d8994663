"""Letters to an SMTP server: one connection for several, and never longer than a lease."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from pbem.mail.server_answers import Accepted, Outcome, Refused, Stage, Unreachable, plain

TIMEOUT = 60.0  # seconds that one step of the conversation may take
# One letter takes at most 150 s, well below the lease of 180 s: else two workers would send it.
BUDGET = 150.0
FOR_THE_DATA = 90.0  # of it, kept for the letter itself: 30 s to send, 60 s to hear the answer
LETTERS_A_CONNECTION = 50
SECONDS_A_CONNECTION = 30.0


@dataclass(frozen=True)
class Relay:
    """Where to hand letters over, read from smtp://, smtps:// or smtp+starttls://."""

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


class Step(NamedTuple):
    """A line of a letter's envelope, and what a server answers that has nothing against it."""

    stage: Stage
    command: str
    good: int = 250

    def line(self) -> str:
        """The command, which is one line: what goes behind it would be another command."""
        if "\r" in self.command or "\n" in self.command:
            raise ValueError("a line break in an address")
        return self.command


class _Connection:
    """One conversation with the server, good for several letters, and its share of time."""

    def __init__(self, relay: Relay, helo: str | None, ends: float) -> None:
        self.opened = time.monotonic()
        self.letters = 0
        self.is_amid_a_letter = False  # then the next one begins by RSET
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

    def allow(self, until: float, most: float = TIMEOUT) -> None:
        """The next step may take `most` seconds, and not go on after `until`."""
        left = until - time.monotonic()
        if left <= 0 or self.smtp.sock is None:
            raise TimeoutError("the server took too long")
        self.smtp.sock.settimeout(min(most, left))

    def is_fresh(self) -> bool:
        age = time.monotonic() - self.opened
        return self.letters < LETTERS_A_CONNECTION and age < SECONDS_A_CONNECTION

    def announce(self, sender: str, recipient: str, ends: float) -> None:
        """Say whose letter for whom it is, until the server waits for it."""
        steps = [Step("mail", f"MAIL FROM:<{sender}>"), Step("rcpt", f"RCPT TO:<{recipient}>"),
                 Step("data", "DATA", good=354)]
        if self.is_amid_a_letter:
            steps.insert(0, Step("mail", "RSET"))
        self.is_amid_a_letter = True
        takes_all = self.smtp.has_extn("pipelining")  # RFC 2920
        for several in [steps] if takes_all else [[step] for step in steps]:
            self._say(several, ends)

    def _say(self, steps: Sequence[Step], ends: float) -> None:
        """Say lines in one sending, and hear that each is all right."""
        self.stage = steps[0].stage
        self.allow(ends - FOR_THE_DATA)
        self.smtp.send("".join(f"{step.line()}\r\n" for step in steps))
        for place, step in enumerate(steps, start=1):
            self.stage = step.stage
            self.allow(ends - FOR_THE_DATA)
            code, text = self.smtp.getreply()
            if code // 10 != step.good // 10:
                self._hear_out(steps[place:], ends)
                raise smtplib.SMTPResponseException(code, text)

    def _hear_out(self, steps: Sequence[Step], ends: float) -> None:
        """What was said behind a refused line is answered as well; a server that would take a
        letter all the same gets none, not even an empty one."""
        try:
            for step in steps:
                self.allow(ends - FOR_THE_DATA)
                if self.smtp.getreply()[0] == step.good == 354:
                    self.smtp.close()
        except (smtplib.SMTPException, OSError):
            self.smtp.close()

    def hand_over(self, letter: bytes) -> Accepted:
        """Send the letter itself. From here on a lost answer leaves it open whether it arrived."""
        dotted = b"." + letter if letter.startswith(b".") else letter
        if b"\n." in dotted:  # mostly not: to look takes a tenth of what replacing takes
            dotted = dotted.replace(b"\n.", b"\n..")
        end = b".\r\n" if dotted.endswith(b"\r\n") else b"\r\n.\r\n"
        now = time.monotonic()
        self.allow(now + FOR_THE_DATA - TIMEOUT)
        self.smtp.send(dotted + end)
        self.allow(time.monotonic() + TIMEOUT)
        code, text = self.smtp.getreply()
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
    """A server that would take letters: how the line is encrypted, until when it may be."""

    protocol: str  # "" if it is not
    until: str


class SmtpTransport:
    """An SMTP server; one connection a thread, kept for up to 50 letters or 30 seconds."""

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

    def greeting(self) -> Greeting | Outcome:
        """Come as far as a letter would begin, and say goodbye."""
        self._mine.stage = "connect"
        try:
            connection = self._opened(time.monotonic() + BUDGET)
        except smtplib.SMTPResponseException as answer:
            return _refused(answer, self._mine.stage)
        except (smtplib.SMTPException, OSError, ValueError) as wrong:
            return Unreachable(plain(str(wrong) or type(wrong).__name__))
        protocol, until = encryption(connection.smtp.sock)
        connection.close()
        return Greeting(protocol, until)

    def _announced(self, sender: str, recipient: str, ends: float) -> _Connection:
        """A connection on which the server waits for the letter; nothing is sent yet."""
        kept: _Connection | None = getattr(self._mine, "connection", None)
        if kept is not None and kept.is_fresh():
            try:
                return self._envelope(kept, sender, recipient, ends)
            except smtplib.SMTPResponseException as answer:
                if answer.smtp_code != 421:
                    raise
            except (smtplib.SMTPServerDisconnected, OSError):
                pass  # a kept connection that the server has closed says nothing about the letter
        self.close()
        self._mine.stage = "connect"
        opened = self._mine.connection = self._opened(ends)
        return self._envelope(opened, sender, recipient, ends)

    def _opened(self, ends: float) -> _Connection:
        try:
            return _Connection(self.relay, self.helo, ends)
        except smtplib.SMTPAuthenticationError:
            self._mine.stage = "login"
            raise

    def _envelope(
        self, connection: _Connection, sender: str, recipient: str, ends: float
    ) -> _Connection:
        with self._kept_only_if_sound(connection):
            connection.announce(sender, recipient, ends)
        return connection

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
    """The protocol of a line, and until when its certificate is good; "" if it is open."""
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
