"""What is hidden stays so when orders are taken back: a re-dealt game has the same pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine import registry
from pbem.play import positions, undo
from tests.engine.play_outs import PlayOut, play_out, stream
from tests.support.histories import stored_game
from tests.web.test_nothing_leaks import Site, database_in, service_in

SEED, FROM = 2, 0.3


@pytest.fixture(autouse=True)
def one_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """The forms' secret, which is each browser's own, is in a page's tag."""
    monkeypatch.setattr("pbem.web.responses.form_secret", lambda: b"drawn anew for each browser")


@pytest.fixture(params=[(key, viewer) for key in registry.GAMES for viewer in (0, 1, None)],
                ids=lambda case: f"{case[0]}-{case[1]}")
def twins(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory,
    empty_database: Path, monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[Site, Site]]:
    """One game twice, up to an order that its player can take back, as one viewer sees it."""
    key, viewer = request.param
    played = play_out(key, registry.game(key).seats[-1], SEED)
    length = harmless(played)
    history = played.turns[:length]
    dealt, differing = played.game.redealt(history, viewer, stream(77, length))
    assert differing > 0
    monkeypatch.setattr("pbem.web.table.forms.new_token", lambda: "token")
    with ExitStack() as stack:
        sites = []
        for turns in (history, dealt):
            service = service_in(database_in(tmp_path_factory, empty_database))
            stack.callback(service.engine.dispose)
            sites.append(Site(service, stored_game(service, played, turns), viewer))
        yield sites[0], sites[1]


def harmless(played: PlayOut) -> int:
    """So many entries that the last is an order, no free one, and reveals nothing."""
    for number in range(int(FROM * len(played.steps)), len(played.steps)):
        step = played.steps[number]
        asked = step.seat is not None and not step.move.free
        if (asked and not any(event.reveals for event in step.turn.events)
                and not played.game.is_forced(step.before, step.seat)):
            return number + 1
    raise AssertionError("every order reveals something")


def test_pages_before_and_after_a_taking_back_tell_nothing_hidden(
    twins: tuple[Site, Site],
) -> None:
    real, dealt = twins
    game = f"/games/{real.game_id}"
    assert real.get(game) == dealt.get(game)  # the button, too, is there for both or none

    length = take_back(real)
    assert take_back(dealt) == length

    for path in (game, f"{game}/{length}", f"{game}/{length - 1}", f"{game}/{length - 2}"):
        page = real.get(path)
        assert page.startswith("200\n")
        assert page == dealt.get(path)


def take_back(site: Site) -> int:
    """Whoever can takes back his last orders; the number of the entry."""
    with site.service.writing() as session:
        row = site.row(session)
        [seat] = [each for each in session.exec(positions.seats_of(row))
                  if undo.can_undo(session, row, each)]
        return undo.undo(session, site.game_id, seat.person_id, site.service.clock.now()).number
