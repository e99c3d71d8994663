"""The JSON API: tokens, what programs see and send, and its description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select
from werkzeug.test import TestResponse

from pbem.accounts import api_tokens
from pbem.clock import FixedClock
from pbem.models import Game, Person, Submission, stored_id
from pbem.models.archive import ApiToken
from pbem.play import advance
from pbem.privacy import closure
from pbem.service import Service
from pbem.tables import seats
from pbem.web.api import openapi, types
from pbem.web.api import routes as api
from pbem.web.api.problems import Problem
from pbem.web.context import COOKIE
from tests.conftest import NOON, Enqueuer
from tests.support.at_table import order, play_on
from tests.support.tables import ANA, BENTO, seat

ORDER = "place 3 projects"


class Program:
    """A program with a token."""

    def __init__(self, app: Flask, token: str, game: Game) -> None:
        self.http = app.test_client()
        self.head = {"Authorization": f"Bearer {token}"}
        self.path = f"/api/v1/games/{game.id}"

    def get(self, path: str = "", **query: Any) -> TestResponse:
        path = path if path.startswith("/api") else self.path + path
        return self.http.get(path, headers=self.head, query_string=query)

    def post(self, path: str, orders: str, seen: int, **headers: str) -> TestResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(self.path + path, json={"orders": orders, "seen": seen},
                              headers=self.head | sent)

    def send(self, orders: str, seen: int, key: str = "one") -> TestResponse:
        return self.post("/orders", orders, seen, Idempotency_Key=key)


def token_of(
    session: Session, game: Game, number: int, *, scopes: tuple[str, ...] = ("read", "play")
) -> str:
    person = session.get_one(Person, seat(session, game, number).person_id)
    token = api_tokens.make(session, person, name="bot", scopes=scopes, days=30, now=NOON)
    session.commit()
    return token


@pytest.fixture
def program(flask_app: Flask, session: Session, game: Game) -> Program:
    """Ana's, who is asked."""
    return Program(flask_app, token_of(session, game, ANA), game)


@pytest.fixture
def bentos(flask_app: Flask, session: Session, game: Game) -> Program:
    return Program(flask_app, token_of(session, game, BENTO), game)


def read(answer: TestResponse, kind: Any) -> Any:
    """The answer as its class, which must hold all of it."""
    told = msgspec.json.decode(answer.data, type=kind)
    assert msgspec.json.decode(msgspec.json.encode(told)) == answer.json
    return told


def problem(answer: TestResponse, status: int) -> Problem:
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    told = msgspec.json.decode(answer.data, type=Problem)
    assert told.status == status
    return told


# ---- tokens -------------------------------------------------------------------------------------


def test_a_token_is_shown_once_and_kept_as_a_hash(
    ana: FlaskClient, client: FlaskClient, session: Session
) -> None:
    made = ana.post("/account/tokens", data={"name": "My bot", "play": "yes", "days": "90"})

    found = re.search(r"carreira_[\w-]{43}", made.text)
    assert made.status_code == 201 and found is not None
    token = found[0]
    assert token not in ana.get("/account/tokens").text
    assert "My bot" in ana.get("/account/tokens").text
    kept = session.exec(select(ApiToken)).one()
    assert token not in repr(kept)
    assert kept.scopes == "read play"
    session.rollback()
    head = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/games", headers=head).status_code == 200


