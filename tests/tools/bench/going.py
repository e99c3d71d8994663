"""A thousand games that go on, without playing a thousand: rows of some, multiplied.

A copy has its original's chance, so the orders that the original took from there on are the
copy's as well. Everybody sits at one table only: else one letter would tell of several games.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any

from sqlmodel import Session, select, update

from pbem.accounts import auth
from pbem.models import (
    Chapter,
    Entry,
    Game,
    LetterState,
    Outbox,
    Person,
    SeatRow,
    Snapshot,
    WebSession,
)
from pbem.service import Service
from tests.tools.bench import stage

ORIGINALS = 10
FURTHEST = 60  # the entry at which the last original is copied; the first is at its start
FIRST_ID = 5_000_000  # of copied games; all that is there by itself is below
SEATS = len(stage.NAMES)


@dataclass(frozen=True)
class Going:
    """A game that waits for its orders: by and by, from which seat and behind which entry."""

    game_id: int
    orders: list[stage.Order]

    def cookie(self, seat: int) -> str:
        """The cookie of the browser of who sits there."""
        return cookie_of(person_id(self.game_id, seat))


def person_id(game_id: int, seat: int) -> int:
    """Who sits there."""
    return FIRST_ID + (game_id - FIRST_ID) * SEATS + seat


def game_at(address: str) -> int:
    """The copied game at which the reader of an address sits; 0 for anybody else."""
    who = address.partition("@")[0].removeprefix("p")
    return FIRST_ID + (int(who) - FIRST_ID) // SEATS if who.isdigit() else 0


def cookie_of(person: int) -> str:
    """A person's cookie; a secret only in shape."""
    return f"bench-{person}"


def going(
    service: Service, number: int, orders: int, key: str = stage.KEY
) -> list[Going]:
    """So many games that go on, for so many orders each."""
    made = []
    originals = [begun(service, place, key) for place in range(ORIGINALS)]
    rows = [rows_of(service, game) for game in originals]
    futures = [played_on(service, game, orders) for game in originals]
    with service.writing() as session:
        for place in range(number):
            game_id = FIRST_ID + place
            original = place % ORIGINALS
            copy(session, rows[original], game_id)
            made.append(Going(game_id, futures[original]))
        # Hundreds of letters about the originals would keep a worker busy.
        session.exec(update(Outbox).values(state=LetterState.SENT, settled=datetime.now(UTC)))
        session.commit()
    return made


def begun(service: Service, place: int, key: str) -> Game:
    """An original, played some way."""
    with service.writing() as session:
        game = stage.started_game(session, stage.people(session, place), datetime.now(UTC), key)
        session.commit()
    stage.play_game(service, game, Random(place), upto=1 + FURTHEST * place // ORIGINALS)
    return game


def played_on(service: Service, game: Game, number: int) -> list[stage.Order]:
    """So many orders that the game takes next: it takes them.

    None of them is a launch, behind which nobody is asked anew and no letter is due.
    """
    with service.reading() as session:
        chairs = stage.seats(session, game)
    orders = []
    for place in range(number):
        with service.reading() as session:
            order = stage.next_order(session, game, Random(place), odds_of_launch=0)
        stage.play_order(service, chairs[order.seat], order, f"on-{place}", datetime.now(UTC))
        orders.append(order)
    return orders


# ---- rows ---------------------------------------------------------------------------------------

OF_A_GAME: tuple[Any, ...] = (SeatRow, Chapter, Entry, Snapshot)


def rows_of(service: Service, game: Game) -> dict[Any, list[dict[str, Any]]]:
    """All rows of one game and its people, by table."""
    with service.reading() as session:
        rows = {Game: [dict(session.get_one(Game, game.id))]}
        for table in OF_A_GAME:
            found = session.exec(select(table).where(table.game_id == game.id))
            rows[table] = [dict(each) for each in found]
        seats = sorted(rows[SeatRow], key=lambda seat: seat["number"])
        rows[Person] = [dict(session.get_one(Person, seat["person_id"])) for seat in seats]
    return rows


def copy(session: Session, rows: dict[Any, list[dict[str, Any]]], game_id: int) -> None:
    """Write one copy, with four people of its own who are signed in."""
    now = datetime.now(UTC)
    who = [person_id(game_id, seat) for seat in range(SEATS)]
    people = [
        {**person, "id": each, "address": f"p{each}@players.example"}
        for each, person in zip(who, rows[Person], strict=True)
    ]
    browsers = [
        {"id": auth.hashed(cookie_of(each)), "person_id": each, "created": now, "used": now,
         "agent": "bench"} for each in who
    ]  # fmt: skip
    seats = [
        {**seat, "id": who[seat["number"]], "game_id": game_id, "person_id": who[seat["number"]]}
        for seat in rows[SeatRow]
    ]
    game = {**rows[Game][0], "id": game_id, "host_id": who[0]}
    connection = session.connection()
    for table, new in ((Person, people), (WebSession, browsers), (Game, [game]), (SeatRow, seats)):
        connection.execute(table.__table__.insert(), new)  # type: ignore[attr-defined]
    for table in OF_A_GAME[1:]:
        new = [{**row, "game_id": game_id} for row in rows[table]]
        connection.execute(table.__table__.insert(), new)


def give_positions(service: Service, finished: range) -> None:
    """Give finished games that are there the entries and positions of one that was played."""
    with service.writing() as session:
        game = stage.started_game(session, stage.people(session, ORIGINALS), stage.START)
        session.commit()
    stage.play_game(service, game, Random(0))
    rows = rows_of(service, game)
    with service.writing() as session:
        for game_id in finished:
            for table in (Entry, Snapshot):
                new = [{**row, "game_id": game_id} for row in rows[table]]
                session.connection().execute(table.__table__.insert(), new)  # type: ignore[attr-defined]
        session.commit()
