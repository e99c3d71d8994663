"""Compares positions: what a seat holds, and what lies where on the table.

An empty number is no place, so a round that clears the table marks no number as changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.api import SeatTally
from engine.forms import Change
from engine.phrases import Capital, Term, Value, WordForm, text
from engine.vasco_da_gama.state import CREW, SPACES
from engine.vasco_da_gama.view import VascoSeatView, VascoView


def changes(before: VascoSeatView, after: VascoSeatView) -> tuple[Change, ...]:
    """Return the holdings that would change."""
    pairs = zip(holdings(before), holdings(after), strict=True)
    return tuple(Change(what, old, new) for (what, old), (_, new) in pairs if new != old)


def holdings(player: VascoSeatView) -> list[tuple[Value, int]]:
    """Return the amounts of a player's holdings, with their names."""
    return [
        (WordForm("vp"), player.vp),
        (WordForm("reals"), player.reals),
        (Capital(WordForm("captains")), player.captains),
        *(
            (Capital(Term("colour", colour)), n)
            for colour, n in zip(CREW, player.crew, strict=True)
        ),
        (Capital(WordForm("projects")), len(player.projects)),
        (text("ships_ready"), len(player.ships)),
        (text("discs_to_place"), player.discs_to_place),
    ]


def places(view: VascoView) -> dict[str, Any]:
    """Return all places that a template can mark as changed."""
    return dict(_places(view))


def _places(view: VascoView) -> Iterator[tuple[str, Any]]:
    for landing in view.landings:
        for slot in landing.slots:
            yield f"slot:{landing.word}:{slot.index}", slot.ship
    for number in view.numbers:
        if number.disc is not None:
            yield f"number:{number.number}", number.disc
    yield "marker", view.marker
    for place, section in enumerate(view.sections):
        yield f"section:{place}", section
    for place, tile in enumerate(view.offer):
        yield f"offer:{place}", tile
    yield "gabriel", view.gabriel
    for space, left in zip(SPACES, view.money, strict=True):
        yield f"money:{space}", left
    for character in view.characters:
        yield f"character:{character.key}", (character.owner, character.host)
    for player in view.players:
        yield from _seat_places(player)


def _seat_places(player: VascoSeatView) -> Iterator[tuple[str, Any]]:
    mine = f"seat:{player.seat}"
    yield f"{mine}:vp", player.vp
    yield f"{mine}:reals", player.reals
    yield f"{mine}:captains", player.captains
    yield f"{mine}:sailors", player.crew[:4]
    yield f"{mine}:missionaries", player.crew[4]
    yield f"{mine}:projects", player.projects
    yield f"{mine}:ships", player.ships
    yield f"{mine}:sailing", player.sailing
    yield f"{mine}:characters", player.characters


def tallies(view: VascoView) -> tuple[SeatTally, ...]:
    """Return each seat's points by source and Reals; all of it is open."""
    return tuple(SeatTally(player.points, player.reals) for player in view.players)
