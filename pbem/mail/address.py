"""Normalises addresses and cleans header texts: one stored form of an address, one clean line."""

from __future__ import annotations

import unicodedata

from email_validator import EmailNotValidError, validate_email

LONGEST_ADDRESS = 320  # characters; RFC 5321 allows fewer
LONGEST_HEADER = 120  # characters of one name or title in a header
# Characters that change the reading direction. With them a name could pose as another one.
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class BadAddress(ValueError):
    """Raised for text that no letter can be sent to. `reason` is for the log, not for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def normalise(address: str) -> str:
    """Return the one form in which an address is stored and compared.

    It is ASCII in lower case, with A-labels for IDN. Raises BadAddress.
    """
    if len(address) > LONGEST_ADDRESS:
        raise BadAddress("too long")
    if any(unicodedata.category(character).startswith("C") for character in address.strip()):
        raise BadAddress("control character")
    try:
        valid = validate_email(
            address.strip(), check_deliverability=False, allow_smtputf8=False, strict=True
        )
    except EmailNotValidError as wrong:
        raise BadAddress(str(wrong)) from None
    if valid.ascii_email is None:
        raise BadAddress("not to be written in ASCII")
    # RFC 5321 lets a server tell Ana from ana. No server does, and people type both.
    return valid.ascii_email.lower()


def clean_header(text: str) -> str:
    """Return one line that is safe in a header.

    It has no control or direction characters, and at most 120 characters.
    """
    text = text.strip()
    if not text.isprintable():  # printable text holds none of them, and most text is printable
        spaced = (" " if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in text)
        text = "".join(c for c in spaced if c not in TURNING and unicodedata.category(c) != "Cs")
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_HEADER else line[: LONGEST_HEADER - 1].rstrip() + "…"
