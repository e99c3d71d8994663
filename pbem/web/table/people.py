"""Who is at a table and what they say: talk, absences, and what can be taken back."""

from __future__ import annotations

from typing import Any

from pbem.archive import players
from pbem.models import GameState
from pbem.play import positions, undo
from pbem.tables import chat, consent, rulesets, solo, vacation
from pbem.web import context as current
from pbem.web.lobby import seats as hands
from pbem.web.table import clocks
from pbem.web.table.desk import Desk


def context(desk: Desk, *, may_order: bool) -> dict[str, Any]:
    """What the table page shows beside the game itself."""
    session, row, own = current.reading(), desk.row, desk.sitting.own
    is_running = row.state == GameState.RUNNING
    seats, now = desk.sitting.seats, current.service().clock.now()
    undoable = undo.can_undo(session, row, own) if may_order and own is not None else None
    return {
        "undoable": undoable, **by_consent(desk, undoable, may_order=may_order),
        "back_by": positions.taken_back(positions.marks(session, row)).get(desk.number),
        "talk": talk(desk) if desk.is_present else [],
        "away": vacation.away(session, seats, now) if is_running else {},
        "away_later": vacation.coming(session, seats, now) if is_running else [],
        "people": players.with_pages(session, row, seats),
        "dials": clocks.said(desk),
        "stands_still": is_running and not positions.is_playable(session, row),
        "newer_rules": newer_rules(desk),
        "alone": own is not None and row.private and solo.is_alone(session, row),
        **hands.context(desk),
    }


def talk(desk: Desk) -> list[chat.ChatLine]:
    """What the reader hears at the table."""
    person = current.person()
    return chat.visible_lines(current.reading(), desk.row, desk.sitting.own,
                     reader=None if person is None else person.id)


def newer_rules(desk: Desk) -> dict[str, Any] | None:
    """What a player's page shows of newer rules that his game could go on by."""
    own, session, row = desk.sitting.own, current.reading(), desk.row
    if own is None or own.resigned or not desk.is_present:
        return None
    found = rulesets.offer(session, row)
    if found is None:
        return None
    return {"before": found.before, "to": found.to, "agreed": found.names(desk.sitting.seats),
            "agrees": own.person_id in found.agreed}


def by_consent(
    desk: Desk, undoable: undo.Undoable | None, *, may_order: bool
) -> dict[str, Any]:
    """What a player's page shows of going back by consent of all."""
    own, session, row = desk.sitting.own, current.reading(), desk.row
    if own is None or own.resigned or row.state != GameState.RUNNING or not desk.is_present:
        return {"proposal": None, "proposed": None, "proposed_lines": [], "proposed_more": 0,
                "may_propose": False, "back_alone": False}
    found = consent.latest(session, row)
    if found is not None and not consent.is_possible(session, row, found,
                                                     current.service().clock.now()):
        found = None
    can = may_order and next(consent.offered(session, row, undoable), None) is not None
    lines = [] if found is None or found.refused_by is not None else consent.lines(
        session, desk.table, found, viewer=own.number, names=desk.reader.names,
        language=current.language())
    return {
        "proposal": found,
        "proposed": None if found is None else consent.view_of(session, row, found),
        "proposed_lines": lines[:consent.MOST_LISTED],
        "proposed_more": len(lines[consent.MOST_LISTED:]),
        "back_alone": can and consent.asks_nobody(session, desk.sitting.seats, own),
        "may_propose": can and (found is None or found.refused_by is not None),
    }
