"""Orders ahead: kept with the letter that says them, played when their moment comes, settled."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import Session, select

from engine.errors import IllegalMove, MalformedOrder, NotYourTurn
from pbem.archive.news import since_last_moved
from pbem.models import Entry, Game, LetterState, Outbox, StandingOrder, Submission, SubmissionState
from pbem.play import advance, dry_runs, orders_ahead, positions, submit, undo
from pbem.play.log import Writer
from pbem.play.refusals import PositionMovedOn, TableRefused
from pbem.service import Service
from pbem.tables.seats import resign
from tests.support import tables
from tests.support.at_table import play_on
from tests.support.letterfactory import swept
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE


class Auction:
    """A game of Goa whose first auction begins: Bento is asked first, then Catarina, Duarte, Ana.

    After lot 1 the auctioneer is the next seat: Catarina is asked first for lot 2, and so on.
    """

    def __init__(self, service: Service, session: Session, game: Game) -> None:
        self.service, self.session, self.game = service, session, game
        self.sent = 0

    def record(
        self, seat: int, orders: str, *, seen: int | None = None, key: str = ""
    ) -> Submission:
        """Somebody's letter of orders is kept; nobody plays it yet."""
        self.session.refresh(self.game)
        self.sent += 1
        row = tables.seat(self.session, self.game, seat)
        return submit.record(
            self.session, row, orders, seen=self.game.last_entry if seen is None else seen,
            source="page", key=key or f"key {self.sent}", now=self.service.clock.now(),
            enqueue=lambda _: None)

    def advance(self) -> None:
        """A worker plays."""
        advance.advance(self.session, self.game.id or 0, self.service.clock.now(),
                        letter_delay=timedelta(0))
        self.session.refresh(self.game)

    def send(self, seat: int, orders: str, **more: Any) -> Submission:
        """Kept and played."""
        sent = self.record(seat, orders, **more)
        self.advance()
        return self.session.get_one(Submission, sent.id)

    def seat(self, number: int) -> Any:
        """A seat's row."""
        return tables.seat(self.session, self.game, number)

    @property
    def asked(self) -> tuple[int, ...]:
        """Whom the game waits for."""
        table = positions.table(self.session, self.game)
        return table.rules.current_players(table.state)

    @property
    def lot(self) -> int:
        """Which lot is under the hammer; 0 if none is."""
        return getattr(positions.table(self.session, self.game).state.awaiting, "lot", 0)

    def kept(self, seat: int) -> list[tuple[str, str]]:
        """All orders ahead of a seat's player, and how they stand."""
        found = self.session.exec(
            select(StandingOrder).where(StandingOrder.seat == seat).order_by(StandingOrder.id)
            .execution_options(populate_existing=True))
        return [(row.line, row.state) for row in found]

    def standing(self, seat: int) -> list[str]:
        """Those that stand."""
        return [line for line, state in self.kept(seat) if state == "standing"]

    def moves(self, cause: str) -> list[tuple[int | None, str]]:
        """Entries of this cause: whose, and the order."""
        rules = positions.rules_of(self.session, self.game)
        entries = positions.entries(self.session, self.game, 1, self.game.last_entry)
        return [(entry.seat, rules.to_text(entry.move)) for entry in entries
                if entry.cause == cause]

    def pass_for_all(self, *, until: int) -> None:
        """Whoever is asked passes, until this lot comes under the hammer."""
        while self.lot and self.lot < until:
            self.send(self.asked[0], "pass")


@pytest.fixture
def auction(service: Service) -> Iterator[Auction]:
    """Four people in front of lot 1 of the first round: the flag."""
    with service.writing() as session:
        game = tables.started_game(session, service.clock.now(), game_key="goa")
        play_on(service, session, game, lambda state: hasattr(state.awaiting, "high_bid"))
        yield Auction(service, session, game)


# ---- given --------------------------------------------------------------------------------------


def test_what_stands_behind_later_is_kept_and_the_rest_is_played(auction: Auction) -> None:
    sent = auction.send(BENTO, "bid 1; later: up to 4 for lot 3; pass on the rest")

    assert (sent.state, sent.first_entry) == (SubmissionState.PLAYED, sent.seen + 1)
    assert auction.standing(BENTO) == [
        "up to 4 for lot 3 in round A1", "pass on the rest in round A1"]
    assert auction.moves("standing") == []


