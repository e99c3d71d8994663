"""Stub."""

from email.message import EmailMessage
from typing import Any


def compose(session: Any, row: Any, settings: Any, now: Any) -> EmailMessage | None:
    """To be written."""
    letter = EmailMessage()
    letter["Subject"] = "x"
    letter["To"] = "x@y.example"
    letter["Message-ID"] = row.message_id
    letter.set_content(f"{row.kind}")
    return letter
