"""`python app.py play`: bots play a game without the service, and may record it."""

from __future__ import annotations

import argparse
import hashlib
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine import play, registry
from engine.api import GameRules, Standing, Transition
from engine.bots import bots_of, choose
from engine.errors import BadComponents
from pbem.play.chance import commitment_of, secret_of, stream, whim
from pbem.play.hash_chain import FIRST_PREVIOUS, body_of, entry_hash, state_hash
from pbem.record.file_format import FORMAT, Header, entry_line, header_line, result_line
from pbem.tables.options import value_of_text, value_text


def main(arguments: list[str]) -> int:
    """Play one game and print its result."""
    asked = arguments_of(arguments)
    try:
        toml = asked.components.read_text("utf-8") if asked.components else None
        game = registry.game(asked.game, toml)
    except (OSError, UnicodeDecodeError, BadComponents) as problem:
        sys.stderr.write(f"{asked.components}: {problem}\n")
        return 1
    players = seated(asked.bots, asked.players)
    if asked.players not in game.seats or set(players) - set(bots_of(game.key)):
        known = ", ".join(bots_of(game.key))
        sys.stderr.write(f"{game.name} is for {game.seats[0]} to {game.seats[-1]}; bots: {known}\n")
        return 1
    try:
        options = options_in(game, asked.option)
    except ValueError as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    named = asked.names.split(",") if asked.names else names_of(game)[: asked.players]
    if len(named) != asked.players or len(set(named)) != len(named):
        sys.stderr.write(f"--names: {asked.players} different names are needed\n")
        return 1
    offline = OfflineGame(game, players, server_part(asked.seed), options, named)
    lines = list(offline.played(toml or registry.standard(game.key)))
    if asked.record:
        try:
            asked.record.write_bytes(b"".join(lines))
        except OSError as problem:
            sys.stderr.write(f"{asked.record}: {problem.strerror}\n")
            return 1
    sys.stdout.write(result_table(offline))
    return 0


def arguments_of(arguments: list[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="app.py play", description=__doc__)
    known = list(registry.GAMES)
    parser.add_argument("--game", default=known[0], choices=known)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--bots", default="steady", help="one for all, or one a seat: a,b,b,b")
    parser.add_argument("--option", action="append", default=[], help="of the game: KEY=VALUE")
    parser.add_argument("--seed", help="the same seed, the same game; without it by chance")
    parser.add_argument("--components", type=Path, help="a component set of your own (TOML)")
    parser.add_argument("--names", help="of the seats, in order: Ana,Bento; else their colours")
    parser.add_argument("--record", type=Path, help="write the game record into this file")
    return parser.parse_args(arguments)


def seated(bots: str, players: int) -> list[str]:
    """Return the bot of each seat. The last one named takes all remaining seats."""
    named = bots.split(",")
    return [named[min(seat, len(named) - 1)] for seat in range(players)]


def options_in(game: GameRules, given: Sequence[str]) -> dict[str, Any]:
    """Parse the game's options from KEY=VALUE. yes and no are booleans."""
    options: dict[str, Any] = {}
    for each in given:
        key, _, text = each.partition("=")
        value = value_of_text(game, key, text)
        if value is None:
            known = "; ".join(
                f"{k}={'|'.join(map(value_text, v))}" for k, v in game.options.items())
            raise ValueError(f"{game.name} has no option {each!r}; it has {known or 'none'}")
        options[key] = value
    return options


def server_part(seed: str | None) -> bytes:
    """Return the secret half of the randomness, from the seed or at random."""
    if seed is None:
        return secrets.token_bytes(32)
    return hashlib.sha256(f"carreira play {seed}".encode()).digest()


class OfflineGame:
    """A game between bots that yields the lines of its record."""

    def __init__(
        self,
        game: GameRules,
        bots: Sequence[str],
        part: bytes,
        options: Mapping[str, Any] = MappingProxyType({}),
        names: Sequence[str] = (),
    ) -> None:
        self.options = dict(options)
        self.game = game
        self.bots = bots
        self.names = tuple(names) or names_of(game)[: len(bots)]
        self.part = part
        self.label = commitment_of(part)
        self.secret = secret_of(part, self.phrases)
        self.number = 0
        self.state: Any = None
        self._previous = FIRST_PREVIOUS

    @property
    def phrases(self) -> tuple[str, ...]:
        """Empty phrases, because bots give none."""
        return ("",) * len(self.bots)

    def played(self, components: str) -> Iterator[bytes]:
        """Play the game to its end."""
        yield self._header(components)
        opening = play.start(self.game, len(self.bots), self.options, self._chance())
        yield self._entry(None, None, opening, "start")
        while not self.game.is_terminal(self.state):
            for seat, move, cause in self._next_moves():
                turn = play.move(self.game, self.state, seat, move, self._chance())
                yield self._entry(seat, move, turn, cause)
        yield result_line(self.game.returns(self.state))

    def _next_moves(self) -> list[tuple[int, Any, str]]:
        forced = play.forced(self.game, self.state)
        if forced:
            return [(*forced, "forced")]
        seat = self.game.current_players(self.state)[0]
        drawn = whim(self.secret, self.label, self.state)
        moves = choose(self.game, self.state, seat, self.bots[seat], drawn)
        return [(seat, move, "bot") for move in moves]

    def _chance(self) -> Any:
        return stream(self.secret, self.label, self.number + 1)

    def _header(self, components: str) -> bytes:
        return header_line(
            Header(
                format=FORMAT,
                game=self.game.key,
                label=self.label,
                ruleset=self.game.ruleset,
                components=components,
                digest=self.game.digest,
                seats=self.names,
                options=self.options,
                commitment=commitment_of(self.part),
                server_part=self.part.hex(),
                phrases=self.phrases,
            )
        )

    def _entry(self, seat: int | None, move: Any, turn: Transition, cause: str) -> bytes:
        self.number += 1
        self.state = turn.state
        fields: dict[str, Any] = {
            "number": self.number,
            "base": self.number - 1,
            "seat": seat,
            "cause": cause,
            "ruleset": self.game.ruleset,
            "body": body_of(move, turn.events),
            "previous": self._previous,
            "state_hash": state_hash(turn.state),
        }
        self._previous = entry_hash(game=self.label, **fields)
        order = None if move is None else self.game.to_text(move)
        return entry_line(order=order, hash=self._previous, **fields)


def names_of(game: GameRules) -> tuple[str, ...]:
    """Return the seats' colours, which name seats without people."""
    return tuple(colour.title() for colour in game.seat_colours)


def result_table(offline: OfflineGame) -> str:
    """Format places and points by source, the winner first."""
    standings = sorted(offline.game.returns(offline.state), key=lambda each: each.place)
    sources = list(standings[0].by_source)
    head = ["place", "seat", "player", "points", *sources]
    rows = [head, *(row_of(offline, each) for each in standings)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([f"{offline.game.name}, {offline.number} entries", *lines, ""])


def row_of(offline: OfflineGame, standing: Standing) -> list[str]:
    """Format one seat's row of the table."""
    seat = standing.seat
    return [
        str(standing.place),
        offline.names[seat],
        offline.bots[seat],
        str(standing.points),
        *map(str, standing.by_source.values()),
    ]
