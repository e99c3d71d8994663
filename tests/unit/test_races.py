"""Two at once, on both databases: one outcome, nothing doubled, and nobody meets an error.

Others stand with what they are about: joins (test_lobby), seats (test_seats), consent
(test_consent), rematches and series (test_again), orders (test_submit, test_advance), sweeps
(test_zero), letters (test_outbox, test_together), blocks (test_neighbours), sign-ins (test_auth),
accounts (test_races_of_accounts).
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sqlmodel import Session, select

from pbem.accounts.keys import KeyFiles
from pbem.archive.exports import kept
from pbem.cli import rotate_keys
from pbem.models import (
    Entry,
    Game,
    GameState,
    LetterState,
    Outbox,
    Person,
    SeatRow,
    Submission,
    Vote,
    stored_id,
)
from pbem.models.operators import OperatorAct
from pbem.operators import people, removal, stuck
from pbem.play import positions, undo
from pbem.play import stuck as failures
from pbem.play.refusals import TableRefused
from pbem.service import Service
from pbem.tables import blocks, invitations, lobby, votes
from pbem.timeouts import expiry
from tests.conftest import NOON
from tests.support.finished import finished_game
from tests.support.letterfactory import swept
from tests.support.racing import OTHERS_PART, Act, a_game, at_once, send, several, sound, store
from tests.support.tables import ANA, CATARINA, person, seat
from tests.support.timed import DAY, FIRST, timed
from tests.unit.test_lobby import open_game
from tests.unit.test_submit import play
from tests.unit.test_votes import run_out, timed_game

__all__ = ["store"]


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
            causes = [mark.cause for mark in positions.marks(session, game)]
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

    at_once(store, lambda _session: expiry.sweep(store),
            send(store, game_id, CATARINA, FIRST, "page"),
            lambda _session: expiry.sweep(store))

    sound(store, game_id)
    with store.reading() as session:
        logged = session.exec(select(Entry).where(Entry.game_id == game_id))
        entries = [(each.cause, each.seat) for each in logged]
        answers = [cause for cause, who in entries if who == CATARINA and cause != "overtime"]
        assert answers in (["default"], ["order"]), entries


def test_one_who_votes_twice_at_once_has_one_vote(store: Service) -> None:
    with store.writing() as session:
        game = timed_game(session, store.clock)
        run_out(session, game, store.clock, CATARINA)
        game_id, ana = stored_id(game), seat(session, game, ANA).person_id

    def vote(said: str) -> Act:
        return lambda session: votes.answer(
            session, game_id, ana, store.clock.now(), seat=CATARINA, said=said)

    found = at_once(store, vote("wait"), vote("replace"), vote("wait"))

    assert found == ["done"] * 3
    with store.reading() as session:
        [kept] = session.exec(select(Vote)).all()
        assert (kept.person_id, kept.answer in ("wait", "replace")) == (ana, True)
        assert session.get_one(Game, game_id).paused is not None


# ---- neighbours ---------------------------------------------------------------------------------


def test_an_invitation_and_a_block_at_once_bring_no_letter(store: Service) -> None:
    """Whichever is first: the letter leaves later, and then the block counts."""
    for number in several(store):
        game_id, (ana, _bento, carla) = opened(store, number)
        with store.reading() as session:
            address = session.get_one(Person, carla).address

        found = at_once(
            store,
            lambda session: invitations.invite(
                session, game_id=game_id, host=session.get_one(Person, ana),  # noqa: B023
                address=address, a_day=9, now=NOON),  # noqa: B023
            lambda session: blocks.block(
                session, session.get_one(Person, carla), session.get_one(Person, ana),  # noqa: B023
                NOON))

        assert found == ["done", "done"]
        assert swept(store).letters == []
        with store.reading() as session:
            [letter] = session.exec(select(Outbox).where(
                Outbox.kind == "invited", Outbox.person_id == carla))
            assert letter.state == LetterState.SUPERSEDED
            assert invitations.pending_for(session, session.get_one(Person, carla)) == []


# ---- taking home --------------------------------------------------------------------------------


def test_a_file_that_two_want_at_once_is_made_once_by_two_who_make(service: Service) -> None:
    with service.writing() as session:
        game = finished_game(service, session)
        session.commit()
        game_id = stored_id(game)

    def want(session: Session) -> None:
        kept.ready(service, session, session.get_one(Game, game_id), "en")

    assert at_once(service, want, want, want) == ["done"] * 3
    made: list[int] = []
    at_once(service, *[lambda _session: made.append(kept.work_off(service))] * 2)

    assert sorted(made) == [0, 1]
    folder = kept.folder_of(service)
    assert len(list(folder.glob(f"*{kept.READY}"))) == 1
    assert not [*folder.glob(f"*{kept.WANTED}"), *folder.glob(".draft-*")]


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
        with rotate_keys.alone(tmp_path):
            rotate_keys.rotate(files, NOON)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(rotate, range(2)))

    old = [each.key for each in files.old_ones()]
    assert len(old) == len(set(old)) == 2
    assert first in old
    assert files.read().new not in old
