"""A few of the games of `make pace`: people are asked little, and write no more than they would."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from engine import codec, orders_ahead, registry
from engine.chance import Stream
from tests.tools.pace import report, table

GOALS = {"goa": 0.40, "vasco-da-gama": 0.60}


@pytest.mark.parametrize("key", GOALS)
def test_people_are_asked_little_and_write_little(key, monkeypatch):
    written: Counter[tuple[str, int]] = Counter()
    before = table.leave

    def leave(at, person, *rest):
        lines = at.lines
        before(at, person, *rest)
        if at.lines > lines:
            written[f"{at.seed}-{rest[-1]}", at.game.chapter(rest[1])[0]] += 1

    monkeypatch.setattr(table, "leave", leave)
    found = [report.cost(key, 1)]

    assert report.figures(found)["ratio"] <= GOALS[key] + 0.06  # one game alone says little
    assert max(written.values()) <= table.MOST_LINES
    assert all(each.naive > each.without > each.hand_overs for each in found)


@pytest.mark.parametrize("key", GOALS)
def test_a_person_writes_by_what_its_seat_sees(key):
    """In a re-dealt game, which it could not tell from the real one, it writes the same."""
    game, person = registry.game(key), report.PEOPLE[key]
    history = opening(game, 120)
    wrote = 0
    for entries in range(20, len(history), 9):
        real = history[entries - 1].state
        (seat, *_) = game.current_players(real)
        dealt, differing = game.redealt(history[:entries], seat, Stream(b"again", "1"))
        other = dealt[-1].state

        assert differing
        assert codec.encode(other) != codec.encode(real)
        assert person.answers(game, real, seat) == person.answers(game, other, seat)
        ahead = person.later(game, real, real, seat)
        assert ahead == person.later(game, other, other, seat)
        wrote += bool(ahead)
    assert wrote


def opening(game, entries):
    """So many entries of a game that such people play by hand."""
    history = [game.new_initial_state(4, {}, Stream(b"pace", "0"))]
    while len(history) < entries:
        state = history[-1].state
        seat = game.current_players(state)[0]
        move = next(table.chosen(game, state, seat))
        history.append(game.apply_action(state, seat, move, Stream(b"pace", str(len(history)))))
    return history


def test_every_order_that_people_leave_reads_back_as_it_is_written():
    game = registry.game("goa")
    for turn in opening(game, 60):
        for seat in game.current_players(turn.state):
            for line in report.PEOPLE["goa"].later(game, turn.state, turn.state, seat):
                read = orders_ahead.read(game, line, turn.state, seat, {})
                again = orders_ahead.text(game, read)
                assert orders_ahead.reread(game, again, turn.state, seat) == read


def test_the_last_line_is_what_others_read(capsys):
    report.main(["--games", "1", "--processes", "1"])

    summed = json.loads(capsys.readouterr().out.splitlines()[-1])

    assert set(summed) == set(GOALS)
    assert all(set(each) == {"naive", "hand_overs", "ratio"} for each in summed.values())
