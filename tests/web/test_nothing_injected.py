"""Names, titles, talk, notes, sets, phrases and letters stay text wherever they are shown."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from html.parser import HTMLParser
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.accounts import hook_addresses
from pbem.accounts.hook_addresses import BadUrl
from pbem.models import Game, Outbox
from pbem.service import Service
from tests.support.doors import browser, enter, letters, somebody

MARK = "zqxj"
SCRIPTS = [
    f"<script>{MARK}()</script>", f"\"><img src=x onerror={MARK}()>", f"'><svg onload={MARK}()>",
    f"</textarea><script>{MARK}()</script>", f"javascript:{MARK}()", f"{{{{{MARK}}}}}{{%{MARK}%}}",
    f"<!--{MARK}", f"&lt;b&gt;{MARK}", f"]]><{MARK}/>", f"\" autofocus onfocus={MARK} x=\"",
]  # fmt: skip
LINES = [f"a\r\nBcc: {MARK}@evil.example", f"a\nX-{MARK}: b", f"a\u2028{MARK}: b", f"a\r{MARK}: b",
         f"=?utf-8?q?a=0d=0aBcc:_{MARK}@evil.example?="]


class Foreign(HTMLParser):
    """Collects tags and attributes that carry the mark other than as a value or text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if MARK in tag:
            self.found.append(tag)
        for name, value in attrs:
            is_run = name.startswith("on") or name == "style" or name in ("src", "srcdoc")
            is_run |= name in ("href", "action", "formaction") and "script:" in (value or "")
            if MARK in name or (is_run and MARK in (value or "")):
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self.lasttag in ("script", "style") and MARK in data and self.cdata_elem:
            self.found.append(data)


def run_in(page: str) -> list[str]:
    """What of the marked text a browser would take for more than text."""
    parser = Foreign()
    parser.feed(page)
    return parser.found


def test_the_finder_finds_what_would_run() -> None:
    for script in (f"<script>{MARK}()</script>", f"<p onclick='{MARK}()'>", f"<{MARK}/>",
                   f"<a href='javascript:{MARK}()'>", f"<img src={MARK}>"):
        assert run_in(script), script


@pytest.fixture
def host(flask_app: Flask, service: Service) -> FlaskClient:
    return browser(flask_app, service, somebody(service, "Ana"))


def opened(client: FlaskClient, **fields: str) -> str | None:
    """Open a game; its path, or None if that was refused."""
    form = {"game": "vasco-da-gama", "title": "", "seats": "3", "order": "random", "phrase": "",
            "visibility": "public", "set": "standard", "components": ""}
    answer = client.post("/games/new", data=form | fields)
    assert answer.status_code in (303, 400), answer.status_code
    assert run_in(answer.get_data(as_text=True)) == []
    return answer.headers.get("Location")


@pytest.mark.parametrize("script", SCRIPTS)
def test_names_titles_and_phrases_are_text_on_every_page_and_in_letters(
    flask_app: Flask, service: Service, session: Session, script: str
) -> None:
    ana = somebody(service, "Ana")
    client = enter(flask_app.test_client(), service, ana)
    client.post("/account", data={"name": script[:40], "language": "en", "zone": "UTC"})
    path = opened(client, title=script[:60], phrase=script)
    if path is None:
        path = opened(client)
    assert path is not None
    client.post(f"{path}/invite", data={"address": "gil@players.example"})

    for page in ("/", "/games", path, "/seats", "/archive", "/account", f"/players/{ana.id}",
                 "/archive?player=" + script.replace("&", "%26"), f"/games/{path[7:]}/feed.atom"):
        assert run_in(client.get(page).get_data(as_text=True)) == [], page
    for letter in letters(service):
        part = letter.get_body(("html",))
        assert run_in(str(part.get_content()) if part else "") == []


