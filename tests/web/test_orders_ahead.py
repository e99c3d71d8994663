"""Orders ahead on the game page and by the API; none of it reaches anybody but their owner."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session
from werkzeug.test import TestResponse

from pbem.accounts import api_tokens
from pbem.models import Game, Person
from pbem.play import advance, orders_ahead
from pbem.service import Service
from pbem.web.api import types
from tests.support import tables
from tests.support.at_table import fields, order, play_on, sign_in
from tests.support.tables import ANA, BENTO, CATARINA

LINE = "up to 3 for lot 1 in round A1"


class Table:
    """Goa in front of lot 1: Bento is asked, then Catarina, Duarte and Ana."""

    def __init__(self, app: Flask, service: Service, session: Session, game: Game) -> None:
        self.app, self.service, self.session, self.game = app, service, session, game
        self.url = f"/games/{game.id}"
        self.browsers: dict[int, FlaskClient] = {}

    def browser(self, seat: int) -> FlaskClient:
        """A player's browser."""
        if seat not in self.browsers:
            self.browsers[seat] = self.app.test_client()
            sign_in(self.service, self.browsers[seat], self.session, self.game, seat)
        return self.browsers[seat]

    def page(self, seat: int, end: str = "") -> str:
        """The table as a player sees it."""
        return self.browser(seat).get(self.url + end).text

    def post(self, seat: int, lines: str | list[str], **more: str) -> tuple[int, str]:
        """What is answered to the field for orders ahead."""
        sent = fields(self.page(seat)) | {"lines": lines} | more
        sent["token"] = f"{sent['token'][:20]}-{len(lines)}"
        answer = self.browser(seat).post(f"{self.url}/ahead", data=sent)
        self.advance()
        return answer.status_code, answer.text

    def advance(self) -> None:
        """A worker plays."""
        with self.service.writing() as session:
            advance.advance(session, self.game.id or 0, self.service.clock.now())
        self.session.expire_all()

    def send(self, seat: int, orders: str) -> None:
        """Somebody's orders are recorded and played."""
        order(self.service, self.session, self.game, seat, orders)

    def standing(self, seat: int) -> list[str]:
        """What stands for a seat."""
        with self.service.reading() as session:
            row = tables.seat(session, self.game, seat)
            return [each.line for each in orders_ahead.of(session, row)]


@pytest.fixture
def table(flask_app: Flask, service: Service) -> Iterator[Table]:
    with service.writing() as session:
        game = tables.started_game(session, service.clock.now(), game_key="goa")
        play_on(service, session, game, lambda state: hasattr(state.awaiting, "high_bid"))
        yield Table(flask_app, service, session, game)


