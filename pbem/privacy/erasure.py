"""Removes a person's name and addresses from every table; what others need stays without them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Executable, String, cast, delete, func, literal, or_, update
from sqlmodel import Session, col, select

from pbem.mail.incoming.parse import mime
from pbem.models import (
    GONE,
    Chat,
    Game,
    Inbound,
    InboundState,
    Invitation,
    InvitationState,
    MailPause,
    Outbox,
    PastHolder,
    Person,
    SeatRow,
    Series,
    SignIn,
    StandingOrder,
    Submission,
    SubmissionState,
    Substitute,
    Vacation,
    WebSession,
)
from pbem.models.archive import ApiToken, FeedAddress, HookCall, Note, WebHook
from pbem.models.operators import Block, OperatorAct, Recovery, Report
from pbem.tables.lobby import addresses_of

ERASED = "..."  # replaces a name or an address


@dataclass(frozen=True)
class ErasedPerson:
    """Whom to erase; without an id, an address that never belonged to an account."""

    addresses: tuple[str, ...]
    person_id: int | None = None
    name: str = ""

    @classmethod
    def of(cls, person: Person) -> ErasedPerson:
        """The person as their row still has them."""
        return cls(tuple(addresses_of(person)), person.id, person.name)

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches the name as a word, and the addresses."""
        words = [word for word in (self.name, *self.addresses) if word]
        return re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words), re.I)

    @property
    def letters(self) -> ColumnElement[bool]:
        """The condition for letters to them."""
        to_address = col(Outbox.address).in_(self.addresses)
        if self.person_id is None:
            return to_address
        return or_(to_address, col(Outbox.person_id) == self.person_id)


def forget(session: Session, whose: ErasedPerson) -> None:
    """Erase a person, except their own row, their seats and their chat lines. Idempotent.

    Phrases given for the randomness stay, as those games could not be verified without them.
    """
    forget_answers(session, whose)
    forget_letters(session, whose)
    forget_invitations(session, whose)
    forget_proofs(session, whose)
    forget_answers_of_servers(session, whose)
    forget_acts(session, whose)
    if whose.person_id is not None:
        forget_orders(session, whose.person_id)
        forget_company(session, whose.person_id)
        forget_in_letters_of_others(session, whose)


def run(session: Session, statement: Executable) -> None:
    """Execute a statement about many rows."""
    session.connection().execute(statement)


# ---- letters ------------------------------------------------------------------------------------


def forget_answers(session: Session, whose: ErasedPerson) -> None:
    """Erase letters from them and reports about letters to them; what these did stays."""
    to_him = select(Outbox.id).where(whose.letters)
    run(session, update(Inbound).where(or_(
        col(Inbound.person_id) == whose.person_id,
        func.lower(col(Inbound.sender)).in_(whose.addresses),
        col(Inbound.letter_id).in_(to_him),
    )).values(raw=None, told=None, sender="", message_id=None, key=None))


def forget_letters(session: Session, whose: ErasedPerson) -> None:
    """Delete due letters; of sent ones keep that they were sent, not the servers' answers."""
    run(session, delete(Outbox).where(
        whose.letters, or_(col(Outbox.address).is_not(None), col(Outbox.settled).is_(None))))
    run(session, update(Outbox).where(whose.letters).values(last_text=None, raw=None))


def forget_in_letters_of_others(session: Session, whose: ErasedPerson) -> None:
    """Erase their name in letters about their games; unsent ones are built again."""
    invited = select(Invitation.id).where(Invitation.by_id == whose.person_id)
    about = or_(col(Outbox.game_id).in_(games_of(session, whose)),
                col(Outbox.invitation_id).in_(invited))
    run(session, update(Outbox).where(about, col(Outbox.raw).is_not(None)).values(raw=None))
    ours = select(Outbox.id).where(or_(
        about, col(Outbox.id).in_(select(Outbox.merged_into).where(about))))
    came = select(Inbound).where(
        col(Inbound.letter_id).in_(ours), col(Inbound.state) != InboundState.STORED,
        or_(col(Inbound.raw).is_not(None), col(Inbound.told).is_not(None)))
    for row in session.exec(came.execution_options(yield_per=100)):
        row.told = json.dumps(without(whose.pattern, json.loads(row.told))) if row.told else None
        if row.raw is not None and names(whose.pattern, row.raw):
            row.raw = None
    session.flush()


def without(pattern: re.Pattern[str], told: Any) -> Any:
    """The JSON value with every name and address replaced."""
    if isinstance(told, str):
        return pattern.sub(ERASED, told)
    if isinstance(told, list):
        return [without(pattern, each) for each in told]
    if isinstance(told, dict):
        return {name: without(pattern, each) for name, each in told.items()}
    return told


