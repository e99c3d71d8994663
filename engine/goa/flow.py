"""Continues the game without players' choices, up to the next question (GO-2 to GO-6)."""

from __future__ import annotations

from engine.api import Seat
from engine.goa import auction, colonies, placing, preparation, scoring
from engine.goa.components import GoaComponents
from engine.goa.events import (
    AdditionalActionsBegun,
    AdditionalCardPlayed,
    AdditionalDeclined,
    GoaGameEnded,
    GoaNowAwaiting,
    GoaRoundBegun,
    GridCleared,
    TurnBegun,
    TurnEnded,
)
from engine.goa.lookups import current_turn
from engine.goa.state import (
    ADDITIONAL,
    AUCTIONS,
    PLACING,
    AwaitAdditional,
    AwaitDone,
    AwaitTurnAction,
    GoaState,
)
from engine.journal import Journal


def go_on(components: GoaComponents, journal: Journal) -> None:
    """Continue until a seat is asked or the game is over (GO-6.2)."""
    while not isinstance(journal.events[-1], GoaNowAwaiting | GoaGameEnded):
        phase = journal.state.phase
        if phase == PLACING:
            placing.ask_for_marker(components, journal)
        elif phase == AUCTIONS:
            next_lot(components, journal)
        else:
            go_on_in_turn(components, journal)


def next_lot(components: GoaComponents, journal: Journal) -> None:
    """Open the next lot after a won tile is settled; actions follow the last lot (GO-3.4)."""
    if journal.state.markers:
        auction.open_lot(components, journal)
    else:
        journal.record(TurnBegun(journal.state.start_player, 1, additional=False))


# ---- turns -------------------------------------------------------------------------------------


def go_on_in_turn(components: GoaComponents, journal: Journal) -> None:
    """Continue the open founding, the action, or what may follow it (GO-4.10, GO-5.4)."""
    state: GoaState = journal.state
    turn = current_turn(state)
    if turn.founding is not None:
        colonies.go_on_founding(components, journal)
    elif turn.action is not None:
        journal.record(GoaNowAwaiting(AwaitDone(turn.seat)))
    elif state.phase == ADDITIONAL:
        passing = may_pass(components, state)
        journal.record(GoaNowAwaiting(AwaitAdditional(turn.seat, turn.number, passing)))
    else:
        journal.record(GoaNowAwaiting(AwaitTurnAction(turn.seat, turn.number)))


def may_pass(components: GoaComponents, state: GoaState) -> bool:
    """Tell whether the seat may pass (GO-6.1).

    It may not with more cards than are kept, nor after a card or tile of this turn.
    """
    turn = current_turn(state)
    held = state.players[turn.seat].additional_cards
    kept = components.rules.additional_action_cards_kept
    return held <= kept and not turn.card_played and not turn.tile_used


def end_turn(components: GoaComponents, journal: Journal) -> None:
    """End the turn; the next seat follows, three times round, then the additional actions.

    Rules: GO-4.1, GO-4.10.
    """
    state: GoaState = journal.state
    turn = current_turn(state)
    additional = state.phase == ADDITIONAL
    journal.record(TurnEnded(turn.seat))
    if additional:
        next_additional(components, journal, turn.seat, turn.number)
        return
    following = (turn.seat + 1) % len(state.players)
    if following != state.start_player:
        journal.record(TurnBegun(following, turn.number, additional=False))
    elif turn.number < components.rules.actions:
        journal.record(TurnBegun(following, turn.number + 1, additional=False))
    else:
        journal.record(AdditionalActionsBegun())
        begin_additional(components, journal, following, 1)


def begin_additional(components: GoaComponents, journal: Journal, seat: Seat, lap: int) -> None:
    """Ask the first seat from here that is not out; a seat without a card drops out (GO-6.1)."""
    state: GoaState = journal.state
    seats = len(state.players)
    for step in range(seats):
        asked = (seat + step) % seats
        if step and asked == state.start_player:
            lap += 1
        if asked in state.passed:
            continue
        if state.players[asked].additional_cards:
            journal.record(TurnBegun(asked, lap, additional=True))
            return
        journal.record(AdditionalDeclined(asked, unasked=True))
    end_round(components, journal)


def next_additional(components: GoaComponents, journal: Journal, seat: Seat, lap: int) -> None:
    """Go on to the next seat, lap by lap, until all are out (GO-6.1)."""
    following = (seat + 1) % len(journal.state.players)
    begin_additional(components, journal, following,
                     lap + (following == journal.state.start_player))


def pass_additional(components: GoaComponents, journal: Journal, seat: Seat) -> None:
    """Take a seat out of this round's additional actions (GO-6.1)."""
    lap = current_turn(journal.state).number
    journal.record(AdditionalDeclined(seat, unasked=False))
    next_additional(components, journal, seat, lap)


def play_additional_card(journal: Journal, seat: Seat) -> None:
    """Play one additional action card for one action (GO-6.1)."""
    journal.record(AdditionalCardPlayed(seat))


# ---- the end of a round, of a part, of the game -------------------------------------------------


def end_round(components: GoaComponents, journal: Journal) -> None:
    """Begin the next round, the next part with its own tiles, or the end of the game (GO-6.2)."""
    state: GoaState = journal.state
    if state.round < components.rules.rounds_per_part:
        journal.record(GoaRoundBegun(state.part, state.round + 1))
    elif state.part == "A":
        left = tuple(tile for tile in state.grid if tile is not None)
        journal.record(GridCleared(left))
        preparation.lay_out_tiles(components, journal, "B")
        journal.record(GoaRoundBegun("B", 1))
    else:
        scoring.count_up(components, journal)
