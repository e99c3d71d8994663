"""Templates' programs: they say what Jinja's own would, escape as it does, and call at once."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import DictLoader, Environment, StrictUndefined, UndefinedError, select_autoescape
from jinja2.exceptions import TemplateRuntimeError
from markupsafe import Markup

from pbem.compiled import Spoken
from pbem.i18n import words

HOSTILE = "<script>alert(\"a\" & 'b')</script>"
TEXTS = ("Ana", HOSTILE, "", "Ана & Ян", Markup("<b>&amp;</b>"))
ENDINGS = ("html", "txt")
PARTS = (
    '{% macro said(text, class="c", twice=false) %}<b class="{{ class }}">{{ text }}'
    "{% if twice %}{{ text }}{% endif %}</b>{% endmacro %}"
    "{% macro around(text) %}<i>{{ caller(text) }}</i>{% endmacro %}"
    "{% macro any() %}{{ varargs|join }}{{ kwargs }}{% endmacro %}"
)
SHOWN = (
    "{{ text }}", "{{ text ~ 1 }}", '{{ "<i>"|safe ~ text }}', "{{ text|upper }}", "{{ [text] }}",
    "{{ {text: 1}.items()|list }}", "{{ own.text }}", "{{ own['text'] }}", "{{ item.text }}",
    "{{ item['text'] }}", "{{ say(text) }}", "{{ marked(text) }}", "{{ own.said() }}",
    "{{ p.said(text) }}", "{{ p.said(text, text) }}", "{{ p.said(text=text, twice=true) }}",
    "{{ p.said(text, class=text) }}", "{{ p.said(*[text]) }}", "{{ p.any(text, other=text) }}",
    "{% call(each) p.around(text) %}{{ each }}{% endcall %}",
    "{% set kept %}{{ text }}{% endset %}{{ kept }}{{ p.said(kept) }}",
    "{% macro mine(a) %}{{ a }}{% endmacro %}{{ mine(text) ~ text }}{{ mine(mine(text)) }}",
    "{% for each in [text, 1, none, 2.5, true] %}{{ loop.index }}{{ loop.index0 }}{{ each }}"
    "{% if not loop.last %}, {% endif %}{% if loop.first %}!{% endif %}{% endfor %}",
    "{{ shouted(text) }}", "{{ '%s'|format(text) }}", "{{ '<%s>' % text }}",
    "{{ count }}{{ text|e }}", "{% filter upper %}{{ text }}{% endfilter %}",
    "{{ text is defined }}{{ item.no is defined }}", "{{ {'a': {'b': own}}.a.b.text }}",
    "{{ 'a' ~ text ~ count ~ none ~ 2.5 }}", "{{ count ~ marked(text) ~ text }}",
    "{{ p.said(text ~ own.text ~ item.text) ~ text }}",
)  # fmt: skip


class Html:
    """Something that says itself how HTML shows it."""

    def __html__(self) -> str:
        return "<hr>"


def made(kind: Callable[..., Environment], **pages: str) -> Environment:
    """An environment with these pages."""
    written = {f"parts.{ending}": PARTS for ending in ENDINGS} | {
        f"{name}.{ending}": f'{{% import "parts.{ending}" as p %}}{page}'
        for name, page in pages.items() for ending in ENDINGS}
    return kind(loader=DictLoader(written), undefined=StrictUndefined,
                autoescape=select_autoescape(("html",), default=False))


def values(text: str) -> dict[str, Any]:
    """What pages know."""
    return {
        "text": text, "count": 7, "item": {"text": text, "html": Html()},
        "own": SimpleNamespace(text=text, said=lambda: text),
        "say": str, "marked": lambda said: Markup("<u>{}</u>").format(said),
        "shouted": str.upper,
    }  # fmt: skip


@pytest.mark.parametrize("page", SHOWN)
def test_a_page_says_what_jinjas_own_program_would(page: str) -> None:
    for text in TEXTS:
        ours, theirs = (made(kind, page=page).get_template("page.html").render(values(text))
                        for kind in (Spoken, Environment))

        assert ours == theirs
        assert "<script" not in ours.lower()


@pytest.mark.parametrize("page", SHOWN)
def test_a_text_without_marks_says_what_jinjas_own_program_would(page: str) -> None:
    for text in TEXTS:
        ours, theirs = (made(kind, page=page).get_template("page.txt").render(values(text))
                        for kind in (Spoken, Environment))

        assert ours == theirs


def test_what_says_itself_how_it_is_shown_is_shown_so() -> None:
    assert made(Spoken, page="{{ item.html }}").get_template("page.html").render(
        values("")) == "<hr>"


@pytest.mark.parametrize("page", [
    "{{ nothing }}", "{{ nothing() }}", "{{ item.nothing }}", "{{ own.nothing }}",
    "{{ own.nothing() }}", "{{ nothing.text }}", "{{ nothing ~ 1 }}", "{{ p.said() }}",
    "{{ p.nothing(1) }}",
])  # fmt: skip
def test_what_is_not_there_is_an_error(page: str) -> None:
    with pytest.raises(UndefinedError):
        made(Spoken, page=page).get_template("page.html").render(values(""))


@pytest.mark.parametrize("call", ["p.said(1, 2, 3, 4)", "p.said(1, no=2)", "p.said(1, text=2)"])
def test_a_macro_takes_only_what_it_names(call: str) -> None:
    page = made(Spoken, page="{{ " + call + " }}").get_template("page.html")

    with pytest.raises(TypeError, match="a macro takes text, class, twice"):
        page.render()


def test_a_loop_says_what_it_knows_when_asked_for_more() -> None:
    page = made(Spoken, page="{% for each in [1] %}{{ loop.length }}{% endfor %}")

    with pytest.raises(TemplateRuntimeError, match=r"loop\.length, but first, index, index0, last"):
        page.get_template("page.html").render()


def test_a_games_templates_say_its_words_without_asking_for_them() -> None:
    page = '{{ term("vp") }} {{ t("vp")|upper }} {{ t("real", 2) }} {{ t("no_such_word") }}'
    pages = {"games/vasco-da-gama/page.html": page, "page.html": page}
    env = Spoken(loader=DictLoader(pages), autoescape=True)
    env.language = "hu"

    def asked(key: str, _number: int | None = None) -> str:
        return f"<{key}>"

    vp = words.term("vasco-da-gama", "vp", "hu")
    assert env.get_template("games/vasco-da-gama/page.html").render(t=asked, term=asked) == (
        f"{vp} {vp.upper()} &lt;real&gt; &lt;no_such_word&gt;")
    assert env.get_template("page.html").render(t=asked, term=asked) == (
        "&lt;vp&gt; &lt;VP&gt; &lt;real&gt; &lt;no_such_word&gt;")
