"""The rules pages: every anchor that something cites is there, with the set's figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session

from engine import registry
from pbem.i18n import rulebook
from pbem.i18n.words import GAMES as TEMPLATES
from pbem.i18n.words import LANGUAGES
from pbem.play import component_sets
from pbem.web.table import template_values

GAMES = tuple(registry.GAMES)
ID = re.compile(r"\b[A-Z]{2}-\d+\.\d+[a-z]?\b")
languages = pytest.mark.parametrize("language", LANGUAGES)
both = pytest.mark.parametrize("key", GAMES)


def page_of(client: FlaskClient, key: str, language: str, query: str = "") -> str:
    answer = client.get(f"/rules/{key}{query}", headers={"Accept-Language": language})
    assert answer.status_code == 200
    return answer.text


def anchors(page: str) -> list[str]:
    return re.findall(r'\bid="([^"]+)"', page)


def written(key: str) -> Iterator[str]:
    """All that can name a rule to a player: the game's modules and its templates."""
    for path in (*rulebook.rules_file(key).parent.glob("*.py"), *(TEMPLATES / key).rglob("*")):
        if path.is_file():
            yield path.read_text("utf-8")


def cited(key: str) -> set[str]:
    prefix = next(iter(rulebook.rulebook(key, "en").rules)).id[:3]
    return {rule for text in written(key) for rule in ID.findall(text) if rule.startswith(prefix)}


@both
@languages
def test_every_rule_that_facts_refusals_and_pages_cite_has_its_anchor(
    client: FlaskClient, key: str, language: str
) -> None:
    named = cited(key)

    assert len(named) > 30
    assert named <= set(anchors(page_of(client, key, language)))


@both
@languages
def test_links_within_the_page_lead_somewhere_and_no_anchor_is_there_twice(
    client: FlaskClient, key: str, language: str
) -> None:
    page = page_of(client, key, language)
    places = anchors(page)

    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(places)
    assert len(places) == len(set(places))


@both
@languages
def test_the_page_is_in_the_readers_language(client: FlaskClient, key: str, language: str) -> None:
    page = unescape(page_of(client, key, language))

    for section in rulebook.rulebook(key, language).sections:
        assert section.title in page
    if language != "en":
        assert rulebook.rulebook(key, "en").sections[0].title not in page
        assert 'lang="en"' not in page.split('id="section-1"')[1].split("</main>")[0]


@both
@languages
def test_an_example_shows_what_the_log_says_or_why_not(
    client: FlaskClient, key: str, language: str
) -> None:
    page = page_of(client, key, language)

    tables = re.findall(r'<table class="plain example".*?</table>', page, re.DOTALL)
    assert len(tables) == len(rulebook.examples(key))
    for table in tables:
        rows = re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
        assert len(rows) > 1
        assert all(re.search(r"<td>(<p>|<b class=|\w)", row) for row in rows), table
    assert any('class="no"' in table for table in tables)


@both
def test_a_page_shows_the_figures_of_the_set_that_is_asked_for(
    client: FlaskClient, session: Session, key: str
) -> None:
    """A printed figure that a text of the rules says is another in a host's own set."""
    toml = registry.standard(key)
    name, said = ("reals = 10\n", "10 Reals") if "reals = 10\n" in toml else (
        "ducats_others = 10\n", "10 ducats")  # fmt: skip
    changed = toml.replace(name, name.replace("10", "13"), 1)
    _, row = component_sets.stored_set(session, key, changed)
    session.commit()

    printed, own = page_of(client, key, "en"), page_of(client, key, "en", f"?set={row.digest}")

    assert said in printed
    assert said.replace("10", "13") in own
    assert said.replace("10", "13") not in printed
    assert client.get(f"/rules/{key}?set=0").status_code == 404


@both
def test_a_table_links_to_the_rules_with_the_figures_that_it_is_played_with(key: str) -> None:
    changed = re.sub(r"(ducats_others|reals) = 10\n", r"\1 = 13\n", registry.standard(key), count=1)
    printed, own = registry.game(key), registry.game(key, changed)
    rule = next(iter(rulebook.rulebook(key, "en").rules)).id

    assert f'"/rules/{key}#{rule}"' in template_values.citing(
        key, template_values.own_set(printed)
    )(rule)
    assert f'"/rules/{key}?set={own.digest}#{rule}"' in template_values.citing(
        key, template_values.own_set(own)
    )(rule)


@both
def test_a_source_of_a_hosts_own_words_is_shown_as_it_is(
    client: FlaskClient, session: Session, key: str
) -> None:
    own = 'source = "my <own> copy"'
    changed = re.sub(r'source = "[^"]*"', own, registry.standard(key)).replace(" = 3\n", " = 4\n")
    _, row = component_sets.stored_set(session, key, changed)
    session.commit()

    page = page_of(client, key, "hu", f"?set={row.digest}")

    assert '<span lang="en">my &lt;own&gt; copy</span>' in page


def test_the_style_is_used_by_the_rules_alone() -> None:
    """No rule of it is left that the pages do not have."""
    root = Path(rulebook.__file__).parents[2]
    style = (root / "pbem/static/rules.css").read_text("utf-8")
    pages = "".join(path.read_text("utf-8") for path in (root / "templates").rglob("rules*.html"))
    pages += "".join(p.read_text("utf-8") for p in (root / "templates/rules").glob("*.html"))

    for name in set(re.findall(r"\.([a-z-]+)(?=[\s>.:{,)])", style)):
        assert re.search(rf'class="[^"]*\b{name}\b', pages), name
