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
from pbem.archive import decided
from pbem.i18n import words
from pbem.models import Game, SeatRow, stored_id
from pbem.play import positions
from pbem.service import Service
from pbem.tables import lobby, solo, tutorial
from tests.engine.play_outs import play_out
from tests.support import tables
from tests.support.at_table import order, play_on

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
    """A lesson in which the teacher has moved, after the learner's first step if it takes one."""
    now = service.clock.now()
    ana = tables.person(session, "Ana", now)
    game = solo.start_tutorial(session, person=ana, game_key=key, now=now)
    session.commit()
    seat = lobby.chair_of(session, stored_id(game), ana.id)
    assert seat is not None
    if all(entry.cause != "bot" for entry in positions.entries(session, game, 1, game.last_entry)):
        follow(service, session, game)
        session.refresh(seat)
    return game, seat


def follow(service: Service, session: Session, game: Game) -> tutorial.HouseMove:
    """Play what the house would play at the learner's seat."""
    shown = tutorial.house_move(positions.table(session, game), 0, ("Ana", "Steady 1"), "en")
    assert shown is not None
    order(service, session, game, 0, shown.line)
    session.refresh(game)
    return shown


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




# ---- the prepared beginning ----------------------------------------------------------------------


def step_of(session: Session, game: Game, language: str = "en") -> tutorial.PreparedStep | None:
    """The step that the learner of a lesson is at."""
    seat = tables.seat(session, game, 0)
    table = positions.table(session, game)
    view = table.rules.observation(table.state, 0)
    return tutorial.prepared(session, game, seat, view.question, language)


@every_game
def test_who_follows_the_house_sees_each_prepared_step_once_then_plays_freely(
    service: Service, session: Session, key: str
) -> None:
    ana = tables.person(session, "Ana", service.clock.now())
    game = solo.start_tutorial(session, person=ana, game_key=key, now=service.clock.now())
    session.commit()
    seen = []
    while (step := step_of(session, game)) is not None:
        seen.append(step.number)
        follow(service, session, game)

    assert seen == list(range(1, len(tutorial.texts(key, "en")["steps"]) + 1))
    assert 8 <= len(seen) <= 10


def test_who_leaves_the_prepared_way_is_shown_no_step_that_does_not_fit(
    service: Service, session: Session
) -> None:
    ana = tables.person(session, "Ana", service.clock.now())
    game = solo.start_tutorial(session, person=ana, game_key="goa", now=service.clock.now())
    session.commit()
    for _step in range(4):
        follow(service, session, game)

    order(service, session, game, 0, "taxes")
    session.refresh(game)

    assert step_of(session, game) is None


@every_game
def test_the_house_tells_of_its_choice_in_words_and_why(
    service: Service, session: Session, key: str
) -> None:
    game, _seat = begun(service, session, key)

    shown = tutorial.house_move(positions.table(session, game), 0, ("Ana", "Steady 1"), "hu")

    assert shown is not None
    assert shown.labels
    assert all(hint.text and hint.rules for hint in shown.why)


def test_giving_a_decision_away_is_a_waste_only_where_the_house_would_use_it(
    service: Service, session: Session
) -> None:
    ana = tables.person(session, "Ana", service.clock.now())
    game = solo.start_tutorial(
        session, person=ana, game_key="vasco-da-gama", now=service.clock.now())
    session.commit()
    for _step in range(4):
        follow(service, session, game)
    table = positions.table(session, game)

    assert tutorial.wasted(table, 0, "give up")
    assert not tutorial.wasted(table, 0, "recruit captain")
    assert not tutorial.wasted(table, 1, "give up")


# ---- the end -------------------------------------------------------------------------------------


@every_game
@every_language
def test_three_sentences_say_what_decided_a_game(
    service: Service, session: Session, key: str, language: str
) -> None:
    game = tables.started_game(session, service.clock.now(), ["Ana", "Bento"], game_key=key)
    play_on(service, session, game, lambda state: False)
    seats = [tables.seat(session, game, number) for number in range(2)]
    winner, other = sorted(seats, key=lambda seat: seat.place or 0)

    said = decided.sentences(
        session, game, [seat.place or 0 for seat in seats], ["Ana", "Bento"], language)

    assert len(said) == 3
    assert winner.name in said[0]
    assert str((winner.points or 0) - (other.points or 0)) in said[0]
    assert not any("%(" in text for text in said)
