"""Going back by consent of all: who is asked, what ends a proposal, and that it is done once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from engine.errors import MoveRefused
from pbem.archive.news import since_last_moved
from pbem.clock import FixedClock
from pbem.mail.letters import build
from pbem.models import Game, LetterState, Outbox, Person, StandingOrder, StandingState, stored_id
from pbem.play import advance, narration, positions, submit
from pbem.play.refusals import TableRefused
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from pbem.tables import consent, seats
from pbem.tables.seats import resign
from tests.support.letterfactory import swept, text_of
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE, NAMES, seat, started_game
from tests.unit.test_advance import letters, recipient
from tests.unit.test_submit import play, send


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, clock: FixedClock) -> Game:
    """Catarina has sent a ship (entry 2), Ana and Bento have placed discs (entries 3 and 4)."""
    return placed(session, clock)


def placed(session: Session, clock: FixedClock) -> Game:
    started = started_game(session, clock.now())
    play(session, started, CATARINA, "merchant mombasa>5")
    play(session, started, ANA, "place 9 nav")
    play(session, started, BENTO, "place 1 nav")
    session.commit()
    return started


def propose(session: Session, game: Game, number: int, first: int) -> consent.ConsentResult:
    """A seat's player proposes to go back to before an entry."""
    person_id = seat(session, game, number).person_id
    done = consent.propose(session, stored_id(game), person_id, game.created, first=first)
    session.refresh(game)
    session.commit()  # lets others write
    return done


def answer(
    session: Session, game: Game, number: int, *, agrees: bool = True,
    later: timedelta = timedelta(0), proposal: int | None = None,
) -> consent.ConsentResult:
    """A seat's player answers the newest proposal."""
    found = consent.latest(session, game)
    about = proposal or (0 if found is None else found.id)
    done = consent.answer(session, stored_id(game), seat(session, game, number).person_id,
                          game.created + later, proposal=about, agrees=agrees)
    session.refresh(game)
    session.commit()  # lets others write
    return done


def all_agree(session: Session, game: Game, *seats: int) -> consent.ConsentResult:
    return [answer(session, game, number) for number in seats][-1]


# ---- going back ---------------------------------------------------------------------------------


