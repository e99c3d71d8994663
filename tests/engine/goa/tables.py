"""Tables of Goa for tests: played from the set-up by the mildest moves."""

from engine.chance import Stream


def final_table(game, seats=3):
    """A finished game in which every seat answers with its first legal move."""
    chance = Stream(b"final", "1")
    table = game.new_initial_state(seats, {}, chance).state
    while not game.is_terminal(table):
        (seat,) = game.current_players(table)
        move = next(game.answers(table, seat))
        table = game.apply_action(table, seat, move, chance).state
    return table
