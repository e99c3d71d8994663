"""schemathesis asks the API whatever its description allows, and some that it does not.

A small run, always the same, with the suite; `make soak` (SOAK=yes) asks far more, and otherwise.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from sqlmodel import Session

from pbem.accounts import api_tokens
from pbem.models import Game, Person
from pbem.service import Service
from pbem.web import limits
from pbem.web.api import openapi
from tests.support.finished import finished_game
from tests.support.tables import ANA, seat

WHOLE = bool(os.environ.get("SOAK"))
EXAMPLES = 400 if WHOLE else 6
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance,
          response_schema_conformance]  # fmt: skip
OFTEN = settings(max_examples=EXAMPLES, derandomize=not WHOLE, deadline=None, database=None,
                 phases=[Phase.explicit, Phase.generate],
                 suppress_health_check=list(HealthCheck))


@pytest.fixture
def over(service: Service, session: Session, game: Game) -> Game:
    """A second game, which is over."""
    return finished_game(service, session, names=("Eszter", "Fedor"))


@pytest.fixture
def token(service: Service, session: Session, game: Game) -> str:
    """A token of who is asked in the game that goes on."""
    who = session.get_one(Person, seat(session, game, ANA).person_id)
    made = api_tokens.make(session, who, name="a machine", scopes=("read", "play"), days=30,
                           now=service.clock.now())
    session.commit()
    return made


@pytest.fixture
def description(flask_app: Flask) -> Any:
    flask_app.extensions[limits.EXTENSION].is_counting = False
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", flask_app)


def test_the_api_answers_as_it_is_described_whatever_it_is_asked(
    description: Any, token: str, game: Game, over: Game
) -> None:
    asked = 0
    for found in description.get_all_operations():
        operation = found.ok()

        @OFTEN
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            nonlocal asked
            asked += 1
            known(case, token, game, over)
            answer = case.call()
            case.validate_response(answer, checks=CHECKS)
            assert game.server_part.hex() not in answer.text

        ask()
    assert asked >= len(openapi.OPERATIONS) * EXAMPLES / 2


def known(case: Any, token: str, game: Game, over: Game) -> None:
    """Give the case a token that counts and, mostly, a game that there is."""
    case.headers = dict(case.headers or {}) | {"Authorization": f"Bearer {token}"}
    at = (case.path_parameters or {}).get("game_id")
    if isinstance(at, int) and at % 4:
        case.path_parameters["game_id"] = over.id if at % 4 == 1 else game.id


def test_the_checks_fail_where_an_answer_is_none_of_those_described(
    flask_app: Flask, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", flask_app)
    monkeypatch.setitem(flask_app.view_functions, "api.games", lambda: ({"games": 1}, 200))
    case = told["/games"]["GET"].Case(headers={"Authorization": f"Bearer {token}"})

    with pytest.raises(FailureGroup):
        case.validate_response(case.call(), checks=CHECKS)
