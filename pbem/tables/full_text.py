"""Full-text search over chats, in SQLite (FTS5) and PostgreSQL (tsvector).

Texts and queries are split into words here, without case and accents. So both databases find the
same, and nothing in a query acts as an operator.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    MetaData,
    Table,
    Text,
    and_,
    func,
    literal,
    literal_column,
)
from sqlmodel import Session

from pbem.i18n.words import without_accents

LONGEST = 200_000  # characters of one game
MOST_LOOKED_FOR = 12  # words
LONGEST_LOOKED_FOR = 400  # characters
WORD = re.compile(r"[^\W_]+")
WANTED = re.compile(r'"([^"]*)"|([^\s"]+)')


class SearchPhrase(NamedTuple):
    """Consecutive words; `begins`: the last one is a prefix."""

    words: tuple[str, ...]
    begins: bool = False


def plain(text: str) -> str:
    """The text without case, accents and variants of a character (² becomes 2)."""
    return without_accents(unicodedata.normalize("NFKD", text).casefold())


def tokens(text: str) -> list[str]:
    """The words of a text, as they are indexed and searched."""
    return WORD.findall(plain(text))


def parse_query(text: str) -> list[SearchPhrase]:
    """Parse a query: words, "quoted phrases" and prefixes*."""
    found = []
    for match in WANTED.finditer(text[:LONGEST_LOOKED_FOR]):
        in_a_row, one = match.groups()
        words = tokens(in_a_row if in_a_row is not None else one)
        if words:
            found.append(SearchPhrase(tuple(words), begins=in_a_row is None and one.endswith("*")))
    return found[:MOST_LOOKED_FOR]


# ---- each database's own way --------------------------------------------------------------------


TABLES = {
    key: Table(
        "foundtext", MetaData(), Column(key, BigInteger, key="newness"), Column("words", Text))
    for key in ("rowid", "newness")
}  # fmt: skip
SIMPLE: Any = literal_column("'simple'::regconfig")


def is_sqlite(session: Session) -> bool:
    """Whether the database is SQLite."""
    return session.get_bind().dialect.name == "sqlite"


def table_of(session: Session) -> Any:
    """The index table; `newness` is its key."""
    return TABLES["rowid" if is_sqlite(session) else "newness"]


def index_text(session: Session, newness: int, text: str) -> None:
    """Index a game's text in place of an earlier one; the caller commits."""
    remove(session, newness)
    words = " ".join(tokens(text[:LONGEST]))
    if not words:
        return
    kept: Any = words if is_sqlite(session) else func.to_tsvector(SIMPLE, words)
    session.connection().execute(
        table_of(session).insert().values(newness=newness, words=kept))


def remove(session: Session, newness: int) -> None:
    """Remove a game's text from the index; the caller commits."""
    table = table_of(session)
    session.connection().execute(table.delete().where(table.c.newness == newness))


def row_matches(session: Session, table: Any, wanted: list[SearchPhrase]) -> Any:
    """The condition that this row's text matches all phrases; for rows found by other means."""
    if not is_sqlite(session):
        return matches(session, table, wanted)
    said = literal(" ") + table.c.words + literal(" ")
    return and_(*(
        func.instr(said, f" {' '.join(one.words)}" + ("" if one.begins else " ")) > 0
        for one in wanted
    ))


def matches(session: Session, table: Any, wanted: list[SearchPhrase]) -> Any:
    """The condition that a game's text matches all phrases, answered by the index."""
    if is_sqlite(session):
        return literal_column("foundtext").op("match")(" ".join(for_sqlite(wanted)))
    lexemes = " & ".join(for_postgresql(wanted))
    return table.c.words.op("@@")(func.to_tsquery(SIMPLE, lexemes))


def for_sqlite(wanted: list[SearchPhrase]) -> Iterator[str]:
    """The phrases as FTS5 writes them: quoted, with a star after prefixes."""
    for one in wanted:
        yield f'"{" ".join(one.words)}"' + (" *" if one.begins else "")


def for_postgresql(wanted: list[SearchPhrase]) -> Iterator[str]:
    """The phrases as a tsquery: quoted lexemes joined by <->."""
    for one in wanted:
        row = [f"'{word}'" for word in one.words]
        row[-1] += ":*" if one.begins else ""
        yield f"({' <-> '.join(row)})"
