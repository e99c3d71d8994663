"""Pages that all who are not signed in get alike, kept in memory as they were built.

Found by the tag that also tells a browser whether its copy is still good (pbem.web.etags).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from flask import current_app, session

MOST = 16 * 1024 * 1024  # bytes of a process
EXTENSION = "carreira_shelf"


class Shelf:
    """The pages read last, up to so many bytes."""

    def __init__(self, most: int = MOST) -> None:
        self._pages: OrderedDict[str, bytes] = OrderedDict()
        self._most = most
        self._size = 0
        self._lock = threading.Lock()

    def get(self, tag: str) -> bytes | None:
        """The page with this tag, if it is here."""
        with self._lock:
            if tag in self._pages:
                self._pages.move_to_end(tag)
            return self._pages.get(tag)

    def put(self, tag: str, page: bytes) -> None:
        """Keep a page; those that nobody has read for longest make room."""
        with self._lock:
            self._size += len(page) - len(self._pages.pop(tag, b""))
            self._pages[tag] = page
            while self._size > self._most:
                self._size -= len(self._pages.popitem(last=False)[1])


def shelf() -> Shelf:
    """This app's own."""
    made: Shelf = current_app.extensions.setdefault(EXTENSION, Shelf())
    return made


def kept(tag: str, build: Callable[[], str]) -> bytes:
    """The page with this tag, built if it is not here."""
    page = shelf().get(tag)
    if page is None:
        page = build().encode()
        if not session:  # a form's secret would be one reader's own
            shelf().put(tag, page)
    return page