def test_a_letter_of_orders_ahead_alone_asks_nothing_of_the_seat(auction: Auction) -> None:
    """Neither that it is asked nor that it has seen the newest entry."""
    sent = auction.send(ANA, "later: up to 2 for lot 1", seen=1)

    assert (sent.state, sent.first_entry, sent.refusal) == (SubmissionState.PLAYED, None, None)
    assert auction.standing(ANA) == ["up to 2 for lot 1 in round A1"]


def test_the_same_letter_twice_is_kept_once(auction: Auction) -> None:
    for _ in range(2):
        auction.send(ANA, "later: up to 2 for lot 1", seen=1, key="the same")

    assert len(auction.kept(ANA)) == 1


def test_one_line_that_cannot_be_read_voids_the_letter(auction: Auction) -> None:
    with pytest.raises(MalformedOrder) as refused:
        auction.record(BENTO, "bid 1; later: up to 4 for lot 3; nonsense")

    auction.advance()
    assert refused.value.text == "later: nonsense"
    assert auction.kept(BENTO) == []
    assert auction.moves("order")[-1][1].startswith("marker")


def test_one_whose_moment_can_never_come_voids_the_letter_too(auction: Auction) -> None:
    with pytest.raises(IllegalMove) as refused:
        auction.record(BENTO, "bid 1; later: up to 4 for lot 9")

    assert (refused.value.key, auction.kept(BENTO)) == ("no_such_lot", [])


def test_a_refused_order_for_now_keeps_none_for_later(auction: Auction) -> None:
    with pytest.raises(NotYourTurn):
        auction.record(ANA, "bid 1; later: pass on the rest")

    assert auction.kept(ANA) == []


def test_orders_ahead_stay_when_their_letter_is_refused_behind_a_reveal(auction: Auction) -> None:
    """The worker finds out only what the draw has shown."""
    play_on(auction.service, auction.session, auction.game,
            lambda state: type(state.awaiting).__name__ == "AwaitTurnAction"
            and state.awaiting.number == 3)
    seat = auction.asked[0]
    auction.record(seat, "expedition 1")
    behind = auction.record(seat, "taxes; later: flag north a else ask")

    auction.advance()

    behind = auction.session.get_one(Submission, behind.id)
    assert behind.state == SubmissionState.REFUSED
    assert (behind.draft or "").strip() == "taxes"
    assert auction.standing(seat) == ["flag north a else ask"]


def test_at_most_twelve_stand_for_a_seat(auction: Auction) -> None:
    auction.send(ANA, "later: " + "; ".join(["taxes"] * orders_ahead.MOST))

    with pytest.raises(IllegalMove) as refused:
        auction.record(ANA, "later: ships")

    assert (refused.value.key, refused.value.numbers) == (
        "ahead_too_many", {"most": 12, "standing": 12})
    assert len(auction.standing(ANA)) == orders_ahead.MOST


def test_names_of_players_and_words_of_a_language_are_understood(auction: Auction) -> None:
    auction.session.exec(select(Game)).one()
    person = auction.session.get_one(tables.Person, auction.seat(DUARTE).person_id)
    person.language = "hu"
    auction.session.commit()

    auction.send(DUARTE, "később: exactly 4 for lot 2 ha bento has not bid")

    [line] = auction.standing(DUARTE)
    colour = positions.rules_of(auction.session, auction.game).seat_colours[BENTO]
    assert line == f"exactly 4 for lot 2 if {colour} has not bid in round A1"


# ---- played -------------------------------------------------------------------------------------


def test_an_order_ahead_is_played_when_its_question_is_put(auction: Auction) -> None:
    auction.send(ANA, "later: up to 3 for lot 1")
    auction.send(BENTO, "bid 1")
    auction.send(CATARINA, "bid 2")
    auction.send(DUARTE, "pass")

    assert auction.moves("standing") == [(ANA, "bid 3")]
    assert auction.kept(ANA) == [("up to 3 for lot 1 in round A1", "used")]
    assert auction.lot == 2


def test_the_question_that_is_open_already_is_left_to_its_owner(auction: Auction) -> None:
    auction.send(BENTO, "later: up to 3 for lot 1")

    assert auction.asked == (BENTO,)
    assert auction.standing(BENTO) == ["up to 3 for lot 1 in round A1"]


