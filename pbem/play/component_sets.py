"""Component sets that games are played with: kept once, by the digest of their figures."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from engine import registry
from pbem.models import ComponentSet

STANDARD = "standard"


def kept(session: Session, game_key: str, toml: str | None) -> tuple[Any, ComponentSet]:
    """The game over this set (None: the standard one; BadComponents), and the set's stored row.

    Read a stranger's set by `registry.game` before the transaction begins: the game is kept there.
    """
    rules = registry.game(game_key, toml)
    if session.get(ComponentSet, rules.digest) is None:
        is_standard = rules.digest == registry.game(game_key).digest
        own = toml is not None and not is_standard
        row = {
            "digest": rules.digest, "game": game_key, "name": "" if own else STANDARD,
            "toml": toml if own else standard_toml(game_key),
        }
        # Two hosts may give the same figures at once; either row is the right one.
        insert = postgresql.insert if _is_postgresql(session) else sqlite.insert
        session.connection().execute(insert(ComponentSet).values(**row).on_conflict_do_nothing())
    return rules, session.get_one(ComponentSet, rules.digest)


def _is_postgresql(session: Session) -> bool:
    return session.get_bind().dialect.name == "postgresql"


def standard_toml(game_key: str) -> str:
    """The component set as printed."""
    return registry.standard(game_key)
