"""People who sign in by letter, sit down at one table and play it over HTTP, letters waited for."""

from __future__ import annotations

import re
from collections import Counter
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial

from sqlmodel import select

from engine import bots
from engine.chance import Stream
from pbem.models import Game, GameState, LetterState, Outbox, Person, SeatRow, Submission
from pbem.play import positions
from pbem.service import Service
from tests.processes.story.visitor import Visitor
from tests.support.postbox import Postbox
from tests.support.servers import eventually

# Letters that were never to arrive by themselves: others tell what they would.
NOT_NEEDED = (LetterState.SUPERSEDED, LetterState.MERGED)
NAMES = ("Ana", "Bento", "Catarina", "Duarte")


def address_of(name: str) -> str:
    """Made-up players have made-up addresses."""
    return f"{name.lower()}@players.example"


class Cast:
    """Players with browsers, the postbox that gets their letters, and a look into the database."""

    def __init__(self, base: str, postbox: Postbox, service: Service) -> None:
        self.base = base
        self.postbox = postbox
        self.service = service
        self.visitors: dict[str, Visitor] = {}
        self.game_id = 0

    # ---- letters

    def letters_to(self, address: str) -> list[EmailMessage]:
        """What has arrived for one address, in order."""
        pairs = zip(self.postbox.envelopes, self.postbox.letters, strict=False)
        return [
            message_from_bytes(raw, policy=policy.default)
            for (_, recipient), raw in list(pairs)
            if recipient == address
        ]

    def wait_until_sent(self, kind: str, entry: int | None, person_id: int) -> None:
        """Wait until a due letter has left (or turned out not to be needed any more)."""
        eventually(partial(self._settled, kind, entry, person_id), 120)

    def _settled(self, kind: str, entry: int | None, person_id: int) -> bool:
        with self.service.reading() as session:
            state = session.exec(
                select(Outbox.state).where(
                    Outbox.kind == kind,
                    Outbox.entry == entry,
                    Outbox.person_id == person_id,
                    Outbox.game_id == self.game_id,
                )
            ).first()
        return state in (LetterState.SENT, *NOT_NEEDED)

    # ---- people

    def sign_in(self, name: str, language: str = "en") -> None:
        """Ask for a letter, follow its link, press the button, say who one is."""
        visitor = self.visitors[name] = Visitor(self.base)
        page = visitor.get("/sign-in")
        visitor.submit(page, page.form("/sign-in"), address=address_of(name))
        letter = eventually(lambda: self.letters_to(address_of(name)), 60)[-1]
        body = letter.get_body(("plain",))
        assert body is not None
        link = re.search(r"https?://\S+/sign-in/\S+", body.get_content())
        assert link is not None, body.get_content()
        page = visitor.get(link[0])
        page = visitor.submit(page, page.form(link[0].removeprefix(self.base)))
        page = visitor.submit(page, page.form("/sign-in/new"), name=name, language=language)
        assert page.status == 200, page.text

    def sit_down(self, key: str, names: tuple[str, ...] = NAMES) -> None:
        """The first one opens a game, the others join; it starts when it is full."""
        host = self.visitors[names[0]]
        page = host.get(f"/games/new?game={key}")
        page = host.submit(
            page, page.form("/games/new"), title="The demo fleet", seats=str(len(names))
        )
        found = re.search(r"/games/(\d+)", page.url)
        assert found is not None, page.text
        self.game_id = int(found[1])
        for name in names[1:]:
            page = self.visitors[name].get(f"/games/{self.game_id}")
            action = f"/games/{self.game_id}/join"
            page = self.visitors[name].submit(page, page.form(action), phrase=f"{name} was here")
            assert page.status == 200, page.text

    # ---- playing

    def game(self) -> Game:
        """The game's row as it is now."""
        with self.service.reading() as session:
            return session.get_one(Game, self.game_id)

    def play(self) -> int:
        """Play `steady`'s orders until the game is over, each next letter waited for; POSTs."""
        posts = 0
        while self.game().state == GameState.RUNNING:
            self.wait_for_letters()
            name, orders = self.next_orders()
            self.post(name, orders)
            posts += 1
        self.wait_for_letters()
        return posts

    def wait_for_letters(self) -> None:
        """Every letter that the present position makes due has left."""
        with self.service.reading() as session:
            row = session.get_one(Game, self.game_id)
            seats = session.exec(positions.seats_of(row)).all()
        over = row.state == GameState.FINISHED
        for seat in seats:
            if over:
                self.wait_until_sent("finished", row.last_entry, seat.person_id)
            elif seat.asked_since is not None:
                self.wait_until_sent("turn", seat.asked_since, seat.person_id)

    def next_orders(self) -> tuple[str, str]:
        """Whose turn it is first, and what `steady` would order there."""
        with self.service.reading() as session:
            row = session.get_one(Game, self.game_id)
            table = positions.table(session, row)
            seat = min(table.rules.current_players(table.state))
            found = select(SeatRow).where(SeatRow.game_id == row.id, SeatRow.number == seat)
            person = session.get_one(Person, session.exec(found).one().person_id)
            whim = Stream(b"the demo's whims", str(row.last_entry))
            moves = bots.choose(table.rules, table.state, seat, "steady", whim)
            return person.name, "; ".join(table.rules.to_text(move) for move in moves)

    def post(self, name: str, orders: str) -> None:
        """Write the order line into the page's form, send it, and wait until it is played."""
        visitor = self.visitors[name]
        page = visitor.get(f"/games/{self.game_id}")
        form = page.form(f"/games/{self.game_id}/preview")
        form.action = f"/games/{self.game_id}/orders"  # the button "Send order"
        answer = visitor.submit(page, form, order=orders)
        assert answer.status == 200, f"{name}: {orders}: {answer.status}\n{answer.text[:3000]}"
        eventually(self._nothing_waits, 60)

    def _nothing_waits(self) -> bool:
        with self.service.reading() as session:
            waiting = select(Submission.id).where(
                Submission.game_id == self.game_id, Submission.state == "pending"
            )
            return session.exec(waiting).first() is None

    # ---- the account of letters

    def ledger(self) -> tuple[Counter[str], int, int]:
        """Letters accepted by kind, how many came twice, how many are due and did not come."""
        with self.service.reading() as session:
            rows = session.exec(select(Outbox)).all()
        arrived = Counter(self.postbox.ids())
        kinds: Counter[str] = Counter()
        missing = 0
        for row in rows:
            if row.state == LetterState.SENT and arrived[row.message_id or ""]:
                kinds[row.kind] += 1
            elif row.state not in NOT_NEEDED:
                missing += 1
        return kinds, sum(arrived.values()) - len(arrived), missing
