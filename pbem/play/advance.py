"""Advances games: turns pending orders, forced moves and bots' moves into entries, queues letters.

Only this module and those that hold its lock (`Writer.locked`) append to a game's log.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Container
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from engine import bots, play
from engine.errors import MoveRefused
from pbem.accounts import web_hooks
from pbem.i18n import words
from pbem.mail import preferences, queue
from pbem.models import PENDING, GameState, Person, SeatRow, Submission, SubmissionState
from pbem.play import (
    absences,
    behind_reveal,
    chance,
    deadlines,
    orders_ahead,
    positions,
    receipts,
    results,
    sent_orders,
    stuck,
    submit,
)
from pbem.play.log import MoveSource, Writer
from pbem.play.refusals import PositionMovedOn, TableRefused, stored

log = logging.getLogger("carreira.advance")


def people_of(session: Session, seats: list[SeatRow]) -> dict[int, Person]:
    """The people in these seats, by id."""
    ids = [seat.person_id for seat in seats]
    found = session.exec(select(Person).where(col(Person.id).in_(ids))).all()
    return {person.id or 0: person for person in found}


def advance(
    session: Session, game_id: int, now: datetime, *, letter_delay: timedelta = timedelta(0)
) -> set[int]:
    """Advance a game as far as it goes, and commit; return the letters that may be sent now.

    One transaction holds the game's row lock (on SQLite the database's write lock). Idempotent. A
    game whose rules this release does not have is noted as stuck.
    """
    try:
        writer = Writer.locked(session, game_id, now)
    except TableRefused as refused:
        log.error("Game %s stands still: %s", game_id, refused.said("en"))
        stuck.note(session, game_id, refused.key, now)
        return set()
    if writer is None or writer.row.state != GameState.RUNNING:
        session.rollback()
        return set()
    people = writer.people
    letters = play_pending(writer, people)
    letters |= settle(writer, people, letter_delay)
    if writer.row.failed is not None:
        stuck.forget(writer.row)
    session.commit()
    return letters - writer.later


def seat_of_person(writer: Writer | None, person_id: int) -> SeatRow:
    """A person's seat in a running game. Raises TableRefused (not_running, players_only)."""
    if writer is None or writer.row.state != GameState.RUNNING:
        raise TableRefused("not_running")
    for seat in writer.seats:
        if seat.person_id == person_id:
            return seat
    raise TableRefused("players_only")


def play_pending(writer: Writer, people: dict[int, Person]) -> set[int]:
    """Play the pending orders, each as far as it goes; return the letters that became due.

    Automatic moves after the last orders are left to `settle`.
    """
    letters: set[int] = set()
    waiting = pending(writer.session, writer.game_id)
    while waiting:
        submission = waiting.pop(0)
        letters |= play_submission(writer, people, submission)
        if waiting:
            play_automatic(writer, people, but={each.seat for each in waiting})
    return letters


def catch_up(writer: Writer, people: dict[int, Person]) -> set[int]:
    """Play the pending orders and the automatic moves that follow; return the letters."""
    letters = play_pending(writer, people)
    play_automatic(writer, people)
    return letters


def pending(session: Session, game_id: int) -> list[Submission]:
    """The game's pending submissions, oldest first."""
    waiting = select(Submission).where(Submission.game_id == game_id, Submission.state == PENDING)
    return list(session.exec(waiting.order_by(col(Submission.id))))


# ---- one player's orders ------------------------------------------------------------------------


def play_submission(
    writer: Writer, people: dict[int, Person], submission: Submission
) -> set[int]:
    """Play one submission as far as it goes; lines that cannot be played become a draft.

    The lines before the first reveal are played together or not at all, the lines after it one by
    one. Orders ahead (`later:`) were kept when the submission was recorded.
    """
    person = people.get(submission.person_id)
    if person is None or writer.seats[submission.seat].person_id != submission.person_id:
        return settle_submission(
            writer, submission, None, MoveRefused("seat_left", rule="orders"), submission.orders
        )
    language = words.aliases(writer.row.game, person.language)
    seat = writer.seats[submission.seat]
    orders = sent_orders.of(submission, writer.rules)
    now, text, later = sent_orders.split(orders, writer.row.game, person.language)
    if later and not now:
        return settle_submission(writer, submission, person, None, None)
    try:
        submit.check_seat(seat)
        attempt = play.try_orders(
            writer.rules, writer.state, submission.seat, now, language,
            ahead=positions.ahead_of(writer.rules, seat),
        )
    except MoveRefused as refused:
        return settle_submission(writer, submission, person, refused, text)
    if submit.is_stale(seat, submission.seen) and behind_reveal.answers_unseen(
        writer, submission, attempt
    ):
        unseen = PositionMovedOn("unseen_question", rule="orders")
        return settle_submission(writer, submission, person, unseen, text)
    first, source = writer.number + 1, MoveSource(submission.seat, "order", submission.id)
    writer.play_attempt(source, attempt)
    submission.first_entry = first
    why, draft = None, None
    if attempt.stopped:
        why, back = behind_reveal.play_lines(writer, source, attempt, aliases=language)
        draft = None if why is None else "\n".join(back)
    positions.store_ahead(seat, attempt.orders.outlasting(writer.state))
    return settle_submission(writer, submission, person, why, draft)


