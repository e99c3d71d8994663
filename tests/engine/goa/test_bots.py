"""`steady` plays whole games of Goa and knows no more than a person at its seat."""

import os

import pytest

from engine import bots, play
from engine.chance import Stream
from engine.goa import Goa, moves
from engine.goa.component_sets import STANDARD, read
from engine.goa.state import ACTIONS, AUCTIONS, AwaitBid, AwaitTurnAction, Marker, TurnSoFar

GAME = Goa(read(STANDARD.read_text("utf-8")))
GAMES = 20 if os.environ.get("SOAK") else 8  # against three random players; always the same ones
OPTIONS = ({}, {"quick_start": True}, {"hand_limit": "expedition_only"})


def opening(seed="opening", seats=4, **options):
    return play.start(GAME, seats, options, Stream(b"opening", seed)).state


def turns(seated, seed, options):
    """Seat and moves of every turn of a whole game between these bots, and at last its end."""
    chance = Stream(b"bots", seed)
    state = play.start(GAME, len(seated), options, chance).state
    while not GAME.is_terminal(state):
        forced = play.forced(GAME, state)
        seat = forced[0] if forced else GAME.current_players(state)[0]
        said = [forced[1]] if forced else bots.choose(GAME, state, seat, seated[seat], chance)
        for move in said:
            state = play.move(GAME, state, seat, move, chance).state
        yield seat, said, state


def standings(seated, seed, options):
    *_, (_, _, end) = turns(seated, seed, options)
    return GAME.returns(end)


def test_steady_beats_three_random_players_from_every_seat():
    firsts = 0
    for game in range(GAMES):
        seated = ["random"] * 4
        seated[game % 4] = "steady"
        firsts += standings(seated, f"{game}", {})[game % 4].place == 1

    assert firsts >= 0.9 * GAMES


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("bot", ["random", "steady"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_bot_plays_whole_games_with_every_number_of_players(bot, seats, options):
    assert len(standings([bot] * seats, f"{bot}{seats}", options)) == seats


@pytest.mark.parametrize("bot", sorted(bots.bots_of("goa")))
def test_the_same_chance_leads_to_the_same_choice(bot):
    state = opening()
    (seat,) = GAME.current_players(state)

    first, second = (bots.choose(GAME, state, seat, bot, Stream(b"whim", "1")) for _ in range(2))

    assert first == second


def test_steady_chooses_alike_whatever_is_hidden():
    """At every question of a game, with other purses, hands and decks around it."""
    for seat, said, state in turns(["steady"] * 3, "hidden", {}):
        if GAME.is_terminal(state):
            break
        (asked,) = GAME.current_players(state)
        other = state.copy()
        other.deck = tuple(reversed(state.deck))
        other.left_out = tuple(reversed(state.left_out))
        for each, player in enumerate(state.players):
            if each != asked:
                hand = state.deck[: len(player.hand)]
                other.change(each, ducats=player.ducats + 7, hand=tuple(sorted(hand)))
        chosen = [
            bots.choose(GAME, table, asked, "steady", Stream(b"", "")) for table in (state, other)
        ]
        assert chosen[0] == chosen[1], (seat, said)


def test_steady_bids_within_its_purse_and_passes_what_costs_more():
    for high in (0, 1, 60):
        state = opening()
        auction = AwaitBid(1, None, 1, (0, 1), high_bid=high, high_bidder=2 if high else None)
        state.markers = (Marker(1, 1, "north c"),)
        state.flag, state.phase, state.awaiting = "north c", AUCTIONS, auction
        state.change(0, ducats=high + 2)

        (move,) = bots.choose(GAME, state, 0, "steady", Stream(b"", ""))

        if high == 60:
            assert move == moves.Pass()
        else:
            assert high < move.ducats <= high + 2


def test_a_once_a_round_tile_is_used_before_the_action():
    state = opening()
    ship = next(tile.id for tile in GAME.components.by_id.values()
                if tile.kind == "once_a_round" and tile.gain.ships)
    state.change(0, tiles=(ship,))
    state.phase, state.turn, state.awaiting = ACTIONS, TurnSoFar(0, 1), AwaitTurnAction(0, 1)

    assert bots.choose(GAME, state, 0, "steady", Stream(b"", "")) == [moves.UseGoods("ship")]
