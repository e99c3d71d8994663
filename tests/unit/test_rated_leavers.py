"""Whom a game rates when seats have changed hands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlmodel import Session, select

from pbem.archive import closing
from pbem.models import Game, PastHolder, Person, SeatRow
from pbem.models.archive import RatedSeat, Rating
from pbem.service import Service
from tests.conftest import NOON
from tests.support.letterfactory import person
from tests.unit.test_closing import rated


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def people(session: Session) -> list[Person]:
    return [person(session, name) for name in ("Ana", "Bento", "Catarina", "Xenia")]


def mu(session: Session, who: Person) -> float | None:
    """What the game made of somebody; None if it does not rate him."""
    found = session.exec(select(RatedSeat).where(RatedSeat.person_id == who.id)).first()
    return None if found is None else found.mu_after


def leave(session: Session, game: int, seat: int, cause: str, taker: Person | None) -> None:
    """A seat of the finished game had been left at entry 9, and was taken or not."""
    row = session.exec(
        select(SeatRow).where(SeatRow.game_id == game, SeatRow.number == seat)).one()
    session.add(PastHolder(game_id=game, seat=seat, person_id=row.person_id, name=row.name,
                           until=9, left=cause))
    if taker is None:
        row.resigned, row.left = NOON, cause
    else:
        row.person_id, row.name, row.holds_from = taker.id or 0, taker.name, 12
    session.add(row)
    session.flush()


@pytest.mark.parametrize("cause", ["resign", "dropped"])
def test_who_left_has_lost_though_another_won_with_the_seat(
    session: Session, people: list[Person], cause: str
) -> None:
    ana, bento, catarina, xenia = people
    game = rated(session, [ana, bento, catarina], [1, 2, 3], NOON)
    leave(session, game, 0, cause, xenia)

    closing.close_game(session, game, NOON)

    assert mu(session, xenia) is None
    assert (mu(session, bento) or 0) > (mu(session, catarina) or 0) > (mu(session, ana) or 99)
    rating = session.get_one(Rating, (ana.id, "vasco-da-gama"))
    assert (rating.games, rating.wins) == (1, 0)


@pytest.mark.parametrize("taken", [True, False])
def test_a_seat_that_was_handed_over_is_rated_for_nobody(
    session: Session, people: list[Person], *, taken: bool
) -> None:
    ana, bento, catarina, xenia = people
    game = rated(session, [ana, bento, catarina], [1, 2, 3], NOON)
    leave(session, game, 1, "handover", xenia if taken else None)

    closing.close_game(session, game, NOON)

    assert mu(session, bento) is mu(session, xenia) is None
    assert (mu(session, ana) or 0) > (mu(session, catarina) or 99)


def test_where_one_is_left_nobody_is_rated(session: Session, people: list[Person]) -> None:
    ana, bento, _, xenia = people
    game = rated(session, [ana, bento], [1, 2], NOON)
    leave(session, game, 1, "handover", xenia)

    closing.close_game(session, game, NOON)

    assert session.exec(select(RatedSeat)).all() == []
    assert session.get_one(Game, game).state == "finished"
