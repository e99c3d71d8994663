"""What a mail server said about a letter, as values, and what each answer means for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol

LONGEST_ANSWER = 300  # characters of a server's words that are kept
Stage = Literal["connect", "login", "mail", "rcpt", "data"]


@dataclass(frozen=True)
class Accepted:
    """The server took the letter over."""

    code: int
    text: str


@dataclass(frozen=True)
class Refused:
    """The server answered 4xx or 5xx; `enhanced` is its x.y.z code, "" if it gave none."""

    code: int
    enhanced: str
    text: str
    stage: Stage


@dataclass(frozen=True)
class Unreachable:
    """No answer: refused connection, timeout, broken TLS, a connection that ended."""

    reason: str


Outcome = Accepted | Refused | Unreachable


class Transport(Protocol):
    """Takes one letter for one recipient."""

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        """Hand the letter over; never raises for what a server does."""

    def close(self) -> None:
        """Say goodbye, if there is anybody to say it to."""


class Meaning(Enum):
    """What becomes of a letter after an answer."""

    SENT = "sent"
    TRY_AGAIN = "try again"
    NO_SUCH_ADDRESS = "no such address"  # hopeless for this letter and all others to it
    HOPELESS = "hopeless"  # this letter; our fault or its content's, the address stays good
    OUR_CREDENTIALS = "our credentials"  # no letter at all can leave until the operator acts


ADDRESS = re.compile(r"5\.1\.(1|2|3|10)$|5\.2\.1$")
FULL_OR_TOO_BIG = re.compile(r"5\.2\.2$|5\.3\.4$")


def meaning(outcome: Outcome) -> Meaning:
    """The class of an answer."""
    if isinstance(outcome, Accepted):
        return Meaning.SENT
    if isinstance(outcome, Unreachable):
        return Meaning.TRY_AGAIN
    if outcome.code in (530, 535) or (outcome.stage == "login" and outcome.code >= 500):
        return Meaning.OUR_CREDENTIALS
    if is_for_now(outcome):
        return Meaning.TRY_AGAIN
    return Meaning.NO_SUCH_ADDRESS if accuses_the_address(outcome) else Meaning.HOPELESS


def is_for_now(outcome: Refused) -> bool:
    """Whether the same letter may do better later; a full mailbox may be emptied."""
    if outcome.code < 500 or outcome.code == 552 or FULL_OR_TOO_BIG.match(outcome.enhanced):
        return True
    return outcome.stage == "connect"  # 554 in place of a greeting is about the server, no letter


def accuses_the_address(outcome: Refused) -> bool:
    """Whether nothing can reach the address; a bare 550 says so only where it was named (RCPT)."""
    if outcome.enhanced:
        return bool(ADDRESS.match(outcome.enhanced)) and outcome.stage in ("rcpt", "data")
    return outcome.stage == "rcpt" and outcome.code in (550, 551, 553)


def code_of(outcome: Outcome) -> int | None:
    """The answer's number, None if there was no answer."""
    return None if isinstance(outcome, Unreachable) else outcome.code


def text_of(outcome: Outcome) -> str:
    """The answer's words."""
    return outcome.reason if isinstance(outcome, Unreachable) else outcome.text


def plain(text: bytes | str) -> str:
    """A server's words as one printable line of at most 300 characters."""
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())[:LONGEST_ANSWER]
