"""Hands a letter to our own listener as a mail server would.

Used by answers written at /dev/mail.
"""

from __future__ import annotations

import smtplib
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from urllib.parse import urlsplit

from pbem.config import Settings
from pbem.mail.message import clean_header
from pbem.mail.server_answers import plain

SECONDS = 15


def answer_to(letter: EmailMessage, text: str, quoted: str, now: datetime) -> EmailMessage:
    """Compose an answer as a mail program does: the text above, the letter quoted below."""
    made = EmailMessage(policy=policy.SMTP)
    made["From"] = address_in(letter, "To")
    made["To"] = address_in(letter, "Reply-To")
    subject = clean_header(str(letter["Subject"] or ""))
    made["Subject"] = subject if subject.startswith("Re: ") else f"Re: {subject}"
    made["Date"] = format_datetime(now)
    made["Message-ID"] = make_msgid(domain="dev-mail.invalid")
    made["In-Reply-To"] = clean_header(str(letter["Message-ID"] or ""))
    below = "\n".join(f"> {line}".rstrip() for line in quoted.splitlines())
    made.set_content(f"{text.strip()}\n\nOn {letter['Date']}, Carreira wrote:\n{below}\n")
    return made


def address_in(letter: EmailMessage, name: str) -> str:
    """Return the first address in a header of a stored letter, or ""."""
    header = letter[name]
    addresses = getattr(header, "addresses", ())
    return clean_header(addresses[0].addr_spec) if addresses else ""


def hand_in(settings: Settings, letter: EmailMessage) -> str:
    """Hand the letter in. Returns the listener's answer, with its code in front."""
    parts = urlsplit(settings.mail_in or "")
    kind = smtplib.LMTP if parts.scheme == "lmtp" else smtplib.SMTP
    host = parts.path if parts.hostname is None else parts.hostname
    try:
        # Not passed to the constructor: LMTP's takes no timeout for a Unix socket.
        with kind(local_hostname="localhost") as line:
            line.timeout = SECONDS
            line.connect(host, parts.port or 0)
            line.ehlo_or_helo_if_needed()
            return conversation(line, str(letter["From"]), str(letter["To"]), letter.as_bytes())
    except (smtplib.SMTPException, OSError) as problem:
        return plain(f"No answer: {problem}")


def conversation(line: smtplib.SMTP, sender: str, recipient: str, raw: bytes) -> str:
    """Return the last answer: the first refusal, or the answer to the letter itself."""
    for code, text in (line.mail(sender), line.rcpt(recipient)):
        if code != 250:
            return f"{code} {plain(text)}"
    code, text = line.data(raw)
    return f"{code} {plain(text)}"
