"""Who is erased is found in no table and no file; what others need stays whole."""

from __future__ import annotations

import email
import io
import json
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Boolean, LargeBinary, MetaData, inspect
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql.util import find_tables
from sqlmodel import AutoString, Session, SQLModel, select

from pbem.accounts import feed_addresses
from pbem.accounts import web_hooks as hook_rows
from pbem.archive.exports import kept
from pbem.cli import erase_player
from pbem.mail.incoming import store
from pbem.mail.incoming.parse.reading import Envelope
from pbem.models import (
    Entry,
    Game,
    Inbound,
    InboundState,
    Instant,
    Invitation,
    MailPause,
    Outbox,
    Person,
    SeatRow,
    operators,  # noqa: F401
    stored_id,
)
from pbem.models.operators import OperatorAct
from pbem.privacy import own_data
from pbem.record import nightly
from pbem.service import Service
from pbem.tables import chat, invitations, notes
from tests.support import tables
from tests.support.answering import Answers, at_table, placing, written
from tests.support.letterfactory import sign_in

NAME, ADDRESS, SECOND = "Anastazja", "anastazja@players.example", "anastazja@office.example"
TRACE = f"{NAME} {ADDRESS} {SECOND}"
# Columns that name a row of `person`; a new table's are found by reflection.
WHOSE = {"person_id", "by_id", "about_id", "blocked_id", "host_id"}
OURS = {"inbound.recipient", "inbound.digest", "inbound.reason", "pace.waits"}  # nobody's words
TOO_SHORT = 30  # a column of so few characters holds a key of ours, and no name


@pytest.fixture(params=["service", "postgres_service"])
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service on each of both databases, as the command finds it."""
    made: Service = request.getfixturevalue(request.param)
    monkeypatch.setattr(Service, "from_environment", lambda environ: made)
    return made


@pytest.fixture
def table(service: Service) -> Answers:
    """A running game at which Anastazja is asked."""
    return at_table(service, placing, names=(NAME, *tables.NAMES[1:]))


def tables_with_people() -> list[Any]:
    """The models whose rows belong to somebody."""
    found = [mapper.class_ for mapper in SQLModel._sa_registry.mappers
             if WHOSE & set(mapper.columns.keys())]
    return sorted(found, key=lambda model: str(model.__tablename__))


def filled(model: Any, person_id: int, game_id: int, hook_id: int, now: datetime) -> Any:
    """A row of this person's that names him wherever there is room."""
    values: dict[str, Any] = {}
    for column in model.__table__.columns:
        kind = column.type
        if column.name in WHOSE:
            values[column.name] = person_id
        elif column.foreign_keys:
            target = next(iter(column.foreign_keys)).column.table.name
            values[column.name] = {"game": game_id, "webhook": hook_id, "person": person_id}.get(
                target)
        elif column.primary_key and column.autoincrement is True:
            continue
        elif isinstance(kind, Instant):
            values[column.name] = now
        elif isinstance(kind, LargeBinary):
            values[column.name] = TRACE.encode()
        elif str(column) in OURS:
            values[column.name] = "{}"
        elif isinstance(kind, AutoString) and (kind.length or 999) > TOO_SHORT:
            values[column.name] = TRACE[:kind.length]
        elif not column.nullable and column.server_default is None:
            values[column.name] = {AutoString: "x", Boolean: False}.get(type(kind), 7)
    return model(**values)


