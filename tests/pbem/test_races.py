"""Two at once, on both databases: one outcome, nothing doubled, and nobody meets an error.

Others stand with what they are about: joins (test_lobby), seats (test_seats), consent
(test_consent), rematches and series (test_again), orders (test_submit, test_advance), sweeps
(test_zero), letters (test_outbox, test_together), blocks (test_neighbours), sign-ins (test_auth).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from engine.errors import MoveRefused
from pbem import auth, cli_erase_player, cli_rotate_keys
from pbem.clock import FixedClock
from pbem.games import (
    advance,
    export,
    failures,
    invitations,
    load,
    lobby,
    resign,
    submit,
    undo,
    vacation,
    zero,
)
from pbem.games.lobby import LobbyRefused
from pbem.games.refusals import TableRefused
from pbem.games.verify import verify
from pbem.keys import KeyFiles
from pbem.models import (
    Entry,
    Game,
    GameState,
    Person,
    SeatRow,
    Submission,
    stored_id,
)
from pbem.models_operators import OperatorAct
from pbem.operators import people, recovery, removal, stuck
from pbem.service import Service
from pbem.web import build
from tests.conftest import NOON, Pokes
from tests.pbem.tables import BENTO, CATARINA, person, seat, started_game
from tests.pbem.test_lobby import open_game
from tests.pbem.test_submit import play
from tests.pbem.timed import DAY, FIRST, timed
from tests.web.doors import enter

TIMES = 3  # each race is run: what is first differs
Act = Callable[[Session], Any]
OTHERS_PART = 10.0  # seconds that a thread waits for the others to be there


@pytest.fixture(params=["service", "postgres_service"], ids=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> Service:
    """A service on each of the two databases."""
    found: Service = request.getfixturevalue(request.param)
    return found


def at_once(store: Service, *acts: Act) -> list[str]:
    """What became of each: "done", or the key of a refusal; any other error fails the test."""
    line = threading.Barrier(len(acts))

    def run(act: Act) -> str:
        with store.writing() as session:
            line.wait(OTHERS_PART)
            try:
                act(session)
                session.commit()
            except (LobbyRefused, TableRefused) as refused:
                return refused.key
            except MoveRefused as refused:
                return refused.key
            except auth.NotProved:
                return "not_proved"
        return "done"

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def sound(store: Service, game_id: int) -> Game:
    """The game, whose record verifies."""
    with store.reading() as session:
        game = session.get_one(Game, game_id)
        assert verify(export.record_lines(session, game)).ok
    return game


def several(store: Service) -> range:
    """Times, so that now one is first and now the other."""
    return range(TIMES)


# ---- the lobby ----------------------------------------------------------------------------------


def opened(store: Service, number: int, seats: int = 3) -> tuple[int, list[int]]:
    """An open game with a host and a guest, and somebody who stands by."""
    with store.writing() as session:
        names = [f"{name} {'abcdefgh'[number]}" for name in ("Ana", "Bento", "Carla")]
        made = [person(session, name.replace(" ", ""), NOON) for name in names]
        game = open_game(session, made[0], seats=seats)
        session.commit()
        lobby.join(session, game_id=stored_id(game), person=made[1], phrase="", now=NOON)
        session.commit()
        return stored_id(game), [stored_id(each) for each in made]


def start(game_id: int, host: int) -> Act:
    return lambda session: lobby.start(
        session, game_id=game_id, host=session.get_one(Person, host), now=NOON)


def test_a_start_and_somebody_who_leaves_are_one_behind_the_other(store: Service) -> None:
    for number in several(store):
        game_id, (ana, bento, _carla) = opened(store, number)

        found = at_once(store, start(game_id, ana), lambda session: lobby.leave(
            session, game_id=game_id, person=session.get_one(Person, bento)))  # noqa: B023

        assert found in (["done", "not_open"], ["too_few", "done"])
        with store.reading() as session:
            game = session.get_one(Game, game_id)
            seated = session.exec(select(SeatRow).where(SeatRow.game_id == game_id)).all()
            assert (str(game.state), len(seated)) == (
                ("running", 2) if found[0] == "done" else ("open", 1))


def test_a_start_and_a_cancellation_are_one_of_them(store: Service) -> None:
    for number in several(store):
        game_id, (ana, _bento, _carla) = opened(store, number)

        found = at_once(store, start(game_id, ana), lambda session: lobby.cancel(
            session, game_id=game_id, host=session.get_one(Person, ana), now=NOON))  # noqa: B023

        assert sorted(found) == ["done", "not_open"]


def test_the_last_to_join_and_a_start_begin_the_game_once(store: Service) -> None:
    for number in several(store):
        game_id, (ana, _bento, carla) = opened(store, number)

        found = at_once(store, start(game_id, ana), lambda session: lobby.join(
            session, game_id=game_id, person=session.get_one(Person, carla),  # noqa: B023
            phrase="", now=NOON))

        assert sorted(found) == ["done", "not_open"]
        with store.reading() as session:
            game = session.get_one(Game, game_id)
            assert game.state == GameState.RUNNING
            causes = [mark.cause for mark in load.marks(session, game)]
            assert causes.count("start") <= 1
        sound(store, game_id)


def test_a_new_name_and_a_chair_beside_one_that_looks_alike_are_not_both_had(
    store: Service
) -> None:
    """Whoever is second is refused, as two names at one table must differ."""
    for number in several(store):
        game_id, (_ana, bento, carla) = opened(store, number, seats=4)

        def rename(session: Session, who: int = bento) -> None:
            changed = session.get_one(Person, who)
            if not lobby.may_be_called(session, changed, "Zeno"):
                raise TableRefused("name_looks_alike")
            changed.name = "Zeno"
            session.add(changed)

        with store.writing() as session:
            session.get_one(Person, carla).name = "Zen\u043e"  # Cyrillic
            session.commit()
        found = at_once(store, rename, lambda session: lobby.join(
            session, game_id=game_id, person=session.get_one(Person, carla),  # noqa: B023
            phrase="", now=NOON))

        assert found in (["done", "name_looks_alike"], ["name_looks_alike", "done"])


def test_a_name_is_removed_while_its_game_starts(store: Service) -> None:
    for number in several(store):
        game_id, (ana, bento, _carla) = opened(store, number)

        found = at_once(store, start(game_id, ana), lambda session: removal.remove_name(
            session, None, session.get_one(Person, bento), "rude", now=NOON))  # noqa: B023

        assert found == ["done", "done"]
        with store.reading() as session:
            held = session.exec(select(SeatRow.name).where(SeatRow.person_id == bento)).one()
            assert held == f"Player {bento}"


# ---- moves --------------------------------------------------------------------------------------


def send(store: Service, game_id: int, number: int, line: str, source: str) -> Act:
    """An order as page or letter bring it, played by a worker."""
    def act(session: Session) -> None:
        row = session.exec(select(SeatRow).where(
            SeatRow.game_id == game_id, SeatRow.number == number)).one()
        with store.reading() as reading:
            seen = reading.get_one(Game, game_id).last_entry
            submit.record(session, row, line, seen=seen, source=source, key=source,
                          now=store.clock.now(), poke=lambda _game_id: None, reading=reading)
        advance.advance(session, game_id, store.clock.now())

    return act


def a_game(store: Service, **terms: Any) -> int:
    with store.writing() as session:
        game = started_game(session, store.clock.now(), **terms)
        session.commit()
        return stored_id(game)


def test_one_move_by_page_and_by_letter_is_played_once(store: Service) -> None:
    game_id = a_game(store)

    found = at_once(store, *(send(store, game_id, CATARINA, FIRST, source)
                             for source in ("page", "mail")))

    assert "done" in found
    game = sound(store, game_id)
    assert game.last_entry == 2
    with store.reading() as session:
        states = sorted(str(each.state) for each in session.exec(select(Submission)))
        assert states in (["played"], ["played", "refused"])


def test_taking_back_and_the_next_players_move_are_one_of_them(store: Service) -> None:
    game_id = a_game(store)
    with store.writing() as session:
        game = session.get_one(Game, game_id)
        play(session, game, CATARINA, FIRST)
        asked = session.exec(select(SeatRow).where(
            SeatRow.game_id == game_id, SeatRow.asked_since.is_not(None))).one()
        catarina, number = seat(session, game, CATARINA).person_id, asked.number
        session.commit()

    found = at_once(
        store,
        lambda session: undo.undo(session, game_id, catarina, store.clock.now(), entry=2),
        send(store, game_id, number or 0, "place 9 projects", "page"))

    game = sound(store, game_id)
    with store.reading() as session:
        causes = session.exec(select(Entry.cause).where(Entry.game_id == game_id)).all()
    assert (found[0] == "done") == ("undo" in causes), (found, causes)
    assert found[0] in ("done", "nothing_to_take_back")
    assert "done" in found


def test_a_clock_at_zero_and_a_move_answer_the_question_once(store: Service) -> None:
    with store.writing() as session:
        table = timed(store, session)
        game_id = stored_id(table.game)
        table.wait(3 * DAY)
        session.commit()

    at_once(store, lambda _session: zero.sweep(store),
            send(store, game_id, CATARINA, FIRST, "page"),
            lambda _session: zero.sweep(store))

    sound(store, game_id)
    with store.reading() as session:
        logged = session.exec(select(Entry).where(Entry.game_id == game_id))
        entries = [(each.cause, each.seat) for each in logged]
        answers = [cause for cause, who in entries if who == CATARINA and cause != "overtime"]
        assert answers in (["default"], ["order"]), entries


# ---- accounts -----------------------------------------------------------------------------------


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
    from pbem import cli_erase_player

    game_id = a_game(store)
    with store.reading() as session:
        game = session.get_one(Game, game_id)
        who = seat(session, game, CATARINA).person_id

    at_once(store, send(store, game_id, CATARINA, FIRST, "page"),
            lambda _session: cli_erase_player.erase(store, who, "asked for"))

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
        resign.hand_over(session, game_id, left, NOON)
    statuses: list[int] = []
    taking, leaving = browser_of(store, guest), browser_of(store, guest)

    def leave(_session: Session) -> None:
        if by_himself:
            assert leaving.post("/account/leave").status_code == 303
        else:
            cli_erase_player.erase(store, stored_id(guest), "asked for")

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
    app.extensions["carreira_poke"] = Pokes()
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


# ---- operators ----------------------------------------------------------------------------------


def test_an_operator_has_a_game_tried_while_a_worker_plays_it(store: Service) -> None:
    game_id = a_game(store)
    with store.writing() as session:
        olga = person(session, "Olga", NOON)
        people.make(session, olga, NOON)
        session.commit()
        olga_id = stored_id(olga)
        failures.note(session, game_id, "KeyError", NOON)

    found = at_once(
        store,
        lambda session: stuck.have_advanced(
            session, session.get_one(Person, olga_id), game_id, "try", now=NOON),
        send(store, game_id, CATARINA, FIRST, "page"),
        lambda session: failures.note(session, game_id, "KeyError", NOON))

    assert found == ["done"] * 3
    assert sound(store, game_id).last_entry == 2
    with store.reading() as session:
        acts = session.exec(select(OperatorAct).where(OperatorAct.what == "advance")).all()
        assert len(acts) == 1


def test_keys_that_two_rotate_at_once_are_drawn_twice_and_none_is_lost(tmp_path: Path) -> None:
    files = KeyFiles(tmp_path)
    files.signing.write_bytes(b"k" * 32)
    first = files.read().new
    both = threading.Barrier(2)

    def rotate(_number: int) -> None:
        both.wait(OTHERS_PART)
        with cli_rotate_keys.alone(tmp_path):
            cli_rotate_keys.rotate(files, NOON)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(rotate, range(2)))

    old = [each.key for each in files.old_ones()]
    assert len(old) == len(set(old)) == 2
    assert first in old
    assert files.read().new not in old
