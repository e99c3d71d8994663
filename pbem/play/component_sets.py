"""Stores the component sets that games are played with, once per digest."""

from __future__ import annotations

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from engine import registry
from engine.api import GameRules
from pbem.models import ComponentSet

STANDARD = "standard"


def stored_set(session: Session, game_key: str, toml: str | None) -> tuple[GameRules, ComponentSet]:
    """The rules over this component set, and the set's stored row; `toml` None: the standard set.

    Raises BadComponents. Parse a stranger's set with `registry.game` before the transaction begins;
    the registry caches it.
    """
    rules = registry.game(game_key, toml)
    if session.get(ComponentSet, rules.digest) is None:
        is_standard = rules.digest == registry.game(game_key).digest
        own = toml is not None and not is_standard
        row = {
            "digest": rules.digest, "game": game_key, "name": "" if own else STANDARD,
            "toml": toml if own else standard_toml(game_key),
        }
        # Two hosts may store the same set at once; either row will do.
        insert = postgresql.insert if _is_postgresql(session) else sqlite.insert
        session.connection().execute(insert(ComponentSet).values(**row).on_conflict_do_nothing())
    return rules, session.get_one(ComponentSet, rules.digest)


def _is_postgresql(session: Session) -> bool:
    return session.get_bind().dialect.name == "postgresql"


def standard_toml(game_key: str) -> str:
    """The standard component set as TOML."""
    return registry.standard(game_key)
