"""Statements that every move runs, compiled once and handed to the database's driver as they are.

SQLAlchemy's own way, by which all others go, takes 30 to 50 µs more for each statement, and 100 to
200 more where rows become objects. Transactions, objects, values and errors are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from sqlalchemy import Connection, Dialect, Insert, Select, inspect
from sqlalchemy.orm.base import instance_state
from sqlmodel import Session, SQLModel

Row = Any  # a tuple of columns, or of objects and columns
Values = Mapping[str, Any]
Where = Session | Connection
"""Where statements alone are run: a transaction without objects takes half of a session's time."""

Convert = Callable[[Any], Any]


class Prepared:
    """A statement whose values are named by `bindparam`, or by the `columns` that it writes.

    It may read whole rows as the session's objects, behind them single columns; or return the row
    that it inserts.
    """

    def __init__(self, statement: Any, *columns: str) -> None:
        self._statement = statement
        self._columns = columns
        self._kinds = [_Kind(each) for each in _described(statement)]
        self._width = sum(len(kind.names) for kind in self._kinds)
        self._is_anew = bool(statement.get_execution_options().get("populate_existing"))
        self._plans: dict[str, _Plan] = {}

    def rows(self, session: Session, **values: Any) -> list[Row]:
        """What it finds; what the session has changed is written before, as by `execute`."""
        if session.autoflush:
            session.flush()
        connection = session.connection()
        plan, cursor = self._done(connection, values)
        try:
            found = plan.converted(cursor.fetchall())
        except connection.dialect.loaded_dbapi.Error as problem:
            _fail(connection, problem, plan, cursor)
        connection.info[self] = cursor
        if not self._kinds:
            return found
        if not isinstance(self._statement, Select):
            return [[self._kinds[0].new_object(session, row)] for row in found]
        return self._with_objects(session, found, values)

    def first(self, session: Session, **values: Any) -> Row | None:
        """The first of what it finds; None if that is nothing."""
        found = self.rows(session, **values)
        return found[0] if found else None

    def each(self, session: Session, **values: Any) -> list[Any]:
        """The first column, or object, of all that it finds."""
        return [row[0] for row in self.rows(session, **values)]

    def one(self, session: Session, **values: Any) -> Any:
        """The first column, or object, of the first that it finds; None if that is nothing."""
        found = self.rows(session, **values)
        return found[0][0] if found else None

    def run(self, where: Where, values: Values) -> int:
        """Change rows, and nothing else before them; how many."""
        connection = where.connection() if isinstance(where, Session) else where
        _, cursor = self._done(connection, values)
        connection.info[self] = cursor
        return int(cursor.rowcount)

    def _done(self, connection: Connection, values: Values) -> tuple[_Plan, Any]:
        """Its plan for this database, and a cursor that has executed it.

        A connection keeps the cursor of a statement that went well: the driver has read by then
        what comes and goes there.
        """
        dialect = connection.dialect
        plan = self._plans.get(dialect.name)
        if plan is None:
            plan = self._plans[dialect.name] = _Plan(self._statement, dialect, self._columns)
        given = plan.given(values)
        cursor = connection.info.pop(self, None) or connection.connection.cursor(**plan.cursor)
        is_heard = connection._has_events or connection.engine._has_events
        if is_heard:
            for listen in connection.dispatch.before_cursor_execute:
                listen(connection, cursor, plan.text, given, None, False)
        try:
            cursor.execute(plan.text, given)
        except dialect.loaded_dbapi.Error as problem:
            _fail(connection, problem, plan, cursor)
        if is_heard:
            for listen in connection.dispatch.after_cursor_execute:
                listen(connection, cursor, plan.text, given, None, False)
        return plan, cursor

    def _with_objects(self, session: Session, found: list[Row], values: Values) -> list[Row]:
        """The rows with the session's objects; by SQLAlchemy's way where it may have to renew one.

        That is: where the session has an object already that has to be read anew.
        """
        made: list[Row] = []
        for row in found:
            objects, begin = [], 0
            for kind in self._kinds:
                part = row[begin : begin + len(kind.names)]
                one = kind.object_of(session, part, is_anew=self._is_anew)
                if one is None:
                    return list(session.execute(self._statement, values))
                objects.append(one)
                begin += len(kind.names)
            made.append((*objects, *row[self._width :]))
        return made


