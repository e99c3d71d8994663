"""What every game promises about its lessons: all is explained, and nothing hidden is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from engine import codec
from engine.chance import Forbidden
from engine.errors import MoveRefused
from tests.engine.play_outs import PlayOut, spread


def test_every_question_is_explained_to_who_is_asked(played: PlayOut) -> None:
    for state, seat in played.questions():
        view = played.game.observation(state, seat)
        lessons = played.game.lessons_of_question(view, seat)
        assert lessons, type(view.question).__name__
        assert all(one.rules for one in lessons)


def test_every_kind_of_move_has_a_reason(played: PlayOut) -> None:
    explained = {
        type(step.move)
        for step in played.steps if step.seat is not None
        if played.game.lessons_of_move(
            played.game.observation(step.before, None), step.seat, step.move)
    }
    made = {type(step.move) for step in played.steps if step.seat is not None}
    assert explained == made
    assert made <= set(get_args(played.game.move_type))


def test_reasons_do_not_tell_apart_what_the_log_does_not_tell_apart(played: PlayOut) -> None:
    """Two moves that look alike to a viewer are explained to them alike."""
    compared = 0
    for step in spread(played.steps, 40):
        if step.seat is None:
            continue
        viewer = (step.seat + 1) % played.seats
        view = played.game.observation(step.before, viewer)
        told: dict[bytes, bytes] = {}
        for seen, move in looks(played, step, viewer):
            lesson = codec.encode(
                [repr(one) for one in played.game.lessons_of_move(view, step.seat, move)])
            assert told.setdefault(seen, lesson) == lesson, move
            compared += 1
    assert compared > 40


def looks(played: PlayOut, step: Any, viewer: int) -> Iterator[tuple[bytes, Any]]:
    """The legal moves at a step, and how each would look to this viewer."""
    for move in spread(list(played.game.legal_actions(step.before, step.seat)), 60):
        try:
            preview = played.game.apply_action(step.before, step.seat, move, Forbidden())
        except MoveRefused:
            continue
        log = tuple(event.seen_by(viewer) for event in preview.events)
        yield codec.tag_of(type(move)).encode() + codec.encode(log), move
