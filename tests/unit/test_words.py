"""Every fact, question, refusal and move of every game is said in four languages, alike."""

from __future__ import annotations

import ast
import string
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from engine import notation, orders_ahead, registry
from pbem.i18n import words
from tests.support.said import KEYS, all_of, samples

ROOT = Path(__file__).parents[2]
ANNA, BRAM, CHAIM = range(3)
NAMES = ("Anna", "Bram", "Chaim")

every_game = pytest.mark.parametrize("game", KEYS)
every_language = pytest.mark.parametrize("language", words.LANGUAGES)
every_other_language = pytest.mark.parametrize("language", words.LANGUAGES[1:])


@pytest.fixture(autouse=True)
def _games_with_words_are_there(monkeypatch):
    """A game's words can be there before anybody can play it."""
    for key in KEYS:
        if key not in registry.GAMES:
            monkeypatch.setitem(registry.GAMES, key, samples(key).MAKE)


class Recorder(dict):  # type: ignore[type-arg]
    """A table of phrases that remembers which were said."""

    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self.said: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.said.add(key)
        return super().__getitem__(key)


@pytest.fixture
def spoken(monkeypatch):
    """English words that remember which phrases of facts, questions and moves were said."""
    tongues = {}
    for key in KEYS:
        tongue = tongues[key] = words.GameWords(key, "en")
        tongue.events = Recorder(tongue.events)
        tongue.orders = Recorder(tongue.orders)
        tongue.prompts = {whom: Recorder(told) for whom, told in tongue.prompts.items()}
    monkeypatch.setattr(words, "game_words", lambda game, _language: tongues[game])
    return tongues


@cache
def tables(game: str, language: str) -> dict[str, Any]:
    path = words.GAMES / game / "words" / f"{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def phrases(table: dict[str, Any], at: str = "") -> dict[str, str]:
    """All wordings by their path, terms' plural forms too."""
    found: dict[str, str] = {}
    for key, value in table.items():
        path = f"{at}.{key}" if at else key
        found |= phrases(value, path) if isinstance(value, dict) else {path: value}
    return found


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def is_plural(path: str) -> bool:
    return path.rpartition(".")[2] in ("one", "few", "many", "other")


def named(said: tuple[str, Any]) -> str:
    """The game and the class of what is said."""
    return f"{said[0]}-{type(said[1]).__name__}"


# ---- the four files ----------------------------------------------------------------------------


def test_every_registered_game_has_words():
    assert set(registry.GAMES) <= set(KEYS)


@every_game
@every_other_language
def test_all_languages_have_the_same_phrases(game, language):
    def keys(of: str) -> set[str]:
        found = phrases({k: v for k, v in tables(game, of).items() if k != "aliases"})
        return {path.rpartition(".")[0] if is_plural(path) else path for path in found}

    assert keys(language) == keys("en")


@every_game
@every_other_language
def test_a_phrase_has_the_same_places_in_all_languages(game, language):
    theirs, ours = phrases(tables(game, language)), phrases(tables(game, "en"))
    shared = [path for path in ours if path in theirs and not path.startswith("aliases")]

    different = [p for p in shared if placeholders(theirs[p]) != placeholders(ours[p])]

    assert different == []


@every_game
@every_language
def test_no_phrase_is_empty_or_carries_a_rule(game, language):
    for path, text in phrases(tables(game, language)).items():
        assert text.strip(), path
        assert samples(game).RULES not in text, path


@every_game
@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", {"one", "other"}),
        ("hu", {"other"}),
        ("ru", {"one", "few", "many"}),
        ("pt", {"one", "other"}),
    ],
)
def test_a_word_that_takes_a_number_has_all_forms_of_its_language(game, language, forms):
    counted = [word for word in tables(game, language)["terms"].values() if isinstance(word, dict)]

    assert counted
    assert all(set(word) == forms for word in counted)


# ---- facts, questions, moves -------------------------------------------------------------------


@every_game
def test_the_samples_leave_out_no_class(game):
    rules, said = registry.game(game), samples(game)

    assert {type(fact) for fact in said.FACTS} == set(get_args(rules.event_type)) - said.SILENT
    assert {type(one) for one in said.QUESTIONS} == set(get_args(said.questions.Question))
    assert {type(move) for move in said.MOVES} == set(get_args(rules.move_type))


@every_language
def test_every_fact_is_said_in_words(language):
    unsaid = []
    for game, fact in all_of("FACTS"):
        line = words.event_line(
            registry.game(game), fact, names=NAMES, viewer=BRAM, language=language)
        if line is None or line.rule != fact.rule or set("{}[]'_") & set(line.text) \
                or "None" in line.text:
            unsaid.append((named((game, fact)), line))

    assert unsaid == []


def test_no_fact_has_a_phrase_that_is_never_said(spoken):
    for game, fact in all_of("FACTS"):
        for viewer in (ANNA, BRAM):
            words.event_line(registry.game(game), fact, names=NAMES, viewer=viewer, language="en")

    assert {game: each.events.said for game, each in spoken.items()} == {
        game: set(each.events) for game, each in spoken.items()
    }


@every_language
def test_every_question_is_put_to_the_asked_and_told_to_the_others(language):
    wrong = []
    for game, question in all_of("QUESTIONS"):
        asked, told, watched = (
            words.prompt(registry.game(game), question, viewer=viewer, names=NAMES,
                         language=language) for viewer in (ANNA, BRAM, None))
        if "Anna" in asked or "Anna" not in told or watched != told:
            wrong.append((named((game, question)), asked, told, watched))

    assert wrong == []