def _fail(connection: Connection, problem: Exception, plan: _Plan, cursor: Any) -> NoReturn:
    """Raise what SQLAlchemy would, which has a lost connection made anew."""
    connection._handle_dbapi_exception(problem, plan.text, None, cursor, None)


def _described(statement: Any) -> list[type[SQLModel]]:
    """The whole rows that a statement reads, which stand in front of its columns."""
    described: list[Any] = []
    if isinstance(statement, Select):
        described = statement.column_descriptions
    elif isinstance(statement, Insert):
        described = [statement.entity_description]
    kinds = [each.get("type") for each in described]
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, SQLModel)]


class _Kind:
    """Makes objects of a table's rows, as a session holds them."""

    def __init__(self, kind: Any) -> None:
        mapper = inspect(kind)
        self.names = [mapper.get_property_by_column(each).key for each in kind.__table__.c]
        self._keys = [self.names.index(key.name) for key in mapper.primary_key]
        self._kind = kind
        self._new: Callable[[], Any] = mapper.class_manager.new_instance

    def object_of(self, session: Session, values: Row, *, is_anew: bool) -> Any:
        """The session's object of a row; None if that has to be read anew."""
        key = self._key_of(values)
        known = session.identity_map.get(key)
        if known is None:
            return self._made(session, key, values)
        return None if is_anew or instance_state(known).expired else known

    def new_object(self, session: Session, values: Row) -> Any:
        """An object of a row that the session does not know, or knows from before it was undone."""
        return self._made(session, self._key_of(values), values)

    def _made(self, session: Session, key: Any, values: Row) -> Any:
        made = self._new()
        made.__dict__.update(zip(self.names, values, strict=True))
        state = instance_state(made)
        state.key, state.session_id = key, session.hash_key
        session.identity_map.replace(state)
        return made

    def _key_of(self, values: Row) -> Any:
        return self._kind, tuple([values[place] for place in self._keys]), None


class _Plan:
    """A statement's text for one kind of database, and how values become its own and back."""

    def __init__(self, statement: Any, dialect: Dialect, columns: Sequence[str]) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=columns or None)
        if compiled.post_compile_params:
            raise ValueError("a list of values gives another text each time")
        self.text = str(compiled)
        self.cursor = {"binary": True} if dialect.name == "postgresql" else {}
        self._places = tuple(compiled.positiontup) if compiled.positional else None
        self._fixed = dict(compiled.params)
        self._in = _converting(
            (name, each.type.dialect_impl(dialect).bind_processor(dialect))
            for each, name in compiled.bind_names.items())
        read = statement.selected_columns if isinstance(statement, Select) else (
            statement.exported_columns)
        self._out = _converting(
            (place, each.type.dialect_impl(dialect).result_processor(dialect, None))
            for place, each in enumerate(read))

    def given(self, values: Values) -> Any:
        """The driver's parameters."""
        given = {**self._fixed, **values}
        for name, convert in self._in:
            given[name] = convert(given[name])
        return given if self._places is None else tuple([given[name] for name in self._places])

    def converted(self, found: list[Row]) -> list[Row]:
        """Rows as the driver gives them, with our values."""
        if not self._out:
            return found
        rows = [list(row) for row in found]
        for row in rows:
            for place, convert in self._out:
                if row[place] is not None:  # no type of ours makes anything of NULL
                    row[place] = convert(row[place])
        return rows


def _converting(some: Iterable[tuple[Any, Convert | None]]) -> list[tuple[Any, Convert]]:
    return [(name, convert) for name, convert in some if convert is not None]
