"""Defines chance as an argument: the protocol, the committed stream, and test doubles."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

ONE_OUTCOME = 40  # longest row shuffled by one outcome: 256 bits are 2^96 times 40 factorial


class WouldReveal(Exception):
    """Raised by `Forbidden` before the first draw or reveal."""


class Chance(Protocol):
    """The source of every outcome. `why` names the purpose of a draw."""

    def drawn(self, items: Sequence[T], *, why: str) -> T:
        """Draw one of `items`, each as likely as the others."""

    def shuffled(self, items: Sequence[T], *, why: str) -> tuple[T, ...]:
        """Return all of `items` in random order, to be dealt from the front (VG-1.8)."""

    def unveil(self) -> None:
        """Called before an event with `reveals` is recorded. May raise WouldReveal."""


class Stream:
    """The committed stream: outcome = HMAC-SHA256(secret, "scope|draw number|purpose").

    `scope` names game and entry. Draws are numbered from 0 in each entry.
    """

    def __init__(self, secret: bytes, scope: str) -> None:
        self._secret = secret
        self._scope = scope
        self._draws = 0

    def _outcome(self, why: str) -> int:
        message = f"{self._scope}|{self._draws}|{why}".encode()
        self._draws += 1
        return int.from_bytes(hmac.digest(self._secret, message, hashlib.sha256), "big")

    def drawn(self, items: Sequence[T], *, why: str) -> T:
        if not items:
            raise ValueError(f"nothing to draw from for {why}")
        return items[self._outcome(why) % len(items)]

    def shuffled(self, items: Sequence[T], *, why: str) -> tuple[T, ...]:
        row = list(items)
        for last in range(len(row) - 1, ONE_OUTCOME - 1, -1):
            place = self._outcome(why) % (last + 1)
            row[last], row[place] = row[place], row[last]
        outcome = self._outcome(why)
        for last in range(min(len(row), ONE_OUTCOME) - 1, 0, -1):
            outcome, place = divmod(outcome, last + 1)
            row[last], row[place] = row[place], row[last]
        return tuple(row)

    def unveil(self) -> None:
        return None


class Forbidden:
    """Refuses every draw and reveal: for previews and whatever is computed before a commit."""

    def drawn(self, items: Sequence[T], *, why: str) -> T:
        raise WouldReveal(why)

    def shuffled(self, items: Sequence[T], *, why: str) -> tuple[T, ...]:
        raise WouldReveal(why)

    def unveil(self) -> None:
        raise WouldReveal("reveal")


class Scripted:
    """Gives the listed outcomes in turn, for tests. Raises AssertionError for one that cannot be.

    A draw takes the next outcome. A shuffle takes the next outcome as the whole order; None keeps
    the order of the row.
    """

    def __init__(self, outcomes: Iterable[Any] = ()) -> None:
        self._outcomes = list(outcomes)

    def _next(self, why: str) -> Any:
        if not self._outcomes:
            raise AssertionError(f"the script has no outcome left for {why}")
        return self._outcomes.pop(0)

    def drawn(self, items: Sequence[T], *, why: str) -> T:
        outcome = self._next(why)
        if outcome not in items:
            raise AssertionError(f"{outcome!r} cannot be drawn for {why} from {items!r}")
        return outcome  # type: ignore[no-any-return]

    def shuffled(self, items: Sequence[T], *, why: str) -> tuple[T, ...]:
        outcome = self._next(why)
        if outcome is None:
            return tuple(items)
        if sorted(map(str, outcome)) != sorted(map(str, items)):
            raise AssertionError(f"{outcome!r} is no order of {items!r} ({why})")
        return tuple(outcome)

    def unveil(self) -> None:
        return None


class Unshuffled:
    """No chance at all, for worked examples: the first item is drawn, and rows keep their order."""

    def drawn(self, items: Sequence[T], *, why: str) -> T:
        return items[0]

    def shuffled(self, items: Sequence[T], *, why: str) -> tuple[T, ...]:
        return tuple(items)

    def unveil(self) -> None:
        return None
