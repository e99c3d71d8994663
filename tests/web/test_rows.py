"""Games in lists: whose turn it is and for how long, who won, and what is drawn of them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from engine import registry
from pbem.archive import closing
from pbem.clock import FixedClock
from pbem.models import Game, stored_id
from pbem.play import positions
from pbem.service import Service
from pbem.web.app import build
from tests.conftest import NOON
from tests.support import tables
from tests.support.at_table import play_on, sign_in


def rows_in(page: str) -> list[str]:
    """The text of each row of lists on a page."""
    rows = re.findall(r'<li class="gm.*?(?=<li class="gm|</ul>\s*</section>|</main>)', page, re.S)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


def row_of(page: str) -> str:
    """The text of the only row."""
    (row,) = rows_in(page)
    return row


@pytest.fixture
def game(session: Session) -> Game:
    """A running game of two."""
    return tables.started_game(session, NOON, ["Ana", "Bento"])


def asked_in(session: Session, game: Game) -> int:
    """The seat that the game waits for."""
    table = positions.table(session, game)
    return table.rules.current_players(table.state)[0]


def test_the_asked_player_reads_that_it_is_their_turn_and_the_question(
    flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    browser, seat = flask_app.test_client(), asked_in(session, game)
    sign_in(service, browser, session, game, seat)

    page = browser.get("/games").text

    assert 'class="gm yours"' in page
    assert "Your turn" in row_of(page)
    assert "You send the first merchant ship" in row_of(page)


def test_others_read_whose_turn_it_is(
    flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    browser, seat = flask_app.test_client(), asked_in(session, game)
    sign_in(service, browser, session, game, 1 - seat)

    row = row_of(browser.get("/games").text)

    assert f"The game waits for {tables.seat(session, game, seat).name}" in row
    assert "Your turn" not in row


@pytest.mark.parametrize(("waited", "said"), [
    (timedelta(minutes=59), "for less than an hour"),
    (timedelta(hours=3, minutes=59), "for 3 hours"),
    (timedelta(days=5), "for 5 days"),
])
def test_for_how_long_is_told_in_whole_hours(
    service: Service, session: Session, game: Game, waited: timedelta, said: str
) -> None:
    session.commit()
    later = build(Service(service.settings, service.engine, FixedClock(NOON + waited)))

    assert said in row_of(later.test_client().get("/archive?state=running").text)


@pytest.mark.parametrize("key", registry.GAMES)
def test_a_finished_game_shows_its_winner_first_and_a_curve_for_each_seat(
    client: FlaskClient, service: Service, session: Session, key: str
) -> None:
    game = tables.started_game(session, NOON, ["Ana", "Bento"], game_key=key)
    play_on(service, session, game, lambda state: False)
    closing.close_game(session, stored_id(game), NOON)
    seats = [tables.seat(session, game, number) for number in range(2)]
    winner, other = sorted(seats, key=lambda seat: seat.place or 0)
    session.commit()

    page = client.get("/archive").text

    assert f"{winner.name} won" in row_of(page)
    assert f"{winner.name} {winner.points} " in row_of(page)
    assert row_of(page).index(winner.name) < row_of(page).index(other.name)
    assert len(re.findall(r'<path class="l-\w+( w)?" d="M', page.partition('"spark"')[2])) == 2


def test_a_picture_has_no_words(client: FlaskClient, session: Session, game: Game) -> None:
    session.commit()

    (picture,) = re.findall(r'<svg class="th".*?</svg>',
                            client.get("/archive?state=running").text, re.S)

    assert "<text" not in picture
    assert "<title" not in picture
    assert 'aria-hidden="true"' in picture
