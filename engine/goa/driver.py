"""Finds the rule for one move, and makes the refusals that all rules share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.api import Move, Seat
from engine.errors import GameOver, IllegalMove, NotYourTurn
from engine.goa import (
    actions,
    auction,
    cards,
    colonies,
    drawing,
    flow,
    moves,
    placing,
    preparation,
    tiles,
)
from engine.goa.components import GoaComponents
from engine.goa.state import (
    AwaitAdditional,
    AwaitBid,
    AwaitColony,
    AwaitDone,
    AwaitDrop,
    AwaitFlag,
    AwaitFounding,
    AwaitGoods,
    AwaitMarker,
    AwaitQuickStart,
    AwaitRoom,
    AwaitTurnAction,
    GoaState,
)
from engine.journal import Journal

OVER_RULE = "GO-9.1"

Rule = Callable[..., None]


def extra(components: GoaComponents, journal: Journal, seat: Seat, move: moves.Extra) -> None:
    """Play an additional action card for one action (GO-6.1)."""
    flow.play_additional_card(journal, seat)
    ACTION_RULES[type(move.action)](components, journal, seat, move.action)


def pass_additional(components: GoaComponents, journal: Journal, seat: Seat, _: moves.Pass) -> None:
    """Leave this round's additional actions (GO-6.1).

    Raise IllegalMove if the seat may not pass.
    """
    question: AwaitAdditional = journal.state.awaiting
    held = journal.state.players[seat].additional_cards
    kept = components.rules.additional_action_cards_kept
    if held > kept:
        raise IllegalMove("may_not_pass_cards", rule="GO-6.1", cards=held, kept=kept)
    if not question.may_pass:
        raise IllegalMove("may_not_pass_turn", rule="GO-6.1")
    flow.pass_additional(components, journal, seat)


def done(components: GoaComponents, journal: Journal, _: Seat, __: moves.EndTurn) -> None:
    """End the turn (GO-4.10)."""
    flow.end_turn(components, journal)


ACTION_RULES: dict[type[Any], Rule] = {
    moves.Progress: actions.progress,
    moves.BuildShips: actions.build_ships,
    moves.Harvest: actions.harvest,
    moves.Taxes: actions.taxes,
    moves.Expedition: actions.expedition,
    moves.FoundColony: colonies.found,
}

TURN_RULES: dict[type[Any], Rule] = {
    moves.PlayCard: cards.play,
    moves.UseGoods: tiles.use_goods,
    moves.UseSpice: tiles.use_spice,
    moves.UseDuty: tiles.use_duty,
    moves.UseHarvest: tiles.use_harvest,
    moves.UseTrade: tiles.use_trade,
    moves.UseTile: tiles.use_tile,
}

RULES: dict[type[Any], dict[type[Any], Rule]] = {
    AwaitQuickStart: {
        moves.QuickMarkers: preparation.quick_markers,
        moves.QuickDucats: preparation.quick_ducats,
    },
    AwaitFlag: {moves.PlaceFlag: placing.place_flag},
    AwaitMarker: {moves.PlaceMarker: placing.place_marker},
    AwaitBid: {moves.Bid: auction.bid, moves.Pass: auction.decline},
    AwaitGoods: {moves.ChooseGain: tiles.gain},
    AwaitDrop: {moves.Drop: tiles.drop},
    AwaitRoom: {moves.DrawCards: drawing.make_room},
    AwaitTurnAction: {**ACTION_RULES, **TURN_RULES},
    AwaitAdditional: {moves.Extra: extra, moves.Pass: pass_additional, **TURN_RULES},
    AwaitFounding: {moves.Pay: colonies.pay, moves.Decline: colonies.decline, **TURN_RULES},
    AwaitColony: {moves.ChooseColony: colonies.choose},
    AwaitDone: {moves.EndTurn: done, **TURN_RULES},
}


def play(components: GoaComponents, journal: Journal, seat: Seat, move: Move) -> None:
    """Find the rule for the open question, apply the move, then continue the game (GO-4.10).

    Raise GameOver, NotYourTurn or IllegalMove if the move is refused.
    """
    state: GoaState = journal.state
    question = state.awaiting
    if question is None:
        raise GameOver("game_over", rule=OVER_RULE)
    if isinstance(move, moves.Discard) and 0 <= seat < len(state.players):
        cards.discard(journal, seat, move)
        return
    if seat not in question.seats:
        raise NotYourTurn("not_your_turn", rule=question.rule)
    rule = RULES[type(question)].get(type(move))
    if rule is None:
        raise IllegalMove("wrong_order", rule=question.rule)
    rule(components, journal, seat, move)
    flow.go_on(components, journal)
