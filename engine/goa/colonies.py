"""Founds colonies (GO-5.1 to GO-5.4)."""

from __future__ import annotations

from engine.api import Seat
from engine.errors import IllegalMove
from engine.goa import drawing
from engine.goa.actions import play_with
from engine.goa.components import GoaComponents
from engine.goa.events import (
    CardsRevealed,
    ColonistsPaid,
    ColonyFounded,
    ColonyPlaced,
    FoundingBegun,
    FoundingFailed,
    GoaNowAwaiting,
    RevealedDiscarded,
)
from engine.goa.lookups import current_turn, gives_colonists, is_ready, taken_by
from engine.goa.moves import ChooseColony, Decline, FoundColony, Pay
from engine.goa.state import COLONIES, SPICES, AwaitColony, AwaitFounding, GoaState
from engine.journal import Journal

REVEAL_MORE = "reveal_3_cards"


def found(components: GoaComponents, journal: Journal, seat: Seat, move: FoundColony) -> None:
    """Start founding a colony that the seat does not own and that has a tile (GO-4.7, GO-5.1).

    Raise IllegalMove for any other colony.
    """
    state: GoaState = journal.state
    if move.colony not in COLONIES:
        raise IllegalMove("no_such_colony", rule="GO-5.1", colony=move.colony)
    place = COLONIES.index(move.colony)
    if state.players[seat].colonies[place] is not None:
        raise IllegalMove("colony_owned", rule="GO-5.1", colony=move.colony)
    if not state.colony_tiles[place]:
        raise IllegalMove("no_colony_left", rule="GO-5.1", colony=move.colony)
    card = play_with(components, journal, seat, move.using,
                     effects=(REVEAL_MORE,), action="found")
    reveal = components.rules.reveal_when_founding if card is None else card.reveal
    needed = components.colonies[move.colony].colonists
    journal.record(FoundingBegun(seat, move.colony, needed, reveal))


def go_on_founding(components: GoaComponents, journal: Journal) -> None:
    """Reveal the cards that are left to reveal, then count colonists (GO-5.4).

    Every card and tile played afterwards counts again.
    """
    state: GoaState = journal.state
    turn = current_turn(state)
    for cards in drawing.from_deck(journal, turn.reveal - len(state.revealed)):
        colonists = sum(components.cards[card].colonists for card in cards)
        journal.record(CardsRevealed(turn.seat, cards, colonists))
    question = counted(components, state)
    if question.difference <= 0:
        succeed(journal, question)
    elif is_asked(components, state, question):
        journal.record(GoaNowAwaiting(question))
    else:
        fail(components, journal, question, declined=False)


def counted(components: GoaComponents, state: GoaState) -> AwaitFounding:
    """Compare the column's and revealed cards' colonists with the number needed (GO-5.2)."""
    turn = current_turn(state)
    colony = turn.founding or ""
    found_by_column = taken_by(components, state.players[turn.seat], "colonists")
    revealed = sum(components.cards[card].colonists for card in state.revealed)
    needed = components.colonies[colony].colonists
    return AwaitFounding(turn.seat, colony, needed, found_by_column + revealed)


def is_asked(components: GoaComponents, state: GoaState, question: AwaitFounding) -> bool:
    """Tell whether the seat has the colonists, a card to play or a tile with colonists (GO-5.4)."""
    player = state.players[question.seat]
    return (
        player.colonists >= question.difference
        or (bool(player.hand) and not current_turn(state).card_played)
        or any(
            gives_colonists(components.by_id[tile]) and is_ready(components, state, player, tile)
            for tile in player.tiles
        )
    )


def pay(components: GoaComponents, journal: Journal, seat: Seat, _: Pay) -> None:
    """Pay exactly the difference, in colonists (GO-5.2, GO-5.4).

    Raise IllegalMove if the seat has too few.
    """
    question: AwaitFounding = journal.state.awaiting
    colonists = journal.state.players[seat].colonists
    if colonists < question.difference:
        raise IllegalMove("too_few_colonists", rule="GO-5.4",
                          difference=question.difference, colonists=colonists)
    journal.record(ColonistsPaid(seat, question.difference))
    succeed(journal, question)


def decline(components: GoaComponents, journal: Journal, seat: Seat, _: Decline) -> None:
    """Decline: a seat need not pay (GO-5.3)."""
    fail(components, journal, journal.state.awaiting, declined=True)


def fail(
    components: GoaComponents, journal: Journal, question: AwaitFounding, *, declined: bool
) -> None:
    """End the attempt without a colony or a payment, and give colonists for it (GO-5.3)."""
    discard_revealed(journal)
    colonists = components.rules.colonists_after_failure
    journal.record(FoundingFailed(question.seat, question.colony, colonists, declined))


def succeed(journal: Journal, question: AwaitFounding) -> None:
    """Found the colony; tile and spices are chosen after the cards are away (GO-5.2)."""
    discard_revealed(journal)
    journal.record(ColonyFounded(question.seat, question.colony))
    journal.record(GoaNowAwaiting(AwaitColony(question.seat, question.colony)))


def discard_revealed(journal: Journal) -> None:
    """Discard the revealed cards before a tile is chosen (GO-5.3)."""
    if journal.state.revealed:
        journal.record(RevealedDiscarded(journal.state.revealed))


def choose(components: GoaComponents, journal: Journal, seat: Seat, move: ChooseColony) -> None:
    """Place one of the tiles left, every field filled with a spice it may hold (GO-5.2).

    Raise IllegalMove if the tile or the spices do not fit.
    """
    question: AwaitColony = journal.state.awaiting
    colony = question.colony
    if move.tile not in journal.state.colony_tiles[COLONIES.index(colony)]:
        raise IllegalMove("no_such_colony_tile", rule="GO-5.2", tile=move.tile, colony=colony)
    fields, may_hold = components.colonies[colony].fields, components.may_hold[move.tile]
    if len(move.spices) != fields:
        raise IllegalMove("colony_spices", rule="GO-5.2", fields=fields, given=len(move.spices))
    check_colony_spices(colony, move.spices, may_hold)
    journal.record(ColonyPlaced(seat, colony, move.tile, fields, may_hold, move.spices))


def check_colony_spices(
    place: str, spices: tuple[str, ...], may_hold: tuple[str, ...]
) -> None:
    """Raise IllegalMove unless the fields may hold the spices, in their order (GO-5.2)."""
    for spice in spices:
        if spice not in may_hold:
            raise IllegalMove("spice_not_held", rule="GO-5.2", spice=spice, place=place)
    if list(spices) != sorted(spices, key=SPICES.index):
        raise IllegalMove("out_of_order", rule="GO-5.2")
