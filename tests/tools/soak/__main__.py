"""`make soak`: many random games of each game, checked at every entry; the last line is JSON.

`python -m tests.tools.soak [--games 10000] [--leaks 20] [--game KEY] [--first SEED]`. A game is
one seed:
its number of players and its options follow from it, so that one that fails can be played again.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

from engine import codec, journal, registry
from engine.api import GameRules
from pbem.play.chance import commitment_of, secret_of, stream
from pbem.play.hash_chain import FIRST_PREVIOUS, body_of, entry_hash, state_hash
from pbem.record.file_format import FORMAT, Header, entry_line, header_line, result_line
from pbem.record.verify import verify
from tests.engine.declared import agree
from tests.engine.goa.form_filling import IN_TURN
from tests.engine.goa.form_lines import a_line, check
from tests.engine.play_outs import MOST_ENTRIES, Step, drawn_move

WORKERS = 2
AGREEING = 10  # in one game of so many, forms and orders are compared with the list of moves
FAULTS = ("dead_ends", "lost_goods", "unfolded", "leaks", "unverified", "disagreeing")
EAGER = 0.05  # how often somebody makes a free move


def options_of(game: GameRules, dice: random.Random) -> dict[str, Any]:
    """Any of the options that a host can choose."""
    return {name: dice.choice(list(values)) for name, values in game.options.items()}


def played(game: GameRules, seats: int, options: dict[str, Any], seed: int) -> list[Step]:
    """A whole game with the committed chance, as the service draws it; LookupError: a dead end."""
    dice = random.Random(seed)
    secret = secret_of(part_of(seed), [""] * seats)
    draw = partial(stream, secret, commitment_of(part_of(seed)))
    turn = game.new_initial_state(seats, options, draw(1))
    steps = [Step(None, None, None, turn)]
    while not game.is_terminal(turn.state):
        if len(steps) > MOST_ENTRIES:
            raise LookupError("the game does not end")
        state = turn.state
        seat, move = drawn_move(game, state, seats, dice, EAGER)
        turn = game.apply_action(state, seat, move, draw(len(steps) + 1))
        steps.append(Step(state, seat, move, turn))
    return steps


def part_of(seed: int) -> bytes:
    """The server's part of a made-up game's secret."""
    return seed.to_bytes(32, "big")


# ---- what must hold -----------------------------------------------------------------------------


def lost_goods(game: GameRules, steps: list[Step]) -> int:
    """Entries behind which something is there that was not, or something is less than none."""
    lost, before = 0, dict(game.totals(steps[0].turn.state))
    for step in steps[1:]:
        now = dict(game.totals(step.turn.state))
        lost += any(not 0 <= count <= before[goods] for goods, count in now.items())
        before = now
    return lost


def unfolded(game: GameRules, steps: list[Step], seats: int, options: dict[str, Any]) -> int:
    """Entries whose events do not lead to their position."""
    wrong, state = 0, game.empty_table(seats, options)
    for step in steps:
        state = journal.fold(state, step.turn.events)
        wrong += state != step.turn.state
    return wrong


def leaks(game: GameRules, steps: list[Step], seats: int, entries: int, dice: random.Random) -> int:
    """Random entries at which some viewer can tell a re-dealt history from the real one."""
    told = 0
    for number in dice.sample(range(len(steps)), min(entries, len(steps))):
        history = [step.turn for step in steps[: number + 1]]
        viewer = dice.choice([None, *range(seats)])
        dealt, _ = game.redealt(history, viewer, stream(b"otherwise", "soak", number))
        told += seen(game, history, viewer) != seen(game, dealt, viewer)
    return told


def disagreeing(game: GameRules, steps: list[Step], dice: random.Random) -> int:
    """Positions at which rule, list of moves, form and order of a move differ."""
    wrong = 0
    for step in steps:
        state = step.turn.state
        for seat in game.current_players(state):
            try:
                agree(game, state, seat)
                if game.key == "goa" and isinstance(state.awaiting, IN_TURN):
                    check(state, seat, a_line(state, seat, dice))
            except AssertionError:
                wrong += 1
    return wrong


def seen(game: GameRules, history: list[Any], viewer: int | None) -> bytes:
    """All that a viewer gets of a history's newest entry: view, facts, own moves, conduct."""
    state = history[-1].state
    facts = tuple(event.seen_by(viewer) for event in history[-1].events)
    moves = () if viewer is None else tuple(islice(game.legal_actions(state, viewer), 2_000))
    conduct = [(seat, game.is_forced(state, seat)) for seat in game.current_players(state)]
    return codec.encode((game.observation(state, viewer), facts, moves, conduct))


