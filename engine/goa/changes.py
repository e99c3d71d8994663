"""What an order would change for its player, for the preview."""

from __future__ import annotations

from engine.forms import Change
from engine.goa.form_texts import lying
from engine.goa.state import SPICES
from engine.goa.view import PlayerView, TableView
from engine.phrases import Capital, Term, Value, Word, text


def changes(before: TableView, after: TableView, seat: int) -> tuple[Change, ...]:
    """The holdings that would change."""
    pairs = zip(holdings(before.players[seat]), holdings(after.players[seat]), strict=True)
    return tuple(Change(what, old, new) for (what, old), (_, new) in pairs if new != old)


def holdings(player: PlayerView) -> list[tuple[Value, int]]:
    """What a player has, by name; a purse that is not seen counts as none."""
    there = lying(player)
    return [
        (Word("vp"), player.vp),
        (Capital(Word("ducats")), player.ducats or 0),
        (Capital(Word("ships")), player.ships),
        (Capital(Word("colonists")), player.colonists),
        *(
            (Capital(Term("spice", name)), sum(n for spice, _, n in there if spice == name))
            for name in SPICES
        ),
        (Capital(Word("additional_action_cards")), player.additional_cards),
        (Capital(Word("expedition_cards")), player.cards),
        *(
            (text("row_of", column=Term("column", each.column)), each.row)
            for each in player.columns
        ),
    ]
