"""The log of what operators do: each act is noted in the transaction that does it."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from pbem import names
from pbem.models import Person
from pbem.models.operators import OperatorAct

REASON_LENGTH = 300  # characters
AT_ONCE = 50  # acts on a page

# What operators do; pages say each in words (pbem.web.operator.overview).
ACTS = (
    "operator_added", "operator_removed",
    "advance", "verify",
    "letter_again", "letter_given_up", "pause_lifted",
    "sessions_ended", "recovery_begun", "recovery_stopped",
    "chat_removed", "name_removed", "muted", "unmuted", "report_settled", "erased",
)  # fmt: skip


def note(
    session: Session, operator: Person | None, what: str, about: str, why: str, *, now: datetime,
    days: int | None = None,
) -> OperatorAct:
    """Note an act, which the caller commits together with what was done.

    `operator` None: by a command on the server. `about` names a row: "g42" a game, "p12" a person,
    "l9" a letter, "c7" a line of the talk, "r3" a report; or "@" and a domain.
    `days`: for how long, where an act lasts.
    """
    if what not in ACTS:
        raise ValueError(f"{what!r} is no act of operators")
    act = OperatorAct(at=now, operator_id=None if operator is None else operator.id, what=what,
                      about=about[:40], why=why[:REASON_LENGTH], days=days)
    session.add(act)
    return act


def reason(text: str, *, required: bool) -> str:
    """Why an operator does something: one line, names.BadText if it is none."""
    line = names.clean_line(text, limit=REASON_LENGTH)
    if required and not line:
        raise names.BadText("empty", limit=REASON_LENGTH)
    return line


def newest(session: Session, *, before: int | None = None) -> list[tuple[OperatorAct, str | None]]:
    """The newest acts, each with its operator's name; `before`: older than that act."""
    found = (
        select(OperatorAct, Person.name)
        .join(Person, col(Person.id) == col(OperatorAct.operator_id), isouter=True)
        .order_by(col(OperatorAct.id).desc()).limit(AT_ONCE)
    )
    if before is not None:
        found = found.where(col(OperatorAct.id) < before)
    return [(act, name) for act, name in session.exec(found)]
