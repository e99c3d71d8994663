"""Reads server reports about our letters: undelivered, delayed (RFC 3464), or spam (RFC 5965)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pbem.mail.incoming.parse.mime import Head, Part, content, headers, parameter
from pbem.mail.incoming.parse.reading import Addressed, Report
from pbem.mail.server_answers import Meaning, Refused, meaning, plain

What = Literal["hard", "soft", "delayed", "complaint", "delivered"]

STATUS = re.compile(r"\b([245])\.(\d{1,3})\.(\d{1,3})\b")
CODE = re.compile(r"\b[45]\d\d\b")
DELIVERY = ("message/delivery-status", "message/global-delivery-status")
FEEDBACK = "message/feedback-report"
# Moving a letter out of the spam folder is not a complaint.
NO_COMPLAINT = ("not-spam", "auth-failure", "dmarc")


def kind_of_report(head: Head) -> str:
    """Return the report type, such as delivery-status or feedback-report, or "" if it is no report.
    """
    kind = head.get("content-type")
    if kind.split(";", 1)[0].strip().lower() != "multipart/report":
        return ""
    return parameter(kind, "report-type").lower() or "delivery-status"


def of_delivery(letter: Part, to: Addressed) -> Report:
    """Read a delivery report. One without a status counts as a temporary failure."""
    blocks = [block for part in parts_of(letter, DELIVERY) for block in blocks_of(part)]
    told = [block for block in blocks if block.has("action")]
    failed = [block for block in told if action(block) == "failed"]
    if not told:
        return Report("soft", "", "", to)
    block = (failed or told)[0]
    text = block.get("diagnostic-code").partition(";")[2] or block.get("diagnostic-code")
    return Report(what(block), status(block), plain(text.strip()), to)


def what(block: Head) -> What:
    """Return delivered, delayed or bounced.

    It is permanent only if the address itself is at fault.
    """
    said = action(block)
    if said == "delayed":
        return "delayed"
    if said != "failed":
        return "delivered"  # also if it was relayed to a system that sends no reports, or expanded
    found, diagnostic = status(block), block.get("diagnostic-code")
    code = CODE.search(diagnostic)
    number = int(code[0]) if code else 550 if found.startswith("5") else 450
    enhanced = "" if found.endswith(".0.0") else found
    # "5.7.1" accuses us and "5.2.2" means a full mailbox, as in an SMTP answer to ourselves.
    answer = Refused(number, enhanced, diagnostic, "rcpt")
    is_dead = not found.startswith("4") and meaning(answer) is Meaning.NO_SUCH_ADDRESS
    return "hard" if is_dead else "soft"


def status(block: Head) -> str:
    """Return the most specific x.y.z of a block.

    The server's text may say more than the status field.
    """
    codes = [STATUS.search(block.get(name)) for name in ("status", "diagnostic-code")]
    found = [code[0] for code in codes if code]
    exact = [code for code in found if not code.endswith(".0.0")]
    return (exact or found or [""])[0]


def action(block: Head) -> str:
    return block.get("action").strip().lower()


def of_feedback(letter: Part, to: Addressed | None) -> Report | None:
    """Read a complaint. Returns None if the report is of another type."""
    blocks = [block for part in parts_of(letter, (FEEDBACK,)) for block in blocks_of(part)]
    kind = next((block.get("feedback-type") for block in blocks if block.has("feedback-type")), "")
    if kind.strip().lower() in NO_COMPLAINT:
        return None
    return Report("complaint", "", plain(kind), to)


def parts_of(letter: Part, kinds: tuple[str, ...]) -> Iterator[Part]:
    return (part for part in letter.walk() if part.kind in kinds)


def blocks_of(part: Part) -> list[Head]:
    """Return the groups of headers in a machine-readable part."""
    return [headers(block) for block in re.split(rb"\n[ \t]*\n", content(part)) if block.strip()]
