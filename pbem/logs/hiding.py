"""Removes addresses, tokens, queries and row values from log lines."""

from __future__ import annotations

import re
import traceback
from typing import Any

# The fields that a line may have beside its text. Each is an id or a name of ours.
FIELDS = frozenset({
    "request_id", "game_id", "submission_id", "letter_id", "inbound_id", "series_id", "task",
    "method", "route", "status", "milliseconds", "code", "state",
})  # fmt: skip
TRUE = FIELDS | {"time", "level", "logger", "process"}  # made by us, so not searched for secrets

ADDRESS = re.compile(r"[^\s<>()\[\]\"',;:=@]+@[^\s<>()\[\]\"',;:=@]+")
QUERY = re.compile(r"\?[^\s\"'<>]+")
# Runs of the characters of our signatures, cookies and hashes. Words have no digits, and nothing
# else of ours with both letters and digits is so long.
SECRET = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}={0,2}"
    r"|(?<![\w-])[a-z2-7]{26}(?![\w-])"  # one in two hundred tokens of reply addresses has no digit
)
SHORTEST = 20  # characters of a secret
CREDENTIALS = re.compile(r"//[^\s/@]+@")
# After these words databases quote a row. After the last one comes a statement, and its values are
# hidden already.
QUOTING = re.compile(r"^\s*(DETAIL|CONTEXT|HINT|QUERY|PARAMETERS|LINE \d+|\[parameters)\b.*$",
                     re.MULTILINE | re.IGNORECASE)


def hidden(text: str) -> str:
    """Return the text with everything confidential replaced."""
    if len(text) < SHORTEST and text.isalpha():
        return text  # most lines are one word of ours
    text = CREDENTIALS.sub("//...@", text)
    text = ADDRESS.sub("<address>", text)
    return SECRET.sub("<secret>", QUERY.sub("?...", QUOTING.sub("", text)))


def hide(event: dict[str, Any]) -> dict[str, Any]:
    """Clean every text of the line, whoever wrote it."""
    return {name: cleaned(name, value) for name, value in event.items()}


def cleaned(name: str, value: Any) -> Any:
    """Clean one value of the line. Values other than text and numbers become text."""
    if name in TRUE or value is None or isinstance(value, bool | int | float):
        return value
    return hidden(value if isinstance(value, str) else str(value))


def traceback_told(problem: BaseException) -> str:
    """Format an exception: locations and message, without the values of variables."""
    return "".join(traceback.format_exception(problem)).rstrip()
