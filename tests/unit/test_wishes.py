"""When somebody wants letters, and what a changed wish does to those that are due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select

from pbem.clock import FixedClock
from pbem.mail import preferences, preferences_changed
from pbem.mail.preferences import NONE, USUAL, Wish, next_hour, read, when_due, wish_of
from pbem.models import LetterState, Outbox, Person, SeatRow
from pbem.service import Service
from pbem.tables import lobby
from tests.support.letterfactory import person, play_on, row, started_game, swept, turn_letter

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TWO_MINUTES = timedelta(minutes=2)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# ---- stored forms -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "wish"),
    [
        (None, USUAL),
        ("usual", USUAL),
        ("at_once", Wish("at_once")),
        ("after 15", Wish("after", 15)),
        ("after 1440", Wish("after", 1440)),
        ("digest 0", Wish("digest", 0)),
        ("digest 23", Wish("digest", 23)),
        ("none", NONE),
    ],
)
def test_a_wish_is_read_as_it_is_stored(stored: str | None, wish: Wish) -> None:
    assert read(stored) == wish
    assert read(wish.stored) == wish


@pytest.mark.parametrize("stored", ["", "digest 24", "after 1441", "after", "digest -1", "weekly"])
def test_what_nobody_can_wish_counts_as_the_usual(stored: str) -> None:
    assert read(stored) is None
    assert wish_of(Person(letters=stored), None) == USUAL


def test_a_games_own_wish_goes_before_the_persons() -> None:
    person = Person(letters="digest 8")

    assert wish_of(person, None) == Wish("digest", 8)
    assert wish_of(person, SeatRow()) == Wish("digest", 8)
    assert wish_of(person, SeatRow(letters="at_once")) == Wish("at_once")
    assert wish_of(person, SeatRow(letters="usual")) == USUAL


# ---- when ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "due"),
    [
        (USUAL, NOON + TWO_MINUTES),
        (Wish("at_once"), NOON + timedelta(minutes=1)),
        (Wish("after", 15), NOON + timedelta(minutes=15)),
        (Wish("digest", 20), at("2026-03-02T19:00")),
        (Wish("digest", 8), at("2026-03-03T07:00")),
        (Wish("digest", 13), NOON),
        (NONE, None),
    ],
)
def test_a_turns_letter_is_due_as_its_reader_wants_it(wish: Wish, due: datetime | None) -> None:
    assert when_due(wish, NOON, "Europe/Budapest", TWO_MINUTES) == due


@pytest.mark.parametrize(
    ("zone", "hour", "after", "then"),
    [
        # The clocks of Budapest are put forward from 2:00 to 3:00, and back from 3:00 to 2:00.
        ("Europe/Budapest", 2, "2026-03-28T12:00", "2026-03-29T01:00"),
        ("Europe/Budapest", 2, "2026-03-29T01:00:00.001", "2026-03-30T00:00"),
        ("Europe/Budapest", 2, "2026-10-24T12:00", "2026-10-25T00:00"),
        ("Europe/Budapest", 2, "2026-10-25T00:30", "2026-10-26T01:00"),
        ("Europe/Budapest", 8, "2026-03-28T12:00", "2026-03-29T06:00"),
        # Those of Lisbon from 1:00 to 2:00.
        ("Europe/Lisbon", 1, "2026-03-28T12:00", "2026-03-29T01:00"),
        # Apia had no 30 December 2011.
        ("Pacific/Apia", 8, "2011-12-29T19:00", "2011-12-30T18:00"),
        ("Pacific/Apia", 8, "2011-12-30T18:01", "2011-12-31T18:00"),
        ("Nowhere/At_all", 8, "2026-03-02T12:00", "2026-03-03T08:00"),
    ],
)
def test_the_daily_hour_is_right_where_clocks_are_changed(
    zone: str, hour: int, after: str, then: str
) -> None:
    assert next_hour(at(after), hour, zone) == at(then)


ZONES = ("Europe/Budapest", "Europe/Lisbon", "Australia/Lord_Howe", "America/Sao_Paulo",
         "Pacific/Apia", "Pacific/Kiritimati", "Asia/Kathmandu", "UTC")  # fmt: skip


@given(st.integers(0, 18 * 365 * 24 * 60), st.integers(0, 23), st.sampled_from(ZONES))
def test_there_is_one_daily_letter_a_day(minute: int, hour: int, zone: str) -> None:
    after = at("2009-01-01T00:00") + timedelta(minutes=minute)
    first = next_hour(after, hour, zone)
    second = next_hour(first + timedelta(milliseconds=1), hour, zone)

    assert after <= first < after + timedelta(hours=50)
    assert timedelta(hours=20) < second - first < timedelta(hours=50)


# ---- games --------------------------------------------------------------------------------------


def due_rows(service: Service, kind: str) -> list[Outbox]:
    with service.reading() as session:
        return list(session.exec(select(Outbox).where(Outbox.kind == kind).order_by("id")))


def test_who_wants_no_letters_has_a_line_for_each_and_gets_none(service: Service) -> None:
    game = started_game(service, ("Ana", "Bento"), letters="none")
    play_on(service, game, 2)

    assert {each.state for each in due_rows(service, "turn")} == {LetterState.UNWANTED}
    assert {each.state for each in due_rows(service, "started")} == {LetterState.UNWANTED}
    assert swept(service).letters == []


def test_who_wants_one_letter_a_day_gets_the_start_at_once(
    service: Service, clock: FixedClock
) -> None:
    started_game(service, ("Ana", "Bento"), letters="digest 20")

    assert len(swept(service).letters) == 2
    [turn] = due_rows(service, "turn")
    assert turn.not_before == clock.now() + timedelta(hours=8)


# ---- a changed wish -----------------------------------------------------------------------------


def change(
    service: Service, stored: str, *, of_game: bool = False, zone: str | None = None
) -> None:
    with service.writing() as session:
        ana = session.exec(select(Person).where(Person.name == "Ana")).one()
        ana.zone = zone or ana.zone
        seat = session.exec(select(SeatRow).where(SeatRow.person_id == ana.id)).one()
        preferences_changed.change(session, ana, read(stored), seat=seat if of_game else None,
                      usual=TWO_MINUTES, now=service.clock.now())  # fmt: skip
        session.commit()


@pytest.mark.parametrize("of_game", [True, False])
def test_a_changed_wish_moves_the_letter_that_is_due(
    service: Service, clock: FixedClock, *, of_game: bool
) -> None:
    letter = turn_letter(service)

    change(service, "digest 8", of_game=of_game)
    assert row(service, letter).not_before == at("2026-03-03T08:00")
    change(service, "after 30", of_game=of_game)
    assert row(service, letter).not_before == clock.now() + timedelta(minutes=30)
    clock.forward(timedelta(hours=1))
    change(service, "after 45", of_game=of_game)

    assert row(service, letter).not_before == clock.now()


def test_a_letter_that_is_wanted_again_comes_while_its_game_waits(service: Service) -> None:
    letter = turn_letter(service)

    change(service, "none")
    assert (row(service, letter).state, row(service, letter).last_text) == (
        LetterState.UNWANTED, preferences_changed.NOT_WANTED)
    change(service, "at_once")

    assert row(service, letter).state == LetterState.PENDING
    assert row(service, letter).settled is None


def test_a_letter_in_somebodys_hands_is_not_moved(service: Service) -> None:
    letter = turn_letter(service)
    with service.writing() as session:
        held = session.get_one(Outbox, letter)
        held.lease_until = service.clock.now() + timedelta(minutes=3)
        session.commit()

    change(service, "none")

    assert row(service, letter).settled is None


def test_unsubscribing_is_seen_when_the_letter_is_to_leave(service: Service) -> None:
    letter = turn_letter(service)
    with service.writing() as session:
        session.exec(
            select(Person).where(Person.name == "Ana")
        ).one().letters = preferences.NONE.stored
        session.commit()

    assert swept(service).letters == []
    assert row(service, letter).state == LetterState.UNWANTED


# ---- the grace ----------------------------------------------------------------------------------


def begun(service: Service, delay: timedelta) -> dict[str, datetime]:
    """When the letters of a game may leave whose last chair is taken; by kind."""
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        game = lobby.open_game(
            session, host=ana, game_key="vasco-da-gama", title="", seats=2, chosen_order=True,
            private=False, components=None, phrase="", open_days=30, now=NOON,
        )  # fmt: skip
        lobby.join(session, game_id=game.id or 0, person=bento, phrase="", now=NOON,
                   letter_delay=delay)
        session.commit()
        return {letter.kind: letter.not_before for letter in session.exec(select(Outbox))}


def test_the_first_letters_of_a_game_wait_as_all_others_do(service: Service) -> None:
    assert begun(service, TWO_MINUTES) == {
        "started": NOON + timedelta(minutes=1), "turn": NOON + TWO_MINUTES}


def test_where_letters_are_not_delayed_there_is_no_grace(service: Service) -> None:
    assert begun(service, timedelta(0)) == {"started": NOON, "turn": NOON}
