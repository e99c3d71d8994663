"""Plays the games, prints what they cost, and as its last line the same as JSON."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from statistics import mean
from typing import NamedTuple

from engine import registry
from tests.tools.pace import goa, vasco_da_gama
from tests.tools.pace.table import Person, play_out

PEOPLE: dict[str, Person] = {"goa": goa, "vasco-da-gama": vasco_da_gama}
GAMES, PROCESSES, SEATS = 200, 2, 4


class Cost(NamedTuple):
    """What one game cost, and how it ended."""

    naive: int  # letters, one for every question that the rules put
    hand_overs: int  # letters that put a question to a person
    without: int  # hand-overs of a like game in which nobody decides ahead
    lines: int
    orders: int
    used: int
    points: float  # a seat
    points_without: float
    asked: Counter[str]


def cost(key: str, seed: int) -> Cost:
    """One game with orders ahead, and one without."""
    ahead = play_out(key, seed, PEOPLE[key], SEATS, ahead=True)
    plain = play_out(key, seed, PEOPLE[key], SEATS, ahead=False)
    return Cost(
        ahead.naive, ahead.hand_overs, plain.hand_overs, ahead.lines, ahead.orders, ahead.used,
        ahead.points, plain.points, ahead.asked,
    )


def costs(key: str, games: int, processes: int) -> list[Cost]:
    """So many games."""
    if processes < 2:
        return [cost(key, seed) for seed in range(games)]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(cost, [key] * games, range(games), chunksize=5))


def figures(found: list[Cost]) -> dict[str, float]:
    """What a game costs on an average."""
    naive, hand_overs = mean(each.naive for each in found), mean(each.hand_overs for each in found)
    return {
        "naive": round(naive, 1),
        "hand_overs": round(hand_overs, 1),
        "ratio": round(hand_overs / naive, 3),
    }


def told(key: str, found: list[Cost]) -> Iterable[str]:
    """The same in words."""
    said = figures(found)
    asked = sum((each.asked for each in found), Counter[str]())
    rounds = len(found) * SEATS * len(registry.game(key).rounds())
    yield f"{key}: {len(found)} games of {SEATS}"
    yield f"  questions that the rules put         {said['naive']:7}"
    yield f"  letters, nobody decides ahead        {mean(each.without for each in found):7.1f}"
    yield f"  letters with orders ahead            {said['hand_overs']:7}   ratio {said['ratio']}"
    yield f"  orders ahead used                    {mean(each.used for each in found):7.1f}"
    yield f"  `later:` lines a round and seat      {sum(e.lines for e in found) / rounds:7.2f}"
    yield f"  orders in them a round and seat      {sum(e.orders for e in found) / rounds:7.2f}"
    yield (
        f"  points a seat                        {mean(each.points for each in found):7.1f}"
        f"   without {mean(each.points_without for each in found):.1f}"
    )
    most = ", ".join(f"{kind} {number / len(found):.1f}" for kind, number in asked.most_common())
    yield f"  letters by question                  {most}"


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="make pace", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--processes", type=int, default=PROCESSES)
    asked = parser.parse_args(arguments)
    summed = {}
    for key in PEOPLE:
        found = costs(key, asked.games, asked.processes)
        print("\n".join(told(key, found)), flush=True)
        summed[key] = figures(found)
    print(json.dumps(summed))
