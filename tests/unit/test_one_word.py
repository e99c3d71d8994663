"""One thing has one word, in each language; what translators agreed on stays agreed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from pbem.i18n.words import called, game_words

ROOT = Path(__file__).parents[2]
NEVER = [  # language, what never stands in a text, what stands there instead
    ("hu", r"\b[Aa]\(z\)", "a text that needs no article before the value"),
    ("hu", r"\b([Rr]ólad|[Nn]eked|[Tt]őled|[Tt]éged|[Vv]eled|neved|címeid\w*|lépéseid\w*)\b", "Ön"),
    ("hu", r"\b[Hh]ázigazd", "szervező"),
    ("hu", r"\b[Aa] játék (véget ért|továbbhaladt|Önre vár)", "a játszma"),
    ("ru", r"\b[Сс]лужб", "сайт for the service, бот for a player of its own"),
    ("ru", r"\b([Хх]озяин|[Хх]озяев|[Вв]едущ)", "организатор"),
    ("ru", r"\b[Ии]гра (окончена|продвинулась|ждёт)", "партия"),
    ("ru", r"\b[Вв]ыбывает", "пасует"),
    ("pt", r"\b[Aa]nfitri", "organizador"),
    ("pt", r"\b[Oo] jogo (terminou|avançou|espera|continua)", "a partida"),
]


@cache
def catalog(language: str) -> dict[str, str]:
    """What pages and letters say: English text and translation, all forms of it."""
    with (ROOT / "pbem/translations" / language / "LC_MESSAGES/messages.po").open("rb") as file:
        return {str(each.id): str(each.string) for each in read_po(file) if each.id}


def strings(tables: Any) -> Iterator[str]:
    """All texts of a TOML file."""
    if isinstance(tables, str):
        yield tables
    elif isinstance(tables, dict):
        for each in tables.values():
            yield from strings(each)
    elif isinstance(tables, list):
        for each in tables:
            yield from strings(each)


@cache
def texts(language: str) -> tuple[str, ...]:
    """All that people read in a language."""
    said = list(catalog(language).values())
    for path in sorted(ROOT.glob(f"templates/games/*/*/{language}.toml")):
        said += strings(tomllib.loads(path.read_text("utf-8")))
    return tuple(said)


@pytest.mark.parametrize(
    ("language", "never", "instead"), NEVER,
    ids=[f"{language}-{place}" for place, (language, *_) in enumerate(NEVER)])
def test_a_word_that_was_given_up_stands_nowhere(language: str, never: str, instead: str) -> None:
    assert [each for each in texts(language) if re.search(never, each)] == [], instead


def test_a_letter_is_a_message_in_portuguese_and_a_card_a_card() -> None:
    assert [text for text in catalog("pt").values() if re.search(r"\b[Cc]artas?\b", text)] == []
    assert game_words("goa", "pt").term("card") == "carta"


def test_a_chart_is_no_card() -> None:
    for english in ("Chart of the landings", "The chart as a table"):
        assert not re.search("[Кк]арт", catalog("ru")[english])
        assert "apa" in catalog("pt")[english]


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "Former player 12"), ("hu", "Egykori játékos 12"), ("ru", "Бывший игрок 12"),
     ("pt", "Antigo jogador 12")],
)
def test_who_has_left_for_good_is_called_so_in_every_language(language: str, name: str) -> None:
    assert called("Former player 12", language) == name
    assert called("Anna", language) == "Anna"


@pytest.mark.parametrize(
    ("language", "manuel", "recruiting"),
    [("en", "Manuel", "Rec"), ("hu", "Mánuel", "Tob"), ("ru", "Мануэль", "Наём"),
     ("pt", "D. Manuel", "Rec")],
)
def test_short_names_are_names(language: str, manuel: str, recruiting: str) -> None:
    words = game_words("vasco-da-gama", language)

    assert words.term("character_short_manuel") == manuel
    assert words.term("area_short_recruiting") == recruiting
