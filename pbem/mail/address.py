"""Normalises addresses to the one form in which they are stored and compared."""

from __future__ import annotations

import unicodedata

from email_validator import EmailNotValidError, validate_email

LONGEST_ADDRESS = 320  # characters; RFC 5321 allows fewer


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
