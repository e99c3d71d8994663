"""The players of a year: when they come to their tables, and what they do there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from engine import bots
from engine.chance import Stream
from engine.errors import MoveRefused
from pbem.clocks import terms
from pbem.mail.incoming import store
from pbem.mail.incoming.parse.reading import Envelope
from pbem.models import Game, GameState, Invitation, Person, SeatRow, stored_id
from pbem.play import positions, submit, undo
from pbem.play.chance import commitment_of
from pbem.play.refusals import TableRefused
from pbem.tables import consent, invitations, lobby, seats, substitutes, vacation, votes
from pbem.tables.lobby import LobbyRefused
from tests.tools.soak.year_world import Delivered, World
from workers import tasks

ZONES = ("Europe/Budapest", "Europe/Lisbon", "America/New_York", "America/Sao_Paulo",
         "Australia/Lord_Howe", "Pacific/Kiritimati", "Asia/Kathmandu", "Pacific/Apia")  # fmt: skip
HABITS = ("quick", "daily", "weekend", "vanishing", "eager", "by mail")
WISHES = (None, None, "at_once", "after 30", "digest 8", "digest 20", "none")
AWAKE = (None, "8-22 12345", "18-23 1234567", "7-23 67", "22-6 12345")
LANGUAGES = ("en", "hu", "ru", "pt")
AT_A_VISIT = 4  # questions that somebody answers before he leaves again
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@dataclass
class Player:
    """Somebody made up. `letters`: where he answers to, by game."""

    world: World
    id: int
    name: str
    address: str
    habit: str
    wish: str | None
    zone: ZoneInfo
    vanishes: datetime | None
    letters: dict[int, str] = field(default_factory=dict)
    coming: datetime | None = None
    away: datetime | None = None
    sent: int = 0

    # ---- when he comes

    def hears(self, letter: Delivered) -> None:
        """A letter makes him come, each in his own time."""
        for row in letter.rows:
            if row.game_id is not None and letter.reply_to.startswith("turn+"):
                self.letters[row.game_id] = letter.reply_to
            if row.kind == "take_over":
                self.sits_down(row.invitation_id)
        self.comes()

    def comes(self) -> None:
        """Plan a visit, if none is planned."""
        if self.coming is not None and self.coming > self.world.now:
            return
        at = self.next_visit(self.world.now)
        if at is not None:
            self.coming = at
            self.world.plan(at, self.visit)

    def next_visit(self, now: datetime) -> datetime | None:
        """When he will look at his tables."""
        dice = self.world.dice
        if self.away is not None and self.away > now:
            now = self.away
        if self.habit == "eager":
            return now + dice.uniform(0.2, 4) * MINUTE
        if self.habit == "weekend":
            at = now + dice.uniform(0.2, 2) * HOUR
            while at.astimezone(self.zone).weekday() < 5:
                at += 6 * HOUR
            return at
        within = {"quick": (0.05, 3), "by mail": (0.2, 10)}.get(self.habit, (2, 20))
        at = now + dice.uniform(*within) * HOUR
        while not 7 <= at.astimezone(self.zone).hour < 23:
            at += HOUR
        return None if self.vanishes is not None and at > self.vanishes else at

    def looks_by_himself(self) -> None:
        """Who wants no letters comes once a day; everybody does now and then."""
        self.comes()
        if self.vanishes is None or self.world.now < self.vanishes:
            each = 20 * HOUR if self.wish == "none" else 9 * DAY
            self.world.plan(self.world.now + each * self.world.dice.uniform(0.8, 1.2),
                            self.looks_by_himself)

    # ---- what he does

    def visit(self) -> None:
        """Look at all tables, and answer what is asked there."""
        self.coming = None
        world = self.world
        if self.away is not None and world.now < self.away:
            self.comes()
            return
        for game_id in self.paused():
            self.votes(game_id)
        for game_id in self.asked():
            for _ in range(AT_A_VISIT):
                if not self.acts(game_id):
                    break
        self.whims()
        if self.asked():
            self.comes()

    def own_seats(self, session: Session) -> Iterator[tuple[Game, SeatRow]]:
        """His seats in games that run."""
        found = select(Game, SeatRow).where(
            Game.id == SeatRow.game_id, Game.state == GameState.RUNNING,
            SeatRow.person_id == self.id, col(SeatRow.resigned).is_(None))
        yield from session.exec(found.order_by(col(Game.id))).all()

    def asked(self) -> list[int]:
        """The games that ask him something."""
        with self.world.service.reading() as session:
            return [stored_id(game) for game, seat in self.own_seats(session)
                    if seat.asked_since is not None]

    def paused(self) -> list[int]:
        with self.world.service.reading() as session:
            return [stored_id(game) for game, _seat in self.own_seats(session)
                    if game.paused is not None]

    def acts(self, game_id: int) -> bool:
        """Answer a game's question; False if it asks nothing (any more)."""
        with self.world.service.reading() as session:
            game = session.get_one(Game, game_id)
            seat = next((seat for row, seat in self.own_seats(session) if row.id == game_id), None)
            if seat is None or seat.asked_since is None or seat.number is None:
                return False
            lines = self.chooses(session, game, seat)
            seen = game.last_entry
        if self.habit == "by mail" and game_id in self.letters:
            return self.writes(game_id, lines)
        return self.sends(game_id, seat, lines, seen)

    def chooses(self, session: Session, game: Game, seat: SeatRow) -> list[str]:
        """What he answers, and now and then something for later."""
        world, table = self.world, positions.table(session, game)
        assert seat.number is not None
        whim = Stream(b"year", f"{world.dice.random()}")
        kind = "steady" if world.chance(0.2) else "random"
        moves = bots.choose(table.rules, table.state, seat.number, kind, whim)
        lines = [table.rules.to_text(move) for move in moves]
        if world.chance(0.06):
            view = table.rules.observation(table.state, seat.number)
            examples = table.rules.orders_ahead.examples(view, seat.number)
            lines += [f"later: {each.line}" for each in examples[:1]]
        return lines

    def sends(self, game_id: int, seat: SeatRow, lines: list[str], seen: int) -> bool:
        """By the page: pressed once, or by who is eager several times."""
        self.sent += 1
        orders, key = "; ".join(lines), f"{self.id}-{self.sent}"
        times = 3 if self.habit == "eager" else 1
        done = [self.presses(seat, orders, seen, key) for _ in range(times)]
        self.world.tally["orders"] += done[0]
        if self.habit == "eager" and done[0]:
            # The page that he had before is still open in another window.
            stale = self.presses(seat, orders, seen, f"{key}-stale")
            self.world.tally["stale_played" if stale else "stale_refused"] += 1
        return done[0]

    def presses(self, seat: SeatRow, orders: str, seen: int, key: str) -> bool:
        """Send a form; False: it was refused."""
        service = self.world.service
        with service.writing() as session, service.reading() as reading:
            row = session.get_one(SeatRow, seat.id)
            try:
                submit.record(session, row, orders, seen=seen, source="page", key=key,
                              now=self.world.now, enqueue=lambda _: None, reading=reading)
            except MoveRefused:
                session.rollback()
                return False
        self.world.enqueue(seat.game_id)
        return True

    def writes(self, game_id: int, lines: list[str]) -> bool:
        """By mail: an answer to the newest letter of the game. What comes next is told by one."""
        self.sent += 1
        letter, to = EmailMessage(), self.letters[game_id]
        letter["From"], letter["To"], letter["Subject"] = self.address, to, "Re: your turn"
        letter["Message-ID"] = f"<{self.sent}.{self.id}@players.example>"
        letter.set_content("\n".join(lines) + "\n")
        raw = letter.as_bytes().replace(b"\n", b"\r\n")
        inbound = store.store(self.world.service, Envelope(self.address, to, "smtp"), raw)
        tasks.inbox(inbound)
        if self.world.chance(0.05):  # his server sends it twice
            store.store(self.world.service, Envelope(self.address, to, "smtp"), raw)
        self.world.tally["mails_in"] += 1
        del self.letters[game_id]
        return False

    def votes(self, game_id: int) -> None:
        """Say something about who is missed."""
        service, dice = self.world.service, self.world.dice
        with service.writing() as session:
            row = session.get_one(Game, game_id)
            found = votes.ballot(session, row, session.exec(positions.seats_of(row)).all())
            if found is None:
                return
            said = dice.choice([each for each in found.choices if each != votes.CANCEL])
            tried(lambda: votes.answer(session, game_id, self.id, self.world.now,
                                       seat=found.absent.seat, said=said,
                                       letter_delay=self.world.usual))
            self.world.tally["votes"] += 1

    def sits_down(self, invitation_id: int) -> None:
        """Take over a seat that was offered."""
        with self.world.service.writing() as session:
            person = session.get_one(Person, self.id)
            invitation = session.get_one(Invitation, invitation_id)
            if tried(lambda: invitations.accept(
                    session, invitation=invitation, person=person, phrase="", now=self.world.now,
                    letter_delay=self.world.usual)):
                session.commit()
                self.world.tally["seats_taken"] += 1

    def whims(self) -> None:
        """What people do beside playing: rarely each."""
        world, dice = self.world, self.world.dice
        with world.service.reading() as session:
            games = [stored_id(game) for game, _seat in self.own_seats(session)]
        if world.chance(0.004):
            days = dice.randint(2, 9)
            with world.service.writing() as session:
                person = session.get_one(Person, self.id)
                if tried(lambda: vacation.announce(session, person, days, world.now)):
                    session.commit()
                    self.away = world.now + days * DAY
                    world.tally["vacations"] += 1
        for game_id in games:
            if world.chance(0.02):
                self.takes_back(game_id)
            if world.chance(0.01):
                self.proposes(game_id)
            self.answers_proposal(game_id)
            if world.chance(0.0015):
                leave = seats.hand_over if world.chance(0.7) else seats.resign
                with world.service.writing() as session:
                    tried(lambda: leave(session, game_id, self.id, world.now,  # noqa: B023
                                        letter_delay=world.usual))
                world.tally["left"] += 1

    def takes_back(self, game_id: int) -> None:
        with self.world.service.writing() as session:
            done = tried(lambda: undo.undo(session, game_id, self.id, self.world.now,
                                           letter_delay=self.world.usual))
        self.world.tally["taken_back"] += done

    def proposes(self, game_id: int) -> None:
        """Ask all to go back a little."""
        with self.world.service.writing() as session:
            row = session.get_one(Game, game_id)
            found = list(itertools.islice(consent.offered(session, row, None), 4))
            if found:
                first = found[-1].number
                tried(lambda: consent.propose(session, game_id, self.id, self.world.now,
                                              first=first, letter_delay=self.world.usual))

    def answers_proposal(self, game_id: int) -> None:
        with self.world.service.writing() as session:
            found = consent.open_now(session, session.get_one(Game, game_id), self.world.now)
            if found is None or self.id in found.answers:
                return
            agrees = self.world.chance(0.8)
            done = tried(lambda: consent.answer(
                session, game_id, self.id, self.world.now, proposal=found.id, agrees=agrees,
                letter_delay=self.world.usual))
            self.world.tally["answers_to_proposals"] += done


