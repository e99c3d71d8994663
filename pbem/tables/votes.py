"""Votes about an absent player: the others wait for them, replace them or cancel the game.

Waiting gives the player all their time again. Replacing has a bot play and opens the seat.
Cancelling needs all votes. During the vote all clocks stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from engine.api import Seat
from pbem.models import Game, GameState, Person, SeatRow, Vote
from pbem.play import advance, deadlines, seat_history
from pbem.play.absences import AbsenceVote, open_vote
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.tables import consent, lobby

WAIT, REPLACE, CANCEL = "wait", "replace", "cancel"
LASTS = timedelta(hours=72)  # then the votes so far decide


@dataclass(frozen=True)
class Ballot:
    """An open vote: whom it is about, who is asked, the votes so far, and the choices."""

    absent: AbsenceVote
    asked: Sequence[Seat]
    said: Mapping[Seat, str]
    choices: Sequence[str]
    until: datetime


# ---- asking -------------------------------------------------------------------------------------


def open_vote_about(writer: Writer, seat: Seat) -> set[int]:
    """Open a vote about a seat after its `overtime` note; the letters that became due.

    Without anybody to vote, a bot takes the seat. The caller settles and commits.
    """
    people = writer.people
    asked = voters(writer.seats, people, seat)
    if not asked:
        return seat_history.vacate(writer, seat, "dropped", seat_history.FILLER)
    number = deadlines.pause(writer, people, seat)
    letters = {
        advance.due_letter(writer, people[writer.seats[each].person_id], "vote", number)
        for each in asked
    }
    return {letter for letter in letters if letter is not None}


def voters(table: Sequence[SeatRow], people: Mapping[int, Person], about: Seat) -> list[Seat]:
    """The seats of people at the table other than this one."""
    return [
        seat.number for seat in table
        if seat.number is not None and seat.number != about and seat.resigned is None
        and people[seat.person_id].bot is None
    ]


def choices(absent: AbsenceVote, asked: Sequence[Seat]) -> tuple[str, ...]:
    """The choices of a vote; a single voter cannot cancel the game at the first vote."""
    if len(asked) == 1 and absent.time < 2:
        return (WAIT, REPLACE)
    return (WAIT, REPLACE, CANCEL)


def ballot(session: Session, row: Game, table: Sequence[SeatRow]) -> Ballot | None:
    """The open vote of a game, if there is one."""
    absent = open_vote(session, row)
    if absent is None or row.paused is None:
        return None
    asked = voters(table, advance.people_of(session, list(table)), absent.seat)
    at = {seat.person_id: seat.number for seat in table if seat.number in asked}
    rows = session.exec(
        select(Vote).where(Vote.game_id == row.id, Vote.about == absent.about)
        .order_by(col(Vote.id)))
    said = {at[vote.person_id]: vote.answer for vote in rows if vote.person_id in at}
    words = choices(absent, asked)
    counts = {seat: word for seat, word in said.items() if seat is not None and word in words}
    return Ballot(absent, asked, counts, words, row.paused + LASTS)


def is_open(session: Session, row: Game, seat: Seat) -> bool:
    """Whether a vote about this seat is open."""
    absent = open_vote(session, row)
    return absent is not None and absent.seat == seat


# ---- answering ----------------------------------------------------------------------------------


def answer(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    seat: Seat,
    said: str,
    letter_delay: timedelta = timedelta(0),
) -> str | None:
    """Store a player's vote, carry the result out if it decides, and commit; the result.

    A vote can be changed until then. Raises TableRefused.
    """
    writer = Writer.locked(session, game_id, now)
    try:
        own = advance.seat_of_person(writer, person_id)
        assert writer is not None  # noqa: S101  (`seat_in` refuses)
        play_pending_first(writer, letter_delay)
        found = ballot(session, writer.row, writer.seats)
        if found is None or found.absent.seat != seat:
            raise TableRefused("no_vote")
        if own.number not in found.asked:
            raise TableRefused("players_only")
        if said not in found.choices:
            raise TableRefused("no_such_answer")
    except TableRefused:
        session.rollback()
        raise
    store_vote(writer, person_id, found.absent.about, said)
    said_now = ballot(session, writer.row, writer.seats)
    what = None if said_now is None else result_of(said_now, is_late=now >= said_now.until)
    if what is not None:
        carry_out(writer, seat, what, letter_delay, but=person_id)
    session.commit()
    return what


def play_pending_first(writer: Writer, letter_delay: timedelta) -> set[int]:
    """Play pending orders: the absent player may have answered."""
    people = writer.people
    if not advance.pending(writer.session, writer.game_id):
        return set()
    return advance.play_pending(writer, people) | advance.settle(writer, people, letter_delay)


def store_vote(writer: Writer, person_id: int, about: str, said: str) -> None:
    """Store a person's vote in place of an earlier one."""
    vote = writer.session.exec(select(Vote).where(
        Vote.game_id == writer.game_id, Vote.about == about, Vote.person_id == person_id)).first()
    if vote is None:
        vote = Vote(game_id=writer.game_id, person_id=person_id, about=about, answer=said,
                    at=writer.now)
    vote.answer, vote.at = said, writer.now
    writer.session.add(vote)
    writer.session.flush()


