"""Every rule of RULES.md has a function that carries it out and a test; every refusal is listed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import engine.goa
from engine.goa.refusals import REFUSALS

GAME = Path(engine.goa.__file__).parent
TESTS = Path(__file__).parent
ID = re.compile(r"GO-\d+\.\d+a?")
RULES = re.findall(r"^- \*\*(GO-\d+\.\d+a?)\*\* \S", (GAME / "RULES.md").read_text("utf-8"), re.M)
NO_RULES = {"view.py", "orders.py", "bots.py", "moves.py", "state.py", "position.py"}


def cited(paths, prefix=""):
    """The rule ids in the docstrings of functions; `GO-2.1 to GO-2.3` names three."""
    found = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith(prefix):
                found |= set(ID.findall(ast.get_docstring(node) or ""))
    return found


IN_RULES = cited(path for path in GAME.glob("*.py") if path.name not in NO_RULES)
IN_TESTS = cited(TESTS.glob("test_*.py"), prefix="test_")


def test_the_rules_are_numbered_without_a_gap():
    """GO-1.1 to GO-9.2, and GO-4.8a."""
    sections = [5, 3, 4, 11, 4, 2, 2, 5, 2]
    numbered = [f"GO-{section}.{rule}" for section, rules in enumerate(sections, 1)
                for rule in range(1, rules + 1)]
    numbered.insert(numbered.index("GO-4.8") + 1, "GO-4.8a")

    assert numbered == RULES


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_cited_by_a_function_and_by_a_test(rule):
    """The docstring of what carries it out, and of what tries it."""
    assert rule in IN_RULES
    assert rule in IN_TESTS


def test_no_rule_is_cited_that_does_not_exist():
    """In docstrings and in refusals."""
    texts = [path.read_text("utf-8") for path in GAME.glob("*.py")]
    ids = {rule for text in texts for rule in ID.findall(text)}

    assert ids <= set(RULES)


REFUSED = {"IllegalMove", "MalformedOrder", "NotYourTurn", "GameOver"}
DECLARED = "Refusal"
"""A reason of a declared field (engine/choices.py): key, rule, numbers."""


def raised():
    """Key and names of the numbers of every refusal that a rule raises or gives."""
    for path in GAME.glob("*.py"):
        if path.name in NO_RULES:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSED:
                words = {word.arg: word.value for word in node.keywords}
                if "rule" in words:
                    yield ast.literal_eval(node.args[0]), frozenset(set(words) - {"rule"})


def declared():
    """Key of every refusal that a rule declares."""
    for path in GAME.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == DECLARED:
                yield ast.literal_eval(node.args[0])


def test_the_list_of_refusals_is_complete():
    """Keys and the names of their numbers, for whoever words them."""
    listed = {(key, frozenset(numbers)) for key, numbers in REFUSALS.items()}
    assert set(raised()) <= listed
    assert {key for key, _ in raised()} | set(declared()) == set(REFUSALS)