def test_a_question_that_its_owner_had_not_seen_is_answered(auction: Auction) -> None:
    """His letter was on its way when he was asked."""
    before = auction.game.last_entry
    auction.send(BENTO, "pass")
    assert auction.asked == (CATARINA,)

    auction.send(CATARINA, "later: up to 3 for lot 1", seen=before)

    assert auction.moves("standing") == [(CATARINA, "bid 1")]


def test_a_letter_about_what_was_answered_ahead_is_not_sent(auction: Auction) -> None:
    before = auction.game.last_entry
    auction.send(BENTO, "pass")
    catarina = auction.seat(CATARINA).person_id
    due = select(Outbox).where(Outbox.person_id == catarina, Outbox.kind == "turn",
                               Outbox.entry == auction.game.last_entry)
    assert auction.session.exec(due).one().state == LetterState.PENDING

    auction.send(CATARINA, "later: up to 3 for lot 1", seen=before)
    auction.session.commit()
    swept(auction.service)

    auction.session.expire_all()
    assert auction.session.exec(due).one().state == LetterState.SUPERSEDED


def test_no_letter_is_made_for_what_is_answered_ahead(auction: Auction) -> None:
    auction.send(DUARTE, "later: pass on the rest")
    auction.send(BENTO, "pass")
    auction.send(CATARINA, "pass")

    duarte = auction.seat(DUARTE).person_id
    letters = auction.session.exec(select(Outbox).where(
        Outbox.person_id == duarte, Outbox.kind == "turn")).all()
    asked = [letter.entry for letter in letters]
    assert auction.moves("standing") == [(DUARTE, "pass")]
    assert all(entry < auction.game.last_entry - 1 for entry in asked)


def test_one_that_holds_is_played_again_until_the_auction_is_over(auction: Auction) -> None:
    auction.send(ANA, "later: up to 2 for lot 3; pass on the rest")

    auction.pass_for_all(until=6)

    assert auction.lot == 0
    assert [order for seat, order in auction.moves("standing") if seat == ANA] == [
        "pass", "bid 1", "pass"]
    assert [state for _, state in auction.kept(ANA)] == ["used", "used"]


def test_one_that_was_used_has_not_come_to_nothing_when_its_moment_is_over(
    auction: Auction,
) -> None:
    auction.send(ANA, "later: pass on the rest")

    auction.pass_for_all(until=6)

    told = [dry_runs.said("goa", dry_runs.of_settled(*one), "en", tables.NAMES)
            for one in orders_ahead.news(auction.session, auction.seat(ANA))]
    assert len(told) == 1
    assert told[0].startswith("It was played with entry ")


def test_a_pass_on_the_rest_leaves_lots_to_what_was_ordered_for_them_later(
    auction: Auction,
) -> None:
    auction.send(CATARINA, "later: pass on the rest")
    auction.send(CATARINA, "later: up to 4 for lot 2")

    auction.pass_for_all(until=3)

    assert auction.moves("standing") == [(CATARINA, "pass"), (CATARINA, "bid 1")]


def test_a_line_for_the_round_that_one_saw_is_not_kept_for_the_next_one(auction: Auction) -> None:
    seen = auction.game.last_entry
    auction.pass_for_all(until=6)

    with pytest.raises(PositionMovedOn):
        auction.send(ANA, "later: up to 2 for lot 3", seen=seen)
    auction.session.rollback()
    auction.send(ANA, "later: up to 2 for lot 3 in round A2", seen=seen)
    auction.send(ANA, "later: pass on the rest")

    assert auction.standing(ANA) == [
        "up to 2 for lot 3 in round A2", "pass on the rest in round A2"]


def test_orders_of_now_that_wait_go_before_orders_ahead(auction: Auction) -> None:
    """Both are there when the worker comes: what was said for now answers."""
    before = auction.game.last_entry
    auction.send(BENTO, "pass")
    auction.record(CATARINA, "later: up to 3 for lot 1", seen=before)
    auction.record(CATARINA, "pass")

    auction.advance()

    assert auction.moves("order")[-1] == (CATARINA, "pass")
    assert auction.moves("standing") == []


