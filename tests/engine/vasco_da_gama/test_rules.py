"""Every rule of RULES.md has a function that carries it out and a test; every refusal is listed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import engine.vasco_da_gama
from engine.vasco_da_gama.refusals import REFUSALS

GAME = Path(engine.vasco_da_gama.__file__).parent
TESTS = Path(__file__).parent
RULES = re.findall(r"^- \*\*(VG-\d+\.\d+)\*\* \S", (GAME / "RULES.md").read_text("utf-8"), re.M)
NO_RULES = {"view.py", "orders.py", "bots.py", "moves.py", "events.py", "state.py"}


def cited(paths, prefix=""):
    """The rule ids in the docstrings of functions."""
    found = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith(prefix):
                found |= set(re.findall(r"VG-\d+\.\d+", ast.get_docstring(node) or ""))
    return found


IN_RULES = cited(path for path in GAME.glob("*.py") if path.name not in NO_RULES)
IN_TESTS = cited(TESTS.glob("test_*.py"), prefix="test_")


def test_the_rules_are_numbered_without_a_gap():
    """VG-1.1 to VG-8.4."""
    sections = [8, 5, 5, 4, 4, 8, 5, 4]

    assert [f"VG-{section}.{rule}" for section, rules in enumerate(sections, 1)
                     for rule in range(1, rules + 1)] == RULES


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_cited_by_a_function_and_by_a_test(rule):
    """The docstring of what carries it out, and of what tries it."""
    assert rule in IN_RULES
    assert rule in IN_TESTS


def test_no_rule_is_cited_that_does_not_exist():
    """In docstrings and in refusals."""
    texts = [path.read_text("utf-8") for path in GAME.glob("*.py")]
    ids = {rule for text in texts for rule in re.findall(r"VG-\d+\.\d+", text)}

    assert ids <= set(RULES)


def raised():
    """Key and names of the numbers of every refusal that a rule raises."""
    for path in GAME.glob("*.py"):
        if path.name in NO_RULES:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                words = {word.arg: word.value for word in node.exc.keywords}
                if "rule" in words:
                    yield ast.literal_eval(node.exc.args[0]), frozenset(set(words) - {"rule"})


def test_the_list_of_refusals_is_complete():
    """Keys and the names of their numbers, for whoever words them."""
    assert set(raised()) == {(key, frozenset(numbers)) for key, numbers in REFUSALS.items()}
