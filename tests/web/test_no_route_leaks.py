"""No route at all tells what is hidden in a running game: the whole url map is walked.

The game is there twice, as dealt and re-dealt; each route answers both with the same bytes,
headers, sizes and tags, to whoever looks, to programs and to operators. A route that the walk does
not know fails. What a player's own forms and letters tell stands in test_nothing_leaks.py.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from flask import Response
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from engine import registry
from pbem.accounts import auth
from pbem.models import Person, stored_id
from pbem.operators import people
from pbem.play import positions
from pbem.service import Service
from pbem.tables import invitations
from pbem.web.context import COOKIE
from tests.conftest import NOON
from tests.support.asking import undoing_app
from tests.support.ways import BODIES, FORMS
from tests.web.test_nothing_leaks import (
    CASES,
    SEED,
    SPECTATOR,
    TOKEN,
    Site,
    Twins,
    assert_silent,
    dealt_twice,
    give_programs_access,
    secret_of,
    secrets_of,
    told,
)

QUICK = [(key, 0.3, viewer, SEED)
         for key, viewer in zip(registry.GAMES, (SPECTATOR, 1), strict=True)]
WALKED = CASES if os.environ.get("SOAK") == "yes" else QUICK
NOT_ABOUT_GAMES = {
    "static": "files of the release",
    "devmail.letters": "letters as they leave: test_no_letter_tells_what_is_hidden",
    "devmail.letter": "the same", "devmail.html": "the same", "devmail.reply": "the same",
}
NAME_EVERYTHING = {  # all tiles there are, whoever reads: only compared
    "lobby.components", "lobby.standard_components", "rules.index", "rules.rules"}
QUERIES = {
    "table.at_entry": ["", "?log=2"], "compare.show": ["", "?a=1&b={last}", "?a={last}&b=1"],
    "archive.games": ["", "?state=running", "?state=running&player=Ana", "?words=winter",
                      "?happened=vasco-da-gama/sailed", "?player=Ana"],
    "api.table": ["", "?entry=1", "?entry={middle}", "?entry=99999"],
    "api.history": ["", "?from={middle}&limit=100", "?from=0"],
    "api.legal_orders": ["", "?limit=1000"], "lobby.game": ["", "?entry=1"],
    "exports.chance": ["", "?entry=1&draw=0"], "letters.own": ["", "?game={game}"],
    "seats.open_seats_page": ["", "?game=goa"],
}
STRANGE = ("/games/{game}/nothing", "/games/{game}/99999", "/api/v1/games/{game}/nothing",
           "/games/{game}/orders", "/api/v1/games/{game}/preview")  # 404, and 405 to who looks
ALSO = ({"Accept": "application/json"}, {"Accept": "image/png"}, {"If-None-Match": "*"},
        {"Range": "bytes=0-99"})
OPERATOR = "Olga"
DRAWN = re.compile(r'(?<=name="browser" value=")\w+')  # a number of each browser, for its owner


@pytest.fixture(scope="module", params=WALKED, ids=lambda case: "{}-{}-{}-{}".format(*case))
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> Iterator[tuple[Twins, list[Walk]]]:
    """The twins, and a walk through each."""
    with dealt_twice(request.param, tmp_path_factory, empty_database) as twins:
        yield twins, [Walk(site, twins.length) for site in (twins.real, twins.dealt)]


class Walk:
    """Asks one site's routes; what they do is taken back."""

    def __init__(self, site: Site, length: int) -> None:
        give_programs_access(site)
        self.site = site
        self.app, self.undone = undoing_app(site.service)
        self.operator = cookie_of_operator(site.service)
        held = site.browser.get_cookie(COOKIE)
        self.cookie = None if held is None else held.value
        with site.service.reading() as session:
            row = site.row(session)
            self.facts = {
                "game": site.game_id, "last": length, "middle": 1 + length // 2,
                "join": invitations.join_token(site.service.settings.keys, row)}
        self.places = places(self.facts, secret_of(site))

    def browser(self, *, is_operator: bool = False) -> FlaskClient:
        """A new browser of the viewer's, or an operator's."""
        client = self.app.test_client()
        secret = self.operator if is_operator else self.cookie
        if secret is not None:
            client.set_cookie(COOKIE, secret)
        return client

    def paths(self, rule: Rule) -> Iterator[str]:
        """The rule's addresses with everything in its places that stands there for this game."""
        names = sorted(rule.arguments)
        for values in product(*(self.values(rule, name) for name in names)):
            filled = dict(zip(names, values, strict=True))
            path = re.sub(r"<(?:\w+:)?(\w+)>", lambda place: str(filled[place[1]]), rule.rule)  # noqa: B023
            for query in QUERIES.get(rule.endpoint, [""]):
                yield path + query.format(**self.facts)

    def values(self, rule: Rule, name: str) -> list[Any]:
        """What may stand in a place of the rule."""
        if name == "number":
            entries = [1, self.facts["middle"], self.facts["last"]]
            return entries if rule.endpoint == "table.at_entry" else [1]
        assert name in self.places, f"the walk does not know what stands for {name} in {rule}"
        return self.places[name]


