"""Several games of one table: when one ends the next begins, with the next player in front.

Nothing of it happens while a move is played: a worker looks for games that want a successor. Who
left a game for good is not waited for: his chair stands open in the next one, and the series ends
if nobody takes it, or if a game of it is cancelled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.models import Game, GameState, Person, SeatRow, Series, stored_id
from pbem.tables import lobby, rematch

FEWEST, MOST = 2, 8  # games of a series
GOES_ON = (GameState.OPEN, GameState.RUNNING)


def begin(session: Session, game: Game, games: int, now: datetime) -> Series:
    """Make an open game the first of a series."""
    if not FEWEST <= games <= MOST:
        raise lobby.LobbyRefused("series_out_of_range", low=FEWEST, high=MOST)
    series = Series(host_id=game.host_id, game=game.game, title=game.title, games=games,
                    created=now)
    session.add(series)
    session.flush()
    game.series_id, game.series_place = series.id, 1
    session.add(game)
    session.flush()
    return series


def waiting(session: Session) -> list[int]:
    """Series whose last game is over, so that the next one is due, or the end."""
    going = select(Game.series_id).where(
        col(Game.series_id).is_not(None), col(Game.state).in_(GOES_ON))
    found = session.exec(
        select(Series.id).where(col(Series.ended).is_(None), col(Series.id).not_in(going))
        .order_by(col(Series.id)))
    return [number for number in found if number is not None]


def go_on(
    session: Session, series_id: int, now: datetime, *, open_days: int,
    letter_delay: timedelta = timedelta(0),
) -> Game | None:
    """Begin the next game of a series, or end it, and commit; doing it twice changes nothing."""
    series = session.exec(
        select(Series).where(Series.id == series_id).with_for_update(),
        execution_options={"populate_existing": True},
    ).first()
    played = games_of(session, series_id)
    if series is None or series.ended is not None or not played or played[-1].state in GOES_ON:
        session.rollback()
        return None
    last, following = played[-1], None
    if last.state == GameState.FINISHED and len(played) < series.games:
        following = _next(session, series, last, now, open_days)
    if following is None:
        series.ended = now
    else:
        lobby.start_if_full(session, following, now, letter_delay)
    session.commit()
    return following


def _next(
    session: Session, series: Series, last: Game, now: datetime, open_days: int
) -> Game | None:
    """The game behind this one, its players seated; None if nobody is left to play it."""
    people = [person for _seat, person in rematch.players_of(session, stored_id(last))]
    humans = [person for person in people if person.bot is None]
    if not humans:
        return None
    host = next((person for person in humans if person.id == series.host_id), humans[0])
    game = rematch.opened_like(last, host, now, open_days)
    game.series_id, game.series_place = series.id, (last.series_place or 0) + 1
    session.add(game)
    session.flush()
    rematch.seat_all(session, game, people, now)
    for seat, _person in lobby.chairs(session, stored_id(game)):
        before = lobby.chair_of(session, stored_id(last), seat.person_id)
        seat.letters = None if before is None else before.letters
    return game


def follows(session: Session, row: Game) -> bool:
    """Whether another game of the same series comes by itself behind this one."""
    found = None if row.series_id is None else session.get(Series, row.series_id)
    return found is not None and found.ended is None


def games_of(session: Session, series_id: int) -> list[Game]:
    """A series' games, in order."""
    mine = select(Game).where(Game.series_id == series_id).order_by(col(Game.series_place))
    return list(session.exec(mine))


# ---- how it stands ------------------------------------------------------------------------------


@dataclass
class Row:
    """One player over a series: the seats he held by game, and what they came to."""

    person: Person
    by_game: dict[int, SeatRow] = field(default_factory=dict)
    beaten: int = 0  # places in front of others, over all games
    points: int = 0
    place: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """What decides: others left behind, then points."""
        return self.beaten, self.points


def standings(session: Session, games: Sequence[Game]) -> list[Row]:
    """All players of these games, the best first; running games count nothing yet."""
    rows: dict[int, Row] = {}
    for game in games:
        seated = lobby.chairs(session, stored_id(game))
        for seat, person in seated:
            row = rows.setdefault(stored_id(person), Row(person))
            row.by_game[stored_id(game)] = seat
            if seat.place is not None:
                row.beaten += sum(other.place is not None and other.place > seat.place
                                  for other, _person in seated)
                row.points += seat.points or 0
    ranked = sorted(rows.values(), key=lambda row: row.key, reverse=True)
    first: dict[tuple[int, int], int] = defaultdict(int)
    for number, row in enumerate(ranked, start=1):
        row.place = first[row.key] = first[row.key] or number
    return ranked
