"""Lessons in words: four languages alike, every rule there is, and what the learner's page says."""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from sqlmodel import Session

from engine import bots, registry
from engine.chance import Stream
from pbem.i18n import words
from pbem.models import Game, SeatRow, stored_id
from pbem.play import positions
from pbem.service import Service
from pbem.tables import lobby, solo, tutorial
from tests.engine.play_outs import play_out
from tests.support import tables

every_game = pytest.mark.parametrize("key", registry.GAMES)
every_language = pytest.mark.parametrize("language", words.LANGUAGES)
KINDS_OF_RANDOM_PLAY = (2, 1)


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@every_game
@every_language
def test_lessons_have_the_same_sentences_and_figures_in_every_language(
    key: str, language: str
) -> None:
    english, other = tutorial.texts(key, "en"), tutorial.texts(key, language)
    for table in tutorial.TABLES:
        assert other[table].keys() == english[table].keys()
        for name, text in english[table].items():
            assert places(other[table][name]) == places(text), (table, name)
            assert other[table][name].strip()


@every_game
def test_lessons_cite_rules_that_there_are(key: str) -> None:
    path = words.GAMES / key / "rules" / "en.toml"
    rules = tomllib.loads(path.read_text(encoding="utf-8"))
    for _table, lesson in all_lessons(key):
        assert set(lesson.rules) <= rules.keys(), lesson


@every_game
@every_language
def test_every_lesson_of_a_game_can_be_said(key: str, language: str) -> None:
    rules, said = registry.game(key), set()
    for table, lesson in all_lessons(key):
        (told,) = tutorial.told(rules, table, [lesson], ("Ana", "Bento"), language)
        assert "{" not in told.text
        said.add((table, lesson.phrase.key))
    assert len(said) > 25


def all_lessons(key: str) -> Iterator[tuple[str, Any]]:
    """All that is said in play at random, where every kind of move comes up."""
    for seed in KINDS_OF_RANDOM_PLAY:
        played = play_out(key, 2, seed)
        for state, seat in played.questions():
            view = played.game.observation(state, seat)
            yield from (("asked", one) for one in played.game.lessons_of_question(view, seat))
        for step in played.steps:
            if step.seat is not None:
                view = played.game.observation(step.before, 1 - step.seat)
                told = played.game.lessons_of_move(view, step.seat, step.move)
                yield from (("moved", one) for one in told)


def test_at_the_last_action_no_more_are_announced() -> None:
    played = play_out("goa", 2, KINDS_OF_RANDOM_PLAY[0])
    texts, seen = {}, 0
    for state, seat in played.questions():
        view = played.game.observation(state, seat)
        for one in played.game.lessons_of_question(view, seat):
            if not one.phrase.key.startswith("action") or "number" not in one.phrase.values:
                continue
            (told,) = tutorial.told(played.game, "asked", [one], ("Ana", "Bento"), "en")
            texts[one.phrase.values["number"]] = told.text.partition(". One action")[0]
            seen += 1

    assert seen > len(texts)
    assert texts == {1: "Action 1 of this round; still to come: 2",
                     2: "Action 2 of this round; still to come: 1",
                     3: "Action 3 of this round, the last one"}


# ---- a learner's game ----------------------------------------------------------------------------


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


def begun(service: Service, session: Session, key: str) -> tuple[Game, SeatRow]:
    """A lesson in which the teacher has moved first: chance decides who begins."""
    now = service.clock.now()
    ana = tables.person(session, "Ana", now)
    game = solo.start_tutorial(session, person=ana, game_key=key, now=now)
    while all(
        entry.cause != "bot" for entry in positions.entries(session, game, 1, game.last_entry)
    ):
        game = solo.restart_tutorial(session, game_id=stored_id(game), person=ana, now=now)
    session.commit()
    seat = lobby.chair_of(session, stored_id(game), ana.id)
    assert seat is not None
    return game, seat


@every_game
def test_a_learner_is_told_what_is_asked_and_why_the_teacher_moved_so(
    service: Service, session: Session, key: str
) -> None:
    game, seat = begun(service, session, key)
    moved = tutorial.explained(session, game, seat, names=("Ana", "Steady 1"), language="en")
    rules = positions.rules_of(session, game)
    view = rules.observation(positions.position(session, game, game.last_entry), seat.number)
    asked = tutorial.asked(rules, view, seat.number or 0, names=("Ana", "Steady 1"), language="en")

    assert asked
    assert moved
    assert all(one.name == "Steady 1" and one.why for one in moved)
    assert all(told.text and told.rules for one in moved for told in one.why)


def test_who_is_not_asked_is_told_of_no_question(service: Service, session: Session) -> None:
    game, seat = begun(service, session, "goa")
    rules = positions.rules_of(session, game)
    view = rules.observation(positions.position(session, game, game.last_entry), 1)

    assert tutorial.asked(rules, view, 1, names=("Ana", "Steady 1"), language="en") == []
    assert seat.number == 0


def test_an_order_that_hides_something_is_not_written_out(
    service: Service, session: Session
) -> None:
    """In the log others read that cards were drawn; which were discarded for them stands there."""
    rules = registry.game("goa")
    turn = rules.new_initial_state(2, {}, Stream(b"k" * 32, "lesson"))
    whim, hidden = Stream(b"w" * 32, "whim"), 0
    for number in range(400):
        if rules.is_terminal(turn.state):
            break
        seat = rules.current_players(turn.state)[0]
        for move in bots.choose(rules, turn.state, seat, "random", whim):
            stream = Stream(b"s" * 32, str(number))
            turn = rules.apply_action(turn.state, seat, move, stream)
            if type(move).__name__ in ("Expedition", "DrawCards"):
                hidden += 1
                drew = any(event.seen_by(None) != event for event in turn.events)
                assert tutorial.is_open(entry_of(turn.events)) is not drew
    assert hidden


def entry_of(events: Any) -> Any:
    class Entry:
        pass

    made = Entry()
    made.events = events  # type: ignore[attr-defined]
    return made