def games_of(session: Session, whose: ErasedPerson) -> set[int]:
    """The games in which they sat or chatted."""
    tables = (SeatRow, PastHolder, Chat)
    return {game_id for table in tables for game_id in session.exec(
        select(table.game_id).where(col(table.person_id) == whose.person_id).distinct())}


def names(pattern: re.Pattern[str], raw: bytes) -> bool:
    """Whether a letter contains the name or an address, in any encoding, or cannot be read."""
    try:
        return any(pattern.search(text) for text in texts_of(raw))
    except mime.TooMuch:
        return True


def texts_of(raw: bytes) -> Iterator[str]:
    """A letter as it stands, and each of its parts decoded."""
    yield raw.decode("utf-8", "replace")
    for part in mime.opened(mime.with_plain_ends(raw)).walk():
        yield mime.content(part).decode("utf-8", "replace")


def forget_answers_of_servers(session: Session, whose: ErasedPerson) -> None:
    """Replace their addresses in the reasons for mail pauses."""
    for pause in session.exec(select(MailPause)):
        pause.why = whose.pattern.sub(ERASED, pause.why)
    session.flush()


# ---- all else -----------------------------------------------------------------------------------


def forget_invitations(session: Session, whose: ErasedPerson) -> None:
    """Replace their addresses in invitations; pending ones are declined."""
    theirs = select(Invitation).where(col(Invitation.address).in_(whose.addresses))
    for invitation in session.exec(theirs).all():
        if invitation.state == InvitationState.PENDING:
            invitation.state = InvitationState.DECLINED
        invitation.address = f"gone-{invitation.id}{GONE}"
        session.add(invitation)
    session.flush()


def forget_proofs(session: Session, whose: ErasedPerson) -> None:
    """End sign-ins, signed-in browsers, tokens, hooks, feeds and recoveries."""
    end_entrances(session, whose)
    run(session, delete(Recovery).where(or_(
        col(Recovery.person_id) == whose.person_id, col(Recovery.address).in_(whose.addresses))))


def end_entrances(session: Session, whose: ErasedPerson) -> None:
    """Delete everything that gives access to the account."""
    run(session, delete(SignIn).where(or_(
        col(SignIn.person_id) == whose.person_id, col(SignIn.address).in_(whose.addresses))))
    theirs = select(WebHook.id).where(WebHook.person_id == whose.person_id)
    run(session, delete(HookCall).where(col(HookCall.hook_id).in_(theirs)))
    for table in (WebSession, WebHook, ApiToken, FeedAddress):
        run(session, delete(table).where(col(table.person_id) == whose.person_id))


def forget_orders(session: Session, person_id: int) -> None:
    """Erase the text of their orders, as the log has the moves; pending ones are refused."""
    own = col(Submission.person_id) == person_id
    waits = col(Submission.state) == SubmissionState.PENDING
    run(session, update(Submission).where(own, waits).values(
        state=SubmissionState.REFUSED, decided=col(Submission.created)))
    run(session, update(Submission).where(own).values(
        orders="", moves=None, draft=None, refusal=None,
        key=literal("gone-") + cast(Submission.id, String)))
    run(session, update(SeatRow).where(col(SeatRow.person_id) == person_id).values(ahead=None))
    for table in (Note, Vacation, Substitute, StandingOrder):
        run(session, delete(table).where(col(table.person_id) == person_id))


def forget_company(session: Session, person_id: int) -> None:
    """Delete their blocks and reports, and those about them."""
    run(session, delete(Block).where(
        or_(col(Block.person_id) == person_id, col(Block.blocked_id) == person_id)))
    run(session, delete(Report).where(
        or_(col(Report.by_id) == person_id, col(Report.about_id) == person_id)))


def forget_acts(session: Session, whose: ErasedPerson) -> None:
    """Replace their name and addresses in the reasons of operators' acts."""
    for act in session.exec(select(OperatorAct)):
        if whose.pattern.search(act.why):
            act.why = whose.pattern.sub(ERASED, act.why)
    session.flush()


def forget_titles(session: Session, whose: ErasedPerson) -> list[int]:
    """Clear titles that they gave and that name them; the ids of games without a title now."""
    games = session.exec(select(Game).where(Game.host_id == whose.person_id)).all()
    series = session.exec(select(Series).where(Series.host_id == whose.person_id)).all()
    titled: list[Game | Series] = [*games, *series]
    naming = [row for row in titled if whose.pattern.search(row.title)]
    for row in naming:
        row.title = ""
    session.flush()
    return [row.id for row in naming if isinstance(row, Game) and row.id is not None]
