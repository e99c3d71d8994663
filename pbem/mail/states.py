"""The outbox's state machine: which state a letter may come from, as the update that moves it."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Update, update
from sqlmodel import col

from pbem.models import LetterState, Outbox

PENDING, SENDING, SENT = LetterState.PENDING, LetterState.SENDING, LetterState.SENT
SUPERSEDED, MERGED = LetterState.SUPERSEDED, LetterState.MERGED
UNWANTED, DEAD = LetterState.UNWANTED, LetterState.DEAD

TRANSITIONS = {
    # From SENDING to SENDING: the sender was killed, and another one takes over.
    SENDING: {PENDING, SENDING},
    PENDING: {
        PENDING, SENDING,  # put back
        UNWANTED,  # the reader wants such letters again
        DEAD,  # an operator retries it
    },
    SENT: {SENDING},
    MERGED: {PENDING, SENDING},
    # A letter merged into another one ends when that one ends.
    SUPERSEDED: {PENDING, SENDING, MERGED},
    UNWANTED: {PENDING, SENDING, MERGED},
    DEAD: {PENDING, SENDING, MERGED},
}
"""For each state, the states that a row may come from."""


def becomes(state: LetterState, *where: ColumnElement[bool]) -> Update:
    """Build the update that moves these rows to a state, from the states that allow it."""
    may_come = col(Outbox.state).in_(sorted(TRANSITIONS[state]))
    return update(Outbox).where(may_come, *where).values(state=state).execution_options(
        synchronize_session=False)
