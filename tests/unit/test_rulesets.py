"""A game goes on by the rules that it was begun with, or by newer ones once all have agreed."""

from __future__ import annotations

import dataclasses
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, col, select

from engine import registry
from engine.errors import IllegalMove, UnknownRuleset
from pbem import health
from pbem.cli.doctor import standing_still
from pbem.db import make_engine
from pbem.models import Entry, Game, GameState, Person, Submission, stored_id
from pbem.operators import stuck
from pbem.play import advance, narration, positions, submit, undo
from pbem.play.refusals import TableRefused
from pbem.record import export, nightly
from pbem.record.importing import NotImported, take_in
from pbem.record.verify import verify
from pbem.service import Service
from pbem.tables import consent, lobby, rulesets
from pbem.tables.seats import resign
from tests.support import tables
from tests.support.at_table import sign_in
from tests.support.finished import begun, one_order
from tests.support.releases import (
    FIRST,
    KEY,
    SECOND,
    Become,
    Changed,
    GivenUp,
    Learned,
    become,
    go_over,
)
from tests.web.test_seat import text_of, url

__all__ = ["become"]

ANA, BENTO = 0, 1


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """Some orders of a game of one round were played."""
    return under_way(service, session)


@pytest.fixture
def elsewhere(service: Service, tmp_path: Path, empty_database: Path) -> Iterator[Service]:
    """Another installation."""
    shutil.copyfile(empty_database, tmp_path / "elsewhere.db")
    engine = make_engine(f"sqlite:///{tmp_path / 'elsewhere.db'}")
    yield dataclasses.replace(service, engine=engine)
    engine.dispose()


def under_way(service: Service, session: Session) -> Game:
    made = begun(service, session)
    play(service, session, made, until=5)
    return made


def play(service: Service, session: Session, game: Game, until: int = 9999) -> None:
    """Order by order, some of them taken back."""
    session.refresh(game)
    back: set[int] = {ANA, BENTO} if game.last_entry > 1 else set()
    while game.last_entry < until and one_order(service, session, game, back):
        pass


def agree(
    service: Service, session: Session, game: Game, seat: int, *, agrees: bool = True,
    to: str = SECOND,
) -> rulesets.RulesetAnswer:  # fmt: skip
    """What a player says on the page."""
    done = rulesets.answer(session, stored_id(game), tables.seat(session, game, seat).person_id,
                           service.clock.now(), to=to, agrees=agrees)
    session.refresh(game)
    session.commit()
    return done


def record_of(session: Session, game: Game) -> bytes:
    return b"".join(export.record_lines(session, game))


def entries(session: Session, game: Game) -> list[Entry]:
    return list(session.exec(
        select(Entry).where(Entry.game_id == game.id).order_by(col(Entry.number))))


# ---- its own rules to the end -------------------------------------------------------------------


def test_a_game_knows_its_rules_from_its_start_on(game: Game) -> None:
    assert game.ruleset == FIRST