def test_a_token_without_an_end_stands_on_the_page_with_the_others(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    token_of(session, game, ANA)
    session.exec(select(ApiToken)).one().expires = None
    session.commit()
    assert "does not end" in ana.get("/account/tokens").text


def test_a_token_without_a_name_or_with_a_wrong_end_is_not_made(
    ana: FlaskClient, session: Session
) -> None:
    assert ana.post("/account/tokens", data={"name": " ", "days": "90"}).status_code == 400
    assert ana.post("/account/tokens", data={"name": "x", "days": "364"}).status_code == 400

    assert session.exec(select(ApiToken)).all() == []


def test_without_a_token_nothing_is_told(flask_app: Flask, ana: FlaskClient, game: Game) -> None:
    for rule in flask_app.url_map.iter_rules():
        if not rule.endpoint.startswith("api.") or rule.endpoint in api.OPEN:
            continue
        path = re.sub("<[^>]+>", "1", rule.rule)
        method = next(each for each in ("POST", "GET", "DELETE") if each in (rule.methods or ()))
        answer = ana.open(path, method=method)  # a signed-in browser's cookie counts for nothing
        problem(answer, 401)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("head", ["Bearer", "Bearer x", "Basic abc", "Bearer \xe9", "bearer " * 9])
def test_a_wrong_token_opens_nothing(client: FlaskClient, game: Game, head: str) -> None:
    problem(client.get("/api/v1/games", headers={"Authorization": head}), 401)


def test_who_guesses_tokens_is_stopped(client: FlaskClient, game: Game) -> None:
    head = {"Authorization": "Bearer carreira_guess"}
    answers = {client.get("/api/v1/games", headers=head).status_code for _ in range(61)}

    assert answers == {401, 429}


def test_a_token_ends(program: Program, clock: FixedClock) -> None:
    clock.forward(timedelta(days=29))
    assert program.get().status_code == 200

    clock.forward(timedelta(days=1))

    problem(program.get(), 401)


def test_a_revoked_token_ends_at_once_and_only_its_owner_revokes_it(
    program: Program, ana: FlaskClient, bento: FlaskClient
) -> None:
    bento.post("/account/tokens/1/revoke")
    assert program.get().status_code == 200

    ana.post("/account/tokens/1/revoke")

    problem(program.get(), 401)


def test_tokens_go_with_who_leaves_for_good(
    program: Program, session: Session, game: Game
) -> None:
    ana = session.get_one(Person, seat(session, game, ANA).person_id)
    seats.resign(session, stored_id(game), stored_id(ana), NOON)
    closure.leave_for_good(session, ana, NOON)
    session.commit()

    problem(program.get(), 401)


def test_a_token_that_only_reads_sends_nothing(
    flask_app: Flask, session: Session, game: Game
) -> None:
    reads = Program(flask_app, token_of(session, game, ANA, scopes=("read",)), game)

    assert reads.post("/preview", ORDER, game.last_entry).status_code == 200
    assert "play" in problem(reads.send(ORDER, game.last_entry), 403).detail
    assert session.exec(select(Submission).where(Submission.source == "api")).all() == []


def test_the_last_use_of_a_token_is_noted_once_an_hour(
    program: Program, session: Session, clock: FixedClock
) -> None:
    def used() -> Any:
        found = session.exec(select(ApiToken.used)).one()
        session.rollback()
        return found

    program.get().close()
    assert used() == NOON
    clock.forward(timedelta(minutes=59))
    program.get().close()
    assert used() == NOON
    clock.forward(timedelta(minutes=1))
    program.get().close()
    assert used() == NOON + timedelta(hours=1)


# ---- looking ------------------------------------------------------------------------------------


def test_the_list_says_what_is_asked(program: Program, bentos: Program, game: Game) -> None:
    [mine] = read(program.get("/api/v1/games"), types.Games).games
    [his] = read(bentos.get("/api/v1/games"), types.Games).games

    assert (mine.id, mine.asked, mine.your_seat, mine.entry) == (game.id, True, 0, game.last_entry)
    assert mine.question
    assert (his.asked, his.question) == (False, "")


def test_the_table_is_shown_now_and_at_any_entry(program: Program, game: Game) -> None:
    now = read(program.get(), types.TableShown)
    before = read(program.get(entry=1), types.TableShown)

    assert (now.entry, now.is_asked, now.asked) == (game.last_entry, True, [ANA])
    assert now.view["viewer"] == ANA
    assert [each.name for each in now.seats] == ["Ana", "Bento", "Catarina", "Duarte"]
    assert before.entry == 1
    problem(program.get(entry=game.last_entry + 1), 400)
    problem(program.get(entry="x"), 400)


def test_legal_orders_can_be_sent(program: Program, bentos: Program, game: Game) -> None:
    some = read(program.get("/orders", limit=3), types.LegalOrders)

    assert len(some.orders) == 3 and some.more
    assert program.post("/preview", some.orders[0], some.entry).status_code == 200
    assert read(bentos.get("/orders"), types.LegalOrders).orders == []


def test_history_goes_on_where_it_stopped(
    program: Program, service: Service, session: Session, game: Game
) -> None:
    play_on(service, session, game, lambda _: game.last_entry > 12)
    pages, first = [], 1
    while first:
        page = read(program.get("/history", **{"from": first, "limit": 5}), types.History)
        pages.append(page)
        first = page.next

    numbers = [each.number for page in pages for each in page.entries]
    assert numbers == list(range(1, game.last_entry + 1))
    mine = [each for page in pages for each in page.entries if each.seat == ANA]
    others = [each for page in pages for each in page.entries if each.seat == BENTO]
    assert {each.how for each in mine} <= {"page", "forced"} and all(e.is_exact for e in mine)
    assert {(each.how, each.at) for each in others} == {("", "2026-03-02")}
    assert all("type" in event for page in pages for e in page.entries for event in e.events)
    assert read(program.get("/history", **{"from": 999}), types.History).entries == []


def test_the_record_is_open_once_the_game_is_over(
    program: Program, session: Session, game: Game
) -> None:
    problem(program.get("/record"), 404)
    game.state = "cancelled"
    session.add(game)
    session.commit()

    lines = program.get("/record").text.splitlines()

    assert len(lines) == 1 + game.last_entry


def test_a_record_keeps_no_connection_to_the_database_when_it_has_left(
    program: Program, service: Service, session: Session, game: Game
) -> None:
    game.state = "cancelled"
    session.add(game)
    session.commit()
    held = service.engine.pool.checkedout()

    answers = [program.get("/record") for _ in range(3)]

    assert all(answer.data for answer in answers)
    assert service.engine.pool.checkedout() == held


def test_a_private_game_of_others_is_not_there(
    program: Program, bentos: Program, session: Session, game: Game
) -> None:
    game.private = True
    session.add(game)
    stranger = Person(name="Eva", address="eva@players.example", created=NOON)
    session.add(stranger)
    session.flush()
    token = api_tokens.make(session, stranger, name="x", scopes=["read"], days=30, now=NOON)
    session.commit()
    program.head = {"Authorization": f"Bearer {token}"}

    for path in ("", "/orders", "/history", "/record"):
        problem(program.get(path), 404)
    assert bentos.get().status_code == 200


def test_who_looks_on_has_no_orders(program: Program, session: Session, game: Game) -> None:
    stranger = Person(name="Eva", address="eva@players.example", created=NOON)
    session.add(stranger)
    session.flush()
    token = api_tokens.make(session, stranger, name="x", scopes=["read", "play"], days=30, now=NOON)
    session.commit()
    program.head = {"Authorization": f"Bearer {token}"}

    assert read(program.get(), types.TableShown).your_seat is None
    problem(program.get("/orders"), 403)
    problem(program.send(ORDER, game.last_entry), 403)


# ---- sending ------------------------------------------------------------------------------------


def kept(session: Session) -> list[Submission]:
    found = list(session.exec(select(Submission).where(Submission.source == "api")))
    session.rollback()  # lets others write
    return found


def test_a_preview_says_what_orders_would_do_and_keeps_nothing(
    program: Program, session: Session, game: Game
) -> None:
    told = read(program.post("/preview", ORDER, game.last_entry), types.PreviewShown)

    assert told.orders == [ORDER]
    assert told.lines and "Ana" in told.lines[0].text
    assert kept(session) == []


def test_orders_are_recorded_and_played(
    program: Program, session: Session, game: Game, enqueuer: Enqueuer, service: Service
) -> None:
    before = game.last_entry
    answer = program.send(ORDER, before)

    told = read(answer, types.SubmissionShown)
    assert (answer.status_code, told.state) == (202, "pending")
    assert ("carreira.advance", (game.id,)) in enqueuer.put_in
    session.rollback()
    advance.advance(session, stored_id(game), NOON)
    later = read(program.get(answer.headers["Location"]), types.SubmissionShown)
    assert (later.state, later.first_entry) == ("played", before + 1)
    [entry] = read(program.get("/history", **{"from": before + 1, "limit": 1}),
                   types.History).entries
    assert entry.how == "api"


def test_one_key_is_one_sending(program: Program, session: Session, game: Game) -> None:
    now = game.last_entry
    first, again = program.send(ORDER, now), program.send(ORDER, now)

    assert first.json == again.json
    assert len(kept(session)) == 1
    for orders, seen in (("pass", now), (ORDER, 1)):
        clash = problem(program.send(orders, seen), 409)
        assert clash.key == "key_reused"
    assert len(kept(session)) == 1


def test_without_a_key_nothing_is_kept(program: Program, session: Session, game: Game) -> None:
    for key in ("", "x" * 81, "\xe9"):
        problem(program.send(ORDER, game.last_entry, key), 400)

    assert kept(session) == []


def test_orders_to_an_earlier_question_get_the_news(
    program: Program, session: Session, service: Service, game: Game
) -> None:
    seen = game.last_entry
    order(service, session, game, ANA, ORDER)
    play_on(service, session, game, lambda state: ANA in state.awaiting.seats)

    told = problem(program.send("place 15 projects", seen, "two"), 409)

    assert told.key == "position_moved_on"
    assert told.entry == game.last_entry
    assert told.news and all(each.entry > seen for each in told.news)


def test_a_refusal_says_which_rule_decides_and_what_would_do(
    program: Program, session: Session, game: Game
) -> None:
    told = problem(program.send("place 99 projects", game.last_entry), 422)

    assert told.key and told.rule and told.choices and told.detail
    assert program.post("/preview", told.choices[0], game.last_entry).status_code == 200
    assert kept(session) == []


def test_orders_out_of_turn_are_refused(bentos: Program, game: Game) -> None:
    assert problem(bentos.send(ORDER, game.last_entry), 422).key


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"null", b'{"orders": "pass"}', b'{"orders": 1, "seen": 1}', b"\xff",
    b'{"orders": "pass", "seen": 0}', b'{"orders": "pass", "seen": true}',
    b'{"orders": "", "seen": 1}', b'{"orders": "pass", "seen": 1, "x": 1}',
    b'{"orders": "pass", "seen": 99999}', b'{"orders": "a\\u0000b", "seen": 1}',
    b'{"orders": "\\ud800", "seen": 1}', b'{"orders": "' + b"x" * 5000 + b'", "seen": 1}',
])
def test_a_body_that_cannot_be_read_is_refused(
    program: Program, session: Session, body: bytes
) -> None:
    for path in ("/orders", "/preview"):
        head = program.head | {"Content-Type": "application/json", "Idempotency-Key": "k"}
        problem(program.http.post(program.path + path, data=body, headers=head), 400)

    assert kept(session) == []


