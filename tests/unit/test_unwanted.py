"""Who wants no letters gets none but those of security and answers to their own."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.clock import FixedClock
from pbem.mail import preferences, queue, unsubscribe
from pbem.mail.letters import build
from pbem.mail.letters.kinds import KINDS
from pbem.models import Game, Invitation, LetterState, Outbox, Person, SeatRow
from pbem.service import Service
from pbem.tables import lobby
from tests.support.letterfactory import person, placing_game, running_game, swept

STILL_COME = {"sign_in", "second_address", "confirm", "recover", "recovery", "recovered",
              "receipt", "held", "test"}  # fmt: skip
NOT_OF_A_GAME = {"invited", "take_over", "vacation_over", "hook_off", "report"}
OF_A_GAME = sorted(set(KINDS) - STILL_COME - NOT_OF_A_GAME)


def letter(session: Session, ana: Person, game: Game, kind: str, now: object) -> Outbox:
    """A due letter of a kind to Ana."""
    about = {"game_id": game.id}
    if kind in ("invited", "take_over"):
        bento = session.exec(select(Person).where(Person.name == "Bento")).one()
        invitation = Invitation(game_id=game.id or 0, by_id=bento.id or 0, address=ana.address,
                                nonce="n", created=now)  # type: ignore[arg-type]
        session.add(invitation)
        session.flush()
        about = {"invitation_id": invitation.id}
    elif kind in NOT_OF_A_GAME:
        about = {"about_id": 1}
    row = Outbox(person_id=ana.id, kind=kind, **about, entry=1, dedup_key=str(game.id),
                 created=now, not_before=now)  # type: ignore[arg-type]
    session.add(row)
    session.flush()
    return row


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_letter_but_of_security_and_answers_comes_to_who_wants_none(
    service: Service, kind: str
) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        game = running_game(session, [ana, bento], now)
        row = letter(session, ana, game, kind, now)
        assert not build.is_unwanted(session, row)
        ana.letters = preferences.NONE.stored
        session.flush()
        assert build.is_unwanted(session, row) == (kind not in STILL_COME)


@pytest.mark.parametrize("kind", OF_A_GAME)
def test_one_click_stops_every_kind_of_letter_of_the_game(service: Service, kind: str) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        games = [running_game(session, [ana, bento], now) for _ in range(2)]
        rows = [letter(session, ana, game, kind, now) for game in games]
        unsubscribe.stop(session, rows[0], now)
        session.flush()
        assert [build.is_unwanted(session, row) for row in rows] == [True, False]


def test_one_click_stops_a_letter_that_is_due_to_who_has_lost_the_seat(service: Service) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        game = running_game(session, [ana, bento], now)
        row = letter(session, ana, game, "dropped", now)
        seat = session.exec(select(SeatRow).where(SeatRow.person_id == ana.id)).one()
        seat.person_id = person(session, "Clara").id or 0  # has taken it since
        session.add(row)
        session.flush()
        unsubscribe.stop(session, row, now)
        session.refresh(row)
        assert row.state == LetterState.UNWANTED


def test_a_letter_that_waits_for_another_try_does_not_leave_any_more(service: Service) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        row = letter(session, ana, running_game(session, [ana, bento], now), "turn", now)
        row.raw, row.attempts, ana.letters = b"built", 1, preferences.NONE.stored
        session.add(row)
        session.flush()
        assert build.is_unwanted(session, row)


@pytest.mark.parametrize("ends", ["cancelled", "expired"])
def test_the_end_of_an_open_game_is_not_written_to_who_stopped_its_letters(
    service: Service, clock: FixedClock, ends: str
) -> None:
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        game = lobby.open_game(session, host=ana, game_key="goa", title="", seats=3, phrase="",
                               chosen_order=False, private=False, components=None, open_days=1,
                               now=clock.now())  # fmt: skip
        lobby.join(session, game_id=game.id or 0, person=bento, phrase="", now=clock.now())
        for seat in session.exec(select(SeatRow).where(SeatRow.person_id == bento.id)):
            seat.letters = preferences.NONE.stored
        session.commit()
        if ends == "cancelled":
            lobby.cancel(session, game_id=game.id or 0, host=ana, now=clock.now())
        else:
            clock.forward(timedelta(days=2))
            lobby.expire(session, clock.now())
        session.commit()
    assert [to.split("@")[0] for to in swept(service).recipients if "bento" in to] == []
    with service.reading() as session:
        about = Outbox.person_id == bento.id, Outbox.kind == ends
        assert session.exec(select(Outbox.state).where(*about)).all() == [LetterState.UNWANTED]


def test_a_letter_that_was_asked_for_once_more_comes_all_the_same(service: Service) -> None:
    placing_game(service)
    swept(service)
    with service.writing() as session:
        ana = session.exec(select(Person).where(Person.name == "Ana")).one()
        ana.letters = preferences.NONE.stored
        asked = select(Outbox).where(Outbox.person_id == ana.id, Outbox.kind == "turn")
        queue.again(session, session.exec(asked).one(), service.clock.now())
        session.commit()
    assert len(swept(service).letters) == 1
