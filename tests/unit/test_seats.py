"""Seats change hands: who leaves sees no more than a spectator, who takes one over sees it all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from engine import registry
from engine.errors import IllegalMove
from pbem.accounts import feed_addresses
from pbem.archive import feeds, steps
from pbem.clock import FixedClock
from pbem.mail.letters import build
from pbem.models import (
    Game,
    GameState,
    Invitation,
    InvitationState,
    Outbox,
    PastHolder,
    Person,
    StandingOrder,
    StandingState,
    Submission,
    SubmissionState,
    stored_id,
)
from pbem.models.archive import FeedAddress
from pbem.play import advance, narration, positions, seat_history, submit
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.play.undo import can_undo
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from pbem.tables import lobby, players, seats
from pbem.web.api import views
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE, NAMES, person, seat, started_game
from tests.unit.test_advance import play_to_the_end
from tests.unit.test_resign import play_some
from tests.unit.test_submit import play, send


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    """Catarina is asked for the first merchant ship."""
    return started_game(session, clock.now())


@pytest.fixture
def xenia(session: Session, game: Game) -> Person:
    made = person(session, "Xenia", game.created)
    session.commit()
    return made


def holder(session: Session, game: Game, number: int) -> Person:
    return session.get_one(Person, seat(session, game, number).person_id)


def hand_over(session: Session, game: Game, number: int) -> Person:
    """Somebody leaves; who that was."""
    gone = holder(session, game, number)
    seats.hand_over(session, stored_id(game), stored_id(gone), game.created)
    session.refresh(game)
    return gone


def take(session: Session, game: Game, number: int, who: Person) -> None:
    seats.take(session, stored_id(game), number, who, game.created)
    session.commit()
    session.refresh(game)


def drop(session: Session, game: Game, number: int, played_by: str | None = None) -> None:
    """The seat loses its player as a clock would have it."""
    writer = Writer.locked(session, stored_id(game), game.created)
    assert writer is not None
    seat_history.vacate(writer, number, "dropped", played_by)
    advance.settle(writer, advance.people_of(session, writer.seats), timedelta(0))
    session.commit()
    session.refresh(game)


# ---- leaving ------------------------------------------------------------------------------------


def test_a_seat_that_is_handed_over_is_played_for_and_the_log_says_so(
    session: Session, game: Game
) -> None:
    hand_over(session, game, CATARINA)

    causes = [each.cause for each in positions.entries(session, game, 2, game.last_entry)]
    assert causes[0] == "handover"
    assert set(causes[1:]) == {"default"}
    assert verify(export.record_lines(session, game)).ok


def test_a_game_opened_with_bots_at_zero_fills_its_seats_with_a_bot(
    session: Session, game: Game
) -> None:
    game.at_zero = "bot"
    session.add(game)
    session.commit()

    hand_over(session, game, CATARINA)

    causes = [each.cause for each in positions.entries(session, game, 3, game.last_entry)]
    assert causes
    assert set(causes) == {"bot"}
    play_to_the_end(session, game)
    assert verify(export.record_lines(session, game)).ok


def test_orders_that_wait_are_cancelled_by_handing_over(session: Session, game: Game) -> None:
    send(session, game, CATARINA, "merchant mombasa>5")

    hand_over(session, game, CATARINA)

    sent = session.exec(select(Submission)).one()
    session.refresh(sent)
    assert (sent.state, sent.draft) == (SubmissionState.REFUSED, None)
    assert positions.entries(session, game, 2, 2)[0].cause == "handover"


def test_what_was_said_for_later_is_void_and_feed_addresses_end(
    session: Session, game: Game
) -> None:
    row = seat(session, game, BENTO)
    row.ahead = "[]"
    session.add(StandingOrder(game_id=stored_id(game), seat=BENTO, person_id=row.person_id,
                              line="pass", given=1, created=game.created))
    feed_addresses.renew(session, holder(session, game, BENTO))
    session.commit()

    hand_over(session, game, BENTO)

    assert seat(session, game, BENTO).ahead is None
    order = session.exec(select(StandingOrder)).one()
    session.refresh(order)
    assert order.state == StandingState.WITHDRAWN
    assert session.exec(select(FeedAddress)).all() == []


def test_who_left_gives_no_orders_and_handing_over_twice_changes_nothing(
    session: Session, game: Game
) -> None:
    gone = hand_over(session, game, CATARINA)
    before = game.last_entry
    seats.hand_over(session, stored_id(game), stored_id(gone), game.created)
    session.refresh(game)

    assert game.last_entry == before
    with pytest.raises(IllegalMove):
        send(session, game, CATARINA, "place 9 nav")


def test_letters_of_who_left_are_not_sent(session: Session, game: Game) -> None:
    gone = hand_over(session, game, CATARINA)

    theirs = session.exec(select(Outbox).where(
        Outbox.person_id == gone.id, Outbox.kind.in_(("started", "turn")))).all()
    assert theirs
    assert not [row.kind for row in theirs if build.still_true(session, row, game.created)]


# ---- who may see --------------------------------------------------------------------------------


@pytest.mark.parametrize("key", registry.GAMES)
def test_old_and_new_holder_see_what_a_spectator_and_the_seat_may_see(
    key: str, service: Service
) -> None:
    with service.writing() as session:
        names = NAMES[:3]
        game = started_game(session, service.clock.now(), names, game_key=key)
        number = stored_id(game)
    play_some(service, number, random.Random(4), 30)
    with service.writing() as session:
        game = session.get_one(Game, number)
        xenia = person(session, "Xenia", game.created)
        session.commit()
        kept_views = {at: seen(session, game, at, holder(session, game, 1))
                      for at in range(2, game.last_entry + 1, 5)}
        gone = hand_over(session, game, 1)
        assert game.state == GameState.RUNNING
        for at in kept_views:
            assert seen(session, game, at, gone) == seen(session, game, at, None)
        take(session, game, 1, xenia)
        for at, view in kept_views.items():
            assert seen(session, game, at, xenia) == view
            assert seen(session, game, at, gone) == seen(session, game, at, None)
        assert any(view != seen(session, game, at, None) for at, view in kept_views.items()) or (
            key == "vasco-da-gama")  # nothing is hidden there so early
        told = [feeds.of_game(session, game, who, "en") for who in (gone, None, xenia)]
        assert told[0] == told[1]
        assert players.seating(session, game, xenia).own is not None
        assert players.seating(session, game, gone).own is None


def seen(session: Session, game: Game, at: int, who: Person | None) -> object:
    """What the API shows somebody of the table at an entry, and of the log."""
    reader = who or Person(name="", address="nobody@players.example", created=game.created)
    table = views.table(session, game, at, reader, game.created)
    log = views.history(session, game, max(1, at - 3), at, reader)
    return table.view, [(each.events, [line.rule for line in each.lines]) for each in log]


def test_drafts_of_who_left_are_not_shown_to_who_came(
    session: Session, game: Game, xenia: Person
) -> None:
    sent = Submission(
        game_id=stored_id(game), person_id=seat(session, game, BENTO).person_id, seat=BENTO,
        source="page", key="k", orders="place 9 nav", seen=1, state=SubmissionState.REFUSED,
        refusal="{}", draft="place 9 nav", created=game.created)
    session.add(sent)
    session.commit()
    hand_over(session, game, BENTO)
    take(session, game, BENTO, xenia)

    assert players.returned_orders(session, seat(session, game, BENTO)) is None


def test_who_sat_in_a_private_game_may_still_look_on(
    session: Session, game: Game, xenia: Person
) -> None:
    game.private = True
    session.add(game)
    session.commit()
    gone = hand_over(session, game, BENTO)
    take(session, game, BENTO, xenia)

    assert lobby.may_see(session, game, gone)


# ---- taking over --------------------------------------------------------------------------------


def test_who_takes_a_seat_is_asked_when_it_is_his_turn_and_named_in_the_log(
    session: Session, game: Game, xenia: Person
) -> None:
    hand_over(session, game, CATARINA)
    take(session, game, CATARINA, xenia)

    taken = seat(session, game, CATARINA)
    assert (taken.name, taken.person_id, taken.left) == ("Xenia", xenia.id, None)
    assert taken.holds_from == game.last_entry
    names = narration.names(session, game)
    told = [line.text for entry in narration.log(
        session, game, upto=game.last_entry, viewer=None, names=names, language="en")
        for line in entry.lines]
    assert "Catarina has given this seat away: it is played for until it is taken." in told
    assert "Xenia has taken this seat over." in told
    past = seat_history.past_holders(session, game.id)
    assert [(one.name, one.until, one.seat) for one in past] == [("Catarina", 2, CATARINA)]
    play_to_the_end(session, game)
    assert xenia.id in [row.person_id for row in session.exec(
        select(Outbox).where(Outbox.kind == "turn"))]
    assert verify(export.record_lines(session, game)).ok


def test_a_game_in_which_a_seat_was_taken_ends_with_its_place(
    session: Session, game: Game, xenia: Person
) -> None:
    hand_over(session, game, CATARINA)
    take(session, game, CATARINA, xenia)
    hand_over(session, game, DUARTE)
    play_to_the_end(session, game)

    assert seat(session, game, DUARTE).place == 4
    assert seat(session, game, CATARINA).place != 4


def test_who_is_back_takes_his_seat_again_as_if_he_had_not_left(
    session: Session, game: Game
) -> None:
    gone = holder(session, game, CATARINA)
    drop(session, game, CATARINA)
    take(session, game, CATARINA, gone)

    again = seat(session, game, CATARINA)
    assert (again.left, again.holds_from, again.name) == (None, 0, "Catarina")
    assert session.exec(select(PastHolder)).all() == []
    causes = [mark.cause for mark in positions.marks(session, game)]
    assert causes == ["dropped", "seated"]


def test_how_and_when_an_entry_came_is_not_told_to_who_took_the_seat_since(
    session: Session, game: Game, xenia: Person
) -> None:
    """Orders ahead, and the hours at which somebody plays, stay his own while the game runs."""
    play(session, game, CATARINA, "merchant mombasa>5")
    number = seat(session, game, CATARINA).moved_at
    own = steps.made(session, game, number, CATARINA)
    assert (own.is_exact, own.how) == (True, "page")

    hand_over(session, game, CATARINA)
    take(session, game, CATARINA, xenia)

    assert steps.made(session, game, number, CATARINA) == steps.made(session, game, number, None)
    assert not steps.made(session, game, number, None).is_exact
    told = {item.number: item.at for item in feeds.of_game(session, game, xenia, "en")}
    assert (told[number].hour, told[number].minute) == (0, 0)


def test_what_others_did_before_is_not_taken_back_by_who_came(
    session: Session, game: Game, xenia: Person
) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")
    hand_over(session, game, CATARINA)
    take(session, game, CATARINA, xenia)

    assert can_undo(session, game, seat(session, game, CATARINA)) is None


def test_nobody_takes_a_seat_that_is_not_free_or_not_for_him(
    session: Session, game: Game, xenia: Person
) -> None:
    with pytest.raises(TableRefused, match="seat_taken"):
        take(session, game, CATARINA, xenia)
    session.rollback()
    gone = hand_over(session, game, CATARINA)
    hand_over(session, game, DUARTE)
    with pytest.raises(TableRefused, match="one_seat"):
        take(session, game, CATARINA, holder(session, game, ANA))
    session.rollback()
    with pytest.raises(TableRefused, match="saw_other_seat"):
        take(session, game, DUARTE, gone)
    session.rollback()
    with pytest.raises(TableRefused, match="name_looks_alike"):
        take(session, game, DUARTE, person(session, "Bent0", game.created))
    session.rollback()
    with pytest.raises(TableRefused, match="no_such_seat"):
        take(session, game, 7, xenia)
    session.rollback()
    take(session, game, CATARINA, xenia)
    with pytest.raises(TableRefused, match="saw_other_seat"):
        take(session, game, DUARTE, gone)


def test_a_second_click_on_the_same_seat_changes_nothing(
    session: Session, game: Game, xenia: Person
) -> None:
    hand_over(session, game, CATARINA)
    take(session, game, CATARINA, xenia)
    before = game.last_entry
    take(session, game, CATARINA, xenia)

    assert game.last_entry == before


def race(service: Service) -> None:
    """Eight people want one seat at once: one gets it."""
    now = service.clock.now()
    with service.writing() as session:
        game = started_game(session, now)
        number = stored_id(game)
        wanting = [stored_id(person(session, f"Guest{c}", now)) for c in "bcdfghjk"]
        session.commit()
        hand_over(session, game, CATARINA)

    def want(who: int) -> str:
        with service.writing() as session:
            try:
                seats.take(session, number, CATARINA, session.get_one(Person, who), now)
            except TableRefused as refused:
                return refused.key
            session.commit()
            return "taken"

    with ThreadPoolExecutor(len(wanting)) as pool:
        found = sorted(pool.map(want, wanting))
    assert found == ["seat_taken"] * 7 + ["taken"]
    with service.reading() as session:
        game = session.get_one(Game, number)
        assert [mark.cause for mark in positions.marks(session, game)] == ["handover", "seated"]
        assert verify(export.record_lines(session, game)).ok


def test_of_many_who_want_one_seat_at_once_one_gets_it(service: Service) -> None:
    race(service)


def test_on_postgresql_too_of_many_one_gets_it(postgres_service: Service) -> None:
    race(postgres_service)


def test_invitations_to_a_seat_end_when_it_is_taken(
    session: Session, game: Game, xenia: Person
) -> None:
    hand_over(session, game, CATARINA)
    session.add(Invitation(
        game_id=stored_id(game), by_id=game.host_id, seat=CATARINA, nonce="n",
        address="yara@players.example", created=game.created))
    session.commit()
    take(session, game, CATARINA, xenia)

    asked = session.exec(select(Invitation)).one()
    session.refresh(asked)
    assert asked.state == InvitationState.WITHDRAWN


def test_open_seats_are_listed_for_whom_they_are_for(
    session: Session, game: Game, xenia: Person
) -> None:
    assert seats.open_ones(session, xenia) == []
    gone = hand_over(session, game, CATARINA)

    for reader in (None, xenia, gone):
        assert [(row.id, one.number) for row, one in seats.open_ones(session, reader)] == [
            (game.id, CATARINA)]
    assert seats.open_ones(session, holder(session, game, ANA)) == []
    game.private = True
    session.add(game)
    session.commit()
    assert seats.open_ones(session, xenia) == []


# ---- nothing blocks -----------------------------------------------------------------------------


@pytest.mark.parametrize("filler", [None, "steady"])
@pytest.mark.parametrize("key", registry.GAMES)
def test_a_dropped_seat_never_ends_or_blocks_a_game(
    key: str, filler: str | None, service: Service
) -> None:
    """From random states one seat after the other is dropped; now and then somebody comes."""
    for seed in range(2):
        dice = random.Random(f"{key} {filler} {seed}")
        with service.writing() as session:
            table = [f"{name}{'bc'[seed]}{key[0]}" for name in NAMES[:dice.randint(2, 4)]]
            started = started_game(session, service.clock.now(), table, game_key=key)
            number = stored_id(started)
        order = list(range(len(table)))
        dice.shuffle(order)
        for place, dropped in enumerate(order):
            play_some(service, number, dice, dice.randrange(40))
            with service.writing() as session:
                game = session.get_one(Game, number)
                if game.state != GameState.RUNNING:
                    break
                drop(session, game, dropped, filler)
                asked = [n for n in order if seat(session, game, n).asked_since is not None]
                held = [n for n in order if seat(session, game, n).resigned is None]
                assert game.state == GameState.FINISHED or (asked and set(asked) <= set(held))
                goes_on = place + 1 < len(order) and game.state == GameState.RUNNING
                if goes_on and dice.random() < 0.3:
                    guest = person(session, f"Guest {seed} {place} {key}", game.created)
                    guest.address = f"guest-{seed}-{place}-{key}-{filler}@players.example"
                    take(session, game, dropped, guest)
        with service.writing() as session:
            game = session.get_one(Game, number)
            for row in range(len(table)):
                if game.state == GameState.RUNNING and seat(session, game, row).resigned is None:
                    drop(session, game, row, filler)
            assert game.state == GameState.FINISHED
            assert verify(export.record_lines(session, game)).ok


@pytest.mark.parametrize("is_taken", [False, True])
def test_orders_ahead_that_come_while_their_sender_loses_his_seat_do_not_stand_in_it(
    service: Service, session: Session, game: Game, xenia: Person, is_taken: object
) -> None:
    with service.reading() as reading:
        before = seat(reading, game, ANA)
        hand_over(session, game, ANA)
        if is_taken:
            take(session, game, ANA, xenia)
        with pytest.raises(IllegalMove, match="seat_left"):
            submit.record(session, before, "later: merchant mombasa>5", seen=9999, source="page",
                          key="1", now=game.created, enqueue=lambda game_id: None)

    assert session.exec(select(StandingOrder)).all() == []
