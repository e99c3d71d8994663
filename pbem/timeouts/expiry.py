"""The sweep of all clocks: timeouts, votes, reminders and outages.

Orders that a player sent before the sweep reaches their game count, even seconds after their clock
ran out: a late worker must not cost anybody a move.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from engine import play
from pbem.accounts import web_hooks
from pbem.clocks import rules
from pbem.mail import preferences, queue
from pbem.models import Entry, GameState, Person, SeatRow
from pbem.play import advance, deadlines, outages, seat_history, stuck, submit, upkeep
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.service import Service
from pbem.tables import consent, votes
from pbem.timeouts import outage_detection, watchdog

log = logging.getLogger("carreira.clocks")

REMINDER = "reminder"  # the kind of letter

MOST = 200  # games of one sweep; the next one comes soon
Work = Callable[[Session, int], set[int]]


# ---- the sweep ----------------------------------------------------------------------------------


def sweep(service: Service) -> set[int]:
    """Do what clocks make due in all games; the letters that may be sent now.

    Each game has its own transaction, so that one game's fault does not stop the others.
    """
    now, delay = service.clock.now(), timedelta(seconds=service.settings.letter_delay)
    with service.writing() as session:
        ahead = outage_detection.is_in_future(upkeep.last_heartbeat(session, outages.NAME), now)
        redated = outage_detection.correct_future_rows(session, now) if ahead else []
        outage_detection.notice(session, now)
        session.commit()
    for game_id in redated:
        done_or_reported(
            service, lambda session, game: queue_reminders(session, game, now), game_id)
    with service.reading() as session:
        resting = stuck.resting(session, now)
        back = outage_detection.games_to_note(session)
        late = games_at_zero(session, now)
        undecided = votes.overdue(session, now)
        remind = games_to_remind(session, now)
    letters: set[int] = set()
    steps: list[tuple[Work, list[int]]] = [
        (lambda session, game: note_outages(session, game, now), back),
        (lambda session, game: expire(session, game, now, letter_delay=delay), late),
        (lambda session, game: votes.close_overdue(session, game, now, letter_delay=delay),
         undecided),
        (lambda session, game: queue_reminders(session, game, now), remind),
    ]  # fmt: skip
    for work, games in steps:
        for game_id in [each for each in games if each not in resting][:MOST]:
            letters |= done_or_reported(service, work, game_id)
    with service.writing() as session:
        if watchdog.is_time(session, now):
            watchdog.report(session, now)
        session.commit()
    return letters


def done_or_reported(service: Service, work: Work, game_id: int) -> set[int]:
    """Do one game's work; note the game as stuck if that fails."""
    try:
        with service.writing() as session:
            return work(session, game_id)
    except TableRefused as refused:
        log.error("Game %s stands still: %s", game_id, refused.said("en"))
        with service.writing() as session:
            stuck.note(session, game_id, refused.key, service.clock.now())
        return set()
    except Exception as problem:  # one game's fault does not stop the others
        log.exception("The clocks of game %s cannot be seen to.", game_id)
        stuck.note_fault(service, game_id, problem)
        return set()


def games_at_zero(session: Session, now: datetime) -> list[int]:
    """Games in which a clock has run out, the longest first; read by an index."""
    over = select(SeatRow.game_id).where(col(SeatRow.due) <= now).order_by(col(SeatRow.due))
    return list(dict.fromkeys(session.exec(over)))


# ---- one game -----------------------------------------------------------------------------------


def expire(
    session: Session, game_id: int, now: datetime, *, letter_delay: timedelta = timedelta(0)
) -> set[int]:
    """Carry out a game's timeouts and commit; the letters that became due.

    Pending orders are played first. Idempotent.
    """
    writer = Writer.locked(session, game_id, now)
    if writer is None or not is_timed(writer):
        session.rollback()
        return set()
    people = writer.people
    letters = advance.play_pending(writer, people)
    deadlines.update_clocks(session, writer.row, writer.seats, people, now)
    while (seat := first_late(writer)) is not None:
        letters |= time_out(writer, people, seat, letter_delay)
        advance.play_automatic(writer, people)
        writer.flush()
        deadlines.update_clocks(session, writer.row, writer.seats, people, now)
    letters |= consent.carry_out_after_leaving(writer, people)
    letters |= advance.settle(writer, people, letter_delay)
    if writer.row.failed is not None:
        stuck.forget(writer.row)
    session.commit()
    return letters


def is_timed(writer: Writer) -> bool:
    """Whether clocks run in this game."""
    row = writer.row
    return row.state == GameState.RUNNING and row.clock != rules.NO_CLOCK.stored


def first_late(writer: Writer) -> SeatRow | None:
    """The seat whose clock ran out first, if any has."""
    if writer.is_over:
        return None
    late = [seat for seat in writer.seats if seat.due is not None and seat.due <= writer.now]
    return min(late, key=lambda seat: (seat.due, seat.number), default=None)


