"""Places as the service gives them: a seat that nobody holds at the end is ranked last."""

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
    """The results in seat order; `vacated` in that order: who left first comes last of all.

    The others keep their order and shared places among themselves; points stay as they are.
    """
    stayed = [each.place for each in standings if each.seat not in vacated]
    places = {
        each.seat: 1 + sum(place < each.place for place in stayed)
        for each in standings if each.seat not in vacated
    }
    places |= {seat: len(standings) - earlier for earlier, seat in enumerate(vacated)}
    return tuple(each._replace(place=places[each.seat]) for each in standings)


def vacated_in(session: Session, row: Game) -> list[Seat]:
    """The seats that lost their players and got no new ones, in that order."""
    vacated: list[Seat] = []
    for mark in positions.marks(session, row):
        note_seat(vacated, mark.cause, mark.seat)
    return vacated


def note_seat(vacated: list[Seat], cause: str, seat: Seat | None) -> None:
    """Keep account of who has left, and of seats that were taken over."""
    if cause in LEFT and seat is not None:
        vacated.append(seat)
    elif cause == "seated" and seat in vacated:
        vacated.remove(seat)


def standings(session: Session, table: positions.GamePosition) -> tuple[Standing, ...]:
    """The results of a game that is over."""
    return placed(table.rules.returns(table.state), vacated_in(session, table.row))


def seen(session: Session, row: Game, view: Any) -> Any:
    """A game's view; over, with the places that count."""
    vacated = vacated_in(session, row) if view.places else []
    if not vacated:
        return view
    by_rules = [Standing(seat, place, 0, {}) for seat, place in enumerate(view.places)]
    counted = tuple(each.place for each in placed(by_rules, vacated))
    return msgspec.structs.replace(view, places=counted)