def tried(do: Any) -> bool:
    """Whether it was done, or refused."""
    try:
        do()
    except (TableRefused, LobbyRefused):
        return False
    return True


# ---- who there is, and what they play -----------------------------------------------------------

FIRST = ("Bra", "Cle", "Dor", "Fen", "Gus", "Hil", "Jov", "Kas", "Lud", "Mor", "Nik", "Pax")
SECOND = ("bert", "dina", "fried", "hard", "linde", "mund", "nata", "ra", "tild", "wyn")


def people(world: World, number: int, ends: datetime) -> list[Player]:
    """Made-up people of all habits; a quarter would take over seats."""
    dice, made = world.dice, []
    names = [one + two for one in FIRST for two in SECOND]
    begins = world.now
    with world.service.writing() as session:
        for name in dice.sample(names, number):
            habit = HABITS[len(made) % len(HABITS)]
            wish = None if habit == "by mail" else dice.choice(WISHES)
            zone = ZONES[len(made) % len(ZONES)]
            person = Person(
                name=name, address=f"{name.lower()}@players.example", created=world.now,
                language=dice.choice(LANGUAGES), zone=zone, letters=wish,
                awake=dice.choice(AWAKE))
            session.add(person)
            session.flush()
            if dice.random() < 0.25:
                substitutes.set_games(session, person, {"goa", "vasco-da-gama"}, world.now)
            gone = begins + (ends - begins) * dice.uniform(0.15, 0.7)
            made.append(Player(world, stored_id(person), name, person.address, habit, wish,
                               ZoneInfo(zone), gone if habit == "vanishing" else None))
        session.commit()
    by_address = {player.address: player for player in made}
    world.hear.append(lambda letter, _raw: by_address[letter.address].hears(letter))
    for player in made:
        world.plan(world.now + dice.uniform(0, 9) * DAY, player.looks_by_himself)
    return made