def close_if_decided(writer: Writer, letter_delay: timedelta) -> set[int]:
    """Carry the vote's result out, if there is one; no commit."""
    found = ballot(writer.session, writer.row, writer.seats)
    if found is None:
        return set()
    what = result_of(found, is_late=writer.now >= found.until)
    return set() if what is None else carry_out(writer, found.absent.seat, what, letter_delay)


def result_of(found: Ballot, *, is_late: bool) -> str | None:
    """The result of the votes, None while there is none; REPLACE if nobody can vote.

    More than half decide, for cancelling all. Once all have voted or the time is over, most votes
    decide. A tie means waiting at the first vote, then replacing; no votes at all mean replacing.
    """
    if not found.asked:
        return REPLACE
    tally = Counter(found.said.values())
    if tally[CANCEL] == len(found.asked):
        return CANCEL
    for each in (WAIT, REPLACE):
        if 2 * tally[each] > len(found.asked):
            return each
    if len(found.said) < len(found.asked) and not is_late:
        return None
    if tally[WAIT] == tally[REPLACE]:
        return WAIT if tally[WAIT] and found.absent.time < 2 else REPLACE
    return WAIT if tally[WAIT] > tally[REPLACE] else REPLACE


def carry_out(
    writer: Writer, seat: Seat, what: str, letter_delay: timedelta, *, but: int | None = None
) -> set[int]:
    """Carry a result out and queue letters to all at the table but `but`, whose vote decided it."""
    people = writer.people
    if what == CANCEL:
        lobby.call_off(writer.session, writer.row, writer.now, told=list(people.values()))
        return set()
    told = [people[each.person_id] for each in writer.seats
            if each.resigned is None and each.person_id != but]
    letters: set[int] = set()
    usual = letter_delay
    if what == REPLACE:
        letters = seat_history.vacate(writer, seat, "dropped", seat_history.FILLER)
        kind, entry, usual = "dropped", writer.number, timedelta(0)
        letters |= consent.carry_out_after_leaving(writer, people)
        deadlines.resume(writer, people, seat)
    else:
        deadlines.reset_clock(writer.seats[seat])
        kind, entry = "overtime", deadlines.resume(writer, people, seat) or writer.number
    due = {advance.due_letter(writer, each, kind, entry, usual=usual) for each in told}
    return letters | advance.settle(writer, people, letter_delay) | {
        letter for letter in due if letter is not None}


def overdue(session: Session, now: datetime) -> list[int]:
    """Games whose votes have lasted long enough."""
    found = select(Game.id).where(
        Game.state == GameState.RUNNING, col(Game.paused).is_not(None),
        col(Game.paused) <= now - LASTS).order_by(col(Game.id))
    return [number for number in session.exec(found) if number is not None]


def close_overdue(
    session: Session, game_id: int, now: datetime, *, letter_delay: timedelta = timedelta(0)
) -> set[int]:
    """Decide a vote whose time is over, and commit; the letters that became due."""
    writer = Writer.locked(session, game_id, now)
    letters: set[int] = set()
    if writer is not None and writer.row.state == GameState.RUNNING:
        letters = play_pending_first(writer, letter_delay) | close_if_decided(writer, letter_delay)
    session.commit()
    return letters