def places(facts: dict[str, Any], secret: str) -> dict[str, list[Any]]:
    """What stands in addresses, by the name of the place."""
    return {
        "game_id": [facts["game"]], "person_id": [1, 2], "other_id": [3], "place": [1, 2],
        "series_id": [1], "secret": [secret], "token": [facts["join"]], "chat_id": [1],
        "game_key": list(registry.GAMES), "inbound_id": [1], "row_id": [1], "report_id": [1],
        "letter_id": [1], "recovery_id": [1], "name": ["faces.css"],
    }


def cookie_of_operator(service: Service) -> str:
    """Somebody who runs the site and plays nowhere."""
    with service.writing() as session:
        olga = Person(name=OPERATOR, address="olga@players.example", created=NOON)
        session.add(olga)
        session.flush()
        people.make(session, olga, NOON)
        made = auth.open_session(session, stored_id(olga), agent="test", now=NOON)
        session.commit()
    return made


def looking(walk: Walk) -> list[Rule]:
    """All routes that can be looked at."""
    rules = (rule for rule in walk.app.url_map.iter_rules() if "GET" in (rule.methods or ()))
    return sorted((rule for rule in rules if rule.endpoint not in NOT_ABOUT_GAMES),
                  key=lambda rule: rule.rule)


def same(walks: list[Walk], ask: Any) -> str:
    """What both answer, which must be the same."""
    real, dealt = (ask(walk) for walk in walks)
    if real != dealt:
        raise Differs(differing(real, dealt))
    return str(real)


class Differs(AssertionError):
    """The two answers are not the same."""


def differing(real: str, dealt: str) -> str:
    """Where two texts part, with what stands around there."""
    pairs = enumerate(zip(real, dealt, strict=False))
    at = next((place for place, (one, other) in pairs if one != other), len(real))
    return "\n".join(text[max(0, at - 200) : at + 200] for text in (real, dealt))


def told_once(walk: Walk, client: FlaskClient, method: str, path: str, **more: Any) -> str:
    """An answer with its headers; what it has done is taken back."""
    with walk.undone.undone():
        answer = client.open(path, method=method, **more)
        text = told(answer)
        answer.close()
    return DRAWN.sub("drawn", text)


# ---- looking ------------------------------------------------------------------------------------


def test_no_route_tells_who_looks_what_is_hidden(both: tuple[Twins, list[Walk]]) -> None:
    """Plainly, then by HEAD, for other formats, and by the tag of what was seen before."""
    twins, walks = both
    texts = []
    for rule in looking(walks[0]):
        for path in walks[0].paths(rule):
            answers = seen(walks, path, about_game="game_id" in rule.arguments)
            texts += answers if rule.endpoint not in NAME_EVERYTHING else []
    for path in STRANGE:
        texts.append(same(walks, lambda walk, path=path: told_once(
            walk, walk.browser(), "GET", path.format(**walk.facts))))

    assert_silent(twins, texts)
    assert sum(text.startswith("200") for text in texts) > 20


def seen(walks: list[Walk], path: str, *, about_game: bool) -> list[str]:
    """What the viewer or his program is answered at an address."""
    head = {"Accept-Language": "pt"}
    if path.startswith("/api/"):
        head["Authorization"] = f"Bearer {TOKEN}"
    is_operators = path.startswith("/operator")

    def look(method: str, **more: str) -> str:
        return same(walks, lambda walk: told_once(
            walk, walk.browser(is_operator=is_operators), method, path, headers=head | more))

    plain = look("GET")
    if not about_game:
        return [plain]
    tag = re.search(r'^ETag: (\S+)', plain, re.MULTILINE)
    others = [look("GET", **more) for more in ALSO[:1] if plain.startswith("200")]
    others += [look("GET", **{"If-None-Match": tag[1]})] if tag else []
    return [plain, look("HEAD"), *others, *([look("GET", **more) for more in ALSO[1:]]
                                             if os.environ.get("SOAK") == "yes" else [])]


