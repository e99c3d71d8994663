"""Places as the service gives them: who resigned is ranked last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlmodel import Session

from engine.api import Seat, Standing
from pbem.games import load
from pbem.models import Game


def placed(standings: Sequence[Standing], resigned: Sequence[Seat]) -> tuple[Standing, ...]:
    """The results in seat order; `resigned` in that order: who left first comes last of all.

    The others keep their order and shared places among themselves; points stay as they are.
    """
    stayed = [each.place for each in standings if each.seat not in resigned]
    places = {
        each.seat: 1 + sum(place < each.place for place in stayed)
        for each in standings if each.seat not in resigned
    }
    places |= {seat: len(standings) - earlier for earlier, seat in enumerate(resigned)}
    return tuple(each._replace(place=places[each.seat]) for each in standings)


def resigned_in(session: Session, row: Game) -> list[Seat]:
    """The seats that resigned, in that order."""
    return [mark.seat for mark in load.marks(session, row) if mark.cause == "resign"]


def standings(session: Session, table: load.Table) -> tuple[Standing, ...]:
    """The results of a game that is over."""
    return placed(table.rules.returns(table.state), resigned_in(session, table.row))


def seen(session: Session, row: Game, view: Any) -> Any:
    """A game's view; over, with the places that count."""
    resigned = resigned_in(session, row) if view.places else []
    if not resigned:
        return view
    by_rules = [Standing(seat, place, 0, {}) for seat, place in enumerate(view.places)]
    counted = tuple(each.place for each in placed(by_rules, resigned))
    return msgspec.structs.replace(view, places=counted)
