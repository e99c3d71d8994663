"""Players of our own play whole games and know no more than a person at their seat."""

import pytest

from engine import bots, codec, play, registry
from engine.chance import Stream

GAME = registry.game("vasco-da-gama")


def opening(seed, seats=4):
    return play.start(GAME, seats, {}, Stream(b"opening", seed)).state


def played_out(seated, seed):
    """The standings of a whole game between these bots."""
    chance = Stream(b"bots", seed)
    state = play.start(GAME, len(seated), {}, chance).state
    while not GAME.is_terminal(state):
        forced = play.forced(GAME, state)
        seat = forced[0] if forced else GAME.current_players(state)[0]
        moves = [forced[1]] if forced else bots.choose(GAME, state, seat, seated[seat], chance)
        for move in moves:
            state = play.move(GAME, state, seat, move, chance).state
    return GAME.returns(state)


def test_steady_beats_three_random_players_from_every_seat():
    games = 40
    firsts = 0
    for game in range(games):
        seated = ["random"] * 4
        seated[game % 4] = "steady"
        firsts += played_out(seated, f"{game}")[game % 4].place == 1

    assert firsts >= 0.9 * games


@pytest.mark.parametrize("bot", ["random", "steady"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_bot_plays_whole_games_with_every_number_of_players(bot, seats):
    assert len(played_out([bot] * seats, f"{bot}{seats}")) == seats


@pytest.mark.parametrize("bot", sorted(bots.bots_of("vasco-da-gama")))
def test_the_same_chance_leads_to_the_same_choice(bot):
    state = opening("same")
    (seat,) = GAME.current_players(state)

    first, second = (
        bots.choose(GAME, state, seat, bot, Stream(b"whim", "1")) for _ in range(2)
    )

    assert first == second


def test_steady_chooses_alike_whatever_is_hidden():
    state = opening("hidden")
    other = state.copy()
    other.merchants = tuple(reversed(state.merchants))
    other.tiles = tuple(reversed(state.tiles))
    other.decks = tuple((*deck[:1], *reversed(deck[1:])) for deck in state.decks)
    (seat,) = GAME.current_players(state)

    assert other != state
    assert bots.choose(GAME, other, seat, "steady", Stream(b"", "")) == bots.choose(
        GAME, state, seat, "steady", Stream(b"", "")
    )


def test_a_launch_in_front_of_an_expedition_is_part_of_the_turn():
    """Some turn of a game of steady players is a launch and then ships that sail."""
    chance = Stream(b"launches", "1")
    state = play.start(GAME, 4, {}, chance).state
    turns = []
    while not GAME.is_terminal(state):
        seat = GAME.current_players(state)[0]
        moves = bots.choose(GAME, state, seat, "steady", chance)
        turns.append([codec.tag_of(type(move)) for move in moves])
        for move in moves:
            state = play.move(GAME, state, seat, move, chance).state

    assert ["Launch", "Send"] in turns
