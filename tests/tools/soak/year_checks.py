"""What must hold in a year: of every letter, every clock, every question and every record."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session, select

from pbem.clocks import rules
from pbem.models import Entry, Game, GameState, Outbox, Person, SeatRow, Vacation, stored_id
from pbem.play import positions
from pbem.record import export
from pbem.record.verify import verify
from tests.tools.soak.year_world import SERVICE, Delivered, World

GRACE = timedelta(seconds=60)
SLACK = timedelta(seconds=40)  # two sweeps, and what the people in between take
BACKOFF = timedelta(hours=6)  # the longest that a letter waits for its next try
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
FAULTS = ("wrong", "late", "lost", "doubled", "negative", "early_zero", "late_zero", "unended",
          "unverified", "stale_played", "raised")  # fmt: skip


@dataclass
class Question:
    """A question that was put to a person, and what became of it."""

    game: int
    seat: int
    person: int
    entry: int
    opened: datetime
    clock: str
    wish: str | None
    zone: str
    closed: datetime | None = None
    told: datetime | None = None


@dataclass
class Checks:
    """Looks on, and counts what is wrong; `said` names the first of each kind."""

    world: World
    found: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)
    open: dict[tuple[int, int], Question] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    times: Counter[tuple[str, ...]] = field(default_factory=Counter)
    latest: timedelta = timedelta(0)
    ended: set[int] = field(default_factory=set)
    decisions: Counter[str] = field(default_factory=Counter)

    def fault(self, kind: str, what: str) -> None:
        """Count it, and say what it was."""
        self.found[kind] += 1
        if self.found[kind] <= 5:
            self.said.append(f"{kind}: {what} ({self.world.now})")
            sys.stdout.write(self.said[-1] + "\n")  # at once: a whole year takes long
            sys.stdout.flush()

    # ---- letters

    def letter(self, got: Delivered, raw: bytes) -> None:
        """A letter that has arrived: true at this instant, of the present entry, the first one."""
        self.look()  # what asks may have been put within this very event
        self.times["id", got.message_id] += 1
        if not got.rows:
            self.fault("wrong", f"{got.message_id} has no row")
        with self.world.service.reading() as session:
            for row in got.rows:
                self.times[row.person_id, row.kind, row.game_id, row.dedup_key] += 1
            whys = [why for row in got.rows if (why := self.wrong_in(session, row, got))]
        # One of several games that no server took is sent as it was while one of them still waits.
        if whys and got.rows[0].attempts > 1 and len(whys) < len(got.rows):
            self.world.tally["tried_again_for_some"] += 1
        else:
            for why in whys:
                self.fault("wrong", why)

    def wrong_in(self, session: Session, row: Outbox, got: Delivered) -> str:
        """What is wrong with what a letter tells by one of its rows; "" if nothing is."""
        person = session.get(Person, row.person_id) if row.person_id else None
        if person is None or person.address != got.address:
            return f"{got.message_id} went to {got.address}"
        game = session.get(Game, row.game_id) if row.game_id else None
        if game is None:
            return ""
        at = select(SeatRow).where(SeatRow.game_id == game.id, SeatRow.person_id == person.id)
        seat = session.exec(at).first()
        why = self.untrue(session, row, game, seat, tries=got.rows[0].attempts)
        question = self.open.get((stored_id(game), -1 if seat is None else seat.number or 0))
        if question is not None and row.kind in ("turn", "receipt") and question.told is None:
            question.told = self.world.now
            self.on_time(question, row)
        return why and f"{row.kind} {row.entry} of game {game.id}: {why}"

    def untrue(
        self, session: Session, row: Outbox, game: Game, seat: SeatRow | None, *, tries: int
    ) -> str:
        """Why a letter is wrong, by the game's rules and log alone; "" if it is right."""
        if row.kind in ("turn", "reminder"):
            table = positions.table(session, game)
            if seat is None or seat.resigned is not None or game.state != GameState.RUNNING:
                return "nobody is asked"
            if seat.number not in table.rules.current_players(table.state):
                return "somebody else is asked"
            if row.kind == "turn" and row.entry != seat.asked_since:
                return f"it asks what entry {seat.asked_since} asks anew"
            is_older = row.shown is not None and row.shown != game.last_entry
            # The same letter once more, since no server took it before, shows what it showed.
            self.world.tally["tried_again"] += is_older and tries > 1
            return f"it shows {row.shown} of {game.last_entry}" if is_older and tries == 1 else ""
        stands = {"started": GameState.RUNNING, "finished": GameState.FINISHED}.get(row.kind)
        return "" if stands is None or game.state == stands else f"the game is {game.state}"

    def on_time(self, question: Question, row: Outbox) -> None:
        """Whether a turn's letter came as its reader wishes."""
        if question.told is None or row.kind == "receipt":
            return
        due = max(wished(question, self.world.usual), row.created)
        out = self.out(question.opened, question.told)
        late = question.told - due
        if not out:
            self.latest = max(self.latest, late)
        if late > SLACK + out + (BACKOFF if out else timedelta(0)):
            self.fault("late", f"game {question.game} entry {question.entry}: {late}, {question}")

    def out(self, begins: datetime, ends: datetime) -> timedelta:
        """How long outages lasted between two instants."""
        return sum((max(timedelta(0), min(ends, each.ends) - max(begins, each.begins))
                    for each in self.world.outages), timedelta(0))

    # ---- games

    def look(self) -> None:
        """What has changed since the last event."""
        with self.world.service.reading() as session:
            changed = [(game, state, last) for game, state, last in session.exec(
                select(Game.id, Game.state, Game.last_entry).where(Game.state != GameState.OPEN))
                if self.seen.get(game or 0) != last or (state != GameState.RUNNING
                                                        and game not in self.ended)]
            for number, _state, last in changed:
                game = session.get_one(Game, number)
                before, self.seen[stored_id(game)] = self.seen.get(stored_id(game), 0), last
                self.notes(session, game, before)
                self.seats(session, game)
                if game.state != GameState.RUNNING:
                    self.over(session, game)

    def seats(self, session: Session, game: Game) -> None:
        """Questions that open and close, and what the clocks show."""
        now, number = self.world.now, stored_id(game)
        people = {seat.person_id: session.get_one(Person, seat.person_id)
                  for seat in session.exec(positions.seats_of(game))}
        for seat in session.exec(positions.seats_of(game)):
            place = number, seat.number or 0
            if (seat.clock_left or 0) < 0 or (
                    seat.due is not None and seat.due < now - SLACK and not self.out(
                        seat.due, now)):
                self.fault("negative", f"game {number} seat {seat.number}: {seat.due}")
            person, known = people[seat.person_id], self.open.get(place)
            is_asked = (seat.asked_since is not None and seat.resigned is None
                        and person.bot is None and game.state == GameState.RUNNING)
            same = known is not None and is_asked and (known.entry, known.person) == (
                seat.asked_since, seat.person_id)
            if known is not None and not same:
                known.closed = now
                del self.open[place]
            if is_asked and not same:
                self.open[place] = Question(
                    number, seat.number or 0, seat.person_id, seat.asked_since or 0, now,
                    game.clock, seat.letters or person.letters, person.zone)
                self.questions.append(self.open[place])

    def notes(self, session: Session, game: Game, before: int) -> None:
        """What has run out, against the time that its player has really had."""
        new = select(Entry).where(Entry.game_id == game.id, Entry.number > before)
        for entry in session.exec(new):
            self.decisions[entry.cause] += 1
            question = self.open.get((stored_id(game), -1 if entry.seat is None else entry.seat))
            if entry.cause != "overtime" or question is None or not game.clock.startswith("each"):
                continue
            had = had_time(session, self.world, question, entry.at, is_awake="awake" in game.clock)
            given = timedelta(hours=rules.read(game.clock).hours)
            out = self.out(question.opened, entry.at)
            if had < given - 2 * MINUTE and not took_back(session, game, question):
                self.fault("early_zero", f"game {game.id} entry {entry.number}: {had} of {given}")
            # Mail that is back has waited for its next try: that is given back as well.
            out += BACKOFF if out else timedelta(0)
            if had > given + out + SLACK + 2 * MINUTE and not reopened(session, game, question):
                self.fault("late_zero", f"game {game.id} entry {entry.number}: {had} of {given}")

    def over(self, session: Session, game: Game) -> None:
        """A game that has ended: its record."""
        if game.id in self.ended:
            return
        self.ended.add(stored_id(game))
        if game.state == GameState.FINISHED:
            verdict = verify(export.record_lines(session, game))
            if not verdict.ok:
                self.fault("unverified", f"game {game.id}: {verdict.at} {verdict.reason}")

    # ---- at the end

    def close(self) -> None:
        """What can be told once all is over."""
        for what, times in self.times.items():
            if times > 1:
                self.fault("doubled", f"{what}: {times}")
        for question in self.questions:
            self.was_told(question)
        with self.world.service.reading() as session:
            running = session.exec(select(Game.id).where(Game.state == GameState.RUNNING)).all()
            for number in running:
                self.fault("unended", f"game {number}")
            for game in session.exec(select(Game).where(Game.state == GameState.FINISHED)):
                self.ends_told(session, game)

    def was_told(self, question: Question) -> None:
        """Whoever was asked for longer than his letter takes has got it."""
        closed = question.closed or self.world.now
        if question.told is not None or question.wish == "none":
            return
        out = self.out(question.opened, closed)
        due = wished(question, self.world.usual) + SLACK + out + (BACKOFF if out else GRACE)
        if closed > due:
            self.fault("lost", f"{question}")

    def ends_told(self, session: Session, game: Game) -> None:
        """Everybody who sat there at the end, and wants letters, has read of it once."""
        for seat in session.exec(positions.seats_of(game)):
            person = session.get_one(Person, seat.person_id)
            wish = seat.letters or person.letters
            if person.bot is not None or wish == "none" or seat.left is not None:
                continue
            what = (person.id, "finished", game.id)
            settled = (game.ended or self.world.now) + 2 * GRACE < self.world.now
            if settled and not any(key[:3] == what for key in self.times):
                self.fault("lost", f"finished of game {game.id} to {person.name}")