def test_talk_notes_orders_and_searches_are_text(
    ana: FlaskClient, bento: FlaskClient, game: Game
) -> None:
    table = f"/games/{game.id}"
    for script in SCRIPTS:
        for answer in said(ana, table, game.last_entry, script):
            assert answer.status_code < 500
            assert run_in(answer.get_data(as_text=True)) == [], script
    for page in (table, f"{table}/notes", f"{table}/1"):
        assert run_in(ana.get(page).get_data(as_text=True)) == []
    assert run_in(bento.get(table).get_data(as_text=True)) == []


def said(ana: FlaskClient, table: str, seen: int, script: str) -> list[Any]:
    """Say it, note it, order it and look for it."""
    ana.post(f"{table}/chat", data={"text": script})
    ana.post(f"{table}/notes", data={"entry": "1", "text": script})
    form = {"seen": str(seen), "token": "t" * 12, "order": script}

    answers = [ana.post(f"{table}/{action}", data=form) for action in ("preview", "orders")]
    answers += [ana.get("/archive", query_string={name: script}) for name in (
        "player", "words", "option", "game", "since", "state")]
    return answers


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_component_set_is_text_where_it_is_refused(host: FlaskClient, script: str) -> None:
    for written in (script, f'name = "{script}"', f"[{script}]\nx = 1", f'["{script}"]\nx = 1'):
        assert opened(host, set="own", components=written) is None


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_error_of_the_api_is_json_and_nothing_else(client: FlaskClient, script: str) -> None:
    answer = client.get(f"/api/v1/games/{script.replace('/', '')}", headers={
        "Authorization": f"Bearer {script}"})

    assert answer.mimetype == "application/problem+json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", LINES)
def test_line_ends_in_names_titles_and_addresses_begin_no_header(
    flask_app: Flask, service: Service, session: Session, name: str
) -> None:
    client = browser(flask_app, service, somebody(service, "Ana"))
    client.post("/account", data={"name": name[:40], "language": "en", "zone": "UTC"})
    path = opened(client, title=name[:60]) or opened(client)
    client.post(f"{path}/invite", data={"address": "gil@players.example"})
    client.post(f"{path}/invite", data={"address": f"gil@players.example{name[1:]}"})
    client.post("/sign-in", data={"address": f"x@players.example{name[1:]}"})

    for letter in letters(service):
        assert letter["Bcc"] is None
        assert not [key for key in letter if MARK in key]
        assert message_from_bytes(bytes(letter), policy=policy.SMTP)["To"] in (
            "gil@players.example", str(letter["To"]))
    kept = session.exec(select(Outbox.address).where(Outbox.address.is_not(None))).all()
    assert not [each for each in kept if MARK in each or "\n" in each or "\r" in each]


@pytest.mark.parametrize("then", [
    "//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example",
    "/x\r\nSet-Cookie: a=b", "/x\nLocation: https://evil.example", "javascript:alert(1)",
    "http:evil.example", "/\t/evil.example", "///evil.example", " //evil.example", "/%0d%0aX: y",
])
def test_a_way_back_leads_nowhere_else_and_adds_no_header(
    host: FlaskClient, then: str
) -> None:
    answer = host.get("/sign-in", query_string={"next": then})

    assert answer.status_code == 303
    assert re.fullmatch(r"/(?![/\\])[^\s\\]*", answer.headers["Location"])
    assert "Set-Cookie" not in answer.headers or "a=b" not in answer.headers["Set-Cookie"]


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "017700000001", "127.1", "0", "[::]",
                                  "127.0.0.1.", "localhost", "[::ffff:7f00:1]", "[::1%25lo]",
                                  "metadata", "169.254.169.254", "[fd00:ec2::254]"])
def test_odd_spellings_of_near_addresses_are_never_dialled(host: str) -> None:
    """Names go to the DNS alone, never to what would read 2130706433 as an address."""
    with pytest.raises(BadUrl):
        hook_addresses.target(f"https://{host}/", lambda name: [])
    with pytest.raises(BadUrl):
        hook_addresses.target(f"https://{host}/", lambda name: ["127.0.0.1"])


