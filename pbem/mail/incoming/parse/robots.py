"""Recognises letters that no person wrote, and reads server reports about our own letters.

Answering an automatic letter could start an endless loop. Reports say that a letter is undelivered,
delayed (RFC 3464), or called spam (RFC 5965).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

from pbem.mail.incoming.parse.charsets import header_text
from pbem.mail.incoming.parse.mime import Head, Part, content, headers, parameter
from pbem.mail.incoming.parse.phrases import AUTOMATIC, CAME_BACK
from pbem.mail.incoming.parse.reading import Addressed, Envelope, Ours, Report
from pbem.mail.server_answers import Meaning, Refused, meaning, plain

# X-Auto-Response-Suppress is no sign: every Outlook letter may carry it.
DAEMONS = re.compile(
    r"mailer-?daemon|mail-?delivery.*|postmaster|no[-._]?reply|do[-._]?not[-._]?reply"
    r"|double-bounce", re.IGNORECASE
)
OUR_IDS = re.compile(r"<[a-z]\d+\.[a-z-]+\.[\w./-]+\.[0-9a-f]{8}@", re.IGNORECASE)
OUR_NAMES = re.compile(r"table|(turn|words|unsub|bounce)\+.*", re.IGNORECASE)
# A letter that only reacts: emoji, and perhaps a line about them.
REACTION = re.compile(
    r".{0,80}\b(reacted|reagált|отреагировал\w*|reagiu|reagiert|a réagi|reaccionó|ha reagito"
    r"|reagerede|reagerade|reagerte|reageerde|zareagował\w*|reagoi|reagoval\w*)\b"
    r"|(liked|loved|disliked|laughed at|emphasized|questioned) [“\"«„]", re.IGNORECASE
)
FEW_LINES = 3
REACTION_KINDS = ("text/vnd.google.email-reaction+json",)

What = Literal["hard", "soft", "delayed", "complaint", "delivered"]
STATUS = re.compile(r"\b([245])\.(\d{1,3})\.(\d{1,3})\b")
CODE = re.compile(r"\b[45]\d\d\b")
DELIVERY = ("message/delivery-status", "message/global-delivery-status")
FEEDBACK = "message/feedback-report"
# Moving a letter out of the spam folder is not a complaint.
NO_COMPLAINT = ("not-spam", "auth-failure", "dmarc")


def reason(head: Head, envelope: Envelope, ours: Ours) -> str | None:
    """Return the key of the sign that a machine wrote this, or None."""
    return sent_by_itself(head) or comes_from_machine(head, envelope) or comes_from_us(head, ours)


def sent_by_itself(head: Head) -> str | None:
    """Return the header that marks the letter as automatic or as bulk mail, or None."""
    if any(first_word(value) != "no" for value in head.all("auto-submitted")):
        return "auto_submitted"
    if any(first_word(value) in ("bulk", "junk", "auto_reply") for value in head.all("precedence")):
        return "precedence"
    if any(first_word(value) != "no" for value in head.all("x-autoreply")):
        return "autoreply"
    if head.has("x-autorespond"):
        return "autorespond"
    return "list" if head.has("list-id") else None


def comes_from_machine(head: Head, envelope: Envelope) -> str | None:
    """Return the sign that the sender takes no answers, or None."""
    if is_null_sender(head, envelope):
        return "null_sender"
    return "daemon" if DAEMONS.fullmatch(local_part(head.get("from"))) else None


def is_null_sender(head: Head, envelope: Envelope) -> bool:
    """Return whether a server wrote it with a null sender. Answering could loop."""
    return envelope.sender in ("", "<>") or head.get("return-path") == "<>"


def comes_from_us(head: Head, ours: Ours) -> str | None:
    """Return the sign that a letter of ours came back, or None.

    People may share our domain, so the domain is no sign.
    """
    domains = (f"@{ours.mail_domain.lower()}", f"@{ours.reply_domain.lower()}")
    written = head.get("from").lower().rstrip("> ")
    if written.endswith(domains) and OUR_NAMES.fullmatch(local_part(head.get("from"))):
        return "own_address"
    message_id = head.get("message-id").lower()
    if OUR_IDS.match(message_id) and message_id.rstrip(">").endswith(domains[0]):
        return "own_message"
    return "loop" if any(ours.mail_domain in value for value in head.all("x-loop")) else None


def looks_automatic(head: Head) -> bool:
    """Return whether the subject looks automatic."""
    subject = header_text(head.get("subject")).strip().casefold()
    return bool(AUTOMATIC.match(subject))


def answers_for_somebody(head: Head) -> bool:
    """Return whether an autoresponder says that somebody is away, and not that a letter bounced."""
    submitted = [first_word(value) for value in head.all("auto-submitted")]
    if "auto-replied" in submitted or looks_automatic(head):
        return True
    return sent_by_itself(head) in ("precedence", "autoreply", "autorespond", "list")


def tells_of_return(head: Head) -> bool:
    """Return whether a letter without a sender reports a bounce in a format of its own."""
    if head.has("x-failed-recipients") or not local_part(head.get("from")):
        return True
    return bool(
        DAEMONS.fullmatch(local_part(head.get("from")))
        or CAME_BACK.search(header_text(head.get("subject")).casefold())
    )


def is_reaction(letter: Part, text: str) -> bool:
    """Return whether a letter only shows a reaction to one of ours (RFC 9078 and other forms)."""
    if any(part.kind in REACTION_KINDS or disposed(part) == "reaction" for part in letter.walk()):
        return True
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    pictures = [line for line in lines[:1] if not any(map(str.isalnum, line)) and is_picture(line)]
    behind = lines[len(pictures):]
    return bool(lines) and (
        not behind or bool(REACTION.match(behind[0]) and (pictures or len(behind) <= FEW_LINES))
    )


def is_picture(line: str) -> bool:
    """Return whether a line has an emoji. Other symbols may belong to a quote or a signature."""
    return any(unicodedata.category(sign) == "So" for sign in line)


def disposed(part: Part) -> str:
    """Return a part's disposition: inline, attachment, reaction."""
    return part.head.get("content-disposition").partition(";")[0].strip().lower()


def first_word(value: str) -> str:
    return re.split(r"[\s;(]", value.strip().lower(), maxsplit=1)[0]


def local_part(value: str) -> str:
    """Return the part before the last @."""
    return re.split(r"[\s<>()\",;:@]", value.rpartition("@")[0])[-1]


# ---- reports by servers -------------------------------------------------------------------------


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
