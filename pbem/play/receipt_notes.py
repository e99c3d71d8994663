"""What the row of a letter that came in keeps for its receipt: what was read, what came of it."""

from __future__ import annotations

import msgspec

from pbem.models import Inbound
from pbem.play.refusals import StoredRefusal

MOST_A_DAY = 20  # answers to one person; then one that says so


class Answered(msgspec.Struct, frozen=True):
    """A word of a letter and what is said to it, in its reader's language."""

    word: str
    text: str


class Told(msgspec.Struct):
    """What a receipt tells: what was read, and what came of it.

    `why` is the key of what is wrong with the letter as a whole, `most` its limit; `refusal` is the
    game's, about one line. `last_today`: no further letter of this day is answered. `below`:
    lines behind an empty one, which were not read.
    """

    lines: list[str] = []
    signed: str | None = None
    words: list[Answered] = []
    refusal: StoredRefusal | None = None
    draft: list[str] = []
    why: str | None = None
    most: int | None = None
    link: str | None = None
    sender: str | None = None
    below: list[str] = []
    last_today: bool = False


def told_of(row: Inbound) -> Told:
    """What a letter's row keeps for its receipt."""
    return msgspec.json.decode(row.told or "{}", type=Told)


def keep(row: Inbound, told: Told) -> None:
    """The inverse."""
    row.told = msgspec.json.encode(told).decode()
