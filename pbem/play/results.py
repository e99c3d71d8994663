"""Final places: seats without a player at the end rank last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlmodel import Session

from engine.api import Seat, Standing
from pbem.models import Game
from pbem.models.causes import LEFT
from pbem.play import positions


def placed(standings: Sequence[Standing], vacated: Sequence[Seat]) -> tuple[Standing, ...]:
    """The results in seat order. `vacated` is in the order of leaving: the first to leave is last.

    The other seats keep their order and ties among themselves; points do not change.
    """
    stayed = [each.place for each in standings if each.seat not in vacated]
    places = {
        each.seat: 1 + sum(place < each.place for place in stayed)
        for each in standings if each.seat not in vacated
    }
    places |= {seat: len(standings) - earlier for earlier, seat in enumerate(vacated)}
    return tuple(each._replace(place=places[each.seat]) for each in standings)


def vacated_in(session: Session, row: Game) -> list[Seat]:
    """The seats whose players left and that nobody took over, in the order of leaving."""
    vacated: list[Seat] = []
    for mark in positions.marks(session, row):
        note_seat(vacated, mark.cause, mark.seat)
    return vacated


def note_seat(vacated: list[Seat], cause: str, seat: Seat | None) -> None:
    """Update the list of vacated seats for one entry."""
    if cause in LEFT and seat is not None:
        vacated.append(seat)
    elif cause == "seated" and seat in vacated:
        vacated.remove(seat)


def standings(session: Session, table: positions.GamePosition) -> tuple[Standing, ...]:
    """The results of a finished game."""
    return placed(table.rules.returns(table.state), vacated_in(session, table.row))


def seen(session: Session, row: Game, view: Any) -> Any:
    """A game's view; a finished game's view gets the final places."""
    vacated = vacated_in(session, row) if view.places else []
    if not vacated:
        return view
    by_rules = [Standing(seat, place, 0, {}) for seat, place in enumerate(view.places)]
    counted = tuple(each.place for each in placed(by_rules, vacated))
    return msgspec.structs.replace(view, places=counted)
