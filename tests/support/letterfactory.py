"""Rows that letters are about, made with as little as a test needs."""

from __future__ import annotations

from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from sqlmodel import Session, select

from engine import bots
from engine.chance import Stream
from pbem.mail import queue
from pbem.mail.delivery import sending
from pbem.mail.letters import build
from pbem.mail.server_answers import Accepted, Outcome
from pbem.models import ComponentSet, Game, GameState, LetterState, Outbox, Person, SeatRow, SignIn
from pbem.play import advance, positions, submit
from pbem.play.chance import commitment_of
from pbem.service import Service
from pbem.tables import lobby


def person(session: Session, name: str, **fields: Any) -> Person:
    """Somebody who plays."""
    values: dict[str, Any] = {"address": f"{name.lower()}@players.example", **fields}
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


def sign_in(session: Session, address: str, now: datetime, **fields: Any) -> SignIn:
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
        row_id = queue.due(session, person_id=players[0].id, kind="turn",
                            game_id=game.id, entry=5, now=now)  # fmt: skip
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


# ---- games that are really played ---------------------------------------------------------------


def started_game(
    service: Service,
    names: tuple[str, ...] = ("Ana", "Bento", "Catarina"),
    *,
    game_key: str = "vasco-da-gama",
    components: str | None = None,
    **fields: Any,
) -> int:
    """A game of people who sat down in this order: always the same shuffle; letters are due."""
    now = service.clock.now()
    with service.writing() as session:
        people = [person(session, name, **fields) for name in names]
        game = lobby.open_game(
            session, host=people[0], game_key=game_key, title="Spring fleet",
            seats=len(names), chosen_order=True, private=False, components=components,
            phrase="by the tower", open_days=30, now=now,
        )  # fmt: skip
        game.server_part, game.commitment = bytes(32), commitment_of(bytes(32))
        for one in people[1:]:
            lobby.join(session, game_id=game.id or 0, person=one, phrase="", now=now)
        session.commit()
    return game.id or 0


def placing_game(service: Service, names: tuple[str, ...] = ("Ana", "Bento"), **fields: Any) -> int:
    """A game at entry 2: the first merchant ship is sent, and the first player places a disc."""
    game_id = started_game(service, names, **fields)
    play_on(service, game_id, 1)
    return game_id


def play_on(service: Service, game_id: int, moves: int) -> None:
    """Let the asked seats play `moves` orders of the steady player."""
    for number in range(moves):
        now = service.clock.now()
        with service.writing() as session:
            game = session.get_one(Game, game_id)
            table = positions.table(session, game)
            asked = table.rules.current_players(table.state)
            if not asked:
                return
            seat = session.exec(
                select(SeatRow).where(SeatRow.game_id == game_id, SeatRow.number == asked[0])
            ).one()
            whim = Stream(b"whims", f"{game_id}|{game.last_entry}")
            choice = bots.choose(table.rules, table.state, asked[0], "steady", whim)
            submit.record(
                session, seat, "; ".join(map(table.rules.to_text, choice)), seen=game.last_entry,
                source="page", key=f"{game.last_entry}|{number}", now=now, enqueue=lambda _: None,
            )  # fmt: skip
            session.commit()
        with service.writing() as session:
            advance.advance(session, game_id, now)


class Shelf:
    """A transport that keeps what it gets, parsed, for a test to read."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.recipients: list[str] = []

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        self.raw.append(letter)
        self.recipients.append(recipient)
        return Accepted(250, "kept")

    def close(self) -> None:
        return None

    @property
    def letters(self) -> list[EmailMessage]:
        """All letters in the order of their coming."""
        return [message_from_bytes(raw, policy=default) for raw in self.raw]


def swept(service: Service) -> Shelf:
    """All letters that are due now."""
    shelf = Shelf()
    sending.sweep(build, service, shelf)
    return shelf


def the_letter(service: Service, kind: str, recipient: str = "") -> EmailMessage:
    """The one due letter of a kind (to somebody)."""
    slug = f".{kind.replace('_', '-')}."
    found = [
        letter
        for letter in swept(service).letters
        if slug in str(letter["Message-ID"]) and recipient in str(letter["To"])
    ]
    assert len(found) == 1, [str(letter["Message-ID"]) for letter in found]
    return found[0]


def text_of(letter: EmailMessage) -> str:
    """The plain text of a letter."""
    body = letter.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def html_of(letter: EmailMessage) -> str:
    """The HTML of a letter."""
    body = letter.get_body(("html",))
    assert body is not None
    return str(body.get_content())
