"""Applies expedition cards: their effects, and discards (GO-4.9, GO-7.1, GO-7.2)."""

from __future__ import annotations

from engine.api import Seat
from engine.errors import IllegalMove
from engine.goa.actions import reward, step_cost
from engine.goa.colonies import REVEAL_MORE
from engine.goa.components import Card, GoaComponents
from engine.goa.events import (
    CardDiscarded,
    CardGoodsTaken,
    CardPlayed,
    ProgressBought,
    RevealRaised,
    SpicesSold,
)
from engine.goa.fields import check_returned, check_taken, empty_of, number_of, room_in
from engine.goa.lookups import card_in_hand
from engine.goa.moves import Discard, PlayCard
from engine.goa.state import COLUMNS, AwaitFounding, GoaPlayer
from engine.journal import Journal

SELL, BUY_PROGRESS = "sell_up_to_4_spices", "buy_progress"


def discard(journal: Journal, seat: Seat, move: Discard) -> None:
    """Discard a card face up; it answers no question and ends nothing (GO-4.9).

    Raise IllegalMove if the card is not in hand.
    """
    if move.card not in journal.state.players[seat].hand:
        raise IllegalMove("not_in_hand", rule="GO-4.9", card=move.card)
    journal.record(CardDiscarded(seat, move.card))


def play(components: GoaComponents, journal: Journal, seat: Seat, move: PlayCard) -> None:
    """Play at most one card per action; it leaves the hand, then takes effect (GO-7.1).

    Raise IllegalMove if the card belongs to an action, or its effect is not possible.
    """
    card = card_in_hand(components, journal.state, seat, move.card)
    at_founding = isinstance(journal.state.awaiting, AwaitFounding)
    if card.action and not (card.effect == REVEAL_MORE and at_founding):
        raise IllegalMove("card_for_action", rule="GO-7.1", card=card.number, action=card.action)
    check_said(card, move)
    journal.record(CardPlayed(seat, card.number))
    if card.effect == REVEAL_MORE:
        journal.record(RevealRaised(seat, card.reveal))
    elif card.effect == SELL:
        sell(journal, seat, card, move)
    elif card.effect == BUY_PROGRESS:
        buy_progress(components, journal, seat, card, move)
    else:
        take_goods(journal, seat, card, move)


def check_said(card: Card, move: PlayCard) -> None:
    """Raise IllegalMove if the order names sacks or a column without need (GO-7.2)."""
    with_sacks = card.effect == SELL or card.gain.spices_of_choice
    if move.sacks and not with_sacks:
        raise IllegalMove("card_takes_no_sacks", rule="GO-7.2", card=card.number)
    if move.column is not None and card.effect != BUY_PROGRESS:
        raise IllegalMove("card_takes_no_column", rule="GO-7.2", card=card.number)


def take_goods(journal: Journal, seat: Seat, card: Card, move: PlayCard) -> None:
    """Give ships, colonists, ducats or spices (GO-7.2).

    Fewer spices are taken only if fewer fit, and at least one. Raise IllegalMove otherwise.
    """
    gain, player = card.gain, journal.state.players[seat]
    if gain.spices_of_choice:
        check_taken(player, move.sacks, "GO-7.2")
        wanted = min(gain.spices_of_choice, room_in(empty_of(player)))
        if not wanted:
            raise IllegalMove("no_empty_field", rule="GO-7.2")
        given = number_of(move.sacks)
        if given != wanted:
            raise IllegalMove("sacks_number", rule="GO-7.2", wanted=wanted, given=given)
    journal.record(
        CardGoodsTaken(seat, card.number, gain.ships, gain.colonists, gain.ducats, move.sacks)
    )


def sell(journal: Journal, seat: Seat, card: Card, move: PlayCard) -> None:
    """Sell one to four spices for ducats (GO-7.2). Raise IllegalMove for any other number."""
    check_returned(journal.state.players[seat], move.sacks, "GO-7.2")
    number = number_of(move.sacks)
    if not 1 <= number <= card.most:
        raise IllegalMove("sacks_at_most", rule="GO-7.2", most=card.most, given=number)
    journal.record(SpicesSold(seat, card.number, move.sacks, number * card.ducats_each))


def buy_progress(
    components: GoaComponents, journal: Journal, seat: Seat, card: Card, move: PlayCard
) -> None:
    """Move a marker for the full price; it counts like any other move (GO-7.2, GO-4.8).

    Raise IllegalMove if no column is named or the ducats are short.
    """
    player: GoaPlayer = journal.state.players[seat]
    if move.column is None:
        raise IllegalMove("card_needs_column", rule="GO-7.2", card=card.number)
    step_cost(components, player, move.column)
    if card.price > player.ducats:
        raise IllegalMove("too_few_ducats", rule="GO-3.1", cost=card.price, ducats=player.ducats)
    row = player.markers[COLUMNS.index(move.column)] + 1
    journal.record(ProgressBought(seat, card.number, move.column, row, card.price))
    reward(components, journal, seat, move.column, "card")
