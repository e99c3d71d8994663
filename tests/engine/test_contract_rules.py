"""What every game promises of its rules: stored games replay; none is left out or made up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from engine import codec, registry
from pbem.record.verify import verify
from tests.engine.play_outs import play_outs_of

STORED = sorted((Path(__file__).parent / "stored").glob("*.jsonl"))


def test_there_are_stored_games_of_every_game() -> None:
    """The ruleset's promise needs something to hold."""
    games = {path.name.split("-of-")[0] for path in STORED}

    assert games == set(registry.GAMES)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_stored_game_still_replays(path: Path) -> None:
    """By its rules, chance drawn again; a rule that changes it needs a new ruleset's name."""
    with path.open("rb") as record:
        verdict = verify(record)

    assert verdict.ok, f"{verdict.at}: {verdict.reason}"
    assert verdict.finished
    assert verdict.redrawn


def test_a_stored_game_of_every_ruleset_that_is_played_exists(key: str) -> None:
    """A ruleset that no stored game names could change without a test that fails."""
    headers = [msgspec.json.decode(path.read_bytes().splitlines()[0]) for path in STORED]

    assert {each["ruleset"] for each in headers if each["game"] == key} == set(
        registry.game(key).rulesets)


# ---- rules and their words ---------------------------------------------------------------------

RULE = r"\b[A-Z]{2}-\d+\.\d+a?\b"
NO_RULES = {"view.py", "orders.py", "bots.py", "moves.py", "state.py"}


def package_of(key: str) -> Path:
    """The folder of a game's rules."""
    module = import_module(f"engine.{key.replace('-', '_')}")
    return Path(str(module.__file__)).parent


def rules_of(key: str) -> list[str]:
    """The ids of all numbered rules, as RULES.md lists them."""
    text = (package_of(key) / "RULES.md").read_text("utf-8")
    return re.findall(rf"^- \*\*({RULE})\*\* \S", text, re.M)


def cited(paths: Iterable[Path], prefix: str = "") -> set[str]:
    """The rule ids in the docstrings of functions, and of tests of functions named so."""
    found: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith(prefix):
                found |= set(re.findall(RULE, ast.get_docstring(node) or ""))
    return found


def test_every_rule_is_cited_by_a_function_that_carries_it_out(key: str) -> None:
    modules = [path for path in package_of(key).glob("*.py") if path.name not in NO_RULES]

    assert rules_of(key)
    assert not set(rules_of(key)) - cited(modules)


def test_every_rule_is_cited_by_a_test(key: str) -> None:
    tests = (Path(__file__).parent / package_of(key).name).glob("test_*.py")

    assert not set(rules_of(key)) - cited(tests, prefix="test_")


def test_no_rule_is_cited_that_does_not_exist(key: str) -> None:
    """In docstrings, in facts and in refusals; nor is one written down twice."""
    rules = rules_of(key)
    texts = [path.read_text("utf-8") for path in package_of(key).glob("*.py")]
    prefix = rules[0].split("-")[0]
    named = {rule for text in texts for rule in re.findall(RULE, text) if rule.startswith(prefix)}

    assert not named - set(rules)
    assert len(set(rules)) == len(rules)


def test_every_fact_and_question_names_a_rule_that_exists(key: str) -> None:
    """The log shows it; what puts a question has the question's own."""
    rules = set(rules_of(key))
    kinds = {type(event): event for played in play_outs_of(key)
             for step in played.steps for event in step.turn.events}
    questions = {state.awaiting for played in play_outs_of(key) for state in played.states}

    for kind in kinds:
        assert kind.rule in rules or codec.tag_of(kind) == "NowAwaiting", kind
    assert {question.rule for question in questions - {None}} <= rules
