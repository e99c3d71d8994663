"""What has to hold behind every fault: nothing lost, nothing doubled, all games verify."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, select

from pbem.models import (
    Chat,
    Entry,
    Game,
    Inbound,
    InboundState,
    LetterState,
    Outbox,
    Submission,
    SubmissionState,
    stored_id,
)
from pbem.record import export
from pbem.record.verify import verify
from tests.tools.soak.faults_devil import AMBIGUOUS
from tests.tools.soak.faults_players import Noted
from tests.tools.soak.faults_stack import Receiver, Stack

NOT_SENT = (LetterState.SUPERSEDED, LetterState.MERGED, LetterState.UNWANTED)


@dataclass(frozen=True)
class Window:
    """A fault, and from when to when it lasted, with what it needed to be over."""

    name: str
    begun: float
    over: float


def moves(stack: Stack, noted: Noted, games: Sequence[int]) -> Iterator[str]:
    """What is wrong with what was taken in these games."""
    with stack.service.reading() as session:
        for game_id, person, way, key in list(noted.orders):
            if game_id in games:
                found = session.exec(select(Submission).where(
                    Submission.game_id == game_id, Submission.person_id == person,
                    Submission.source == way, Submission.key == key)).all()
                yield from once_in_log(session, found, f"{way} {key} of game {game_id}")
        for game_id, said in list(noted.talk):
            if game_id in games:
                lines = session.exec(select(Chat.id).where(
                    Chat.game_id == game_id, Chat.text == said)).all()
                if len(lines) != 1:
                    yield f"{said!r} stands {len(lines)} times in game {game_id}"
        for game_id in games:
            yield from whole(session, game_id)


def once_in_log(session: Session, found: Sequence[Submission], what: str) -> Iterator[str]:
    """Orders that were taken are one submission, and its entries are there once."""
    if len(found) != 1:
        yield f"{what} is there {len(found)} times"
        return
    [sent] = found
    if sent.state == SubmissionState.PENDING:
        yield f"{what} waits"
        return
    entries = list(session.exec(select(Entry.number).where(
        Entry.game_id == sent.game_id, Entry.submission_id == sent.id).order_by(col(Entry.number))))
    played = sent.state == SubmissionState.PLAYED
    if played and (not entries or [entries[0], entries[-1]] != [sent.first_entry, sent.last_entry]):
        yield f"{what} is in the log as {entries}, not {sent.first_entry} to {sent.last_entry}"
    if not played and entries:
        yield f"{what} is {sent.state} and in the log"


def whole(session: Session, game_id: int) -> Iterator[str]:
    """A game's entries follow each other, and its record verifies."""
    row = session.get_one(Game, game_id)
    numbers = list(session.exec(select(Entry.number).where(
        Entry.game_id == game_id).order_by(col(Entry.number))))
    if numbers != list(range(1, row.last_entry + 1)):
        yield f"game {game_id} has the entries {numbers}"
    found = verify(list(export.record_lines(session, row)))
    if not found.ok:
        yield f"game {game_id} does not verify: {found}"


def letters_in(stack: Stack, noted: Noted) -> Iterator[str]:
    """Each letter that was taken in was judged, and acted upon once however often it came."""
    with stack.service.reading() as session:
        for number in list(noted.letters):
            rows = session.exec(select(Inbound).where(Inbound.message_id == number)).all()
            acted = [row for row in rows if row.state not in (
                InboundState.STORED, InboundState.IGNORED)]
            if len(acted) != 1 or any(row.state == InboundState.STORED for row in rows):
                yield f"letter {number} in: {[(row.state, row.reason) for row in rows]}"


def letters_out(
    stack: Stack, receiver: Receiver, windows: Sequence[Window]
) -> tuple[list[str], Counter[str]]:
    """Each due letter left once; a second copy with the same Message-ID only where nobody could
    know."""
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    arrived: dict[str, list[tuple[float, str]]] = {}
    for at, number, recipient in receiver.arrived:
        arrived.setdefault(number, []).append((at, recipient))
    with stack.service.reading() as session:
        rows = session.exec(select(Outbox)).all()
    known = {row.message_id for row in rows if row.message_id}
    wrong += [f"letter {number} is of no row" for number in arrived if number not in known]
    for row in rows:
        times = arrived.get(row.message_id or "", [])
        counts["due"] += 1
        counts[str(row.state)] += 1
        what = f"letter {stored_id(row)} ({row.kind} {row.dedup_key}, {row.state})"
        if row.state == LetterState.SENT and not times:
            wrong.append(f"{what} did not arrive")
        elif row.state == LetterState.DEAD and not is_hated(row, receiver):
            wrong.append(f"{what} was given up: {row.last_text}")
        elif row.state not in (LetterState.SENT, LetterState.DEAD, *NOT_SENT):
            wrong.append(f"{what} did not leave: {row.attempts} tries, {row.last_text}")
        if len(times) > 1:
            counts["twice with one Message-ID"] += 1
            if not is_open(row, times[0][0], receiver, windows):
                wrong.append(f"{what} arrived {len(times)} times though all was well")
    return wrong, counts


def is_hated(row: Outbox, receiver: Receiver) -> bool:
    """Whether its address was said not to exist, to this letter or to one before it."""
    return bool(receiver.hated) and (row.last_text or "").startswith("5.1.1")


def is_open(row: Outbox, first: float, receiver: Receiver, windows: Sequence[Window]) -> bool:
    """Whether nobody could know that the first copy had arrived."""
    if row.message_id in receiver.unsaid:
        return True
    return any(
        window.begun - 2 <= first <= window.over
        and any(part in window.name for part in AMBIGUOUS)
        for window in windows
    )
