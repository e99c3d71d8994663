"""Every text of pages and letters is there in hu, ru and pt, and every word of the game exists."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import read_po

from engine import registry
from pbem.i18n import catalogs, words
from pbem.tables.options import value_text

ROOT = Path(__file__).parents[2]
OURS = {"say": None, "msgid": None}  # beside gettext's own names; `make messages` says the same
PLACE = re.compile(r"%\(\w+\)[sd]|</?\w+[^>]*>")
TRANSLATED = words.LANGUAGES[1:]


@cache
def texts() -> dict[str, tuple[str, ...]]:
    """All texts in code and templates by their singular, with the plural where there is one."""
    with (ROOT / "babel.cfg").open() as file:
        methods, options = parse_mapping_cfg(file)
    found = extract_from_dir(ROOT, methods, options, keywords={**DEFAULT_KEYWORDS, **OURS})
    said = [(text,) if isinstance(text, str) else tuple(text) for _, _, text, _, _ in found]
    return {text[0]: text for text in said}


@cache
def catalog(language: str) -> Catalog:
    with (catalogs.CATALOGS / language / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return read_po(file)


def translated(language: str, text: str) -> tuple[str, ...]:
    """The forms of a text in a language; empty if it has none."""
    message = catalog(language).get(text)
    if message is None or message.fuzzy:
        return ()
    forms = (message.string,) if isinstance(message.string, str) else tuple(message.string)
    return forms if all(forms) else ()


def places(text: str) -> set[str]:
    return set(PLACE.findall(text))


def test_texts_are_found_in_code_templates_and_letters():
    assert {
        "Nothing is chosen yet. Go through the steps, or write an order line.",
        "Send me the letter",
        "It is your turn.",
        "The four areas",
    } <= set(texts())


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_text_is_left_untranslated(language):
    assert [text for text in texts() if not translated(language, text)] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_places_of_its_text(language):
    different = [
        (text, form)
        for text, forms in texts().items()
        for form in translated(language, text)
        # "The chair is taken": one need not be said as a number.
        if not (len(forms) > 1 and places(form) <= places(forms[-1]))
        and places(form) != places(text)
    ]

    assert different == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_text_that_takes_a_number_has_all_forms(language):
    wanted = catalog(language).num_plurals

    numbered = [text for text, forms in texts().items() if len(forms) > 1]

    assert numbered
    assert [text for text in numbered if len(translated(language, text)) != wanted] == []


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "уже 1 открытая партия"),
        (3, "уже 3 открытые партии"),
        (5, "уже 5 открытых партий"),
        (21, "уже 21 открытая партия"),
    ],
)
def test_a_number_picks_its_form(number, said):
    text = words.ngettext(
        "You have %(num)s open game already; start or cancel one first.",
        "You have %(num)s open games already; start or cancel one first.",
        number,
        "ru",
    )

    assert said in text


def test_english_needs_no_catalog():
    assert words.gettext("Welcome, %(name)s.", "en", name="Anna") == "Welcome, Anna."


def test_a_text_without_a_translation_stays_english():
    assert words.gettext("No catalog holds this.", "hu") == "No catalog holds this."


def test_a_language_whose_texts_are_not_compiled_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hu" / "LC_MESSAGES").mkdir(parents=True)
    (tmp_path / "hu" / "LC_MESSAGES" / "messages.po").touch()
    monkeypatch.setattr(catalogs, "CATALOGS", tmp_path)

    with pytest.raises(catalogs.NotCompiled, match="make install"):
        catalogs.translations.__wrapped__("hu")


def test_an_empty_text_is_not_the_catalogs_head():
    assert words.gettext("", "hu") == ""


@pytest.mark.parametrize("key", registry.GAMES)
def test_every_word_of_a_game_that_its_pages_and_letters_use_exists(key: str) -> None:
    terms = words.game_words(key, "en").terms
    others = {path for other in registry.GAMES if other != key
              for path in (words.GAMES / other).rglob("*")}
    sources = [
        path
        for at in ("templates", "pbem/web", "pbem/mail")
        for path in (ROOT / at).rglob("*")
        if path.suffix in {".html", ".txt", ".svg", ".py"} and path not in others
    ]
    used = re.compile(r"""\b(?:t|term|count)\(["']([a-z_0-9]+)["'](\s*~)?""")

    missing = {
        (path.name, key)
        for path in sources
        for key, is_beginning in used.findall(path.read_text(encoding="utf-8"))
        if not is_beginning and key not in terms
    }

    assert missing == set()


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("key", registry.GAMES)
def test_every_option_of_a_game_and_each_of_its_values_has_a_name(key: str, language: str) -> None:
    said = words.game_words(key, language).options

    wanted = {
        name
        for option, values in registry.game(key).options.items()
        for name in (option, *(f"{option}_{value_text(value)}" for value in values))
    }

    assert set(said) == wanted
