"""Games whose players answer their letters, with a worker's work done where a test wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Any

from sqlmodel import select

from pbem.mail import tokens
from pbem.mail.incoming import store
from pbem.mail.incoming.judge import judge
from pbem.mail.incoming.parse.reading import Envelope
from pbem.mail.tokens import Purpose
from pbem.models import Game, Inbound, Outbox, Person, SeatRow, Submission, stored_id
from pbem.play import advance
from pbem.play.receipts import ReceiptNotes, notes_of
from pbem.service import Service
from tests.support import tables
from tests.support.at_table import play_on
from tests.support.letterfactory import Shelf, swept


@dataclass
class Answers:
    """People who answer letters of one game."""

    service: Service
    game_id: int
    enqueued: list[int] = field(default_factory=list)

    # ---- our letters

    def letter(self, kind: str = "turn", name: str = "Ana") -> Outbox:
        """The newest letter of a kind to somebody, sent."""
        swept(self.service)
        with self.service.reading() as session:
            person = self.person(name)
            found = select(Outbox).where(Outbox.kind == kind, Outbox.person_id == person.id)
            return session.exec(found.order_by(Outbox.id.desc())).first() or missing(kind)

    def all(self, kind: str) -> list[Outbox]:
        """All letters of a kind that are or were due."""
        with self.service.reading() as session:
            found = select(Outbox).where(Outbox.kind == kind).order_by(Outbox.id)
            return list(session.exec(found))

    def sent(self) -> Shelf:
        """All letters that are due now."""
        return swept(self.service)

    def address(self, letter: Outbox, purpose: Purpose = "turn") -> str:
        """Where an answer to a letter goes."""
        settings = self.service.settings
        token = tokens.token(settings.keys, purpose, letter)
        return f"{purpose}+{token}@{settings.reply_domain}"

    # ---- letters that come in

    def arrives(self, raw: bytes, recipient: str, sender: str = "ana@players.example") -> Inbound:
        """Store and judge a letter."""
        inbound = store.store(self.service, Envelope(sender, recipient, "smtp"), raw)
        judge(self.service, inbound, enqueue=self.enqueued.append)
        return self.inbound(inbound)

    def says(
        self, letter: Outbox, body: str, *, purpose: Purpose = "turn",
        sender: str = "ana@players.example", **headers: str,
    ) -> Inbound:  # fmt: skip
        """Somebody answers a letter."""
        recipient = self.address(letter, purpose)
        return self.arrives(written(recipient, body, sender, **headers), recipient, sender)

    def advance(self) -> None:
        """What a worker does when it is enqueued."""
        with self.service.writing() as session:
            advance.advance(session, self.game_id, self.service.clock.now())

    # ---- looks

    def inbound(self, number: int) -> Inbound:
        with self.service.reading() as session:
            return session.get_one(Inbound, number)

    def told(self, row: Inbound) -> ReceiptNotes:
        """What the receipt of a letter tells."""
        return notes_of(self.inbound(stored_id(row)))

    def person(self, name: str) -> Person:
        with self.service.reading() as session:
            return session.exec(select(Person).where(Person.name == name)).one()

    def seat(self, number: int = 0) -> SeatRow:
        with self.service.reading() as session:
            at = (SeatRow.game_id == self.game_id, SeatRow.number == number)
            return session.exec(select(SeatRow).where(*at)).one()

    def game(self) -> Game:
        with self.service.reading() as session:
            return session.get_one(Game, self.game_id)

    def submissions(self) -> list[Submission]:
        """Orders that came by letter."""
        with self.service.reading() as session:
            found = select(Submission).where(Submission.source == "mail").order_by(Submission.id)
            return list(session.exec(found))

    def change(self, what: type[Any], number: int | None, **values: Any) -> None:
        """Set columns of a row."""
        with self.service.writing() as session:
            row = session.get_one(what, number)
            for name, value in values.items():
                setattr(row, name, value)
            session.add(row)
            session.commit()


def missing(kind: str) -> Outbox:
    raise AssertionError(f"no letter {kind!r} is due")


def written(recipient: str, body: str, sender: str, **headers: str) -> bytes:
    """A letter as a mail program writes it; further headers by their names with _ for -."""
    made = EmailMessage()
    given = {
        "From": sender, "To": recipient, "Subject": "Re: Your turn",
        "Message-ID": make_msgid(domain="players.example"),
    } | {name.replace("_", "-"): value for name, value in headers.items()}  # fmt: skip
    for name, value in given.items():
        if value:
            made[name] = value
    made.set_content(body)
    return made.as_bytes().replace(b"\n", b"\r\n")


def at_table(
    service: Service,
    until: Callable[[Any], bool],
    *,
    names: Sequence[str] = tables.NAMES,
    game_key: str = "vasco-da-gama",
) -> Answers:
    """A game played on by `steady` until the state is as wanted; Ana is the first player."""
    with service.writing() as session:
        game = tables.started_game(session, service.clock.now(), names, game_key=game_key)
        play_on(service, session, game, until)
        return Answers(service, stored_id(game))


def placing(state: Any) -> bool:
    """Vasco da Gama, round 1: the first player places a disc."""
    return bool(state.phase == 1)


def bidding(state: Any) -> bool:
    """Goa: somebody bids."""
    return type(state.awaiting).__name__ == "AwaitBid"

