"""Players' pages: what everybody may see of somebody, and what nobody may."""

from __future__ import annotations

import secrets

from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.archive import closing, ratings
from pbem.models import Game, GameState, Person, stored_id
from pbem.privacy import closure
from pbem.service import Service
from tests.conftest import NOON
from tests.support import tables
from tests.support.at_table import play_on
from tests.web.test_archive import ended, game_of, listed


def id_of(session: Session, game: Game, seat: int) -> int:
    return tables.seat(session, game, seat).person_id


def rematch(session: Session, service: Service, first: Game, *places: int) -> Game:
    """The same two people once more."""
    one, other = (tables.seat(session, first, number).person_id for number in range(2))
    game = game_of(session, service, *(f"{at}{secrets.token_hex(4)}" for at in "XY"))
    for number, person in enumerate((one, other)):
        seat = tables.seat(session, game, number)
        seat.person_id, seat.name = person, tables.seat(session, first, number).name
        session.add(seat)
    session.flush()
    return ended(session, game, *places)


def test_a_player_has_a_page_with_games_results_and_rating(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    again = rematch(session, service, game, 2, 1)
    third = rematch(session, service, game, 1, 2)

    page = client.get(f"/players/{id_of(session, game, 0)}").text

    assert "<h1><small>Player</small>Ana</h1>" in page
    assert listed(page) == [third.id, again.id, game.id]
    assert "<td>2</td><td><a" in page  # two players
    assert "3 rated games" in page
    assert '<svg class="curve"' in page
    assert "@players.example" not in page


def test_before_three_games_nobody_is_shown_a_rating(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    rematch(session, service, game, 1, 2)

    page = client.get(f"/players/{id_of(session, game, 1)}").text

    assert 'id="h-rating"' not in page
    assert ratings.of_player(session, id_of(session, game, 1)) == []


def test_a_rating_is_told_from_the_third_game_on(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    for _again in range(3):
        last = rematch(session, service, game, 1, 2)

    [rated] = ratings.of_player(session, id_of(session, game, 1))

    assert rated.games == 4
    assert [number for _, _, number in rated.history] == [last.id - 1, last.id]


def test_who_changes_his_name_is_found_by_the_new_one_too(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    ended(session, game, 1, 2, 3, 4)

    ana.post("/account", data={"name": "Ana Sofia", "language": "en", "zone": "UTC"})

    for name in ("Ana Sofia", "Ana"):
        assert listed(ana.get("/archive", query_string={"player": name}).text) == [game.id]


def test_a_page_says_how_long_a_move_takes(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")
    play_on(service, session, game, lambda state: False)
    closing.close_game(session, stored_id(game), NOON)

    assert "a move takes 1 minute" in client.get(f"/players/{id_of(session, game, 0)}").text


def test_two_players_are_counted_against_each_other(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    rematch(session, service, game, 1, 2)
    rematch(session, service, game, 1, 1)
    ana, bento = id_of(session, game, 0), id_of(session, game, 1)

    page = client.get(f"/players/{ana}/against/{bento}").text

    assert "<td>2</td><td>0</td><td>1</td>" in page
    assert f'href="/players/{ana}/against/{bento}"' in client.get(f"/players/{ana}").text
    assert client.get(f"/players/{ana}/against/{ana}").status_code == 404


def test_a_private_game_is_on_no_page_of_its_players(
    client: FlaskClient, session: Session, service: Service
) -> None:
    public = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    private = rematch(session, service, public, 1, 2)
    private.private = True
    session.add(private)
    session.commit()
    closing.close_game(session, stored_id(private), NOON)
    ana, bento = id_of(session, public, 0), id_of(session, public, 1)

    for path in (f"/players/{ana}", f"/players/{ana}/against/{bento}"):
        page = client.get(path).text
        assert f'"/games/{private.id}"' not in page
        assert f'"/games/{public.id}"' in page


def test_who_has_played_no_public_game_has_no_page(
    client: FlaskClient, session: Session, service: Service
) -> None:
    alone = tables.person(session, "Alone", NOON)
    game = game_of(session, service, "Ana", "Bento")
    game.private = True
    session.add(game)
    session.commit()

    assert client.get(f"/players/{alone.id}").status_code == 404
    assert client.get(f"/players/{id_of(session, game, 0)}").status_code == 404
    assert client.get("/players/999999999").status_code == 404


def test_an_open_game_makes_no_page(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")
    game.state = GameState.OPEN
    session.add(game)
    session.commit()

    assert client.get(f"/players/{id_of(session, game, 0)}").status_code == 404


def test_who_has_left_has_no_page_and_no_link_but_stays_in_the_results(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    ana, bento = id_of(session, game, 0), id_of(session, game, 1)
    closure.leave_for_good(session, session.get_one(Person, ana), NOON)
    session.commit()

    assert client.get(f"/players/{ana}").status_code == 404
    assert client.get(f"/players/{bento}/against/{ana}").status_code == 404
    for path in ("/archive", f"/players/{bento}", "/ratings"):
        assert f'"/players/{ana}"' not in client.get(path).text
    assert f"Former player {ana}" in client.get("/archive").text


def test_the_ratings_page_explains_its_numbers(client: FlaskClient) -> None:
    page = client.get("/ratings").text

    assert "Plackett-Luce" in page
    assert "μ 25.0 and σ 8.3" in page
