"""Lists what an order would change for its player, for the preview."""

from __future__ import annotations

from collections.abc import Sequence

from engine.api import Seat, Transition
from engine.forms import Change, Lapse
from engine.goa.components import GoaComponents
from engine.goa.events import AdditionalDeclined, TurnEnded
from engine.goa.form_texts import lying
from engine.goa.lookups import current_turn, is_ready
from engine.goa.state import ADDITIONAL, SPICES, GoaState
from engine.goa.values import tile_said
from engine.goa.view import GoaSeatView
from engine.phrases import Capital, Term, Value, WordForm, text


def changes(before: GoaSeatView, after: GoaSeatView) -> tuple[Change, ...]:
    """Return the holdings that would change."""
    pairs = zip(holdings(before), holdings(after), strict=True)
    return tuple(Change(what, old, new) for (what, old), (_, new) in pairs if new != old)


def holdings(player: GoaSeatView) -> list[tuple[Value, int]]:
    """Return a player's holdings, by name; a hidden purse counts as 0."""
    there = lying(player)
    return [
        (WordForm("vp"), player.vp),
        (Capital(WordForm("ducats")), player.ducats or 0),
        (Capital(WordForm("ships")), player.ships),
        (Capital(WordForm("colonists")), player.colonists),
        *(
            (Capital(Term("spice", name)), sum(n for spice, _, n in there if spice == name))
            for name in SPICES
        ),
        (Capital(WordForm("additional_action_cards")), player.additional_cards),
        (Capital(WordForm("expedition_cards")), player.cards),
        *(
            (text("row_of", column=Term("column", each.column)), each.row)
            for each in player.columns
        ),
    ]


def lapses(
    components: GoaComponents, before: GoaState, turns: Sequence[Transition], seat: Seat
) -> tuple[Lapse, ...]:
    """Return the tiles that are still ready when the seat's last turn of a round ends (GO-8.3)."""
    found: list[Lapse] = []
    state = before
    for turn in turns:
        if ends_last_turn(components, state, turn, seat):
            player = state.players[seat]
            for tile in player.tiles:
                if is_ready(components, state, player, tile):
                    said = tile_said(components.by_id[tile])
                    found.append(Lapse(text("stays_unused", tile=tile, what=said), "GO-8.3"))
        state = turn.state
    return tuple(found)


def ends_last_turn(
    components: GoaComponents, state: GoaState, turn: Transition, seat: Seat
) -> bool:
    """Tell whether the seat passes, or ends a turn without a card for another one (GO-6.1)."""
    if AdditionalDeclined(seat, unasked=False) in turn.events:
        return True
    if TurnEnded(seat) not in turn.events:
        return False
    may_be_last = (
        state.phase == ADDITIONAL or current_turn(state).number == components.rules.actions
    )
    return may_be_last and not state.players[seat].additional_cards
