"""Undo by consent: a player proposes it, and it is done once all people at the table agree.

Any question back to the newest reveal can be asked again. Bots and vacated seats need not agree. A
refusal, a newer proposal, a reveal or three days end a proposal. Orders ahead that were used in
undone entries stay used; their owners are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.mail import preferences
from pbem.models import Game, GameState, Person, SeatRow, Vote, stored_id
from pbem.models.causes import CHOSEN, MOVED_ON
from pbem.play import advance, narration, orders_ahead, positions, undo
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused

LASTS = timedelta(days=3)
MOST_OFFERED = 30  # entries back to which one can propose to go
MOST_LISTED = 6  # lines of what would be taken back that letters and tables show


@dataclass(frozen=True)
class Proposal:
    """A proposal to undo entries; `answers` by person id, the proposer's among them.

    `id` is that of the proposer's vote.
    """

    id: int
    about: str  # "undo 17/3": from entry 17 on, the third proposal of its game
    by: int
    at: datetime
    answers: Mapping[int, str]

    @property
    def first(self) -> int:
        """The first entry that would be undone."""
        return int(self.about.removeprefix("undo ").partition("/")[0])

    @property
    def until(self) -> datetime:
        """When the proposal ends."""
        return self.at + LASTS

    @property
    def refused_by(self) -> int | None:
        """The person who has refused, if anybody has."""
        return next((who for who, said in self.answers.items() if said == "no"), None)


@dataclass(frozen=True)
class ConsentResult:
    """The outcome of a proposal or an answer; `back`: the number of the undo's entry, if done."""

    letters: frozenset[int] = frozenset()
    back: int | None = None
    used_ahead: tuple[str, ...] = ()  # the answering player's orders ahead that stay used


# ---- what there is ------------------------------------------------------------------------------


def latest(session: Session, row: Game) -> Proposal | None:
    """The newest proposal of a game, open or ended."""
    votes = session.exec(
        select(Vote).where(Vote.game_id == row.id, col(Vote.about).startswith("undo "))
        .order_by(col(Vote.id).desc())
    ).all()
    if not votes:
        return None
    votes = [vote for vote in reversed(votes) if vote.about == votes[0].about]
    made = votes[0]
    return Proposal(made.id or 0, made.about, made.person_id, made.at,
                    {vote.person_id: vote.answer for vote in votes})


def open_now(session: Session, row: Game, now: datetime) -> Proposal | None:
    """The open proposal, if there is one."""
    found = latest(session, row)
    if found is None or found.refused_by is not None or not is_possible(session, row, found, now):
        return None
    return found


def is_possible(session: Session, row: Game, proposal: Proposal, now: datetime) -> bool:
    """Whether it can still be done: in time, no reveal since, its proposer still seated."""
    if row.state != GameState.RUNNING or now >= proposal.until:
        return False
    proposer = seat_of(session.exec(positions.seats_of(row)).all(), proposal.by)
    return proposer is not None and entry_in_reach(session, row, proposal.first) is not None


def seat_of(seats: Sequence[SeatRow], person_id: int) -> SeatRow | None:
    """The seat that a person holds."""
    held = (seat for seat in seats if seat.resigned is None)
    return next((seat for seat in held if seat.person_id == person_id), None)


def asks_nobody(session: Session, seats: Sequence[SeatRow], own: SeatRow) -> bool:
    """Whether no other person has to agree: bots and vacated seats are not asked."""
    people = advance.people_of(session, list(seats))
    return all(seat.person_id == own.person_id or seat.resigned is not None
               or people[seat.person_id].bot is not None for seat in seats)


def in_reach(session: Session, row: Game) -> Iterator[positions.LoggedEntry]:
    """The entries that could be undone, newest first, back to the newest reveal."""
    for entry in undo.entries_back_from(session, row, row.last_entry):
        if entry.cause in ("start", MOVED_ON) or any(event.reveals for event in entry.events):
            return
        yield entry


def entry_in_reach(session: Session, row: Game, number: int) -> positions.LoggedEntry | None:
    """The entry with this number, if it could be undone."""
    found = next((each for each in in_reach(session, row) if each.number <= number), None)
    return found if found is not None and found.number == number else None


def offered(
    session: Session, row: Game, own: undo.Undoable | None
) -> Iterator[positions.LoggedEntry]:
    """The orders whose undo can be proposed, newest first.

    `own`: what the player can undo alone.
    """
    for number, entry in enumerate(in_reach(session, row)):
        if number >= MOST_OFFERED:
            return
        if entry.cause in CHOSEN and (own is None or entry.number < own.first):
            yield entry


