"""Feeds: what a reader program gets at public and at secret addresses."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.archive import calendar, feeds
from pbem.clock import FixedClock
from pbem.models import Game, GameState, Person, stored_id
from pbem.models.archive import FeedAddress
from pbem.privacy import closure
from pbem.service import Service
from pbem.tables import seats
from pbem.web.context import COOKIE
from tests.conftest import NOON
from tests.support.at_table import order
from tests.support.tables import ANA, BENTO, seat

ATOM = "{http://www.w3.org/2005/Atom}"


def secret(client: FlaskClient) -> str:
    """The secret in the addresses that the account page shows."""
    found = re.search(r"/feeds/([\w-]+)/games\.atom", client.get("/account/feeds").text)
    assert found is not None
    return found[1]


@pytest.fixture
def anas(ana: FlaskClient) -> str:
    """Where Ana's feeds are."""
    assert ana.post("/account/feeds").status_code == 303
    return f"/feeds/{secret(ana)}"


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314  (our own)


def entries(text: str) -> list[ElementTree.Element]:
    return parsed(text).findall(f"{ATOM}entry")


def titles(text: str) -> list[str]:
    return [each.findtext(f"{ATOM}title") or "" for each in entries(text)]


def linked(page: str) -> set[str]:
    """The addresses of feeds that a page leads to, by link and for a reader program."""
    seen = set(re.findall(r'<a href="([^"]+\.atom)"', page))
    told = set(re.findall(r'rel="alternate" type="application/atom\+xml" href="([^"]+)"', page))
    assert {each.removeprefix("http://localhost") for each in seen} >= told
    return told


def test_a_public_games_page_leads_to_its_feed(client: FlaskClient, game: Game) -> None:
    assert linked(client.get(f"/games/{game.id}").text) == {f"/games/{game.id}/feed.atom"}


