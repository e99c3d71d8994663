"""Who is at a table and what they say: talk, absences, and what can be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbem.games import chat, load, players, undo, vacation
from pbem.models import GameState
from pbem.web import current

if TYPE_CHECKING:
    from pbem.web.table import Desk


def context(desk: Desk, *, may_order: bool) -> dict[str, Any]:
    """What the table page shows beside the game itself."""
    session, row, own = current.reading(), desk.row, desk.sitting.own
    is_running = row.state == GameState.RUNNING
    seats = desk.sitting.seats
    return {
        "undoable": undo.can_undo(session, row, own) if may_order and own is not None else None,
        "back_by": load.taken_back(load.marks(session, row)).get(desk.number),
        "talk": chat.said(session, row, own) if desk.is_present else [],
        "away": vacation.away(session, seats, current.service().clock.now()) if is_running else {},
        "people": players.with_pages(session, row, seats),
        "resigned": [seat.number for seat in seats if seat.resigned is not None],
    }
