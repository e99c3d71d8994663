"""What every game promises (engine/api.py), tried on whole games of seeded random play.

A new game in `engine.registry.GAMES` is tried by all of this without a line of its own.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import codec, registry
from engine.api import Event, Game, Move
from engine.chance import Forbidden
from engine.errors import GameOver, MoveRefused, NotYourTurn, UnsettledOrder
from engine.journal import fold
from engine.notation import LONGEST_LINE
from pbem.games.verify import verify
from tests.engine.play_outs import (
    MOST_ENTRIES,
    SEEDS,
    Choose,
    PlayOut,
    kinds_of_known,
    known_moves,
    of_any_class,
    other_moves,
    play_out,
    played_on,
    stream,
    tables,
)

STORED = sorted((Path(__file__).parent / "stored").glob("*.jsonl"))
MOST_HANDS = 400  # positions that a seat's free moves lead to, looked through for one question


@pytest.fixture(params=tables(), ids=lambda table: "{}-{}-{}".format(*table))
def played(request: pytest.FixtureRequest) -> PlayOut:
    """A whole game."""
    return play_out(*request.param)


@pytest.fixture(params=registry.GAMES)
def key(request: pytest.FixtureRequest) -> str:
    """A game."""
    return str(request.param)


def play_outs_of(key: str) -> Iterator[PlayOut]:
    """All play-outs of a game."""
    return (play_out(*table) for table in tables() if table[0] == key)


def spread(row: list[Any], number: int) -> list[Any]:
    """So many of the row, from the first to the last at even distances."""
    return row if len(row) <= number else [
        row[place * (len(row) - 1) // (number - 1)] for place in range(number)
    ]


# ---- the play-outs themselves ------------------------------------------------------------------


def test_random_play_makes_moves_of_every_class(key: str) -> None:
    """Or the tests below would leave some out."""
    made = {type(step.move) for played in play_outs_of(key) for step in played.steps}

    assert made - {type(None)} == set(get_args(registry.game(key).move_type))


# ---- legal is accepted, and nothing else is ----------------------------------------------------


def test_every_legal_move_is_accepted_and_no_other(played: PlayOut) -> None:
    game, dice = played.game, random.Random(7)
    for state in played.states:
        for seat in range(played.seats):
            legal = list(game.legal_actions(state, seat))
            offered = set(legal)
            assert len(offered) == len(legal)
            for move in legal:
                assert is_accepted(game, state, seat, move), move
            for move in other_moves(game, legal, dice):
                assert is_accepted(game, state, seat, move) == (move in offered), move


def is_accepted(game: Game, state: Any, seat: int, move: Any) -> bool:
    """Whether the move is played; a refusal says by which rule."""
    try:
        game.apply_action(state, seat, move, stream(0, 0))
    except MoveRefused as refused:
        assert refused.key and refused.rule
        return False
    return True


def test_the_answers_come_first_and_the_free_moves_behind_them(played: PlayOut) -> None:
    for state in played.states:
        asked = played.game.current_players(state)
        for seat in range(played.seats):
            answers = list(played.game.answers(state, seat))
            legal = list(played.game.legal_actions(state, seat))
            assert legal[: len(answers)] == answers
            assert all(move.free for move in legal[len(answers) :])
            assert bool(answers) == (seat in asked)


def test_a_seat_that_is_not_asked_is_told_that_it_is_not_its_turn(played: PlayOut) -> None:
    for state in spread(played.states[:-1], 12):
        asked = played.game.current_players(state)
        answer = next(move for move in played.game.answers(state, asked[0]) if not move.free)
        for seat in set(range(-1, played.seats + 1)) - set(asked):
            with pytest.raises(NotYourTurn):
                played.game.apply_action(state, seat, answer, stream(0, 0))


def test_a_finished_game_accepts_nothing(played: PlayOut) -> None:
    state = played.states[-1]
    for seat in range(played.seats):
        assert list(played.game.legal_actions(state, seat)) == []
        for move in spread(list(known_moves(played.game.key)), 50):
            with pytest.raises(GameOver):
                played.game.apply_action(state, seat, move, stream(0, 0))


# ---- facts are all there is --------------------------------------------------------------------


def test_folding_the_events_gives_the_state_at_every_entry(played: PlayOut) -> None:
    empty = played.game.empty_table(played.seats, {})
    state = empty
    for step in played.steps:
        state = fold(state, step.turn.events)
        assert codec.encode(state) == codec.encode(step.turn.state)


def test_a_preview_stops_in_front_of_what_is_hidden(played: PlayOut) -> None:
    """What it tells are the facts of the real turn, and nothing that chance decides."""
    for step in played.steps[1:]:
        preview = played.game.apply_action(step.before, step.seat or 0, step.move, Forbidden())
        told, whole = preview.events, step.turn.events
        assert told == whole[: len(told)]
        assert not any(event.reveals for event in told)
        assert preview.stopped == any(event.reveals for event in whole)
        if not preview.stopped:
            assert codec.encode(preview.state) == codec.encode(step.turn.state)


def test_looking_and_being_refused_change_nothing(played: PlayOut) -> None:
    game, dice = played.game, random.Random(11)
    for state in spread(played.states, 40):
        before = codec.encode(state)
        for seat in range(played.seats):
            legal = list(game.legal_actions(state, seat))
            for move in other_moves(game, legal, dice):
                is_accepted(game, state, seat, move)
            for move in legal[:5]:
                game.to_text(move)
                game.apply_action(state, seat, move, stream(0, 0))
                game.apply_action(state, seat, move, Forbidden())
            look(game, state, seat)
            assert codec.encode(state) == before


def look(game: Game, state: Any, seat: int) -> None:
    """Everything that only reads."""
    game.observation(state, seat)
    game.observation(state, None)
    game.chapter(state)
    game.totals(state)
    game.is_forced(state, seat)
    if seat in game.current_players(state):
        game.default_action(state, seat)
    if game.is_terminal(state):
        game.returns(state)


def test_the_same_chance_gives_the_same_game(played: PlayOut) -> None:
    for number, step in enumerate(played.steps[1:], start=1):
        again = played.game.apply_action(step.before, step.seat or 0, step.move,
                                         stream(seed_of(played), number))
        assert codec.encode(again.events) == codec.encode(step.turn.events)


def seed_of(played: PlayOut) -> int:
    """The seed that gave this play-out."""
    return next(seed for seed in SEEDS if play_out(played.game.key, played.seats, seed) is played)


# ---- the game goes on, and ends ----------------------------------------------------------------


def test_somebody_can_answer_until_the_game_is_over(played: PlayOut) -> None:
    for state in played.states:
        asked = played.game.current_players(state)
        assert bool(asked) != played.game.is_terminal(state)
        assert len(set(asked)) == len(asked)
        assert set(asked) <= set(range(played.seats))
        for seat in asked:
            assert next(played.game.answers(state, seat), None) is not None
        assert (() if state.awaiting is None else state.awaiting.seats) == tuple(asked)


def test_the_result_ranks_every_seat_by_points_from_all_sources(played: PlayOut) -> None:
    result = played.game.returns(played.states[-1])

    assert [standing.seat for standing in result] == list(range(played.seats))
    assert min(standing.place for standing in result) == 1
    for standing in result:
        assert standing.points == sum(standing.by_source.values())
        better = [each for each in result if each.points > standing.points]
        assert all(each.place < standing.place for each in better)


def test_a_forced_move_is_the_only_one_whatever_the_seat_does_first(played: PlayOut) -> None:
    """After any of its own free moves, in any order: found by search."""
    for state, seat in played.questions():
        if played.game.is_forced(state, seat):
            only = list(islice(played.game.answers(state, seat), 2))
            assert len(only) == 1
            for later in after_free_moves(played.game, state, seat):
                assert list(islice(played.game.answers(later, seat), 2)) == only


def after_free_moves(game: Game, state: Any, seat: int) -> Iterator[Any]:
    """Every position that the seat's own free moves lead to while the same question is open."""
    seen, waiting = {codec.encode(state)}, [state]
    while waiting and len(seen) < MOST_HANDS:
        here = waiting.pop()
        for move in game.legal_actions(here, seat):
            if not move.free:
                continue
            later = game.apply_action(here, seat, move, stream(0, 0)).state
            form = codec.encode(later)
            if form not in seen and seat in game.current_players(later):
                seen.add(form)
                waiting.append(later)
                yield later


