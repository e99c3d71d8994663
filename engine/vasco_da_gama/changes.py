"""Lists what an order would change for its player, for the preview."""

from __future__ import annotations

from engine.forms import Change
from engine.phrases import Capital, Term, Value, WordForm, text
from engine.vasco_da_gama.state import CREW
from engine.vasco_da_gama.view import VascoSeatView


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