def record_of(
    game: GameRules, steps: list[Step], seats: int, options: dict[str, Any], seed: int
) -> list[bytes]:
    """The game's record, as the service exports it."""
    label = commitment_of(part_of(seed))
    header = Header(
        format=FORMAT, game=game.key, label=label, ruleset=game.ruleset,
        components=registry.standard(game.key), digest=game.digest,
        seats=tuple("ABCD"[:seats]), options=options, commitment=label,
        server_part=part_of(seed).hex(), phrases=("",) * seats,
    )  # fmt: skip
    lines, previous = [header_line(header)], FIRST_PREVIOUS
    for number, step in enumerate(steps, start=1):
        fields: dict[str, Any] = {
            "number": number, "base": number - 1, "seat": step.seat,
            "cause": "start" if step.seat is None else "order", "ruleset": game.ruleset,
            "body": body_of(step.move, step.turn.events),
            "state_hash": state_hash(step.turn.state),
        }  # fmt: skip
        hashed = entry_hash(game=label, previous=previous, **fields)
        order = None if step.move is None else game.to_text(step.move)
        lines.append(entry_line(order=order, previous=previous, hash=hashed, **fields))
        previous = hashed
    return [*lines, result_line(game.returns(steps[-1].turn.state))]


def soak(key: str, entries: int, seed: int) -> Counter[str]:
    """One game: what was counted, and what was found wrong."""
    dice = random.Random(f"{key} {seed}")
    game = registry.game(key)
    seats, options = dice.choice(list(game.seats)), options_of(game, dice)
    try:
        steps = played(game, seats, options, seed)
    except (LookupError, IndexError) as dead:
        return Counter({"games": 1, "dead_ends": 1, f"{key} {seed}: {dead}": 1})
    found = Counter(
        games=1,
        entries=len(steps),
        lost_goods=lost_goods(game, steps),
        unfolded=unfolded(game, steps, seats, options),
        leaks=leaks(game, steps, seats, entries, dice),
        disagreeing=0 if seed % AGREEING else disagreeing(game, steps, dice),
        unverified=int(not verify(record_of(game, steps, seats, options, seed)).ok),
    )
    if any(found[fault] for fault in FAULTS):
        found[f"{key} {seed}"] = 1
    return found


def main() -> int:
    """Soak each game; 0 only if nothing was found."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--games", type=int, default=10_000, help="random games of each game")
    parser.add_argument("--leaks", type=int, default=20, help="entries a game tried for leaks")
    parser.add_argument("--game", choices=sorted(registry.GAMES), help="only this one")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    asked = parser.parse_args()
    told: dict[str, dict[str, int]] = {}
    with ProcessPoolExecutor(WORKERS) as pool:
        for key in [asked.game] if asked.game else registry.GAMES:
            seeds = range(asked.first, asked.first + asked.games)
            total: Counter[str] = Counter()
            for found in pool.map(partial(soak, key, asked.leaks), seeds, chunksize=8):
                total.update(found)
                if total["games"] % 500 == 0:
                    sys.stdout.write(f"{key}: {total['games']} games\n")
                    sys.stdout.flush()
            told[key] = dict(total)
    sys.stdout.write(json.dumps(told) + "\n")
    return int(any(total.get(fault) for total in told.values() for fault in FAULTS))


if __name__ == "__main__":
    sys.exit(main())
