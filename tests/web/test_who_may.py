"""Who may do what: every route, by every method, as everybody who can stand in front of it.

`who_may.txt` says it. A route that it does not know fails, and so does each cell that is otherwise.
Who may not changes nothing: what would have stayed in the database is looked at too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlmodel import select
from werkzeug.routing import Rule

from pbem.accounts.auth import hashed
from pbem.models import Chat, Game
from pbem.models.archive import ApiToken
from tests.conftest import NOON
from tests.support.asking import Undone, became, content, entered, path_of, said, undoing_app
from tests.support.ways import EVERYWHERE, ROLES, SCENES, Scene, case_world
from tests.support.world import World

EXPECTED = Path(__file__).with_name("who_may.txt")
API_ROLES = ("nobody", "cookie", "wrong", "expired", "reader", "spectator", "other", "blocked",
             "operator", "left", "waiting", "asked", "host")
WITHOUT_TOKEN = {"nobody": "", "wrong": "Bearer carreira_wrong", "cookie": ""}
SELDOM = {"OPTIONS", "HEAD"}


@dataclass
class Site:
    """The world, an app that takes back what it does, and the cookies of its people."""

    made: World
    app: Flask
    undone: Undone
    cookies: dict[str, str] = field(default_factory=dict)
    tokens: dict[tuple[str, str], str] = field(default_factory=dict)

    def cookie(self, name: str | None) -> str | None:
        """Somebody's, the same each time."""
        if name is None:
            return None
        if name not in self.cookies:
            self.cookies[name] = self.made.cookie(name)
        return self.cookies[name]

    def token(self, name: str, kind: str) -> str:
        """Somebody's token to read, to read and play, or an expired one."""
        if (name, kind) not in self.tokens:
            token = f"carreira_{kind}_of_{name}"
            with self.made.service.writing() as session:
                session.add(ApiToken(
                    person_id=self.made.people[name], hash=hashed(token), name=kind, created=NOON,
                    scopes="read" if kind == "reader" else "read play", used=NOON,
                    expires=NOON + timedelta(days=0 if kind == "expired" else 30)))
                session.commit()
            self.tokens[name, kind] = token
        return self.tokens[name, kind]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("world") / "var"
    with case_world(folder, empty_database) as made, pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbem.mail.incoming.loopback.hand_in", lambda *_letter: "250 ok")
        app, undone = undoing_app(made.service)
        yield Site(made, app, undone)


# ---- the table ----------------------------------------------------------------------------------


def expected() -> dict[str, dict[str, str]]:
    """The cells of the file, by row and role."""
    table: dict[str, dict[str, str]] = {}
    for line in EXPECTED.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        row, _, cells = line.partition("|")
        key = " ".join(row.split())
        assert key not in table, f"{key} stands twice"
        roles = API_ROLES if " api." in key else ROLES
        table[key] = dict(zip(roles, cells.split(), strict=True))
    return table


def rows(app: Flask) -> Iterator[tuple[str, str, Rule, Scene]]:
    """Every route by every method, in each scene where it is about a game."""
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.endpoint):
        for method in sorted((rule.methods or set()) - SELDOM):
            scenes = [scene for scene in SCENES.values()
                      if bool(scene.name) == ("game_id" in rule.arguments)]
            for scene in scenes:
                yield f"{method} {rule.endpoint} {scene.name}".strip(), method, rule, scene


def person_in(role: str, scene: Scene) -> str | None:
    """Who has a role there; None also for the visitor."""
    return EVERYWHERE[role] if role in EVERYWHERE else scene.people[role]


def is_there(role: str, scene: Scene) -> bool:
    return role == "visitor" or person_in(role, scene) is not None


# ---- asking -------------------------------------------------------------------------------------


def cell(site: Site, method: str, rule: Rule, scene: Scene, role: str) -> str:
    """What becomes of one who asks; nothing of it stays."""
    if rule.endpoint.startswith("api."):
        client, head = by_program(site, scene, role)
        if client is None:
            return "-"
    elif not is_there(role, scene):
        return "-"
    else:
        client, head = entered(site.app, site.cookie(person_in(role, scene))), {}
    facts = site.made.facts
    path = path_of(rule, facts, facts[scene.game])
    with site.undone.undone() as kept, said(site.app) as kinds:
        answer = client.open(path, method=method, headers=head, **content(method, rule, facts))
        answer.close()
        if answer.status_code == 503 and rule.endpoint == "health.readyz":
            return "y"  # no worker runs here, and the page says so
        letter = became(answer, kinds, method, has_written=bool(kept))
        if kept and (letter != "y" or method == "GET"):
            return f"{letter}, yet: {kept[0][:60]}"
    return letter