def use_everything(service: Service, table: Answers) -> int:
    """Let Anastazja use all there is, and fill what she may not have; her number."""
    now, settings = service.clock.now(), service.settings
    letter = table.letter(name=NAME)
    others = table.letter("started", name="Bento")
    with service.writing() as session:
        her = session.exec(select(Person).where(Person.name == NAME)).one()
        game = session.get_one(Game, table.game_id)
        her.second_address, her.zone, her.holidays = SECOND, "Europe/Warsaw", "2026-12-24"
        game.title = f"{NAME}'s table"
        chat.post(session, table.game_id, her, f"I am {NAME}, {ADDRESS}", now)
        notes.write(session, game, her, entry=1, text=TRACE, now=now)
        feed_addresses.renew(session, her)
        hook = hook_rows.add(session, her, "https://hooks.example/anastazja", now)
        sign_in(session, SECOND, now)
        session.add(Invitation(game_id=table.game_id, by_id=table.person("Bento").id,
                               address=SECOND, nonce="0", created=now))
        session.add(MailPause(domain="players.example", until=now, since=now,
                              why=f"550 <{ADDRESS}> no"))
        session.add(OperatorAct(at=now, what="advance", about="g1", why=f"asked by {NAME}"))
        session.add(Outbox(address=SECOND, kind="sign_in", about_id=1, dedup_key="1",
                           state="sent", created=now, not_before=now, settled=now))
        waiting = Outbox(person_id=table.person('Bento').id, kind="chat",
                         game_id=table.game_id, dedup_key="2", created=now,
                         not_before=now + timedelta(days=1), raw=f"{NAME} says".encode())
        session.add(waiting)
        session.commit()
        hook_id = stored_id(hook)
    table.says(letter, f"chat I am {NAME}\nplace 8 recruiting", sender=SECOND)
    to = table.address(others, "words")
    table.arrives(written(to, f"status\n\n> {NAME} has moved", "bento@players.example"), to,
                  "bento@players.example")
    store.store(service, Envelope(ADDRESS, to, "smtp"), written(to, "status", ADDRESS))
    with service.writing() as session:
        for model in tables_with_people():
            add_one(session, filled(model, her.id or 0, table.game_id, hook_id, now))
        session.commit()
    folder = settings.var / "exports"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"x{kept.READY}").write_text(NAME)
    return stored_id(her)


def add_one(session: Session, row: Any) -> None:
    """Add it, unless she has one of the kind already and may have no second."""
    if isinstance(row, Person | SeatRow | Game | Invitation):
        return  # hers are real, and whom she invites is somebody else
    if isinstance(row, Inbound):
        row.state, row.told = InboundState.PLAYED, json.dumps({"sender": TRACE})
    try:
        with session.begin_nested():
            session.add(row)
            session.flush()
    except IntegrityError:
        session.expunge_all()


# ---- looking everywhere -------------------------------------------------------------------------


def everything(service: Service) -> Iterator[tuple[str, str]]:
    """Each text and each bytes of the database, in words; where it stands."""
    with service.engine.connect() as connection:
        found = MetaData()
        found.reflect(connection, views=True)
        for table in found.tables.values():
            for row in connection.execute(table.select()).mappings():
                for name, value in row.items():
                    yield from ((f"{table.name}.{name}", text) for text in texts_of(value))
    with service.reading() as session:
        for entry in session.exec(select(Entry)):
            yield "entry.body", entry.body


def texts_of(value: Any) -> list[str]:
    """What a value says, if it is a letter in whatever encoding its parts have."""
    if isinstance(value, memoryview):
        value = bytes(value)
    if not isinstance(value, bytes):
        return [] if value is None else [str(value)]
    parts = [part.get_payload(decode=True) for part in email.message_from_bytes(value).walk()]
    return [each.decode("utf-8", "replace") for each in (value, *filter(None, parts))]


def traces(service: Service) -> set[str]:
    """Where name or addresses stand."""
    return {place for place, text in everything(service)
            if any(word in text.lower() for word in (NAME.lower(), "office.example"))}


def erase(*more: str) -> int:
    return erase_player.main([ADDRESS, "--yes", *more])


def test_nothing_of_who_has_used_everything_is_found_in_any_table_or_file(
    service: Service, table: Answers
) -> None:
    person_id = use_everything(service, table)
    before = traces(service)
    assert {"person.address", "seat.name", "chat.text", "note.text", "inbound.raw", "outbox.raw",
            "webhook.url", "report.text", "recovery.address", "submission.orders",
            "standingorder.line", "invitation.address", "signin.address", "operatoract.why",
            "mailpause.why", "apitoken.name", "game.title"} <= before

    assert erase("--why", f"{NAME} asked for it") == 0

    assert traces(service) == set()
    assert not list((service.settings.var / "exports").glob("*.gz"))
    with service.reading() as session:
        act = session.exec(select(OperatorAct).where(OperatorAct.what == "erased")).one()
        assert (act.operator_id, act.about, act.why) == (None, f"p{person_id}", "... asked for it")


