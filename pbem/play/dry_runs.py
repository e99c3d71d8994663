"""Dry runs: what each order ahead would do now, as its owner may see it. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlmodel import Session

from engine import orders_ahead as ahead
from engine.errors import MoveRefused
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.models import Game, SeatRow, StandingOrder, StandingState
from pbem.models.causes import BACK
from pbem.play import orders_ahead, positions, refusals

SAID = {
    "waits": msgid("It waits."),
    "plays": msgid("It would play now: %(line)s"),
    "yours": msgid("It leaves the present question to you; at such a one it would play: %(line)s"),
    "asks": msgid("It would leave the question to you: %(why)s"),
    "over": msgid("It is over: %(why)s"),
    "used": msgid("It was played with entry %(entry)s."),
    "used_asks": msgid("It was played with entry %(entry)s, as far as this: %(why)s"),
    "asked": msgid("Its moment has come, and it left the question to you: %(why)s"),
    "withdrawn": msgid("You have withdrawn it."),
}


class DryRun(NamedTuple):
    """What an order ahead would do now, or what became of it: `does` is a key of `SAID`.

    `plays`: the order line that it would send. `why`: what keeps it from playing. `number`: the
    order's number for its owner, None while it is not stored.
    """

    line: str
    does: str
    plays: str = ""
    why: refusals.StoredRefusal | None = None
    number: int | None = None
    entry: int | None = None


def of_new(
    session: Session,
    row: Game,
    seat: SeatRow,
    orders: Sequence[ahead.OrderAhead],
    state: Any,
    *,
    seen: int,
) -> tuple[DryRun, ...]:
    """What orders that are not stored yet would do in this position."""
    rules = positions.rules_of(session, row)
    given = newest_known(session, row, seat, seen) if orders else seen
    return tuple(
        tried(session, row, seat, order, line=ahead.text(rules, order), state=state, given=given)
        for order in orders
    )


def newest_known(session: Session, row: Game, seat: SeatRow, seen: int) -> int:
    """The newest entry whose questions a player knows who has seen entry `seen`.

    A question that an undo asks again is known to players who saw it the first time.
    """
    asked = seat.asked_since
    if asked is None or not 0 < seen < asked:
        return seen
    marks = positions.marks(session, row)
    base = next((m.base for m in marks if m.number == asked and m.cause in BACK), None)
    if base is None:
        return seen
    if seen <= base:
        own = [each for each in positions.entries(session, row, seen + 1, base)
               if each.seat == seat.number and each.cause not in BACK]
        then, now = (positions.position(session, row, each).awaiting for each in (seen, asked))
        if own or then is None or not then.same_for(seat.number, now):
            return seen
    return asked


def of_kept(session: Session, row: Game, seat: SeatRow) -> list[DryRun]:
    """What the seat's standing orders would do now, oldest first."""
    kept = [(number, each) for number, each in orders_ahead.numbered(session, seat)
            if each.state == StandingState.STANDING]
    if not kept:
        return []
    state = positions.position(session, row, row.last_entry)
    return [of_one(session, row, seat, each, state)._replace(number=number)
            for number, each in kept]


def of_one(
    session: Session, row: Game, seat: SeatRow, kept: StandingOrder, state: Any
) -> DryRun:
    """What one standing order would do now."""
    rules = positions.rules_of(session, row)
    try:
        order = ahead.reread(rules, kept.line, state, kept.seat)
    except MoveRefused as refused:
        return DryRun(kept.line, "over", why=refusals.as_stored(refused, rules))
    found = tried(session, row, seat, order, line=kept.line, state=state, given=kept.given)
    return found._replace(entry=kept.entry)


def tried(
    session: Session,
    row: Game,
    seat: SeatRow,
    order: ahead.OrderAhead,
    *,
    line: str,
    state: Any,
    given: int,
) -> DryRun:
    """Try one order on a copy of the position."""
    rules = positions.rules_of(session, row)
    number = seat.number or 0
    facts = orders_ahead.late_facts(session, row, number, row.last_entry) \
        if orders_ahead.rests_on_log(order) else ()
    found = ahead.try_one(rules, order, state, number, facts=facts,
                          ahead=positions.ahead_of(rules, seat))
    if isinstance(found, ahead.PlayLine):
        is_new = seat.asked_since is None or given < seat.asked_since
        return DryRun(line, "plays" if is_new else "yours", plays=found.line)
    if isinstance(found, ahead.Idle):
        return DryRun(line, "waits")
    does = "asks" if isinstance(found, ahead.AskOwner) else "over"
    return DryRun(line, does, why=refusals.as_stored(found.refused, rules))


def of_settled(number: int, kept: StandingOrder) -> DryRun:
    """What became of an order that is settled, or that was used and goes on standing."""
    why = refusals.read(kept.why) if kept.why else None
    does = {
        StandingState.STANDING: "used",
        StandingState.USED: "used" if why is None else "used_asks",
        StandingState.ASKED: "asked",
        StandingState.EXPIRED: "over",
        StandingState.WITHDRAWN: "withdrawn",
    }[StandingState(kept.state)]
    return DryRun(kept.line, does, why=why, number=number, entry=kept.entry)


def said(game_key: str, dry_run: DryRun, language: str, names: Sequence[str]) -> str:
    """A dry run in words."""
    why = dry_run.why
    reason = "" if why is None else words.refusal(
        game_key, why.key, why.rule, why.numbers, language, names=names)
    return words.gettext(SAID[dry_run.does], language) % {
        "line": dry_run.plays, "why": reason, "entry": dry_run.entry}
