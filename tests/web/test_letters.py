"""A player's own letters: what became of each, how he wants them, and some once more."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.clock import FixedClock
from pbem.mail import queue
from pbem.mail.delivery import sending
from pbem.mail.letters import build
from pbem.mail.letters.kinds import KINDS
from pbem.mail.server_answers import Outcome, Refused
from pbem.models import Game, LetterState, Outbox, Person, SeatRow
from pbem.service import Service
from pbem.tables import solo
from pbem.web.account.letters import kind_said
from pbem.web.table import page as table_page
from tests.support import tables
from tests.support.doors import browser, enter, letters, somebody
from tests.support.letterfactory import running_game
from tests.support.tables import ANA, BENTO


class Refuses:
    """A mail server that knows nobody here."""

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        return Refused(550, "5.1.1", "5.1.1 no such user", "rcpt")

    def close(self) -> None:
        return None


def due(service: Service, person: Person, **fields: object) -> int:
    """A letter that is due to somebody."""
    about = {"kind": "test"} | fields
    with service.writing() as session:
        row_id = queue.due(session, person_id=person.id, now=service.clock.now(), **about)
        session.commit()
    return row_id or 0


def page(client: FlaskClient, path: str = "/letters") -> str:
    """The page's text, without tags."""
    answer = client.get(path)
    assert answer.status_code == 200
    text = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", answer.get_data(as_text=True))
    return " ".join(html.unescape(text).split())


def rows(service: Service, **about: object) -> list[Outbox]:
    with service.reading() as session:
        return list(session.exec(select(Outbox).filter_by(**about).order_by("id")))


def test_games_alone_without_letters_have_no_rows_among_ones_own(
    client: FlaskClient, service: Service
) -> None:
    person = somebody(service, "Ana")
    enter(client, service, person)
    with service.writing() as session:
        alone = solo.start(session, person=session.get_one(Person, person.id), game_key="goa",
                           bots=1, kind="random", letters=False, now=service.clock.now())
        session.commit()
    due(service, person, kind="turn", game_id=alone.id, entry=7, unwanted=True)
    due(service, person, kind="turn", game_id=her_game(service, person), entry=5, unwanted=True)

    assert page(client).count("you wanted no such letters") == 1


@pytest.fixture
def clara(service: Service) -> Person:
    return somebody(service, "Clara", zone="Europe/Lisbon")


@pytest.fixture
def her(flask_app: Flask, service: Service, clara: Person) -> FlaskClient:
    return browser(flask_app, service, clara)


def her_game(service: Service, clara: Person) -> int:
    """A running game that asks Clara since entry 5."""
    with service.writing() as session:
        other = session.exec(select(Person).where(Person.name == "Other")).first()
        if other is None:
            other = Person(name="Other", address="other@players.example",
                           created=service.clock.now())  # fmt: skip
            session.add(other)
            session.flush()
        game = running_game(session, [session.get_one(Person, clara.id), other],
                            service.clock.now())  # fmt: skip
        session.commit()
    return game.id or 0


# ---- the list -----------------------------------------------------------------------------------


def test_the_page_is_for_its_player_alone(client: FlaskClient) -> None:
    answer = client.get("/letters")

    assert (answer.status_code, answer.headers["Location"]) == (303, "/sign-in?next=/letters")


def test_each_letter_says_what_became_of_it(
    her: FlaskClient, service: Service, clara: Person, clock: FixedClock
) -> None:
    now = service.clock.now()
    game = her_game(service, clara)
    about = {"kind": "turn", "game_id": game}
    due(service, clara)
    assert len(letters(service)) == 1
    due(service, clara, **about, entry=3)
    due(service, clara, **about, entry=2, unwanted=True)
    letters(service)
    due(service, clara, **about, entry=5, not_before=now + timedelta(hours=20))

    said = page(her)

    assert "Test letter" in said
    assert "Accepted by the mail server: Mar 2, 2026, 12:00 Lisbon. The server said: 250 kept" in (
        said.replace("2 Mar 2026", "Mar 2, 2026"))
    assert "Not sent: it was no longer true when it was to leave." in said
    assert "Not sent: you wanted no such letters." in said
    assert "Waits until" in said
    assert "Spring fleet" in said