def test_a_running_game_is_played_to_its_end_by_its_own_rules(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    become(Learned)
    play(service, session, game)

    assert game.state == GameState.FINISHED
    assert {entry.ruleset for entry in entries(session, game)} == {FIRST}
    assert nightly.fault_of(session, game) is None
    verdict = verify(record_of(session, game).splitlines(keepends=True))
    assert (verdict.ok, verdict.redrawn) == (True, True), verdict.reason


def test_a_game_begun_by_a_release_that_noted_no_ruleset_goes_on_by_that_of_its_entries(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    game.ruleset = None
    session.add(game)
    session.commit()
    become(Learned)

    assert positions.rules_of(session, game).ruleset == FIRST
    play(service, session, game)
    assert {entry.ruleset for entry in entries(session, game)} == {FIRST}
    assert game.ruleset == FIRST


def test_a_new_game_is_begun_by_the_newest_rules(
    service: Service, session: Session, become: Become
) -> None:
    become(Learned)
    made = begun(service, session)
    play(service, session, made)

    assert made.ruleset == SECOND
    assert {entry.ruleset for entry in entries(session, made)} == {SECOND}
    assert nightly.fault_of(session, made) is None
    assert rulesets.offer(session, made) is None


# ---- newer rules, agreed to ---------------------------------------------------------------------


@pytest.mark.parametrize("database", ["service", "postgres_service"])
def test_a_game_goes_on_by_newer_rules_once_all_agree_and_its_record_verifies(
    request: pytest.FixtureRequest, database: str, become: Become
) -> None:
    service: Service = request.getfixturevalue(database)
    with service.writing() as session:
        game = under_way(service, session)
        become(Learned)
        assert not agree(service, session, game, ANA).has_moved
        assert agree(service, session, game, BENTO).has_moved
        play(service, session, game)

        made = entries(session, game)
        [note] = [entry for entry in made if entry.cause == "ruleset"]
        logged = positions.read_body(positions.rules_of(session, game), note.body)
        assert logged.note == {"from": FIRST, "to": SECOND}
        assert {entry.ruleset for entry in made[: note.number - 1]} == {FIRST}
        assert {entry.ruleset for entry in made[note.number - 1:]} == {SECOND}
        assert game.ruleset == SECOND
        assert nightly.fault_of(session, game) is None
        verdict = verify(record_of(session, game).splitlines(keepends=True))
        assert (verdict.ok, verdict.redrawn) == (True, True), verdict.reason
        vp = [event.vp for each in positions.entries(session, game, 1, game.last_entry)
              for event in each.events if type(event).__name__ == "DiasHonoured"]
        assert vp == [2, 5, 5], "the first was honoured by the old figure"


def test_the_log_says_it_in_every_language(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    become(Learned)
    agree(service, session, game, ANA)
    agree(service, session, game, BENTO)
    number = next(each.number for each in entries(session, game) if each.cause == "ruleset")
    told = set()
    for language in ("en", "hu", "ru", "pt"):
        found = narration.log(session, game, upto=game.last_entry, viewer=None,
                            names=["Ana", "Bento"], language=language)
        [line] = [line.text for each in found if each.number == number for line in each.lines]
        assert FIRST in line and SECOND in line
        told.add(line)
    assert len(told) == 4


def test_who_has_agreed_can_think_better_of_it(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    become(Learned)
    agree(service, session, game, ANA)
    agree(service, session, game, ANA, agrees=False)

    assert not agree(service, session, game, BENTO).has_moved
    assert game.ruleset == FIRST


def test_a_second_click_writes_no_second_entry(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    become(Learned)
    for seat in (ANA, BENTO, BENTO, ANA):
        agree(service, session, game, seat)

    assert [each.cause for each in entries(session, game)].count("ruleset") == 1


def test_who_has_left_need_not_agree(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    become(Learned)
    resign(session, stored_id(game), tables.seat(session, game, BENTO).person_id,
           service.clock.now())
    session.refresh(game)

    assert game.state == GameState.RUNNING
    assert agree(service, session, game, ANA).has_moved


def test_strangers_and_rules_that_are_not_offered_are_refused(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    stranger = tables.person(session, "Zoe", service.clock.now())
    session.commit()
    with pytest.raises(TableRefused, match="newer_rules_over"):
        agree(service, session, game, ANA)
    become(Learned)
    with pytest.raises(TableRefused, match="newer_rules_over"):
        agree(service, session, game, ANA, to="vasco-da-gama 4")
    with pytest.raises(TableRefused, match="players_only"):
        rulesets.answer(session, stored_id(game), stored_id(stranger), service.clock.now(),
                        to=SECOND, agrees=True)
    assert game.ruleset == FIRST


def test_nothing_in_front_of_it_is_taken_back(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    become(Learned)
    agree(service, session, game, ANA)
    agree(service, session, game, BENTO)

    for number in (ANA, BENTO):
        assert undo.can_undo(session, game, tables.seat(session, game, number)) is None
    assert list(consent.in_reach(session, game)) == []


def test_a_record_that_changes_its_rules_without_saying_so_does_not_verify(
    service: Service, session: Session, game: Game, become: Become
) -> None:
    become(Learned)
    agree(service, session, game, ANA)
    agree(service, session, game, BENTO)
    play(service, session, game)
    lines = record_of(session, game).splitlines(keepends=True)
    number = next(each.number for each in entries(session, game) if each.cause == "ruleset")

    told = lines[number].replace(b'"to":"vasco-da-gama 3"', b'"to":"vasco-da-gama 4"')
    assert told != lines[number]
    verdict = verify([*lines[:number], told, *lines[number + 1:]])
    assert (verdict.ok, verdict.at) == (False, f"entry {number}")
    verdict = verify([*lines[:number], *lines[number + 1:]])
    assert (verdict.ok, verdict.at) == (False, f"entry {number}")


def test_a_record_over_two_rulesets_is_taken_into_another_installation(
    elsewhere: Service, service: Service, session: Session, become: Become, tmp_path: Path
) -> None:
    game = under_way(service, session)
    become(Learned)
    agree(service, session, game, ANA)
    agree(service, session, game, BENTO)
    play(service, session, game)
    path = tmp_path / "given.jsonl"
    path.write_bytes(record_of(session, game))
    session.commit()

    taken = take_in(elsewhere, path, source="elsewhere.example")

    with elsewhere.reading() as theirs:
        row = theirs.get_one(Game, taken.game_id)
        assert record_of(theirs, row) == path.read_bytes()
        assert row.ruleset == SECOND
        assert nightly.fault_of(theirs, row) is None


# ---- rules that this release does not have ------------------------------------------------------


@pytest.fixture
def newer(service: Service, session: Session, become: Become) -> Game:
    """A game of a newer release, found by one that knows the first ruleset alone."""
    with pytest.MonkeyPatch.context() as for_a_while:
        go_over(for_a_while, Learned)
        made = under_way(service, session)
    assert made.ruleset == SECOND
    become(registry.KINDS[KEY].game)
    return made


def test_a_ruleset_that_is_not_there_is_named(become: Become) -> None:
    with pytest.raises(UnknownRuleset, match="vasco-da-gama 3"):
        registry.game(KEY, None, SECOND)
    become(GivenUp)
    with pytest.raises(UnknownRuleset, match="vasco-da-gama 2"):
        registry.game(KEY, None, FIRST)


def test_its_orders_wait_and_the_game_stands_still(
    service: Service, session: Session, newer: Game, caplog: pytest.LogCaptureFixture
) -> None:
    before = newer.last_entry
    with caplog.at_level(logging.ERROR, logger="carreira.advance"):
        assert advance.advance(session, stored_id(newer), service.clock.now()) == set()
    session.refresh(newer)

    assert newer.last_entry == before
    assert f"Game {newer.id} stands still" in caplog.text
    assert SECOND in caplog.text


def test_no_order_is_taken_in_and_the_reason_is_said(
    service: Service, session: Session, newer: Game
) -> None:
    row = tables.seat(session, newer, ANA)
    with pytest.raises(IllegalMove, match="other_rules"):
        submit.record(session, row, "status", seen=newer.last_entry, source="page", key="k",
                      now=service.clock.now(), enqueue=lambda _game_id: None)


def test_the_operator_is_told_by_the_doctor(service: Service, newer: Game) -> None:
    [found] = standing_still(service)
    assert (found.state, SECOND in found.said, str(newer.id) in found.said) == ("bad", True, True)


def test_the_operators_page_has_it_among_the_games_that_stand_still(
    session: Session, newer: Game
) -> None:
    [found] = stuck.failing(session)
    assert (found.game.id, found.what) == (newer.id, f"UnknownRuleset: {SECOND}")


def test_monitors_count_it_among_the_games_that_cannot_be_advanced(
    service: Service, session: Session, newer: Game
) -> None:
    seat = tables.seat(session, newer, ANA)
    session.add(Submission(
        game_id=stored_id(newer), person_id=seat.person_id, seat=ANA, key="k", orders="pass",
        seen=newer.last_entry, source="page", created=service.clock.now()))
    session.commit()

    found = health.vitals(session, service.clock.now())

    assert (found.failing_games, found.orders.number) == (1, 0)


def test_it_can_be_cancelled_by_all(service: Service, session: Session, newer: Game) -> None:
    for number in (ANA, BENTO):
        person = session.get_one(Person, tables.seat(session, newer, number).person_id)
        lobby.agree_to_cancel(session, game_id=stored_id(newer), person=person, agrees=True,
                              now=service.clock.now())
    session.refresh(newer)
    assert newer.state == GameState.CANCELLED


def test_the_release_that_has_the_rules_goes_on_with_it(
    service: Service, session: Session, newer: Game, become: Become
) -> None:
    advance.advance(session, stored_id(newer), service.clock.now())
    become(Learned)
    play(service, session, newer)

    assert newer.state == GameState.FINISHED
    assert nightly.fault_of(session, newer) is None


def test_a_finished_game_of_other_rules_is_read_and_followed_by_its_facts(
    service: Service, session: Session, newer: Game, become: Become
) -> None:
    become(Learned)
    play(service, session, newer)
    become(Changed)

    assert nightly.fault_of(session, newer) is None
    verdict = verify(record_of(session, newer).splitlines(keepends=True))
    assert verdict.ok, verdict.reason


def test_a_record_of_newer_rules_is_not_taken_in_unasked(
    service: Service, session: Session, newer: Game, become: Become, tmp_path: Path
) -> None:
    standard = registry.KINDS[KEY].game
    become(Learned)
    play(service, session, newer)
    path = tmp_path / "given.jsonl"
    path.write_bytes(record_of(session, newer))
    become(standard)
    with pytest.raises(NotImported, match="--other-rules"):
        take_in(service, path, source="elsewhere.example")


# ---- the pages ----------------------------------------------------------------------------------


def test_the_page_offers_newer_rules_only_where_there_are_some(
    service: Service, session: Session, game: Game, become: Become, client: FlaskClient
) -> None:
    sign_in(service, client, session, game, ANA)
    session.commit()
    assert "newer-rules" not in client.get(url(game)).text
    become(Learned)

    page = client.get(url(game)).text
    assert f"There are newer ones now, {SECOND}." in text_of(page)
    after = client.post(url(game, "/newer-rules"), data={"to": SECOND, "answer": "yes"},
                        follow_redirects=True).text
    assert "You agree." in after
    assert "Agreed: Ana." in text_of(after)
    sign_in(service, client, session, game, BENTO)
    session.commit()
    after = client.post(url(game, "/newer-rules"), data={"to": SECOND, "answer": "yes"},
                        follow_redirects=True).text
    assert "All have agreed: the game goes on by the newer rules." in after
    assert "newer-rules" not in after


def test_the_page_says_that_a_game_stands_still_and_offers_no_orders(
    service: Service, session: Session, newer: Game, client: FlaskClient
) -> None:
    visitor = client.get(url(newer)).text
    assert "This game stands still" in visitor
    assert SECOND in visitor
    sign_in(service, client, session, newer, ANA)
    session.commit()
    page = client.get(url(newer)).text
    assert "This game stands still" in page
    assert "/orders" not in page
    after = client.post(url(newer, "/newer-rules"), data={"to": SECOND, "answer": "yes"},
                        follow_redirects=True)
    assert after.status_code == 200
    assert "rules that this server does not have" in after.text
