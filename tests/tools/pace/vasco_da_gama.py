"""How people write orders ahead in Vasco da Gama: discs to be placed, and called numbers."""

from __future__ import annotations

from typing import Any

from engine.api import GameRules, Seat
from engine.chance import Forbidden
from engine.vasco_da_gama import moves
from engine.vasco_da_gama.bots import WEIGHTS
from engine.vasco_da_gama.state import ACTIONS, PLACING, AwaitCalledAction, AwaitPlacement
from tests.tools.pace.table import chosen

PLACED_AHEAD = 2
NEXT_BEST = 3  # other numbers or actions that one names behind `else`
CALLED_AHEAD = 2


def is_put(game: GameRules, state: Any) -> bool:
    """Every question is one of the rules'."""
    return True


def answers(game: GameRules, state: Any, seat: Seat) -> list[str]:
    """A steady player's answer."""
    return [game.to_text(move) for move in chosen(game, state, seat)]


def later(game: Any, before: Any, state: Any, seat: Seat) -> list[str]:
    """Where one's next discs shall lie; what shall be done when the next ones are called."""
    if isinstance(before.awaiting, AwaitPlacement) and state.phase == PLACING:
        return placings(game, state, seat)
    if isinstance(before.awaiting, AwaitCalledAction) and state.phase == ACTIONS:
        return callings(game, state, seat)
    return []


def placings(game: Any, state: Any, seat: Seat) -> list[str]:
    """The next discs, each with the numbers behind it if the first one is taken."""
    lines = []
    table = state.copy()
    for _ in range(PLACED_AHEAD):
        if not game.observation(table, seat).players[seat].discs_to_place:
            break
        table.awaiting = AwaitPlacement(seat)
        (move,) = chosen(game, table, seat)
        lines.append(placing(game, table, seat, move))
        table = game.apply_action(table, seat, move, Forbidden()).state.copy()
        if table.phase != PLACING:
            break
    return lines


def placing(game: Any, table: Any, seat: Seat, move: moves.PlaceDisc) -> str:
    """`place 8 recruiting else 9 recruiting else ask`."""
    legal = {each for each in game.answers(table, seat) if each.area == move.area}
    behind = sorted(each.number for each in legal if each.number > move.number)[:NEXT_BEST]
    return " else ".join([game.to_text(move), *(f"{n} {move.area}" for n in behind), "ask"])


def callings(game: Any, state: Any, seat: Seat) -> list[str]:
    """What shall be done when one's next discs are called, with the next best."""
    lines: list[str] = []
    table = state.copy()
    called = getattr(state.awaiting, "number", 0)
    mine = [disc for disc in state.discs
            if disc.seat == seat and disc.status == "placed" and disc.number >= called]
    for disc in mine[:CALLED_AHEAD]:
        row = game.observation(table, seat).numbers
        number = next(each for each in row if each.number == disc.number)
        table.awaiting = AwaitCalledAction(seat, disc.number, disc.area, number.price, number.gain)
        while (isinstance(table.awaiting, AwaitCalledAction)
               and table.awaiting.number == disc.number):
            (move, *_) = chosen(game, table, seat)
            lines.append(f"at {disc.number}: {calling(game, table, seat, move)}")
            turn = game.apply_action(table, seat, move, Forbidden())
            if turn.stopped:
                return lines
            table = turn.state.copy()
    return lines


def calling(game: Any, table: Any, seat: Seat, move: Any) -> str:
    """The move, and what one would rather do than ask if it cannot be played."""
    if move.free or isinstance(move, moves.GiveUp):
        return str(game.to_text(move))
    view = game.observation(table, seat)
    me = view.players[seat]
    best = sorted(game.answers(table, seat), key=lambda m: -WEIGHTS[type(m)](view, me, m))
    others = [each for each in best if each != move][:1]
    return " else ".join([*(game.to_text(each) for each in (move, *others)), "ask"])
