"""The last look at a line of the log: no addresses, no tokens, no queries, no rows of tables."""

from __future__ import annotations

import re
import traceback
from typing import Any

# What may stand in a line beside its text; each is a number or a name of ours.
FIELDS = frozenset({
    "request_id", "game_id", "submission_id", "letter_id", "inbound_id", "series_id", "task",
    "method", "route", "status", "milliseconds", "code", "state",
})  # fmt: skip
TRUE = FIELDS | {"time", "level", "logger", "process"}  # made by us, so nothing is looked for

ADDRESS = re.compile(r"[^\s<>()\[\]\"',;:=@]+@[^\s<>()\[\]\"',;:=@]+")
QUERY = re.compile(r"\?[^\s\"'<>]+")
# Runs of the letters of which our proofs, cookies and hashes are made; a word has no digits, and
# nothing else of ours that has both is so long.
SECRET = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}={0,2}"
    r"|(?<![\w-])[a-z2-7]{26}(?![\w-])"  # one in two hundred of those in reply addresses
)
SHORTEST = 20  # characters of a secret
CREDENTIALS = re.compile(r"//[^\s/@]+@")
# Behind these words databases quote the row; behind the last the statement, whose values are hidden
QUOTING = re.compile(r"^\s*(DETAIL|CONTEXT|HINT|QUERY|PARAMETERS|LINE \d+|\[parameters)\b.*$",
                     re.MULTILINE | re.IGNORECASE)


def hidden(text: str) -> str:
    """The text without what must not be told."""
    if len(text) < SHORTEST and text.isalpha():
        return text  # most lines say one word of ours
    text = CREDENTIALS.sub("//...@", text)
    text = ADDRESS.sub("<address>", text)
    return SECRET.sub("<secret>", QUERY.sub("?...", QUOTING.sub("", text)))


def hide(event: dict[str, Any]) -> dict[str, Any]:
    """Every text of the line, whoever wrote it."""
    return {name: cleaned(name, value) for name, value in event.items()}


def cleaned(name: str, value: Any) -> Any:
    """A value of the line; what is neither text nor number is said as text."""
    if name in TRUE or value is None or isinstance(value, bool | int | float):
        return value
    return hidden(value if isinstance(value, str) else str(value))


def traceback_told(problem: BaseException) -> str:
    """An exception as text: where, and what it says, without the values of variables."""
    return "".join(traceback.format_exception(problem)).rstrip()
