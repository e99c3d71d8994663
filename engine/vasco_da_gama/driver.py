"""Finds the rule for one move, and makes the refusals that all rules share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.api import Move, Seat
from engine.errors import GameOver, IllegalMove, NotYourTurn
from engine.journal import Journal
from engine.vasco_da_gama import actions, characters, expedition, flow, moves, placing
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import LaunchesEnded
from engine.vasco_da_gama.state import (
    AwaitCalledAction,
    AwaitFirstMerchant,
    AwaitLastLaunches,
    AwaitLaunches,
    AwaitMerchant,
    AwaitPlacement,
    AwaitProject,
    AwaitSailor,
    VascoState,
)

OVER_RULE = "VG-8.3"


def done(components: VascoComponents, journal: Journal, seat: Seat, _: moves.EndLaunches) -> None:
    """End a seat's launches for good (VG-8.2)."""
    journal.record(LaunchesEnded(seat))
    flow.end_launches_of(components, journal, seat)


def launched(
    components: VascoComponents, journal: Journal, seat: Seat, _: moves.EndLaunches
) -> None:
    """End a seat's launches before the refill (VG-4.3)."""
    flow.navigate(components, journal)


RULES: dict[tuple[type[Any], type[Any]], Callable[..., None]] = {
    (AwaitFirstMerchant, moves.SendMerchant): characters.send_merchant,
    (AwaitPlacement, moves.PlaceDisc): placing.place,
    (AwaitCalledAction, moves.GiveUp): actions.give_up,
    (AwaitCalledAction, moves.Buy): actions.buy,
    (AwaitCalledAction, moves.BuyGabriel): actions.buy_gabriel,
    (AwaitCalledAction, moves.Recruit): actions.recruit,
    (AwaitCalledAction, moves.Send): expedition.send,
    (AwaitCalledAction, moves.TakeMoney): characters.take_money,
    (AwaitCalledAction, moves.Host): characters.host,
    (AwaitCalledAction, moves.HostSernigi): characters.host_sernigi,
    (AwaitCalledAction, moves.HostManuel): characters.host_manuel,
    (AwaitProject, moves.ChooseProject): expedition.choose_project,
    (AwaitSailor, moves.ChooseSailor): expedition.choose_sailor,
    (AwaitSailor, moves.DrawSailor): expedition.draw_sailor,
    (AwaitMerchant, moves.SendMerchant): characters.send_merchant,
    (AwaitLaunches, moves.EndLaunches): launched,
    (AwaitLastLaunches, moves.EndLaunches): done,
}

AREA_OF: dict[type[Any], str] = {
    moves.Buy: "projects",
    moves.BuyGabriel: "projects",
    moves.Recruit: "recruiting",
    moves.Send: "navigation",
    moves.TakeMoney: "characters",
    moves.Host: "characters",
    moves.HostSernigi: "characters",
    moves.HostManuel: "characters",
}


def play(components: VascoComponents, journal: Journal, seat: Seat, move: Move) -> None:
    """Find the rule for the open question and apply the move.

    Raise MoveRefused if the move does not answer the question or a rule forbids it.
    """
    state: VascoState = journal.state
    question = state.awaiting
    if question is None:
        raise GameOver("game_over", rule=OVER_RULE)
    kind = type(move)
    if kind is moves.Launch and 0 <= seat < len(state.players):
        actions.launch(components, journal, seat, move)  # type: ignore[arg-type]
        return
    if seat not in question.seats:
        raise NotYourTurn("not_your_turn", rule=question.rule)
    rule = RULES.get((type(question), kind))
    if rule is None:
        raise IllegalMove("wrong_order", rule=question.rule)
    if type(question) is AwaitCalledAction and AREA_OF.get(kind, question.area) != question.area:
        raise IllegalMove(
            "other_area", rule=question.rule, number=question.number, area=question.area
        )
    rule(components, journal, seat, move)
