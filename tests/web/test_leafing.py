"""Leafing through stored games of every kind: marks, news, how entries came, graph, comparison."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from engine import registry
from pbem.archive import progress, steps
from pbem.archive.news import since_last_moved
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.models import Game, GameState, Person, SeatRow
from pbem.play import narration, positions
from pbem.service import Service
from pbem.web.app import build
from pbem.web.table.history import folded
from tests.conftest import NOON, Enqueuer
from tests.engine.play_outs import PlayOut, Step, play_out
from tests.support.at_table import sign_in
from tests.support.histories import stored_game

SEED = 2
PLAYER = 1
NEW = re.compile(r"\(new\)")


@dataclass
class Shelf:
    """A service with one stored game."""

    service: Service
    played: PlayOut
    game_id: int
    last: int

    def browser(self, seat: int | None = None) -> FlaskClient:
        """A visitor's browser, or a player's."""
        app = build(self.service)
        app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
        app.extensions["carreira_enqueuer"] = Enqueuer()
        browser = app.test_client()
        if seat is not None:
            with self.service.writing() as session:
                game = session.get_one(Game, self.game_id)
                sign_in(self.service, browser, session, game, seat)
        return browser

    def page(self, path: str = "", seat: int | None = None) -> str:
        """A page of the game, in English."""
        answer = self.browser(seat).get(f"/games/{self.game_id}{path}")
        assert answer.status_code == 200
        return answer.text


def shelf(key: str, folder: Path, database: Path, part: float) -> Shelf:
    """A game of which this part is played; all of it: a finished one."""
    shutil.copyfile(database, folder / "carreira.db")
    settings = Settings.from_environment({
        "CARREIRA_VAR": str(folder), "CARREIRA_BASE_URL": "http://localhost",
        "CARREIRA_SECRET_KEY": "a secret key that only tests know",
    })
    service = Service(settings, make_engine(f"sqlite:///{folder}/carreira.db"), FixedClock(NOON))
    played = play_out(key, registry.game(key).seats[-1], SEED)
    last = round(len(played.turns) * part)
    game_id = stored_game(service, played, played.turns[:last], told_cause)
    with service.writing() as session:
        for person in session.exec(select(Person)):
            person.language = "en"
        if part == 1:
            game = session.get_one(Game, game_id)
            game.state, game.ended = GameState.FINISHED, NOON
        session.commit()
    return Shelf(service, played, game_id, last)


def told_cause(played: PlayOut, step: Step) -> str:
    """Every other move of the player made itself, all others were orders."""
    if step.seat is None:
        return "start"
    own = [each for each in played.steps if each.seat == PLAYER]
    return "forced" if any(each is step for each in own[::2]) else "order"


@pytest.fixture(scope="module", params=registry.GAMES)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> Iterator[Shelf]:
    """Nearly half of a game."""
    made = shelf(request.param, tmp_path_factory.mktemp("running"), empty_database, 0.45)
    yield made
    made.service.engine.dispose()


@pytest.fixture(scope="module", params=registry.GAMES)
def finished(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> Iterator[Shelf]:
    made = shelf(request.param, tmp_path_factory.mktemp("finished"), empty_database, 1)
    yield made
    made.service.engine.dispose()


def row_of(session: Session, made: Shelf) -> Game:
    return session.get_one(Game, made.game_id)


def changed_at(session: Session, row: Game, number: int) -> frozenset[str]:
    """The places that an entry has changed, for who only looks on."""
    table = positions.table(session, row, number)
    return narration.differs(session, table, number - 1, None).places


def numbers_by_cause(made: Shelf, cause: str, seat: int) -> list[int]:
    """The entries of a seat that came in this way."""
    return [
        number for number, step in enumerate(made.played.steps[: made.last], start=1)
        if step.seat == seat and told_cause(made.played, step) == cause
    ]  # fmt: skip


# ---- what has changed --------------------------------------------------------------------------


def test_an_entrys_page_marks_what_it_changed(running: Shelf) -> None:
    with running.service.reading() as session:
        row = row_of(session, running)
        numbers = range(2, running.last)
        telling = next(n for n in numbers if len(
            [place for place in changed_at(session, row, n) if place.startswith("seat:")]) > 1)
        silent = next((n for n in numbers if not changed_at(session, row, n)), None)

    page = running.page(f"/{telling}")

    assert len(NEW.findall(page)) > 1
    assert "A double frame marks what it has changed." in page
    if silent is not None:
        assert not NEW.search(running.page(f"/{silent}"))


def test_the_news_say_what_changed_for_the_player(running: Shelf) -> None:
    with running.service.writing() as session:
        row = row_of(session, running)
        seat = session.exec(select(SeatRow).where(SeatRow.number == PLAYER)).one()
        usual, seat.moved_at = seat.moved_at, running.last // 3
        session.add(seat)
        session.commit()
        news = since_last_moved(session, positions.table(session, row), seat, "en")
        before, after = (
            positions.table(session, row, n) for n in (running.last // 3, running.last)
        )
        rules = after.rules
        expected = rules.changes(*(
            rules.observation(there.state, PLAYER).players[PLAYER] for there in (before, after)))
        session.commit()  # lets others write
        page, own = running.page(), running.page(seat=PLAYER)
        seat.moved_at = usual
        session.add(seat)
        session.commit()

    assert expected
    assert list(news.changes) == list(expected)
    assert "What it changed for you" not in page
    since = own[own.index('id="since"'):own.index('id="decide"')]
    for change in expected:
        assert f"({change.before} → {change.after})" in since


def test_places_that_a_viewer_does_not_see_are_no_places(running: Shelf) -> None:
    """A purse is marked on its owner's page alone."""
    rules = running.played.game
    state = running.played.states[running.last - 1]

    for viewer in (None, 0, PLAYER):
        view = rules.observation(state, viewer)
        for seat, tally in enumerate(rules.tallies(view)):
            money = {f"seat:{seat}:ducats", f"seat:{seat}:reals"} & set(rules.places(view))
            assert bool(money) == (tally.money is not None)


