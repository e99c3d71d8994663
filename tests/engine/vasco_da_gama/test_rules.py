"""The rules are numbered without a gap, and every refusal is listed for whoever words it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import engine.vasco_da_gama
from engine.vasco_da_gama.refusals import REFUSALS

GAME = Path(engine.vasco_da_gama.__file__).parent
RULES = re.findall(r"^- \*\*(VG-\d+\.\d+)\*\* \S", (GAME / "RULES.md").read_text("utf-8"), re.M)
NO_RULES = {"view.py", "orders.py", "bots.py", "moves.py", "state.py"}


def test_the_rules_are_numbered_without_a_gap():
    """VG-1.1 to VG-8.4."""
    sections = [8, 5, 5, 4, 4, 8, 5, 4]

    assert [f"VG-{section}.{rule}" for section, rules in enumerate(sections, 1)
            for rule in range(1, rules + 1)] == RULES


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
