"""Two at once about one account, on both databases: one outcome, and nobody meets an error."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.accounts import auth
from pbem.cli import erase_player
from pbem.clock import FixedClock
from pbem.models import Game, Person, SeatRow, stored_id
from pbem.operators import people, recovery
from pbem.play.refusals import TableRefused
from pbem.service import Service
from pbem.tables import invitations, seats, vacation
from pbem.web.app import build
from tests.conftest import NOON, Enqueuer
from tests.support.doors import enter
from tests.support.racing import Act, a_game, at_once, send, several, sound, store
from tests.support.tables import BENTO, CATARINA, person, seat
from tests.support.timed import FIRST
from tests.unit.test_lobby import open_game

__all__ = ["store"]


def test_a_recovery_and_a_second_address_leave_no_way_in_by_the_old_owner(
    store: Service, clock: FixedClock
) -> None:
    for number in several(store):
        with store.writing() as session:
            name = f"Gil{'abc'[number]}"
            gil = person(session, name, NOON)
            olga = person(session, f"Olga{number}", NOON)
            people.make(session, olga, NOON)
            begun = recovery.begin(session, olga, gil, f"new{number}@elsewhere.example", "lost",
                                   now=NOON)
            recovery.confirm(session, stored_id(begun), NOON)
            late = NOON + timedelta(hours=73)
            asked = auth.ask_for_second_address(
                session, person=gil, address=f"thief{number}@elsewhere.example",
                browser="b" * 43, now=late)
            link, _code = auth.issue_secrets(session, asked, late)
            session.commit()
            who, what = stored_id(gil), stored_id(begun)

        def prove(session: Session, link: str = link, who: int = who, late: Any = late) -> None:
            proved = auth.prove_by_link(session, link, late)
            auth.confirm_second_address(session, proved, session.get_one(Person, who))

        found = at_once(store, prove, lambda session: recovery.carry_out(
            session, what, late))  # noqa: B023

        assert found[1] == "done"
        assert found[0] in ("done", "not_proved")
        with store.reading() as session:
            gil = session.get_one(Person, who)
            assert (gil.address, gil.second_address) == (f"new{number}@elsewhere.example", None)


def test_two_who_begin_a_recovery_of_one_account_begin_one(store: Service) -> None:
    with store.writing() as session:
        gil, olga = person(session, "Gil", NOON), person(session, "Olga", NOON)
        people.make(session, olga, NOON)
        session.commit()
        gil_id, olga_id = stored_id(gil), stored_id(olga)

    def begin(number: int) -> Act:
        def act(session: Session) -> None:
            try:
                recovery.begin(session, session.get_one(Person, olga_id),
                               session.get_one(Person, gil_id),
                               f"new{number}@elsewhere.example", "lost", now=NOON)
            except recovery.RecoveryRefused as refused:
                raise TableRefused(refused.key) from None

        return act

    assert sorted(at_once(store, begin(1), begin(2))) == ["done", "open"]


def test_who_is_erased_while_he_moves_leaves_a_game_that_goes_on(store: Service) -> None:
    game_id = a_game(store)
    with store.reading() as session:
        game = session.get_one(Game, game_id)
        who = seat(session, game, CATARINA).person_id

    at_once(store, send(store, game_id, CATARINA, FIRST, "page"),
            lambda _session: erase_player.erase(store, who, "asked for"))

    game = sound(store, game_id)
    with store.reading() as session:
        gone = session.get_one(Person, who)
        assert gone.name == f"Former player {who}"
        held = session.exec(select(SeatRow).where(
            SeatRow.game_id == game_id, SeatRow.number == CATARINA)).one()
        assert held.resigned is not None
        assert held.name == gone.name


@pytest.mark.parametrize("by_himself", [False, True], ids=["by an operator", "by himself"])
def test_who_is_erased_while_he_takes_a_seat_holds_none(
    store: Service, by_himself: bool  # noqa: FBT001  (pytest's)
) -> None:
    game_id = a_game(store)
    with store.writing() as session:
        game = session.get_one(Game, game_id)
        guest = person(session, "Xenia", NOON)
        left = seat(session, game, BENTO).person_id
        session.commit()
        seats.hand_over(session, game_id, left, NOON)
    statuses: list[int] = []
    taking, leaving = browser_of(store, guest), browser_of(store, guest)

    def leave(_session: Session) -> None:
        if by_himself:
            assert leaving.post("/account/leave").status_code == 303
        else:
            erase_player.erase(store, stored_id(guest), "asked for")

    at_once(store, lambda _session: statuses.append(
        taking.post(f"/games/{game_id}/seats/2/take").status_code), leave)

    sound(store, game_id)
    assert statuses == [303]
    with store.reading() as session:
        held = session.exec(select(SeatRow).where(
            SeatRow.game_id == game_id, SeatRow.person_id == guest.id)).all()
        assert all(each.resigned is not None for each in held)
        assert not any("Xenia" in each.name for each in session.exec(select(SeatRow)))


def browser_of(store: Service, who: Person) -> FlaskClient:
    """A browser that he is signed in by."""
    app = build(store)
    app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
    app.extensions["carreira_enqueuer"] = Enqueuer()
    return enter(app.test_client(), store, who)


def test_who_leaves_for_good_twice_at_once_leaves_once(store: Service) -> None:
    game_id = a_game(store)
    with store.reading() as session:
        bento = session.get_one(Person, seat(session, session.get_one(Game, game_id),
                                             BENTO).person_id)
    statuses: list[int] = []
    browsers = [browser_of(store, bento) for _ in range(2)]

    at_once(store, *(lambda _session, browser=browser: statuses.append(
        browser.post("/account/leave").status_code) for browser in browsers))

    assert statuses == [303, 303]
    sound(store, game_id)
    with store.reading() as session:
        assert session.get_one(Person, bento.id).name == f"Former player {bento.id}"


def test_who_moves_while_he_goes_on_vacation_and_invites_meets_no_error(store: Service) -> None:
    game_id = a_game(store)
    with store.writing() as session:
        who = seat(session, session.get_one(Game, game_id), CATARINA).person_id
        second = open_game(session, session.get_one(Person, who))
        session.commit()
        open_id = stored_id(second)

    found = at_once(
        store, send(store, game_id, CATARINA, FIRST, "page"),
        lambda session: vacation.announce(
            session, session.get_one(Person, who), 3, NOON, budget=28),
        lambda session: invitations.invite(
            session, game_id=open_id, host=session.get_one(Person, who),
            address="new@players.example", a_day=9, now=NOON))

    assert found == ["done"] * 3
    sound(store, game_id)