def by_program(site: Site, scene: Scene, role: str) -> tuple[Any, dict[str, str]]:
    """A client without a cookie, and the header of a program."""
    head = {"Idempotency-Key": "one"}
    if role == "cookie":
        return entered(site.app, site.cookie(scene.people["host"])), head
    if role in WITHOUT_TOKEN:
        return site.app.test_client(), head | {"Authorization": WITHOUT_TOKEN[role]}
    if role in ("reader", "expired"):
        token = site.token(str(scene.people["asked"] or scene.people["host"]), role)
    elif is_there(role, scene):
        token = site.token(str(person_in(role, scene)), "player")
    else:
        return None, head
    return site.app.test_client(), head | {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def found(site: Site) -> dict[str, dict[str, str]]:
    """What becomes of everything."""
    all_rows, table = list(rows(site.app)), {}
    for hidden in (False, True):
        hide(site, hidden=hidden)
        for key, method, rule, scene in all_rows:
            if (scene.name == "private") == hidden:
                roles = API_ROLES if rule.endpoint.startswith("api.") else ROLES
                table[key] = {role: cell(site, method, rule, scene, role) for role in roles}
    hide(site, hidden=False)
    return table


def hide(site: Site, *, hidden: bool) -> None:
    """Make the running game private, or public again."""
    with site.made.service.writing() as session:
        row = session.exec(select(Game).where(Game.id == site.made.facts["hands"])).one()
        row.private = hidden
        session.add(row)
        session.commit()


def test_every_route_stands_in_the_table_and_nothing_else(site: Site) -> None:
    keys = {key for key, *_rest in rows(site.app)}

    assert keys == set(expected())


def test_everybody_may_what_the_table_says(found: dict[str, dict[str, str]]) -> None:
    table = expected()

    otherwise = {
        f"{key}: {role}": f"{became_of}, not {table.get(key, {}).get(role)}"
        for key, cells in found.items() for role, became_of in cells.items()
        if became_of != table.get(key, {}).get(role)}
    assert otherwise == {}


# ---- what is others' ----------------------------------------------------------------------------

OTHERS = (  # things of Ana's (or nobody's business but an operator's), asked for by Eszter
    "POST /account/hooks/{hook}/again", "POST /account/hooks/{hook}/confirm",
    "POST /account/hooks/{hook}/remove", "POST /account/tokens/{token}/revoke",
    "POST /account/vacation/{vacation}/end", "POST /letters/{own_letter}/again",
    "POST /games/{hands}/notes/{note}", "GET /held/{held}", "POST /held/{held}",
    "GET /letters?game={hands}", "GET /account/hooks?hook={hook}",
    "POST /operator/reports/{report}", "GET /operator/people/{ana}", "GET /operator/talk/{line}",
    "POST /operator/people/{ana}/recover/{recovery}/stop",
)
HIDDEN = (  # of a private game
    "GET /talk/{private_line}", "POST /talk/{private_line}/report",
    "POST /talk/{private_line}/block", "GET /games/{hands}", "GET /games/{hands}/1",
    "GET /games/{hands}/exports", "GET /games/{hands}/notes",
    "POST /games/{hands}/ahead/1/withdraw",
    "POST /games/{hands}/rematch", "POST /games/{hands}/seats/2/take",
    "POST /games/{hands}/seats/2/invite", "GET /games/{hands}/feed.atom", "GET /series/{hands}",
    "POST /games/{hands}/notes/{note}", "GET /archive?state=running&before={hands}",
)
PROGRAMS = ("GET /api/v1/games/{hands}", "GET /api/v1/games/{hands}/history",
            "GET /api/v1/games/{hands}/orders/1", "POST /api/v1/games/{hands}/orders",
            "DELETE /api/v1/games/{hands}/ahead/1", "GET /api/v1/games/{hands}/record",
            "POST /api/v1/games/{hands}/preview", "GET /api/v1/games/{hands}/orders")
DRAWN = re.compile(r"(?<=X-Request-Id: )\w+|(?<=carreira_form=)[^;]*|Content-Length: \d+|"
                   r'(?<=name="csrf_token" value=")[^"]*|(?<=of game )\d+')
NONE = 987_654  # the number of nothing


def answered(site: Site, what: str, facts: dict[str, Any], *, token: str = "") -> str:
    """All that Eszter is told, numbers of what she asked for and what is drawn anew aside."""
    method, _, path = what.partition(" ")
    client = entered(site.app, None if token else site.cookie("Eszter"))
    asked = path.format(**facts)
    form = {"text": "x", "address": "new@players.example", "why": "because", "answer": "play"}
    sent: dict[str, Any] = {"data": form} if method == "POST" else {}
    if token:
        head = {"Authorization": f"Bearer {token}", "Idempotency-Key": "one"}
        sent = {"headers": head, "json": {"orders": "pass", "seen": 1}}
    with site.undone.undone() as kept:
        answer = client.open(asked, method=method, **sent)
        text = f"{answer.status_code} {answer.headers}{answer.get_data(as_text=True)}"
        assert kept == [], f"{what}: {kept}"
    text = text.replace(asked.replace("&", "&amp;"), "ASKED")
    return DRAWN.sub("", text)


@pytest.fixture(scope="module")
def facts(site: Site) -> Iterator[dict[str, Any]]:
    """The facts, with a line of talk in the game while that is private."""
    hide(site, hidden=True)
    with site.made.service.writing() as session:
        line = Chat(game_id=site.made.facts["hands"], person_id=site.made.people["Ana"],
                    name="Ana", entry=1, text="Among us.", at=NOON)
        session.add(line)
        session.flush()
        number = line.id
        session.commit()
    yield site.made.facts | {"private_line": number}
    hide(site, hidden=False)


@pytest.mark.parametrize("what", [*OTHERS, *HIDDEN])
def test_what_is_anothers_answers_as_what_is_not_there(
    what: str, site: Site, facts: dict[str, Any]
) -> None:
    nothing = dict.fromkeys(facts, NONE)
    if "{hands}" in what and "{note}" in what:
        nothing = facts | {"note": NONE}

    assert answered(site, what, facts) == answered(site, what, nothing)


@pytest.mark.parametrize("what", PROGRAMS)
def test_what_is_private_answers_programs_as_what_is_not_there(
    what: str, site: Site, facts: dict[str, Any]
) -> None:
    token = site.token("Eszter", "player")
    there = answered(site, what, facts, token=token)

    assert there.startswith("404 ")
    assert there == answered(site, what, dict.fromkeys(facts, NONE), token=token)
