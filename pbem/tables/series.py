"""Rematches and series: games that follow a finished one at the same table.

Players open a rematch by a button. A worker opens the next game of a series once the last one has
ended; no move waits for that. A player who has left for good leaves an open chair in the next game.
A series ends early if nobody takes that chair, or if one of its games is cancelled.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.models import GONE, Game, GameState, Person, SeatRow, Series, stored_id
from pbem.play import chance
from pbem.tables import blocks, invitations, lobby

FEWEST, MOST = 2, 8  # games of a series
ACTIVE = (GameState.OPEN, GameState.RUNNING)


def copy_of_table(old: Game, host: Person, now: datetime, open_days: int) -> Game:
    """An open game with the components, options and clock of another one, without players."""
    server_part = secrets.token_bytes(32)
    return Game(
        game=old.game, title=old.title, host_id=stored_id(host), seats=old.seats,
        chosen_order=True, private=old.private, options=old.options, components=old.components,
        server_part=server_part, commitment=chance.commitment_of(server_part),
        join_nonce=secrets.token_hex(16), created=now, expires=now + timedelta(days=open_days),
        clock=old.clock, at_zero=old.at_zero, reminders=old.reminders,
    )


def players_of(session: Session, game_id: int) -> list[tuple[SeatRow, Person]]:
    """The seats and people who played at the game's end and still have accounts, by seat."""
    return [(seat, person) for seat, person in lobby.chairs(session, game_id)
            if seat.resigned is None and not person.address.endswith(GONE)]


def seat_all(session: Session, game: Game, people: Sequence[Person], now: datetime) -> None:
    """Give these people chairs in an open game. It does not start the game.

    Three kinds of people get no chair here: those whose name now looks like another one's at the
    table, those who have blocked somebody at the table (both can still join themselves), and those
    whom somebody at the table has blocked.
    """
    for person in blocks.blocked_last(session, people):
        try:
            lobby.take_chair(session, game, person, "", now)
        except lobby.LobbyRefused as refused:
            if refused.key not in ("name_looks_alike", "not_for_you", "blocked_here"):
                raise


# ---- rematches ----------------------------------------------------------------------------------


def may_have_rematch(row: Game, own: SeatRow | None) -> bool:
    """Whether the reader may ask for a rematch: they played this finished game to its end."""
    return (row.state == GameState.FINISHED and not row.tutorial
            and own is not None and own.resigned is None)


def rematch_of(session: Session, game_id: int) -> Game | None:
    """The rematch of a game that is open, running or finished; None if there is none."""
    found = select(Game).where(
        Game.rematch_of == game_id, col(Game.state).not_in(("cancelled", "expired")))
    return session.exec(found.order_by(col(Game.id))).first()


def open_rematch(
    session: Session, *, game_id: int, person: Person, now: datetime, open_days: int, a_day: int,
    beside: Collection[int] = (), letter_delay: timedelta = timedelta(0),
) -> Game:
    """Open the game's rematch, or join it if somebody has opened it already; the caller commits.

    A game has one rematch: the old game's row is locked. Raises LobbyRefused.
    """
    old = lobby.locked(session, game_id)
    own = lobby.chair_of(session, game_id, person.id)
    if not may_have_rematch(old, own):
        raise lobby.LobbyRefused("no_rematch")
    game = rematch_of(session, game_id)
    if game is None:
        return _open_rematch(session, old, person, now, open_days=open_days, a_day=a_day,
                       letter_delay=letter_delay)
    if game.state == GameState.OPEN:
        lobby.join(session, game_id=stored_id(game), person=person, phrase="", now=now,
                   beside=beside, letter_delay=letter_delay)
    return game


