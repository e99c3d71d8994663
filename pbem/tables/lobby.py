"""Open games, from opening to start or end: joining, leaving, starting, cancelling.

Every change locks the game's row first. The caller commits and then enqueues.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from sqlalchemy import func, update
from sqlmodel import Session, col, select

from engine import registry
from pbem import names
from pbem.clocks.terms import UNTIMED, Terms
from pbem.mail import queue
from pbem.models import Game, GameState, Invitation, InvitationState, PastHolder, Person, SeatRow
from pbem.play import component_sets, deadlines
from pbem.tables import blocks
from pbem.tables.start import start_game

LARGEST_SET = 64 * 1024  # bytes of a component set's TOML
OPEN_GAMES_A_HOST = 20
BOTS = ("steady", "random")


class LobbyRefused(Exception):
    """A request that the lobby refuses: a key and its values, no sentence."""

    def __init__(self, key: str, **numbers: Any) -> None:
        super().__init__(f"{key} {numbers}" if numbers else key)
        self.key = key
        self.numbers = numbers


# ---- opening ------------------------------------------------------------------------------------


def open_game(
    session: Session,
    *,
    host: Person,
    game_key: str,
    title: str,
    seats: int,
    chosen_order: bool,
    private: bool,
    components: str | None,
    phrase: str,
    open_days: int,
    now: datetime,
    options: Mapping[str, Any] = MappingProxyType({}),
    terms: Terms = UNTIMED,
    server_part: bytes | None = None,
) -> Game:
    """Open a game with its host in the first chair; its commitment is fixed from now on.

    `server_part`: the secret of a prepared table; drawn if it is None.

    `components`: the TOML of a component set of their own (raises BadComponents). `options`: the
    game's own, as `Game.options` lists them. `terms`: its clock.
    """
    if game_key not in registry.GAMES:
        raise LobbyRefused("no_such_title")
    if components is not None and len(components.encode()) > LARGEST_SET:
        raise LobbyRefused("components_too_large", limit=LARGEST_SET // 1024)
    registry.game(game_key, components)  # parsed before the transaction begins
    if _open_games_of(session, host) >= OPEN_GAMES_A_HOST:
        raise LobbyRefused("too_many_open", limit=OPEN_GAMES_A_HOST)
    rules, chosen = component_sets.stored_set(session, game_key, components)
    if seats not in rules.seats:
        raise LobbyRefused("seats_out_of_range", low=rules.seats[0], high=rules.seats[-1])
    if any(value not in rules.options.get(option, ()) for option, value in options.items()):
        raise LobbyRefused("no_such_option")
    server_part = server_part or secrets.token_bytes(32)
    game = Game(
        game=game_key, title=names.clean_line(title, limit=names.TITLE_LENGTH),
        host_id=stored_id(host), seats=seats, chosen_order=chosen_order, private=private,
        options=json.dumps(dict(options)), components=chosen.digest, server_part=server_part,
        commitment=hashlib.sha256(server_part).hexdigest(), join_nonce=secrets.token_hex(16),
        created=now, expires=now + timedelta(days=open_days), clock=terms.clock.stored,
        at_zero=terms.at_zero, reminders=terms.stored_reminders,
    )
    session.add(game)
    session.flush()
    take_chair(session, game, host, phrase, now)
    return game


def _open_games_of(session: Session, host: Person) -> int:
    return session.exec(
        select(func.count()).select_from(Game)
        .where(Game.host_id == host.id, Game.state == GameState.OPEN)
    ).one()


def phrase_hash(phrase: str) -> str:
    """What others see of a phrase until the game starts."""
    return hashlib.sha256(phrase.encode()).hexdigest()


def stored_id(row: Game | Person) -> int:
    """The id of a row that is in the database."""
    if row.id is None:
        raise ValueError("not stored yet")
    return row.id


# ---- locks and looks ----------------------------------------------------------------------------


def locked(session: Session, game_id: int) -> Game:
    """Lock the game's row and read it afresh. Raises LobbyRefused if there is none."""
    game = session.exec(
        select(Game).where(Game.id == game_id).with_for_update(),
        execution_options={"populate_existing": True},
    ).first()
    if game is None:
        raise LobbyRefused("no_such_game")
    return game


