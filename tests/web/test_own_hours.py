"""When somebody's time counts, as it is set on the account page and as clocks follow it."""

from __future__ import annotations

import html
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.clock import FixedClock
from pbem.clocks import terms
from pbem.models import Game, Person, SeatRow, stored_id
from pbem.privacy import own_data
from pbem.service import Service
from pbem.tables import lobby
from tests.support.doors import browser, enter, somebody

HOURS: Mapping[str, Any] = {"from": "8", "to": "22", "weekday": ["1", "2", "3", "4", "5"],
                            "holidays": "2026-12-25\r\n2026-12-24\r\n2026-12-24\r\n"}
ALL_DAYS = ["1", "2", "3", "4", "5", "6", "7"]


@pytest.fixture
def ana(client: FlaskClient, service: Service) -> Person:
    """Ana, in Budapest, signed in with `client`."""
    made = somebody(service, "Ana")
    with service.writing() as session:
        session.get_one(Person, made.id).zone = "Europe/Budapest"
        session.commit()
    enter(client, service, made)
    return made


def stored(service: Service, who: Person) -> Person:
    with service.reading() as session:
        return session.get_one(Person, who.id)


def page(client: FlaskClient) -> str:
    return html.unescape(client.get("/account").text)


def test_hours_weekdays_and_holidays_are_kept_and_shown_again(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    done = client.post("/account/time", data=HOURS)

    assert (done.status_code, done.headers["Location"]) == (303, "/account#h-time")
    kept = stored(service, ana)
    assert (kept.awake, kept.holidays) == ("8-22 12345", "2026-12-24 2026-12-25")
    shown = page(client)
    assert '<option value="8" selected>08:00' in shown
    assert '<option value="22" selected>22:00' in shown
    assert shown.count('name="weekday"') == 7
    assert shown.count("checked><span>") == 5
    assert "2026-12-24\n2026-12-25</textarea>" in shown
    assert "From (in Budapest)" in shown


def test_whole_days_all_week_are_no_hours_of_ones_own(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    client.post("/account/time", data=HOURS)

    client.post("/account/time", data={"from": "0", "to": "24", "weekday": ALL_DAYS,
                                       "holidays": ""})

    kept = stored(service, ana)
    assert (kept.awake, kept.holidays) == (None, None)


def test_hours_may_go_over_midnight(client: FlaskClient, service: Service, ana: Person) -> None:
    client.post("/account/time", data=HOURS | {"from": "22", "to": "6"})

    assert stored(service, ana).awake == "22-6 12345"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"from": "8", "to": "8"}, "so no time would ever count"),
        ({"to": "9", "weekday": ["1"]}, "At least 10 hours a week have to count."),
        ({"weekday": []}, "Choose at least one weekday"),
        ({"weekday": ["8"]}, "Choose at least one weekday"),
        ({"from": "25"}, "Hours go from 0:00 to 24:00."),
        ({"from": "noon"}, "“noon” is no whole number."),
        ({"holidays": "24.12.2026"}, "“24.12.2026” is no date. Write dates as 2026-12-24"),
        ({"holidays": "2026-02-30"}, "“2026-02-30” is no date."),
        ({"holidays": "<b>"}, "“<b>” is no date."),
        ({"holidays": "\n".join(f"{year}-01-01" for year in range(2026, 2087))},
         "These are too many dates: 60 are the most."),
    ],
)  # fmt: skip
def test_hours_that_cannot_be_change_nothing_and_say_why(
    client: FlaskClient, service: Service, ana: Person, fields: dict[str, Any], why: str
) -> None:
    answer = client.post("/account/time", data=HOURS | fields)

    assert answer.status_code == 400
    assert why in html.unescape(answer.text)
    assert "<b>” is no date" not in answer.text
    kept = stored(service, ana)
    assert (kept.awake, kept.holidays) == (None, None)


def test_a_refused_form_keeps_what_was_typed(client: FlaskClient, ana: Person) -> None:
    answer = client.post("/account/time", data=HOURS | {"holidays": "2026-12-24\nsoon"})

    assert "2026-12-24\nsoon</textarea>" in answer.text
    assert '<option value="8" selected>' in answer.text


def test_a_visitor_is_led_to_sign_in(client: FlaskClient) -> None:
    assert "/sign-in" in client.post("/account/time", data=HOURS).headers["Location"]


