"""Seats that change hands, on pages without script: handed over, taken, offered, voted about."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.accounts import auth
from pbem.clock import FixedClock
from pbem.models import Game, Invitation, InvitationState, Outbox, Person, SeatRow, stored_id
from pbem.play import advance
from pbem.play.log import Writer
from pbem.service import Service
from pbem.tables import invitations, votes
from pbem.web.context import COOKIE
from tests.support.at_table import sign_in
from tests.support.doors import letters, path_in
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE, seat
from tests.unit.test_lobby import open_game
from tests.web.test_seat import text_of, url


@pytest.fixture
def guest(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    """Xenia, signed in, who sits nowhere."""
    now = service.clock.now()
    who = Person(name="Xenia", address="xenia@players.example", created=now)
    session.add(who)
    session.flush()
    secret = auth.open_session(session, stored_id(who), agent="test", now=now)
    session.commit()
    browser = flask_app.test_client()
    browser.set_cookie(COOKIE, secret)
    return browser


def hand_over(browser: FlaskClient, game: Game) -> str:
    return text_of(browser.post(url(game, "/hand-over"), follow_redirects=True).text)


def test_handing_over_asks_back_and_makes_a_spectator(
    ana: FlaskClient, bento: FlaskClient, game: Game
) -> None:
    assert url(game, "/hand-over") in bento.get(url(game)).text
    asked = bento.get(url(game, "/hand-over")).text
    assert "see no more than anybody who does" in asked

    told = hand_over(bento, game)

    assert "You have handed your seat over." in told
    page = bento.get(url(game)).text
    assert "I am back: take my seat again" in page
    assert "Take back my last orders" not in page
    assert "Bento : handed over." in text_of(ana.get(url(game)).text)
    assert bento.get(url(game, "/hand-over")).status_code == 303


def test_looking_at_the_page_hands_nothing_over(
    bento: FlaskClient, session: Session, game: Game
) -> None:
    bento.get(url(game, "/hand-over"))

    assert seat(session, game, BENTO).left is None


def test_anybody_takes_the_seat_and_the_page_says_who_sat_there(
    bento: FlaskClient, guest: FlaskClient, session: Session, game: Game
) -> None:
    hand_over(bento, game)
    assert "Take this seat over" in guest.get(url(game)).text

    told = guest.post(url(game, f"/seats/{BENTO + 1}/take"), follow_redirects=True).text

    assert "The seat is yours." in told
    assert "Xenia : until entry" in text_of(told)
    assert "Bento played here." in text_of(told)
    assert seat(session, game, BENTO).name == "Xenia"
    assert "take my seat again" not in bento.get(url(game)).text


def test_who_is_not_signed_in_is_sent_to_the_sign_in_and_back(
    client: FlaskClient, bento: FlaskClient, session: Session, game: Game
) -> None:
    hand_over(bento, game)

    assert "Sign in to take it over" in client.get(url(game)).text
    answer = client.post(url(game, f"/seats/{BENTO + 1}/take"))
    assert "/sign-in" in answer.headers["Location"]
    assert seat(session, game, BENTO).left == "handover"


def test_players_are_offered_no_second_seat(ana: FlaskClient, bento: FlaskClient, game: Game
                                            ) -> None:
    hand_over(bento, game)

    page = ana.get(url(game)).text
    assert "Take this seat over" not in page
    refused = ana.post(url(game, f"/seats/{BENTO + 1}/take"), follow_redirects=True).text
    assert "You have a seat in this game already." in refused


@pytest.fixture
def vacant(bento: FlaskClient, game: Game) -> Game:
    """The game, with Bento's seat handed over."""
    hand_over(bento, game)
    return game


def held(service: Service, game: Game) -> SeatRow:
    """Bento's seat, as it is now."""
    with service.reading() as session:
        return seat(session, game, BENTO)


def test_a_letter_offers_the_seat_and_its_page_seats_who_accepts(
    ana: FlaskClient, guest: FlaskClient, service: Service, vacant: Game
) -> None:
    game = vacant
    ana.post(url(game, f"/seats/{BENTO + 1}/invite"), data={"address": "xenia@players.example"})

    letter = next(one for one in letters(service) if "take over" in str(one["Subject"]))
    assert "Bento's" in letter.get_body(("plain",)).get_content()
    path = path_in(letter, "/invitations/")
    assert "Take the seat over" in guest.get(path).text
    guest.post(path, data={"answer": "accept"})

    assert held(service, game).name == "Xenia"
    assert "This invitation was accepted." in guest.get(path).text


