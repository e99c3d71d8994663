"""What a letter that came in says, as values: the pure step from bytes to something to judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pbem.mail.tokens import Purpose


@dataclass(frozen=True)
class Envelope:
    """What the server was told before the letter itself."""

    sender: str  # "" is a server's own letter
    recipient: str
    source: Literal["smtp", "lmtp", "imap", "pipe"] = "pipe"


@dataclass(frozen=True)
class Ours:
    """What the reader of letters has to know of this service."""

    reply_domain: str
    mail_domain: str
    authserv_id: str | None = None


@dataclass(frozen=True)
class Addressed:
    """One of our addresses: its purpose and its token, as they were written (folded)."""

    purpose: Purpose
    token: str


@dataclass(frozen=True)
class Unreadable:
    """A letter that is not read: past a limit, encrypted. `reason` is a key, `most` its limit.

    Keys: too_large, headers_too_large, header_too_long (then nobody knows whose it is), and
    too_many_parts, too_deep, encrypted, winmail, only_attached, too_many_lines, line_too_long. The
    rest as in Mail.
    """

    reason: str
    to: Addressed | None = None
    most: int | None = None
    sender: str | None = None
    authentic: Literal["pass", "fail", "unknown"] = "unknown"
    message_id: str | None = None


@dataclass(frozen=True)
class Robot:
    """A machine's letter, which gets no answer. `reason`: the header that says so."""

    reason: str
    to: Addressed | None = None


@dataclass(frozen=True)
class Report:
    """A server's letter about one of ours. `to` names it by its bounce address."""

    what: Literal["hard", "soft", "delayed", "complaint", "delivered"]
    status: str  # 5.1.1, or ""
    text: str
    to: Addressed | None = None


@dataclass(frozen=True)
class Mail:
    """A person's letter: who says so, how far it is to be believed, and the lines it begins with.

    `lines` ends where quotes, a signature or an empty line begin; what they mean, `;` included, is
    the game's to say. To "unsub" it has none: the address says all. `doubts` are keys of what makes
    it to be confirmed first: "looks_automatic" (by its subject), "several_senders" (`sender` is
    None), "below_quote" (no empty line parts it from a quote that it may be a piece of). `below`:
    what its writer says behind an empty line, which is not read.
    """

    to: Addressed | None
    sender: str | None  # the one address in From, normalised; None if there is not exactly one
    authentic: Literal["pass", "fail", "unknown"]
    message_id: str | None
    lines: tuple[str, ...]
    doubts: tuple[str, ...] = field(default=())
    below: tuple[str, ...] = ()


Reading = Unreadable | Robot | Report | Mail
