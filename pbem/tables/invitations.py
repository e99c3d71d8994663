"""Invitations by address, links to join, and addresses that refuse all invitations."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import case, func, update
from sqlmodel import Session, col, select

from pbem.accounts import auth
from pbem.accounts.keys import Keys, Write
from pbem.mail import queue
from pbem.models import (
    Game,
    GameState,
    Invitation,
    InvitationState,
    NeverInvite,
    Outbox,
    Person,
    SeatRow,
)
from pbem.play.refusals import TableRefused
from pbem.tables import blocks, lobby, seats
from pbem.tables.blocks import refuses_invitations

TO_ANSWER = timedelta(hours=48)  # for a substitute; then the next one is asked
RESENDS = 3  # letters about one game to one address


# ---- links --------------------------------------------------------------------------------------


def invitation_token(keys: Keys, invitation: Invitation) -> str:
    """The token in an invitation's link; it shows and answers this invitation only."""
    return keys.signed(_invited_to(invitation), _behind(invitation.id))


def join_token(keys: Keys, game: Game) -> str:
    """The token in a game's join link, which the host passes on."""
    return keys.signed(_joins(game), _behind(game.id))


def invitation_by(session: Session, keys: Keys, token: str) -> Invitation | None:
    """The invitation of a link's token; None if the token is not valid."""
    found = session.get(Invitation, _numbered(token))
    if found is None or not keys.proved(token, _invited_to(found), _behind(found.id)):
        return None
    return found


def game_by_join_token(session: Session, keys: Keys, token: str) -> Game | None:
    """The game of a join link's token; None if the token is not valid."""
    game = session.get(Game, _numbered(token))
    if game is None or not keys.proved(token, _joins(game), _behind(game.id)):
        return None
    return game


def _invited_to(invitation: Invitation) -> bytes:
    return f"invitation|{invitation.id}|{invitation.nonce}".encode()


def _joins(game: Game) -> bytes:
    return f"join|{game.id}|{game.join_nonce}".encode()


def _behind(number: int | None) -> Write:
    """Write a token: the row's number and the proof."""
    return lambda proof: f"{number}-{base64.urlsafe_b64encode(proof[:16]).decode().rstrip('=')}"


def _numbered(token: str) -> int:
    number = token.partition("-")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 16 else 0


# ---- inviting -----------------------------------------------------------------------------------


def invite(
    session: Session, *, game_id: int, host: Person, address: str, a_day: int, now: datetime
) -> Invitation:
    """Invite a normalised address. Raises LobbyRefused.

    The host is not told whether the address refuses invitations.
    """
    game = lobby.locked_open(session, game_id)
    if game.host_id != host.id:
        raise lobby.LobbyRefused("host_only")
    if address in lobby.addresses_of(host):
        raise lobby.LobbyRefused("own_address")
    return _invited(session, game, host, address, a_day=a_day, now=now)


def invite_player(
    session: Session, game: Game, host: Person, player: Person, *, a_day: int, now: datetime
) -> Invitation:
    """Invite a former fellow player; the host is not told their address."""
    return _invited(session, game, host, player.address, a_day=a_day, now=now)


def _invited(
    session: Session, game: Game, host: Person, address: str, *, a_day: int, now: datetime,
    seat: int | None = None,
) -> Invitation:
    session.exec(select(Person.id).where(Person.id == host.id)
                 .with_for_update(key_share=True)).first()
    if _invited_lately(session, host, now) >= a_day:
        raise lobby.LobbyRefused("invited_enough", limit=a_day)
    invitation = _written(session, game, host, address, now)
    invitation.seat = seat
    # Whether the address refuses invitations is checked when the letter would be sent, so that
    # the host sees the same for every address.
    _letter_due(session, invitation, now)
    return invitation


def _written(
    session: Session, game: Game, host: Person, address: str, now: datetime
) -> Invitation:
    """The invitation's row: a new one, or a withdrawn one that is pending again."""
    there = session.exec(
        select(Invitation).where(Invitation.game_id == game.id, Invitation.address == address),
        execution_options={"populate_existing": True},
    ).first()
    if there is not None and there.state != InvitationState.WITHDRAWN:
        raise lobby.LobbyRefused("invited_already", address=address, state=str(there.state))
    known = auth.person_with(session, address)
    invitation = there or Invitation(
        game_id=lobby.stored_id(game), by_id=lobby.stored_id(host), address=address, nonce=""
    )
    invitation.language = known.language if known else host.language
    invitation.by_id = lobby.stored_id(host)
    invitation.seat, invitation.offered = None, False
    invitation.state = InvitationState.PENDING
    invitation.nonce = secrets.token_hex(16)
    invitation.created = now
    session.add(invitation)
    session.flush()
    return invitation


