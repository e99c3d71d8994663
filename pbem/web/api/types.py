"""Defines the JSON API's messages; the OpenAPI description is built from these classes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from pbem.play.submit import MOST_CHARACTERS

Entry = Annotated[int, Meta(ge=1, le=999_999_999)]


class SeatShown(Struct, frozen=True):
    """A seat and its player; place and points once the game is over.

    `due`: when the seat has to answer (other players' times are rounded to the hour), null without
    a deadline. `left`: the seconds left on its clock or bank. `operator`: it was played by somebody
    who runs the site and could read its database.
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
    """A game's clock: figures in hours, and `said` in words.

    `kind`: none, each (`hours` per decision), bank (`hours`, `increment` per decision, `cap`).
    `counts`: always, or awake (only each player's own hours). `at_zero`: default, bot, vote.
    `reminders`: when letters remind, in per cent of the time that is left.
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
    """A game after an entry, as you may see it. `view` is the game's own, null before the start.

    `question`: what the game asks, of you or of others, in your language. `rule`: the rule behind
    it.
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
    """Lines that you could send now; `more` tells whether there are others."""

    entry: int
    orders: list[str]
    more: bool


class SentOrders(Struct, frozen=True, forbid_unknown_fields=True):
    """Orders, one a line or separated by semicolons; `seen` is the newest entry that you saw."""

    orders: Annotated[str, Meta(min_length=1, max_length=MOST_CHARACTERS)]
    seen: Entry


class LineShown(Struct, frozen=True):
    """A line of the log, and the rule behind it ("" if none)."""

    text: str
    rule: str


class ChangeShown(Struct, frozen=True):
    """One of your holdings that would change."""

    what: str
    before: int
    after: int


class AheadShown(Struct, frozen=True):
    """An order ahead: the canonical line; `text` says what it would do now, or what became of it.

    `does`: waits, plays (`plays` is the line), yours (it would play, but this question is yours),
    asks, over; for a settled one: used, used_asks, asked, over. `id` is null for one that is not
    kept. `entry`: the entry that used it (last) or ended it.
    """

    id: int | None
    line: str
    does: str
    text: str
    plays: str
    entry: int | None


class OrdersAheadShown(Struct, frozen=True):
    """Your orders ahead in the order they are tried, and those settled since you last moved."""

    entry: int
    standing: list[AheadShown]
    settled: list[AheadShown]


class PreviewShown(Struct, frozen=True):
    """What orders would do until something is revealed. `untried`: the lines after that point."""

    orders: list[str]
    lines: list[LineShown]
    changes: list[ChangeShown]
    lapses: list[LineShown]
    stopped: bool
    untried: list[str]
    later: list[AheadShown]
    view: Any


class RefusalShown(Struct, frozen=True):
    """Why lines were refused."""

    text: str
    key: str
    rule: str
    numbers: dict[str, Any]
    choices: list[str]
    line: str | None


class SubmissionShown(Struct, frozen=True):
    """Orders that were recorded: pending, played or refused. `draft`: the lines that came back."""

    id: int
    state: str
    orders: str
    created: datetime
    first_entry: int | None
    last_entry: int | None
    draft: str | None
    refusal: RefusalShown | None


class EntryShown(Struct, frozen=True):
    """An entry as you may see it. `at` is an instant, or only a day if `is_exact` is false.

    `how`: page, mail, api, bot, forced, default, standing, or "" if you may not know. `back_by`:
    the entry that took it back. `events`: facts in the game's own form.
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
    """Entries in order; `next` is the next request's `from`, null at the newest entry."""

    entries: list[EntryShown]
    next: int | None
