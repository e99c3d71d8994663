"""Parses a letter's bytes into headers and parts. Each limit is checked before the work it saves.

The standard parser takes half a minute for a letter of 200,000 empty parts and raises on others.
This one counts first, scans each byte once per level, and raises nothing but TooMuch.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

# bytes of a letter; one with a quoted picture and a logo reaches almost half of it
LARGEST = 1024 * 1024
LARGEST_HEAD = 64 * 1024  # bytes of its headers
LONGEST_HEADER = 8 * 1024  # bytes of one header with its continuation lines
MOST_DASHED = 1_000  # lines that begin with "--", as boundaries do
MOST_PARTS = 50
DEEPEST = 20  # levels of nested parts

PARAMETER = re.compile(r';\s*([\w.*-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)')
PIECE = re.compile(r"(?P<name>[^*]+)(?:\*(?P<number>\d{1,3}))?(?P<coded>\*)?")
NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


class TooMuch(ValueError):
    """Raised for a letter that exceeds a limit or cannot be read. `key` says why."""

    def __init__(self, key: str, most: int | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.most = most


@dataclass(frozen=True)
class Head:
    """The headers of a letter or part, from top to bottom. Names are in lower case."""

    fields: tuple[tuple[str, str], ...] = ()

    def all(self, *names: str) -> list[str]:
        """Return every value of these headers, name by name."""
        return [value for name in names for found, value in self.fields if found == name]

    def get(self, name: str) -> str:
        """Return the topmost value of this header, or ""."""
        return next(iter(self.all(name)), "")

    def has(self, name: str) -> bool:
        return any(found == name for found, _ in self.fields)


@dataclass(frozen=True)
class Part:
    """A letter or one of its parts. Only a multipart has `parts`. Nothing is decoded yet."""

    head: Head
    body: bytes
    kind: str = "text/plain"
    parts: tuple[Part, ...] = ()

    def walk(self) -> Iterator[Part]:
        """Yield this part and all parts within it, depth first."""
        yield self
        for part in self.parts:
            yield from part.walk()


# ---- parsing ------------------------------------------------------------------------------------


def with_plain_ends(raw: bytes) -> bytes:
    """Return the letter with uniform line ends. Raises TooMuch if it is too large."""
    if len(raw) > LARGEST:
        raise TooMuch("too_large", LARGEST)
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def head_of(raw: bytes) -> Head:
    """Parse the headers before the first empty line. Raises TooMuch before it parses any."""
    return headers(divided(raw)[0])


def opened(raw: bytes) -> Part:
    """Parse the whole letter into parts. Raises TooMuch before it extracts any."""
    if raw.count(b"\n--") > MOST_DASHED:
        raise TooMuch("too_many_parts", MOST_PARTS)
    letter = part_of(raw, "text/plain", depth=0)
    if sum(1 for _ in letter.walk()) - 1 > MOST_PARTS:
        raise TooMuch("too_many_parts", MOST_PARTS)
    return letter


def divided(raw: bytes) -> tuple[bytes, bytes]:
    """Split head and body."""
    if raw.startswith(b"\n"):
        return b"", raw[1:]
    end = raw.find(b"\n\n", 0, LARGEST_HEAD + 2)
    if end < 0 and len(raw) > LARGEST_HEAD:
        raise TooMuch("headers_too_large", LARGEST_HEAD)
    return (raw, b"") if end < 0 else (raw[: end + 1], raw[end + 2 :])


def headers(head: bytes) -> Head:
    """Parse and unfold the headers. Malformed lines are dropped."""
    fields: list[list[bytes]] = []
    for line in head.split(b"\n"):
        if line[:1] in (b" ", b"\t") and fields:
            fields[-1].append(line)
        elif re.match(rb"[!-9;-~]+[ \t]*:", line):
            fields.append([line])
        elif line.strip():
            fields.append([b"-:", line])
    whole = [b"".join(lines) for lines in fields]
    if any(len(each) > LONGEST_HEADER for each in whole):
        raise TooMuch("header_too_long", LONGEST_HEADER)
    pairs = (each.decode("utf-8", "replace").split(":", 1) for each in whole)
    return Head(tuple((name.strip().lower(), " ".join(value.split())) for name, value in pairs))


def part_of(raw: bytes, usual: str, *, depth: int) -> Part:
    """Parse one part and its children. A letter attached to the letter is not opened."""
    if depth > DEEPEST:
        raise TooMuch("too_deep", DEEPEST)
    top, body = divided(raw)
    head = headers(top)
    kind = kind_of(head, usual)
    boundary = parameter(head.get("content-type"), "boundary").encode("utf-8")
    if not kind.startswith("multipart/") or not boundary:
        return Part(head, body, kind)
    inner = "message/rfc822" if kind == "multipart/digest" else "text/plain"
    parts = [part_of(each, inner, depth=depth + 1) for each in between(body, boundary)]
    return Part(head, b"", kind, tuple(parts))


def between(body: bytes, boundary: bytes) -> list[bytes]:
    """Return what stands between the boundaries. The closing one may be missing."""
    line = re.compile(rb"^--" + re.escape(boundary) + rb"(--)?[ \t]*(?:\n|\Z)", re.MULTILINE)
    parts: list[bytes] = []
    start = None
    for found in line.finditer(body):
        if start is not None:
            parts.append(body[start : max(start, found.start() - 1)])
        if len(parts) > MOST_PARTS:
            raise TooMuch("too_many_parts", MOST_PARTS)
        start = found.end()
        if found[1]:
            return parts
    return parts if start is None else [*parts, body[start:]]


# ---- reading headers ----------------------------------------------------------------------------


def kind_of(head: Head, usual: str) -> str:
    """Return the media type in lower case. An invalid one counts as plain text (RFC 2045)."""
    if not head.has("content-type"):
        return usual
    kind = head.get("content-type").split(";", 1)[0].strip().lower()
    return kind if re.fullmatch(r"[^/\s]+/[^/\s]+", kind) else "text/plain"


def parameter(value: str, name: str) -> str:
    """Return a header's parameter, or "". Parameters split by RFC 2231 are joined."""
    pieces: dict[int, str] = {}
    for found in PARAMETER.finditer(value):
        given = PIECE.fullmatch(found[1].lower())
        if given is None or given["name"] != name:
            continue
        text = unquoted(found[2])
        if given["coded"]:
            text = unquote(text if given["number"] not in (None, "0") else text.split("'", 2)[-1],
                           encoding="utf-8", errors="replace")  # fmt: skip
        pieces.setdefault(int(given["number"] or 0), text)
    whole: list[str] = []
    while len(whole) in pieces:
        whole.append(pieces[len(whole)])
    return "".join(whole)


def unquoted(text: str) -> str:
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def content(part: Part) -> bytes:
    """Return a part's bytes with the transfer encoding removed."""
    encoding = part.head.get("content-transfer-encoding").strip().lower()
    if encoding == "base64":
        return from_base64(part.body)
    if encoding == "quoted-printable":
        return binascii.a2b_qp(part.body)
    return part.body


def from_base64(text: bytes) -> bytes:
    """Decode base64 as far as it is valid. Text after its end is ignored."""
    letters = NOT_BASE64.sub(b"", text.partition(b"=")[0])
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
