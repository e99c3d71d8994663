"""What every game promises about hidden things: nobody can tell a re-dealt game from the real one.

Pages and letters are tried in tests/web/test_nothing_leaks.py.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from engine import codec
from engine.api import Event
from engine.chance import Forbidden
from engine.errors import MoveRefused
from tests.engine.play_outs import PlayOut, other_moves, spread, stream


@pytest.mark.parametrize("part", [0.0, 0.1, 0.35, 0.7])
def test_nobody_can_tell_a_redealt_game_from_the_real_one(played: PlayOut, part: float) -> None:
    """Observation, log, own legal moves, forcedness and previews, at every entry."""
    history = played.turns[: 1 + int(part * (len(played.steps) - 1))]
    for viewer in (None, *range(played.seats)):
        dealt, differing = played.game.redealt(history, viewer, stream(99, len(history)))
        assert differing > 0
        assert codec.encode(dealt[-1].state) != codec.encode(history[-1].state)
        for number, (real, other) in enumerate(zip(history, dealt, strict=True)):
            assert log(real.events, viewer) == log(other.events, viewer), number
            real_view = codec.encode(played.game.observation(real.state, viewer))
            assert real_view == codec.encode(played.game.observation(other.state, viewer)), number
            assert conduct(played, real.state) == conduct(played, other.state), number
            if viewer is not None:
                assert offers(played, real.state, viewer) == offers(played, other.state, viewer)
        assert previews(played, history[-1].state, viewer) == previews(
            played, dealt[-1].state, viewer
        )


def log(events: Iterable[Event], viewer: int | None) -> bytes:
    """The facts as this viewer may read them."""
    return codec.encode(tuple(event.seen_by(viewer) for event in events))


def conduct(played: PlayOut, state: Any) -> list[tuple[int, bool]]:
    """Whom the service asks, and whom it answers for: everybody sees it."""
    return [
        (seat, played.game.is_forced(state, seat)) for seat in played.game.current_players(state)
    ]


def offers(played: PlayOut, state: Any, seat: int) -> list[Any]:
    """What the seat is told that it can do."""
    found: list[Any] = [*played.game.legal_actions(state, seat), played.game.form(state, seat)]
    if seat in played.game.current_players(state):
        found.append(played.game.default_action(state, seat))
    return found


def previews(played: PlayOut, state: Any, viewer: int | None) -> list[Any]:
    """What trying things out tells, refusals included."""
    if viewer is None:
        return []
    game, dice, told = played.game, random.Random(3), list[Any]()
    legal = list(game.legal_actions(state, viewer))
    for move in spread(legal, 20) + other_moves(game, legal, dice):
        try:
            preview = game.apply_action(state, viewer, move, Forbidden())
        except MoveRefused as refused:
            told.append(str(refused))
        else:
            view = codec.encode(game.observation(preview.state, viewer))
            told.append((log(preview.events, viewer), preview.stopped, view))
    return told


def test_what_a_viewer_sees_twice_is_what_he_saw(played: PlayOut) -> None:
    """A page filters a fact once, a letter perhaps once more: nothing comes back or goes."""
    for step in played.steps:
        for event in step.turn.events:
            for viewer in (None, *range(played.seats)):
                seen = event.seen_by(viewer)
                assert type(seen) is type(event)
                assert seen.seen_by(viewer) == seen


def test_a_seat_is_seen_alone_as_it_is_seen_at_the_table(played: PlayOut) -> None:
    game = played.game
    for state in spread(played.states, 12):
        for viewer in (None, *range(played.seats)):
            players = game.observation(state, viewer).players
            assert [game.seat_view(state, seat, viewer)
                    for seat in range(played.seats)] == list(players)


def test_the_question_is_the_same_for_everybody(played: PlayOut) -> None:
    """It holds no secret, so every view shows it as it is."""
    for state in spread(played.states, 20):
        for viewer in (None, *range(played.seats)):
            view = played.game.observation(state, viewer)
            assert view.question == state.awaiting
            assert view.viewer == viewer