def locked_open(session: Session, game_id: int) -> Game:
    """The same for an open game. Raises LobbyRefused if it has started or ended."""
    game = locked(session, game_id)
    if game.state != GameState.OPEN:
        raise LobbyRefused("not_open", state=str(game.state))
    return game


def _hosted(session: Session, game_id: int, host: Person) -> Game:
    game = locked_open(session, game_id)
    if game.host_id != host.id:
        raise LobbyRefused("host_only")
    return game


def _not_over(game: Game, now: datetime) -> None:
    """Raise LobbyRefused if the game has expired; the sweep may not have ended it yet."""
    if game.expires is not None and now >= game.expires:
        raise LobbyRefused("not_open", state=str(GameState.EXPIRED))


def chairs(session: Session, game_id: int) -> list[tuple[SeatRow, Person]]:
    """The seats and people of a game: in the order of joining, after its start by seat number."""
    rows = session.exec(
        select(SeatRow, Person)
        .where(SeatRow.game_id == game_id, SeatRow.person_id == Person.id)
        .order_by(col(SeatRow.number), col(SeatRow.id))
    )
    return [(seat, person) for seat, person in rows]


def chair_of(session: Session, game_id: int, person_id: int | None) -> SeatRow | None:
    """This person's seat in a game."""
    mine = select(SeatRow).where(SeatRow.game_id == game_id, SeatRow.person_id == person_id)
    return session.exec(mine).first()


def may_see(session: Session, game: Game, person: Person | None) -> bool:
    """Whether a person may see a private game: players, former players, host, invited people."""
    if not game.private:
        return True
    if person is None:
        return False
    if game.host_id == person.id or chair_of(session, stored_id(game), person.id) is not None:
        return True
    sat = select(PastHolder.id).where(
        PastHolder.game_id == game.id, PastHolder.person_id == person.id)
    if session.exec(sat).first() is not None:
        return True
    invited = select(Invitation.id).where(
        Invitation.game_id == game.id, Invitation.state == InvitationState.PENDING,
        col(Invitation.address).in_(addresses_of(person)),
    )
    return session.exec(invited).first() is not None


def hold_open_games(session: Session, person_id: int | None) -> list[int]:
    """Lock the open games in which a person sits."""
    sits = select(SeatRow.game_id).where(SeatRow.person_id == person_id)
    held = session.exec(
        select(Game.id).where(col(Game.id).in_(sits), Game.state == GameState.OPEN)
        .order_by(col(Game.id)).with_for_update())
    return [each for each in held if each is not None]


def name_seats(session: Session, person: Person) -> None:
    """After a person has chosen a name: show it in running games where it is not ambiguous."""
    running = select(SeatRow).join(Game, col(Game.id) == col(SeatRow.game_id)).where(
        SeatRow.person_id == person.id, Game.state == GameState.RUNNING,
        col(SeatRow.resigned).is_(None))
    for seat in session.exec(running.order_by(col(SeatRow.game_id))).all():
        others = session.exec(select(SeatRow.name).where(
            SeatRow.game_id == seat.game_id, SeatRow.id != seat.id)).all()
        if names.skeleton(person.name) not in map(names.skeleton, others):
            seat.name = person.name
            session.add(seat)
    person.unnamed = False
    session.add(person)


def may_be_called(session: Session, person: Person, name: str) -> bool:
    """Whether nobody in this person's open games has a similar name.

    The games stay locked until the caller commits.
    """
    open_ones = hold_open_games(session, person.id)
    others = (
        select(Person.name).join(SeatRow, col(SeatRow.person_id) == col(Person.id))
        .where(col(SeatRow.game_id).in_(open_ones), Person.id != person.id)
    )
    return all(names.skeleton(other) != names.skeleton(name) for other in session.exec(others))