def test_operators_see_nothing_of_what_is_hidden(both: tuple[Twins, list[Walk]]) -> None:
    """The game's own pages, as an operator who does not play sees them, and what he can do."""
    twins, walks = both
    texts = []
    for rule in looking(walks[0]):
        if "game_id" in rule.arguments and not rule.endpoint.startswith(("api.", "feeds.")):
            for path in walks[0].paths(rule):
                text = same(walks, lambda walk, path=path: told_once(
                    walk, walk.browser(is_operator=True), "GET", path))
                texts += [text] if rule.endpoint not in NAME_EVERYTHING else []

    if twins.real.viewer is SPECTATOR:  # what the viewer of a seat has seen, others have not
        assert_silent(twins, texts)
    assert len(texts) > 15


# ---- sending ------------------------------------------------------------------------------------


def test_no_form_of_any_route_answers_otherwise(both: tuple[Twins, list[Walk]]) -> None:
    """Each route that takes something: with nothing in it, and with what is usual there."""
    _twins, walks = both
    answers = []
    for rule in walks[0].app.url_map.iter_rules():
        methods = {"POST", "DELETE", "PUT", "PATCH"} & (rule.methods or set())
        if rule.endpoint in NOT_ABOUT_GAMES or not methods or "game_id" not in rule.arguments:
            continue
        for path in walks[0].paths(rule):
            for filled in (False, True):
                answers.append(same(walks, lambda walk, path=path, rule=rule, filled=filled:
                                    sent(walk, rule, path, is_filled=filled)))

    assert len(answers) > 60


def sent(walk: Walk, rule: Rule, path: str, *, is_filled: bool) -> str:
    """What a route answers to what is sent to it."""
    method = next(iter({"POST", "DELETE"} & (rule.methods or set())))
    client = walk.browser(is_operator=path.startswith("/operator"))
    head = {"Authorization": f"Bearer {TOKEN}", "Idempotency-Key": "one"}
    if rule.endpoint.startswith("api."):
        body = BODIES.get(rule.endpoint, {}) if is_filled else {}
        return told_once(walk, client, method, path, json=body, headers=head)
    form = FORMS.get(rule.endpoint, {"why": "because"}) if is_filled else {}
    return told_once(walk, client, method, path, data={
        name: value for name, value in form.items() if "{" not in value})


def test_the_walk_knows_every_route(both: tuple[Twins, list[Walk]]) -> None:
    _twins, (walk, _other) = both
    endpoints = {rule.endpoint for rule in walk.app.url_map.iter_rules()}

    assert NOT_ABOUT_GAMES.keys() <= endpoints
    assert QUERIES.keys() <= endpoints
    for rule in walk.app.url_map.iter_rules():
        if rule.endpoint not in NOT_ABOUT_GAMES:
            assert list(walk.paths(rule)), rule


# ---- the walk itself ----------------------------------------------------------------------------

Leak = Callable[[Response, int], Response]  # an answer, and a number that hangs on what is hidden


def in_a_header(answer: Response, secret: int) -> Response:
    answer.headers["X-Cards"] = str(secret)
    return answer


def in_its_size(answer: Response, secret: int) -> Response:
    if not answer.is_streamed:
        answer.data += b" " * (secret % 997)
    return answer


@contextmanager
def planted(walks: list[Walk], leak: Leak) -> Iterator[None]:
    """A fault in every answer of both sites."""
    for walk in walks:
        with walk.site.service.reading() as session:
            state = positions.table(session, walk.site.row(session)).state
        secret = int.from_bytes(hashlib.sha256(repr(state).encode()).digest()[:4])
        walk.app.after_request_funcs.setdefault(None, []).append(
            lambda answer, secret=secret: leak(answer, secret))
    try:
        yield
    finally:
        for walk in walks:
            walk.app.after_request_funcs[None].pop()


@pytest.mark.parametrize("leak", [in_a_header, in_its_size])
def test_an_answer_that_hangs_on_what_is_hidden_is_found(
    both: tuple[Twins, list[Walk]], leak: Leak
) -> None:
    _twins, walks = both

    with planted(walks, leak), pytest.raises(Differs):
        seen(walks, f"/games/{walks[0].facts['game']}", about_game=True)


def test_an_answer_that_names_what_is_hidden_is_found(both: tuple[Twins, list[Walk]]) -> None:
    """Both sites say the same then."""
    twins, walks = both
    name = sorted(secrets_of(twins))[0]

    def aloud(answer: Response, _secret: int) -> Response:
        answer.headers["X-Tile"] = name
        return answer

    with planted(walks, aloud):
        texts = seen(walks, f"/games/{walks[0].facts['game']}", about_game=True)
        with pytest.raises(AssertionError, match=re.escape(name)):
            assert_silent(twins, texts)