def invite_to_seat(
    session: Session, *, game_id: int, seat: int, by: Person, address: str, a_day: int,
    now: datetime,
) -> Invitation:
    """Invite a normalised address to a vacated seat, as a player or the host of the game.

    Raises LobbyRefused, TableRefused.
    """
    # The person before the game, as a vacation does; the other order could deadlock.
    session.exec(select(Person.id).where(Person.id == by.id)
                 .with_for_update(key_share=True)).first()
    game = lobby.locked(session, game_id)
    if game.state != GameState.RUNNING:
        raise lobby.LobbyRefused("not_open", state=str(game.state))
    if game.host_id != by.id and lobby.chair_of(session, game_id, by.id) is None:
        raise lobby.LobbyRefused("players_only")
    vacant = session.exec(select(SeatRow).where(
        SeatRow.game_id == game_id, SeatRow.number == seat)).first()
    if vacant is None or vacant.resigned is None:
        raise TableRefused("seat_taken")
    if address in lobby.addresses_of(by):
        raise lobby.LobbyRefused("own_address")
    return _invited(session, game, by, address, a_day=a_day, now=now, seat=seat)


def offer(session: Session, game: Game, seat: int, person: Person, now: datetime) -> Invitation:
    """Offer a seat to a substitute; the caller holds the game's lock."""
    host = session.get_one(Person, game.host_id)
    invitation = _written(session, game, host, person.address, now)
    invitation.seat, invitation.offered = seat, True
    session.add(invitation)
    session.flush()
    _letter_due(session, invitation, now)
    return invitation


def _letter_due(session: Session, invitation: Invitation, now: datetime) -> None:
    kind = "invited" if invitation.seat is None else "take_over"
    known = auth.person_with(session, invitation.address)
    sent = letters_about(session, invitation)
    if sent >= RESENDS:
        raise lobby.LobbyRefused("invited_often", limit=RESENDS)
    queue.due(session, kind=kind, person_id=known.id if known else None,
              address=None if known else invitation.address, invitation_id=invitation.id,
              part=sent + 1, now=now)


def letters_about(session: Session, invitation: Invitation) -> int:
    """The number of letters queued about an invitation."""
    return session.exec(
        select(func.count()).select_from(Outbox)
        .where(Outbox.invitation_id == invitation.id,
               col(Outbox.kind).in_(("invited", "take_over")))
    ).one()


def _invited_lately(session: Session, host: Person, now: datetime) -> int:
    return session.exec(
        select(func.count()).select_from(Invitation).where(
            Invitation.by_id == host.id, col(Invitation.created) > now - timedelta(days=1),
            col(Invitation.offered).is_(False),
        )
    ).one()


def withdraw(session: Session, *, game_id: int, host: Person, invitation_id: int) -> None:
    """The host withdraws a pending invitation."""
    game = lobby.locked_open(session, game_id)
    if game.host_id != host.id:
        raise lobby.LobbyRefused("host_only")
    _settle(session, invitation_id, InvitationState.WITHDRAWN, game_id=game_id)


# ---- answering ----------------------------------------------------------------------------------


def accept(
    session: Session, *, invitation: Invitation, person: Person, phrase: str, now: datetime,
    beside: Collection[int] = (), letter_delay: timedelta = timedelta(0),
) -> SeatRow:
    """Sit down; an invitation may be used by an account with another address.

    `beside`: as for lobby.join. Raises LobbyRefused, or TableRefused if the seat cannot be taken.
    """
    (lobby.locked_open if invitation.seat is None else lobby.locked)(session, invitation.game_id)
    session.refresh(invitation)
    if invitation.state not in (InvitationState.PENDING, InvitationState.ACCEPTED):
        raise lobby.LobbyRefused("not_invited", state=str(invitation.state))
    if invitation.state == InvitationState.ACCEPTED and not _sits(session, invitation, person):
        raise lobby.LobbyRefused("invitation_used")
    if invitation.seat is not None:
        return _take(session, invitation, person, now, beside=beside, delay=letter_delay)
    seat = lobby.join(session, game_id=invitation.game_id, person=person, phrase=phrase, now=now,
                      beside=beside, letter_delay=letter_delay)
    _settle(session, invitation.id, InvitationState.ACCEPTED)
    return seat


