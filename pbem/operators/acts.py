"""Logs what operators do. Each act is recorded in the transaction that does it."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from pbem import names
from pbem.models import Person
from pbem.models.operators import OperatorAct

REASON_LENGTH = 300  # characters
AT_ONCE = 50  # acts on a page

# What operators do. pbem.web.operator.overview has the words.
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
    """Record an act. The caller commits it together with the change.

    `operator` is None for a command on the server. `about` names a row: "g42" a game, "p12" a
    person, "l9" a letter, "c7" a chat line, "r3" a report; or "@" and a domain. `days` is how long
    the act lasts, if it is limited.
    """
    if what not in ACTS:
        raise ValueError(f"{what!r} is no act of operators")
    act = OperatorAct(at=now, operator_id=None if operator is None else operator.id, what=what,
                      about=about[:40], why=why[:REASON_LENGTH], days=days)
    session.add(act)
    return act


def reason(text: str, *, required: bool) -> str:
    """Return an operator's reason as one clean line. Raises names.BadText."""
    line = names.clean_line(text, limit=REASON_LENGTH)
    if required and not line:
        raise names.BadText("empty", limit=REASON_LENGTH)
    return line


def newest(session: Session, *, before: int | None = None) -> list[tuple[OperatorAct, str | None]]:
    """Return the newest acts, each with its operator's name.

    `before` selects acts older than that one.
    """
    found = (
        select(OperatorAct, Person.name)
        .join(Person, col(Person.id) == col(OperatorAct.operator_id), isouter=True)
        .order_by(col(OperatorAct.id).desc()).limit(AT_ONCE)
    )
    if before is not None:
        found = found.where(col(OperatorAct.id) < before)
    return [(act, name) for act, name in session.exec(found)]
