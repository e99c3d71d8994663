"""Old rows and files go in small batches; what may still be asked for stays."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import select

from pbem import cleanup
from pbem.archive.exports import kept
from pbem.models import Inbound, InboundState, SignIn, WebSession, stored_id
from pbem.models.archive import ApiToken, HookCall, WebHook
from pbem.models.operators import Recovery
from pbem.service import Service
from tests.conftest import NOON
from tests.support.letterfactory import person

DAY = timedelta(days=1)


def rows_of(age: timedelta, number: int, person_id: int, hook_id: int) -> list[Any]:
    """One row of each kind that was over so long ago."""
    at = NOON - age
    return [
        SignIn(purpose="sign_in", address="a@players.example", browser="b", created=at, expires=at),
        WebSession(id=f"s{number}", person_id=person_id, created=at, used=at),
        HookCall(hook_id=hook_id, game_id=None, occasion=f"c{number}", not_before=at, settled=at),
        ApiToken(person_id=person_id, hash=f"h{number}", name="n", scopes="read", created=at,
                 expires=at),
        Recovery(person_id=person_id, address="a@players.example", created=at, due=at),
        Inbound(received=at, source="smtp", recipient="r", digest="d", raw=b"raw", told="{}",
                sender="a@players.example", state=InboundState.PLAYED),
    ]


MODELS = (SignIn, WebSession, HookCall, ApiToken, Recovery)


@pytest.fixture(params=["service", "postgres_service"])
def service(request: pytest.FixtureRequest) -> Service:
    """A service on each of both databases."""
    found: Service = request.getfixturevalue(request.param)
    return found


def filled(service: Service, *ages: timedelta) -> None:
    """Rows of such ages, the newest last."""
    with service.writing() as session:
        ana = person(session, "Ana")
        hook = WebHook(person_id=stored_id(ana), url="https://h.example", secret="s", created=NOON)
        session.add(hook)
        session.flush()
        for number, age in enumerate(ages):
            session.add_all(rows_of(age, number, stored_id(ana), stored_id(hook)))
            session.flush()
        session.commit()


def counted(service: Service) -> list[int]:
    with service.reading() as session:
        return [len(session.exec(select(model)).all()) for model in MODELS]


def test_what_is_long_over_goes_and_what_is_not_stays(service: Service) -> None:
    filled(service, 200 * DAY, 200 * DAY, DAY)

    dropped = cleanup.tidy(service)

    assert counted(service) == [1] * len(MODELS)
    assert dropped == {"signin": 2, "websession": 2, "hookcall": 2, "apitoken": 2, "recovery": 2,
                       "inbound": 2, "guest": 0}
    with service.reading() as session:
        assert [row.raw for row in session.exec(select(Inbound).order_by("id"))] == [
            None, None, b"raw"]


def test_no_number_is_given_out_twice(service: Service) -> None:
    """A letter is due once for a sign-in's number: a second s1 would get none."""
    filled(service, 200 * DAY, 200 * DAY)
    with service.reading() as session:
        newest = max(row.id or 0 for row in session.exec(select(SignIn)))

    cleanup.tidy(service)

    with service.writing() as session:
        made = SignIn(purpose="sign_in", address="b@players.example", browser="b", created=NOON,
                      expires=NOON)
        session.add(made)
        session.flush()
        assert stored_id(made) > newest


def test_each_transaction_drops_a_few_rows_only(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(service, *[200 * DAY] * 8)
    monkeypatch.setattr(cleanup, "AT_ONCE", 3)
    at_once: list[int] = []

    def note(_connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("DELETE"):
            at_once.append(cursor.rowcount)

    event.listen(service.engine, "after_cursor_execute", note)
    cleanup.tidy(service)

    assert max(at_once) == 3
    assert counted(service) == [1, 0, 1, 1, 1]  # the newest number is kept


def test_a_flood_is_left_to_the_next_hours(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(service, *[200 * DAY] * 8)
    monkeypatch.setattr(cleanup, "AT_ONCE", 2)
    monkeypatch.setattr(cleanup, "MOST", 4)

    cleanup.tidy(service)

    assert counted(service) == [4] * len(MODELS)


def test_exports_of_last_week_go_though_none_is_made(service: Service) -> None:
    folder = kept.folder_of(service)
    folder.mkdir(parents=True)
    old, new = (folder / f"{name}{kept.READY}" for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"")
    before = time.time() - kept.KEPT_SECONDS - 1
    os.utime(old, (before, before))

    cleanup.tidy(service)

    assert (old.exists(), new.exists()) == (False, True)
