"""The one writer of a game: orders, forced moves and bots become entries and due letters."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Container
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from engine import bots, play
from engine.errors import MoveRefused
from pbem.accounts import web_hooks as hook_rows
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
    stuck,
    submit,
)
from pbem.play.log import MoveSource, Writer
from pbem.play.refusals import PositionMovedOn, TableRefused, stored

log = logging.getLogger("carreira.advance")


def people_of(session: Session, seats: list[SeatRow]) -> dict[int, Person]:
    """The people in these seats by their id."""
    ids = [seat.person_id for seat in seats]
    found = session.exec(select(Person).where(col(Person.id).in_(ids))).all()
    return {person.id or 0: person for person in found}


def advance(
    session: Session, game_id: int, now: datetime, *, letter_delay: timedelta = timedelta(0)
) -> set[int]:
    """Take a game as far as it goes and commit; the ids of letters that may leave by now.

    One transaction, one writer a game (the row's lock; on SQLite the whole database's). Running it
    twice, or for nothing, changes nothing.
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
    stuck.forget(writer.row)
    session.commit()
    return letters - writer.later


def seat_in(writer: Writer | None, person_id: int) -> SeatRow:
    """A person's own seat in a game that runs, or TableRefused."""
    if writer is None or writer.row.state != GameState.RUNNING:
        raise TableRefused("not_running")
    for seat in writer.seats:
        if seat.person_id == person_id:
            return seat
    raise TableRefused("players_only")


def play_pending(writer: Writer, people: dict[int, Person]) -> set[int]:
    """Play the orders that wait, each as far as it goes; the letters that became due.

    What follows by itself behind the last of them is left to `settle`.
    """
    letters: set[int] = set()
    waiting = pending(writer.session, writer.game_id)
    while waiting:
        submission = waiting.pop(0)
        letters |= play_submission(writer, people, submission)
        if waiting:
            go_on(writer, people, but={each.seat for each in waiting})
    return letters


def catch_up(writer: Writer, people: dict[int, Person]) -> set[int]:
    """Play the orders that wait and what follows, before something else is decided."""
    letters = play_pending(writer, people)
    go_on(writer, people)
    return letters


def pending(session: Session, game_id: int) -> list[Submission]:
    """Orders that wait, in the order in which they came."""
    waiting = select(Submission).where(Submission.game_id == game_id, Submission.state == PENDING)
    return list(session.exec(waiting.order_by(col(Submission.id))))


# ---- one player's orders ------------------------------------------------------------------------


def play_submission(
    writer: Writer, people: dict[int, Person], submission: Submission
) -> set[int]:
    """Play a player's orders as far as they can be played; what comes back goes into a draft.

    All lines in front of the first reveal, or none; those behind it one by one. What the letter
    said for later stands since it was recorded.
    """
    person = people.get(submission.person_id)
    if person is None or writer.seats[submission.seat].person_id != submission.person_id:
        return settle_submission(
            writer, submission, None, MoveRefused("seat_left", rule="orders"), submission.orders
        )
    language = words.aliases(writer.row.game, person.language)
    seat = writer.seats[submission.seat]
    now, later = orders_ahead.split(submission.orders, writer.row.game, person.language)
    if later and not now:
        return settle_submission(writer, submission, person, None, None)
    try:
        submit.check_seat(seat)
        attempt = play.letter(
            writer.rules, writer.state, submission.seat, now, language,
            ahead=positions.ahead_of(writer.rules, seat),
        )
    except MoveRefused as refused:
        return settle_submission(writer, submission, person, refused, now)
    if behind_reveal.answers_unseen(writer, submission, attempt):
        unseen = PositionMovedOn("unseen_question", rule="orders")
        return settle_submission(writer, submission, person, unseen, now)
    first, source = writer.number + 1, MoveSource(submission.seat, "order", submission.id)
    known = behind_reveal.foreseen(writer, attempt)
    writer.play_attempt(source, attempt)
    submission.first_entry = first
    why, back = behind_reveal.play_lines(writer, source, attempt, aliases=language, known=known)
    positions.keep_ahead(seat, attempt.said.outlasting(writer.state))
    draft = None if why is None else "\n".join(back)
    return settle_submission(writer, submission, person, why, draft)


def settle_submission(
    writer: Writer,
    submission: Submission,
    person: Person | None,
    refused: MoveRefused | None,
    draft: str | None,
) -> set[int]:
    """Note what became of the orders; a player whose lines came back gets a letter."""
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


# ---- what goes on by itself ---------------------------------------------------------------------


def go_on(writer: Writer, people: dict[int, Person], *, but: Container[int] = ()) -> None:
    """Play what needs no person until one is asked or the game is over.

    `but`: seats whose own orders are still to come, in front of what they ordered ahead.
    """
    while True:
        forced = play.forced(writer.rules, writer.state)
        if forced is not None:
            writer.play_forced(*forced)
        elif not (orders_ahead.play(writer, but=but) or play_for_vacated(writer)
                  or play_bot(writer, people)):
            return


def play_for_vacated(writer: Writer) -> bool:
    """One turn of the first asked seat without a player; False if none is asked."""
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
    """One turn of the first asked bot; False if no bot is asked."""
    for seat in writer.rules.current_players(writer.state):
        kind = people[writer.seats[seat].person_id].bot
        if kind is not None:
            play_turn(writer, seat, kind)
            return True
    return False


def play_turn(writer: Writer, seat: int, kind: str) -> None:
    """One turn as a bot of this kind plays it."""
    whim = chance.whim(writer.secret, writer.row.commitment, writer.state)
    for move in bots.choose(writer.rules, writer.state, seat, kind, whim):
        turn = play.move(writer.rules, writer.state, seat, move, writer.stream())
        writer.append(seat, move, turn, cause="bot")


def settle(writer: Writer, people: dict[int, Person], letter_delay: timedelta) -> set[int]:
    """Go on, end the game if it is over, write the rows and the due letters; no commit."""
    go_on(writer, people)
    absences.came_back(writer, people)
    if writer.is_over:
        finish(writer)
    writer.flush()
    deadlines.follow(writer.session, writer.row, writer.seats, people, writer.now)
    return letters_due(writer, people, letter_delay)


def finish(writer: Writer) -> None:
    """The game is over: results into the seats."""
    writer.row.state = GameState.FINISHED
    writer.row.ended = writer.now
    writer.flush()
    vacated = results.vacated_in(writer.session, writer.row)
    for result in results.placed(writer.rules.returns(writer.state), vacated):
        row = writer.seats[result.seat]
        row.place, row.points = result.place, result.points


def letters_due(writer: Writer, people: dict[int, Person], delay: timedelta) -> set[int]:
    """A letter for each seat whose question is new, or to all when the game is over.

    Whoever has a web hook is told of his turn by that too, but where nobody else plays: there his
    own move has asked him.
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
        hook_rows.due(writer.session, writer.game_id, entry, who, writer.now)
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
    """Make one of the game's letters due, once, as its reader wants it; bots get none.

    The id of a letter that will leave; one that is not wanted has a row all the same, to be seen.
    """
    if person.bot is not None:
        return None
    seat = next((row for row in writer.seats if row.person_id == person.id), None)
    wish = preferences.wish_of(person, seat)
    not_before = preferences.not_before(kind, wish, writer.now, person.zone, usual)
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
