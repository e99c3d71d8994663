"""What the JSON API takes and gives; the OpenAPI description is made of these classes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from pbem.play.submit import MOST_CHARACTERS

Entry = Annotated[int, Meta(ge=1, le=999_999_999)]


class SeatShown(Struct, frozen=True):
    """Who sits where; place and points once the game is over.

    `due`: by when an asked seat has to answer (another's to the full hour), null where it has no
    deadline; `left`: the seconds that its clock, or its bank, still has; `operator`: it was played
    by somebody who runs the site and could read its database.
    """

    seat: int | None
    name: str
    asked: bool
    resigned: bool
    place: int | None = None
    points: int | None = None
    due: datetime | None = None
    left: int | None = None
    operator: bool = False


class ClockShown(Struct, frozen=True):
    """What a game's players agreed to about time: figures in hours, and all of it in words.

    `kind`: none, each (decision has `hours`), bank (`hours`, `increment` a decision, `cap`);
    `counts`: always, or awake (only each player's own hours); `at_zero`: default, bot, vote;
    `reminders`: per cent of a decision's time that are left.
    """

    kind: str
    hours: int
    increment: int
    cap: int
    counts: str
    at_zero: str
    reminders: list[int]
    said: str


class GameShown(Struct, frozen=True):
    """A game in the list; `question` is what it asks of you, "" if nothing."""

    id: int
    game: str
    title: str
    state: str
    entry: int
    seats: list[SeatShown]
    your_seat: int | None
    asked: bool
    question: str
    page: str
    clock: ClockShown


class Games(Struct, frozen=True):
    """Your games: those that wait for you first."""

    games: list[GameShown]


class TableShown(Struct, frozen=True):
    """A game as you may see it after an entry. `view` is the game's own, null before the start.

    `question`: what is asked, of you or of others, in your language; `rule` asks it.
    """

    id: int
    game: str
    title: str
    state: str
    entry: int
    last_entry: int
    seats: list[SeatShown]
    your_seat: int | None
    asked: list[int]
    is_asked: bool
    question: str
    rule: str
    view: Any
    clock: ClockShown


class LegalOrders(Struct, frozen=True):
    """Lines that you could send now; `more`: there are others."""

    entry: int
    orders: list[str]
    more: bool


class SentOrders(Struct, frozen=True, forbid_unknown_fields=True):
    """Orders, one a line or divided by semicolons, and the entry that you had before you."""

    orders: Annotated[str, Meta(min_length=1, max_length=MOST_CHARACTERS)]
    seen: Entry


class LineShown(Struct, frozen=True):
    """One line of the log, and the rule behind it ("" if none)."""

    text: str
    rule: str


class ChangeShown(Struct, frozen=True):
    """One of your holdings that would change."""

    what: str
    before: int
    after: int


class AheadShown(Struct, frozen=True):
    """An order ahead: the canonical line, and in `text` what it would do now or what became of it.

    `does`: waits, plays (`plays` is the line), yours (it would, but this question is yours), asks,
    over; of one that is settled: used, used_asks, asked, over. `id` null: it is not kept.
    `entry`: where it was (last) used, or by which it was over.
    """

    id: int | None
    line: str
    does: str
    text: str
    plays: str
    entry: int | None


class OrdersAheadShown(Struct, frozen=True):
    """Your orders ahead in the order in which they are tried, and those settled since you moved."""

    entry: int
    standing: list[AheadShown]
    settled: list[AheadShown]


class PreviewShown(Struct, frozen=True):
    """What orders would do, as far as nothing is revealed. `untried`: lines behind a reveal."""

    orders: list[str]
    lines: list[LineShown]
    changes: list[ChangeShown]
    lapses: list[LineShown]
    stopped: bool
    untried: list[str]
    later: list[AheadShown]
    view: Any


class RefusalShown(Struct, frozen=True):
    """Why lines came back."""

    text: str
    key: str
    rule: str
    numbers: dict[str, Any]
    choices: list[str]
    line: str | None


class SubmissionShown(Struct, frozen=True):
    """Orders that were recorded: pending, played or refused. `draft`: lines that came back."""

    id: int
    state: str
    orders: str
    created: datetime
    first_entry: int | None
    last_entry: int | None
    draft: str | None
    refusal: RefusalShown | None


class EntryShown(Struct, frozen=True):
    """One entry as you may see it. `at` is a day where you may know no more (`is_exact`).

    `how`: page, mail, api, bot, forced, default, standing, or "" where that is not told; `back_by`:
    the entry that took it back. `events` are the game's own facts.
    """

    number: int
    seat: int | None
    round: int
    phase: int
    at: str
    is_exact: bool
    how: str
    back_by: int | None
    lines: list[LineShown]
    events: list[Any]


class History(Struct, frozen=True):
    """Entries in order; `next` is the `from` of those that follow, null at the newest."""

    entries: list[EntryShown]
    next: int | None
