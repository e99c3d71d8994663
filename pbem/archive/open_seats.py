"""Lists open seats, with what people want to know before they take one."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from sqlmodel import Session, col, select

from pbem.archive import players, ratings
from pbem.models import ComponentSet, Game, GameState, Person, SeatRow, stored_id
from pbem.play import positions
from pbem.play.component_sets import STANDARD
from pbem.tables import lists, seats, solo
from pbem.tables.players import person_with_page

LOOKED_AT = 200  # finished games, to estimate how long one takes
DAY = timedelta(days=1)
MOST = 40  # on a page


@dataclass(frozen=True)
class Who:
    """A person at a table: their pace and strength, as far as known."""

    name: str
    person_id: int | None  # of their page; None if they have none
    bot: str | None = None
    hours: float | None = None  # median per move
    rating: float | None = None
    operator: bool = False  # of this site


@dataclass(frozen=True)
class Offer:
    """A game with a seat to take: in an open game, or a vacant seat of a running one."""

    game: Game
    host: Person
    seated: Sequence[Who]
    free: int  # seats of an open game, 1 for a vacant seat
    is_standard: bool
    days: float | None  # the median of finished games with such a clock
    seat: SeatRow | None = None  # the vacant one of a running game
    round: int | None = None  # of a running game


@dataclass
class Desk:
    """A cache of what several offers need about the same people and clocks."""

    session: Session
    known: dict[tuple[int, str], Who] = field(default_factory=dict)
    took: dict[tuple[str, str], float | None] = field(default_factory=dict)

    def who(self, person: Person, game: str) -> Who:
        """Return a person as a player of this game."""
        key = (stored_id(person), game)
        if key not in self.known:
            self.known[key] = who(self.session, person, game)
        return self.known[key]

    def days(self, game: Game) -> float | None:
        """Return how long such games take."""
        key = (game.game, game.clock)
        if key not in self.took:
            self.took[key] = days(self.session, *key)
        return self.took[key]


def offers(
    session: Session, reader: Person | None, game_key: str | None = None, *, most: int = MOST
) -> list[Offer]:
    """Return what this reader could take: open games, then vacant seats of running ones."""
    desk = Desk(session)
    waiting = [
        listed for listed in lists.to_join(session, None if reader is None else reader.id)
        if game_key in (None, listed.game.game)
    ][:most]
    vacant = [
        (row, seat) for row, seat in seats.open_ones(session, reader)
        if game_key in (None, row.game)
    ][:most - len(waiting)]
    return [
        *(open_offer(desk, listed) for listed in waiting),
        *(vacant_offer(desk, row, seat) for row, seat in vacant),
    ]


def open_offer(desk: Desk, listed: lists.ListedGame) -> Offer:
    """Return the offer of an open game."""
    game = listed.game
    return Offer(
        game, desk.session.get_one(Person, game.host_id),
        [desk.who(person, game.game) for _seat, person in listed.seated],
        listed.chairs_for_all, is_standard(desk.session, game), desk.days(game),
    )


def vacant_offer(desk: Desk, game: Game, seat: SeatRow) -> Offer:
    """Return the offer of a vacant seat."""
    session = desk.session
    rules = positions.rules_of(session, game)
    state = positions.position(session, game, game.last_entry)
    others = lists.one(session, game, None).seated
    return Offer(
        game, session.get_one(Person, game.host_id),
        [desk.who(person, game.game) for other, person in others if other.resigned is None],
        1, is_standard(session, game), desk.days(game), seat, rules.chapter(state)[0],
    )


def is_standard(session: Session, game: Game) -> bool:
    """Return whether the game uses the printed figures."""
    return session.get_one(ComponentSet, game.components).name == STANDARD


def who(session: Session, person: Person, game: str) -> Who:
    """Return what others may know about a player before they play together."""
    if person.bot is not None:
        return Who(person.name, None, person.bot)
    number = stored_id(person)
    rated = {one.game: one.strength.rating for one in ratings.of_player(session, number)}
    page = number if person_with_page(session, number) is not None else None
    return Who(person.name, page, None, players.pace_of(session, number)[0], rated.get(game),
               person.operator is not None)


def people(session: Session, game: Game, seated: Iterable[Person]) -> list[Who]:
    """Return the same for everybody at a table."""
    return [who(session, person, game.game) for person in seated]


def days(session: Session, game_key: str, clock: str) -> float | None:
    """Return the median length, in days, of recent finished games with such a clock.

    Only games between people count.
    """
    ended = session.exec(
        select(Game.started, Game.ended)
        .where(Game.game == game_key, Game.clock == clock, Game.state == GameState.FINISHED,
               col(Game.started).is_not(None), col(Game.ended).is_not(None),
               solo.between_people())
        # uses the primary key, so nothing is sorted
        .order_by(col(Game.id).desc()).limit(LOOKED_AT)
    ).all()
    lengths = [(end - start) / DAY for start, end in ended if start is not None and end is not None]
    return statistics.median(lengths) if lengths else None