# ---- how an entry came -------------------------------------------------------------------------


def test_while_a_game_runs_its_owner_alone_is_told_how_an_entry_came(running: Shelf) -> None:
    number = numbers_by_cause(running, "forced", PLAYER)[0]
    said = steps.HOW["forced"]

    assert said in running.page(f"/{number}", PLAYER)
    assert said not in running.page(f"/{number}", 0)
    assert said not in running.page(f"/{number}")


def test_when_it_came_to_the_minute_is_told_to_its_owner_alone(running: Shelf) -> None:
    """Entries of one minute would show that one of them made itself."""
    number = numbers_by_cause(running, "order", PLAYER)[0]

    assert "12:00" in made_line(running.page(f"/{number}", PLAYER))
    assert "12:00" not in made_line(running.page(f"/{number}", 0))


def test_when_a_game_is_over_everybody_is_told_how_and_when(finished: Shelf) -> None:
    number = numbers_by_cause(finished, "forced", PLAYER)[0]

    told = made_line(finished.page(f"/{number}"))

    assert steps.HOW["forced"] in told
    assert "12:00" in told


def made_line(page: str) -> str:
    found = re.search(r'<p class="made".*?</p>', page, re.DOTALL)
    assert found is not None
    return found[0]


def test_a_players_own_moves_are_linked_before_and_behind(running: Shelf) -> None:
    own = numbers_by_cause(running, "order", PLAYER)
    middle = own[len(own) // 2]
    page = running.page(f"/{middle}", PLAYER)
    base = f"/games/{running.game_id}"

    before, behind = own[len(own) // 2 - 1], own[len(own) // 2 + 1]
    assert re.search(rf'href="{base}/{before}">My move before', page)
    assert re.search(rf'href="{base}/{behind}">My next move', page)
    assert "My next move" not in running.page(f"/{middle}")


# ---- graph -------------------------------------------------------------------------------------


def test_the_graph_of_a_finished_game_ends_at_the_result(finished: Shelf) -> None:
    game, state = finished.played.game, finished.played.states[-1]
    with finished.service.reading() as session:
        moments = progress.progress(session, row_of(session, finished), None)

    assert len(moments) < finished.last / 4
    for standing, tally in zip(game.returns(state), moments[-1].tallies, strict=True):
        assert {k: v for k, v in tally.points.items() if v} == {
            k: v for k, v in standing.by_source.items() if v}
    assert all(tally.money is not None for moment in moments for tally in moment.tallies)
    page = finished.page("/graph")
    assert page.count("<polyline") == 2 * finished.played.seats


def test_the_graph_of_a_running_game_holds_no_money_that_is_hidden(running: Shelf) -> None:
    rules, state = running.played.game, running.played.states[running.last - 1]
    seen = [tally.money is not None for tally in rules.tallies(rules.observation(state, PLAYER))]

    page = running.page("/graph", PLAYER)

    money = page[page.index('id="h-money"'):page.index('id="h-sources"')]
    assert [f'class="line d{seat}"' in money for seat in range(running.played.seats)] == seen
    assert ("What others hold in secret" in page) == (not all(seen))


# ---- two entries side by side ------------------------------------------------------------------


def test_two_entries_stand_side_by_side_with_what_differs(finished: Shelf) -> None:
    a, b = finished.last // 3, finished.last // 2
    rules, states = finished.played.game, finished.played.states

    page = finished.page(f"/compare?a={a}&b={b}")

    before, after = (rules.observation(states[n - 1], None) for n in (a, b))
    changes = [c for seat in range(finished.played.seats)
               for c in rules.changes(before.players[seat], after.players[seat])]
    assert changes
    assert all(f"{c.before} → {c.after}" in page for c in changes)
    assert len(re.findall(r'<figure class="chart|<div class="sea"', page)) == 2
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    lead = re.findall(r'(?:aria-labelledby="|href="#|url\(#)([^")]+)', page)
    assert {name for names in lead for name in names.split()} <= set(ids)


def test_entries_that_there_are_not_are_not_compared(finished: Shelf) -> None:
    browser = finished.browser()

    for numbers in (f"a=1&b={finished.last + 1}", "a=0&b=2", "a=x&b=2"):
        assert browser.get(f"/games/{finished.game_id}/compare?{numbers}").status_code == 404


@pytest.mark.parametrize("path", ["", "/{middle}", "/graph", "/compare?a={middle}&b={last}"])
def test_no_page_is_large(finished: Shelf, path: str) -> None:
    told: dict[str, Any] = {"middle": finished.last // 2, "last": finished.last}

    assert len(finished.page(path.format(**told), PLAYER).encode()) < 150_000


def test_news_of_many_alike_are_folded(running: Shelf) -> None:
    with running.service.reading() as session:
        row = row_of(session, running)
        seat = session.exec(select(SeatRow).where(SeatRow.number == PLAYER)).one()
        seat.moved_at = 1
        news = since_last_moved(session, positions.table(session, row), seat, "en")

    pieces = folded(news)

    assert any(piece.more for piece in pieces)
    assert sum(len(p.shown) + len(p.more) for p in pieces) == len(news.lines)
