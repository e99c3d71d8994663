"""Open seats, lessons, solo games, friends' links, rematches and series, as browsers see them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from engine import bots
from engine.chance import Stream
from pbem.models import Game, GameState, Invitation, Outbox, Person, SeatRow, stored_id
from pbem.play import positions
from pbem.service import Service
from pbem.tables import invitations, lobby, series
from pbem.tables.seats import resign
from tests.support import tables
from tests.support.at_table import order, play_on
from tests.support.doors import browser, enter, somebody
from tests.web.test_lobby import FORM, page, text_of

CLOCK = {"clock": "each", "each": "3", "each_unit": "days", "counts": "always", "at_zero": "bot",
         "reminders": "50 10", "bank": "10", "bank_more": "12", "bank_most": "10"}


@pytest.fixture
def ana(client: FlaskClient, service: Service) -> Person:
    """Ana, signed in with `client`."""
    made = somebody(service, "Ana")
    enter(client, service, made)
    return made


@pytest.fixture
def his(flask_app: Flask, service: Service) -> FlaskClient:
    """Bento's browser."""
    return browser(flask_app, service, somebody(service, "Bento"))


def opened(client: FlaskClient, **choices: str) -> str:
    answer = client.post("/games/new", data=FORM | CLOCK | choices)
    assert answer.status_code == 303, text_of(answer)
    return str(answer.headers["Location"])


