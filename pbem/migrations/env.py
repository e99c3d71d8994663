"""Alembic's entrance: works on the connection that pbem.db.migrate hands over."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlmodel import SQLModel
from sqlmodel.sql.sqltypes import AutoString

from pbem.db import is_of_the_models
from pbem.models import (
    Instant,
    archive,  # noqa: F401  (tables of the metadata)
    operators,  # noqa: F401  (tables of the metadata)
)


def plain_type(kind: str, item: Any, _context: AutogenContext) -> str | Literal[False]:
    """Versions are for ever, so they name SQLAlchemy's own types and none of ours."""
    if kind == "type" and isinstance(item, Instant):
        return "sa.BigInteger()"
    if kind == "type" and isinstance(item, AutoString):
        return f"sa.String(length={item.length})" if item.length else "sa.String()"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_item=plain_type,
    include_name=is_of_the_models,
    render_as_batch=True,  # SQLite alters tables by copying them
)
with context.begin_transaction():
    context.run_migrations()
