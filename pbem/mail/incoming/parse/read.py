"""From the bytes of a letter and its envelope to what it says. Never raises; asks nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pbem.mail.address import BadAddress, normalise
from pbem.mail.incoming import commands
from pbem.mail.incoming.parse import authresults, mime, quotes, reports, robots, text
from pbem.mail.incoming.parse.mime import Head, Part, TooMuch
from pbem.mail.incoming.parse.reading import (
    Addressed,
    Envelope,
    Mail,
    Ours,
    Reading,
    Robot,
    Unreadable,
)
from pbem.mail.incoming.parse.reports import Report
from pbem.mail.tokens import Purpose

PURPOSES: dict[str, Purpose] = {
    "turn": "turn", "words": "words", "unsub": "unsub", "bounce": "bounce"
}  # fmt: skip
# By how sure they are the envelope's recipient; what the writer put in comes last. In-Reply-To and
# References are not asked: our Message-IDs hold no token, and many servers put in their own.
WRITTEN_BY_SERVERS = (
    "delivered-to", "x-original-to", "x-gm-original-to", "envelope-to", "x-envelope-to"
)  # fmt: skip
WRITTEN_BY_SENDERS = ("to", "cc")
LONGEST_SENDER = 1_000  # characters of a name and an address

QUOTED_NAME = re.compile(r'"(?:[^"\\]|\\.)*"')
AN_ADDRESS = r"[^\s<>@,;:\"()\[\]\\]+@[^\s<>@,;:\"()\[\]\\]+"
ADDRESSES = re.compile(AN_ADDRESS)
ONE_ADDRESS = re.compile(rf"([^<>]*)<\s*({AN_ADDRESS})\s*>\s*|\s*({AN_ADDRESS})\s*")


def read(raw: bytes, envelope: Envelope, ours: Ours) -> Reading:
    """What the letter is, and what it says."""
    to = addressed([envelope.recipient], ours)
    try:
        raw = mime.with_plain_ends(raw)
        head = mime.head_of(raw)
    except TooMuch as limit:
        return Unreadable(limit.key, to, limit.most)
    to = to or named_in(head, ours)
    machine = of_machine(raw, head, envelope, ours, to)
    if machine is not None:
        return machine
    sender = sender_of(head)
    authentic = authresults.authentic(head, sender, ours.authserv_id)
    message_id = message_id_of(head)
    doubts = doubts_of(head, sender)
    if to is not None and to.purpose == "unsub":
        return Mail(to, sender, authentic, message_id, (), doubts)
    try:
        opened = mime.opened(raw)
        found = text.text_of(opened)
        if robots.is_reaction(opened, found.text if found else ""):
            return Robot("reaction", to)
        if found is None:
            text.check_read(opened)
        own = quotes.said(found.text, found.rich) if found else quotes.Said(())
    except TooMuch as limit:
        return Unreadable(limit.key, to, limit.most, sender, authentic, message_id)
    if commands.says_only_words(own.lines):  # "Vacation 5 days" as subject is its writer's too
        doubts = tuple(doubt for doubt in doubts if doubt != "looks_automatic")
    return Mail(to, sender, authentic, message_id, own.lines, (*doubts, *own.doubts), own.below)


# ---- whom it is for -----------------------------------------------------------------------------


def addressed(values: Iterable[str], ours: Ours) -> Addressed | None:
    """The first of our addresses in these headers; servers fold them as they like."""
    ends_with = re.escape(ours.reply_domain.lower())
    pattern = rf"(?<![\w.+-])({'|'.join(PURPOSES)})\+([a-z0-9]{{1,64}})@{ends_with}(?![\w.-]*\w)"
    for value in values:
        found = re.search(pattern, value.lower())
        if found:
            return Addressed(PURPOSES[found[1]], found[2])
    return None


def named_in(head: Head, ours: Ours) -> Addressed | None:
    """Our address in the headers, those of servers first."""
    return addressed(head.all(*WRITTEN_BY_SERVERS, *WRITTEN_BY_SENDERS), ours)


# ---- machines -----------------------------------------------------------------------------------


def of_machine(
    raw: bytes, head: Head, envelope: Envelope, ours: Ours, to: Addressed | None
) -> Robot | Report | Unreadable | None:
    """The letter as a machine's; None if a person may have written it."""
    reason = robots.reason(head, envelope, ours)
    kind = reports.kind_of_report(head)
    if kind:
        return of_report(raw, kind, ours, to)
    if to is not None and to.purpose == "bounce":
        return of_bounce_address(head, envelope, reason, to)
    if to is not None and to.purpose == "unsub":
        return None  # mail programs send these for their readers; doing it twice harms nobody
    return None if reason is None else Robot(reason, to)


def of_report(
    raw: bytes, kind: str, ours: Ours, to: Addressed | None
) -> Robot | Report | Unreadable:
    """A report; one about delivery counts only at the address that nobody but servers is told."""
    try:
        letter = mime.opened(raw)
        told: Report | None = None
        if kind == "feedback-report":
            told = reports.of_feedback(letter, bounce_in(letter, ours) or to)
        elif kind == "delivery-status" and to is not None and to.purpose == "bounce":
            told = reports.of_delivery(letter, to)
    except TooMuch as limit:
        return Unreadable(limit.key, to, limit.most)
    return told or Robot("report", to)


def of_bounce_address(
    head: Head, envelope: Envelope, reason: str | None, to: Addressed
) -> Robot | Report:
    """What is no report, but came to where letters come back to.

    From no sender it is a server's that writes reports of its own kind. As prose is not read, it
    may mean anything: a passing failure, of which several have to come before they count.
    """
    comes_back = robots.is_null_sender(head, envelope) and robots.tells_of_return(head)
    if comes_back and not robots.answers_for_somebody(head):
        return Report("soft", "", "", to)
    return Robot(reason or "to_bounce_address", to)


def bounce_in(letter: Part, ours: Ours) -> Addressed | None:
    """Our bounce address in what a complaint says about our letter."""
    told = [part.body for part in letter.walk() if part.kind.startswith("message/")]
    lines = [line.decode("latin-1") for body in told for line in body.split(b"\n") if b"+" in line]
    named = [found for line in lines if (found := addressed([line], ours))]
    return next((each for each in named if each.purpose == "bounce"), named[0] if named else None)


# ---- who wrote it -------------------------------------------------------------------------------


def sender_of(head: Head) -> str | None:
    """The one address in From, normalised; None if there is not exactly one."""
    written = head.all("from")
    if len(written) != 1 or len(written[0]) > LONGEST_SENDER:
        return None
    bare = QUOTED_NAME.sub(" ", authresults.without_comments(written[0]))
    found = ONE_ADDRESS.fullmatch(bare)
    if found is None:
        return None
    address = found[2] or found[3]
    # People and programs write all sorts of things as a name, but no second address that counts.
    name = found[1] or ""
    others = {each.lower() for each in ADDRESSES.findall(name)} - {address.lower()}
    if others or "@" in ADDRESSES.sub("", name):
        return None
    try:
        return normalise(address)
    except BadAddress:
        return None


def doubts_of(head: Head, sender: str | None) -> tuple[str, ...]:
    """Keys of what makes the letter to be confirmed first."""
    automatic = ("looks_automatic",) if robots.looks_automatic(head) else ()
    return automatic + (("several_senders",) if sender is None else ())


def message_id_of(head: Head) -> str | None:
    """The letter's own id with its brackets, None if it has none that is one word."""
    found = re.match(r"<?([^<>\s]{1,248})>?", head.get("message-id"))
    return f"<{found[1]}>" if found else None
