"""Templates that are compiled once a language: the same words as Jinja's own gettext would say."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from flask import Flask, g, render_template
from jinja2 import DictLoader

from pbem.i18n import catalogs
from pbem.web import speech

LANGUAGES = ("en", "hu", "ru", "pt")
HOSTILE = "<script>alert('%(name)s')</script>"
SAID = {
    "Games": {"hu": "Játszmák", "ru": "Партии", "pt": "Partidas"},
    "Hello, %(name)s!": {"hu": "Szia, %(name)s!", "ru": "Привет, %(name)s!",
                         "pt": "Olá, %(name)s!"},
    "%(name)s & %(name)s": {"hu": "%(name)s és %(name)s", "ru": "%(name)s и %(name)s"},
    "%(share)s%% of %(all)s": {"hu": "%(all)s-nek %(share)s%%-a", "ru": "%(share)s%% от %(all)s"},
    "100%% sure": {"hu": "100%% biztos"},
    "<b>Bold</b>": {"hu": "<b>Kövér</b>"},
    "<i>%(name)s</i>": {"hu": "<u>%(name)s</u>"},
}
DAYS = {"hu": ("%(num)s nap", "%(num)s nap"),
        "ru": ("%(num)s день", "%(num)s дня", "%(num)s дней")}  # fmt: skip
PAGES = {
    "games.html": '{{ _("Games") }}',
    "hello.html": '{{ _("Hello, %(name)s!", name=name) }}',
    "twice.html": '{{ _("%(name)s & %(name)s", name=name) }}',
    "share.html": '{{ _("%(share)s%% of %(all)s", share=25, all=all) }}',
    "sure.html": '{{ _("100%% sure") }}',
    "kept.html": '{% set said = _("100%% sure") %}{{ said }}',
    "bold.html": '{{ _("<b>Bold</b>") }}',
    "inside.html": '{{ ("[" ~ _("<i>%(name)s</i>", name=name) ~ "]") }}',
    "shown.html": '{{ _("<i>%(name)s</i>", name=name) }}',
    "days.html": '{{ ngettext("%(num)s day", "%(num)s days", days) }}',
    "base.html": '{{ _("Games") }}: {% block content %}{% endblock %}',
    "parts.html": '{% macro hello(name) %}{{ _("Hello, %(name)s!", name=name) }}{% endmacro %}',
    "page.html": '{% extends "base.html" %}{% from "parts.html" import hello %}'
                 '{% block content %}{{ hello("Ana") }} {% include "sure.html" %}{% endblock %}',
    "spoken.html": '{% set text = "Games" %}{{ _(text) }}',
    "odd.html": '{{ _("Hello, %(name)s!", name=name)|upper }}',
    "hello.txt": '{{ _("Hello, %(name)s!", name=name) }} {{ _("100%% sure") }}',
    "days.txt": '{{ ngettext("%(num)s day", "%(num)s days", days) }}',
}  # fmt: skip


class Catalog(catalogs.Catalog):
    """A language whose texts stand above."""

    def __init__(self, language: str) -> None:
        super().__init__(catalogs.CATALOGS / language / "LC_MESSAGES" / "messages.po")
        self.texts = {text: said[language] for text, said in SAID.items() if language in said}
        self.texts |= {"%(num)s day": DAYS[language]} if language in DAYS else {}


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """An app with these pages alone, which speaks four languages."""
    spoken = {"en": catalogs.translations("en")} | {
        each: Catalog(each) for each in LANGUAGES if each != "en"}
    monkeypatch.setattr(speech.words, "translations", spoken.__getitem__)
    made = Flask(__name__)
    speech.bind(made)
    made.jinja_env.loader = DictLoader(PAGES)
    yield made


def read(app: Flask, language: str, page: str, **values: Any) -> str:
    """A page as somebody reads it."""
    with app.test_request_context("/"):
        g.language = language
        return render_template(page, **values)


def test_each_reads_a_page_in_his_own_language(app: Flask) -> None:
    assert [read(app, each, "games.html") for each in (*LANGUAGES, "en")] == [
        "Games", "Játszmák", "Партии", "Partidas", "Games"]


def test_a_text_stands_with_its_figures(app: Flask) -> None:
    assert read(app, "ru", "hello.html", name="Ana") == "Привет, Ana!"
    assert read(app, "ru", "hello.html", name=7) == "Привет, 7!"


def test_a_text_names_a_figure_as_often_as_it_likes(app: Flask) -> None:
    assert read(app, "hu", "twice.html", name="Ana") == "Ana és Ana"
    assert read(app, "en", "twice.html", name="Ana") == "Ana & Ana"


def test_two_percent_signs_say_one(app: Flask) -> None:
    assert read(app, "en", "share.html", all=8) == "25% of 8"
    assert read(app, "hu", "share.html", all=8) == "8-nek 25%-a", "figures in another order"
    assert read(app, "hu", "sure.html") == "100% biztos"
    assert read(app, "hu", "kept.html") == "100% biztos", "in a variable"


@pytest.mark.parametrize("page", ["hello.html", "twice.html", "shown.html", "inside.html"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_others_chose_is_escaped(app: Flask, language: str, page: str) -> None:
    shown = read(app, language, page, name=HOSTILE)

    assert "&lt;script&gt;alert(&#39;%(name)s&#39;)&lt;/script&gt;" in shown
    assert "<script" not in shown


def test_a_text_of_ours_may_carry_marks_of_its_own(app: Flask) -> None:
    assert read(app, "hu", "bold.html") == "<b>Kövér</b>"
    assert read(app, "hu", "inside.html", name="A&B") == "[<u>A&amp;B</u>]"
    assert read(app, "hu", "shown.html", name="A&B") == "<u>A&amp;B</u>"


def test_a_text_that_goes_on_through_a_filter_is_whole(app: Flask) -> None:
    assert read(app, "pt", "odd.html", name="<Ana>") == "OLÁ, &LT;ANA&GT;!"


@pytest.mark.parametrize("page", ["days.html", "days.txt"])
def test_plurals_are_chosen_when_the_number_is_known(app: Flask, page: str) -> None:
    assert [read(app, "ru", page, days=days) for days in (1, 3, 5)] == [
        "1 день", "3 дня", "5 дней"]
    assert [read(app, "en", page, days=days) for days in (1, 3)] == ["1 day", "3 days"]


def test_letters_texts_are_said_as_they_are(app: Flask) -> None:
    assert read(app, "hu", "hello.txt", name="<Ana>") == "Szia, <Ana>! 100% biztos"
    assert read(app, "ru", "hello.txt", name="A&B") == "Привет, A&B! 100% sure"


def test_what_a_page_extends_imports_and_includes_speaks_its_language(app: Flask) -> None:
    assert read(app, "hu", "page.html") == "Játszmák: Szia, Ana! 100% biztos"
    assert read(app, "en", "page.html") == "Games: Hello, Ana! 100% sure"


def test_a_text_that_is_known_only_then_is_said_in_the_readers_language(app: Flask) -> None:
    assert read(app, "hu", "spoken.html") == "Játszmák"


def test_two_who_first_read_a_page_at_once_get_each_their_own_language(app: Flask) -> None:
    expected = {"hu": "Játszmák: Szia, Ana! 100% biztos", "ru": "Партии: Привет, Ana! 100% sure"}
    both = Barrier(len(expected))

    def at_once(language: str) -> str:
        both.wait(10)
        return read(app, language, "page.html")

    with ThreadPoolExecutor(len(expected)) as threads:
        for _time in range(20):
            app.jinja_env.spoken.clear()  # type: ignore[attr-defined]
            assert dict(zip(expected, threads.map(at_once, expected), strict=True)) == expected


def test_two_who_first_read_a_language_at_once_share_its_templates(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, overlay = Barrier(2), speech.Environment.overlay

    def late(self: speech.Environment) -> Any:
        both.wait(10)  # both have found none
        return overlay(self)

    monkeypatch.setattr(speech.Environment, "overlay", late)
    root = app.jinja_env
    assert isinstance(root, speech.Environment)
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(root.speaking, ("hu", "hu"))

    assert one is other is root.speaking("hu")
