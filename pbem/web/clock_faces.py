"""The clocks of a table on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.games import advance, dials
from pbem.models import GameState
from pbem.web import current, filters

if TYPE_CHECKING:
    from pbem.web.table import Desk


def said(desk: Desk) -> dict[int, str]:
    """The clocks of those who are asked, and all banks, in words; by seat."""
    if not desk.is_present or desk.row.state != GameState.RUNNING:
        return {}
    session, row, seats = current.reading(), desk.row, desk.sitting.seats
    now, zone = current.service().clock.now(), filters.zone_of(current.person()).key
    people = advance.people_of(session, list(seats))
    found = dials.seen_by(dials.of(session, row, seats, people, now), desk.reader.seat)
    words = {seat: dials.said(dial, now, zone, desk.reader.language)
            for seat, dial in found.items()}
    return {seat: text for seat, text in words.items() if text}
