"""A scripted attacker against a real site: `python -m tests.tools.soak.attacker --minutes 1`.

It has an account, sits in no game of the victims', and tries what attackers try. It exits with 1
if anything is answered by 5xx, if a secret is seen, or if anything of others' has changed.
"""

from __future__ import annotations

import argparse
import http.client
import random
import secrets
import shutil
import smtplib
import socket
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from flask import Flask
from sqlmodel import Session, select

from pbem.accounts import api_tokens, auth
from pbem.clock import SystemClock
from pbem.config import Settings
from pbem.db import make_engine, migrate
from pbem.mail import tokens
from pbem.models import Game, Outbox, Person, stored_id
from pbem.service import Service
from pbem.web.app import build
from tests.support import tables
from tests.support.letterfactory import person
from tests.support.servers import Running, free_port

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PROXY = {"Via": "1.1 proxy.example"}
UNTOUCHED = ("entry", "seat", "game", "submission", "chat", "person", "webhook", "apitoken",
             "invitation", "note", "standingorder", "block", "report", "recovery", "operatoract")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "PROPFIND", "X")
ODD = ("..", "%2e%2e%2f", "%00", "'", "\"><x>", "%ff", "-1", "0", "9" * 40, "{{7*7}}", "%0d%0aX:y",
       "etc/passwd", "..%2f..%2fvar%2fsecret.key", "%c0%ae", "null", "x" * 3000)


@dataclass
class Target:
    """The site as the attacker meets it, and what he must never see or move."""

    port: int
    mail_port: int
    database: Path
    reply_domain: str
    paths: list[str]
    game: int
    cookie: str
    token: str
    secrets: list[str]
    letters: list[int]
    own: int
    found: list[str] = field(default_factory=list)
    answers: Counter[int] = field(default_factory=Counter)

    def ask(self, method: str, path: str, body: str | bytes | None = None,
            **headers: str) -> tuple[int, str]:
        """One request, as it comes through a site's proxy; whatever must not be is noted.

        Without one he would be at this very machine, where letters may be read (`/dev/mail`).
        """
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()} | PROXY
        try:
            line.request(method, path, body, named)
            answer = line.getresponse()
            text = answer.read().decode("utf-8", "replace") + str(answer.headers)
            self.note(f"{method} {path[:80]}", answer.status, text)
            return answer.status, text
        except (http.client.HTTPException, OSError, ValueError, UnicodeError):
            return 0, ""  # a refused line is a refusal too
        finally:
            line.close()

    def note(self, what: str, status: int, text: str) -> None:
        """Keep an answer that nobody should get."""
        self.answers[status] += 1
        if status >= 500:
            self.found.append(f"{status}: {what}")
        self.found.extend(f"a secret: {what}" for secret in self.secrets if secret in text)


# ---- what he tries ------------------------------------------------------------------------------


def forged_cookies(site: Target, chance: random.Random) -> None:
    """Cookies that he made up, and his own with another end."""
    cookie = chance.choice([secrets.token_urlsafe(32), site.cookie[:-1] + "A", "a" * 7000, "\x7f"])
    status, text = site.ask("GET", "/account", Cookie=f"carreira_session={cookie}")
    if status == 200 and "victim" in text:
        site.found.append("a forged cookie opens an account")


def forged_tokens(site: Target, chance: random.Random) -> None:
    """Tokens that are nobody's, and his own at others' tables."""
    odd = chance.choice([secrets.token_urlsafe(32), site.token[:-1] + "A", "", "\xff", "a" * 7000])
    for token in (odd, site.token):
        head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
                "Idempotency_Key": "k"}
        for action in ("orders", "preview", "ahead"):
            site.ask("POST", f"/api/v1/games/{site.game}/{action}",
                     '{"orders": "pass", "seen": 1}', **head)
        site.ask("GET", f"/api/v1/games/{site.game}/record", **head)
        site.ask("DELETE", f"/api/v1/games/{site.game}/ahead/1", **head)


def odd_paths(site: Target, chance: random.Random) -> None:
    """Addresses with things in them that are none, by all methods."""
    path = chance.choice(site.paths)
    odd = path.replace("1", chance.choice(ODD), 1) + chance.choice(["", "/", "?" + chance.choice(
        ODD), f"?next={quote('//evil.example')}", "?entry=" + chance.choice(ODD)])
    method = chance.choice(METHODS)
    status, text = site.ask(method, odd, Cookie=f"carreira_session={site.cookie}")
    if "evil.example" in text and 300 <= status < 400 and "Location: //evil" in text:
        site.found.append(f"an open redirect: {odd}")


