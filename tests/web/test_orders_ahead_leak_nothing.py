"""Whether a move was ordered ahead or sent, and what else stands, only its owner can tell.

The same game is played in two services: once Catarina's bid is ordered ahead, once it is sent. All
that others get is the same, byte for byte: pages, past entries, feeds, tags, answers to programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.models import Game, Person, StandingOrder
from pbem.service import Service
from tests.support import tables
from tests.support.at_table import order, play_on
from tests.support.tables import BENTO, CATARINA, DUARTE
from tests.web.test_nothing_leaks import (
    SPECTATOR,
    Site,
    ask,
    database_in,
    give_programs_access,
    letters_of,
    secret_of,
    service_in,
)

NUMBERED = re.compile(r"(?<=[+/])[a-z2-7]{26}\b")
AHEAD = "later: up to 3 for lot 1; up to 4 for lot 5"


@pytest.fixture(scope="module", params=[SPECTATOR, DUARTE], ids=["spectator", "Duarte"])
def twins(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> Iterator[tuple[Site, Site]]:
    """One game in which Catarina has ordered ahead, one in which she sends the same bid."""
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr("pbem.web.table.forms.new_token", lambda: "token")
        patch.setattr("pbem.web.responses.form_secret", lambda: b"drawn anew for each browser")
        sites = []
        for ahead in (True, False):
            service = service_in(
                database_in(tmp_path_factory, empty_database), CARREIRA_PICTURES="off")
            stack.callback(service.engine.dispose)
            sites.append(Site(service, played(service, ahead=ahead), request.param))
            give_programs_access(sites[-1])
        yield sites[0], sites[1]


def played(service: Service, *, ahead: bool) -> int:
    """Lot 1 of the first auction up to Catarina's bid; Duarte is asked."""
    with service.writing() as session:
        game = tables.started_game(session, service.clock.now(), game_key="goa")
        play_on(service, session, game, lambda state: hasattr(state.awaiting, "high_bid"))
        if ahead:
            order(service, session, game, CATARINA, AHEAD)
        order(service, session, game, BENTO, "pass")
        if not ahead:
            order(service, session, game, CATARINA, "bid 1")
        session.refresh(game)
        return game.id or 0


def last_entry(site: Site) -> int:
    """The newest entry."""
    with site.service.reading() as session:
        return session.get_one(Game, site.game_id).last_entry


def same(twins: tuple[Site, Site], paths: list[str]) -> list[str]:
    """What both answer, which must be the same."""
    found = []
    for path in paths:
        for site in twins:
            site.get(path)  # a first visit draws what forms are checked against
        first, second = (site.get(path) for site in twins)
        assert first == second
        assert first.startswith("200\n")
        found.append(first)
    return found


def test_the_two_games_differ_in_what_only_their_owner_sees(twins: tuple[Site, Site]) -> None:
    """Or this file would prove nothing."""
    counts = []
    for site in twins:
        with site.service.reading() as session:
            counts.append(len(session.exec(select(StandingOrder)).all()))
    assert counts == [2, 0]
    assert last_entry(twins[0]) == last_entry(twins[1])


def test_no_page_tells_that_a_move_was_ordered_ahead(twins: tuple[Site, Site]) -> None:
    game, newest = f"/games/{twins[0].game_id}", last_entry(twins[0])
    pages = same(twins, [game, f"{game}/{newest}", f"{game}/{newest - 1}", f"{game}/graph",
                         f"{game}/compare?a={newest - 1}&b={newest}", "/games",
                         "/archive?state=running"])

    assert any(re.search(r"^ETag:", page, re.MULTILINE) for page in pages)
    assert not any(hint in page for page in pages for hint in ("rdered ahead", "for lot 5 in"))


def test_no_feed_and_no_answer_to_a_program_tells_it(twins: tuple[Site, Site]) -> None:
    site, newest = twins[0], last_entry(twins[0])
    paths = [f"/games/{site.game_id}/feed.atom"]
    if site.viewer is not SPECTATOR:
        own = f"/feeds/{secret_of(site)}"
        paths += [f"{own}/games.atom", f"{own}/games/{site.game_id}.atom", f"{own}/deadlines.ics"]
    same(twins, paths)

    game = f"/api/v1/games/{site.game_id}"
    for path in (game, f"{game}/history?from=1&limit=100", f"{game}?entry={newest}",
                 "/api/v1/games"):
        first, second = (ask(each, path) for each in twins)
        assert first == second


def test_no_letter_tells_it(twins: tuple[Site, Site]) -> None:
    if twins[0].viewer is SPECTATOR:
        pytest.skip("who looks on gets no letters")

    # Addresses name letters by their numbers, which count all letters of the site.
    first, second = (NUMBERED.sub("", letters_of(site)) for site in twins)

    assert "Duarte" in first
    assert first == second


def test_the_list_of_one_is_no_list_of_another(twins: tuple[Site, Site]) -> None:
    """A program of another player, or of a stranger, asks for orders ahead."""
    answers = [ask(site, f"/api/v1/games/{site.game_id}/ahead") for site in twins]

    assert answers[0] == answers[1]
    assert "lot 5" not in answers[0]
    with twins[0].service.reading() as session:
        assert session.exec(select(Person).where(Person.name == "Catarina")).one()
