"""Taking one's own last orders back: what goes, what stays, and who hears of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import NamedTuple

import pytest
from sqlmodel import Session, select

from engine import codec, journal, registry
from engine import play as play_of
from engine.chance import Forbidden
from pbem.archive.news import since_last_moved
from pbem.clock import FixedClock
from pbem.mail.letters import build
from pbem.models import Entry, Game, GameState, LetterState, Outbox, Person, stored_id
from pbem.play import advance, narration, positions, submit
from pbem.play.refusals import TableRefused
from pbem.play.undo import can_undo, undo
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from tests.engine.play_outs import play_out, stream
from tests.support import finished
from tests.support.histories import stored_game
from tests.support.letterfactory import swept
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE, NAMES, seat, started_game
from tests.unit.test_acting_set import act, assert_asked_rightly
from tests.unit.test_advance import letters, recipient
from tests.unit.test_submit import play, send
from tests.unit.test_verify import rehashed


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    """Catarina has sent the first merchant ship (entry 2), Ana has placed a disc (entry 3)."""
    started = started_game(session, clock.now())
    play(session, started, CATARINA, "merchant mombasa>5")
    play(session, started, ANA, "place 9 nav")
    return started


def take_back(session: Session, game: Game, number: int, entry: int | None = None) -> int:
    """The entry by which this seat takes its last orders back."""
    person_id = seat(session, game, number).person_id
    done = undo(session, stored_id(game), person_id, game.created, entry=entry)
    session.refresh(game)
    return done.number


def test_the_question_is_put_anew_and_the_position_is_the_one_before(
    session: Session, game: Game
) -> None:
    assert take_back(session, game, ANA) == 4

    assert positions.position(session, game, 4) == positions.position(session, game, 2)
    assert seat(session, game, ANA).asked_since == 4
    assert seat(session, game, BENTO).asked_since is None
    [entry] = positions.entries(session, game, 4, 4)
    assert (entry.base, entry.seat, entry.cause, entry.events) == (2, ANA, "undo", ())


def test_nothing_is_deleted_and_the_game_goes_on_from_there(session: Session, game: Game) -> None:
    take_back(session, game, ANA)
    play(session, game, ANA, "place 12 rec", key="again")

    assert [entry.base for entry in positions.entries(session, game, 1, 5)] == [0, 1, 2, 2, 4]
    assert [disc.number for disc in positions.position(session, game, 5).discs] == [12]
    assert [disc.number for disc in positions.position(session, game, 3).discs] == [9]
    assert verify(export.record_lines(session, game)).ok


def test_what_would_go_is_told_before_it_goes(session: Session, game: Game) -> None:
    found = can_undo(session, game, seat(session, game, ANA))

    assert found is not None
    assert (found.base, found.first, found.last) == (2, 3, 3)
    assert found.orders == ("place 9 navigation",)


def test_who_is_not_the_last_to_have_acted_takes_nothing_back(session: Session, game: Game) -> None:
    with pytest.raises(TableRefused, match="nothing_to_take_back"):
        take_back(session, game, CATARINA)

    assert game.last_entry == 3


def test_once_the_next_seat_has_acted_it_is_too_late(session: Session, game: Game) -> None:
    play(session, game, BENTO, "place 1 nav")

    assert can_undo(session, game, seat(session, game, ANA)) is None


def test_orders_of_another_that_wait_count_as_acting(session: Session, game: Game) -> None:
    send(session, game, BENTO, "place 1 nav")

    assert can_undo(session, game, seat(session, game, ANA)) is None
    with pytest.raises(TableRefused):
        take_back(session, game, ANA)
    session.rollback()
    advance.advance(session, stored_id(game), game.created)
    session.refresh(game)
    assert game.last_entry == 4


def test_ones_own_orders_that_wait_are_played_and_taken_back(session: Session, game: Game) -> None:
    send(session, game, BENTO, "place 1 nav")

    assert take_back(session, game, BENTO) == 5

    assert seat(session, game, BENTO).asked_since == 5


def test_what_revealed_something_stays(session: Session, clock: FixedClock) -> None:
    """The first merchant ship of the set-up uncovers the next."""
    game = started_game(session, clock.now())
    play(session, game, CATARINA, "merchant mombasa>5")
    revealed = any(event.reveals for event in positions.entries(session, game, 2, 2)[0].events)

    found = can_undo(session, game, seat(session, game, CATARINA))

    assert (found is None) == revealed


def test_a_second_click_on_the_same_button_changes_nothing(
    service: Service, session: Session, game: Game
) -> None:
    person_id = seat(session, game, ANA).person_id
    session.commit()

    def click(_: int) -> int:
        with service.writing() as own:
            return undo(own, stored_id(game), person_id, game.created, entry=3).number

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(click, range(20))) == {4}

    session.refresh(game)
    assert game.last_entry == 4


def test_a_button_of_an_older_page_takes_nothing_else_back(session: Session, game: Game) -> None:
    play(session, game, BENTO, "place 1 nav")

    with pytest.raises(TableRefused, match="nothing_to_take_back"):
        take_back(session, game, BENTO, entry=3)


def test_a_letter_that_was_due_for_it_is_untrue_and_one_that_left_is_followed_by_another(
    session: Session, game: Game
) -> None:
    letter = session.exec(select(Outbox).where(
        Outbox.kind == "turn", Outbox.person_id == recipient(session, game, BENTO))).one()
    letter.state, letter.settled = LetterState.SENT, game.created
    session.add(letter)
    session.commit()

    take_back(session, game, ANA)

    assert not build.still_true(session, letter, game.created)
    assert letters(session, "undone") == [(recipient(session, game, BENTO), 4)]
    undone = session.exec(select(Outbox).where(Outbox.kind == "undone")).one()
    assert build.still_true(session, undone, game.created)
    play(session, game, ANA, "place 12 rec", key="again")
    assert not build.still_true(session, undone, game.created)  # he is asked anew by then


def test_who_takes_orders_back_gets_no_letter_about_it(session: Session, game: Game) -> None:
    session.add(Outbox(
        kind="turn", person_id=recipient(session, game, ANA), game_id=game.id, entry=3,
        dedup_key="a bot's move asked Ana again", state=LetterState.SENT, created=game.created,
        not_before=game.created, settled=game.created))
    session.commit()

    take_back(session, game, ANA)

    assert letters(session, "undone") == []


@pytest.mark.parametrize(("language", "said"), [
    ("en", "Ana has taken entry 3 back."), ("hu", "Ana visszavonta a 3. bejegyzést."),
    ("ru", "Ana: запись 3 взята назад."), ("pt", "Ana voltou atrás na entrada 3."),
])
def test_that_letter_says_who_took_back_what(
    service: Service, session: Session, game: Game, language: str, said: str
) -> None:
    bento = session.get_one(Person, seat(session, game, BENTO).person_id)
    bento.language = language
    session.add(bento)
    session.commit()
    swept(service)  # it is Bento's turn, he reads
    take_back(session, game, ANA)
    session.commit()

    letters_now = [each for each in swept(service).letters if "bento@" in str(each["To"])]

    [letter] = letters_now
    for form in ("plain", "html"):
        body = letter.get_body((form,))
        assert body is not None
        assert said in " ".join(body.get_content().split())


def test_nobody_hears_of_it_by_a_letter_who_had_none(session: Session, game: Game) -> None:
    take_back(session, game, ANA)

    assert letters(session, "undone") == []


def test_the_log_marks_what_was_taken_back_and_the_news_leave_it_out(
    session: Session, game: Game
) -> None:
    take_back(session, game, ANA)

    logged = narration.log(session, game, upto=4, viewer=None, names=NAMES, language="en")
    table = positions.table(session, game)
    news = since_last_moved(session, table, seat(session, game, CATARINA), "en")

    assert [entry.back_by for entry in logged] == [None, None, 4, None]
    assert [line.text for line in logged[3].lines] == ["Ana has taken entry 3 back."]
    assert "Ana has taken entry 3 back." in [line.text for line in news.lines]
    assert 3 not in [line.number for line in news.lines]


def with_bots(session: Session, game: Game, kind: str, *numbers: int) -> None:
    """Have players of the house sit in these seats."""
    for number in numbers:
        bot = session.get_one(Person, seat(session, game, number).person_id)
        bot.bot = kind
        session.add(bot)
    session.commit()


def test_a_bots_reply_ends_taking_back_where_other_people_play(
    session: Session, game: Game
) -> None:
    with_bots(session, game, "steady", BENTO)
    play(session, game, CATARINA, "merchant mombasa>5")
    play(session, game, ANA, "place 9 nav")
    assert game.last_entry > 3  # Bento has placed too

    assert can_undo(session, game, seat(session, game, ANA)) is None
    with pytest.raises(TableRefused):
        take_back(session, game, ANA)


def test_forced_moves_and_bots_behind_the_orders_go_back_where_nobody_else_plays(
    session: Session, clock: FixedClock
) -> None:
    game = started_game(session, clock.now())
    with_bots(session, game, "steady", BENTO, DUARTE)
    play(session, game, CATARINA, "merchant mombasa>5")
    with_bots(session, game, "steady", CATARINA)
    before = positions.position(session, game, game.last_entry)
    play(session, game, ANA, "place 9 nav")

    take_back(session, game, ANA)

    assert positions.position(session, game, game.last_entry) == before
    assert seat(session, game, BENTO).moved_at == 0


def test_bots_reply_alike_to_the_same_order_given_again(
    session: Session, clock: FixedClock
) -> None:
    """Else who takes back draws another reply, until one suits."""
    game = started_game(session, clock.now())
    with_bots(session, game, "random", BENTO, DUARTE)
    play(session, game, CATARINA, "merchant mombasa>5")
    with_bots(session, game, "random", CATARINA)
    play(session, game, ANA, "place 9 nav")
    first = positions.position(session, game, game.last_entry)

    take_back(session, game, ANA)
    play(session, game, ANA, "place 9 nav", key="again")

    assert positions.position(session, game, game.last_entry) == first


@pytest.mark.parametrize("key", registry.GAMES)
def test_a_phase_that_opened_with_it_leaves_no_heading_behind(key: str, service: Service) -> None:
    game_id = opened_phase(service, key)
    with service.writing() as session:
        game = session.get_one(Game, game_id)
        mover = positions.entries(session, game, game.last_entry, game.last_entry)[0].seat
        before = narration.phases_of(session, game)

        take_back(session, game, mover or 0)

        after = narration.phases_of(session, game)
        assert len(after) == len(before) - 1
        rules = positions.rules_of(session, game)
        state = positions.position(session, game, game.last_entry)
        assert (after[-1].round, after[-1].phase) == rules.chapter(state)


def opened_phase(service: Service, key: str) -> int:
    """A game whose last entry opened a phase, was an order and revealed nothing."""
    for seed in range(40):
        played = play_out(key, registry.game(key).seats[-1], seed)
        for number, step in enumerate(played.steps[1:], start=2):
            if step.seat is None or step.move.free or played.game.is_terminal(step.turn.state):
                continue
            opens = played.game.chapter(step.before) != played.game.chapter(step.turn.state)
            if opens and not any(event.reveals for event in step.turn.events):
                return stored_game(service, played, played.turns[:number], lambda _, s: (
                    "start" if s.seat is None else "order"))
    pytest.skip(f"{key} opens no phase by a move that reveals nothing")


@pytest.mark.parametrize(("forged", "reason"), [
    ({"base": 1}, "it takes back what another has done"),
    ({"base": 3}, "it leads to another position"),
    ({"seat": BENTO}, "it takes back what another has done"),
    ({"seat": 9}, "it has no seat"),
    ({"events": [{"type": "PhaseBegan", "phase": 2}]}, ""),
    ({"cause": "resign"}, "it continues entry 2"),
])
def test_a_record_with_a_taking_back_that_the_rules_do_not_know_is_found(
    session: Session, game: Game, forged: dict[str, object], reason: str
) -> None:
    take_back(session, game, ANA)
    data = b"".join(export.record_lines(session, game))

    verdict = verify(rehashed(data, 4, **forged).splitlines(keepends=True))

    assert verdict.at == "entry 4"
    assert reason in verdict.reason


# ---- whole games --------------------------------------------------------------------------------


@pytest.mark.parametrize("key", registry.GAMES)
def test_after_random_orders_and_takings_back_all_that_is_stored_is_as_recomputed(
    key: str, service: Service
) -> None:
    dice = random.Random(5)
    with service.writing() as session:
        started = started_game(session, service.clock.now(), NAMES[:2], game_key=key)
        game_id = stored_id(started)
    taken = 0
    for _ in range(900):
        with service.writing() as session:
            row = session.get_one(Game, game_id)
            if not act(session, row, service, dice):
                break
        with service.writing() as session:
            advance.advance(session, game_id, service.clock.now())
            taken += sometimes_undo(session, session.get_one(Game, game_id), dice)
            assert_asked_rightly(session, session.get_one(Game, game_id))

    assert taken > 10
    with service.reading() as session:
        row = session.get_one(Game, game_id)
        assert row.state == GameState.FINISHED
        assert_positions_are_folds(session, row)
        assert verify(export.record_lines(session, row)).ok


def sometimes_undo(session: Session, row: Game, dice: random.Random) -> int:
    """Whoever can takes back with a chance of two fifths; how often somebody did."""
    seats = [one for one in session.exec(positions.seats_of(row)) if can_undo(session, row, one)]
    if not seats or dice.random() > 0.4:
        session.rollback()
        return 0
    undo(session, stored_id(row), seats[0].person_id, row.created + timedelta(hours=1))
    return 1


def assert_positions_are_folds(session: Session, row: Game) -> None:
    """Each stored position is its base's with the entry's events."""
    rules = positions.rules_of(session, row)
    states = [rules.empty_table(row.seats, codec.decode(row.options.encode(), dict))]
    for entry in positions.entries(session, row, 1, row.last_entry):
        states.append(journal.fold(states[entry.base], entry.events))
        assert positions.position(session, row, entry.number) == states[-1]
    assert len(states) == 1 + len(session.exec(
        select(Entry).where(Entry.game_id == row.id)).all())


@pytest.mark.parametrize("key", registry.GAMES)
def test_whatever_draws_chance_also_reveals_and_so_is_never_taken_back(key: str) -> None:
    """Else a player could try again until chance pleases him."""
    played = play_out(key, registry.game(key).seats[-1], 4)
    for number, step in enumerate(played.steps[1:], start=2):
        drawing = Drawing(stream(4, number))
        turn = played.game.apply_action(step.before, step.seat, step.move, drawing)
        assert not drawing.drew or any(event.reveals for event in turn.events)


class Drawing:
    """Chance that notes whether it was asked."""

    def __init__(self, chance: object) -> None:
        self.chance = chance
        self.drew = False

    def __getattr__(self, name: str) -> object:
        self.drew = self.drew or name != "unveil"
        return getattr(self.chance, name)


def test_nothing_is_taken_back_behind_the_end_of_a_game(
    service: Service, session: Session
) -> None:
    """His last order waits and ends the game: taken back, it would stand behind the end."""
    game = finished.begun(service, session)
    while not (last := ends(game, session)):
        finished.one_order(service, session, game, {0, 1})
    seat_row = seat(session, game, last.seat)
    submit.record(session, seat_row, last.line, seen=game.last_entry, source="page", key="last",
                  now=service.clock.now(), enqueue=lambda _game_id: None)
    with pytest.raises(TableRefused):
        undo(session, stored_id(game), seat_row.person_id, service.clock.now())

    advance.advance(session, stored_id(game), service.clock.now())
    session.refresh(game)
    assert game.state == GameState.FINISHED
    assert verify(export.record_lines(session, game)).ok


class Last(NamedTuple):
    """The order that ends a game."""

    seat: int
    line: str


def ends(game: Game, session: Session) -> Last | None:
    """The next order, if the game is over behind it and what follows by itself."""
    session.refresh(game)
    table = positions.table(session, game)
    number = table.rules.current_players(table.state)[0]
    line = "; ".join(map(table.rules.to_text, finished.chosen(table, number)))
    state = play_of.letter(table.rules, table.state, number, line, {}).state
    while (found := play_of.forced(table.rules, state)) is not None:
        state = play_of.move(table.rules, state, *found, Forbidden()).state
    return Last(number, line) if table.rules.is_terminal(state) else None