def test_no_question_has_a_phrase_that_is_never_put(spoken):
    for game, question in all_of("QUESTIONS"):
        for viewer in (ANNA, BRAM):
            words.prompt(registry.game(game), question, viewer=viewer, names=NAMES, language="en")

    for tongue in spoken.values():
        for told in tongue.prompts.values():
            assert told.said == set(told)


@every_language
def test_every_move_has_a_label(language):
    unlabelled = []
    for game, move in all_of("MOVES"):
        label = words.move_label(registry.game(game), move, language)
        if not label or {"{", "}", "_"} & set(label) or "None" in label:
            unlabelled.append((named((game, move)), label))

    assert unlabelled == []


def test_no_move_has_a_label_that_is_never_shown(spoken):
    for game, move in all_of("MOVES"):
        words.move_label(registry.game(game), move, "en")

    for tongue in spoken.values():
        assert tongue.orders.said == set(tongue.orders)


# ---- refusals ----------------------------------------------------------------------------------

REFUSED = {"IllegalMove", "MalformedOrder", "NotYourTurn", "GameOver", "MoveRefused"}
OUR_OWN = {"PositionMovedOn", "KeyReused"}


def listed(game: str) -> dict[str, tuple[str, ...]]:
    return {**notation.REFUSALS, **orders_ahead.REFUSALS, **samples(game).REFUSALS}


def raised_in(path: Path) -> set[tuple[str, frozenset[str]]]:
    """Keys of the refusals in a source file, each with the names of its numbers."""
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in REFUSED | OUR_OWN
        and node.args
    ]
    return {
        (key.value, frozenset(k.arg for k in call.keywords if k.arg and k.arg != "rule"))
        for call in calls
        for key in ast.walk(call.args[0])
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


@cache
def raised(game: str) -> set[tuple[str, frozenset[str]]]:
    engine = [ROOT / at for at in ("engine", f"engine/{samples(game).PACKAGE}")]
    service = [ROOT / "pbem" / at for at in ("play", "clocks", "timeouts", "tables")]
    return set().union(*(raised_in(path) for at in engine + service for path in at.glob("*.py")))


@every_game
def test_every_refusal_has_a_phrase(game):
    keys = {key for key, _numbers in raised(game)} | set(listed(game))

    assert keys - set(tables(game, "en")["refusals"]) == set()


@every_game
def test_no_refusal_has_a_phrase_that_nobody_says(game):
    keys = {key for key, _ in raised(game)} | set(listed(game)) | {"not_allowed", "unreadable"}

    assert set(tables(game, "en")["refusals"]) - keys == set()


@every_game
def test_a_refusal_says_only_numbers_that_it_is_given(game):
    given = raised(game) | {(key, frozenset(numbers)) for key, numbers in listed(game).items()}
    phrases_of = tables(game, "en")["refusals"]

    lacking = {
        (key, *(placeholders(phrases_of[key]) - numbers))
        for key, numbers in given
        if key in phrases_of and placeholders(phrases_of[key]) - numbers
    }

    assert lacking == set()


@every_game
@every_language
def test_every_refusal_is_said_with_its_numbers(game, language):
    given = {"line": "plaze 8", "word": "plaze", **samples(game).REFUSED}
    said = {
        key: words.refusal(
            game, key, "VG-1.1", {name: given.get(name, 3) for name in numbers}, language)
        for key, numbers in listed(game).items()
    }

    assert [text for text in said.values()
            if not text.endswith(".") or {"{", "}", "_"} & set(text)] == []


@every_game
@every_language
def test_an_unknown_refusal_still_says_that_the_order_was_not_allowed(game, language):
    said = words.refusal(game, "no_such_key", "VG-3.3", {}, language)

    assert said == tables(game, language)["refusals"]["not_allowed"]


# ---- words of orders ---------------------------------------------------------------------------


@every_game
@every_other_language
def test_every_word_of_orders_has_an_alias_or_is_a_name(game, language):
    assert samples(game).WORDS_OF_ORDERS - set(words.aliases(game, language).values()) == set()


@every_game
@every_language
def test_an_alias_means_a_word_and_takes_no_english_word_another_meaning(game, language):
    english = set(words.aliases(game, "en").values()) | samples(game).WORDS_OF_ORDERS

    stolen = {
        alias: word
        for alias, word in words.aliases(game, language).items()
        if alias in english and alias != word
    }

    assert stolen == {}


# ---- letters of the seats ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "letters"),
    [
        (("Anna", "Bram", "Chaim"), ("A", "B", "C")),
        (("Zoë", "Émile"), ("Z", "É")),
        (("Anna", "Adam", "Chaim"), ("A", "B", "C")),
        (("Eva", "Émile"), ("A", "B")),
        (("Chaim", "Светлана"), ("A", "B")),
        (("Иван", "Mária", "Ольга", "Tomás"), ("И", "M", "О", "T")),
        (("", "Bram"), ("A", "B")),
        (("  «qui»", "x"), ("Q", "X")),
        (("Ana", "Steady 1", "Steady 2"), ("A", "1", "2")),
        (("Steady 1", "Random 1", "Ana"), ("A", "B", "C")),
    ],
)
def test_a_seat_has_its_players_first_letter_unless_two_look_alike(names, letters):
    assert words.seat_letters(names) == letters