def time_out(
    writer: Writer, people: dict[int, Person], seat: SeatRow, delay: timedelta
) -> set[int]:
    """Note a timeout, do what the game's terms say, and tell all who were at the table."""
    number = seat.number or 0
    told = [
        people[each.person_id] for each in writer.seats
        if each.resigned is None and people[each.person_id].bot is None
    ]
    entry = writer.note(number, cause="overtime")
    letters: set[int] = set()
    kind, usual = "overtime", delay
    if writer.row.at_zero == "vote":
        letters |= votes.open_vote_about(writer, number)
        told = [people[seat.person_id]]  # the others' letter about the vote tells them
    elif writer.row.at_zero == "default":
        play_default(writer, seat)
    if seat.resigned is None and is_dropped(writer, seat):
        filler = seat_history.filler_of(writer.row)
        letters |= seat_history.vacate(writer, number, "dropped", filler)
    if seat.resigned is not None:
        kind, usual = "dropped", timedelta(0)
    due = {advance.due_letter(writer, each, kind, entry, usual=usual) for each in told}
    return letters | {letter for letter in due if letter is not None}


def play_default(writer: Writer, seat: SeatRow) -> None:
    """Play the default move for a player who did not answer; it counts as a miss."""
    number = seat.number or 0
    move = writer.rules.default_action(writer.state, number)
    turn = play.move(writer.rules, writer.state, number, move, writer.stream())
    writer.append(number, move, turn, cause="default")
    seat.misses += 1


def is_dropped(writer: Writer, seat: SeatRow) -> bool:
    """Whether the seat loses its player: at once, or after too many misses in a row."""
    if writer.is_over:
        return False
    return writer.row.at_zero == "bot" or seat.misses >= rules.MISSES


def note_outages(session: Session, game_id: int, now: datetime) -> set[int]:
    """Note in a game's log the time that outages gave back, and commit."""
    writer = Writer.locked(session, game_id, now)
    if writer is None or not is_timed(writer):
        session.rollback()
        return set()
    people = writer.people
    seconds = outage_detection.seconds_given_back(session, writer.row, writer.seats)
    if seconds:
        writer.note(None, cause="outage", said={"seconds": seconds})
        log.info("Game %s has got the time of an outage back.", game_id)
    writer.row.outage = outage_detection.newest_end(session)
    writer.flush()
    session.add(writer.row)
    deadlines.update_clocks(session, writer.row, writer.seats, people, now)
    session.commit()
    return set()


def queue_reminders(session: Session, game_id: int, now: datetime) -> set[int]:
    """Queue a game's due reminders and commit."""
    writer = Writer.locked(session, game_id, now)
    if writer is None or not is_timed(writer):
        session.rollback()
        return set()
    people = writer.people
    deadlines.update_clocks(session, writer.row, writer.seats, people, now)
    letters = remind(writer, people)
    session.commit()
    return letters


# ---- reminders ----------------------------------------------------------------------------------


def games_to_remind(session: Session, now: datetime) -> list[int]:
    """Games with due reminders, read by an index."""
    found = select(SeatRow.game_id).where(col(SeatRow.remind_at) <= now)
    return list(dict.fromkeys(session.exec(found.order_by(col(SeatRow.remind_at)))))


def remind(writer: Writer, people: dict[int, Person]) -> set[int]:
    """Queue the reminders whose time has come; the ids of the letters. No commit.

    If a late sweep finds several, only the last one is sent. Players with pending orders get none.
    """
    letters: set[int] = set()
    for seat in writer.seats:
        if seat.remind_at is None or seat.remind_at > writer.now:
            continue
        part = None
        while seat.remind_at is not None and seat.remind_at <= writer.now:
            part = deadlines.reminders_of(writer.row, seat)[seat.reminded]
            seat.reminded += 1
            deadlines.update_clocks(writer.session, writer.row, [seat], people, writer.now)
        is_late = seat.due is None or seat.due <= writer.now
        if part is None or is_late or submit.pending_of(writer.session, seat):
            continue
        letter = queue_reminder(writer, people[seat.person_id], seat, part)
        letters |= set() if letter is None else {letter}
    return letters


def queue_reminder(writer: Writer, person: Person, seat: SeatRow, part: int) -> int | None:
    """Queue one reminder, once: the letter if it is wanted, and calls to the player's web hooks."""
    when = reminder_time(person, seat, writer.now)
    which = f"{part}{repetition(writer, seat)}"
    letter = queue.due(
        writer.session, person_id=person.id, kind=REMINDER, game_id=writer.game_id,
        entry=seat.asked_since, part=which, now=writer.now, not_before=when,
        unwanted=when is None,
    )
    web_hooks.due(writer.session, writer.game_id, f"{seat.asked_since}-{which}",
                  [seat.person_id], writer.now)
    return letter if when is not None else None


def repetition(writer: Writer, seat: SeatRow) -> str:
    """A suffix for reminders about a question whose player was given all their time again."""
    over = writer.session.exec(
        select(Entry.number).where(
            Entry.game_id == writer.game_id, Entry.cause == "overtime", Entry.seat == seat.number,
            Entry.number > (seat.asked_since or 0))).all()
    return f"-{len(over)}" if over else ""


def reminder_time(person: Person, seat: SeatRow, now: datetime) -> datetime | None:
    """When the reminder is sent, by its reader's preferences; None if they want none.

    At once, or at the hour of a daily letter if the deadline is later.
    """
    wish = preferences.wish_of(person, seat)
    if wish == preferences.NONE:
        return None
    if wish.how != "digest":
        return now
    hour = preferences.next_hour(now, wish.number, person.zone)
    is_in_time = seat.due is None or hour < seat.due - deadlines.LEAST
    return hour if is_in_time else now
