"""One look at what a game's letter is made of: reader, game, and which of its lists hold nothing.

Most letters tell of no talk, no orders ahead, nothing taken back, and no other games: five
statements that one spares.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, exists, select, text
from sqlmodel import Session, col

from pbem.mail.delivery import retries
from pbem.mail.message import NEWEST_BEFORE
from pbem.models import MARKED, Chat, Entry, Game, Instant, MailPause, Outbox, Person, StandingOrder
from pbem.models.operators import Block
from pbem.once import holds, holds_nothing

UNBUILT = (
    (col(Outbox.kind) == "turn") & col(Outbox.settled).is_(None) & col(Outbox.raw).is_(None)
)

_game: Any = bindparam("game")
_person: Any = bindparam("person")
_LISTS: dict[str, Any] = {
    "pauses": col(MailPause.until) > bindparam("instant", type_=Instant),
    "others": (
        (col(Outbox.person_id) == _person)
        & UNBUILT
        & (col(Outbox.id) != bindparam("before"))
    ),
    "marks": (col(Entry.game_id) == _game) & text(MARKED),
    "ahead": (col(StandingOrder.game_id) == _game) & (col(StandingOrder.person_id) == _person),
    "talk": col(Chat.game_id) == _game,
    "blocked": col(Block.person_id) == _person,
}
_GLANCE = select(
    Person,
    Game,
    NEWEST_BEFORE.scalar_subquery().label("newest"),
    *(exists().where(holds).label(name) for name, holds in _LISTS.items()),
).where(col(Person.id) == _person, col(Game.id) == _game)


def at(session: Session, row: Outbox, now: datetime) -> None:
    """Let a session that keeps what it reads know what there is to read for this letter."""
    if row.game_id is None or row.person_id is None:
        return
    game, person = row.game_id, row.person_id
    about = {"game": game, "person": person, "instant": now, "before": row.id}
    found = session.execute(_GLANCE, about).first()
    if found is None:
        return
    reader, table, newest, *lists = found
    holds(session, (Person, person), reader)
    holds(session, (Game, game), table)
    holds(session, ("turn before", row.id), newest)
    called = {"pauses": retries.ALL_PAUSES, "others": ("turns of", person),
              "marks": ("marks", game), "ahead": ("orders ahead", game, person),
              "talk": ("talk", game), "blocked": ("blocked", person)}  # fmt: skip
    holds_nothing(session, *(called[name] for name, holds_any in zip(_LISTS, lists, strict=True)
                             if not holds_any))