def test_once_all_have_agreed_the_question_is_put_anew(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    assert game.last_entry == 4

    done = all_agree(session, game, BENTO, CATARINA, DUARTE)

    assert done.back == game.last_entry == 5
    assert positions.position(session, game, 5) == positions.position(session, game, 2)
    [entry] = positions.entries(session, game, 5, 5)
    assert (entry.base, entry.seat, entry.cause) == (2, ANA, "agreed")
    assert seat(session, game, ANA).asked_since == 5
    assert seat(session, game, DUARTE).asked_since is None
    play(session, game, ANA, "place 12 rec", key="again")
    assert verify(export.record_lines(session, game)).ok


def test_the_log_says_that_all_have_agreed(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    all_agree(session, game, BENTO, CATARINA, DUARTE)

    logged = narration.log(session, game, upto=5, viewer=None, names=NAMES, language="en")

    assert [line.text for line in logged[-1].lines] == [
        "All have agreed to take back entry 3 and the moves behind it."]
    assert [entry.back_by for entry in logged] == [None, None, 5, 5, None]


def test_where_nobody_was_there_to_agree_the_log_says_that_one_has_gone_back(
    session: Session, game: Game
) -> None:
    for number in (BENTO, CATARINA, DUARTE):
        resign(session, stored_id(game), seat(session, game, number).person_id, game.created)
    number = game.last_entry + 1
    propose(session, game, ANA, 3)

    logged = narration.log(session, game, upto=number, viewer=None, names=NAMES, language="en")

    assert [line.text for line in logged[-1].lines] == [
        "Ana has taken back entry 3 and the moves behind it."]
    notes = [entry for entry in logged if entry.cause == "resign"]
    assert [entry.back_by for entry in notes] == [None] * 3
    assert verify(export.record_lines(session, game)).ok


def test_as_long_as_one_has_not_agreed_nothing_is_done(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    all_agree(session, game, BENTO, CATARINA)

    assert game.last_entry == 4
    assert consent.open_now(session, game, game.created) is not None


def test_bots_and_seats_without_a_player_need_not_agree(session: Session, game: Game) -> None:
    bot = session.get_one(Person, seat(session, game, CATARINA).person_id)
    bot.bot = "steady"
    session.add(bot)
    session.commit()
    resign(session, stored_id(game), seat(session, game, DUARTE).person_id, game.created)
    session.refresh(game)
    found = list(consent.offered(session, game, None))
    if not found:
        pytest.skip("what was played for the seat has revealed something")

    propose(session, game, ANA, found[-1].number)
    done = answer(session, game, BENTO)

    assert done.back is not None


def test_the_game_may_go_on_meanwhile_and_goes_back_further(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    all_agree(session, game, BENTO, CATARINA)
    send(session, game, CATARINA, "place 5 nav")  # waits, and is played when Duarte agrees
    session.commit()

    done = answer(session, game, DUARTE)

    assert done.back == 6
    assert positions.position(session, game, 6) == positions.position(session, game, 2)


def test_what_was_said_ahead_goes_with_it(session: Session, game: Game) -> None:
    bento = seat(session, game, BENTO)
    bento.ahead = "[]"
    session.add(bento)
    session.commit()

    propose(session, game, ANA, 3)
    all_agree(session, game, BENTO, CATARINA, DUARTE)

    assert seat(session, game, BENTO).ahead is None


def test_a_standing_order_that_was_used_stays_used_and_its_owner_is_told(
    service: Service, session: Session, game: Game
) -> None:
    bento = seat(session, game, BENTO)
    session.add(StandingOrder(
        game_id=stored_id(game), seat=BENTO, person_id=bento.person_id, line="place 1 navigation",
        state=StandingState.USED, given=2, created=game.created, entry=4))
    session.commit()
    propose(session, game, ANA, 3)

    all_agree(session, game, BENTO, CATARINA, DUARTE)

    told = next(each for each in swept(service).letters
                if "bento@" in str(each["To"]) and ".undone." in str(each["Message-ID"]))
    assert "not given again: place 1 navigation" in " ".join(text_of(told).split())


# ---- what can be proposed -----------------------------------------------------------------------


def test_nothing_behind_a_reveal_is_offered(session: Session, game: Game) -> None:
    reveals = [entry.number for entry in positions.entries(session, game, 1, 4)
               if any(event.reveals for event in entry.events)]

    offered = [entry.number for entry in consent.offered(session, game, None)]

    assert offered == [number for number in (4, 3, 2) if number > max(reveals)]
    with pytest.raises(TableRefused, match="nothing_to_propose"):
        propose(session, game, ANA, max(reveals))


def test_what_one_can_take_back_alone_is_not_proposed(session: Session, game: Game) -> None:
    with pytest.raises(TableRefused, match="nothing_to_propose"):
        propose(session, game, BENTO, 4)

    assert propose(session, game, BENTO, 3).back is None


def test_who_does_not_play_here_proposes_and_answers_nothing(session: Session, game: Game) -> None:
    for do in (consent.propose, consent.answer):
        about = {"first": 3} if do is consent.propose else {"proposal": 1, "agrees": True}
        with pytest.raises(TableRefused, match="players_only"):
            do(session, stored_id(game), 999, game.created, **about)  # type: ignore[operator]


# ---- what ends a proposal -----------------------------------------------------------------------


def test_a_refusal_ends_it_and_is_told_to_who_proposed(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    answer(session, game, BENTO, agrees=False)

    with pytest.raises(TableRefused, match="proposal_over"):
        answer(session, game, CATARINA)
    about = [who for who, _ in letters(session, "proposal")]
    assert recipient(session, game, ANA) in about


def test_its_proposer_withdraws_it(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    answer(session, game, ANA, agrees=False)

    with pytest.raises(TableRefused, match="proposal_over"):
        all_agree(session, game, BENTO)


def test_after_three_days_it_has_ended(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)

    with pytest.raises(TableRefused, match="proposal_over"):
        answer(session, game, BENTO, later=timedelta(days=3))
    assert answer(session, game, BENTO, later=timedelta(days=2, hours=23)).back is None


def test_a_newer_proposal_takes_its_place(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    first = consent.latest(session, game)
    assert first is not None
    answer(session, game, CATARINA)

    propose(session, game, DUARTE, 4)

    second = consent.latest(session, game)
    assert second is not None
    assert set(second.answers) == {seat(session, game, DUARTE).person_id}
    with pytest.raises(TableRefused, match="proposal_over"):
        answer(session, game, BENTO, proposal=first.id)


def test_a_reveal_ends_it(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    while list(consent.offered(session, game, None))[-1:] and any(
            entry.number == 3 for entry in consent.in_reach(session, game)):
        play_on(session, game)

    with pytest.raises(TableRefused, match="proposal_over"):
        answer(session, game, BENTO)
    assert consent.open_now(session, game, game.created) is None


def play_on(session: Session, game: Game) -> None:
    """One mildest move of whoever is asked."""
    table = positions.table(session, game)
    asked = table.rules.current_players(table.state)[0]
    line = table.rules.to_text(table.rules.default_action(table.state, asked))
    play(session, game, asked, line, key=f"on {game.last_entry}")
    session.refresh(game)
    session.commit()

def test_who_leaves_need_not_agree_any_more(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    answer(session, game, BENTO)
    answer(session, game, CATARINA)
    session.commit()

    resign(session, stored_id(game), seat(session, game, DUARTE).person_id, game.created)

    session.refresh(game)
    assert [each.cause for each in positions.marks(session, game)][-2:] == ["resign", "agreed"]
    assert seat(session, game, ANA).asked_since == game.last_entry
    assert positions.position(session, game, game.last_entry) == positions.position(
        session, game, 2
    )
    assert verify(export.record_lines(session, game)).ok


def test_that_somebody_has_left_stands_although_all_behind_it_goes_back(
    session: Session, game: Game
) -> None:
    propose(session, game, ANA, 3)
    all_agree(session, game, BENTO, CATARINA)

    resign(session, stored_id(game), seat(session, game, DUARTE).person_id, game.created)

    session.refresh(game)
    logged = narration.log(session, game, upto=game.last_entry, viewer=None, names=NAMES,
                         language="en")
    assert [(entry.cause, entry.back_by) for entry in logged][-4:] == [
        ("order", 6), ("order", 6), ("resign", None), ("agreed", None)]
    news = since_last_moved(session, positions.table(session, game), seat(session, game, ANA), "en")
    assert any("Duarte has resigned" in line.text for line in news.lines)


def test_who_takes_a_seat_is_written_to_about_an_open_proposal(
    session: Session, game: Game
) -> None:
    resign(session, stored_id(game), seat(session, game, DUARTE).person_id, game.created)
    propose(session, game, ANA, 3)
    newcomer = Person(name="Eva", address="eva@players.example", created=game.created)
    session.add(newcomer)
    session.flush()

    seats.take(session, stored_id(game), DUARTE, newcomer, game.created)
    session.commit()

    assert newcomer.id in [whose for whose, _ in letters(session, "proposal")]


def test_the_same_once_more_changes_nothing(session: Session, game: Game) -> None:
    propose(session, game, ANA, 3)
    before = consent.latest(session, game)
    propose(session, game, ANA, 3)
    assert consent.latest(session, game) == before

    all_agree(session, game, BENTO, CATARINA, DUARTE)
    again = answer(session, game, DUARTE)

    assert (again.back, game.last_entry) == (None, 5)


# ---- letters ------------------------------------------------------------------------------------


def test_the_others_get_a_letter_that_says_what_would_go(service: Service, game: Game) -> None:
    swept(service)
    with service.writing() as session:
        propose(session, session.get_one(Game, game.id), ANA, 3)

    told = swept(service).letters

    assert sorted(str(each["To"]).split()[0] for each in told) == ["Bento", "Catarina", "Duarte"]
    for each in told:
        text = " ".join(text_of(each).split())
        assert "Ana proposes to go back to before entry 3." in text
        assert f"/games/{game.id}" in text


def test_that_letter_says_how_much_more_would_go_than_it_lists(
    service: Service, game: Game
) -> None:
    with service.writing() as session:
        row = session.get_one(Game, game.id)
        for line in ("place 10 nav", "place 11 nav", "place 12 rec", "place 13 rec"):
            asked = positions.table(session, row)
            play(session, row, asked.rules.current_players(asked.state)[0], line)
        session.commit()
        swept(service)
        propose(session, row, ANA, 2)

    text = " ".join(text_of(swept(service).letters[0]).split())

    assert "lines more; the log at the table has them all." in text


@pytest.mark.parametrize("ends", ["answered", "refused", "gone"])
def test_that_letter_is_not_sent_once_it_is_untrue(
    service: Service, session: Session, game: Game, ends: str
) -> None:
    swept(service)
    propose(session, game, ANA, 3)
    if ends == "answered":
        all_agree(session, game, BENTO, CATARINA, DUARTE)
    elif ends == "refused":
        answer(session, game, BENTO, agrees=False)
    else:
        while any(entry.number == 3 for entry in consent.in_reach(session, game)):
            play_on(session, game)
    session.commit()

    sent = [str(each["To"]) for each in swept(service).letters
            if ".proposal." in str(each["Message-ID"])]

    assert [who.split()[0] for who in sent] == (["Ana"] if ends == "refused" else [])


def test_what_was_due_for_it_is_withdrawn_and_what_has_left_is_followed_by_a_letter(
    service: Service, session: Session, game: Game
) -> None:
    asked = session.exec(select(Outbox).where(
        Outbox.kind == "turn", Outbox.person_id == recipient(session, game, CATARINA))).all()
    due = next(each for each in asked if each.entry == 4)
    session.commit()
    swept(service)  # Catarina reads that she is asked
    propose(session, game, ANA, 3)
    swept(service)

    all_agree(session, game, BENTO, CATARINA, DUARTE)

    session.refresh(due)
    assert due.state == LetterState.SENT
    assert not build.still_true(session, due, game.created)
    session.commit()
    told = [each for each in swept(service).letters if ".undone." in str(each["Message-ID"])]
    by = {str(each["To"]).split()[0]: " ".join(text_of(each).split()) for each in told}
    assert set(by) == {"Bento", "Catarina"}  # Ana is asked anew, Duarte has just done it
    assert "What our last letter asked of you does not stand any more." in by["Catarina"]
    assert "does not stand any more" not in by["Bento"].replace(by["Catarina"], "")


# ---- at the same time ---------------------------------------------------------------------------


def race(service: Service, clock: FixedClock) -> None:
    """All agree many times over, while the asked seat sends orders; it is done once or not."""
    with service.writing() as session:
        game = placed(session, clock)
        game_id, now = stored_id(game), game.created
        propose(session, game, ANA, 3)
        people = [seat(session, game, number).person_id for number in (BENTO, CATARINA, DUARTE)]
        proposal = consent.latest(session, game)
        assert proposal is not None
    begin = threading.Barrier(10)

    def agree(person_id: int) -> int | None:
        begin.wait()
        with service.writing() as own:
            try:
                return consent.answer(own, game_id, person_id, now, proposal=proposal.id,
                                      agrees=True).back
            except TableRefused:
                return None

    def move() -> None:
        begin.wait()
        with service.writing() as own:
            row = seat(own, own.get_one(Game, game_id), CATARINA)
            try:
                submit.record(own, row, "place 5 nav", seen=4, source="page", key="k", now=now,
                              enqueue=lambda _: None)
            except MoveRefused:
                own.rollback()
        with service.writing() as own:
            advance.advance(own, game_id, now)

    with ThreadPoolExecutor(10) as pool:
        moved = pool.submit(move)
        done = [each for each in pool.map(agree, people * 3) if each is not None]
        moved.result()
    with service.reading() as session:
        row = session.get_one(Game, game_id)
        causes = [entry.cause for entry in positions.entries(session, row, 1, row.last_entry)]
        assert causes.count("agreed") == len(done) == 1
        assert verify(export.record_lines(session, row)).ok


def test_answers_and_orders_at_the_same_time(service: Service, clock: FixedClock) -> None:
    race(service, clock)


def test_on_postgresql_too(postgres_service: Service, clock: FixedClock) -> None:
    race(postgres_service, clock)