def test_some_moves_are_forced_and_some_are_not_although_there_is_but_one(key: str) -> None:
    """Or the test above would try nothing."""
    single = [
        played.game.is_forced(state, seat)
        for played in play_outs_of(key) for state, seat in played.questions()
        if len(list(islice(played.game.answers(state, seat), 2))) == 1
    ]  # fmt: skip

    assert set(single) == {True, False}


def test_a_single_answer_is_forced_unless_something_unseen_or_free_could_change_it(
    played: PlayOut,
) -> None:
    """A seat is not asked for nothing: here where it hides nothing from a spectator."""
    game = played.game
    for number, (state, seat) in enumerate(played.questions()):
        if len(list(islice(game.answers(state, seat), 2))) != 1 or game.is_forced(state, seat):
            continue
        if hides_nothing(game, state, seat):
            assert any(
                len(list(islice(game.answers(later, seat), 2))) > 1
                for later in after_free_moves(game, state, seat)
            ), number


def hides_nothing(game: Game, state: Any, seat: int) -> bool:
    """Whether a spectator sees all that the seat sees."""
    return contents(game.observation(state, seat)) == contents(game.observation(state, None))


def contents(view: Any) -> bytes:
    """A view without its reader."""
    return codec.encode(codec.decode(codec.encode(view), dict) | {"viewer": None})