def forms_without_a_token(site: Target, chance: random.Random) -> None:
    """What another site would have his browser, or a victim's, send."""
    path = chance.choice(site.paths)
    body = urlencode({"text": "forged", "order": "pass", "seen": "1", "token": "t" * 12})
    status, _ = site.ask("POST", path, body, Cookie=f"carreira_session={site.cookie}",
                         Origin="https://evil.example", Referer="https://evil.example/", **FORM)
    if 200 <= status < 400 and not path.startswith("/u/"):
        site.found.append(f"a form without its token is taken: {path} {status}")


def large_things(site: Target, chance: random.Random) -> None:
    """Bodies, heads and addresses past every limit."""
    site.ask("POST", "/sign-in", "a" * chance.choice([70_000, 300_000]), **FORM)
    site.ask("POST", "/sign-in", "a&" * 30_000, **FORM)
    site.ask("GET", "/" + "a" * 8_000)
    site.ask("GET", "/", Cookie="a" * 20_000)
    site.ask("GET", "/", Accept_Language="x," * 3_000)
    site.ask("POST", "/api/v1/games/1/preview", "[" * 60_000,
             Authorization=f"Bearer {site.token}", Content_Type="application/json")


def guesses(site: Target, chance: random.Random) -> None:
    """Codes, secret addresses, tokens of links."""
    guess = chance.choice([secrets.token_urlsafe(32), "a" * 26, f"1-{'a' * 43}"])
    site.ask("POST", "/sign-in/code", urlencode({"code": f"{chance.randrange(10**6):06}"}),
             Cookie=f"carreira_browser={guess}", **FORM)
    for path in (f"/feeds/{guess}/games.atom", f"/invitations/{guess}", f"/join/{guess}",
                 f"/u/{guess}", f"/sign-in/{guess}", f"/recovery/{guess}"):
        status, _ = site.ask("GET", path)
        if status == 200:
            site.found.append(f"a guess opens {path}")


def forged_letters(site: Target, chance: random.Random) -> None:
    """Letters with victims' names in front, to addresses that he made up or bent."""
    letter = chance.choice(site.letters or [1])
    made_up = secrets.token_hex(13)
    purpose = chance.choice(["turn", "unsub", "bounce", "x"])
    to = chance.choice([f"{purpose}+{made_up}@{site.reply_domain}", f"table@{site.reply_domain}",
                        f"{purpose}+{letter}@{site.reply_domain}", "root@localhost"])
    text = (f"From: Ana <ana@players.example>\r\nTo: {to}\r\nSubject: {'x' * 50}\r\n"
            f"Message-ID: <{made_up}@evil.example>\r\n\r\nresign\r\npass\r\n")
    try:
        with smtplib.SMTP("127.0.0.1", site.mail_port, timeout=60) as line:
            line.sendmail("ana@players.example", [to], text)
        if made_up in to:
            site.found.append(f"a made-up address takes letters: {to}")
    except (smtplib.SMTPException, OSError):
        return


def slow_lines(site: Target) -> str:
    """Two dozen heads that never end; what becomes of others meanwhile, behind no proxy."""
    lines = [socket.create_connection(("127.0.0.1", site.port), timeout=60) for _ in range(24)]
    try:
        for line in lines:
            line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ")
        with socket.create_connection(("127.0.0.1", site.port), timeout=5) as other:
            other.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            answer = other.makefile("rb").readline().decode().strip()
    except OSError as problem:
        answer = f"nothing ({type(problem).__name__})"
    finally:
        for line in lines:
            line.close()
    status, _ = site.ask("GET", "/healthz")
    if status != 200:
        site.found.append("slow lines that have ended still keep others out")
    return answer


def replayed(site: Target, _chance: random.Random) -> None:
    """His own form again with its token, at a table that is not his."""
    cookie = f"carreira_session={site.cookie}"
    for _ in range(3):
        site.ask("POST", f"/games/{site.game}/orders", urlencode({
            "csrf_token": "replayed", "order": "pass", "seen": "1", "token": "same" * 3}),
            Cookie=cookie, **FORM)


