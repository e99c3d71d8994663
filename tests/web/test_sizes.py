"""What is larger than any page of ours sends is refused before it costs anything; one of a kind."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, request
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem import names
from pbem.mail.incoming.parse import mime
from pbem.models import Chat, Game, Person
from pbem.run import supervisor
from pbem.run.processes import die_with_parent
from pbem.service import Service
from pbem.tables import chat, notes
from pbem.web import context, limits
from tests.support.doors import browser, somebody
from tests.support.servers import without_our_settings

FORM = "application/x-www-form-urlencoded"
ORDER = "place 12 recruiting"


# ---- requests -----------------------------------------------------------------------------------


def test_a_form_of_a_hundred_kilobytes_is_refused_and_one_of_fifty_is_read(
    client: FlaskClient
) -> None:
    def sent(size: int) -> int:
        body = b"address=" + b"a" * size
        return client.post("/sign-in", data=body, content_type=FORM).status_code

    assert (sent(100_000), sent(50_000)) == (413, 400)


def test_only_a_form_with_a_component_set_may_be_larger(
    flask_app: Flask, service: Service
) -> None:
    ana = browser(flask_app, service, somebody(service, "Ana"))

    assert ana.post("/games/new", data={"components": "#" * 70_000}).status_code == 400
    assert ana.post("/games/new", data={"components": "#" * 300_000}).status_code == 413


def test_a_form_of_thousands_of_fields_is_refused_untaken_apart(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request.__class__, "form", property(lambda _: pytest.fail("taken apart")),
                        raising=False)

    answer = client.post("/sign-in", data=b"a&" * 2_000, content_type=FORM)

    assert answer.status_code == 413


def test_a_multipart_form_of_thousands_of_parts_is_refused(client: FlaskClient) -> None:
    part = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n"

    answer = client.post("/sign-in", data=part * 1_200 + b"--x--",
                         content_type="multipart/form-data; boundary=x")

    assert answer.status_code == 413


def test_an_address_with_thousands_of_values_is_refused(client: FlaskClient) -> None:
    assert client.get("/archive?" + "a&" * 1_500).status_code == 413
    assert client.get("/archive?player=" + "a" * 5_000).status_code == 413


@pytest.mark.parametrize("languages, said", [
    ("hu,en;q=0.5", "hu"),
    (",".join(f"x{number}-y;q=0.9" for number in range(500)) + ",hu", "en"),
])
def test_a_list_of_hundreds_of_languages_is_not_looked_through(
    flask_app: Flask, languages: str, said: str
) -> None:
    with flask_app.test_request_context("/", headers={"Accept-Language": languages}):
        limits.refuse_what_is_large()
        assert context.language() == said


def test_cookies_of_kilobytes_are_nobodys(client: FlaskClient) -> None:
    for name in (context.COOKIE, context.BROWSER, "carreira_form"):
        answer = client.get("/games", headers={"Cookie": f"{name}=" + "a" * 8_000})
        assert answer.status_code == 200


@pytest.mark.parametrize("number", ["0", "-1", "9" * 30, "1e3", "0x10", "\u0661", "a" * 2_000, ""])
def test_a_page_of_the_archive_that_is_no_number_is_no_error(
    client: FlaskClient, number: str
) -> None:
    for name in ("page", "after", "margin", "entry", "from", "to"):
        assert client.get("/archive", query_string={name: number}).status_code in (200, 400, 404)


# ---- a real server ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Iterator[int]:
    """The port of the web process as `run` starts it, behind no proxy."""
    var = tmp_path_factory.mktemp("var")
    shutil.copyfile(empty_database, var / "carreira.db")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        environ = without_our_settings(os.environ) | {"CARREIRA_VAR": str(var)}
        process = subprocess.Popen(
            supervisor.web(listener.fileno()), cwd=supervisor.ROOT, env=environ,
            pass_fds=[listener.fileno()], preexec_fn=die_with_parent)
        yield int(listener.getsockname()[1])
        process.terminate()
        process.wait(30)


def said_to(port: int, request: bytes, *, ended: bool = False) -> bytes:
    """The first line of the answer to these bytes; `ended`: nothing follows them."""
    with socket.create_connection(("127.0.0.1", port), timeout=90) as line:
        line.sendall(request)
        if ended:
            line.shutdown(socket.SHUT_WR)
        return line.makefile("rb").readline()


@pytest.mark.parametrize("head, code", [
    (b"GET /" + b"a" * 5_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"414"),
    (b"GET / HTTP/1.1\r\nHost: x\r\nCookie: " + b"a" * 9_000 + b"\r\n\r\n", b"431"),
    (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 200 + b"\r\n", b"431"),
    (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"400"),
    (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
     b"0\r\n\r\n", b"400"),
])
def test_a_long_or_doubtful_head_is_refused_by_the_server(
    port: int, head: bytes, code: bytes
) -> None:
    assert said_to(port, head).split()[1] == code


@pytest.mark.parametrize("name", [b"SCRIPT_NAME", b"PATH_INFO", b"Script-Name"])
def test_a_request_cannot_say_below_which_address_the_site_lies(port: int, name: bytes) -> None:
    def answered(more: bytes) -> tuple[bytes, bytes]:
        head = b"GET /games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=90) as line:
            line.sendall(head + more + b"\r\n")
            told, _, body = line.makefile("rb").read().partition(b"\r\n\r\n")
            return told.split(b"\r\n")[0], body

    usual = answered(b"")

    assert usual[0].split()[1] == b"200"
    for value in (b"/evil", b"/games", b"evil", b"%"):
        assert answered(name + b": " + value + b"\r\n") == usual


def test_a_body_without_a_length_is_read_to_the_limit_only(port: int) -> None:
    head = (b"POST /sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n\r\n")
    chunk = b"1000\r\n" + b"a" * 4096 + b"\r\n"

    assert said_to(port, head + chunk * 25 + b"0\r\n\r\n").split()[1] == b"413"


@pytest.mark.parametrize("chunks", [
    b"-5\r\nhello\r\n0\r\n\r\n", b"hello\r\n0\r\n\r\n", b"\r\n\r\n",
    b"5\r\nhello, all\r\n0\r\n\r\n",
    b"5 ;\rx\r\nhello\r\n0\r\n\r\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"5\r\nhel",
])
@pytest.mark.parametrize("path", [b"/sign-in", b"/api/v1/games", b"/healthz"])
def test_chunks_that_are_none_are_a_bad_request(port: int, path: bytes, chunks: bytes) -> None:
    head = (b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n\r\n")

    assert said_to(port, head + chunks, ended=True).split()[1] == b"400"


# ---- what is kept -------------------------------------------------------------------------------


def test_names_titles_and_phrases_have_their_lengths() -> None:
    for most in (names.NAME_LENGTH, names.TITLE_LENGTH, names.PHRASE_LENGTH):
        assert len(names.clean_line("a" * most, limit=most)) == most
        with pytest.raises(names.BadText):
            names.clean_line("a" * (most + 1), limit=most)


def test_a_component_set_of_more_than_64_kilobytes_opens_no_game(
    flask_app: Flask, service: Service, session: Session
) -> None:
    ana = browser(flask_app, service, somebody(service, "Ana"))
    form = {"game": "vasco-da-gama", "title": "", "seats": "3", "order": "random",
            "visibility": "public", "set": "own", "phrase": ""}

    answer = ana.post("/games/new", data=form | {"components": "# a\n" * 20_000})

    assert answer.status_code == 400
    assert session.exec(select(Game)).all() == []


def test_a_line_of_talk_that_is_too_long_is_not_said(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    ana.post(f"/games/{game.id}/chat", data={"text": "a" * (chat.LONGEST + 1)})

    assert session.exec(select(Chat)).all() == []


def test_a_note_that_is_too_long_is_not_kept(ana: FlaskClient, game: Game) -> None:
    note = "b" * (notes.LONGEST + 1)
    ana.post(f"/games/{game.id}/notes", data={"entry": "1", "text": note})

    assert note not in ana.get(f"/games/{game.id}/notes").get_data(as_text=True)


@pytest.mark.parametrize("orders", ["x" * 60_000, ORDER + ";" * 5_000, f"{ORDER}\n" * 500])
@pytest.mark.parametrize("action", ["orders", "preview"])
def test_orders_of_any_length_and_number_are_refused_with_a_page(
    ana: FlaskClient, game: Game, action: str, orders: str
) -> None:
    answer = ana.post(f"/games/{game.id}/{action}", data={
        "seen": str(game.last_entry), "token": "t" * 12, "order": orders})

    assert 200 <= answer.status_code < 500
    assert len(answer.get_data()) < 600_000


# ---- programs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [
    '{"orders":' + "[" * 30_000, "[" * 60_000, '{"x":' + '{"a":' * 10_000,
    '{"seen": 1, "orders": "a", "x": ' + "[" * 30_000, '"' + "\\u0041" * 10_000,
    '{"seen": ' + "9" * 30_000 + "}",
])
def test_json_of_any_depth_is_a_bad_request(
    ana: FlaskClient, service: Service, game: Game, body: str
) -> None:
    page = ana.post("/account/tokens", data={
        "name": "s", "days": "30", "read": "yes", "play": "yes"}).get_data(as_text=True)
    token = "carreira_" + page.split("carreira_", 1)[1].split("<", 1)[0].strip()

    answer = ana.post(f"/api/v1/games/{game.id}/preview", data=body, headers={
        "Authorization": f"Bearer {token}", "Content-Type": "application/json"})

    assert answer.status_code == 400
    assert answer.mimetype == "application/problem+json"
    assert len(answer.get_data()) < 1_000


def test_letters_have_a_size_that_is_told_before_they_are_sent() -> None:
    """test_listener.py sends them; here stands that there is a limit that a table fits in."""
    assert 256 * 1024 <= mime.LARGEST <= 4 * 1024 * 1024


def test_a_person_keeps_to_a_name_of_forty_characters(
    ana: FlaskClient, session: Session, service: Service
) -> None:
    answer = ana.post("/account", data={"name": "a" * 41, "language": "en", "zone": "UTC"})

    assert answer.status_code == 400
    assert session.exec(select(Person).where(Person.name == "Ana")).first() is not None


