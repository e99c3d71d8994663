"""People who play by mail alone: they read what arrives, and answer it by SMTP."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Mapping, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from functools import partial
from urllib.parse import urlsplit

from sqlmodel import col, select

from pbem.models import Inbound, InboundState, LetterState, Outbox, Person, SeatRow
from pbem.play import positions
from tests.processes.story.cast import Cast, address_of
from tests.support import mail_programs
from tests.support.servers import eventually

LANGUAGES = {"Ana": "pt", "Bento": "en", "Catarina": "hu", "Duarte": "ru"}
CLIENTS = {"Ana": "gmail", "Bento": "outlook", "Catarina": "thunderbird", "Duarte": "apple"}
ACCEPTED = {"en": "accept", "hu": "elfogadom", "ru": "принимаю", "pt": "aceito"}
TAKE_ORDERS = ("turn", "started", "receipt", "refused")
JUDGED = (InboundState.PLAYED, InboundState.REFUSED)


class Correspondents:
    """The players of a cast as their mail programs see the game."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.written = 0
        self._by_id: dict[str, bytes] = {}

    # ---- reading

    def letter(self, row: Outbox) -> EmailMessage:
        """A letter of ours as it lies in the postbox."""
        return eventually(partial(self._arrived, row.message_id), 30)

    def _arrived(self, message_id: str | None) -> EmailMessage | None:
        for raw in self.cast.postbox.letters[len(self._by_id) :]:
            self._by_id[str(BytesHeaderParser().parsebytes(raw)["Message-ID"])] = raw
        raw = self._by_id.get(message_id or "", b"")
        return message_from_bytes(raw, policy=policy.default) if raw else None

    def asked(self, name: str) -> EmailMessage:
        """The letter that puts the open question to somebody, once it is there."""
        return self.letter(eventually(partial(self._sent, name), 60))

    def _sent(self, name: str) -> Outbox | None:
        """The newest letter that took orders and showed the position of the question."""
        with self.cast.service.reading() as session:
            seat = session.exec(
                select(SeatRow).join(Person, col(Person.id) == col(SeatRow.person_id))
                .where(SeatRow.game_id == self.cast.game_id, Person.name == name)
            ).one()
            return session.exec(
                select(Outbox)
                .where(
                    Outbox.person_id == seat.person_id,
                    Outbox.game_id == self.cast.game_id,
                    col(Outbox.kind).in_(TAKE_ORDERS), Outbox.state == LetterState.SENT,
                    col(Outbox.shown) >= (seat.asked_since or 0),
                )
                .order_by(col(Outbox.id).desc())
            ).first()  # fmt: skip

    # ---- writing

    def answer(self, name: str, letter: EmailMessage, lines: Sequence[str]) -> None:
        """Answer a letter as this player's mail program does."""
        self.written += 1
        to = str(letter["Reply-To"])
        body = letter.get_body(("plain",))
        assert body is not None
        raw = mail_programs.reply(
            CLIENTS[name], LANGUAGES[name], lines, to=to, below=name,
            sender=f"{name} <{address_of(name)}>", asked=body.get_content(),
            message_id=f"<{self.written}@players.example>", subject=f"Re: {letter['Subject']}",
        )  # fmt: skip
        place = urlsplit(self.cast.service.settings.mail_in or "")
        with smtplib.SMTP(place.hostname or "", place.port or 0, timeout=30) as line:
            line.sendmail(address_of(name), [to], raw)

    def judged(self) -> list[Inbound]:
        """All letters that came in and are decided."""
        with self.cast.service.reading() as session:
            found = select(Inbound).where(col(Inbound.state).in_(JUDGED))
            return list(session.exec(found.order_by(col(Inbound.id))))

    def receipt(self, name: str) -> EmailMessage:
        """The receipt of the letter that was written last."""
        return self.letter(eventually(partial(self._receipt, name), 60))

    def _receipt(self, name: str) -> Outbox | None:
        with self.cast.service.reading() as session:
            came = session.exec(
                select(Inbound).where(Inbound.message_id == f"<{self.written}@players.example>")
            ).first()
            if came is None:
                return None
            return session.exec(
                select(Outbox).where(
                    Outbox.kind == "receipt", Outbox.about_id == came.id,
                    Outbox.state == LetterState.SENT,
                )
            ).first()  # fmt: skip

    # ---- a game

    def sit_down(self, key: str, names: Sequence[str]) -> None:
        """The first one opens a game on its page and invites; the others accept by mail."""
        host = self.cast.visitors[names[0]]
        page = host.get(f"/games/new?game={key}")
        page = host.submit(page, page.form("/games/new"), title="", seats=str(len(names)))
        found = re.search(r"/games/(\d+)", page.url)
        assert found is not None, page.text
        self.cast.game_id = int(found[1])
        for name in names[1:]:
            action = f"/games/{self.cast.game_id}/invite"
            page = host.submit(page, page.form(action), address=address_of(name))
        for name in names[1:]:
            invited = eventually(partial(self._invited, name), 60)
            self.answer(name, invited, [ACCEPTED[LANGUAGES[name]]])
            self.receipt(name)

    def _invited(self, name: str) -> EmailMessage | None:
        letters = self.cast.letters_to(address_of(name))
        found = [each for each in letters if str(each["Feedback-ID"]).split(":")[1] == "invited"]
        return found[-1] if found and len(found) == self._invitations(name) else None

    def _invitations(self, name: str) -> int:
        with self.cast.service.reading() as session:
            person = session.exec(select(Person).where(Person.name == name)).one()
            due = select(Outbox).where(
                Outbox.kind == "invited", Outbox.person_id == person.id
            )
            return len(session.exec(due).all())

    def round(self) -> int:
        """Which round the game is in."""
        with self.cast.service.reading() as session:
            table = positions.table(session, self.cast.game())
            return table.rules.chapter(table.state)[0]

    def play_a_round(self) -> Mapping[str, int]:
        """Answer every question by mail until the second round begins; the letters of each."""
        letters = dict.fromkeys(LANGUAGES, 0)
        while self.round() < 2:
            name, orders = self.cast.next_orders()
            self.answer(name, self.asked(name), orders.split("; "))
            self.receipt(name)
            letters[name] += 1
        return letters