def settle_submission(
    writer: Writer,
    submission: Submission,
    person: Person | None,
    refused: MoveRefused | None,
    draft: str | None,
) -> set[int]:
    """Store the outcome of a submission; queue a letter if it came by mail or was refused."""
    played = submission.first_entry is not None
    done = played or refused is None
    submission.state = SubmissionState.PLAYED if done else SubmissionState.REFUSED
    submission.decided = writer.now
    submission.draft = draft
    if played:
        submission.last_entry = writer.seats[submission.seat].moved_at
    if refused is not None:
        submission.refusal = stored(refused, writer.rules)
    log.info("orders decided", extra={
        "game_id": submission.game_id, "submission_id": submission.id, "state": submission.state})
    if submission.source == "mail":
        letter = receipts.settled(writer.session, submission, writer.now)
    elif refused is None or person is None:
        return set()
    else:
        letter = due_letter(writer, person, "refused", about_id=submission.id)
    return set() if letter is None else {letter}


# ---- automatic moves ----------------------------------------------------------------------------


def play_automatic(writer: Writer, people: dict[int, Person], *, but: Container[int] = ()) -> None:
    """Play automatic moves until a person must decide or the game is over.

    `but`: seats whose pending orders come before their orders ahead.
    """
    while True:
        forced = play.forced(writer.rules, writer.state)
        if forced is not None:
            writer.play_forced(*forced)
        elif not (orders_ahead.play(writer, but=but) or play_for_vacated(writer)
                  or play_bot(writer, people)):
            return


def play_for_vacated(writer: Writer) -> bool:
    """Play one turn of the first vacated seat that must decide; False if there is none."""
    for seat in writer.rules.current_players(writer.state):
        row = writer.seats[seat]
        if row.resigned is None:
            continue
        if row.played_by is not None:
            play_turn(writer, seat, row.played_by)
            return True
        move = writer.rules.default_action(writer.state, seat)
        turn = play.move(writer.rules, writer.state, seat, move, writer.stream())
        writer.append(seat, move, turn, cause="default")
        return True
    return False


def play_bot(writer: Writer, people: dict[int, Person]) -> bool:
    """Play one turn of the first bot that must decide; False if there is none."""
    for seat in writer.rules.current_players(writer.state):
        kind = people[writer.seats[seat].person_id].bot
        if kind is not None:
            play_turn(writer, seat, kind)
            return True
    return False


def play_turn(writer: Writer, seat: int, kind: str) -> None:
    """Play one turn as a bot of this kind chooses it."""
    whim = chance.whim(writer.secret, writer.row.commitment, writer.state)
    for move in bots.choose(writer.rules, writer.state, seat, kind, whim):
        turn = play.move(writer.rules, writer.state, seat, move, writer.stream())
        writer.append(seat, move, turn, cause="bot")


def settle(writer: Writer, people: dict[int, Person], letter_delay: timedelta) -> set[int]:
    """Play automatic moves, end a finished game, update clocks, queue letters; no commit."""
    play_automatic(writer, people)
    if writer.row.paused is not None:
        absences.resume_if_back(writer, people)
    if writer.is_over:
        finish(writer)
    writer.flush()
    deadlines.update_clocks(writer.session, writer.row, writer.seats, people, writer.now)
    return letters_due(writer, people, letter_delay)


def finish(writer: Writer) -> None:
    """End the game: store places and points in the seats."""
    writer.row.state = GameState.FINISHED
    writer.row.ended = writer.now
    writer.flush()
    vacated = results.vacated_in(writer.session, writer.row)
    for result in results.placed(writer.rules.returns(writer.state), vacated):
        row = writer.seats[result.seat]
        row.place, row.points = result.place, result.points


def letters_due(writer: Writer, people: dict[int, Person], delay: timedelta) -> set[int]:
    """Queue a turn letter for each new question, or the final letter to everybody.

    Web hooks are called for new questions too, except where only one person plays: their own move
    asked them.
    """
    over = writer.row.state == GameState.FINISHED
    letters = set()
    asked: dict[int, list[int]] = defaultdict(list)
    for row in writer.seats:
        person = people[row.person_id]
        if over:
            letters.add(due_letter(writer, person, "finished", writer.number, usual=delay))
        elif row.asked_since is not None and row.resigned is None:
            letters.add(due_letter(writer, person, "turn", row.asked_since, usual=delay))
            asked[row.asked_since].append(row.person_id)
    here = [row for row in writer.seats
            if row.resigned is None and people[row.person_id].bot is None]
    for entry, who in asked.items() if writer.has_hooks and len(here) > 1 else ():
        web_hooks.due(writer.session, writer.game_id, entry, who, writer.now)
    return {letter for letter in letters if letter is not None}


def due_letter(
    writer: Writer,
    person: Person,
    kind: str,
    entry: int | None = None,
    *,
    about_id: int | None = None,
    usual: timedelta = timedelta(0),
) -> int | None:
    """Queue one letter about the game, if its reader wants that kind; bots get none.

    Return the row's id if the letter will be sent. An unwanted letter gets a row as well, so that
    its reader and operators can see it, but None is returned.
    """
    if person.bot is not None:
        return None
    seat = next((row for row in writer.seats if row.person_id == person.id), None)
    wish = preferences.wish_of(person, seat)
    not_before = (
        preferences.when_due(wish, writer.now, person.zone, usual) if kind == "turn"
        else preferences.news_due(wish, writer.now, usual))
    row_id = queue.due(
        writer.session,
        kind=kind,
        person_id=person.id,
        game_id=writer.row.id,
        entry=entry,
        about_id=about_id,
        now=writer.now,
        not_before=not_before or writer.now,
        unwanted=not_before is None,
    )
    if not_before is None or row_id is None:
        return None
    if not_before > writer.now:
        writer.later.add(row_id)
    return row_id
