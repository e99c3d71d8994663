"""A game that advances: entries, who is asked, which letters are due, and whoever else does it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from sqlmodel import Session, delete, func, select

from engine import bots, codec, journal
from engine.chance import Stream
from engine.vasco_da_gama import VascoDaGama
from pbem.archive.news import since_last_moved
from pbem.clock import FixedClock
from pbem.mail.letters import build
from pbem.models import Entry, Game, GameState, Outbox, Person, Snapshot, Submission, stored_id
from pbem.play import advance, narration, positions
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE, seat, started_game
from tests.unit.test_submit import play, send


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    return started_game(session, clock.now())


def letters(session: Session, kind: str) -> list[tuple[int, int]]:
    """Whom letters of a kind are due to, and about which entry or row."""
    number = func.coalesce(Outbox.entry, Outbox.about_id)
    found = select(Outbox.person_id, number).where(Outbox.kind == kind)
    return sorted(session.exec(found).all())


def recipient(session: Session, game: Game, number: int) -> int:
    return seat(session, game, number).person_id


def test_a_game_starts_with_one_entry_and_a_letter_to_everybody(
    session: Session, game: Game
) -> None:
    assert game.last_entry == 1
    assert len(letters(session, "started")) == 4
    assert letters(session, "turn") == [(recipient(session, game, CATARINA), 1)]


def test_orders_become_an_entry_and_the_next_seat_is_asked(session: Session, game: Game) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")

    assert game.last_entry == 2
    assert seat(session, game, CATARINA).asked_since is None
    assert seat(session, game, ANA).asked_since == 2
    assert (recipient(session, game, ANA), 2) in letters(session, "turn")
    submission = session.exec(select(Submission)).one()
    assert (submission.state, submission.first_entry, submission.last_entry) == ("played", 2, 2)


def test_advancing_for_nothing_changes_nothing(session: Session, game: Game) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")
    before = session.exec(select(func.count()).select_from(Outbox)).one()

    assert advance.advance(session, stored_id(game), game.created) == set()

    session.refresh(game)
    assert game.last_entry == 2
    assert session.exec(select(func.count()).select_from(Outbox)).one() == before


def test_a_letter_that_waits_a_while_is_not_among_those_to_send_now(
    session: Session, game: Game
) -> None:
    send(session, game, CATARINA, "merchant mombasa>5")

    to_send = advance.advance(
        session, stored_id(game), game.created, letter_delay=timedelta(minutes=5))

    assert to_send == set()
    assert (recipient(session, game, ANA), 2) in letters(session, "turn")


def test_eight_workers_at_once_play_an_order_once(
    service: Service, session: Session, game: Game
) -> None:
    send(session, game, CATARINA, "merchant mombasa>5")

    def work(_: int) -> int:
        with service.writing() as own:
            return len(advance.advance(own, stored_id(game), game.created))

    with ThreadPoolExecutor(8) as pool:
        due = sorted(pool.map(work, range(8)))

    assert due == [0] * 7 + [1]
    session.refresh(game)
    assert game.last_entry == 2


def test_orders_that_fit_no_more_come_back_with_a_letter(session: Session, game: Game) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")
    # Two orders that were good when they were kept; the first takes the number of the second.
    late = Submission(
        game_id=stored_id(game),
        person_id=seat(session, game, ANA).person_id,
        seat=ANA,
        source="page",
        key="late",
        orders="place 9 projects",
        seen=2,
        created=game.created,
    )
    send(session, game, ANA, "place 9 nav")
    session.add(late)
    session.commit()

    advance.advance(session, stored_id(game), game.created)

    session.refresh(late)
    session.refresh(game)
    assert (late.state, late.draft) == ("refused", "place 9 projects")
    assert game.last_entry == 3
    assert letters(session, "refused") == [(recipient(session, game, ANA), late.id)]


def test_lines_behind_a_reveal_that_answer_what_was_not_known_come_back_with_a_letter(
    session: Session, game: Game
) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")
    placed = place_all_but_the_last(session, game)

    send(session, game, placed, "place 1 characters; give up; give up", key="chain")
    advance.advance(session, stored_id(game), game.created)

    chain = session.exec(select(Submission).where(Submission.key == "chain")).one()
    assert chain.state == "played"
    assert chain.draft == "give up\ngive up"  # the variation that it turned tells what they cost
    assert (chain.first_entry, chain.last_entry) == (19, 19)
    due = select(Outbox).where(Outbox.kind == "refused", Outbox.about_id == chain.id)
    assert build.still_true(session, session.exec(due).one(), game.created)
    assert (recipient(session, game, placed), chain.id) in letters(session, "refused")


def place_all_but_the_last(session: Session, game: Game) -> int:
    """The seats place 21 first, then 2, 3, 4, ..; the seat that has the last disc to place."""
    while True:
        table = positions.table(session, game)
        (asked,) = table.rules.current_players(table.state)
        if len(table.state.discs) == 16:  # of 4 x 4 and Manuel's
            return asked
        lines = [table.rules.to_text(move) for move in table.rules.answers(table.state, asked)]
        used = {disc.number for disc in table.state.discs}
        number = 21 if "place 21 navigation" in lines else min(set(range(2, 21)) - used)
        line = next(line for line in lines if line.startswith(f"place {number} "))
        play(session, game, asked, line)


def test_the_rules_run_once_when_orders_are_tried_and_once_when_they_are_played(
    session: Session, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker tries on a copy without a draw is what becomes the entry."""
    runs: list[Any] = []
    apply_action = VascoDaGama.apply_action

    def counted(self: VascoDaGama, state: Any, seat: int, move: Any, chance: Any) -> Any:
        runs.append(move)
        return apply_action(self, state, seat, move, chance)

    monkeypatch.setattr(VascoDaGama, "apply_action", counted)

    play(session, game, CATARINA, "merchant mombasa>5")

    assert len(runs) == 2


