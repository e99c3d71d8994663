"""What happens when a clock is at zero, and the sweep that looks for it.

Whatever a player has sent before the sweep comes to his game counts, though his clock may have
been at zero for some seconds by then: a late worker must not cost anybody a move, and nobody is
wronged by an answer that is there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from engine import play
from pbem.clocks import rules
from pbem.models import GameState, Person, SeatRow
from pbem.play import advance, deadlines, outages, seat_history, stuck, upkeep
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.service import Service
from pbem.tables import consent, votes
from pbem.timeouts import outage_detection, reminders, watchdog

log = logging.getLogger("carreira.clocks")

MOST = 200  # games of one sweep; the next one comes soon
Work = Callable[[Session, int], set[int]]


# ---- the sweep ----------------------------------------------------------------------------------


def sweep(service: Service) -> set[int]:
    """Whatever clocks make due: outages, games at zero, votes, reminders; letters that may leave.

    Each game in a transaction of its own: one that cannot be dealt with holds up no other.
    """
    now, delay = service.clock.now(), timedelta(seconds=service.settings.letter_delay)
    with service.writing() as session:
        ahead = outage_detection.is_in_future(upkeep.last_heartbeat(session, outages.NAME), now)
        anew = outage_detection.correct_future_rows(session, now) if ahead else []
        outage_detection.notice(session, now)
        session.commit()
    for game_id in anew:
        done_or_reported(service, lambda session, game: remind_in(session, game, now), game_id)
    with service.reading() as session:
        resting = stuck.resting(session, now)
        back = outage_detection.owed(session)
        late = at_zero(session, now)
        undecided = votes.overdue(session, now)
        remind = reminders.due(session, now)
    letters: set[int] = set()
    steps: list[tuple[Work, list[int]]] = [
        (lambda session, game: give_back(session, game, now), back),
        (lambda session, game: expire(session, game, now, letter_delay=delay), late),
        (lambda session, game: votes.close_overdue(session, game, now, letter_delay=delay),
         undecided),
        (lambda session, game: remind_in(session, game, now), remind),
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
    """One game's turn in a sweep, whatever is wrong with it."""
    try:
        with service.writing() as session:
            return work(session, game_id)
    except TableRefused as refused:
        log.error("Game %s stands still: %s", game_id, refused.said("en"))
        with service.writing() as session:
            stuck.note(session, game_id, refused.key, service.clock.now())
        return set()
    except Exception as problem:  # the edge of one game
        log.exception("The clocks of game %s cannot be seen to.", game_id)
        stuck.note_fault(service, game_id, problem)
        return set()


def at_zero(session: Session, now: datetime) -> list[int]:
    """Games in which a clock is at zero, by an index; the one that waits longest first."""
    over = select(SeatRow.game_id).where(col(SeatRow.due) <= now).order_by(col(SeatRow.due))
    return list(dict.fromkeys(session.exec(over)))


# ---- one game -----------------------------------------------------------------------------------


def expire(
    session: Session, game_id: int, now: datetime, *, letter_delay: timedelta = timedelta(0)
) -> set[int]:
    """Do what a game does at zero, for each seat that is, and commit; the letters that are due.

    Orders that wait are played first. Run twice, or for nothing, it changes nothing.
    """
    writer = Writer.locked(session, game_id, now)
    if writer is None or not is_timed(writer):
        session.rollback()
        return set()
    people = advance.people_of(session, writer.seats)
    letters = advance.play_pending(writer, people)
    deadlines.update_clocks(session, writer.row, writer.seats, people, now)
    while (seat := first_late(writer)) is not None:
        letters |= time_is_over(writer, people, seat, letter_delay)
        advance.play_automatic(writer, people)
        writer.flush()
        deadlines.update_clocks(session, writer.row, writer.seats, people, now)
    letters |= consent.carry_out_after_leaving(writer, people)
    letters |= advance.settle(writer, people, letter_delay)
    stuck.forget(writer.row)
    session.commit()
    return letters


def is_timed(writer: Writer) -> bool:
    """Whether clocks run in this game."""
    row = writer.row
    return row.state == GameState.RUNNING and row.clock != rules.NO_CLOCK.stored


def first_late(writer: Writer) -> SeatRow | None:
    """The seat that has been at zero for longest, if any is."""
    if writer.is_over:
        return None
    late = [seat for seat in writer.seats if seat.due is not None and seat.due <= writer.now]
    return min(late, key=lambda seat: (seat.due, seat.number), default=None)


def time_is_over(
    writer: Writer, people: dict[int, Person], seat: SeatRow, delay: timedelta
) -> set[int]:
    """The note, and what the game does at zero; whoever was at the table before is told."""
    number = seat.number or 0
    told = [
        people[each.person_id] for each in writer.seats
        if each.resigned is None and people[each.person_id].bot is None
    ]
    entry = writer.note(number, cause="overtime")
    letters: set[int] = set()
    kind = "overtime"
    if writer.row.at_zero == "vote":
        letters |= votes.open_vote_about(writer, number)
        told = [people[seat.person_id]]  # the others are asked, and told so by that letter
    elif writer.row.at_zero == "default":
        play_mildest(writer, seat)
    if seat.resigned is None and is_dropped(writer, seat):
        filler = seat_history.filler_of(writer.row)
        letters |= seat_history.vacate(writer, number, "dropped", filler)
    if seat.resigned is not None:
        kind = "dropped"
    due = {advance.due_letter(writer, each, kind, entry, usual=delay) for each in told}
    return letters | {letter for letter in due if letter is not None}


def play_mildest(writer: Writer, seat: SeatRow) -> None:
    """The mildest move for who did not answer, which counts as a miss."""
    number = seat.number or 0
    move = writer.rules.default_action(writer.state, number)
    turn = play.move(writer.rules, writer.state, number, move, writer.stream())
    writer.append(number, move, turn, cause="default")
    seat.misses += 1


def is_dropped(writer: Writer, seat: SeatRow) -> bool:
    """Whether a seat loses its player: at once, or after so many misses in a row."""
    if writer.is_over:
        return False
    return writer.row.at_zero == "bot" or seat.misses >= rules.MISSES


def give_back(session: Session, game_id: int, now: datetime) -> set[int]:
    """Note in a game's log what outages its clocks got back, and commit."""
    writer = Writer.locked(session, game_id, now)
    if writer is None or not is_timed(writer):
        session.rollback()
        return set()
    people = advance.people_of(session, writer.seats)
    seconds = outage_detection.given(session, writer.row, writer.seats)
    if seconds:
        writer.note(None, cause="outage", said={"seconds": seconds})
        log.info("Game %s has got the time of an outage back.", game_id)
    writer.row.outage = outage_detection.newest_end(session)
    writer.flush()
    session.add(writer.row)
    deadlines.update_clocks(session, writer.row, writer.seats, people, now)
    session.commit()
    return set()


def remind_in(session: Session, game_id: int, now: datetime) -> set[int]:
    """Make the reminders of a game due that are, and commit."""
    writer = Writer.locked(session, game_id, now)
    if writer is None or not is_timed(writer):
        session.rollback()
        return set()
    people = advance.people_of(session, writer.seats)
    deadlines.update_clocks(session, writer.row, writer.seats, people, now)
    letters = reminders.remind(writer, people)
    session.commit()
    return letters
