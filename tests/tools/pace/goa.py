"""How people write orders ahead in Goa: bids for the lots they want, and a round's actions."""

from __future__ import annotations

from typing import Any

from engine.api import Seat
from engine.chance import Forbidden
from engine.errors import MoveRefused
from engine.goa import letters, moves
from engine.goa.bots import OPENING_BID, steady
from engine.goa.state import (
    ACTIONS,
    AUCTIONS,
    AwaitAdditional,
    AwaitColony,
    AwaitDone,
    AwaitTurnAction,
    TurnSoFar,
)
from engine.goa.worth import Judge
from tests.tools.pace.table import chosen

WANTED = 2  # lots that one bids for ahead
DRAWS = (moves.Expedition, moves.FoundColony)


def is_put(game: Any, state: Any) -> bool:
    """Behind the action the rules ask only where it drew something (GO-4.10)."""
    if isinstance(state.awaiting, AwaitDone):
        return letters.is_asked_once_more(game.components, state)
    return True


def answers(game: Any, state: Any, seat: Seat) -> list[str]:
    """A steady player's answer, with what can be said at once behind `found` and `expedition`."""
    lines: list[str] = []
    for move in chosen(game, state, seat):
        lines += said(game, state, seat, move)
    return lines


def said(game: Any, state: Any, seat: Seat, move: Any) -> list[str]:
    """A move as one writes it; behind what draws, that one needs not be asked once more."""
    action = move.action if isinstance(move, moves.Extra) else move
    line = game.to_text(move)
    if isinstance(action, moves.FoundColony):
        line += ahead_of(game, state, seat, action.colony)
    return [line, "done"] if isinstance(action, DRAWS) else [line]


def ahead_of(game: Any, state: Any, seat: Seat, colony: str) -> str:
    """What one pays at most for a colony, and which tile one would choose (GO-5.2, GO-5.4)."""
    table = state.copy()
    table.phase = ACTIONS
    table.turn = TurnSoFar(seat, 1, action="found", founding=colony)
    table.awaiting = AwaitColony(seat, colony)
    (choice,) = chosen(game, table, seat)
    return f" pay up to {state.players[seat].colonists} {game.to_text(choice)}"


def later(game: Any, before: Any, state: Any, seat: Seat) -> list[str]:
    """Bids once all markers lie; once one's own turn was asked for, the actions behind it."""
    if state.phase == AUCTIONS:
        return bids(game, before, state, seat)
    if isinstance(before.awaiting, AwaitTurnAction):
        return actions(game, state, seat, before.awaiting.number)
    return []


# ---- bids ---------------------------------------------------------------------------------------


def bids(game: Any, before: Any, state: Any, seat: Seat) -> list[str]:
    """What one offers for the lots one wants most, and a pass on the rest."""
    table = game.observation(state, seat)
    judge = Judge(table, seat)
    open_lot = getattr(state.awaiting, "lot", 0)
    answered = open_lot and getattr(before.awaiting, "lot", 0) == open_lot
    coming = []
    for lot in table.lots:
        most = min(int(judge.lot(lot.tile) / judge.per_ducat), judge.ducats)
        if lot.auctioneer == seat:
            most //= 2  # outbidding costs the bid and what the other would have paid
        spoken = lot.number == open_lot and (answered or seat not in lot.speaking)
        if not spoken and most >= 1:
            coming.append((most, lot))
    wanted = sorted(coming, key=lambda each: -each[0])[:WANTED]
    wanted.sort(key=lambda each: each[1].number)
    return [bid_line(lot, most, seat) for most, lot in wanted] + [
        "pass on the rest"
    ]


def bid_line(lot: Any, most: int, seat: Seat) -> str:
    """A good opening where nobody has offered as much, else one more up to what it is worth."""
    opening = int(OPENING_BID * most)
    up_to = f"up to {most} for lot {lot.number}"
    if lot.auctioneer == seat or opening < 2:
        return up_to
    return f"exactly {opening} for lot {lot.number} else {up_to}"


# ---- actions ------------------------------------------------------------------------------------


def actions(game: Any, state: Any, seat: Seat, number: int) -> list[str]:
    """The actions behind this one, up to the first that draws, and what one does in the end."""
    lines: list[str] = []
    table, drew = state, draws_now(state, seat)
    while number < game.components.rules.actions:
        number += 1
        table = at_turn(table, seat, TurnSoFar(seat, number), AwaitTurnAction(seat, number))
        while isinstance(table.awaiting, AwaitTurnAction):
            move = planned(game, table, seat, draws=not drew)
            lines += short(game, table, seat, move)
            table = game.apply_action(table, seat, move, Forbidden()).state
            if isinstance(move, DRAWS):
                drew = True
                break
            if not isinstance(table.awaiting, AwaitTurnAction | AwaitDone):
                return lines
    if table.players[seat].additional_cards:
        passing = table.players[seat].additional_cards == 1
        question = AwaitAdditional(seat, 1, passing)
        table = at_turn(table, seat, TurnSoFar(seat, 1), question)
        table.phase += 1
        move = planned(game, table, seat, draws=not drew)
        lines += short(game, table, seat, move)
    return lines


def planned(game: Any, table: Any, seat: Seat, *, draws: bool) -> Any:
    """What a steady player would do; behind one draw nothing that draws, as one cannot know."""
    found = [
        each for each in game.answers(table, seat)
        if draws or not isinstance(getattr(each, "action", each), DRAWS)
    ]
    return steady(game.observation(table, seat), seat, found, (), Forbidden())


def draws_now(state: Any, seat: Seat) -> bool:
    """Whether the seat's letter has just stopped in front of a draw."""
    turn = state.turn
    return turn is not None and turn.seat == seat and (
        turn.founding is not None or turn.action == "expedition"
    )


def at_turn(state: Any, seat: Seat, turn: TurnSoFar, question: Any) -> Any:
    """The table as this seat may expect it at its next turn, if the others change nothing."""
    table = state.copy()
    table.phase, table.turn, table.awaiting = ACTIONS, turn, question
    return table


def short(game: Any, table: Any, seat: Seat, move: Any) -> list[str]:
    """A move in as few words as mean it."""
    line, *rest = said(game, table, seat, move)
    briefer = briefly(move)
    if briefer:
        try:
            if game.from_text(briefer, table, seat, {}) == [move]:
                return [briefer]
        except MoveRefused:
            pass
    return [line, *rest]


def briefly(move: Any) -> str:
    """The line without places, which the table settles."""
    extra = "extra " if isinstance(move, moves.Extra) else ""
    action = move.action if extra else move
    if isinstance(action, moves.Progress):
        using = f" using {action.using}" if action.using else ""
        return f"{extra}progress {action.column}{using}"
    if isinstance(action, moves.Harvest) and action.using is None:
        numbers: dict[str, int] = {}
        for spice, _, number in action.sacks:
            numbers[spice] = numbers.get(spice, 0) + number
        sacks = (f"{spice} {number}" if number > 1 else spice for spice, number in numbers.items())
        return f"{extra}harvest " + ", ".join(sacks)
    return ""