# ---- what is shown ------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProposalView:
    """A proposal with names in place of ids."""

    by: str
    first: int
    agreed: tuple[str, ...]
    refused_by: str | None


def view_of(session: Session, row: Game, proposal: Proposal) -> ProposalView:
    """A proposal as pages and letters show it."""
    names = {seat.person_id: seat.name for seat in session.exec(positions.seats_of(row))}
    agreed = [names.get(who, "") for who, said in proposal.answers.items() if said == "yes"]
    refused = proposal.refused_by
    return ProposalView(names.get(proposal.by, ""), proposal.first, tuple(agreed),
                 None if refused is None else names.get(refused, ""))


def lines(
    session: Session, table: positions.GamePosition, proposal: Proposal, *,
    viewer: int | None, names: Sequence[str], language: str,
) -> list[narration.NewsLine]:
    """What would be undone, in words."""
    taken = [each for each in in_reach(session, table.row) if each.number >= proposal.first]
    return [narration.NewsLine(entry.number, line.text, line.rule)
            for entry in reversed(taken)
            for line in narration.told(table.rules, entry, entry.events, viewer=viewer, names=names,
                                     language=language)]  # fmt: skip


# ---- what is done -------------------------------------------------------------------------------


def propose(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    first: int,
    letter_delay: timedelta = timedelta(0),
) -> ConsentResult:
    """Propose to undo entry `first` and all after it, and commit; the others get letters.

    Pending orders are played first. Idempotent. Raises TableRefused.
    """
    writer = Writer.locked(session, game_id, now)
    try:
        seat = holder(writer, person_id)
        assert writer is not None  # noqa: S101  (`holder` refuses)
        people = writer.people
        letters = advance.catch_up(writer, people)
        if writer.is_over:  # by pending orders; a finished game has no undo
            raise TableRefused("nothing_to_propose")
        writer.flush()
        known = open_now(session, writer.row, now)
        if known is not None and (known.by, known.first) == (person_id, first):
            session.rollback()
            return ConsentResult()
        own = undo.can_undo(session, writer.row, seat)
        if first not in (entry.number for entry in offered(session, writer.row, own)):
            raise TableRefused("nothing_to_propose")
    except TableRefused:
        session.rollback()
        raise
    before = latest(session, writer.row)
    count = 1 if before is None else int(before.about.partition("/")[2]) + 1
    store_answer(writer, person_id, f"undo {first}/{count}", "yes")
    made = latest(session, writer.row)
    assert made is not None  # noqa: S101  (just made)
    others = [each for each in people.values() if each.id != person_id and is_asked(writer, each)]
    letters |= queue_proposal_letters(writer, others, made, letter_delay)
    return carry_out_if_agreed(
        writer, people, made, seat, letters=letters, letter_delay=letter_delay)


def answer(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    proposal: int,
    agrees: bool,
    letter_delay: timedelta = timedelta(0),
) -> ConsentResult:
    """Agree to a proposal or refuse it, and commit; its proposer withdraws it by refusing.

    The last person to agree carries it out. Idempotent. Raises TableRefused.
    """
    writer = Writer.locked(session, game_id, now)
    said = "yes" if agrees else "no"
    try:
        seat = holder(writer, person_id)
        assert writer is not None  # noqa: S101  (`holder` refuses)
        known = latest(session, writer.row)
        if known is not None and known.id == proposal and known.answers.get(person_id) == said:
            session.rollback()
            return ConsentResult()
        people = writer.people
        letters = advance.catch_up(writer, people)
        if writer.is_over:
            raise TableRefused("proposal_over")
        writer.flush()
        found = open_now(session, writer.row, now)
        if found is None or found.id != proposal:
            raise TableRefused("proposal_over")
    except TableRefused:
        session.rollback()
        raise
    store_answer(writer, person_id, found.about, said)
    answered = latest(session, writer.row)
    assert answered is not None  # noqa: S101  (it has just been answered)
    if not agrees and person_id != found.by:
        letters |= queue_proposal_letters(writer, [people[found.by]], found, letter_delay)
    return carry_out_if_agreed(
        writer, people, answered, seat, letters=letters, letter_delay=letter_delay)