def wished(question: Question, usual: timedelta) -> datetime:
    """When a turn's letter is wanted, worked out the long way."""
    how, _, number = (question.wish or "usual").partition(" ")
    if how == "digest":
        at, zone = question.opened.replace(second=0, microsecond=0), ZoneInfo(question.zone)
        for _ in range(50 * 60):
            there = at.astimezone(zone)
            if (there.hour, there.minute) == (int(number), 0) and at >= question.opened:
                return at
            at += MINUTE
    minutes = {"at_once": timedelta(0), "after": timedelta(minutes=int(number or 0))}
    return question.opened + max(minutes.get(how, usual), GRACE)


def had_time(
    session: Session, world: World, question: Question, until: datetime, *, is_awake: bool
) -> timedelta:
    """What somebody has had of a decision, minute by minute: awake, not away, the service there.

    Time in which no mail left counts for who knew already that he was asked.
    """
    person = session.get_one(Person, question.person)
    hours = rules.read_awake(person) if is_awake else None
    away = session.exec(select(Vacation).where(Vacation.person_id == person.id)).all()
    zone, at, had = ZoneInfo(person.zone), question.opened, timedelta(0)
    while at < until:
        counts = not any(each.begins <= at < each.ends for each in away)
        counts = counts and world.out(at, SERVICE) is None
        counts = counts and (hours is None or is_hour_of(person, at.astimezone(zone)))
        had += min(MINUTE, until - at) if counts else timedelta(0)
        at += MINUTE
    return had


