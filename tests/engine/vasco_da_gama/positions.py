"""Tables for tests of Vasco da Gama: builders that take only what the test is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from engine import codec
from engine.api import Transition
from engine.chance import Scripted
from engine.errors import MoveRefused
from engine.registry import game
from engine.vasco_da_gama.events import ActionGivenUp
from engine.vasco_da_gama.state import (
    ACTIONS,
    CHARACTERS,
    CREW,
    LANDINGS,
    PLACING,
    AwaitCalledAction,
    AwaitPlacement,
    Disc,
    Ship,
    VascoPlayer,
    VascoState,
)

ANNA, BRAM, CHAIM, DORA = range(4)
NAMES = ("Anna", "Bram", "Chaim", "Dora")
GAME: Any = game("vasco-da-gama")
FIGURES = GAME.components
LAST_ROUND = FIGURES.profile.rounds
MERCHANT = None  # the owner of a merchant ship


def crew(text: str) -> tuple[int, ...]:
    """Counts by colour of `2 grey, white`."""
    counts = dict.fromkeys(CREW, 0)
    for part in filter(None, text.split(", ")):
        number, _, colour = part.rpartition(" ")
        counts[colour] += int(number or 1)
    return tuple(counts.values())


def sailors(text: str) -> tuple[int, ...]:
    """Counts by colour without missionaries."""
    return crew(text)[:4]


def player(**fields: Any) -> VascoPlayer:
    """A seat with 10 Reals and a captain; `crew` as text."""
    if isinstance(fields.get("crew"), str):
        fields["crew"] = crew(fields["crew"])
    return VascoPlayer(**{"reals": 10, "captains": 1, "captains_waiting": 6, **fields})


def table(seats: int = 4, *, given: Mapping[int, Mapping[str, Any]] | None = None,
          landings: Mapping[str, Iterable[Any]] | None = None,
          owners: Mapping[str, int] | None = None, sections: Iterable[str] = (),
          bag: str = "", **fields: Any) -> VascoState:
    """A quiet table in phase 2 of round 1: an empty sea and bag, nobody hosts, all is free.

    `given`: fields of a seat; `landings`: for each slot None, or (owner, tile), or a merchant
    ship's limit; `sections`: as `2 grey, orange`.
    """
    dealt = {"dias": ANNA, "alvares": BRAM, "sernigi": ANNA, "manuel": BRAM, **(owners or {})}
    standing = [sailors(text) for text in sections]
    state = VascoState(
        players=tuple(player(**(given or {}).get(seat, {})) for seat in range(seats)),
        round=1,
        phase=ACTIONS,
        bag=sailors(bag),
        sections=tuple(standing + [(0, 0, 0, 0)] * (seats - len(standing))),
        missionaries=5,
        decks=((), tuple(f"II-{number:02}" for number in range(1, 13)),
               tuple(f"III-{number:02}" for number in range(1, 12))),
        offer=("I-01", "I-02", "I-03", "I-04", "I-05", "I-06"),
        gabriel="I-07",
        tile=0,
        upcoming=1,
        tiles=(2, 3, 4, 5, 6, 7, 8),
        marker=1,
        merchants=(9, 11, 4, 5),
        owners=tuple(dealt[character] for character in CHARACTERS),
        landings=tuple(moored(word, (landings or {}).get(word, ())) for word in LANDINGS),
    )
    for name, value in fields.items():
        setattr(state, name, value)
    return state


def moored(word: str, ships: Iterable[Any]) -> tuple[Ship | None, ...]:
    """The slots of a landing, filled from the left."""
    row = [ship_of(each) for each in ships]
    return tuple(row + [None] * (len(FIGURES.by_word[word].slots) - len(row)))


def ship_of(each: Any) -> Ship | None:
    """None, a merchant ship's limit, or (owner, tile)."""
    if each is None:
        return None
    if isinstance(each, int):
        return Ship(each)
    owner, tile = each
    return Ship(FIGURES.by_id[tile].navigation_limit, owner, tile)