def holder(writer: Writer | None, person_id: int) -> SeatRow:
    """The seat of a person who plays. Raises TableRefused (not_running, players_only)."""
    seat = advance.seat_of_person(writer, person_id)
    if seat.resigned is not None:
        raise TableRefused("players_only")
    return seat


def store_answer(writer: Writer, person_id: int, about: str, said: str) -> None:
    """Store an answer in place of an earlier one."""
    own = select(Vote).where(
        Vote.game_id == writer.game_id, Vote.about == about, Vote.person_id == person_id)
    vote = writer.session.exec(own).first() or Vote(
        game_id=writer.game_id, person_id=person_id, about=about, answer=said, at=writer.now)
    vote.answer = said
    writer.session.add(vote)
    writer.session.flush()


def tell_new_player(writer: Writer, person: Person, letter_delay: timedelta) -> set[int]:
    """Queue the letter about an open proposal for a player who has just taken a seat."""
    writer.flush()
    found = open_now(writer.session, writer.row, writer.now)
    return set() if found is None else queue_proposal_letters(writer, [person], found, letter_delay)


def queue_proposal_letters(
    writer: Writer, people: Sequence[Person], proposal: Proposal, letter_delay: timedelta
) -> set[int]:
    """Queue letters about a proposal; the ids of those that became due."""
    due = {advance.due_letter(writer, person, "proposal", about_id=proposal.id,
                              usual=letter_delay)
           for person in people}
    return {letter for letter in due if letter is not None}


def is_asked(writer: Writer, person: Person) -> bool:
    """Whether this person has to agree: a person who holds a seat."""
    return person.bot is None and seat_of(writer.seats, stored_id(person)) is not None


def carry_out_if_agreed(
    writer: Writer,
    people: dict[int, Person],
    proposal: Proposal,
    seat: SeatRow,
    *,
    letters: set[int],
    letter_delay: timedelta,
) -> ConsentResult:
    """Carry the proposal out if all agree; play automatic moves and commit."""
    back, range_ = None, range(0)
    if have_all_agreed(writer, people, proposal):
        range_ = range(proposal.first, writer.number + 1)
        back, told = go_back(writer, people, proposal, but=seat)
        letters |= told
    letters |= advance.settle(writer, people, letter_delay)
    writer.session.commit()
    standing = undo.used_ahead(writer.session, writer.row, seat.person_id, range_)
    return ConsentResult(frozenset(letters), back, standing)


def have_all_agreed(writer: Writer, people: Mapping[int, Person], proposal: Proposal) -> bool:
    """Whether all people who are asked now have agreed."""
    asked = [who for who, person in people.items() if is_asked(writer, person)]
    return all(proposal.answers.get(who) == "yes" for who in asked)


def carry_out_after_leaving(writer: Writer, people: dict[int, Person]) -> set[int]:
    """Carry a proposal out if all now agree, as a seat was vacated; the caller commits."""
    if writer.is_over:
        return set()
    writer.flush()
    found = open_now(writer.session, writer.row, writer.now)
    if found is None or not have_all_agreed(writer, people, found):
        return set()
    return go_back(writer, people, found)[1]


def go_back(
    writer: Writer, people: dict[int, Person], proposal: Proposal, *, but: SeatRow | None = None
) -> tuple[int, set[int]]:
    """Ask the question before the proposal's entry again; tell all but the last to agree."""
    entry = entry_in_reach(writer.session, writer.row, proposal.first)
    proposer = seat_of(writer.seats, proposal.by)
    assert entry is not None and proposer is not None  # noqa: S101  (it is open)
    taken = range(entry.base + 1, writer.number + 1)
    acted = {each.seat for each in in_reach(writer.session, writer.row)
             if each.number in taken and each.cause in CHOSEN}
    for seat in writer.seats:
        if seat.number in acted:
            seat.ahead = None
    asked = [who for who, person in people.items() if is_asked(writer, person)]
    number = writer.go_back(proposer.number or 0, entry.base, cause="agreed",
                            said={"alone": 1} if asked == [proposal.by] else None)
    orders_ahead.revive_after_undo(writer, entry.base)
    told = undo.people_told(writer.session, writer.row, taken)
    for person in people.values():
        own = seat_of(writer.seats, stored_id(person))
        if is_asked(writer, person) and preferences.wish_of(person, own) != preferences.NONE:
            told.add(stored_id(person))
    told -= {but.person_id} if but else set()
    return number, undo.queue_undone_letters(writer, told, number)