def _open_rematch(
    session: Session, old: Game, host: Person, now: datetime, *, open_days: int, a_day: int,
    letter_delay: timedelta,
) -> Game:
    game = copy_of_table(old, host, now, open_days)
    game.rematch_of = old.id
    session.add(game)
    session.flush()
    own = lobby.chair_of(session, stored_id(old), host.id)
    others = [who for _seat, who in players_of(session, stored_id(old)) if who.id != host.id]
    seat_all(session, game, [host, *(who for who in others if who.bot is not None)], now)
    seat = lobby.chair_of(session, stored_id(game), host.id)
    if own is not None and seat is not None:
        seat.letters = own.letters
    for who in others:
        if who.bot is None and not blocks.has_blocked(session, host, stored_id(who)):
            invitations.invite_player(session, game, host, who, a_day=a_day, now=now)
    lobby.start_if_full(session, game, now, letter_delay)
    return game


# ---- series -------------------------------------------------------------------------------------


def begin(session: Session, game: Game, games: int, now: datetime) -> Series:
    """Make an open game the first of a series of `games` games. Raises LobbyRefused."""
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


def due_series(session: Session) -> list[int]:
    """The ids of series that have not ended and have no open or running game."""
    active = select(Game.series_id).where(
        col(Game.series_id).is_not(None), col(Game.state).in_(ACTIVE))
    found = session.exec(
        select(Series.id).where(col(Series.ended).is_(None), col(Series.id).not_in(active))
        .order_by(col(Series.id)))
    return [number for number in found if number is not None]


def open_next_game(
    session: Session, series_id: int, now: datetime, *, open_days: int,
    letter_delay: timedelta = timedelta(0),
) -> Game | None:
    """Open the next game of a series, or end the series, and commit. Idempotent.

    None if the series has ended or its last game is still active.
    """
    series = session.exec(
        select(Series).where(Series.id == series_id).with_for_update(),
        execution_options={"populate_existing": True},
    ).first()
    played = games_of(session, series_id)
    if series is None or series.ended is not None or not played or played[-1].state in ACTIVE:
        session.rollback()
        return None
    last, following = played[-1], None
    if last.state == GameState.FINISHED and len(played) < series.games:
        following = _next_game(session, series, last, now, open_days)
    if following is None:
        series.ended = now
    else:
        lobby.start_if_full(session, following, now, letter_delay)
    session.commit()
    return following


def _next_game(
    session: Session, series: Series, last: Game, now: datetime, open_days: int
) -> Game | None:
    """The game after `last`, its players seated; None if no person is left to play it."""
    people = [person for _seat, person in players_of(session, stored_id(last))]
    humans = [person for person in people if person.bot is None]
    if not humans:
        return None
    host = next((person for person in humans if person.id == series.host_id), humans[0])
    game = copy_of_table(last, host, now, open_days)
    game.series_id, game.series_place = series.id, (last.series_place or 0) + 1
    session.add(game)
    session.flush()
    seat_all(session, game, people, now)
    for seat, _person in lobby.chairs(session, stored_id(game)):
        before = lobby.chair_of(session, stored_id(last), seat.person_id)
        seat.letters = None if before is None else before.letters
    return game


def has_next_game(session: Session, row: Game) -> bool:
    """Whether the series of this game goes on with another game."""
    found = None if row.series_id is None else session.get(Series, row.series_id)
    return found is not None and found.ended is None


def games_of(session: Session, series_id: int) -> list[Game]:
    """The games of a series, in order."""
    mine = select(Game).where(Game.series_id == series_id).order_by(col(Game.series_place))
    return list(session.exec(mine))


# ---- standings of a series ----------------------------------------------------------------------


@dataclass
class SeriesStanding:
    """One player's results in a series: their seat in each game, and the totals."""

    person: Person
    by_game: dict[int, SeatRow] = field(default_factory=dict)
    beaten: int = 0  # players they finished ahead of, over all games
    points: int = 0
    place: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """Sort key: players beaten, then points."""
        return self.beaten, self.points


def standings(session: Session, games: Sequence[Game]) -> list[SeriesStanding]:
    """All players of these games, best first. Running games do not count yet."""
    rows: dict[int, SeriesStanding] = {}
    for game in games:
        seated = lobby.chairs(session, stored_id(game))
        for seat, person in seated:
            row = rows.setdefault(stored_id(person), SeriesStanding(person))
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