def test_one_that_comes_to_nothing_leaves_the_question_to_its_owner(auction: Auction) -> None:
    """And so do those behind it; at the next question they speak again."""
    auction.send(ANA, "later: exactly 2 for lot 1; pass on the rest")
    auction.send(BENTO, "bid 3")
    auction.send(CATARINA, "pass")
    auction.send(DUARTE, "pass")

    assert auction.asked == (ANA,)
    assert auction.kept(ANA) == [
        ("exactly 2 for lot 1 in round A1", "asked"),
        ("pass on the rest in round A1", "standing")]
    auction.send(ANA, "bid 4")
    auction.send(CATARINA, "pass")
    auction.send(DUARTE, "pass")
    assert auction.moves("standing") == [(ANA, "pass")]


def test_conditions_on_the_log_are_read_as_their_owner_reads_it(auction: Auction) -> None:
    auction.send(ANA, "later: exactly 4 for lot 1 if bento has not bid else pass on lot 1")
    auction.send(BENTO, "bid 1")
    auction.send(CATARINA, "bid 2")
    auction.send(DUARTE, "pass")

    assert auction.moves("standing") == [(ANA, "pass")]


def test_a_whole_round_of_the_auction_asks_one_seat_alone(auction: Auction) -> None:
    """The others have said ahead what they want; one letter a question goes to Bento."""
    before = len(auction.moves("order"))
    auction.send(ANA, "later: up to 3 for lot 2; pass on the rest")
    auction.send(CATARINA, "later: up to 2 for lot 3; pass on the rest")
    auction.send(DUARTE, "later: exactly 1 for lot 5; pass on the rest")
    while auction.lot:
        assert auction.asked == (BENTO,)
        auction.send(BENTO, "pass")

    assert {seat for seat, _ in auction.moves("order")[before:]} == {BENTO}
    assert {seat for seat, _ in auction.moves("standing")} == {ANA, CATARINA, DUARTE}
    entries = auction.session.exec(select(Entry).where(Entry.cause == "standing")).all()
    assert all(entry.submission_id is not None for entry in entries)


# ---- settled ------------------------------------------------------------------------------------


def test_one_whose_lot_was_sold_is_over_and_says_why(auction: Auction) -> None:
    auction.send(BENTO, "later: up to 3 for lot 1")
    auction.send(BENTO, "pass")

    [(number, row)] = orders_ahead.news(auction.session, auction.seat(BENTO))
    said = dry_runs.said("goa", dry_runs.of_settled(number, row), "en", tables.NAMES)

    assert (row.state, row.entry) == ("expired", auction.game.last_entry)
    assert said.startswith("It is over: ")


def test_its_owner_reads_all_that_happened_since_he_acted_himself(auction: Auction) -> None:
    """What was played for him does not hide what came before it."""
    auction.send(ANA, "later: pass on the rest")
    first = auction.game.last_entry
    for seat, orders in ((BENTO, "bid 1"), (CATARINA, "pass"), (DUARTE, "pass"),
                         (CATARINA, "bid 1")):
        auction.send(seat, orders)

    table = positions.table(auction.session, auction.game)
    news = since_last_moved(auction.session, table, auction.seat(ANA), "en")

    numbers = [line.number for line in news.lines]
    assert numbers[0] <= first + 1
    assert auction.game.last_entry in numbers


def test_one_that_was_withdrawn_is_not_played(auction: Auction) -> None:
    auction.send(ANA, "later: up to 3 for lot 1; pass on the rest")
    person = auction.seat(ANA).person_id

    taken = orders_ahead.withdraw(auction.session, auction.game.id or 0, person, 1,
                              auction.service.clock.now())

    assert taken == ["up to 3 for lot 1 in round A1"]
    assert auction.standing(ANA) == ["pass on the rest in round A1"]
    assert orders_ahead.withdraw(auction.session, auction.game.id or 0, person, 1,
                             auction.service.clock.now()) == []


def test_nobody_withdraws_what_another_has_ordered(auction: Auction) -> None:
    auction.send(ANA, "later: up to 3 for lot 1")

    with pytest.raises(TableRefused) as refused:
        orders_ahead.withdraw(auction.session, auction.game.id or 0, auction.seat(BENTO).person_id,
                          1, auction.service.clock.now())

    assert refused.value.key == "no_such_order_ahead"
    assert len(auction.standing(ANA)) == 1