def plain(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


# ---- open seats ----------------------------------------------------------------------------------


def test_the_open_seats_page_says_all_that_decides(
    client: FlaskClient, ana: Person, his: FlaskClient
) -> None:
    opened(client, game="goa", title="The summer fleet", seats="3")
    said = plain(page(his, "/seats"))

    for fact in ("The summer fleet", "Goa", "host: Ana", "2 chairs free", "3 players",
                 "Hand limit", "standard", "3 days", "takes the seat",
                 "No game with such a clock is finished yet.", "no finished game yet"):
        assert fact in said, fact


def test_the_open_seats_page_says_how_long_such_games_took(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    opened(client)
    with service.writing() as session:
        done = tables.started_game(session, service.clock.now(), ("Eva", "Filip"))
        done.clock, done.state = "each 72", GameState.FINISHED
        done.ended = service.clock.now() + timedelta(days=41)
        session.commit()

    assert "took less than 41 days" in plain(page(his, "/seats"))


def test_one_sits_down_from_the_open_seats_page(
    client: FlaskClient, ana: Person, his: FlaskClient
) -> None:
    path = opened(client, title="The summer fleet")
    (action,) = re.findall(r'action="(/games/\d+/join)"', page(his, "/seats"))
    assert action == f"{path}/join"
    assert his.post(action).status_code == 303
    assert "The summer fleet" not in page(his, "/seats").split("<main")[1]


def test_open_seats_can_be_those_of_one_game(client: FlaskClient, his: FlaskClient, ana: Person
) -> None:
    opened(client, game="goa", title="A Goan table")
    assert "A Goan table" in page(his, "/seats?game=goa")
    assert "A Goan table" not in page(his, "/seats?game=vasco-da-gama")
    assert his.get("/seats?game=chess").status_code == 404


def test_a_seat_that_nobody_holds_is_taken_from_the_open_seats_page(
    service: Service, his: FlaskClient
) -> None:
    with service.writing() as session:
        game = tables.started_game(session, service.clock.now(), ("Eva", "Filip", "Gita"))
        resign(session, stored_id(game), tables.seat(session, game, 1).person_id,
               service.clock.now())
    said = page(his, "/seats")
    assert "3 players, Set-up; this seat is played for" in plain(said)
    assert "a seat of a running game" in said
    (action,) = re.findall(r'action="(/games/\d+/seats/2/take)"', said)
    assert his.post(action).status_code == 303
    with service.reading() as session:
        assert session.exec(select(SeatRow.name).where(SeatRow.number == 1)).one() == "Bento"
    assert action not in page(his, "/seats")


def test_private_games_stand_on_no_list(client: FlaskClient, his: FlaskClient, ana: Person) -> None:
    opened(client, title="Among us", visibility="private")
    assert "Among us" not in page(his, "/seats")
    assert "Among us" not in page(his, "/")


def test_where_no_seat_is_open_the_page_says_what_to_do(his: FlaskClient) -> None:
    said = page(his, "/seats")
    assert "No seat is open at present." in said
    for way in ("/learn", "/solo", "/friends", "/games/new"):
        assert f'href="{way}"' in said


# ---- the front page ------------------------------------------------------------------------------


def test_visitors_read_what_is_played_and_how_a_move_goes(client: FlaskClient) -> None:
    said = page(client, "/")
    for fact in ("Vasco da Gama", "Goa", "place 8 recruiting", "Sign in or begin", "Open seats"):
        assert fact in said


def test_open_seats_are_two_steps_from_everywhere_also_on_a_phone(
    client: FlaskClient, ana: Person
) -> None:
    games = page(client, "/games").partition("<main")[2]
    assert '<a href="/games">' in page(client, "/rules/goa").partition("</header>")[0]
    assert games.index('href="/seats"') < games.index("<h2")


def test_games_that_wait_for_one_come_first_on_the_front_page(
    client: FlaskClient, ana: Person
) -> None:
    opened(client, title="Waits for others")
    client.post("/learn", data={"game": "vasco-da-gama"})
    said = page(client, "/").split("<main")[1]

    assert "1 game waits for you" in said
    assert said.index("Lesson") < said.index("Waits for others") < said.index("Begin a game")


# ---- against the house ---------------------------------------------------------------------------


def test_a_game_against_the_house_begins_with_one_form(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    answer = client.post("/solo", data={"game": "goa", "bots": "2", "kind": "steady"})
    assert answer.status_code == 303
    table = client.get(answer.headers["Location"])
    assert table.status_code == 200
    assert "Steady 2" in text_of(table)
    assert his.get(answer.headers["Location"]).status_code == 404
    with service.reading() as session:
        assert session.exec(select(Outbox).where(Outbox.state == "pending")).all() == []


@pytest.mark.parametrize("wrong", [{"bots": "7"}, {"bots": "none"}, {"kind": "cheat"}])
def test_a_game_against_the_house_that_cannot_be_is_refused(
    client: FlaskClient, ana: Person, wrong: dict[str, str]
) -> None:
    sent = {"game": "goa", "bots": "2", "kind": "steady"} | wrong
    assert client.post("/solo", data=sent).status_code == 400


def test_who_is_not_signed_in_begins_nothing(client: FlaskClient) -> None:
    for path in ("/solo", "/friends"):  # a lesson needs no account: see test_guests.py
        answer = client.post(path, data={"bots": "1", "seats": "2", "kind": "steady"})
        assert answer.status_code == 303
        assert "/sign-in" in answer.headers["Location"]
        assert "Sign in" in page(client, path)


# ---- with friends --------------------------------------------------------------------------------


def test_a_game_with_friends_is_one_link(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    answer = client.post("/friends", data={"game": "goa", "seats": "2", "title": "Sunday"})
    host_page = page(client, answer.headers["Location"])
    (link,) = re.findall(r'id="f-send" type="text" value="http://localhost([^"]+)"', host_page)
    assert "mailto:?subject=" in host_page

    seen = plain(page(his, link))
    for fact in ("Sunday", "Goa", "No time limit", "Hand limit", "private", "played by mail"):
        assert fact in seen, fact
    assert his.post(link).status_code == 303
    with service.reading() as session:
        assert session.exec(select(Game)).one().state == GameState.RUNNING


# ---- lessons -------------------------------------------------------------------------------------


def lesson(client: FlaskClient, key: str) -> tuple[str, str]:
    """The path of a begun lesson, and its page."""
    path = client.post("/learn", data={"game": key}).headers["Location"]
    return path, page(client, path)


@pytest.mark.parametrize(("key", "rule"), [("vasco-da-gama", "VG-2.2"), ("goa", "GO-")])
def test_a_lesson_says_what_is_asked_with_links_to_the_rules(
    client: FlaskClient, ana: Person, key: str, rule: str
) -> None:
    _path, said = lesson(client, key)
    part = said.split('id="lesson"')[1].split("</section>")[0]

    assert "What you are asked" in part
    assert f'href="/rules/{key}#{rule}' in part


@pytest.mark.parametrize("language", ["en", "hu", "ru", "pt"])
def test_the_way_to_lessons_says_that_a_teacher_explains_moves_after_the_steps(
    client: FlaskClient, language: str
) -> None:
    lead = {"en": "then a whole game for two with a teacher, who says why they move as they do",
            "hu": "aztán egy egész kétszemélyes játszma tanítóval, aki elmondja, miért lép úgy",
            "ru": "потом целая партия вдвоём с учителем, который объясняет свои ходы",
            "pt": "depois uma partida inteira a dois com um professor, que diz porque joga assim",
            }[language]

    assert lead in client.get("/learn", headers={"Accept-Language": language}).text


def test_a_teachers_moves_stand_above_what_is_asked(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    _path, said = lesson(client, "vasco-da-gama")  # the teacher sends the first merchant ship

    assert said.index("and why") < said.index("What you are asked") < said.index('id="order"')


def test_a_lesson_is_its_learners_alone(
    client: FlaskClient, ana: Person, his: FlaskClient
) -> None:
    path, _said = lesson(client, "goa")
    assert his.get(path).status_code == 404
    assert his.post(f"{path}/anew").status_code in (400, 404)


def test_a_lesson_begins_again_when_its_learner_wants(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    path, _said = lesson(client, "goa")
    assert client.post("/learn", data={"game": "goa"}).headers["Location"] == path
    anew = client.post(f"{path}/anew").headers["Location"]
    assert anew != path
    with service.reading() as session:
        states = session.exec(select(Game.state).order_by(Game.id)).all()  # type: ignore[arg-type]
    assert states == [GameState.CANCELLED, GameState.RUNNING]


def test_a_lesson_is_not_begun_again_by_one_slip_of_a_finger(
    client: FlaskClient, ana: Person
) -> None:
    path, said = lesson(client, "goa")
    for shown in (said, page(client, "/learn")):
        asked = shown.partition(f'action="{path}/anew"')[0].rpartition("<details")[2]
        assert "Begin again" in asked and "</details>" not in asked
        assert "This lesson ends where it stands, and another one begins." in plain(shown)


def test_who_plays_alone_is_not_asked_to_talk_or_to_leave_the_seat_to_somebody(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    solo = client.post("/solo", data={"game": "goa", "bots": "1", "kind": "steady"})
    for path in (lesson(client, "goa")[0], solo.headers["Location"]):
        said = page(client, path)
        assert 'id="chat"' not in said
        assert "/hand-over" not in said
        assert "/resign" not in said
        assert f'href="{path}/cancel"' in said
        client.post(f"{path}/cancel", data={"agree": "yes"})
    with service.reading() as session:
        assert set(session.exec(select(Game.state))) == {GameState.CANCELLED}


def test_a_lesson_speaks_of_no_letters_to_answer(client: FlaskClient, ana: Person) -> None:
    assert "an answer to your turn letter" not in lesson(client, "goa")[1]
    solo = client.post("/solo", data={"game": "goa", "bots": "1", "kind": "steady"})
    assert "an answer to your turn letter" in page(client, solo.headers["Location"])


def alone_and_acted(client: FlaskClient, service: Service) -> str:
    """The path of a game against bots in which its player has acted and the bot has answered."""
    begun = client.post("/solo", data={"game": "vasco-da-gama", "bots": "1", "kind": "steady"})
    path = begun.headers["Location"]
    with service.writing() as session:
        row = session.get_one(Game, int(path.rpartition("/")[2]))
        own = session.exec(select(SeatRow).where(
            SeatRow.game_id == row.id, SeatRow.name == "Ana")).one()
        for _order in range(2):
            rules = positions.table(session, row)
            moves = bots.choose(rules.rules, rules.state, own.number or 0, "steady",
                                Stream(bytes(32), f"steady {rules.number}"))
            order(service, session, row, own.number or 0,
                  "; ".join(map(rules.rules.to_text, moves)))
    return path


def test_who_plays_alone_goes_further_back_at_once_and_is_told_so(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    path = alone_and_acted(client, service)
    assert "Go further back" in plain(page(client, path))
    assert "Ask all" not in plain(page(client, path))

    offered = page(client, f"{path}/back")
    assert "nobody else is asked, and it is done at once" in plain(offered)
    assert "three days" not in plain(offered)
    entry = re.findall(r'name="entry" value="(\d+)"', offered)[0]
    told = client.post(f"{path}/back", data={"entry": entry}, follow_redirects=True).text

    assert "It is taken back." in plain(told)
    assert "All have agreed: it is" not in plain(told)


def test_a_lessons_end_leads_on(client: FlaskClient, service: Service, ana: Person) -> None:
    path, said = lesson(client, "goa")
    assert "Where to go from here" not in said
    with service.writing() as session:
        row = session.get_one(Game, int(path.rpartition("/")[2]))
        play_on(service, session, row, lambda _state: False)
        assert row.state == GameState.FINISHED

    end = page(client, path).partition("Where to go from here")[2].partition("</section>")[0]

    assert 'href="/solo?game=goa"' in end
    assert 'href="/seats"' in end


def test_other_games_have_no_lesson(client: FlaskClient, ana: Person) -> None:
    answer = client.post("/solo", data={"game": "goa", "bots": "1", "kind": "steady"})
    assert 'id="lesson"' not in page(client, answer.headers["Location"])


# ---- once more -----------------------------------------------------------------------------------


@pytest.fixture
def over(service: Service, his: FlaskClient, ana: Person) -> int:
    """A finished game of Ana and Bento."""
    with service.writing() as session:
        return finished(session, service, ("Ana", "Bento"))


def finished(session: Session, service: Service, names: tuple[str, ...]) -> int:
    now = service.clock.now()
    people = [session.exec(select(Person).where(Person.name == name)).one() for name in names]
    game = lobby.open_game(
        session, host=people[0], game_key="vasco-da-gama", title="The winter fleet",
        seats=len(people), chosen_order=True, private=False, components=None, phrase="",
        open_days=30, now=now)
    for guest in people[1:]:
        lobby.join(session, game_id=stored_id(game), person=guest, phrase="", now=now)
    game.state, game.ended = GameState.FINISHED, now
    for place, seat in enumerate(session.exec(select(SeatRow)).all(), start=1):
        seat.place, seat.points, seat.asked_since = place, 40 - place, None
    session.commit()
    return stored_id(game)


def test_a_rematch_is_one_button_and_one_letter(
    client: FlaskClient, service: Service, his: FlaskClient, over: int
) -> None:
    answer = client.post(f"/games/{over}/rematch")
    assert answer.status_code == 303
    new = answer.headers["Location"]
    said = page(client, new)
    assert "Bento" in said
    assert "bento@" not in said
    with service.reading() as session:
        kinds = session.exec(select(Outbox.kind).where(Outbox.kind == "invited")).all()
    assert kinds == ["invited"]

    assert his.post(f"/games/{over}/rematch").headers["Location"] == new
    with service.reading() as session:
        game = session.get_one(Game, int(new.rsplit("/", 1)[1]))
        assert game.state == GameState.RUNNING
        names = session.exec(select(SeatRow.name).where(SeatRow.game_id == game.id)
                             .order_by(SeatRow.number)).all()  # type: ignore[arg-type]
    assert names == ["Bento", "Ana"]


def test_chairs_of_a_rematch_are_kept_for_who_is_invited(
    flask_app: Flask, client: FlaskClient, service: Service, over: int, his: FlaskClient
) -> None:
    new = client.post(f"/games/{over}/rematch").headers["Location"]
    stranger = browser(flask_app, service, somebody(service, "Catarina"))
    assert f"{new}/join" not in page(stranger, "/seats")
    assert "kept for others" in page(stranger, new)
    stranger.post(f"{new}/join")
    assert his.post(f"/games/{over}/rematch").headers["Location"] == new
    with service.reading() as session:
        game = session.get_one(Game, int(new.rsplit("/", 1)[1]))
        assert game.state == GameState.RUNNING


def test_a_chair_of_a_rematch_that_is_declined_is_for_all(
    flask_app: Flask, client: FlaskClient, service: Service, over: int
) -> None:
    new = client.post(f"/games/{over}/rematch").headers["Location"]
    with service.writing() as session:
        invitations.decline(session, session.exec(select(Invitation)).one())
        session.commit()
    stranger = browser(flask_app, service, somebody(service, "Catarina"))
    assert f"{new}/join" in page(stranger, "/seats")
    stranger.post(f"{new}/join")
    with service.reading() as session:
        game = session.get_one(Game, int(new.rsplit("/", 1)[1]))
        assert game.state == GameState.RUNNING


def test_nobody_else_makes_a_rematch(flask_app: Flask, service: Service, over: int) -> None:
    stranger = browser(flask_app, service, somebody(service, "Catarina"))
    assert stranger.post(f"/games/{over}/rematch").status_code == 303
    with service.reading() as session:
        assert len(session.exec(select(Game)).all()) == 1


def test_the_form_opens_a_series_and_its_page_shows_how_it_stands(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    path = opened(client, series="3", title="Spring series")
    assert "game 1 of 3" in page(client, path)
    assert "Spring series" in page(client, "/series/1")


def test_a_series_of_a_private_game_is_seen_by_its_players_alone(
    client: FlaskClient, his: FlaskClient, ana: Person
) -> None:
    opened(client, series="3", visibility="private")
    assert client.get("/series/1").status_code == 200
    assert his.get("/series/1").status_code == 404
    assert his.get("/series/7").status_code == 404


@pytest.mark.parametrize("games", ["9", "0", "many"])
def test_a_series_that_cannot_be_is_refused(
    client: FlaskClient, service: Service, ana: Person, games: str
) -> None:
    answer: Any = client.post("/games/new", data=FORM | CLOCK | {"series": games})
    assert answer.status_code == 400
    with service.reading() as session:
        assert session.exec(select(Game)).all() == []


def test_in_a_series_the_next_game_takes_the_place_of_the_rematch(
    client: FlaskClient, service: Service, over: int
) -> None:
    with service.writing() as session:
        series.begin(session, session.get_one(Game, over), 2, service.clock.now())
        session.commit()
    assert "/rematch" not in page(client, f"/games/{over}/1")
    with service.writing() as session:
        following = series.open_next_game(session, 1, service.clock.now(), open_days=30)
        assert following is not None
        assert following.state == GameState.RUNNING
    said = plain(page(client, "/series/1"))
    assert "1. Ana" in said
    assert "plays" in said