# ---- sitting down and getting up ----------------------------------------------------------------


def join(
    session: Session, *, game_id: int, person: Person, phrase: str, now: datetime,
    beside: Collection[int] = (), letter_delay: timedelta = timedelta(0),
) -> SeatRow:
    """Take a chair; the last one starts the game. People who sit already keep their chair.

    `beside`: ids of people that they have blocked and know to sit here. Raises LobbyRefused.
    """
    game = locked_open(session, game_id)
    seat = chair_of(session, game_id, person.id)
    if seat is None:
        seat = take_chair(session, game, person, phrase, now, beside=beside)
        start_if_full(session, game, now, letter_delay)
    return seat


def take_chair(
    session: Session, game: Game, person: Person, phrase: str, now: datetime,
    *, beside: Collection[int] = (),
) -> SeatRow:
    _not_over(game, now)
    taken = chairs(session, stored_id(game))
    if len(taken) >= game.seats:
        raise LobbyRefused("full", seats=game.seats)
    if blocks.is_shut_out(session, stored_id(game), person):
        raise LobbyRefused("not_for_you")
    unwarned = blocks.unwarned_names(session, stored_id(game), person, beside)
    if unwarned:
        raise LobbyRefused("blocked_here", names=", ".join(unwarned))
    for _, other in taken:
        if names.skeleton(other.name) == names.skeleton(person.name):
            raise LobbyRefused("name_looks_alike", name=other.name)
    line = names.clean_line(phrase, limit=names.PHRASE_LENGTH)
    seat = SeatRow(game_id=stored_id(game), person_id=stored_id(person),
                   name=person.name, phrase=line or None, joined=now)
    session.add(seat)
    _settle_invitations(session, stored_id(game), InvitationState.ACCEPTED, addresses_of(person))
    session.flush()
    return seat


def addresses_of(person: Person) -> list[str]:
    """The addresses by which a person may be invited."""
    return [address for address in (person.address, person.second_address) if address]


def leave(session: Session, *, game_id: int, person: Person) -> None:
    """Give a chair up before the start; hosts cancel instead."""
    game = locked_open(session, game_id)
    if game.host_id == person.id:
        raise LobbyRefused("host_cancels")
    seat = chair_of(session, game_id, person.id)
    if seat is not None:
        session.delete(seat)
        session.flush()


def remove(session: Session, *, game_id: int, host: Person, seat_id: int) -> None:
    """The host removes a player; the join link changes."""
    game = _hosted(session, game_id, host)
    seat = session.get(SeatRow, seat_id)
    if seat is None or seat.game_id != game_id:
        return
    if seat.person_id == host.id:
        raise LobbyRefused("host_cancels")
    game.join_nonce = secrets.token_hex(16)
    session.add(game)
    session.delete(seat)
    session.flush()


def add_bot(
    session: Session, *, game_id: int, host: Person, kind: str, now: datetime,
    letter_delay: timedelta = timedelta(0),
) -> SeatRow:
    """Seat a bot; the last chair starts the game."""
    game = _hosted(session, game_id, host)
    if kind not in BOTS:
        raise LobbyRefused("no_such_bot")
    seat = take_chair(session, game, free_bot(session, game_id, kind, now), "", now)
    start_if_full(session, game, now, letter_delay)
    return seat


def free_bot(session: Session, game_id: int, kind: str, now: datetime) -> Person:
    """The first bot of this kind that does not sit here yet; created if needed."""
    seated = {person.address for _, person in chairs(session, game_id)}
    number = 1
    while (address := f"{kind}-{number}@bots.invalid") in seated:
        number += 1
    bot = session.exec(select(Person).where(Person.address == address)).first()
    if bot is None:
        bot = Person(name=f"{kind.title()} {number}", address=address, created=now, bot=kind)
        session.add(bot)
        session.flush()
    return bot


# ---- starting and ending ------------------------------------------------------------------------


