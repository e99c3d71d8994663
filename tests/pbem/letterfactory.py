"""Rows that letters are about, made with as little as a test needs."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, select

from pbem.mail import outbox
from pbem.models import ComponentSet, Game, GameState, LetterState, Outbox, Person, SeatRow, SignIn
from pbem.service import Service


def person(session: Session, name: str, **fields: object) -> Person:
    """Somebody who plays."""
    values = {"address": f"{name.lower()}@players.example", **fields}
    made = Person(name=name, created=datetime.fromisoformat("2026-03-01T00:00Z"), **values)
    session.add(made)
    session.flush()
    return made


def running_game(session: Session, players: list[Person], now: datetime) -> Game:
    """A running game at entry 5 that asks the first player since then."""
    digest = "0" * 64
    if session.get(ComponentSet, digest) is None:
        session.add(ComponentSet(digest=digest, game="vasco-da-gama", name="printed", toml=""))
        session.flush()
    game = Game(
        game="vasco-da-gama", title="Spring fleet", state=GameState.RUNNING,
        host_id=players[0].id or 0, seats=len(players), components=digest, server_part=b"s" * 32,
        commitment="c" * 64, join_nonce="n" * 32, last_entry=5, created=now, started=now,
    )  # fmt: skip
    session.add(game)
    session.flush()
    for number, player in enumerate(players):
        asked = 5 if number == 0 else None
        session.add(
            SeatRow(game_id=game.id or 0, person_id=player.id or 0, number=number,
                    name=player.name, joined=now, asked_since=asked)
        )  # fmt: skip
    session.flush()
    return game


def sign_in(session: Session, address: str, now: datetime, **fields: object) -> SignIn:
    """Somebody who asked for a link."""
    made = SignIn(purpose="sign_in", address=address, browser="b" * 64, created=now,
                  expires=now + timedelta(minutes=20), **fields)  # fmt: skip
    session.add(made)
    session.flush()
    return made


def turn_letter(service: Service, name: str = "Ana") -> int:
    """A turn letter that is due now, for the first of two players of a new game."""
    now = service.clock.now()
    with service.writing() as session:
        players = [person(session, name), person(session, f"{name}Two")]
        game = running_game(session, players, now)
        row_id = outbox.due(session, recipient=f"p{players[0].id}", kind="turn",
                            subject=f"g{game.id}", occasion="5", now=now)  # fmt: skip
        session.commit()
    assert row_id is not None
    return row_id


def row(service: Service, row_id: int) -> Outbox:
    """The outbox row as it stands."""
    with service.reading() as session:
        return session.exec(select(Outbox).where(Outbox.id == row_id)).one()


def states(service: Service) -> list[LetterState]:
    """Where all letters stand, oldest first."""
    with service.reading() as session:
        found = session.exec(select(Outbox).order_by("id")).all()
    return [LetterState(one.state) for one in found]
