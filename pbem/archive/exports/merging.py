"""Merges many versions of a piece of HTML into one tree that stores shared parts once.

A part that only some versions have gets two classes: `v`, and one for exactly this set of versions.
Style rules show it. Versions are numbered from 0, and sets of them are bits of an int.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

TAG = re.compile(r"<!--.*?-->|<(/?)([a-zA-Z][\w-]*)((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>", re.DOTALL)
VOID = frozenset(
    "area base br col embed hr img input link meta source track wbr".split()  # noqa: SIM905
)
CLASS = re.compile(r'(<[\w-]+[^>]*? class=")')
ID = re.compile(r' id="([^"]*)"')
SMALL = 160  # characters: shorter elements are not split
LOOKED_AHEAD = 8  # slots searched for an equal part


class Piece(NamedTuple):
    """A child: an element (`opening` is its tag), or text ("")."""

    opening: str
    inner: str
    closing: str

    @property
    def whole(self) -> str:
        """The child as it was written."""
        return self.opening + self.inner + self.closing


def pieces(html: str) -> list[Piece]:
    """Split well-formed HTML into its top-level children."""
    found: list[Piece] = []
    depth = start = at = 0
    opening = ""
    for tag in TAG.finditer(html):
        slash, name, rest = tag.groups()
        if name is None:  # a comment
            continue
        if slash:
            depth -= 1
        elif name.lower() not in VOID and not rest.endswith("/"):
            if depth == 0:
                add_text(found, html[at:tag.start()])
                start, opening = tag.end(), tag[0]
            depth += 1
            continue
        if depth == 0:
            if slash:
                found.append(Piece(opening, html[start:tag.start()], tag[0]))
            else:
                add_text(found, html[at:tag.start()])
                found.append(Piece(tag[0], "", ""))
            at = tag.end()
    add_text(found, html[at:])
    return found


def add_text(found: list[Piece], text: str) -> None:
    """Add text between elements, with white space collapsed."""
    if text:
        found.append(Piece("", text if text.strip() else " ", ""))


def may_be_shared(piece: Piece) -> bool:
    """Return whether an element's children can be merged separately.

    Text cannot: it has no class to hide it.
    """
    return len(piece.inner) > SMALL and not any(
        not child.opening and child.inner.strip() for child in pieces(piece.inner))


class Part:
    """An element or text, with the versions of its parent that contain it."""

    def __init__(self, piece: Piece, *, shared: bool) -> None:
        self.opening = piece.opening
        self.closing = piece.closing
        self.inner = None if shared else piece.inner
        # Its own versions by digest. Each is split once, however many versions contain it.
        self.versions: dict[bytes, int] = {}
        self.shown_by: list[int] = []
        self.slots: list[dict[str, Part]] = []

    def put(self, inner: str, around: int) -> None:
        """Add this content for one more version of the parent."""
        digest = b"" if self.inner is not None else hashlib.blake2b(inner.encode()).digest()
        number = self.versions.setdefault(digest, len(self.versions))
        if number == len(self.shown_by):
            self.shown_by.append(0)
            if self.inner is None:
                self._take_apart(inner, number)
        self.shown_by[number] |= 1 << around

    def _take_apart(self, inner: str, number: int) -> None:
        at = 0
        for piece in pieces(inner):
            if not piece.opening and not piece.inner.strip():
                key, shared = " ", False
            else:
                shared = bool(piece.opening) and may_be_shared(piece)
                key = piece.opening if shared else piece.whole
            at = self._slot_for(key, at)
            part = self.slots[at].get(key)
            if part is None:
                part = self.slots[at][key] = Part(piece, shared=shared)
            part.put(piece.inner, number)
            at += 1

    def _slot_for(self, key: str, at: int) -> int:
        """Return the next slot with an equal part, else the next slot. The order never changes."""
        for slot in range(at, min(at + LOOKED_AHEAD, len(self.slots))):
            if key in self.slots[slot]:
                return slot
        if at == len(self.slots):
            self.slots.append({})
        return at


class Merged:
    """The merged tree. Write the markup first, then the rules that it needs."""

    def __init__(self) -> None:
        self.root = Part(Piece("", "", ""), shared=True)
        self.count = 0
        self.sets: dict[int, int] = {}  # set of versions to number of the class
        self._ids: set[str] = set()

    def add(self, html: str) -> None:
        """Add one more version."""
        self.root.put(html, self.count)
        self.count += 1

    def markup(self) -> Iterator[str]:
        """Yield the markup of all versions."""
        yield from self._children(self.root, self._shown(self.root, None))

    def _shown(self, part: Part, around: list[int] | None) -> list[int]:
        """Map the part's own versions to the versions of the whole that show it."""
        if around is None:
            return list(part.shown_by)
        return [union(around, bits) for bits in part.shown_by]

    def _children(self, parent: Part, around: list[int]) -> Iterator[str]:
        all_of = union(around, (1 << len(around)) - 1)
        for slot in parent.slots:
            for part in slot.values():
                yield from self._part(part, self._shown(part, around), all_of)

    def _part(self, part: Part, shown: list[int], around: int) -> Iterator[str]:
        mine = union(shown, (1 << len(shown)) - 1)
        opening = self._once(part.opening)
        if part.opening and mine != around:
            number = self.sets.setdefault(mine, len(self.sets))
            opening = classed(opening, f"v v{number:x}")
        yield opening
        if part.inner is None:
            yield from self._children(part, shown)
        else:
            yield self._once(part.inner)
        yield part.closing

    def _once(self, markup: str) -> str:
        """Remove ids that already occurred from the markup."""
        return ID.sub(self._first, markup) if ' id="' in markup else markup

    def _first(self, found: re.Match[str]) -> str:
        if found[1] in self._ids:
            return ""
        self._ids.add(found[1])
        return found[0]


def union(sets: list[int], bits: int) -> int:
    """Return the union of the sets whose bits are set."""
    found = 0
    while bits:
        found |= sets[(bits & -bits).bit_length() - 1]
        bits &= bits - 1
    return found


def classed(opening: str, classes: str) -> str:
    """Add classes to a tag."""
    with_class, number = CLASS.subn(rf"\1{classes} ", opening, count=1)
    if number:
        return with_class
    end = -2 if opening.endswith("/>") else -1
    return f'{opening[:end]} class="{classes}"{opening[end:]}'


def members(versions: int) -> Iterator[int]:
    """Yield the versions in a set."""
    while versions:
        yield (versions & -versions).bit_length() - 1
        versions &= versions - 1
