"""The same table once more: what rematches and series have in common, and the rematch."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.models import GONE, Game, GameState, Person, SeatRow, stored_id
from pbem.play import chance, rotation
from pbem.tables import blocks, invitations, lobby


def opened_like(old: Game, host: Person, now: datetime, open_days: int) -> Game:
    """An open game with the figures, options and clock of another; nobody sits there yet."""
    server_part = secrets.token_bytes(32)
    return Game(
        game=old.game, title=old.title, host_id=stored_id(host), seats=old.seats,
        chosen_order=True, private=old.private, options=old.options, components=old.components,
        server_part=server_part, commitment=chance.commitment_of(server_part),
        join_nonce=secrets.token_hex(16), created=now, expires=now + timedelta(days=open_days),
        clock=old.clock, at_zero=old.at_zero, reminders=old.reminders,
    )


def players_of(session: Session, game_id: int) -> list[tuple[SeatRow, Person]]:
    """Who held a seat at the game's end and is still with us, in seat order."""
    return [(seat, person) for seat, person in lobby.chairs(session, game_id)
            if seat.resigned is None and not person.address.endswith(GONE)]


def may_have_rematch(row: Game, own: SeatRow | None) -> bool:
    """Whether the reader may press the button: a player of a game that came to its end."""
    return (row.state == GameState.FINISHED and not row.tutorial
            and own is not None and own.resigned is None)


def rematch(
    session: Session, *, game_id: int, person: Person, now: datetime, open_days: int, a_day: int,
    beside: Collection[int] = (), letter_delay: timedelta = timedelta(0),
) -> Game:
    """The one rematch of a game, opened by who asks first; who asks later sits down in it.

    The old game's row is the lock: two who press at once make one. The caller commits.
    """
    old = lobby.locked(session, game_id)
    own = lobby.chair_of(session, game_id, person.id)
    if not may_have_rematch(old, own):
        raise lobby.LobbyRefused("no_rematch")
    game = rotation.rematch_of(session, game_id)
    if game is None:
        return _opened(session, old, person, now, open_days=open_days, a_day=a_day,
                       letter_delay=letter_delay)
    if game.state == GameState.OPEN:
        lobby.join(session, game_id=stored_id(game), person=person, phrase="", now=now,
                   beside=beside, letter_delay=letter_delay)
    return game


def _opened(
    session: Session, old: Game, host: Person, now: datetime, *, open_days: int, a_day: int,
    letter_delay: timedelta,
) -> Game:
    game = opened_like(old, host, now, open_days)
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


def seat_all(session: Session, game: Game, people: Sequence[Person], now: datetime) -> None:
    """Give these people chairs; nobody starts by it.

    Whose name has come to look like another's at this table has to join by himself, as has who
    would sit beside somebody whom he has blocked; and whom another one has blocked finds no chair.
    """
    for person in blocks.peaceful(session, people):
        try:
            lobby.take_chair(session, game, person, "", now)
        except lobby.LobbyRefused as refused:
            if refused.key not in ("name_looks_alike", "not_for_you", "blocked_here"):
                raise