def test_a_refused_letter_says_what_the_server_said(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    due(service, clara)
    sending.sweep(build, service, Refuses())

    said = page(her)

    assert "Given up:" in said
    assert "550 5.1.1 no such user" in said


def test_a_letter_told_in_another_links_to_it(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    leader = due(service, clara)
    game = her_game(service, clara)
    with service.writing() as session:
        one = queue.due(session, person_id=clara.id, kind="turn", game_id=game, entry=5,
                        now=service.clock.now())
        row = session.get_one(Outbox, one)
        row.state, row.merged_into, row.settled = LetterState.MERGED, leader, service.clock.now()
        session.commit()

    text = her.get("/letters").get_data(as_text=True)

    assert "Told in another letter:" in text
    assert f"#l{leader}" in text
    assert f'id="l{leader}"' in text


def test_letters_of_others_are_not_shown(
    her: FlaskClient, service: Service, flask_app: Flask
) -> None:
    due(service, somebody(service, "Dora"))

    assert "No letter was due to you yet." in page(her)


def test_older_letters_are_on_further_pages_and_a_game_has_its_own_list(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    game = her_game(service, clara)
    for number in range(31):
        due(service, clara, part=number)
    due(service, clara, kind="turn", game_id=game, entry=5)

    text = her.get("/letters").get_data(as_text=True)
    older = re.search(r'href="(/letters\?before=\d+)"', text)

    assert text.count("<li id=") == 30
    assert older is not None
    assert her.get(older[1]).get_data(as_text=True).count("<li id=") == 2
    assert her.get(f"/letters?game={game}").get_data(as_text=True).count("<li id=") == 1


@pytest.mark.parametrize("language", ["en", "hu", "ru", "pt"])
def test_the_page_is_there_in_every_language(
    service: Service, flask_app: Flask, language: str
) -> None:
    person = somebody(service, "Erika", language=language)
    her_game(service, person)
    due(service, person)

    answer = browser(flask_app, service, person).get("/letters")

    assert answer.status_code == 200
    assert f'<html lang="{language}">' in answer.get_data(as_text=True)


# ---- once more ----------------------------------------------------------------------------------


def test_a_test_letter_can_be_had_five_times_a_day(
    her: FlaskClient, service: Service, clock: FixedClock
) -> None:
    for _ in range(6):
        assert her.post("/letters/test").status_code == 303
    assert len(rows(service, kind="test")) == 5
    assert "Ask again tomorrow" in page(her)

    clock.forward(timedelta(days=1, seconds=1))
    her.post("/letters/test")

    assert len(rows(service, kind="test")) == 6


def test_a_letter_that_is_still_true_is_sent_again_whatever_is_wished(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    game = her_game(service, clara)
    first = due(service, clara, kind="turn", game_id=game, entry=5, unwanted=True)

    her.post(f"/letters/{first}/again")
    her.post(f"/letters/{first}/again")

    repeats = rows(service, game_id=game, settled=None)
    assert [(row.entry, row.repeat_of) for row in repeats] == [(5, first), (5, first)]
    her.post(f"/letters/{repeats[0].id}/again")  # it has not left yet
    assert len(rows(service, game_id=game)) == 3


def test_a_letter_that_is_not_true_any_more_is_not_sent_again(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    game = her_game(service, clara)
    first = due(service, clara, kind="turn", game_id=game, entry=3, unwanted=True)

    her.post(f"/letters/{first}/again")

    assert len(rows(service, game_id=game)) == 1
    assert "is not so any more" in page(her)


def test_only_five_letters_a_day_are_sent_again(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    game = her_game(service, clara)
    first = due(service, clara, kind="turn", game_id=game, entry=5, unwanted=True)

    for _ in range(6):
        her.post(f"/letters/{first}/again")

    assert len(rows(service, game_id=game)) == 6


def test_nobody_sends_another_ones_letter_again(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    dora = somebody(service, "Dora")
    game = her_game(service, dora)
    theirs = due(service, dora, kind="turn", game_id=game, entry=5, unwanted=True)

    her.post(f"/letters/{theirs}/again")

    assert len(rows(service, game_id=game)) == 1


# ---- wishes -------------------------------------------------------------------------------------


def stored(service: Service, clara: Person) -> str | None:
    with service.reading() as session:
        return session.get_one(Person, clara.id).letters


@pytest.mark.parametrize(
    ("form", "kept"),
    [
        ({"how": "at_once"}, "at_once"),
        ({"how": "after", "minutes": "15"}, "after 15"),
        ({"how": "digest", "hour": "8"}, "digest 8"),
        ({"how": "none"}, "none"),
        ({"how": "usual"}, "usual"),
    ],
)
def test_a_wish_is_kept_and_shown(
    her: FlaskClient, service: Service, clara: Person, form: dict[str, str], kept: str
) -> None:
    assert her.post("/letters/wishes", data={"of": "all", **form}).status_code == 303

    assert stored(service, clara) == kept
    assert f'value="{form["how"]}" selected' in her.get("/letters").get_data(as_text=True)


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"how": "after", "minutes": "soon"}, 400),
        ({"how": "after", "minutes": "1441"}, 400),
        ({"how": "digest", "hour": "24"}, 400),
        ({"how": "sometimes"}, 400),
        ({"how": "none", "of": "999"}, 404),
    ],
)
def test_a_wish_that_cannot_be_is_told_and_nothing_is_kept(
    her: FlaskClient, service: Service, clara: Person, form: dict[str, str], status: int
) -> None:
    assert her.post("/letters/wishes", data={"of": "all", **form}).status_code == status
    assert stored(service, clara) is None


def test_a_game_may_have_a_wish_of_its_own_and_give_it_up(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    game = her_game(service, clara)
    letter = due(service, clara, kind="turn", game_id=game, entry=5)

    her.post("/letters/wishes", data={"of": str(game), "how": "none"})
    with service.reading() as session:
        seat = session.exec(select(SeatRow).where(SeatRow.person_id == clara.id)).one()
        assert (seat.letters, session.get_one(Person, clara.id).letters) == ("none", None)
        assert session.get_one(Outbox, letter).state == LetterState.UNWANTED
    her.post("/letters/wishes", data={"of": str(game), "how": "general"})

    with service.reading() as session:
        seat = session.exec(select(SeatRow).where(SeatRow.person_id == clara.id)).one()
        assert seat.letters is None
        assert session.get_one(Outbox, letter).state == LetterState.PENDING


def test_a_new_zone_moves_the_hour_of_the_daily_letter(
    her: FlaskClient, service: Service, clara: Person
) -> None:
    game = her_game(service, clara)
    letter = due(service, clara, kind="turn", game_id=game, entry=5)
    her.post("/letters/wishes", data={"of": "all", "how": "digest", "hour": "20"})
    [in_lisbon] = [row.not_before for row in rows(service, id=letter)]

    her.post("/account", data={"name": "Clara", "language": "en", "zone": "Asia/Tokyo"})

    [in_tokyo] = [row.not_before for row in rows(service, id=letter)]
    assert in_lisbon.hour == 20
    assert in_tokyo.hour == 11
    assert in_tokyo > service.clock.now()


# ---- looking ------------------------------------------------------------------------------------


def looked(session: Session, game: Game, number: int) -> object:
    found = tables.seat(session, game, number).looked_at
    session.commit()  # lets others write
    return found


def test_a_player_who_looks_at_his_table_is_noted_at_most_once_a_minute(
    ana: FlaskClient, session: Session, game: Game, service: Service, clock: FixedClock
) -> None:
    first = service.clock.now()
    ana.get(f"/games/{game.id}", buffered=True)
    clock.forward(table_page.EVERY - timedelta(seconds=1))
    ana.get(f"/games/{game.id}", buffered=True)
    assert looked(session, game, ANA) == first

    clock.forward(timedelta(seconds=2))
    ana.get(f"/games/{game.id}", buffered=True)

    assert looked(session, game, ANA) == service.clock.now()
    assert looked(session, game, BENTO) is None


def test_a_head_or_a_visitor_notes_nothing(
    ana: FlaskClient, client: FlaskClient, session: Session, game: Game
) -> None:
    ana.head(f"/games/{game.id}", buffered=True)
    client.get(f"/games/{game.id}", buffered=True)

    assert looked(session, game, ANA) is None


def test_the_game_page_says_how_its_letters_come(
    ana: FlaskClient, client: FlaskClient, game: Game
) -> None:
    link = f"/letters?game={game.id}#wish-{game.id}"

    assert link in ana.get(f"/games/{game.id}").get_data(as_text=True)
    assert link not in client.get(f"/games/{game.id}").get_data(as_text=True)


def test_every_kind_of_letter_is_said_in_words(flask_app: Flask) -> None:
    with flask_app.test_request_context("/letters"):
        said = {kind: kind_said(kind) for kind in KINDS}

    assert all(words != kind for kind, words in said.items())