def test_ones_own_data_hold_them(client: FlaskClient, service: Service, ana: Person) -> None:
    client.post("/account/time", data=HOURS)

    with service.reading() as session:
        told = own_data.own_data(session, session.get_one(Person, ana.id), service.clock.now())

    assert told["account"]["awake"] == "8-22 12345"
    assert told["account"]["holidays"] == "2026-12-24 2026-12-25"


@pytest.mark.parametrize(
    ("language", "said", "monday"),
    [("en", "When my time counts", "Monday"), ("hu", "Mikor számít az időm", "hétfő"),
     ("ru", "Когда идёт моё время", "понедельник"), ("pt", "Quando conta o meu tempo", "segunda")],
)  # fmt: skip
def test_the_form_is_in_the_readers_language(
    flask_app: object, service: Service, language: str, said: str, monday: str
) -> None:
    shown = page(browser(flask_app, service, somebody(service, "Reader", language=language)))

    assert said in shown
    assert monday in shown


# ---- clocks follow ------------------------------------------------------------------------------

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)  # ten o'clock in Budapest


@pytest.fixture
def timed(service: Service, clock: FixedClock, ana: Person) -> Game:
    """A running game whose clock counts own hours; Ana is asked, with 24 hours."""
    clock.forward(MONDAY - clock.now())
    with service.writing() as session:
        bento = Person(name="Bento", address="bento@players.example", created=MONDAY)
        session.add(bento)
        session.flush()
        game = lobby.open_game(
            session, host=bento, game_key="vasco-da-gama", title="", seats=2, chosen_order=True,
            private=False, components=None, phrase="", open_days=30, now=MONDAY,
            terms=terms.read("each 24 awake", "default", "50 10"))
        lobby.join(session, game_id=stored_id(game), person=session.get_one(Person, ana.id),
                   phrase="", now=MONDAY)
        session.commit()
        return game


def due(service: Service, game: Game, who: Person) -> datetime | None:
    with service.reading() as session:
        return session.exec(select(SeatRow.due).where(
            SeatRow.game_id == game.id, SeatRow.person_id == who.id)).one()


def test_a_deadline_follows_new_hours(
    client: FlaskClient, service: Service, ana: Person, timed: Game
) -> None:
    assert due(service, timed, ana) == datetime(2026, 3, 3, 9, tzinfo=UTC)

    client.post("/account/time", data=HOURS | {"holidays": "2026-03-03"})

    # Monday from ten until twenty-two, no Tuesday, Wednesday from eight until twenty.
    assert due(service, timed, ana) == datetime(2026, 3, 4, 19, tzinfo=UTC)


def test_what_was_used_until_now_counts_by_the_old_hours(
    client: FlaskClient, service: Service, clock: FixedClock, ana: Person, timed: Game
) -> None:
    clock.forward(datetime(2026, 3, 3, 4, tzinfo=UTC) - clock.now())  # 19 hours, night and all

    client.post("/account/time", data=HOURS | {"holidays": ""})

    assert due(service, timed, ana) == datetime(2026, 3, 3, 12, tzinfo=UTC)


def test_a_deadline_follows_its_player_into_another_zone(
    client: FlaskClient, service: Service, ana: Person, timed: Game
) -> None:
    client.post("/account/time", data=HOURS | {"holidays": ""})
    assert due(service, timed, ana) == datetime(2026, 3, 3, 19, tzinfo=UTC)

    client.post("/account", data={"name": "Ana", "language": "en", "zone": "Pacific/Kiritimati"})

    # It is Monday, 23:00 there: Tuesday's fourteen hours, and ten of Wednesday's.
    assert due(service, timed, ana) == datetime(2026, 3, 4, 4, tzinfo=UTC)


def test_hours_that_flee_from_the_deadline_again_and_again_do_not_put_it_off(
    client: FlaskClient, service: Service, clock: FixedClock, ana: Person, timed: Game
) -> None:
    early, late = HOURS | {"from": "1", "to": "5"}, HOURS | {"from": "18", "to": "22"}
    answers = []
    for day in range(6):
        for hour, fields in ((6, late), (17, early)):
            clock.forward(datetime(2026, 3, 3 + day, hour, tzinfo=UTC) - clock.now())
            answers.append(client.post("/account/time", data=fields))

    refused = [answer for answer in answers if answer.status_code == 400]
    assert refused
    assert f"Game {timed.id} waits for you" in refused[0].text
    at = due(service, timed, ana)
    assert at is not None
    assert at < datetime(2026, 4, 1, tzinfo=UTC)