def test_only_json_is_read(program: Program, game: Game) -> None:
    form = {"orders": ORDER, "seen": str(game.last_entry)}
    head = program.head | {"Idempotency-Key": "k"}

    problem(program.http.post(f"{program.path}/orders", data=form, headers=head), 415)


def test_what_became_of_orders_is_told_to_their_sender_alone(
    program: Program, bentos: Program, game: Game
) -> None:
    where = program.send(ORDER, game.last_entry).headers["Location"]

    problem(bentos.get(where), 404)


def test_errors_are_problems_for_programs_and_pages_for_people(
    program: Program, client: FlaskClient
) -> None:
    problem(program.get("/api/v1/nothing"), 404)
    wrong = program.http.delete(program.path, headers=program.head)
    assert "GET" in wrong.headers["Allow"]
    problem(wrong, 405)
    assert "text/html" in client.get("/nothing").headers["Content-Type"]


def test_our_own_fault_is_a_problem_without_a_trace(
    flask_app: Flask, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    flask_app.config["PROPAGATE_EXCEPTIONS"] = False
    monkeypatch.setattr(api.lists, "mine", lambda *_: 1 / 0)

    assert "division" not in problem(program.get("/api/v1/games"), 500).detail


def test_a_cookie_beside_the_token_changes_nothing(
    program: Program, bento: FlaskClient, service: Service, clock: FixedClock
) -> None:
    clock.forward(timedelta(days=2))  # when a page would renew the cookie
    cookie = bento.get_cookie(COOKIE)
    assert cookie is not None
    program.http.set_cookie(COOKIE, cookie.value)

    answer = program.get()

    assert read(answer, types.TableShown).your_seat == ANA
    assert "Set-Cookie" not in answer.headers


# ---- the description ----------------------------------------------------------------------------


@pytest.fixture
def described(client: FlaskClient) -> dict[str, Any]:
    answer = client.get("/api/v1/openapi.json")
    assert answer.status_code == 200
    assert isinstance(answer.json, dict)
    return answer.json


def test_every_route_is_described(flask_app: Flask, described: dict[str, Any]) -> None:
    routes = {rule.endpoint.removeprefix("api.") for rule in flask_app.url_map.iter_rules()
              if rule.endpoint.startswith("api.") and rule.endpoint not in api.OPEN}

    said = {op["operationId"]: path for path, ops in described["paths"].items()
            for op in ops.values()}
    assert set(said) == routes == set(openapi.OPERATIONS)
    assert said["what_became"] == "/games/{game_id}/orders/{number}"
    for path, operations in described["paths"].items():
        for op in operations.values():
            places = [each["name"] for each in op["parameters"] if each["in"] == "path"]
            assert sorted(places) == sorted(re.findall(r"\{(\w+)\}", path))


def test_every_reference_of_the_description_leads_somewhere(described: dict[str, Any]) -> None:
    refs = set(references(described))

    assert refs
    assert {ref.removeprefix("#/components/schemas/") for ref in refs} == set(
        described["components"]["schemas"])


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def test_what_is_described_is_what_is_answered(
    program: Program, described: dict[str, Any], game: Game
) -> None:
    """Every GET of the description, with the fields that its schema names and no others."""
    sent = program.send(ORDER, game.last_entry).json
    assert sent is not None
    for path, operations in described["paths"].items():
        op = operations.get("get")
        if op is None or op["operationId"] == "record":
            continue
        filled = path.replace("{game_id}", str(game.id)).replace("{number}", str(sent["id"]))
        answer = program.get(f"/api/v1{filled}")
        schema = op["responses"]["200"]["content"]["application/json"]["schema"]
        name = schema["$ref"].rpartition("/")[2]
        assert set(answer.json or ()) == set(described["components"]["schemas"][name]["properties"])
        read(answer, getattr(types, name))


def test_the_entries_of_a_page_follow_one_another(program: Program) -> None:
    page = read(program.get("/history"), types.History)

    assert all(after.number == before.number + 1 for before, after in pairwise(page.entries))
