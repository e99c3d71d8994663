"""Parses a letter's bytes and envelope into a Reading. Never raises, and reads nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pbem.mail.address import BadAddress, normalise
from pbem.mail.incoming import commands
from pbem.mail.incoming.parse import authresults, mime, quotes, robots, text
from pbem.mail.incoming.parse.mime import Head, Part, TooMuch
from pbem.mail.incoming.parse.reading import (
    Addressed,
    Envelope,
    Mail,
    Ours,
    Reading,
    Report,
    Robot,
    Unreadable,
)
from pbem.mail.tokens import Purpose

PURPOSES: dict[str, Purpose] = {
    "turn": "turn", "words": "words", "unsub": "unsub", "bounce": "bounce"
}  # fmt: skip
# Ordered by how surely they hold the envelope's recipient; the writer's own headers come last.
# In-Reply-To and References are not used: our Message-IDs hold no token, and many servers replace
# them.
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
    """Return what kind of letter this is and what it says."""
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
    if commands.says_only_words(own.lines):  # a subject "Vacation 5 days" is the writer's too
        doubts = tuple(doubt for doubt in doubts if doubt != "looks_automatic")
    return Mail(to, sender, authentic, message_id, own.lines, (*doubts, *own.doubts), own.below)


# ---- recipient ----------------------------------------------------------------------------------


def addressed(values: Iterable[str], ours: Ours) -> Addressed | None:
    """Return the first of our addresses in these headers. Servers may change their case."""
    ends_with = re.escape(ours.reply_domain.lower())
    pattern = rf"(?<![\w.+-])({'|'.join(PURPOSES)})\+([a-z0-9]{{1,64}})@{ends_with}(?![\w.-]*\w)"
    for value in values:
        found = re.search(pattern, value.lower())
        if found:
            return Addressed(PURPOSES[found[1]], found[2])
    return None


def named_in(head: Head, ours: Ours) -> Addressed | None:
    """Return our address in the headers, those that servers write first."""
    return addressed(head.all(*WRITTEN_BY_SERVERS, *WRITTEN_BY_SENDERS), ours)


# ---- letters of machines ------------------------------------------------------------------------


def of_machine(
    raw: bytes, head: Head, envelope: Envelope, ours: Ours, to: Addressed | None
) -> Robot | Report | Unreadable | None:
    """Return the letter as a machine's, or None if a person may have written it."""
    reason = robots.reason(head, envelope, ours)
    kind = robots.kind_of_report(head)
    if kind:
        return of_report(raw, kind, ours, to)
    if to is not None and to.purpose == "bounce":
        return of_bounce_address(head, envelope, reason, to)
    if to is not None and to.purpose == "unsub":
        return None  # mail programs send these for their readers; repeating it does no harm
    return None if reason is None else Robot(reason, to)


def of_report(
    raw: bytes, kind: str, ours: Ours, to: Addressed | None
) -> Robot | Report | Unreadable:
    """Read a report.

    A delivery report counts only at the bounce address, which only servers know.
    """
    try:
        letter = mime.opened(raw)
        told: Report | None = None
        if kind == "feedback-report":
            told = robots.of_feedback(letter, bounce_in(letter, ours) or to)
        elif kind == "delivery-status" and to is not None and to.purpose == "bounce":
            told = robots.of_delivery(letter, to)
    except TooMuch as limit:
        return Unreadable(limit.key, to, limit.most)
    return told or Robot("report", to)


def of_bounce_address(
    head: Head, envelope: Envelope, reason: str | None, to: Addressed
) -> Robot | Report:
    """Read a letter to the bounce address that is not a report.

    With a null sender it comes from a server with a report format of its own. Its prose is not
    read, so it counts as a temporary failure, of which several must come.
    """
    comes_back = robots.is_null_sender(head, envelope) and robots.tells_of_return(head)
    if comes_back and not robots.answers_for_somebody(head):
        return Report("soft", "", "", to)
    return Robot(reason or "to_bounce_address", to)


def bounce_in(letter: Part, ours: Ours) -> Addressed | None:
    """Return our bounce address from a complaint about our letter."""
    told = [part.body for part in letter.walk() if part.kind.startswith("message/")]
    lines = [line.decode("latin-1") for body in told for line in body.split(b"\n") if b"+" in line]
    named = [found for line in lines if (found := addressed([line], ours))]
    return next((each for each in named if each.purpose == "bounce"), named[0] if named else None)


# ---- sender -------------------------------------------------------------------------------------


def sender_of(head: Head) -> str | None:
    """Return the single address in From, normalised, or None if there is not exactly one."""
    written = head.all("from")
    if len(written) != 1 or len(written[0]) > LONGEST_SENDER:
        return None
    bare = QUOTED_NAME.sub(" ", authresults.without_comments(written[0]))
    found = ONE_ADDRESS.fullmatch(bare)
    if found is None:
        return None
    address = found[2] or found[3]
    # Names contain all sorts of things, but never a second address that counts.
    name = found[1] or ""
    others = {each.lower() for each in ADDRESSES.findall(name)} - {address.lower()}
    if others or "@" in ADDRESSES.sub("", name):
        return None
    try:
        return normalise(address)
    except BadAddress:
        return None


def doubts_of(head: Head, sender: str | None) -> tuple[str, ...]:
    """Return the keys of the reasons to confirm the letter first."""
    automatic = ("looks_automatic",) if robots.looks_automatic(head) else ()
    return automatic + (("several_senders",) if sender is None else ())


def message_id_of(head: Head) -> str | None:
    """Return the Message-ID with its brackets, or None if it is missing or not one word."""
    found = re.match(r"<?([^<>\s]{1,248})>?", head.get("message-id"))
    return f"<{found[1]}>" if found else None
