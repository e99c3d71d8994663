"""Founding a colony (GO-5.1 to GO-5.4)."""

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
    """Name a colony that one does not own and of which a tile is left (GO-4.7, GO-5.1)."""
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
    """Reveal what is still to be revealed and count; again behind every card and tile (GO-5.4)."""
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
    """The colonists of column and revealed cards against those needed (GO-5.2)."""
    turn = current_turn(state)
    colony = turn.founding or ""
    found_by_column = taken_by(components, state.players[turn.seat], "colonists")
    revealed = sum(components.cards[card].colonists for card in state.revealed)
    needed = components.colonies[colony].colonists
    return AwaitFounding(turn.seat, colony, needed, found_by_column + revealed)


def is_asked(components: GoaComponents, state: GoaState, question: AwaitFounding) -> bool:
    """The seat has the colonists, or a card to play, or a tile that gives colonists (GO-5.4)."""
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
    """Exactly the difference, in colonists (GO-5.2, GO-5.4)."""
    question: AwaitFounding = journal.state.awaiting
    colonists = journal.state.players[seat].colonists
    if colonists < question.difference:
        raise IllegalMove("too_few_colonists", rule="GO-5.4",
                          difference=question.difference, colonists=colonists)
    journal.record(ColonistsPaid(seat, question.difference))
    succeed(journal, question)


def decline(components: GoaComponents, journal: Journal, seat: Seat, _: Decline) -> None:
    """One need not pay (GO-5.3)."""
    fail(components, journal, journal.state.awaiting, declined=True)


def fail(
    components: GoaComponents, journal: Journal, question: AwaitFounding, *, declined: bool
) -> None:
    """Nothing is founded or paid; a colonist for the attempt (GO-5.3)."""
    discard_revealed(journal)
    colonists = components.rules.colonists_after_failure
    journal.record(FoundingFailed(question.seat, question.colony, colonists, declined))


def succeed(journal: Journal, question: AwaitFounding) -> None:
    """Founded without choice; tile and spices are chosen when the cards are away (GO-5.2)."""
    discard_revealed(journal)
    journal.record(ColonyFounded(question.seat, question.colony))
    journal.record(GoaNowAwaiting(AwaitColony(question.seat, question.colony)))


def discard_revealed(journal: Journal) -> None:
    """The revealed cards are discarded before a tile is chosen (GO-5.3)."""
    if journal.state.revealed:
        journal.record(RevealedDiscarded(journal.state.revealed))


def choose(components: GoaComponents, journal: Journal, seat: Seat, move: ChooseColony) -> None:
    """One of the tiles left, every field filled with what it may hold (GO-5.2)."""
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
    """Spices that the fields may hold, in their order (GO-5.2)."""
    for spice in spices:
        if spice not in may_hold:
            raise IllegalMove("spice_not_held", rule="GO-5.2", spice=spice, place=place)
    if list(spices) != sorted(spices, key=SPICES.index):
        raise IllegalMove("out_of_order", rule="GO-5.2")
