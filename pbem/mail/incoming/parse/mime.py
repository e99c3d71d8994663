"""A letter's bytes taken apart: headers and parts, every limit asked before the work it saves.

The library's own parser takes half a minute for a letter of 200,000 empty parts, and raises on
others. This one counts first, looks at each byte once a level, and raises nothing but TooMuch.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

LARGEST = 1024 * 1024  # bytes of a letter: a quoted picture and a logo come near half of it
LARGEST_HEAD = 64 * 1024  # bytes of its headers
LONGEST_HEADER = 8 * 1024  # bytes of one of them, over all its lines
MOST_DASHED = 1_000  # lines that begin with "--", which is how parts are divided
MOST_PARTS = 50
DEEPEST = 20  # parts within parts

PARAMETER = re.compile(r';\s*([\w.*-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)')
PIECE = re.compile(r"(?P<name>[^*]+)(?:\*(?P<number>\d{1,3}))?(?P<coded>\*)?")
NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


class TooMuch(ValueError):
    """A letter past a limit, or one that cannot be read at all; `key` says which."""

    def __init__(self, key: str, most: int | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.most = most


@dataclass(frozen=True)
class Head:
    """The headers of a letter or part, from the topmost down; names in lower case."""

    fields: tuple[tuple[str, str], ...] = ()

    def all(self, *names: str) -> list[str]:
        """Every value of these headers, name by name."""
        return [value for name in names for found, value in self.fields if found == name]

    def get(self, name: str) -> str:
        """The topmost of these headers, "" if there is none."""
        return next(iter(self.all(name)), "")

    def has(self, name: str) -> bool:
        return any(found == name for found, _ in self.fields)


@dataclass(frozen=True)
class Part:
    """A letter or a part of one. Only a multipart has `parts`; nothing in it is decoded yet."""

    head: Head
    body: bytes
    kind: str = "text/plain"
    parts: tuple[Part, ...] = ()

    def walk(self) -> Iterator[Part]:
        """This part and all in it, from the first to the last."""
        yield self
        for part in self.parts:
            yield from part.walk()


# ---- taking apart -------------------------------------------------------------------------------


def with_plain_ends(raw: bytes) -> bytes:
    """The letter with one kind of line end. Raises TooMuch for its size."""
    if len(raw) > LARGEST:
        raise TooMuch("too_large", LARGEST)
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def head_of(raw: bytes) -> Head:
    """The headers in front of the first empty line. Raises TooMuch before any is read."""
    return headers(divided(raw)[0])


def opened(raw: bytes) -> Part:
    """The whole letter in its parts. Raises TooMuch before any is taken out."""
    if raw.count(b"\n--") > MOST_DASHED:
        raise TooMuch("too_many_parts", MOST_PARTS)
    letter = part_of(raw, "text/plain", depth=0)
    if sum(1 for _ in letter.walk()) - 1 > MOST_PARTS:
        raise TooMuch("too_many_parts", MOST_PARTS)
    return letter


def divided(raw: bytes) -> tuple[bytes, bytes]:
    """Head and body."""
    if raw.startswith(b"\n"):
        return b"", raw[1:]
    end = raw.find(b"\n\n", 0, LARGEST_HEAD + 2)
    if end < 0 and len(raw) > LARGEST_HEAD:
        raise TooMuch("headers_too_large", LARGEST_HEAD)
    return (raw, b"") if end < 0 else (raw[: end + 1], raw[end + 2 :])


def headers(head: bytes) -> Head:
    """The headers unfolded; a line that is none is left out."""
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
    """One part and what is in it. A letter within the letter stays closed."""
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
    """What stands between the boundaries; the last one may be missing."""
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
    """The media type in lower case; what is none is plain text (RFC 2045)."""
    if not head.has("content-type"):
        return usual
    kind = head.get("content-type").split(";", 1)[0].strip().lower()
    return kind if re.fullmatch(r"[^/\s]+/[^/\s]+", kind) else "text/plain"


def parameter(value: str, name: str) -> str:
    """A header's parameter, "" if it has none of that name; one in pieces is whole (RFC 2231)."""
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
    """A part's bytes without their transfer encoding."""
    encoding = part.head.get("content-transfer-encoding").strip().lower()
    if encoding == "base64":
        return from_base64(part.body)
    if encoding == "quoted-printable":
        return binascii.a2b_qp(part.body)
    return part.body


def from_base64(text: bytes) -> bytes:
    """The bytes, as far as the text goes; what was put behind its end is no part of it."""
    letters = NOT_BASE64.sub(b"", text.partition(b"=")[0])
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