def test_nobody_is_invited_to_a_seat_of_a_game_that_waits_for_players(
    bento: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    waiting = open_game(session, session.get_one(Person, game.host_id))
    session.commit()

    answer = bento.post(url(waiting, "/seats/1/invite"), follow_redirects=True,
                        data={"address": "gil@players.example"})

    assert "This game does not run." in answer.text


def test_nobody_is_invited_to_a_seat_that_has_a_player(bento: FlaskClient, game: Game) -> None:
    answer = bento.post(url(game, "/seats/1/invite"), follow_redirects=True,
                        data={"address": "gil@players.example"})

    assert "This seat has a player." in answer.text


def test_who_does_not_play_is_told_that_before_anything_of_the_seats(
    guest: FlaskClient, game: Game
) -> None:
    for place in (1, 99):
        answer = guest.post(url(game, f"/seats/{place}/invite"), follow_redirects=True,
                            data={"address": "gil@players.example"})
        assert "Only who plays in this game can do that." in answer.text
        assert "This seat has a player." not in answer.text


def test_an_invitation_to_a_seat_that_is_taken_seats_nobody(
    ana: FlaskClient, bento: FlaskClient, guest: FlaskClient, service: Service, vacant: Game
) -> None:
    game = vacant
    ana.post(url(game, f"/seats/{BENTO + 1}/invite"), data={"address": "yara@players.example"})
    invited = invitation(service)
    path = f"/invitations/{invitations.invitation_token(service.settings.keys, invited)}"
    bento.post(url(game, f"/seats/{BENTO + 1}/take"))

    assert "The seat is not free any more" in guest.get(path).text
    guest.post(path, data={"answer": "accept"})

    assert held(service, game).name == "Bento"
    assert invitation(service).state == InvitationState.WITHDRAWN


def invitation(service: Service) -> Invitation:
    with service.reading() as session:
        return session.exec(select(Invitation)).one()


@pytest.fixture
def missed(session: Session, game: Game, clock: FixedClock) -> Game:
    """The game, in which the others are asked about Ana."""
    game.clock, game.at_zero = "each 24", "vote"
    session.add(game)
    session.commit()
    miss(session, game, clock)
    return game


def test_the_table_asks_for_votes_and_counts_them(
    bento: FlaskClient, catarina: FlaskClient, missed: Game, session: Session
) -> None:
    game, others = missed, [bento, catarina]
    page = bento.get(url(game)).text
    assert "Ana does not answer" in page
    assert 'value="cancel"' in page
    told = []
    for browser in others:
        told.append(text_of(browser.post(
            url(game, f"/seats/{ANA + 1}/vote"), data={"answer": "replace"},
            follow_redirects=True).text))

    assert "Your word is kept." in told[0]
    assert "It is decided: a player of the service&#39;s own plays on for the seat" in told[1]
    assert "Your word is kept." not in told[1]
    assert seat(session, game, ANA).left == "dropped"
    assert "Ana : did not answer in time." in text_of(bento.get(url(game)).text)


def test_who_decides_to_wait_is_told_so(
    bento: FlaskClient, catarina: FlaskClient, missed: Game
) -> None:
    for browser in (bento, catarina):
        told = browser.post(url(missed, f"/seats/{ANA + 1}/vote"), data={"answer": "wait"},
                            follow_redirects=True).text

    assert "It is decided: the game waits, with all the time of a decision again." in told


@pytest.fixture
def duarte(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, DUARTE)
    return browser


def test_who_decides_to_cancel_is_told_so(
    bento: FlaskClient, catarina: FlaskClient, duarte: FlaskClient, missed: Game
) -> None:
    for browser in (bento, catarina, duarte):
        told = browser.post(url(missed, f"/seats/{ANA + 1}/vote"), data={"answer": "cancel"},
                            follow_redirects=True).text

    assert "It is decided: the game is cancelled." in told


def test_who_is_missed_is_not_asked_about_himself(ana: FlaskClient, missed: Game) -> None:
    page = ana.get(url(missed)).text

    assert 'name="answer"' not in page


def test_who_is_missed_is_spoken_to_himself(
    ana: FlaskClient, bento: FlaskClient, missed: Game
) -> None:
    own = ana.get(url(missed)).text.partition('id="vote"')[2].partition("</section>")[0]
    others = bento.get(url(missed)).text.partition('id="vote"')[2].partition("</section>")[0]

    assert "If you answer now, the game goes on with you." in own
    assert "Ana" not in own
    assert "If Ana answers before, the game goes on." in others
    assert "you answer" not in others


@pytest.fixture
def catarina(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, CATARINA)
    return browser


def miss(session: Session, game: Game, clock: FixedClock) -> None:
    """Ana's time is over."""
    writer = Writer.locked(session, stored_id(game), clock.now())
    assert writer is not None
    writer.note(ANA, cause="overtime")
    votes.open_vote_about(writer, ANA)
    advance.settle(writer, advance.people_of(session, writer.seats), timedelta(0))
    session.commit()


def test_the_vote_letter_leads_to_the_page(
    service: Service, session: Session, game: Game, clock: FixedClock
) -> None:
    letters(service)
    game.clock, game.at_zero = "each 24", "vote"
    session.add(game)
    session.commit()
    miss(session, game, clock)

    asked = [one for one in letters(service) if "does not answer" in str(one["Subject"])]

    assert len(asked) == 3
    assert f"/games/{game.id}#vote" in asked[0].get_body(("plain",)).get_content()
    html = asked[0].get_body(("html",)).get_content()
    assert "Replace" in html


def test_a_vote_that_is_decided_is_asked_no_more_and_its_end_is_told(
    service: Service, session: Session, game: Game, clock: FixedClock, bento: FlaskClient
) -> None:
    letters(service)
    game.clock, game.at_zero = "each 24", "vote"
    session.add(game)
    session.commit()
    miss(session, game, clock)
    clock.forward(timedelta(minutes=7))
    for number in (BENTO, CATARINA):
        votes.answer(session, stored_id(game), seat(session, game, number).person_id, clock.now(),
                     seat=ANA, said="wait")

    sent = letters(service)
    assert not [one for one in sent if "does not answer" in str(one["Subject"])]
    assert session.exec(select(Outbox).where(Outbox.kind == "vote")).first() is not None
    [own] = [one for one in sent if "The others wait for you" in str(one["Subject"])]
    for form in ("plain", "html"):
        said = " ".join(own.get_body((form,)).get_content().split())
        assert "you have all the time of a decision again" in said
        assert "It ends on" in said
    told = [one for one in sent if "It is decided to wait" in str(one["Subject"])]
    said = told[0].get_body(("plain",)).get_content()
    assert "wait for Ana, who has" in said
    assert "13:00 U" in " ".join(said.split()), "another's time is told by the hour"


def test_a_page_that_shows_a_vacant_seat_is_not_kept_when_it_is_taken(
    bento: FlaskClient, ana: FlaskClient, guest: FlaskClient, game: Game
) -> None:
    hand_over(bento, game)
    ana.get(url(game))  # says once what there is to say
    tag = ana.get(url(game)).headers["ETag"]
    assert ana.get(url(game), headers={"If-None-Match": tag}).status_code == 304
    guest.post(url(game, f"/seats/{BENTO + 1}/take"))

    assert ana.get(url(game), headers={"If-None-Match": tag}).status_code == 200


def test_an_account_ends_in_the_middle_of_a_game(
    bento: FlaskClient, ana: FlaskClient, session: Session, game: Game
) -> None:
    assert "You play in 1 running game" in bento.get("/account/leave").text
    bento.post("/account/leave")

    left = seat(session, game, BENTO)
    assert (left.left, left.name) == ("handover", f"Former player {left.person_id}")
    page = ana.get(url(game)).text
    assert "handed over" in page
    assert "Bento" not in page


# ---- waiting and vacations ----------------------------------------------------------------------


def test_who_waits_for_seats_says_so_on_the_account_page(guest: FlaskClient) -> None:
    assert "I would take over seats in" in guest.get("/account").text
    guest.post("/account/substitute", data={"game": ["goa"]})

    page = guest.get("/account").text
    assert 'value="goa" checked' in page
    assert 'value="vasco-da-gama" checked' not in page
    guest.post("/account/substitute")
    assert 'value="goa" checked' not in guest.get("/account").text


def test_no_unknown_game_is_waited_for(guest: FlaskClient) -> None:
    assert guest.post("/account/substitute", data={"game": "chess"}).status_code == 400


def test_a_vacation_from_a_later_day_is_seen_beforehand_and_taken_back(
    ana: FlaskClient, bento: FlaskClient, game: Game
) -> None:
    ana.post("/account/vacation", data={"days": "5", "from": "2026-03-10"})

    assert "Ana : away from Mar 10, 2026, 00:00" in text_of(bento.get(url(game)).text)
    assert "25 are left now" in ana.get("/account").text
    ana.post("/account/vacation/1/end")
    assert "away from" not in bento.get(url(game)).text
    assert "30 are left now" in ana.get("/account").text


def test_days_that_cannot_be_are_refused_with_the_reason(ana: FlaskClient) -> None:
    for day in ("2026-02-30", "yesterday", "2026-03-01", "2031-01-01"):
        refused = ana.post("/account/vacation", data={"days": "5", "from": day},
                           follow_redirects=True).text
        assert "A vacation begins now or within a year" in refused


def test_nobody_ends_the_vacation_of_another(ana: FlaskClient, bento: FlaskClient, game: Game
                                             ) -> None:
    ana.post("/account/vacation", data={"days": "5"})
    bento.post("/account/vacation/1/end")

    assert "away until" in bento.get(url(game)).text


def test_who_has_left_for_good_is_called_so_in_the_readers_language(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    session.get_one(Person, seat(session, game, ANA).person_id).language = "ru"
    seat(session, game, BENTO).name = "Former player 12"
    session.commit()

    page = ana.get(url(game)).text

    assert "Бывший игрок 12" in page
    assert "Former player" not in page
