"""Lines and names that operators take away are gone wherever they were read; each act is noted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.archive import closing, index, search
from pbem.clock import FixedClock
from pbem.models import Chat, Game, LetterState, Outbox, Person, SeatRow, stored_id
from pbem.models.operators import OperatorAct, Report
from pbem.operators import removal, reports
from pbem.play.refusals import TableRefused
from pbem.service import Service
from pbem.tables import chat
from tests.conftest import NOON
from tests.support.at_table import sign_in
from tests.support.doors import letters, text_of
from tests.support.finished import finished_game
from tests.support.tables import ANA, BENTO, seat

SAID = "Thou scurvy bilgerat"


@pytest.fixture(params=["sqlite", "postgresql"])
def served(request: pytest.FixtureRequest) -> Service:
    """A service on either database."""
    found: Service = request.getfixturevalue(
        "service" if request.param == "sqlite" else "postgres_service")
    return found


@pytest.fixture
def over(served: Service) -> Iterator[tuple[Session, Game, Chat]]:
    """A finished game that the archive knows, and what Eszter has said there."""
    with served.writing() as session:
        game = finished_game(served, session, names=("Eszter", "Fedor"))
        closing.close_game(session, stored_id(game), NOON)
        line = chat.post(session, stored_id(game), player(session, game, 0), SAID, NOON)
        session.commit()
        yield session, game, line


@pytest.fixture
def bento(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, BENTO)
    return browser


def player(session: Session, game: Game, number: int) -> Person:
    return session.get_one(Person, seat(session, game, number).person_id)


def hits(session: Session, **wanted: str) -> int:
    return len(search.find(session, index.Wanted(**wanted), None).hits)


def acts(session: Session) -> list[tuple[str, str, str]]:
    found = session.exec(select(OperatorAct).order_by(OperatorAct.id))
    return [(act.what, act.about, act.why) for act in found if act.what != "operator_added"]


# ---- lines --------------------------------------------------------------------------------------


def test_a_removed_line_is_found_by_no_search(over: tuple[Session, Game, Chat]) -> None:
    session, _, line = over
    assert hits(session, words="bilgerat") == 1

    removal.remove_line(session, None, stored_id(line), "An insult.", now=NOON)
    session.commit()

    assert hits(session, words="bilgerat") == 0
    assert session.get_one(Chat, line.id).text == ""
    assert acts(session) == [("chat_removed", f"c{line.id}", "An insult.")]


def test_removing_a_line_twice_is_noted_once(over: tuple[Session, Game, Chat]) -> None:
    session, _, line = over
    for _click in range(2):
        removal.remove_line(session, None, stored_id(line), "An insult.", now=NOON)

    assert len(acts(session)) == 1
    assert removal.remove_line(session, None, 999_999, "?", now=NOON) is None


def test_a_removed_line_leaves_its_place_on_pages_kept_or_not(
    desk: FlaskClient, client: FlaskClient, service: Service, session: Session
) -> None:
    over = finished_game(service, session, names=("Eszter", "Fedor"))
    line = chat.post(session, stored_id(over), player(session, over, 0), SAID, NOON)
    session.commit()
    path = f"/games/{over.id}"
    assert SAID in client.get(path).text
    tag = client.get(path).headers["ETag"]
    assert f'href="/operator/talk/{line.id}"' in desk.get(f"/talk/{line.id}").text

    after = desk.post(f"/operator/talk/{line.id}/remove", data={"why": "An insult."},
                      follow_redirects=True).text

    assert "The line is removed, wherever it is read." in after
    shown = client.get(path, headers={"If-None-Match": tag})
    assert shown.status_code == 200
    assert SAID not in shown.text
    assert "removed by an operator" in shown.text


def test_a_letter_that_was_built_and_has_not_left_is_built_anew_without_it(
    service: Service, session: Session, game: Game
) -> None:
    line = chat.post(session, stored_id(game), player(session, game, BENTO), SAID, NOON)
    waiting = session.exec(select(Outbox).where(
        Outbox.kind == "turn", Outbox.state == LetterState.PENDING)).one()
    waiting.raw = f"What was said: {SAID}".encode()
    session.add(waiting)
    session.commit()

    removal.remove_line(session, None, stored_id(line), "An insult.", now=NOON)
    session.commit()

    [letter] = [one for one in letters(service) if "Your turn" in str(one["Subject"])]
    assert SAID not in letter.as_string()
    assert "removed by an operator" in text_of(letter)


def test_an_act_needs_its_reason(desk: FlaskClient, session: Session, game: Game) -> None:
    line = chat.post(session, stored_id(game), player(session, game, BENTO), SAID, NOON)
    session.commit()

    assert desk.post(f"/operator/talk/{line.id}/remove", data={"why": " "}).status_code == 400

    session.expire_all()
    assert session.get_one(Chat, line.id).text == SAID
    assert acts(session) == []


# ---- names --------------------------------------------------------------------------------------


def test_a_name_goes_from_account_games_talk_and_search(over: tuple[Session, Game, Chat]) -> None:
    session, game, line = over
    eszter = player(session, game, 0)
    name = f"Player {eszter.id}"

    removal.remove_name(session, None, eszter, "An offence.", now=NOON)
    session.commit()
    session.expire_all()

    assert (eszter.name, seat(session, game, 0).name) == (name, name)
    assert session.get_one(Chat, line.id).name == name
    assert hits(session, player="Eszter") == 0
    assert hits(session, player=name) == 1
    assert acts(session) == [("name_removed", f"p{eszter.id}", "An offence.")]


def test_visitors_who_have_kept_the_page_read_the_new_name(
    client: FlaskClient, service: Service, session: Session
) -> None:
    over = finished_game(service, session, names=("Eszter", "Fedor"))
    session.commit()
    path = f"/games/{over.id}"
    tag = client.get(path).headers["ETag"]
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304

    removal.remove_name(session, None, player(session, over, 0), "An offence.", now=NOON)
    session.commit()

    again = client.get(path, headers={"If-None-Match": tag})
    assert again.status_code == 200
    assert "Eszter" not in again.text


def test_another_name_can_be_chosen_after_thirty_days(
    bento: FlaskClient, desk: FlaskClient, clock: FixedClock, session: Session, game: Game
) -> None:
    his = seat(session, game, BENTO).person_id
    session.commit()
    desk.post(f"/operator/players/{his}/name", data={"why": "An offence."})
    wish = {"name": "Benedito", "language": "en", "zone": "UTC"}

    answer = bento.post("/account", data=wish)
    assert answer.status_code == 400
    assert "An operator of this site has given you this name" in answer.text
    assert bento.post("/account", data=wish | {"name": f"Player {his}"}).status_code == 303
    clock.forward(removal.NAME_STAYS)
    assert bento.post("/account", data=wish).status_code == 303


# ---- talk ---------------------------------------------------------------------------------------


def test_who_is_mute_says_nothing_until_his_time_is_over(
    desk: FlaskClient, session: Session, game: Game, clock: FixedClock
) -> None:
    his = seat(session, game, BENTO).person_id
    session.commit()
    desk.post(f"/operator/players/{his}/talk", data={"days": "7", "why": "Insults."})
    session.expire_all()

    with pytest.raises(TableRefused) as why:
        chat.post(session, stored_id(game), player(session, game, BENTO), "Hello", clock.now())
    assert "until 2026-03-09" in why.value.said("en")
    chat.post(session, stored_id(game), player(session, game, ANA), "Hello", clock.now())

    clock.forward(timedelta(days=7))
    chat.post(session, stored_id(game), player(session, game, BENTO), "Hello", clock.now())
    assert acts(session) == [("muted", f"p{his}", "Insults.")]


def test_the_log_says_for_how_many_days_somebody_s_talk_was_ended(
    desk: FlaskClient, session: Session, game: Game
) -> None:
    his = seat(session, game, BENTO).person_id
    session.commit()
    desk.post(f"/operator/players/{his}/talk", data={"days": "7", "why": "Insults."})
    assert "</a>, 7 days<" in desk.get("/operator/acts").text
    desk.post(f"/operator/players/{his}/talk", data={"days": "0", "why": "Said sorry."})
    assert desk.get("/operator/acts").text.count("days<") == 1


# ---- reports ------------------------------------------------------------------------------------


@pytest.fixture
def reported(session: Session, game: Game) -> Report:
    """Ana about what Bento has said."""
    line = chat.post(session, stored_id(game), player(session, game, BENTO), SAID, NOON)
    made = reports.report(session, player(session, game, ANA), player(session, game, BENTO),
                            "An insult.", NOON, line=line)
    session.commit()
    return made


def test_a_report_is_settled_with_a_letter_to_who_made_it(
    desk: FlaskClient, service: Service, session: Session, reported: Report
) -> None:
    letters(service)
    waiting = desk.get("/operator/reports").text
    assert "Ana about Bento" in waiting
    assert SAID in waiting

    for outcome in ("The line is gone.", "Something else"):
        desk.post(f"/operator/reports/{reported.id}", data={"outcome": outcome})
    assert "This comes too late" in desk.get("/operator/reports").text

    [letter] = letters(service)
    assert "ana@" in str(letter["To"])
    assert str(letter["Subject"]) == "What became of your report"
    assert "The line is gone." in text_of(letter)
    assert "An insult." in text_of(letter)
    session.expire_all()
    assert acts(session) == [("report_settled", f"r{reported.id}", "The line is gone.")]
    assert "No report waits." in desk.get("/operator/reports").text


def test_a_report_keeps_the_line_that_was_removed(
    desk: FlaskClient, session: Session, reported: Report
) -> None:
    desk.post(f"/operator/talk/{reported.chat_id}/remove", data={"why": "An insult."})

    shown = desk.get("/operator/reports").text
    assert SAID in shown
    assert "The line is removed." in shown


def test_reports_that_wait_are_counted_on_all_pages_of_operators(
    desk: FlaskClient, reported: Report
) -> None:
    assert "Reports (1)" in desk.get("/operator").text
    desk.post(f"/operator/reports/{reported.id}", data={"outcome": "The line is gone."})
    assert "Reports (" not in desk.get("/operator").text


def test_an_operator_reads_no_talk_of_private_tables_but_what_is_reported(
    desk: FlaskClient, session: Session, game: Game, reported: Report
) -> None:
    game.private = True
    session.add(game)
    his = player(session, game, BENTO)
    line = chat.post(session, stored_id(game), his, "Among ourselves", NOON)
    session.commit()

    shown = desk.get(f"/operator/players/{his.id}").text
    assert SAID in shown
    assert "Among ourselves" not in shown
    assert desk.get(f"/operator/talk/{reported.chat_id}").status_code == 200
    assert desk.get(f"/operator/talk/{line.id}").status_code == 404
    gone = desk.post(f"/operator/talk/{line.id}/remove", data={"why": "Curious."})
    assert gone.status_code == 404
    session.expire_all()
    assert session.get_one(Chat, line.id).removed is None


def test_an_operator_who_sits_at_a_private_table_reads_its_talk(
    desk: FlaskClient, session: Session, game: Game, olga: Person
) -> None:
    his = player(session, game, BENTO)
    line = chat.post(session, stored_id(game), his, "Among ourselves", NOON)
    chair = seat(session, game, ANA)
    game.private, chair.person_id = True, stored_id(olga)
    session.add_all([game, chair])
    session.commit()

    assert "Among ourselves" in desk.get(f"/operator/players/{his.id}").text
    assert desk.get(f"/operator/talk/{line.id}").status_code == 200


def test_a_report_is_not_settled_without_a_word(
    desk: FlaskClient, session: Session, reported: Report
) -> None:
    desk.post(f"/operator/reports/{reported.id}", data={"outcome": "  "})

    assert "Say what became of it" in desk.get("/operator/reports").text
    session.expire_all()
    assert session.get_one(Report, reported.id).settled is None
    assert reports.waiting(session) == 1


@pytest.mark.parametrize("path", [
    "/operator/reports", "/operator/talk/1", "/operator/players/1",
    "/operator/reports/1", "/operator/talk/1/remove", "/operator/players/1/name",
    "/operator/players/1/talk"])
def test_nobody_else_finds_these_pages(
    bento: FlaskClient, client: FlaskClient, session: Session, reported: Report, path: str
) -> None:
    for browser in (bento, client):
        assert browser.get(path).status_code == 404
        assert browser.post(path, data={"why": "?", "outcome": "?", "days": "1"}
                            ).status_code == 404
    session.expire_all()
    assert acts(session) == []
    assert session.exec(select(SeatRow.name).where(SeatRow.number == BENTO)).first() == "Bento"