def test_a_private_games_page_leads_to_no_feed(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    game.private = True
    session.commit()

    assert linked(ana.get(f"/games/{game.id}").text) == set()


def test_ones_own_games_lead_to_ones_own_feeds(ana: FlaskClient, anas: str) -> None:
    assert 'href="/account/feeds"' in ana.get("/games").text
    assert linked(ana.get("/account/feeds").text) == {f"{anas}/games.atom"}


# ---- one game -----------------------------------------------------------------------------------


def test_a_public_game_can_be_followed_by_everybody(client: FlaskClient, game: Game) -> None:
    answer = client.get(f"/games/{game.id}/feed.atom")

    feed = parsed(answer.text)
    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert "The winter fleet" in (feed.findtext(f"{ATOM}title") or "")
    links = [each.find(f"{ATOM}link").attrib["href"] for each in entries(answer.text)]  # type: ignore[union-attr]
    assert links[0] == f"http://localhost/games/{game.id}/{game.last_entry}"
    ids = [each.findtext(f"{ATOM}id") for each in entries(answer.text)]
    assert len(set(ids)) == len(ids) > 1


def test_a_signed_in_browser_gets_what_spectators_get_and_no_cookie(
    client: FlaskClient, ana: FlaskClient, clock: FixedClock, game: Game
) -> None:
    clock.forward(timedelta(days=2))
    path = f"/games/{game.id}/feed.atom"

    theirs = ana.get(path)

    assert ana.get_cookie(COOKIE) is not None
    assert theirs.data == client.get(path).data
    assert "Set-Cookie" not in theirs.headers
    assert theirs.headers["Cache-Control"] == "private, no-cache"


def test_while_a_game_runs_spectators_learn_the_day_of_an_entry_only(
    client: FlaskClient, game: Game
) -> None:
    told = [each.findtext(f"{ATOM}updated") or "" for each in
            entries(client.get(f"/games/{game.id}/feed.atom").text)]

    days = {datetime.fromisoformat(each).replace(microsecond=0) for each in told}
    assert days == {NOON.replace(hour=0)}
    assert told == sorted(told, reverse=True)


def test_a_feed_that_has_not_changed_is_not_sent_again(
    client: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    path = f"/games/{game.id}/feed.atom"
    tag = client.get(path).headers["ETag"]

    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    hungarian = {"If-None-Match": tag, "Accept-Language": "hu"}
    assert client.get(path, headers=hungarian).status_code == 200
    game.title = "Another name"
    session.add(game)
    session.commit()
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_a_private_game_has_no_public_feed(
    client: FlaskClient, ana: FlaskClient, anas: str, session: Session, game: Game
) -> None:
    game.private = True
    session.add(game)
    session.commit()

    assert client.get(f"/games/{game.id}/feed.atom").status_code == 404
    assert ana.get(f"/games/{game.id}/feed.atom").status_code == 404
    assert client.get(f"{anas}/games/{game.id}.atom").status_code == 200


def test_names_cannot_break_out_of_the_feed(
    client: FlaskClient, session: Session, game: Game
) -> None:
    game.title = "<script>&]]>\x08"
    session.add(game)
    session.commit()

    feed = parsed(client.get(f"/games/{game.id}/feed.atom").text)

    assert (feed.findtext(f"{ATOM}title") or "").endswith("<script>&]]>")


# ---- secret addresses ---------------------------------------------------------------------------


def test_ones_own_feed_tells_first_that_it_is_ones_turn(
    client: FlaskClient, anas: str, game: Game
) -> None:
    told = titles(client.get(f"{anas}/games.atom").text)

    assert any("It is your turn" in each for each in told)
    assert all("The winter fleet" in each for each in told)


def test_a_turn_is_told_once_and_its_entry_goes_when_it_is_over(
    client: FlaskClient, anas: str, service: Service, session: Session, game: Game
) -> None:
    def turns() -> list[str]:
        return [each for each in titles(client.get(f"{anas}/games.atom").text) if "turn" in each]

    assert len(turns()) == 1

    order(service, session, game, ANA, "place 3 projects")

    assert turns() == []


def test_nobody_reads_feeds_without_the_secret(
    client: FlaskClient, anas: str, game: Game
) -> None:
    number, _, mac = anas.removeprefix("/feeds/").partition("-")
    wrong = [f"{number}-{'A' * len(mac)}", f"{int(number) + 1}-{mac}", number, "x", "٣-" + mac]

    for each in wrong:
        for feed in ("games.atom", "deadlines.ics", f"games/{game.id}.atom"):
            assert client.get(f"/feeds/{each}/{feed}").status_code == 404


def test_renewed_addresses_make_the_old_ones_lead_nowhere(
    client: FlaskClient, ana: FlaskClient, anas: str
) -> None:
    ana.post("/account/feeds")

    assert client.get(f"{anas}/games.atom").status_code == 404
    assert client.get(f"/feeds/{secret(ana)}/games.atom").status_code == 200
    ana.post("/account/feeds/end")
    assert "/games.atom" not in ana.get("/account/feeds").text


def test_looking_at_the_page_makes_no_address(
    ana: FlaskClient, session: Session, client: FlaskClient
) -> None:
    ana.get("/account/feeds")

    assert session.get(FeedAddress, 1) is None
    assert client.get("/account/feeds").status_code == 303


def test_who_leaves_for_good_has_no_feeds(
    client: FlaskClient, anas: str, service: Service, session: Session, game: Game
) -> None:
    ana = session.get_one(Person, seat(session, game, ANA).person_id)
    seats.resign(session, stored_id(game), stored_id(ana), NOON)
    closure.leave_for_good(session, ana, NOON)
    session.commit()

    assert client.get(f"{anas}/games.atom").status_code == 404


def test_a_feed_that_is_kept_does_not_name_who_has_left_for_good(
    client: FlaskClient, session: Session, game: Game
) -> None:
    path = f"/games/{game.id}/feed.atom"
    game.state = GameState.FINISHED
    session.add(game)
    session.commit()
    before = client.get(path)
    assert "Bento" in before.text

    bento = session.get_one(Person, seat(session, game, BENTO).person_id)
    closure.leave_for_good(session, bento, NOON)
    session.commit()

    after = client.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200
    assert "Bento" not in after.text


# ---- the calendar -------------------------------------------------------------------------------


def test_the_calendar_is_empty_while_games_have_no_deadlines(
    client: FlaskClient, anas: str
) -> None:
    answer = client.get(f"{anas}/deadlines.ics")

    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert answer.text.startswith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")
    assert "VEVENT" not in answer.text
    assert "\r\nBEGIN:VTIMEZONE\r\n" in answer.text  # RFC 5545 has none without a component


def test_a_deadline_that_is_moved_keeps_its_uid_and_counts_on(
    client: FlaskClient, anas: str, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    game.title = "Winter; spring, " + "ő" * 40
    moved = feeds.Deadline(game, 17, NOON + timedelta(days=3), 0, NOON)
    monkeypatch.setattr(feeds, "deadlines_of", lambda _session, _person: [moved])
    before = client.get(f"{anas}/deadlines.ics")
    moved = feeds.Deadline(game, 17, NOON + timedelta(days=4), 1, NOON + timedelta(hours=1))
    after = client.get(f"{anas}/deadlines.ics", headers={"If-None-Match": before.headers["ETag"]})

    for answer, number, day in ((before, 0, 5), (after, 1, 6)):
        unfolded = answer.text.replace("\r\n ", "").split("\r\n")
        assert f"UID:game-{game.mark}-question-17@localhost" in unfolded
        assert f"SEQUENCE:{number}" in unfolded
        assert f"DTSTART:2026030{day}T120000Z" in unfolded
        assert "Winter\\; spring\\, őő" in "".join(unfolded)
        assert max(len(line.encode()) for line in answer.text.split("\r\n")) <= 75


def test_no_text_makes_a_line_of_its_own() -> None:
    assert calendar.escaped("a\r\nBEGIN:VEVENT\\") == "a  BEGIN:VEVENT\\\\"
