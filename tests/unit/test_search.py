"""Finding finished games, on both databases: every filter, who may see what, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import Session

from pbem.archive import closing, index, search
from pbem.archive.index import Wanted
from pbem.models import Game, GameState, Person, stored_id
from pbem.models.archive import FoundGame, Happening
from pbem.privacy import closure
from pbem.service import Service
from pbem.tables import chat, lobby
from tests.support import tables

DAY = timedelta(days=1)


@pytest.fixture(params=["sqlite", "postgresql"])
def both(request: pytest.FixtureRequest) -> Service:
    """A service on each database."""
    name = "service" if request.param == "sqlite" else "postgres_service"
    return request.getfixturevalue(name)  # type: ignore[no-any-return]


@pytest.fixture
def session(both: Service) -> Iterator[Session]:
    with both.writing() as opened:
        yield opened


@pytest.fixture
def archive(both: Service, session: Session) -> Archive:
    return Archive(both, session)


class Archive:
    """Games that were played to their ends without a move, and what is found of them."""

    def __init__(self, service: Service, session: Session) -> None:
        self.session, self.now = session, service.clock.now()
        self.people: dict[str, Person] = {}

    def person(self, name: str) -> Person:
        if name not in self.people:
            self.people[name] = tables.person(self.session, name, self.now)
        return self.people[name]

    def game(self, *names: str, **more: Any) -> int:
        """A finished game, its first player won by `margin`; `said`: who says what."""
        row = self.played(*names, key=more.pop("key", "vasco-da-gama"))
        margin, said = more.pop("margin", 5), more.pop("said", ())
        happened = more.pop("happened", ())
        for field, value in {"state": GameState.FINISHED, "ended": self.now, **more}.items():
            setattr(row, field, value)
        self.session.add(row)
        for number in range(len(names)):
            seat = tables.seat(self.session, row, number)
            seat.place, seat.points = number + 1, 60 - margin * (number > 0) - number
            if number == 1:
                seat.points = 60 - margin
            self.session.add(seat)
        for who, line in said:
            chat.post(self.session, stored_id(row), self.person(who), line, self.now)
        self.session.commit()
        closing.close_game(self.session, stored_id(row), self.now)
        self.happen(row, happened)
        return stored_id(row)

    def played(self, *names: str, key: str) -> Game:
        people = [self.person(name) for name in names]
        row = lobby.open_game(
            self.session, host=people[0], game_key=key, title="", seats=len(people),
            chosen_order=True, private=False, components=None, phrase="", open_days=30,
            now=self.now)
        for guest in people[1:]:
            lobby.join(self.session, game_id=stored_id(row), person=guest, phrase="", now=self.now)
        self.session.flush()
        return row

    def happen(self, row: Game, happened: Any) -> None:
        """As if the log told it: (key, seat, round)."""
        for number, (key, seat, round_) in enumerate(happened):
            self.session.add(Happening(game_id=stored_id(row), number=number, key=key, seat=seat,
                                       round=round_, entry=number + 1))
        self.session.commit()

    def found(self, reader: Person | None = None, **wanted: Any) -> list[int]:
        return [one.game.id or 0
                for one in search.find(self.session, Wanted(**wanted), reader).hits]


def test_the_game_that_ended_last_comes_first(archive: Archive) -> None:
    first = archive.game("Ana", "Bento", ended=archive.now + DAY)
    second = archive.game("Ana", "Bento", ended=archive.now)

    assert archive.found() == [first, second]


def test_games_are_found_by_player_and_by_who_sat_there_as_well(archive: Archive) -> None:
    hers = archive.game("Ana", "Bento")
    archive.game("Bento", "Catarina")

    assert archive.found(player="ana") == [hers]
    assert archive.found(player="Bento", other="ANA") == [hers]
    assert archive.found(player="Nobody") == []


def test_a_name_is_found_without_its_accents(archive: Archive) -> None:
    game = archive.game("João", "Bento")

    assert archive.found(player="joao") == [game]
    assert archive.found(player="JOÃO") == [game]


def test_namesakes_are_all_found_and_a_number_means_one_of_them(archive: Archive) -> None:
    one = archive.game("Ana", "Bento")
    archive.people.pop("Ana").address = "another@players.example"
    other = archive.game("Ana", "Bento", ended=archive.now + DAY)

    assert archive.found(player="Ana") == [other, one]
    assert archive.found(player=f"#{archive.people['Ana'].id}") == [other]
    assert archive.found(player="#99999999999999999999") == []


def test_games_are_found_by_winner(archive: Archive) -> None:
    won = archive.game("Ana", "Bento")
    archive.game("Bento", "Ana")

    assert archive.found(winner="Ana") == [won]
    assert archive.found(player="Bento", winner="Ana") == [won]


def test_games_are_found_by_kind_seats_and_option(archive: Archive) -> None:
    goa = archive.game("Ana", "Bento", key="goa", options='{"quick_start":true}')
    other = archive.game("Ana", "Bento", "Catarina", ended=archive.now - DAY)

    assert archive.found(game="goa") == [goa]
    assert archive.found(seats=3) == [other]
    assert archive.found(option="goa:quick_start=yes") == [goa]
    assert archive.found(option="goa:quick_start=no") == []
    assert archive.found(option="goa:hand_limit=always") == [goa]  # the usual one, not chosen


def test_games_are_found_by_component_set(archive: Archive) -> None:
    game = archive.game("Ana", "Bento")
    digest = archive.session.get_one(FoundGame, game).components

    assert archive.found(own="no") == archive.found(own=digest) == [game]
    assert archive.found(own="yes") == archive.found(own="0" * 64) == []


def test_games_are_found_by_the_day_of_their_end(archive: Archive) -> None:
    day = datetime(2026, 1, 10, tzinfo=UTC)
    late = archive.game("Ana", "Bento", ended=day + timedelta(hours=23))
    early = archive.game("Ana", "Bento", ended=day)

    assert archive.found(since=day, until=day + DAY) == [late, early]
    assert archive.found(since=day + timedelta(hours=1)) == [late]
    assert archive.found(until=day) == []


def test_a_margin_is_met_exactly(archive: Archive) -> None:
    games = {margin: archive.game("Ana", "Bento", margin=margin) for margin in (9, 7, 4, 1)}

    for margin, game in games.items():
        assert archive.found(margin=margin)[0] == game


def test_lengths_are_met_exactly(archive: Archive) -> None:
    game = archive.game("Ana", "Bento", last_entry=217)

    assert archive.found(longer=217) == archive.found(shorter=217) == [game]
    assert archive.found(longer=218) == archive.found(shorter=216) == []
    assert archive.found(longer=10, shorter=5000) == [game]


# ---- words --------------------------------------------------------------------------------------


def test_games_are_found_by_words_of_their_chat(archive: Archive) -> None:
    game = archive.game("Ana", "Bento", said=[("Ana", "Jó játék volt, Каликут!"), ("Bento", "gg")])

    for words in ("jo", "JÁTÉK gg", '"jo jatek"', "каликут", "кали*", "jatek volt"):
        assert archive.found(words=words) == [game], words
    for words in ("jatekok", '"jatek jo"', "jo nothing"):
        assert archive.found(words=words) == [], words


SIGNS = (
    '"', '""', "'", "a OR", "AND", "NOT jo", "jo*jo", "(jo", "-jo", "NEAR(jo", "^jo", "words:jo",
    "jo:*", "!jo", "jo & |", "<->", "\\", "%", "*", "  ", "{jo}", "jo\u0301\u200b",
)  # fmt: skip


def test_a_sign_in_another_form_is_found_on_both_databases(archive: Archive) -> None:
    game = archive.game("Ana", "Bento", said=[("Ana", "x² in ½ an hour: eﬀort")])

    for words in ("x2", "x²", "½", "effort"):
        assert archive.found(words=words) == [game], words


def test_no_sign_in_the_words_is_an_operator_or_an_error(archive: Archive) -> None:
    game = archive.game("Ana", "Bento", said=[("Ana", "jo")])

    for words in SIGNS:
        archive.found(words=words)
    assert archive.found(words="-jo") == archive.found(words="(jo") == [game]


def test_what_is_said_when_a_game_is_over_is_found_as_well(archive: Archive) -> None:
    game = archive.game("Ana", "Bento")
    assert archive.found(words="revenge") == []

    chat.post(archive.session, game, archive.person("Bento"), "Revenge!", archive.now)

    assert archive.found(words="revenge") == [game]


def test_who_has_left_is_found_by_neither_name_nor_words(archive: Archive) -> None:
    game = archive.game("Ana", "Bento", said=[("Ana", "unforgettable")])
    ana = archive.person("Ana")

    closure.leave_for_good(archive.session, ana, archive.now)
    archive.session.commit()

    assert archive.found(player="Ana") == archive.found(words="unforgettable") == []
    assert archive.found(player=f"Former player {ana.id}") == [game]


# ---- happenings ---------------------------------------------------------------------------------


def test_games_are_found_by_what_happened_when_how_often_and_to_whom(archive: Archive) -> None:
    told = [("completed:malindi", 0, 3), ("completed:malindi", 1, 4), ("completed:malindi", 1, 5)]
    game = archive.game("Ana", "Bento", happened=told)
    key = "vasco-da-gama:completed:malindi"

    for more in ({}, {"round": 4}, {"times": 2}, {"by": "Ana"}, {"by": "Bento", "times": 2},
                 {"by": "Ana", "round": 3}):
        assert archive.found(happened=key, **more) == [game], more
    for more in ({"round": 2}, {"times": 3}, {"by": "Ana", "times": 2}, {"by": "Nobody"},
                 {"by": "Ana", "round": 4}):
        assert archive.found(happened=key, **more) == [], more
    assert archive.found(happened="vasco-da-gama:completed:natal") == []
    assert archive.found(happened="goa:completed:malindi") == []


def test_a_hit_says_where_it_happened(archive: Archive) -> None:
    archive.game("Ana", "Bento", happened=[("hosted:manuel", 1, 1), ("hosted:dias", 0, 1)])

    found = search.find(
        archive.session, Wanted(happened="vasco-da-gama:hosted:manuel"), None).hits[0]

    assert [(one.seat, one.round, one.entry) for one in found.happened] == [(1, 1, 1)]
    assert [seat.name for seat in found.seats] == ["Ana", "Bento"]


def test_a_hit_tells_of_nobody_who_was_not_looked_for(archive: Archive) -> None:
    told = [("completed:malindi", 0, 3), ("completed:malindi", 1, 4), ("completed:malindi", 1, 5)]
    archive.game("Ana", "Bento", happened=told)

    for more, rounds in (({}, [3, 4, 5]), ({"by": "Ana"}, [3]), ({"times": 2}, [4, 5]),
                         ({"by": "Bento", "round": 5}, [5])):
        wanted = Wanted(happened="vasco-da-gama:completed:malindi", **more)
        [hit] = search.find(archive.session, wanted, None).hits
        assert [one.round for one in hit.happened] == rounds, more


# ---- who may see what, and pages ----------------------------------------------------------------


def test_a_private_game_is_found_by_its_players_alone(archive: Archive) -> None:
    game = archive.game("Ana", "Bento", private=True, said=[("Ana", "secret")])
    catarina = archive.person("Catarina")

    for wanted in ({}, {"player": "Ana"}, {"words": "secret"}, {"game": "vasco-da-gama"}):
        assert archive.found(**wanted) == []
        assert archive.found(catarina, **wanted) == []
        assert archive.found(archive.person("Ana"), **wanted) == [game]


def test_pages_go_on_where_the_last_one_ended(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "A_PAGE", 2)
    games = [archive.game("Ana", "Bento") for _ in range(5)]
    wanted, seen = Wanted(player="Ana"), []
    while True:
        page = search.find(archive.session, wanted, None)
        seen += [one.game.id for one in page.hits]
        if page.more_before is None:
            break
        wanted = replace(wanted, before=page.more_before)

    assert seen == games[::-1]


# ---- what it costs ------------------------------------------------------------------------------

SEARCHES = [
    Wanted(), Wanted(player="Ana"), Wanted(player="Ana", winner="Bento", game="goa"),
    Wanted(words="good game"), Wanted(words="good", player="Ana", margin=4),
    Wanted(happened="goa:founded:calicut", by="Ana", round=3), Wanted(seats=2, longer=120),
]  # fmt: skip


def test_a_search_reads_no_table_from_end_to_end(archive: Archive) -> None:
    for name in ("Bento", "Catarina"):
        archive.game("Ana", name, said=[("Ana", "good game")])

    for wanted in SEARCHES:
        told = plan(archive.session, index.matching(archive.session, wanted, 1))
        assert not [line for line in told if reads_all(line)], told


def plan(session: Session, query: Any) -> list[str]:
    """How the database would go about it, a line a step."""
    connection = session.connection()
    statement = query.limit(41).compile(connection, compile_kwargs={"literal_binds": True})
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql(f"explain query plan {statement}")
        return [row[3] for row in rows]
    connection.execute(text("set local enable_seqscan = off"))  # tables of tests are small
    rows = connection.execute(text(f"explain {statement}".replace(":", "\\:")))
    return [row[0] for row in rows]


def reads_all(line: str) -> bool:
    """Whether a step of a plan reads a whole table."""
    if "Seq Scan" in line:
        return True
    scans = line.startswith("SCAN ") and "USING INDEX" not in line and "VIRTUAL TABLE" not in line
    return scans and "CONSTANT ROW" not in line
