"""Reads our own mail server's authentication results (RFC 8601): is the From address authentic?"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from pbem.mail.incoming.parse.mime import Head

Authentic = Literal["pass", "fail", "unknown"]

# An unclosed quote reaches to the end, so that no quote is scanned twice.
PIECES = re.compile(r'(?:[^;"]|"(?:[^"\\]|\\.)*+(?:"|\Z))+', re.DOTALL)
RESULT = re.compile(r"\s*([a-z0-9-]+)(?:/\d+)?\s*=\s*([a-z]+)")
# The part of an address before the @ may be quoted: `"ana@players.example"@other.example`.
PROPERTY = re.compile(
    r'(?<![a-z0-9-])([a-z0-9-]+\.[a-z0-9_-]+)\s*=\s*((?:"(?:[^"\\]|\\.)*+(?:"|\Z)|[^\s;"])++)',
    re.DOTALL)
BESIDE = ("received-spf", "dkim-filter", "dmarc-filter")  # headers that the same programs write
BROKEN = ("fail", "softfail", "policy", "hardfail", "permerror")


class Result(NamedTuple):
    """The result of one method: its name, outcome and properties."""

    method: str
    outcome: str
    about: dict[str, str]


def authentic(head: Head, sender: str | None, authserv_id: str | None) -> Authentic:
    """Return whether the From address is authentic.

    Only our own server's headers at the top count, one for each of its programs. Headers below may
    have come with the letter. Two domains are aligned if they are equal or one contains the other.
    There is no list of public suffixes, so this also holds for a registry and its customers; but
    whoever signs for a registry's name has to own it.
    """
    ours = (authserv_id or "").lower()
    if not ours or sender is None:
        return "unknown"
    domain = sender.rpartition("@")[2].lower()
    written = written_by(ours, head)
    results = [result for piece in written if (result := read_result(piece))]
    by_policy = [result for result in results if result.method == "dmarc"]
    if any(result.outcome in BROKEN for result in by_policy):
        return "fail"
    if any(passes(result, domain) for result in results):
        return "pass"
    return "fail" if any(result.outcome in BROKEN for result in results) else "unknown"


def written_by(ours: str, head: Head) -> list[str]:
    """Return our server's results, from the topmost header down to the first foreign one."""
    found: list[str] = []
    begun = False
    for name, value in head.fields:
        if name == "authentication-results":
            begun = True
            pieces = PIECES.findall(without_comments(value.lower()))
            if not pieces or pieces[0].split()[:1] != [ours]:
                break
            found += pieces[1:]
        elif begun and name not in BESIDE:
            break
    return found


def without_comments(value: str) -> str:
    """Remove comments in parentheses, nested ones too. Returns "" if the nesting is ambiguous.

    A parenthesis in quotes opens nothing. Quotes in parentheses must come in pairs. Otherwise a
    server that copies an address verbatim could be made to report what its sender wants.
    """
    kept: list[str] = []
    depth, is_quoted, is_escaped, quotes = 0, False, False, 0
    for sign in value:
        if is_escaped:
            is_escaped = False
        elif sign == "\\":
            is_escaped = is_quoted or depth > 0
        elif sign == '"':
            is_quoted = not is_quoted and depth == 0
            quotes += depth > 0
        elif sign in "()" and not is_quoted:
            depth = max(0, depth + (1 if sign == "(" else -1))
            if depth == 0 and quotes % 2:
                return ""
            sign = " "  # noqa: PLW2901  (a comment parts what stands around it)
        if depth == 0:
            kept.append(sign)
    return "" if depth or is_quoted else "".join(kept)


def read_result(piece: str) -> Result | None:
    found = RESULT.match(piece)
    if found is None:
        return None
    about: dict[str, str] = {}
    for name, value in PROPERTY.findall(piece[found.end() :]):
        said = value.strip('"')
        about[name] = said if about.get(name, said) == said else ""  # named twice, it names nothing
    return Result(found[1], found[2], about)


def passes(result: Result, domain: str) -> bool:
    """Return whether this method authenticates the sender's domain."""
    if result.outcome != "pass":
        return False
    if result.method == "dmarc":
        return result.about.get("header.from", domain) == domain
    named = {
        "dkim": result.about.get("header.d") or result.about.get("header.i", ""),
        "spf": result.about.get("smtp.mailfrom", ""),
    }.get(result.method, "")
    return are_aligned(named.rpartition("@")[2], domain)


def are_aligned(one: str, other: str) -> bool:
    """Return whether two domains are aligned (relaxed).

    They are if they are equal or one contains the other, and neither is a top-level domain.
    """
    one, other = one.rstrip("."), other.rstrip(".")
    if not one or not other:
        return False
    within = one.endswith(f".{other}") or other.endswith(f".{one}")
    return one == other or (within and "." in one and "." in other)
