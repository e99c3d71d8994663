"""A round of each game on the page: by pointing, by keyboard alone, with script off.

Here a hand gives the first order of each kind, and the others are recorded without the page;
`make soak` (SOAK=yes) has it give all orders of a round.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from sqlmodel import Session, col, select

from engine import bots, play
from engine.chance import Stream
from pbem.models import Game, GameState, Submission
from pbem.play import advance, positions
from pbem.service import Service
from tests.browser import pointer
from tests.browser.browsing import chromium, in_browser, signed_in, site
from tests.support import tables
from tests.support.at_table import order, play_on

__all__ = ["chromium", "site"]
pytestmark = in_browser

BY_HAND = 1000 if os.environ.get("SOAK") else 1  # orders of a kind
NEVER_POINTED = {
    "vasco-da-gama": {"take"},
    "goa": {"act", "draw", "room", "use", "choose", "bid", "higher", "end"},
}
"""What has no place on the table (or not always): chosen in the form."""


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


VASCO_FIRST = pytest.mark.parametrize("game", [
    "vasco-da-gama", pytest.param("goa", marks=pytest.mark.soak)], indirect=True)
GOA_FIRST = pytest.mark.parametrize("game", [
    "goa", pytest.param("vasco-da-gama", marks=pytest.mark.soak)], indirect=True)
"""Each way is gone with one game here, with the other one in `make soak`."""


@pytest.fixture
def game(request: pytest.FixtureRequest, service: Service, session: Session) -> Game:
    """A game for two, at the beginning of its second round."""
    started = tables.started_game(
        session, service.clock.now(), ("Ana", "Bento"), game_key=request.param
    )
    play_on(service, session, started, lambda state: state.round == 2)
    return started


@pytest.fixture
def players(
    chromium: Any, service: Service, game: Game, site: str, request: pytest.FixtureRequest
) -> Iterator[list[Any]]:
    """A browser of each player."""
    contexts = [
        chromium.new_context(java_script_enabled=getattr(request, "param", True),
                             viewport={"width": 1280, "height": 1000})
        for _ in range(game.seats)
    ]
    yield [
        signed_in(context, service, game, seat, site=site)
        for seat, context in enumerate(contexts)
    ]
    for context in contexts:
        context.close()


@pytest.fixture(autouse=True)
def quick_worker(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plays what was sent before the page is answered, so that nobody has to look again."""

    def enqueue(game_id: int) -> None:
        with service.writing() as worker:
            advance.advance(worker, game_id, service.clock.now())

    monkeypatch.setattr("pbem.web.table.orders.enqueue", enqueue)


def play_round(
    service: Service, session: Session, game: Game, site: str, players: list[Any],
    *, hand: pointer.Hand,
) -> int:
    """Let `steady` decide and the hand play it until the next round; the number of decisions."""
    pages = [player.new_page() for player in players]
    given: Counter[str] = Counter()
    for decisions in range(200):
        session.refresh(game)
        table = positions.table(session, game)
        if game.state != GameState.RUNNING or table.state.round != 2:
            return decisions
        seat = table.rules.current_players(table.state)[0]
        whim = Stream(bytes(32), f"steady {table.number}")
        moves = bots.choose(table.rules, table.state, seat, "steady", whim)
        session.commit()  # lets the page write
        said = "; ".join(map(table.rules.to_text, moves))
        kind = f"{type(table.state.awaiting).__name__} {said.split()[0]}"
        given[kind] += 1
        if given[kind] > BY_HAND:
            order(service, session, game, seat, said)
            continue
        pages[seat].goto(f"{site}/games/{game.id}", wait_until="domcontentloaded")
        pointer.play(pages[seat], hand, said)
        orders = set(map(table.rules.to_text, moves))
        assert played(session, table, seat) - {"done"} == orders - {"done"}  # may be forced
    raise AssertionError("the round does not end")


def played(session: Session, table: positions.GamePosition, seat: int) -> set[str]:
    """What the newest orders were taken for; launches may come in any order."""
    newest = select(Submission).order_by(col(Submission.id).desc()).limit(1)
    orders = session.exec(newest).one().orders
    session.commit()
    attempt = play.letter(table.rules, table.state, seat, orders, {})
    return {table.rules.to_text(move) for _, move in attempt.moves}


@GOA_FIRST
def test_a_round_is_played_by_pointing(
    service: Service, session: Session, game: Game, site: str, players: list[Any]
) -> None:
    hand = pointer.Pointing()

    assert play_round(service, session, game, site, players, hand=hand) > 10
    assert hand.on_form <= NEVER_POINTED[game.game]
    assert all(player.problems == [] for player in players)


@VASCO_FIRST
def test_a_round_is_played_by_keyboard_alone(
    service: Service, session: Session, game: Game, site: str, players: list[Any]
) -> None:
    assert play_round(service, session, game, site, players, hand=pointer.Keyboard()) > 10
    assert all(player.problems == [] for player in players)


@GOA_FIRST
@pytest.mark.parametrize("players", [False], indirect=True, ids=["no script"])
def test_a_round_is_played_with_script_off(
    service: Service, session: Session, game: Game, site: str, players: list[Any]
) -> None:
    assert play_round(service, session, game, site, players, hand=pointer.WithoutScript()) > 10