def test_the_mildest_answer_is_one_of_the_answers(played: PlayOut) -> None:
    for state, seat in played.questions():
        assert played.game.default_action(state, seat) in set(played.game.answers(state, seat))


def test_from_any_state_any_seat_may_be_dropped_and_the_game_still_ends(played: PlayOut) -> None:
    """A dropped seat answers by the mildest answer; all seats at once may be dropped too."""
    for number, state in enumerate(spread(played.states[:-1], 8)):
        for gone in ({number % played.seats}, set(range(played.seats))):
            ending = list(
                played_on(played.game, state, played.seats, number, mildest_of(gone))
            )
            assert len(ending) < MOST_ENTRIES
            assert played.game.is_terminal(ending[-1].turn.state)


def mildest_of(gone: set[int]) -> Choose:
    """How play goes on when these seats are absent: only the others draw their moves."""

    def choose(game: Game, state: Any, seats: int, dice: random.Random) -> tuple[int, Any]:
        asked = game.current_players(state)
        absent = [seat for seat in asked if seat in gone]
        if absent:
            return absent[0], game.default_action(state, absent[0])
        seat = dice.choice(asked)
        return seat, of_any_class(list(game.legal_actions(state, seat)), dice)

    return choose


# ---- stored and written forms ------------------------------------------------------------------


def test_moves_events_and_states_survive_being_stored(played: PlayOut) -> None:
    game = played.game
    for step in played.steps:
        stored = codec.encode(step.turn.state)
        assert codec.encode(codec.decode(stored, game.state_type)) == stored
        assert codec.decode(stored, game.state_type) == step.turn.state
        for event in step.turn.events:
            assert codec.decode(codec.encode(event), game.event_type) == event
    for move in known_moves(game.key):
        assert codec.decode(codec.encode(move), game.move_type) == move


def test_a_legal_move_is_read_back_from_its_order(played: PlayOut) -> None:
    game = played.game
    for state in spread(played.states, 30):
        for seat in range(played.seats):
            lines = set()
            legal = list(game.legal_actions(state, seat))
            for move in spread(legal, 40):
                line = game.to_text(move)
                assert len(line) <= LONGEST_LINE
                assert game.from_text(line, state, seat, {}) == [move], line
                assert game.from_text(f"  {line.upper()} . ", state, seat, {}) == [move], line
                lines.add(line)
            assert len(lines) == len(spread(legal, 40))


