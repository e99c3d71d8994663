"""Recognises letters that no person wrote. Answering one could start an endless loop."""

from __future__ import annotations

import re
import unicodedata

from pbem.mail.incoming.parse.charsets import header_text
from pbem.mail.incoming.parse.mime import Head, Part
from pbem.mail.incoming.parse.phrases import AUTOMATIC, CAME_BACK
from pbem.mail.incoming.parse.reading import Envelope, Ours

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