def section(page: str) -> str:
    """The section for orders ahead as text."""
    found = re.search(r'id="ahead".*?</form></div></details>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()) if found else ""


# ---- the section --------------------------------------------------------------------------------


def test_what_the_field_holds_is_kept_and_listed_with_what_it_would_do(table: Table) -> None:
    status, _ = table.post(ANA, "up to 3 for lot 1\nlater: pass on the rest")

    shown = section(table.page(ANA))
    assert status == 303
    assert table.standing(ANA) == [LINE, "pass on the rest in round A1"]
    assert f"Orders ahead 2 only you see them {LINE} It waits." in shown


def test_a_dry_run_keeps_nothing(table: Table) -> None:
    status, page = table.post(BENTO, "up to 4 for lot 1\nup to 4 for lot 3", **{"try": "1"})

    shown = section(page)
    assert status == 200
    assert "It leaves the present question to you; at such a one it would play: bid 1" in shown
    assert "up to 4 for lot 3 in round A1 It waits." in shown
    assert "up to 4 for lot 1\nup to 4 for lot 3</textarea>" in page
    assert table.standing(BENTO) == []


def test_what_cannot_be_read_stays_in_the_field_with_the_reason(table: Table) -> None:
    status, page = table.post(ANA, "up to 3 for lot 1\nbid for me")

    assert status == 422
    assert "Not kept" in section(page)
    assert "The line: later: bid for me" in section(page)
    assert "bid for me</textarea>" in page
    assert table.standing(ANA) == []


def test_lists_beside_the_bids_keep_an_order_for_each_lot_and_then_show_it(table: Table) -> None:
    page = table.page(ANA)
    assert '<select id="later-3" name="lines">' in page
    assert '<option value="up to 2 for lot 3">' in page

    table.post(ANA, ["", "pass on lot 2", "up to 2 for lot 3"])

    assert table.standing(ANA) == ["pass on lot 2 in round A1", "up to 2 for lot 3 in round A1"]
    assert '<select id="later-3"' not in table.page(ANA)
    assert "<code>up to 2 for lot 3 in round A1</code><button" in table.page(ANA)


def test_one_is_withdrawn_by_its_button(table: Table) -> None:
    table.post(ANA, "up to 3 for lot 1")
    [number] = set(re.findall(r"/ahead/(\d+)/withdraw", table.page(ANA)))

    table.browser(ANA).post(f"{table.url}/ahead/{number}/withdraw")

    assert table.standing(ANA) == []
    assert f"Withdrawn: {LINE}" in table.page(ANA)


def test_nobody_withdraws_anothers(table: Table) -> None:
    table.post(ANA, "up to 3 for lot 1")
    [number] = set(re.findall(r"/ahead/(\d+)/withdraw", table.page(ANA)))

    table.browser(BENTO).post(f"{table.url}/ahead/{number}/withdraw")

    assert "You have no such order ahead in this game." in table.page(BENTO)
    assert table.standing(ANA) == [LINE]


def test_the_examples_are_of_this_game_and_in_the_readers_language(table: Table) -> None:
    person = table.session.get_one(
        Person, tables.seat(table.session, table.game, ANA).person_id)
    person.language = "hu"
    table.session.commit()

    page = table.page(ANA)

    assert "<code>up to 4 for lot 2</code>" in page
    assert "erre a tételre (2.) mindig eggyel többet az ajánlatnál, legfeljebb 4-t" in page


def test_a_preview_of_the_order_line_says_what_its_part_for_later_would_do(table: Table) -> None:
    page = table.page(BENTO)
    sent = fields(page, order="bid 1; later: up to 4 for lot 3")

    shown = table.browser(BENTO).post(f"{table.url}/preview", data=sent).text

    assert "Later: <code>up to 4 for lot 3 in round A1</code> It waits." in shown
    assert 'value="bid 1; later: up to 4 for lot 3 in round A1"' in shown


def test_who_only_looks_on_has_no_such_section(table: Table, client: FlaskClient) -> None:
    assert section(client.get(table.url).text) == ""
    assert client.post(f"{table.url}/ahead", data={"lines": "taxes"}).status_code == 403


def test_its_owner_reads_what_was_played_for_him_and_in_the_log_that_it_was_ordered(
    table: Table,
) -> None:
    table.post(CATARINA, "up to 3 for lot 1")
    table.send(BENTO, "pass")

    page = table.page(CATARINA)

    assert "Ordered ahead." in page
    assert f"You had ordered ahead: {LINE}. It was played with entry" in page


def test_the_file_of_ones_own_data_holds_ones_orders_ahead_and_nobody_elses(table: Table) -> None:
    table.post(ANA, "up to 3 for lot 1")
    table.post(BENTO, "up to 4 for lot 5")

    told = json.loads(table.browser(ANA).get("/account/export").text)

    assert [each["line"] for each in told["orders_ahead"]] == [LINE]


# ---- programs -----------------------------------------------------------------------------------


class Program:
    """A program of a player's, with a token of its own."""

    def __init__(self, table: Table, seat: int, scopes: tuple[str, ...] = ("read", "play")) -> None:
        person = table.session.get_one(
            Person, tables.seat(table.session, table.game, seat).person_id)
        token = api_tokens.make(table.session, person, name="bot", scopes=scopes, days=30,
                                now=table.service.clock.now())
        table.session.commit()
        self.http, self.url = table.app.test_client(), f"/api/v1/games/{table.game.id}/ahead"
        self.head = {"Authorization": f"Bearer {token}"}
        self.seen = table.game.last_entry

    def lists(self) -> types.OrdersAheadShown:
        """What stands and what has become of the others."""
        answer = self.http.get(self.url, headers=self.head)
        return msgspec.json.decode(answer.data, type=types.OrdersAheadShown)

    def adds(self, orders: str, key: str = "one") -> TestResponse:
        """Orders ahead are sent."""
        return self.http.post(self.url, json={"orders": orders, "seen": self.seen},
                              headers=self.head | {"Idempotency-Key": key})


def test_a_program_adds_lists_and_withdraws_orders_ahead(table: Table) -> None:
    program = Program(table, ANA)

    assert program.adds("up to 3 for lot 1\npass on the rest").status_code == 202
    first, second = program.lists().standing
    assert (first.line, first.does, first.text) == (LINE, "waits", "It waits.")
    left = program.http.delete(f"{program.url}/{first.id}", headers=program.head)

    assert [each["line"] for each in left.json["standing"]] == [second.line]
    assert table.standing(ANA) == [second.line]
    assert program.http.delete(f"{program.url}/999", headers=program.head).status_code == 404


def test_the_same_key_again_is_the_same_sending(table: Table) -> None:
    program = Program(table, ANA)

    answers = [program.adds("up to 3 for lot 1").json["id"] for _ in range(2)]

    assert answers[0] == answers[1]
    assert table.standing(ANA) == [LINE]
    assert program.adds("taxes").status_code == 409


def test_a_program_is_told_why_an_order_ahead_is_not_kept(table: Table) -> None:
    answer = Program(table, ANA).adds("up to 3 for lot 9")

    assert (answer.status_code, answer.json["key"]) == (422, "no_such_lot")
    assert answer.json["line"] == "later: up to 3 for lot 9"


def test_a_preview_for_programs_says_what_orders_ahead_would_do(table: Table) -> None:
    program = Program(table, BENTO)

    answer = program.http.post(
        f"/api/v1/games/{table.game.id}/preview", headers=program.head,
        json={"orders": "later: up to 4 for lot 1", "seen": program.seen})

    [later] = answer.json["later"]
    assert (later["does"], later["plays"], later["id"]) == ("yours", "bid 1", None)
    assert table.standing(BENTO) == []


def test_a_token_that_only_reads_lists_and_adds_nothing(table: Table) -> None:
    program = Program(table, ANA, scopes=("read",))

    assert program.lists().standing == []
    assert program.adds("taxes").status_code == 403