def test_an_order_that_was_read_once_is_written_in_its_final_form(key: str) -> None:
    """Also where it means something else than where it was legal."""
    game = registry.game(key)
    state = play_out(key, game.seats[-1], SEEDS[0]).states[1]
    for move in known_moves(key):
        try:
            read = game.from_text(game.to_text(move), state, 0, {})
        except UnsettledOrder:
            continue  # it names what does not lie on this table
        written = [game.to_text(each) for each in read]
        assert [game.from_text(line, state, 0, {}) for line in written] == [[each] for each in read]


@given(data=st.data())
@settings(max_examples=300, deadline=None, derandomize=True, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_written_is_read_or_refused(key: str, data: st.DataObject) -> None:
    """Words of real orders in any order, torn apart, with anything between them."""
    played = play_out(key, registry.game(key).seats[-1], SEEDS[0])
    game = played.game
    state = data.draw(st.sampled_from(spread(played.states, 20)))
    line = data.draw(written(words_of(key), lines_of(key)) | st.text(max_size=60))
    for seat in range(played.seats):
        read_or_refused(game, state, seat, line)


def test_an_order_with_something_odd_in_it_is_read_or_refused(key: str) -> None:
    """At every place of an order of every kind."""
    played = play_out(key, registry.game(key).seats[-1], SEEDS[0])
    state = played.states[len(played.states) // 2]
    for moves in kinds_of_known(key).values():
        line = played.game.to_text(moves[len(moves) // 2])
        for place in range(len(parts_of(line))):
            for odd in ODD:
                read_or_refused(played.game, state, 0, with_other_word(line, place, odd))


def read_or_refused(game: Game, state: Any, seat: int, line: str) -> None:
    """What is read can be stored, and tried."""
    try:
        read = game.from_text(line, state, seat, {"nonsense": "done", "": "bag"})
    except MoveRefused as refused:
        assert refused.key and refused.rule
        return
    for move in read:
        assert isinstance(move, Move)
        assert codec.decode(codec.encode(move), game.move_type) == move
        is_accepted(game, state, seat, move)


ODD = ("", ">", "->", ":", ",", ".", ";", "\x00", "0", "-1", "99999", "9" * 250, "١", "²", "İ")


def written(words: tuple[str, ...], lines: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Lines that look like orders: words in any order, or an order with another word in it."""
    word = st.sampled_from(words) | st.sampled_from(ODD) | st.text(max_size=3)
    jumble = st.builds(
        lambda parts, between: between.join(parts),
        st.lists(word, max_size=9),
        st.sampled_from([" ", "", "  ", "\t", ", "]),
    )
    return jumble | st.builds(with_other_word, st.sampled_from(lines), st.integers(0, 9), word)


def with_other_word(line: str, place: int, other: str) -> str:
    """The order with one of its words, numbers or signs replaced."""
    parts = parts_of(line)
    parts[place % len(parts)] = other
    return "".join(parts)


def parts_of(line: str) -> list[str]:
    """The words, numbers, signs and spaces of an order."""
    return re.findall(r"\s+|[:,>]|[^\s:,>]+", line)


@cache
def lines_of(key: str) -> tuple[str, ...]:
    """Orders of every kind, in a fixed order."""
    game = registry.game(key)
    kinds = kinds_of_known(key).values()
    return tuple(game.to_text(move) for moves in kinds for move in spread(list(moves), 8))


@cache
def words_of(key: str) -> tuple[str, ...]:
    """The words and signs of real orders."""
    found = {word for line in lines_of(key) for word in re.findall(r"[\w-]+|[^\w\s]", line)}
    return tuple(sorted(found))


def test_tags_and_ids_are_unique(key: str) -> None:
    """Two classes of one tag could not be told apart once they are stored."""
    game = registry.game(key)
    for union in (game.move_type, game.event_type):
        tags = [kind.__struct_config__.tag for kind in get_args(union)]
        assert all(tags)
        assert len(set(tags)) == len(tags)
    ids = [kind.key for kind in map(registry.game, registry.GAMES)]
    assert len(set(ids)) == len(ids)


# ---- goods -------------------------------------------------------------------------------------


def test_no_goods_are_made_of_nothing(played: PlayOut) -> None:
    """Some kinds leave the game; no kind grows or is forgotten (each game says which stay)."""
    totals = dict(played.game.totals(played.states[0]))
    assert totals and all(count >= 0 for count in totals.values())
    for state in played.states[1:]:
        now = dict(played.game.totals(state))
        assert now.keys() == totals.keys()
        for goods, count in now.items():
            assert 0 <= count <= totals[goods], goods
        totals = now


# ---- nothing leaks -----------------------------------------------------------------------------


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
    found = list(played.game.legal_actions(state, seat))
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


def test_the_question_is_the_same_for_everybody(played: PlayOut) -> None:
    """It holds no secret, so every view shows it as it is."""
    for state in spread(played.states, 20):
        for viewer in (None, *range(played.seats)):
            view = played.game.observation(state, viewer)
            assert view.question == state.awaiting
            assert view.viewer == viewer


# ---- stored games ------------------------------------------------------------------------------


def test_there_are_stored_games_of_every_game() -> None:
    """The ruleset's promise needs something to hold."""
    games = {path.name.split("-of-")[0] for path in STORED}

    assert games == set(registry.GAMES)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_stored_game_still_replays(path: Path) -> None:
    """By its rules, chance drawn again; a rule that changes it needs a new ruleset's name."""
    with path.open("rb") as record:
        verdict = verify(record)

    assert verdict.ok, f"{verdict.at}: {verdict.reason}"
    assert verdict.finished
    assert verdict.redrawn


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_stored_game_was_played_by_the_present_rules_or_names_its_own(path: Path) -> None:
    """One that was played by the present ruleset is re-run; at least one a game must be."""
    key = path.name.split("-of-")[0]
    header = path.read_text("utf-8").splitlines()[0]
    if len([each for each in STORED if each.name.startswith(key)]) == 1:
        assert f'"ruleset":"{registry.game(key).ruleset}"' in header
    assert f'"game":"{key}"' in header


# ---- rules and their words ---------------------------------------------------------------------

RULE = r"\b[A-Z]{2}-\d+\.\d+\b"
NO_RULES = {"view.py", "orders.py", "bots.py", "moves.py", "events.py", "state.py"}


def package_of(key: str) -> Path:
    """The folder of a game's rules."""
    module = import_module(f"engine.{key.replace('-', '_')}")
    return Path(str(module.__file__)).parent


def rules_of(key: str) -> list[str]:
    """The ids of all numbered rules, as RULES.md lists them."""
    text = (package_of(key) / "RULES.md").read_text("utf-8")
    return re.findall(rf"^- \*\*({RULE})\*\* \S", text, re.M)


def cited(paths: Iterable[Path], prefix: str = "") -> set[str]:
    """The rule ids in the docstrings of functions, and of tests of functions named so."""
    found: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith(prefix):
                found |= set(re.findall(RULE, ast.get_docstring(node) or ""))
    return found


def test_every_rule_is_cited_by_a_function_that_carries_it_out(key: str) -> None:
    modules = [path for path in package_of(key).glob("*.py") if path.name not in NO_RULES]

    assert rules_of(key)
    assert not set(rules_of(key)) - cited(modules)


def test_every_rule_is_cited_by_a_test(key: str) -> None:
    tests = (Path(__file__).parent / package_of(key).name).glob("test_*.py")

    assert not set(rules_of(key)) - cited(tests, prefix="test_")


def test_no_rule_is_cited_that_does_not_exist(key: str) -> None:
    """In docstrings, in facts and in refusals; nor is one written down twice."""
    rules = rules_of(key)
    texts = [path.read_text("utf-8") for path in package_of(key).glob("*.py")]
    prefix = rules[0].split("-")[0]
    named = {rule for text in texts for rule in re.findall(RULE, text) if rule.startswith(prefix)}

    assert not named - set(rules)
    assert len(set(rules)) == len(rules)


def test_every_fact_and_question_names_a_rule_that_exists(key: str) -> None:
    """The log shows it; what puts a question has the question's own."""
    rules = set(rules_of(key))
    kinds = {type(event): event for played in play_outs_of(key)
             for step in played.steps for event in step.turn.events}
    questions = {state.awaiting for played in play_outs_of(key) for state in played.states}

    for kind in kinds:
        assert kind.rule in rules or kind.__name__ == "NowAwaiting", kind
    assert {question.rule for question in questions - {None}} <= rules
