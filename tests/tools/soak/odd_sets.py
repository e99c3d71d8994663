"""Random games with every odd component set that is accepted; the last line is JSON.

Looking costs ten times what playing does, so that only the first game is looked at everywhere.

`python -m tests.tools.soak.odd_sets [--games 200] [--game KEY]`.
"""

from __future__ import annotations

import argparse
import json
import sys

from engine import registry
from tests.engine.odd_sets import accepted, play

LOOKS = 0.05


def main() -> int:
    """Play, and name the sets with which a game raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--game", choices=registry.GAMES)
    chosen = parser.parse_args()
    sets, faults = 0, 0
    for key in [chosen.game] if chosen.game else registry.GAMES:
        for name, game in accepted(key):
            sets += 1
            for seed in range(chosen.games):
                try:
                    play(game, seed, LOOKS if seed else 1)
                except Exception as fault:  # noqa: BLE001  # whatever it is, the set is named
                    faults += 1
                    print(f"{key}: {name}, seed {seed}: {fault!r}")
                    break
    print(json.dumps({"sets": sets, "games": chosen.games, "faults": faults}))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
