"""The clocks of a table on its page."""

from __future__ import annotations

from pbem.models import GameState
from pbem.play import advance
from pbem.tables import clock_view
from pbem.web import context, filters
from pbem.web.table.desk import Desk


def said(desk: Desk) -> dict[int, str]:
    """The clocks of those who are asked, and all banks, in words; by seat."""
    if not desk.is_present or desk.row.state != GameState.RUNNING:
        return {}
    session, row, seats = context.reading(), desk.row, desk.sitting.seats
    now, zone = context.service().clock.now(), filters.zone_of(context.person()).key
    people = advance.people_of(session, list(seats))
    found = clock_view.seen_by(clock_view.of(session, row, seats, people, now), desk.reader.seat)
    words = {seat: clock_view.in_words(dial, now, zone, desk.reader.language)
            for seat, dial in found.items()}
    return {seat: text for seat, text in words.items() if text}
