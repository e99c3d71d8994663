"""Compares positions: what a seat holds, and what lies where on the table.

Places have only what the viewer sees: a hidden purse is none, and no lot stays after its round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.api import Event, Seat, SeatTally, Transition
from engine.forms import Change, Lapse
from engine.goa.components import GoaComponents
from engine.goa.events import AdditionalDeclined, BidMade, LotPaid, TurnEnded
from engine.goa.form_texts import lying
from engine.goa.lookups import current_turn, is_ready
from engine.goa.state import ADDITIONAL, SPICES, GoaState
from engine.goa.values import tile_said
from engine.goa.view import GoaSeatView, GoaView
from engine.phrases import Capital, Name, Quantity, Term, Value, WordForm, text


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


def if_won(view: GoaView, events: Sequence[Event], seat: Seat) -> Iterator[Value]:
    """Yield what a bid of the seat costs if nobody bids more, with the purse then (GO-3.2)."""
    bids = [each for each in events if isinstance(each, BidMade) and each.seat == seat]
    if not bids or any(isinstance(each, LotPaid) for each in events):
        return
    lot = next(each for each in view.lots if each.number == bids[-1].lot)
    before, price = view.players[seat].ducats or 0, bids[-1].ducats
    key = "if_won_bank" if lot.auctioneer == seat else "if_won"
    yield text(key, payee=Name(lot.auctioneer), price=Quantity("ducat", price),
               before=before, after=before - price)


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


def places(view: GoaView) -> dict[str, Any]:
    """Return all places that a template can mark as changed."""
    return dict(_places(view))


def _places(view: GoaView) -> Iterator[tuple[str, Any]]:
    for each in view.grid:
        yield f"space:{each.space}", each.tile
    if view.flag is not None:
        yield "flag", view.flag
    for lot in view.lots:
        yield f"lot:{lot.number}", (lot.stands, lot.high_bid, lot.high_bidder)
    for sold in view.sold:
        yield f"lot:{sold.number}", ("sold", sold.ducats, sold.buyer)
    for stock in view.colonies:
        yield f"stock:{stock.colony}", stock.tiles
    yield "deck", view.deck
    yield "discards", len(view.discards)
    for player in view.players:
        yield from _seat_places(player)


def _seat_places(player: GoaSeatView) -> Iterator[tuple[str, Any]]:
    mine = f"seat:{player.seat}"
    yield f"{mine}:vp", player.vp
    if player.ducats is not None:
        yield f"{mine}:ducats", player.ducats
    yield f"{mine}:ships", player.ships
    yield f"{mine}:colonists", player.colonists
    yield f"{mine}:additional", player.additional_cards
    yield f"{mine}:cards", player.cards
    for column in player.columns:
        yield f"{mine}:column:{column.column}", column.row
    for plantation in player.plantations:
        if plantation.tile is not None:
            yield f"{mine}:place:{plantation.place}", (plantation.tile, plantation.fields)
    for colony in player.colonies:
        if colony.tile is not None:
            yield f"{mine}:place:{colony.place}", (colony.tile, colony.fields)
    for kept in player.tiles:
        yield f"{mine}:tile:{kept.tile.id}", kept.used


def tallies(view: GoaView) -> tuple[SeatTally, ...]:
    """Return each seat's points by source and ducats; None for a purse the viewer may not see."""
    return tuple(SeatTally(player.points, player.ducats) for player in view.players)