def is_hour_of(person: Person, there: datetime) -> bool:
    """Whether somebody's time counts at a local time, read off his row's text."""
    hours, _, days = (person.awake or "0-24 1234567").partition(" ")
    first, last = (int(each) for each in hours.split("-"))
    day = there
    if last <= first and there.hour < last:  # it began the evening before
        day = there - timedelta(days=1)
    inside = first <= there.hour < last if first < last else (
        there.hour >= first or there.hour < last)
    return inside and str(day.isoweekday()) in days


def took_back(session: Session, game: Game, question: Question) -> bool:
    """Whether its player had taken orders back since another acted: he goes on with his time."""
    before = session.exec(
        select(Entry.cause, Entry.seat).where(
            Entry.game_id == game.id, Entry.number <= question.entry)
        .order_by(Entry.number.desc()))  # type: ignore[attr-defined]
    for cause, seat in before:
        if cause == "undo" and seat == question.seat:
            return True
        if cause in ("order", "standing") and seat != question.seat:
            return False
    return False


def reopened(session: Session, game: Game, question: Question) -> bool:
    """Whether a vote gave its player the time anew, or all clocks stood meanwhile."""
    notes = select(Entry.number).where(
        Entry.game_id == game.id, Entry.number > question.entry,
        Entry.cause.in_(("pause", "resume", "seated")))  # type: ignore[attr-defined]
    return session.exec(notes).first() is not None
