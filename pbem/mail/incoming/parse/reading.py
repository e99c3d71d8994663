"""Defines the values that parsing a letter returns, for the judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pbem.mail.tokens import Purpose


@dataclass(frozen=True)
class Envelope:
    """The SMTP envelope of a letter."""

    sender: str  # "" for a server's own letter
    recipient: str
    source: Literal["smtp", "lmtp", "imap", "pipe"] = "pipe"


@dataclass(frozen=True)
class Ours:
    """The settings of this service that parsing needs."""

    reply_domain: str
    mail_domain: str
    authserv_id: str | None = None


@dataclass(frozen=True)
class Addressed:
    """One of our addresses: its purpose and its token, in lower case."""

    purpose: Purpose
    token: str


@dataclass(frozen=True)
class Unreadable:
    """A letter that is not read: past a limit, or encrypted. `reason` is a key, `most` its limit.

    Keys without a known sender: too_large, headers_too_large, header_too_long. The others:
    too_many_parts, too_deep, encrypted, winmail, only_attached, too_many_lines, line_too_long. The
    other fields are as in Mail.
    """

    reason: str
    to: Addressed | None = None
    most: int | None = None
    sender: str | None = None
    authentic: Literal["pass", "fail", "unknown"] = "unknown"
    message_id: str | None = None


@dataclass(frozen=True)
class Robot:
    """A machine's letter, which gets no answer. `reason` is the header that shows it."""

    reason: str
    to: Addressed | None = None


@dataclass(frozen=True)
class Report:
    """A server's letter about one of ours. `to` is the bounce address, which names our letter."""

    what: Literal["hard", "soft", "delayed", "complaint", "delivered"]
    status: str  # such as 5.1.1, or ""
    text: str
    to: Addressed | None = None


@dataclass(frozen=True)
class Mail:
    """A person's letter: its sender, how authentic it is, and its first lines.

    `lines` ends at the first quote, signature or empty line. The game interprets them, `;`
    included. A letter to "unsub" has none, because its address says all. `doubts` are keys of
    reasons to confirm it first: "looks_automatic" (its subject), "several_senders" (`sender` is
    None) and "below_quote" (no empty line separates it from a quote that it may belong to). `below`
    is what the writer says after an empty line. It is not read as orders.
    """

    to: Addressed | None
    sender: str | None  # the one address in From, normalised; None if there is not exactly one
    authentic: Literal["pass", "fail", "unknown"]
    message_id: str | None
    lines: tuple[str, ...]
    doubts: tuple[str, ...] = field(default=())
    below: tuple[str, ...] = ()


Reading = Unreadable | Robot | Report | Mail