def test_who_leaves_his_seat_leaves_no_orders_there(auction: Auction) -> None:
    auction.send(ANA, "later: up to 3 for lot 1")

    resign(auction.session, auction.game.id or 0, auction.seat(ANA).person_id,
           auction.service.clock.now())

    assert auction.kept(ANA) == [("up to 3 for lot 1 in round A1", "withdrawn")]


# ---- tried --------------------------------------------------------------------------------------


def test_a_preview_says_what_the_orders_ahead_would_do(auction: Auction) -> None:
    seat, seen = auction.seat(BENTO), auction.game.last_entry

    shown = submit.preview(auction.session, seat, "bid 1; later: up to 4 for lot 3", seen=seen)

    assert shown.orders == ("bid 1",)
    assert [(each.line, each.does) for each in shown.later] == [
        ("up to 4 for lot 3 in round A1", "waits")]
    assert auction.kept(BENTO) == []


def test_a_dry_run_says_what_would_be_played_at_the_open_question(auction: Auction) -> None:
    auction.send(BENTO, "later: up to 4 for lot 1; exactly 99 for lot 1; up to 2 for lot 2")

    found = dry_runs.of_kept(auction.session, auction.game, auction.seat(BENTO))

    assert [(each.does, each.plays) for each in found] == [
        ("yours", "bid 1"), ("asks", ""), ("waits", "")]


# ---- taken back ---------------------------------------------------------------------------------


@pytest.fixture
def placing(service: Service) -> Iterator[Auction]:
    """Four people in front of the first disc, which Ana places."""
    with service.writing() as session:
        game = tables.started_game(session, service.clock.now())
        play_on(service, session, game,
                lambda state: type(state.awaiting).__name__ == "AwaitPlacement")
        yield Auction(service, session, game)


def take_back(game: Auction, seat: int) -> None:
    """A player takes his last orders back."""
    undo.undo(game.session, game.game.id or 0, game.seat(seat).person_id,
              game.service.clock.now())


def test_what_is_taken_back_is_decided_anew_by_its_owner(placing: Auction) -> None:
    """Or the next of his orders would answer at once."""
    placing.send(BENTO, "later: place 9 recruiting; place 8 recruiting")
    placing.send(ANA, "place 12 recruiting")
    assert placing.moves("standing") == [(BENTO, "place 9 recruiting")]

    take_back(placing, BENTO)

    assert placing.asked == (BENTO,)
    assert placing.kept(BENTO) == [
        ("place 9 recruiting", "used"), ("place 8 recruiting", "standing")]


def test_one_that_was_over_stands_again_when_that_is_taken_back(placing: Auction) -> None:
    placing.send(BENTO, "later: at 11: give up")
    placing.send(ANA, "place 11 recruiting")
    assert placing.standing(BENTO) == []

    take_back(placing, ANA)

    assert placing.standing(BENTO) == ["at 11: give up in round 1"]


def test_one_of_somebody_who_has_left_does_not_stand_again(placing: Auction) -> None:
    before = placing.game.last_entry
    placing.send(BENTO, "later: at 11: give up")
    placing.send(ANA, "place 11 recruiting")
    resign(placing.session, placing.game.id or 0, placing.seat(BENTO).person_id,
           placing.service.clock.now())

    writer = Writer.locked(placing.session, placing.game.id or 0, placing.service.clock.now())
    assert writer is not None
    writer.go_back(ANA, before, cause="agreed")
    orders_ahead.revive_after_undo(writer, before)
    writer.flush()

    assert placing.kept(BENTO) == [("at 11: give up in round 1", "expired")]


def test_one_that_is_withdrawn_while_its_game_moves_is_either_used_or_withdrawn(
    placing: Auction,
) -> None:
    placing.send(BENTO, "later: place 9 recruiting")
    [row] = orders_ahead.of(placing.session, placing.seat(BENTO))
    placing.send(ANA, "place 12 recruiting")

    assert orders_ahead.withdraw(placing.session, placing.game.id or 0, row.person_id, 1,
                             placing.service.clock.now()) == []
    assert placing.kept(BENTO) == [("place 9 recruiting", "used")]