def called(number: int, area: str, *others: Disc, seat: int = ANNA, **fields: Any) -> Any:
    """A table at which this disc is called; `others` are further discs."""
    state = table(**fields)
    discs = (Disc(number, seat, area), *others)
    state.discs = tuple(sorted(discs, key=lambda disc: disc.number))
    price = max(0, state.marker - number)
    state.awaiting = AwaitCalledAction(seat, number, area, price, FIGURES.gains[number])
    return state


def placing(asked: int = ANNA, *, discs: Iterable[Disc] = (), left: Iterable[int] = (4, 4, 4, 4),
            additional: int | None = None, **fields: Any) -> Any:
    """A table in phase 1: `left` discs by seat, `additional`: who has the additional disc."""
    counts = tuple(left)
    given = {
        seat: {"discs": count, "additional": seat == additional}
        for seat, count in enumerate(counts)
    }
    state = table(len(counts), given=given, **fields)
    state.phase = PLACING
    state.marker = 8
    state.discs = tuple(sorted(discs, key=lambda disc: disc.number))
    state.awaiting = AwaitPlacement(asked)
    return state


def asked(state: VascoState, question: Any) -> Any:
    """The table with this question."""
    state.awaiting = question
    return state


def turn(state: VascoState, line: str, draws: Iterable[Any] = ()) -> Transition:
    """What `Anna: give up` leads to; `draws` are the outcomes of chance."""
    name, _, order = line.partition(": ")
    seat = NAMES.index(name)
    moves = GAME.from_text(order, state, seat, {})
    assert len(moves) == 1, line
    return GAME.apply_action(state, seat, moves[0], Scripted(draws))


def play(state: VascoState, *lines: str, draws: Iterable[Any] = ()) -> Any:
    """The table after these orders; `draws` are for the last of them."""
    for line in lines[:-1]:
        state = turn(state, line).state
    return turn(state, lines[-1], draws).state


def events(state: VascoState, line: str, draws: Iterable[Any] = ()) -> tuple[Any, ...]:
    """The facts that an order leads to."""
    return turn(state, line, draws).events


def kinds(facts: Iterable[Any]) -> list[str]:
    """The names of the facts' classes, in order."""
    return [codec.tag_of(type(fact)) for fact in facts]


def refused(state: VascoState, line: str) -> MoveRefused:
    """The refusal of this order."""
    with pytest.raises(MoveRefused) as caught:
        turn(state, line)
    return caught.value


def refused_move(state: VascoState, seat: int, move: Any) -> MoveRefused:
    """The refusal of a move that has no order in the canonical form."""
    with pytest.raises(MoveRefused) as caught:
        GAME.apply_action(state, seat, move, Scripted())
    return caught.value


def answers(state: VascoState, seat: int = ANNA) -> list[str]:
    """The answers to the open question as orders."""
    return [GAME.to_text(move) for move in GAME.answers(state, seat)]


def purses(state: VascoState) -> tuple[int, ...]:
    """Reals by seat."""
    return tuple(each.reals for each in state.players)


def scores(state: VascoState) -> tuple[int, ...]:
    """VP by seat."""
    return tuple(each.vp for each in state.players)


def last_call(**fields: Any) -> Any:
    """A table at which giving up the last called number ends phase 2; it pays nothing."""
    return called(21, "projects", **fields)


def after_navigation(**fields: Any) -> Any:
    """The table after Anna has given the last number up."""
    return play(last_call(**fields), "Anna: give up")


def navigation_facts(**fields: Any) -> list[Any]:
    """What happens by itself behind the last number, given up by Anna."""
    return [fact for fact in events(last_call(**fields), "Anna: give up")
            if not isinstance(fact, ActionGivenUp)]


def with_figures(**changes: Mapping[str, Any]) -> Any:
    """The game with other figures, unchecked: `supply={"missionaries": 0}`."""
    figures = FIGURES
    for name, fields in changes.items():
        row = getattr(figures, name)
        value = {**row, **fields} if isinstance(row, dict) else replace(row, **fields)
        figures = replace(figures, **{name: value})
    return type(GAME)(figures)