def start(
    session: Session, *, game_id: int, host: Person, now: datetime,
    letter_delay: timedelta = timedelta(0),
) -> None:
    """The host starts the game before all chairs are taken."""
    game = _hosted(session, game_id, host)
    _not_over(game, now)
    seated = len(chairs(session, game_id))
    fewest = registry.game(game.game).seats[0]
    if seated < fewest:
        raise LobbyRefused("too_few", seated=seated, needed=fewest)
    _start(session, game, now, letter_delay)


def start_if_full(session: Session, game: Game, now: datetime, letter_delay: timedelta) -> None:
    if len(chairs(session, stored_id(game))) == game.seats:
        _start(session, game, now, letter_delay)


def _start(session: Session, game: Game, now: datetime, letter_delay: timedelta) -> None:
    _settle_invitations(session, stored_id(game), InvitationState.WITHDRAWN)
    start_game(session, game, now, letter_delay=letter_delay)


def cancel(session: Session, *, game_id: int, host: Person, now: datetime) -> None:
    """The host cancels an open game; the others get letters."""
    game = _hosted(session, game_id, host)
    _end(session, game, GameState.CANCELLED, now, told=[
        person for _, person in chairs(session, game_id) if person.id != host.id
    ])


def agree_to_cancel(
    session: Session, *, game_id: int, person: Person, agrees: bool, now: datetime
) -> bool:
    """Store whether a player agrees to cancel a running game; True once all have agreed."""
    game = locked(session, game_id)
    if game.state != GameState.RUNNING:
        raise LobbyRefused("not_running", state=str(game.state))
    seat = chair_of(session, game_id, person.id)
    if seat is None or seat.resigned is not None:
        raise LobbyRefused("players_only")
    seat.agrees_to_cancel = agrees
    session.add(seat)
    session.flush()
    seated = chairs(session, game_id)
    asked = [chair for chair, who in seated if who.bot is None and chair.resigned is None]
    if not all(chair.agrees_to_cancel for chair in asked):
        return False
    call_off(session, game, now, told=[who for _, who in seated])
    return True


def call_off(
    session: Session, game: Game, now: datetime, *, told: Sequence[Person] = ()
) -> None:
    """End a running game without a result; its questions and clocks end."""
    seated = chairs(session, stored_id(game))
    for chair, _ in seated:
        chair.asked_since = None
        deadlines.reset_clock(chair)
        session.add(chair)
    _end(session, game, GameState.CANCELLED, now, told=told)
    people = {stored_id(person): person for _, person in seated}
    deadlines.update_clocks(session, game, [chair for chair, _ in seated], people, now)


def expire(session: Session, now: datetime) -> int:
    """End open games that have expired and queue letters to their players; the number of games."""
    due = session.exec(
        select(Game.id).where(Game.state == GameState.OPEN, col(Game.expires) <= now)
        .order_by(col(Game.id))
    ).all()
    ended = 0
    for game_id in due:
        game = locked(session, game_id or 0)
        if game.state == GameState.OPEN and game.expires is not None and game.expires <= now:
            told = [person for _, person in chairs(session, game_id or 0)]
            _end(session, game, GameState.EXPIRED, now, told=told)
            ended += 1
    return ended


def _end(
    session: Session, game: Game, state: GameState, now: datetime, *, told: Sequence[Person]
) -> None:
    game.state = state
    game.ended = now
    session.add(game)
    _settle_invitations(session, stored_id(game), InvitationState.WITHDRAWN)
    for person in told:
        if person.bot is None:
            queue.due(session, person_id=person.id, kind=str(state), game_id=game.id, now=now)
    session.flush()


def _settle_invitations(
    session: Session, game_id: int, state: InvitationState, addresses: Sequence[str] | None = None
) -> None:
    """Set the state of pending invitations: all, or those to these addresses."""
    session.flush()
    statement = update(Invitation).where(
        col(Invitation.game_id) == game_id, col(Invitation.state) == InvitationState.PENDING
    )
    if addresses is not None:
        statement = statement.where(col(Invitation.address).in_(addresses))
    session.connection().execute(statement.values(state=state))