def test_the_others_go_on_and_their_game_is_as_it_was(service: Service, table: Answers) -> None:
    use_everything(service, table)

    assert erase() == 0

    assert list(nightly.faults(service)) == []
    with service.reading() as session:
        seats = session.exec(select(SeatRow).order_by(SeatRow.number)).all()
        assert [seat.name.split()[0] for seat in seats] == ["Former", *tables.NAMES[1:]]
        assert (seats[0].left, seats[0].resigned is None) == ("handover", False)
        assert seats[0].ahead is None
        kept = [row for row in session.exec(select(Inbound)) if row.raw]
        assert kept == []  # Bento's quoted her
        waiting = session.exec(select(Outbox).where(Outbox.dedup_key == "2")).one()
        assert (waiting.state, waiting.raw) == ("pending", None)  # is built anew


def test_a_letter_of_others_that_does_not_name_who_is_erased_stays(
    service: Service, table: Answers
) -> None:
    to = table.address(table.letter("started", name="Bento"), "words")
    table.arrives(written(to, "status", "bento@players.example"), to, "bento@players.example")

    assert erase() == 0

    with service.reading() as session:
        assert b"status" in (session.exec(select(Inbound)).one().raw or b"")


def test_a_number_names_a_player_too_and_the_second_time_there_is_nothing_to_do(
    service: Service, table: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    number = str(table.person(NAME).id)

    assert erase_player.main([number, "--yes"]) == 0
    assert erase_player.main([number, "--yes"]) == 1
    assert "is gone" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "code"), [(f"{NAME}\n", 0), ("Bento\n", 1), ("", 1)])
def test_it_is_done_once_the_name_is_typed(
    table: Answers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    typed: str, code: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))

    assert erase_player.main([ADDRESS]) == code

    said = capsys.readouterr().out
    assert "What goes" in said and "What stays" in said and "1 running games" in said
    assert (NAME in "".join(text for _, text in everything(table.service))) == (code == 1)


def test_an_address_that_never_played_is_taken_out_of_what_was_sent_to_it(
    service: Service, table: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    now, strange = service.clock.now(), "nobody@elsewhere.example"
    with service.writing() as session:
        bento = session.get_one(Person, table.person("Bento").id)
        sign_in(session, strange, now)
        game = session.get_one(Game, table.game_id)
        game.state = "open"
        game.host_id = bento.id or 0
        session.flush()
        invitations.invite(session, game_id=table.game_id, host=bento, address=strange, a_day=9,
                           now=now)
        session.commit()
    assert any("elsewhere" in text for _, text in everything(service))

    assert erase_player.main([strange, "--yes"]) == 0

    assert not any("elsewhere" in text for _, text in everything(service))
    assert "No player has this address" in capsys.readouterr().out


@pytest.mark.parametrize("who", ["999999", "no address"])
def test_who_is_not_there_is_not_erased(
    service: Service, who: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert erase_player.main([who, "--yes"]) == 1
    assert "no such player" in capsys.readouterr().err


# ---- own data -----------------------------------------------------------------------------------

# Tables with rows of somebody's that his file does not hold, and why.
NOT_TOLD = {
    "foundname": "an index of names that stand in his seats",
    "rating": "is shown on his page, and made of the games in his file",
    "ratedseat": "is shown on his page, and made of the games in his file",
    "pace": "is shown on his page, and made of the games in his file",
    "recovery": "was told by letters, which are in his file",
}


def test_the_file_of_ones_own_data_holds_every_table_that_is_about_a_person(
    service: Service, table: Answers
) -> None:
    use_everything(service, table)
    asked: set[str] = set()

    class Watched(Session):
        def exec(self, statement: Any, *args: Any, **more: Any) -> Any:
            asked.update(each.name for each in find_tables(statement, include_joins=True)
                         if hasattr(each, "name"))
            return super().exec(statement, *args, **more)

        def get(self, entity: Any, *args: Any, **more: Any) -> Any:
            asked.add(inspect(entity).local_table.name)
            return super().get(entity, *args, **more)

    with Watched(service.engine) as session:
        her = table.person(NAME)
        told = own_data.own_data(session, her, service.clock.now())

    ours = {str(model.__table__.name) for model in tables_with_people()} - {"person"}
    assert ours - asked == set(NOT_TOLD)
    assert asked.isdisjoint(NOT_TOLD)
    json.dumps(told)
    assert [each["text"] for each in told["reports_by_you"]] != []