def _take(
    session: Session, invitation: Invitation, person: Person, now: datetime, *,
    beside: Collection[int], delay: timedelta,
) -> SeatRow:
    """Take the vacated seat over; this ends all other invitations to it."""
    invitation.state = InvitationState.ACCEPTED
    session.add(invitation)
    session.flush()
    seats.take(session, invitation.game_id, invitation.seat or 0, person, now, beside=beside,
               letter_delay=delay)
    mine = select(SeatRow).where(
        SeatRow.game_id == invitation.game_id, SeatRow.person_id == person.id)
    return session.exec(mine).one()


def _sits(session: Session, invitation: Invitation, person: Person) -> bool:
    mine = select(SeatRow.id).where(
        SeatRow.game_id == invitation.game_id, SeatRow.person_id == person.id
    )
    return session.exec(mine).first() is not None


def decline(session: Session, invitation: Invitation) -> None:
    """Decline an invitation, with or without an account."""
    _settle(session, invitation.id, InvitationState.DECLINED)


def never_again(session: Session, invitation: Invitation, now: datetime) -> None:
    """Decline this and all future invitations to the address."""
    refuse_invitations(session, invitation.address, now)
    session.flush()
    session.connection().execute(
        update(Invitation)
        .where(col(Invitation.address) == invitation.address,
               col(Invitation.state) == InvitationState.PENDING)
        .values(state=InvitationState.DECLINED)
    )


def _settle(
    session: Session, invitation_id: int | None, state: InvitationState,
    *, game_id: int | None = None,
) -> None:
    session.flush()
    statement = update(Invitation).where(
        col(Invitation.id) == invitation_id, col(Invitation.state) == InvitationState.PENDING
    )
    if game_id is not None:
        statement = statement.where(col(Invitation.game_id) == game_id)
    session.connection().execute(statement.values(state=state))


# ---- addresses that want none -------------------------------------------------------------------


def refuse_invitations(session: Session, address: str, now: datetime) -> None:
    """Note (by its hash) that an address refuses invitations."""
    if not refuses_invitations(session, address):
        session.add(NeverInvite(address_hash=auth.hashed(address), created=now))
        session.flush()


def allow_invitations(session: Session, address: str) -> None:
    """Remove that note."""
    kept = session.get(NeverInvite, auth.hashed(address))
    if kept is not None:
        session.delete(kept)
        session.flush()


def pending_for(session: Session, person: Person) -> list[tuple[Invitation, Game, Person]]:
    """The pending invitations of a person: invitation, game, host.

    Without those to addresses that refuse invitations, and those by people they have blocked.
    """
    wanted = [a for a in lobby.addresses_of(person) if not refuses_invitations(session, a)]
    rows = session.exec(
        select(Invitation, Game, Person)
        .where(col(Invitation.address).in_(wanted),
               Invitation.state == InvitationState.PENDING,
               Invitation.game_id == Game.id,
               col(Game.state) == case((col(Invitation.seat).is_(None), GameState.OPEN),
                                       else_=GameState.RUNNING),
               Invitation.by_id == Person.id)
        .order_by(col(Invitation.id))
    )
    blocked = blocks.blocked_by(session, person.id)
    return [(invitation, game, host) for invitation, game, host in rows if host.id not in blocked]


def called(session: Session, game: Game, invited: Sequence[Invitation]) -> dict[str, str]:
    """Names that a rematch's host sees in place of addresses that they were never told."""
    if game.rematch_of is None:
        return {}
    addresses = [invitation.address for invitation in invited]
    known = session.exec(
        select(Person.address, SeatRow.name)
        .where(SeatRow.game_id == game.rematch_of, SeatRow.person_id == Person.id,
               col(Person.address).in_(addresses)))
    return dict(known.all())


def of_game(session: Session, game_id: int) -> list[Invitation]:
    """All invitations to a game, for its host."""
    mine = select(Invitation).where(Invitation.game_id == game_id).order_by(col(Invitation.id))
    return list(session.exec(mine))
