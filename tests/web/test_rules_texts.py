"""The rules in four languages: the same rules, figures and examples; RULES.md comes from them."""

from __future__ import annotations

import re
import tomllib
from collections import Counter

import pytest

from engine import registry
from engine.scenario import run
from pbem.i18n import rulebook
from pbem.i18n.words import LANGUAGES

GAMES = tuple(registry.GAMES)
OTHERS = tuple(each for each in LANGUAGES if each != "en")
ID = re.compile(r"[A-Z]{2}-\d+\.\d+[a-z]?")
CODE = re.compile("`(.+?)`")
both = pytest.mark.parametrize("key", GAMES)
translated = pytest.mark.parametrize("language", OTHERS)


def said(key: str, language: str) -> dict[str, str]:
    """Every text of a rulebook by where it stands."""
    book = rulebook.rulebook(key, language)
    texts = {f"lead {place}": text for place, text in enumerate(book.lead)}
    for one in (*book.sections, *book.rules):
        name = getattr(one, "id", None) or getattr(one, "number", "")
        texts |= {f"{name} {part}": getattr(one, part) for part in ("text", "ruling", "why")}
    for name, told in book.examples.items():
        texts[f"{name} title"], texts[f"{name} position"] = told.title, told.position
    return texts


def figures(text: str) -> Counter[str]:
    """The places for figures in a text."""
    return Counter(place[1] for place in rulebook.FIGURE.finditer(text))


def numbers(text: str) -> Counter[str]:
    """The numbers that stand in a text by themselves: not in orders, rules' ids and places."""
    for pattern in (CODE, ID, rulebook.FIGURE, re.compile(r"I+-\d+|[a-z]\d")):
        text = pattern.sub(" ", text)
    return Counter(re.findall(r"\d+", text))


@both
@translated
def test_every_rule_is_said_in_every_language(key: str, language: str) -> None:
    english, other = said(key, "en"), said(key, language)

    assert list(english) == list(other)
    assert {where for where, text in english.items() if text} == {
        where for where, text in other.items() if text
    }


@both
@translated
def test_no_language_says_another_figure_rule_or_order(key: str, language: str) -> None:
    english, other = said(key, "en"), said(key, language)

    for where, text in english.items():
        for kind in (figures, lambda each: Counter(CODE.findall(each)),
                     lambda each: set(ID.findall(each))):
            assert kind(text) == kind(other[where]), where
        # A word may stand for a small number in one language: larger ones are figures.
        large = {number: count for number, count in numbers(text).items() if int(number) > 5}
        assert large == {n: c for n, c in numbers(other[where]).items() if int(n) > 5}, where


@both
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_figure_with_its_word_has_a_form_for_every_number(key: str, language: str) -> None:
    for where, text in said(key, language).items():
        for place in rulebook.FIGURE.finditer(text):
            assert place[2].count("|") in {0, len(rulebook.FORMS[language])}, where
        left = rulebook.filled(text, registry.game(key).components, key, language)
        assert "{" not in left, where
        assert "|" not in left, where


@both
@translated
def test_every_source_and_word_of_the_tables_is_said_in_every_language(
    key: str, language: str
) -> None:
    book, english = rulebook.rulebook(key, language), rulebook.rulebook(key, "en")

    assert set(sources(tomllib.loads(registry.standard(key)))) == set(book.sources)
    assert set(book.words) == set(english.words)


def sources(raw: object) -> list[str]:
    """All that a component set says of where its figures come from."""
    if isinstance(raw, list):
        return [each for row in raw for each in sources(row)]
    if not isinstance(raw, dict):
        return []
    own = [raw["source"]] if "source" in raw else []
    return own + [each for row in raw.values() for each in sources(row)]


@both
def test_every_ruling_has_its_reason_and_every_rule_says_something(key: str) -> None:
    for rule in rulebook.rulebook(key, "en").rules:
        assert rule.text or rule.ruling, rule.id
        assert bool(rule.ruling) == bool(rule.why), rule.id


@both
def test_the_engines_rules_are_those_of_the_page(key: str) -> None:
    """`make rules` writes them."""
    assert rulebook.rules_file(key).read_text("utf-8") == rulebook.markdown(key)


@both
def test_the_examples_hold(key: str) -> None:
    examples = rulebook.examples(key)

    assert list(examples) == list(rulebook.rulebook(key, "en").examples)
    assert len(examples) > 5
    for name, example in examples.items():
        assert example.game == key, name
        assert run(example) == [], name


def test_a_text_says_the_figures_of_the_set_in_play() -> None:
    """A set with another number of Reals is told with that number, and with its word."""
    key = GAMES[0]
    toml = registry.standard(key).replace("reals = 10\n", "reals = 1\n", 1)
    components = registry.game(key, toml).components
    text = "{start.reals|Real|Reals}"

    assert rulebook.filled(text, components, key, "en") == "1 Real"
    assert rulebook.filled(text, registry.game(key).components, key, "en") == "10 Reals"