def bad_http(site: Target, chance: random.Random) -> None:
    """Heads that two servers would read in two ways."""
    odd = chance.choice([
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0",
        b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", b"GET http://evil.example/ HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n"])
    with socket.create_connection(("127.0.0.1", site.port), timeout=60) as line:
        line.sendall(odd)
        line.shutdown(socket.SHUT_WR)
        head = line.makefile("rb").readline().split()
    if len(head) > 1 and head[1].isdigit():
        site.note(f"odd HTTP {odd[:30]!r}", int(head[1]), "")


TRIES: tuple[Callable[[Target, random.Random], None], ...] = (
    forged_cookies, forged_tokens, odd_paths, forms_without_a_token, large_things, guesses,
    forged_letters, replayed, bad_http)  # fmt: skip


# ---- the site -----------------------------------------------------------------------------------


@contextmanager
def site() -> Iterator[Target]:
    """A real site with a private game of others, and the attacker's own account."""
    folder = Path(tempfile.mkdtemp(prefix="attacked-"))
    environ = {
        "CARREIRA_VAR": str(folder), "CARREIRA_PORT": str(free_port()),
        "CARREIRA_MAIL_IN": f"smtp://127.0.0.1:{free_port()}", "CARREIRA_PICTURES": "off",
        "CARREIRA_TEST_LIMITS": "off", "CARREIRA_SECRET_KEY": secrets.token_hex(32),
    }  # else he would meet nothing but 429
    environ["CARREIRA_BASE_URL"] = f"http://127.0.0.1:{environ['CARREIRA_PORT']}"
    settings = Settings.from_environment(environ)
    engine = make_engine(settings.database_url)
    migrate(engine)
    service = Service(settings, engine, SystemClock())
    with service.writing() as session:
        made = prepared(session, service, environ, build(service))
    engine.dispose()
    running = Running(environ)
    try:
        running.wait_for_line(environ["CARREIRA_BASE_URL"])
        yield made
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def prepared(
    session: Session, service: Service, environ: dict[str, str], app: Flask
) -> Target:
    """The game, the people, and what is secret about them."""
    now = service.clock.now()
    game = tables.started_game(session, now)
    game.private = True
    session.add(game)
    eve = person(session, "Eve")
    session.commit()
    cookie = auth.open_session(session, stored_id(eve), agent="attacker", now=now)
    token = api_tokens.make(session, eve, name="x", scopes=("read", "play"), days=9, now=now)
    session.commit()
    letters = session.exec(select(Outbox)).all()
    addresses = [row.address for row in session.exec(select(Person)).all()
                 if row.address and row.id != eve.id]
    private = [tokens.token(service.settings.keys, "turn", one) for one in letters]
    paths = sorted({rule.rule.replace("<int:", "<").split("<")[0] + (
        "1" if "<" in rule.rule else "") + (
        rule.rule.rpartition(">")[2] if "<" in rule.rule else "")
        for rule in app.url_map.iter_rules() if rule.endpoint != "static"})
    kept = session.get_one(Game, game.id)
    return Target(
        port=int(environ["CARREIRA_PORT"]),
        mail_port=int(urlsplit(environ["CARREIRA_MAIL_IN"]).port or 0),
        database=service.settings.var / "carreira.db", paths=paths, game=stored_id(game),
        reply_domain=service.settings.reply_domain, cookie=cookie, token=token, letters=letters,
        own=stored_id(eve),
        secrets=[kept.server_part.hex(), environ["CARREIRA_SECRET_KEY"], *addresses, *private])


def others(site: Target) -> dict[str, list[tuple[object, ...]]]:
    """All rows that are none of the attacker's business, as they stand."""
    tables = "select name from sqlite_master where type = 'table'"
    with sqlite3.connect(f"file:{site.database}?mode=ro", uri=True) as line:
        names = sorted({row[0] for row in line.execute(tables)} & set(UNTOUCHED))
        return {name: sorted(rows_of_others(line, name, site.own), key=str) for name in names}


def rows_of_others(line: sqlite3.Connection, name: str, own: int) -> list[tuple[object, ...]]:
    """A table's rows without those that name the attacker as their person."""
    columns = {row[1] for row in line.execute(f"pragma table_info({name})")}
    where = f" where person_id <> {own}" if "person_id" in columns else ""
    return line.execute(f"select * from {name}{where}").fetchall()  # noqa: S608


def attack(target: Target, seconds: float, chance: random.Random) -> None:
    """Try everything once, then anything for so long."""
    before = others(target)
    for each in TRIES:
        each(target, chance)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        chance.choice(TRIES)(target, chance)
    after = others(target)
    target.found.extend(f"rows of {name} have changed" for name in before
                        if before[name] != after[name])
    if not {"entry", "seat", "person"} <= before.keys():
        target.found.append(f"too few tables are watched: {sorted(before)}")


def main() -> int:
    """Attack a site of its own; 1 if anything was got."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--minutes", type=float, default=10)
    reader.add_argument("--seed", type=int, default=1)
    asked = reader.parse_args()
    with site() as target:
        attack(target, asked.minutes * 60, random.Random(asked.seed))
        slow = slow_lines(target)
    told = ", ".join(f"{code}: {count}" for code, count in sorted(target.answers.items()))
    print(f"{sum(target.answers.values())} answers ({told})")
    print(f"While 24 lines were slow, another visitor got: {slow}")
    for line, count in Counter(target.found).most_common(40):
        print(f"GOT {count} times: {line}")
    print("Nothing was got." if not target.found else f"{len(target.found)} things were got.")
    return 1 if target.found else 0


if __name__ == "__main__":
    sys.exit(main())