def test_what_another_seat_does_at_any_moment_leaves_the_question_as_it_is(
    session: Session, game: Game
) -> None:
    """A launch (VG-4.3) asks nobody anew: no second letter, and the older page is not stale."""
    crewed(session, game, BENTO)
    play(session, game, CATARINA, "merchant mombasa>5")
    before = letters(session, "turn")

    play(session, game, BENTO, "launch I-01: turquoise")

    assert letters(session, "turn") == before
    assert seat(session, game, ANA).asked_since == 2
    assert send(session, game, ANA, "place 9 nav", seen=2).id


def crewed(session: Session, game: Game, number: int) -> None:
    """Give a seat a project and its crew, as if it had come by them (a test's set-up)."""
    row = session.exec(select(Snapshot).where(Snapshot.game_id == game.id)).one()
    table = positions.table(session, game)
    state = table.state.copy()
    state.offer = tuple(None if tile == "I-01" else tile for tile in state.offer)
    state.decks = tuple(tuple(t for t in deck if t != "I-01") for deck in state.decks)
    state.change(number, projects=("I-01",), crew=(1, 0, 0, 0, 0))
    row.state = codec.encode(state).decode()
    session.add(row)
    session.commit()


# ---- whole games --------------------------------------------------------------------------------


def play_to_the_end(session: Session, game: Game, kind: str = "steady") -> None:
    """All four send what a bot would send, through the same door as people."""
    for turn in range(1000):
        session.refresh(game)
        if game.state != GameState.RUNNING:
            return
        table = positions.table(session, game)
        asked = min(table.rules.current_players(table.state))
        whim = Stream(b"whim", f"{game.id}|{turn}")
        moves = bots.choose(table.rules, table.state, asked, kind, whim)
        play(session, game, asked, "; ".join(map(table.rules.to_text, moves)), key=str(turn))
    raise AssertionError("the game does not end")


def test_a_whole_game_ends_with_places_letters_and_a_record_that_verifies(
    session: Session, game: Game
) -> None:
    play_to_the_end(session, game)

    assert len(letters(session, "finished")) == 4
    assert sorted(seat(session, game, number).place or 0 for number in range(4))[0] == 1
    lines = list(export.record_lines(session, game))
    assert verify(lines).ok


def test_every_position_of_a_whole_game_is_the_fold_of_its_entries(
    session: Session, game: Game
) -> None:
    play_to_the_end(session, game, "random")
    rules = positions.rules_of(session, game)
    state = rules.empty_table(4, {})

    for entry in positions.entries(session, game, 1, game.last_entry):
        state = journal.fold(state, entry.events)
        stored = positions.position(session, game, entry.number)
        assert stored == state
        assert codec.digest(stored) == entry.state_hash


def test_a_deleted_cache_of_positions_is_folded_anew(session: Session, game: Game) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")
    present = positions.position(session, game, 2)
    session.exec(delete(Snapshot))
    session.commit()

    assert positions.position(session, game, 2) == present
    play(session, game, ANA, "place 9 nav")
    assert positions.position(session, game, 3).discs[0].number == 9


def test_bots_play_on_by_themselves_until_a_person_is_asked(session: Session, game: Game) -> None:
    for number in (BENTO, CATARINA, DUARTE):
        bot = session.get_one(Person, seat(session, game, number).person_id)
        bot.bot = "steady"
        session.add(bot)
    session.commit()

    advance.advance(session, stored_id(game), game.created)

    session.refresh(game)
    assert game.last_entry > 1
    assert seat(session, game, ANA).asked_since is not None
    assert {entry.cause for entry in session.exec(select(Entry))} <= {"start", "bot", "forced"}


def test_since_you_last_moved_tells_what_others_did_and_what_ones_own_move_revealed(
    session: Session, game: Game
) -> None:
    play(session, game, CATARINA, "merchant mombasa>5")
    play(session, game, ANA, "place 9 nav")
    play(session, game, BENTO, "place 10 nav")

    news = since_last_moved(session, positions.table(session, game), seat(session, game, ANA), "en")

    assert (news.first, news.last) == (4, 4)
    assert ["10" in line.text and "Bento" in line.text for line in news.lines] == [True]


def test_rounds_and_phases_are_found_without_reading_the_log(session: Session, game: Game) -> None:
    play_to_the_end(session, game)

    found = narration.rounds(session, game)

    assert [number for number, _, _ in found] == [0, 1, 2, 3, 4, 5]
    assert found[0][1] == 1
    assert found[-1][2] == game.last_entry
    for (_, _, last), (_, first, _) in pairwise(found):
        assert first == last + 1
