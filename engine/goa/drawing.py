"""Draws expedition cards: the deck, and room in the hand (GO-1.3, GO-4.6, GO-4.8a)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from engine.api import Event, Seat
from engine.errors import IllegalMove
from engine.goa.components import GoaComponents
from engine.goa.events import (
    AllMarkersInRow,
    BonusCardsDrawn,
    CardsDrawn,
    DeckReshuffled,
    GoaNowAwaiting,
    NoCardsDrawn,
    RoomMade,
    TileCardsDrawn,
)
from engine.goa.lookups import hand_limit
from engine.goa.moves import DrawCards
from engine.goa.state import AwaitRoom, GoaState
from engine.journal import Journal


def from_deck(journal: Journal, number: int) -> Iterator[tuple[int, ...]]:
    """Take `number` cards from the deck's top, in one or two parts, or fewer if there are fewer.

    An empty deck is renewed from the discard pile only when a card must be drawn (GO-1.3). The
    caller records what happens to a part before it takes the next.
    """
    state: GoaState = journal.state
    while number and (state.deck or state.discards):
        if not state.deck:
            cards = journal.chance.shuffled(state.discards, why="expedition deck")
            journal.record(DeckReshuffled(cards))
        part = state.deck[:number]
        number -= len(part)
        yield part


def to_be_had(state: GoaState) -> int:
    """Return the number of cards that could be drawn from deck and discard pile (GO-1.3)."""
    return len(state.deck) + len(state.discards)


def is_limited(state: GoaState, why: str) -> bool:
    """Tell whether the hand limit holds for a draw (GO-4.8a).

    One option limits only expeditions.
    """
    return state.hand_limit == "always" or why == "expedition"


def draw(
    components: GoaComponents,
    journal: Journal,
    seat: Seat,
    number: int,
    why: str,
    *,
    additional_cards: int = 0,
) -> None:
    """Draw at once if the cards fit or the hand is empty, else ask for discards (GO-4.8a)."""
    state: GoaState = journal.state
    player = state.players[seat]
    limit = hand_limit(components, player)
    if is_limited(state, why):
        if number > limit - len(player.hand) and player.hand:
            question = AwaitRoom(seat, number, limit, why, additional_cards)
            journal.record(GoaNowAwaiting(question))
            return
        number = min(number, limit - len(player.hand))
    take(journal, seat, number, why)
    give_additional(journal, seat, additional_cards)


def take(journal: Journal, seat: Seat, number: int, why: str) -> None:
    """Put the cards into the hand; a trial stops before this (GO-4.6, GO-4.8, GO-4.11)."""
    drawn = 0
    for cards in from_deck(journal, number):
        journal.record(drawn_by(seat, cards, why))
        drawn += len(cards)
    if not drawn:
        journal.record(NoCardsDrawn(seat, why))


def drawn_by(seat: Seat, cards: tuple[int, ...], why: str) -> Event:
    """Return the event of a draw; `why` is as in AwaitRoom (GO-4.6, GO-4.8, GO-8.2)."""
    if why == "expedition":
        return CardsDrawn(seat, cards)
    if why == "tile":
        return TileCardsDrawn(seat, cards)
    return BonusCardsDrawn(seat, cards, by_action=why == "progress")


def give_additional(journal: Journal, seat: Seat, additional_cards: int) -> None:
    """Give the additional action card for five markers after the expedition card (GO-4.8)."""
    if additional_cards:
        row = min(journal.state.players[seat].markers)
        journal.record(AllMarkersInRow(seat, row, additional_cards))


def make_room(components: GoaComponents, journal: Journal, seat: Seat, move: DrawCards) -> None:
    """Discard cards, then draw what fits; an expedition draws at least one (GO-4.6, GO-4.8a).

    Raise IllegalMove if the numbers or the cards do not fit.
    """
    question: AwaitRoom = journal.state.awaiting
    check_discards(journal.state, seat, move.discard)
    most = most_drawn(journal.state, question, len(move.discard))
    if question.why == "expedition":
        check_expedition(move.cards, most)
    elif move.cards < most:
        raise IllegalMove("too_few_cards", rule="GO-4.8a", cards=move.cards, least=most)
    elif move.cards > most:
        raise IllegalMove("too_many_cards", rule="GO-4.8a", cards=move.cards, most=most)
    if move.discard:
        journal.record(RoomMade(seat, move.discard))
    take(journal, seat, move.cards, question.why)
    give_additional(journal, seat, question.additional_cards)


def most_drawn(state: GoaState, question: AwaitRoom, discarded: int) -> int:
    """Return how many of the cards fit into the hand after so many discards (GO-4.8a)."""
    room = question.limit - len(state.players[question.seat].hand) + discarded
    return max(0, min(question.cards, room, to_be_had(state) + discarded))


def check_expedition(cards: int, most: int) -> None:
    """Raise IllegalMove unless the number is from 1 to `most` (GO-4.1, GO-4.6)."""
    if cards < 1:
        raise IllegalMove("too_few_cards", rule="GO-4.1", cards=cards, least=1)
    if cards > most:
        raise IllegalMove("too_many_cards", rule="GO-4.6", cards=cards, most=most)


def check_discards(state: GoaState, seat: Seat, cards: tuple[int, ...]) -> None:
    """Raise IllegalMove unless the cards are the seat's, distinct and ascending (GO-4.9)."""
    hand = state.players[seat].hand
    for card in cards:
        if card not in hand:
            raise IllegalMove("not_in_hand", rule="GO-4.9", card=card)
    for one, other in pairwise(cards):
        if one == other:
            raise IllegalMove("named_twice", rule="GO-4.9", card=one)
        if one > other:
            raise IllegalMove("out_of_order", rule="GO-4.9")
