"""Classifies a mail server's answers: what each one means for the letter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol

LONGEST_ANSWER = 300  # characters of an answer that are stored
Stage = Literal["connect", "login", "mail", "rcpt", "data"]


@dataclass(frozen=True)
class Accepted:
    """The server accepted the letter."""

    code: int
    text: str


@dataclass(frozen=True)
class Refused:
    """The server answered 4xx or 5xx. `enhanced` is its x.y.z code, or ""."""

    code: int
    enhanced: str
    text: str
    stage: Stage


@dataclass(frozen=True)
class Unreachable:
    """No answer: connection refused, timeout, broken TLS, closed connection."""

    text: str
    code: None = None


Outcome = Accepted | Refused | Unreachable


class Transport(Protocol):
    """Sends one letter to one recipient."""

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        """Hand the letter over. Never raises for what a server does."""

    def close(self) -> None:
        """Close the connection, if there is one."""


class Meaning(Enum):
    """What becomes of a letter after an answer."""

    SENT = "sent"
    TRY_AGAIN = "try again"
    SLOW_DOWN = "slow down"  # as TRY_AGAIN, and for the whole domain
    FULL = "full"  # the mailbox, which may be emptied: retried for longer
    TOO_BIG = "too big"  # retried without its pictures
    NO_SUCH_ADDRESS = "no such address"  # permanent, for this letter and all others to the address
    OUR_FAULT = "our fault"  # the domain rejects our letters; the player is not to blame
    HOPELESS = "hopeless"  # permanent for this letter's content; the address stays valid
    OUR_CREDENTIALS = "our credentials"  # no letter can leave until the operator acts


ADDRESS = re.compile(r"5\.1\.(1|2|3|10)$|5\.2\.1$")
NAMED = ("rcpt", "data")  # stages where an answer can be about the address or the letter


def meaning(outcome: Outcome) -> Meaning:
    """Classify an answer."""
    if isinstance(outcome, Accepted):
        return Meaning.SENT
    if isinstance(outcome, Unreachable):
        return Meaning.TRY_AGAIN
    if outcome.code in (530, 535) or (outcome.stage == "login" and outcome.code >= 500):
        return Meaning.OUR_CREDENTIALS
    return of_room(outcome) or (for_now(outcome) if is_for_now(outcome) else for_good(outcome))


def of_room(outcome: Refused) -> Meaning | None:
    """Return TOO_BIG or FULL, or None. A bare 552 means TOO_BIG after DATA, else FULL."""
    if outcome.enhanced == "5.3.4":
        return Meaning.TOO_BIG
    if outcome.enhanced in ("4.2.2", "5.2.2"):
        return Meaning.FULL
    if outcome.code == 552:
        return Meaning.TOO_BIG if outcome.stage == "data" else Meaning.FULL
    return None


def is_for_now(outcome: Refused) -> bool:
    """Return whether the same letter may succeed later."""
    # A 554 in place of a greeting is about the server, not about a letter.
    return outcome.code < 500 or outcome.stage == "connect"


def for_now(outcome: Refused) -> Meaning:
    """Classify a temporary failure: about one letter, or about all letters to that domain."""
    is_policy = outcome.enhanced.startswith("4.7.") and outcome.stage != "login"
    return Meaning.SLOW_DOWN if is_policy else Meaning.TRY_AGAIN


def for_good(outcome: Refused) -> Meaning:
    """Classify a permanent failure by whose fault it is."""
    if accuses_the_address(outcome):
        return Meaning.NO_SUCH_ADDRESS
    is_about_us = outcome.enhanced.startswith("5.7.") or outcome.stage == "mail"
    return Meaning.OUR_FAULT if is_about_us else Meaning.HOPELESS


def accuses_the_address(outcome: Refused) -> bool:
    """Return whether nothing can reach the address. A bare 550 says so only in answer to RCPT."""
    if outcome.enhanced:
        return bool(ADDRESS.match(outcome.enhanced)) and outcome.stage in NAMED
    return outcome.stage == "rcpt" and outcome.code in (550, 551, 553)


def plain(text: bytes | str) -> str:
    """Format a server's text as one printable line of at most 300 characters."""
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())[:LONGEST_ANSWER]