def opens(world: World, players: list[Player], kind: dict[str, Any], sets: dict[str, str]) -> None:
    """A game of some of them, begun when the last sits down."""
    dice = world.dice
    reliable = [each for each in players if each.vanishes is None]
    at_table = dice.sample(reliable if kind["clock"] == "none" else players, kind["seats"])
    with world.service.writing() as session:
        host, *guests = [session.get_one(Person, player.id) for player in at_table]
        game = lobby.open_game(
            session, host=host, game_key=kind["game"], title="", seats=kind["seats"],
            chosen_order=world.chance(0.5), private=world.chance(0.3),
            components=sets.get(kind["game"]) if kind["short"] else None, phrase="", open_days=30,
            now=world.now, terms=terms.read(kind["clock"], kind["at_zero"], "50 10"))
        # Of the seed alone, so that a game that went wrong can be seen again.
        game.server_part = bytes(dice.randrange(256) for _ in range(32))
        game.commitment = commitment_of(game.server_part)
        with_bot = kind["seats"] > 2 and world.chance(0.15)
        for guest in guests[: -1 if with_bot else None]:
            lobby.join(session, game_id=stored_id(game), person=guest, phrase="", now=world.now,
                       letter_delay=world.usual)
        if with_bot:
            lobby.add_bot(session, game_id=stored_id(game), host=host, kind="random",
                          now=world.now, letter_delay=world.usual)
        session.commit()
    world.tally["games"] += 1
