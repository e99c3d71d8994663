"""Statements that go to the driver as they are: as by SQLAlchemy's own way, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import bindparam, delete, event, insert, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlmodel import Session, col, select

from pbem import db
from pbem.models import ComponentSet, Game, Outbox, Person, SeatRow
from pbem.prepared import Prepared
from pbem.service import Service
from tests.pbem.tables import started_game

_people = Person.__table__  # type: ignore[attr-defined]
_sets = ComponentSet.__table__  # type: ignore[attr-defined]
SEATS_AND_PEOPLE = (
    select(SeatRow, Person, _people.c.awake, _people.c.created)
    .join(Person, col(Person.id) == col(SeatRow.person_id))
    .where(SeatRow.game_id == bindparam("game"))
    .order_by(col(SeatRow.number))
)
AT_TABLE = Prepared(SEATS_AND_PEOPLE)
PERSON = Prepared(select(Person).where(Person.id == bindparam("person")))
ANEW = Prepared(
    select(Person).where(Person.id == bindparam("person"))
    .execution_options(populate_existing=True))  # fmt: skip
NAME = Prepared(select(_people.c.name).where(_people.c.id == bindparam("person")))
PUT = Prepared(insert(_sets), "digest", "game", "name", "toml")
PUT_WHOLE = Prepared(insert(ComponentSet).returning(ComponentSet), "digest", "game", "name", "toml")
RENAME = Prepared(
    update(_sets).where(_sets.c.digest == bindparam("which")).values(name=bindparam("called")))


@pytest.fixture(params=["service", "postgres_service"])
def site(request: pytest.FixtureRequest) -> Service:
    """A service on SQLite, then one on PostgreSQL."""
    made: Service = request.getfixturevalue(request.param)
    return made


@pytest.fixture
def game(site: Service) -> Game:
    with site.writing() as session:
        made = started_game(session, site.clock.now())
        session.commit()
    return made


@pytest.fixture
def session(site: Service) -> Iterator[Session]:
    with site.writing() as opened:
        yield opened


def put(session: Session, digest: str) -> None:
    PUT.run(session, {"digest": digest, "game": "g", "name": "n", "toml": ""})


def test_objects_and_columns_have_the_values_that_sqlalchemy_gives_them(
    site: Service, session: Session, game: Game
) -> None:
    with site.reading() as other:
        found = AT_TABLE.rows(other, game=game.id)
    expected = session.execute(SEATS_AND_PEOPLE, {"game": game.id}).all()

    assert [plain(row) for row in found] == [plain(row) for row in expected]
    assert len(found) == 4


def plain(row: Any) -> list[Any]:
    return [each.model_dump() if hasattr(each, "model_dump") else each for each in row]


def test_a_row_is_the_object_that_its_session_has_for_it(session: Session, game: Game) -> None:
    seat, person, *_ = AT_TABLE.rows(session, game=game.id)[0]

    assert PERSON.one(session, person=person.id) is person
    assert session.get(Person, person.id) is person
    assert session.get(SeatRow, seat.id) is seat


def test_objects_that_the_session_has_already_are_not_made_twice(
    session: Session, game: Game
) -> None:
    person = session.get_one(Person, game.host_id)

    assert PERSON.one(session, person=game.host_id) is person


def test_what_is_changed_of_an_object_is_written(
    site: Service, session: Session, game: Game
) -> None:
    PERSON.one(session, person=game.host_id).language = "hu"
    session.commit()

    with site.reading() as fresh:
        assert fresh.get_one(Person, game.host_id).language == "hu"


def test_what_is_changed_is_written_before_it_is_asked_for(session: Session, game: Game) -> None:
    session.get_one(Person, game.host_id).name = "Anabela"

    assert NAME.one(session, person=game.host_id) == "Anabela"


def test_an_object_is_read_anew_where_the_statement_says_so(
    site: Service, session: Session, game: Game
) -> None:
    person = PERSON.one(session, person=game.host_id)
    session.commit()
    with site.writing() as other:
        other.get_one(Person, game.host_id).name = "Anabela"
        other.commit()

    assert PERSON.one(session, person=game.host_id).name != "Anabela"
    assert ANEW.one(session, person=game.host_id) is person
    assert person.name == "Anabela"


def test_an_object_that_has_expired_is_read_anew(session: Session, game: Game) -> None:
    person = session.get_one(Person, game.host_id)
    session.expire(person)

    assert PERSON.one(session, person=game.host_id).name == NAME.one(session, person=game.host_id)


def test_an_object_that_nobody_has_in_hand_is_forgotten(session: Session, game: Game) -> None:
    PERSON.one(session, person=game.host_id)

    assert not session.identity_map.values()


def test_what_is_not_there_is_none(session: Session) -> None:
    assert PERSON.one(session, person=0) is None
    assert PERSON.first(session, person=0) is None
    assert PERSON.each(session, person=0) == []


def test_a_row_that_is_inserted_is_the_sessions_object(session: Session) -> None:
    made = PUT_WHOLE.one(session, digest="d", game="goa", name="one", toml="")
    made.name = "two"
    session.commit()
    session.expire_all()

    assert session.get(ComponentSet, "d") is made
    assert made.name == "two"


def test_a_row_that_is_inserted_again_after_it_was_undone_is_there_once(session: Session) -> None:
    undone = PUT_WHOLE.one(session, digest="d", game="goa", name="one", toml="")
    session.rollback()
    made = PUT_WHOLE.one(session, digest="d", game="goa", name="two", toml="")
    session.commit()

    assert undone is not made
    assert [each.name for each in session.exec(select(ComponentSet))] == ["two"]


def test_changes_are_counted_and_undone_with_their_transaction(
    site: Service, session: Session
) -> None:
    put(session, "one")
    assert RENAME.run(session, {"which": "one", "called": "new"}) == 1
    assert RENAME.run(session, {"which": "none", "called": "new"}) == 0

    session.rollback()

    with site.reading() as fresh:
        assert fresh.exec(select(ComponentSet)).all() == []


def test_a_row_that_is_there_twice_is_sqlalchemys_error_without_its_values(
    session: Session,
) -> None:
    put(session, "secret")
    with pytest.raises(IntegrityError) as raised:
        put(session, "secret")

    assert not db.is_away(raised.value)
    assert "INSERT INTO componentset" in str(raised.value)
    assert "values" not in str(raised.value.params)


def test_a_statement_that_went_wrong_works_the_next_time_on_the_same_connection(
    session: Session,
) -> None:
    put(session, "one")
    session.commit()
    with pytest.raises(IntegrityError):
        put(session, "one")
    session.rollback()

    put(session, "two")

    assert RENAME.run(session, {"which": "two", "called": "new"}) == 1


def test_what_a_statement_has_found_stays_when_it_runs_once_more(
    session: Session, game: Game
) -> None:
    first = NAME.rows(session, person=game.host_id)
    name = first[0][0]

    assert NAME.rows(session, person=0) == []
    assert first[0][0] == name


def test_a_statement_that_finds_no_table_is_a_fault_of_ours(session: Session) -> None:
    session.connection().exec_driver_sql("alter table mailpause rename to elsewhere")
    from pbem.models import MailPause

    with pytest.raises(DBAPIError) as raised:
        Prepared(delete(MailPause)).run(session, {})

    assert not db.is_away(raised.value)


def test_who_listens_to_statements_hears_of_them(
    site: Service, session: Session, game: Game
) -> None:
    heard: list[str] = []
    for name in ("before_cursor_execute", "after_cursor_execute"):
        event.listen(site.engine, name, lambda _c, _cursor, text, *_: heard.append(text))

    NAME.one(session, person=game.host_id)

    assert [text.split()[0] for text in heard if "person.name" in text] == ["SELECT", "SELECT"]


def test_lists_of_values_are_refused_as_their_text_differs_each_time(session: Session) -> None:
    several = Prepared(select(_people.c.name).where(
        _people.c.id.in_(bindparam("people", expanding=True))))

    with pytest.raises(ValueError, match="list"):
        several.rows(session, people=[1, 2])


def test_a_connection_that_is_lost_counts_as_a_database_that_is_away_and_is_made_anew(
    postgres_service: Service,
) -> None:
    with postgres_service.writing() as session:
        [server] = session.connection().exec_driver_sql("select pg_backend_pid()").one()
        with postgres_service.engine.connect() as other:
            other.exec_driver_sql(f"select pg_terminate_backend({server}, 5000)")
        with pytest.raises(DBAPIError) as raised:
            NAME.one(session, person=1)

    assert isinstance(raised.value.orig, psycopg.OperationalError)
    assert db.is_away(raised.value)
    with postgres_service.writing() as session:
        assert NAME.one(session, person=1) is None


def test_the_columns_of_a_letter_that_is_due_are_all_that_its_row_is_made_of() -> None:
    """A column that is added there has to be thought of where letters become due."""
    from pbem.mail.outbox import _DUE

    optional = {each.name for each in Outbox.__table__.c if each.nullable}  # type: ignore[attr-defined]
    assert {each.name for each in Outbox.__table__.c} - optional - {"id"} <= set(_DUE)  # type: ignore[attr-defined]
