"""The words of a game's chat in each database's own full text, and what a reader looks for in them.

What is kept and what is looked for are cut into words here, without case and accents, so that both
databases find the same, and nothing that is typed is an operator of theirs.
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
    """Words in a row; `begins`: the last one may go on."""

    words: tuple[str, ...]
    begins: bool = False


def plain(text: str) -> str:
    """The text without case, accents and other forms of a sign: ² is 2, on both databases."""
    return without_accents(unicodedata.normalize("NFKD", text).casefold())


def tokens(text: str) -> list[str]:
    """The words of a text, as they are kept and looked for."""
    return WORD.findall(plain(text))


def asked(text: str) -> list[SearchPhrase]:
    """What a reader looks for: words, "words in a row", and beginnings*."""
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
    """Which of the two it is."""
    return session.get_bind().dialect.name == "sqlite"


def table_of(session: Session) -> Any:
    """The table of words; `newness` is its key."""
    return TABLES["rowid" if is_sqlite(session) else "newness"]


def put(session: Session, newness: int, text: str) -> None:
    """Keep a game's words in place of earlier ones; the caller commits."""
    take_out(session, newness)
    words = " ".join(tokens(text[:LONGEST]))
    if not words:
        return
    kept: Any = words if is_sqlite(session) else func.to_tsvector(SIMPLE, words)
    session.connection().execute(
        table_of(session).insert().values(newness=newness, words=kept))


def take_out(session: Session, newness: int) -> None:
    """Forget a game's words; the caller commits."""
    table = table_of(session)
    session.connection().execute(table.delete().where(table.c.newness == newness))


def says(session: Session, table: Any, wanted: list[SearchPhrase]) -> Any:
    """The same of a row that is at hand: FTS5 would look each one up from the beginning."""
    if not is_sqlite(session):
        return holds(session, table, wanted)
    said = literal(" ") + table.c.words + literal(" ")
    return and_(*(
        func.instr(said, f" {' '.join(one.words)}" + ("" if one.begins else " ")) > 0
        for one in wanted
    ))


def holds(session: Session, table: Any, wanted: list[SearchPhrase]) -> Any:
    """The condition that a game's words hold all that is wanted."""
    if is_sqlite(session):
        return literal_column("foundtext").op("match")(" ".join(for_sqlite(wanted)))
    lexemes = " & ".join(for_postgresql(wanted))
    return table.c.words.op("@@")(func.to_tsquery(SIMPLE, lexemes))


def for_sqlite(wanted: list[SearchPhrase]) -> Iterator[str]:
    """Strings in quotes, which FTS5 reads as words in a row, and a star behind beginnings."""
    for one in wanted:
        yield f'"{" ".join(one.words)}"' + (" *" if one.begins else "")


def for_postgresql(wanted: list[SearchPhrase]) -> Iterator[str]:
    """Lexemes in quotes, one behind the other where they were asked for in a row."""
    for one in wanted:
        row = [f"'{word}'" for word in one.words]
        row[-1] += ":*" if one.begins else ""
        yield f"({' <-> '.join(row)})"
