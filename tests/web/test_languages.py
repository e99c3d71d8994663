"""Pages speak the reader's language, escape what others wrote, and raise on a name nobody gave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, before_render_template, g, render_template_string
from jinja2 import Environment, UndefinedError, meta, nodes

from pbem.i18n.words import LANGUAGES
from tests.support.pages import PAGES
from tests.support.world import World, world

HOSTILE = "<script>alert('%(name)s')</script>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Iterator[World]:
    """A site with something on every page."""
    with world(tmp_path_factory.mktemp("world") / "var", empty_database) as made:
        yield made


def read(app: Flask, language: str, source: str, **values: Any) -> str:
    """A template as somebody reads it."""
    with app.test_request_context("/"):
        g.language = language
        return render_template_string(source, person=None, **values)


def test_each_reads_a_page_in_their_own_language(flask_app: Flask) -> None:
    said = [read(flask_app, each, '{{ _("Your games") }}') for each in (*LANGUAGES, "en")]

    assert said[0] == said[-1] == "Your games"
    assert len(set(said)) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_others_chose_is_escaped_within_a_text(flask_app: Flask, language: str) -> None:
    shown = read(flask_app, language, '{{ _("Welcome, %(name)s.", name=name) }}', name=HOSTILE)

    assert "&lt;script&gt;alert(&#39;%(name)s&#39;)&lt;/script&gt;" in shown
    assert "<script" not in shown


def test_two_percent_signs_say_one(flask_app: Flask) -> None:
    assert read(flask_app, "en", '{{ _("25%% of %(all)s", all=8) }}') == "25% of 8"
    assert read(flask_app, "en", '{{ _("100%% sure") }}') == "100% sure"


@pytest.mark.parametrize(("days", "said"), [(1, "день"), (3, "дня"), (5, "дней"), (21, "день")])
def test_a_number_picks_its_form(flask_app: Flask, days: int, said: str) -> None:
    source = '{{ ngettext("%(num)s day", "%(num)s days", days) }}'

    assert read(flask_app, "ru", source, days=days) == f"{days} {said}"


@pytest.mark.parametrize("source", [
    "{{ nobody }}", "{% if nobody %}{% endif %}", "{% for one in nobody %}{% endfor %}",
    "{{ {}.nothing }}"])
def test_a_name_that_nobody_gave_is_an_error(flask_app: Flask, source: str) -> None:
    with pytest.raises(UndefinedError):
        read(flask_app, "en", source)


class Names:
    """What the templates of an environment use, define and load."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.known: dict[str, tuple[set[str], set[str], set[str]]] = {}

    def of(self, template: str) -> tuple[set[str], set[str], set[str]]:
        """The names that it wants, those that it makes itself, the templates that it loads."""
        if template not in self.known:
            assert self.env.loader is not None
            tree = self.env.parse(self.env.loader.get_source(self.env, template)[0])
            loaded = {each for each in meta.find_referenced_templates(tree) if each}
            self.known[template] = meta.find_undeclared_variables(tree), made_in(tree), loaded
        return self.known[template]

    def wanted(self, template: str) -> set[str]:
        """The names that have to be given for it and all that it loads."""
        wanted, made, seen, left = set[str](), set[str](), set[str](), {template}
        while left:
            seen.add(each := left.pop())
            wants, makes, loads = self.of(each)
            wanted |= wants
            made |= makes
            left |= loads - seen
        return wanted - made - set(self.env.globals)


def made_in(tree: nodes.Template) -> set[str]:
    """The names that a template sets, imports or defines as macros."""
    made = {each.name for each in tree.find_all(nodes.Macro)}
    made |= {each.target for each in tree.find_all(nodes.Import)}
    for imported in tree.find_all(nodes.FromImport):
        made |= {each if isinstance(each, str) else each[1] for each in imported.names}
    for assigned in tree.find_all((nodes.Assign, nodes.AssignBlock)):
        made |= {each.name for each in (assigned.target, *assigned.target.find_all(nodes.Name))
                 if isinstance(each, nodes.Name)}
    return made


def test_every_page_is_given_all_names_that_any_branch_of_its_templates_uses(site: World) -> None:
    names, missing = Names(site.app.jinja_env), set()

    def note(_app: Flask, template: Any, context: dict[str, Any], **_more: Any) -> None:
        missing.update((template.name, each) for each in names.wanted(template.name) - {*context})

    with before_render_template.connected_to(note, site.app):
        for page in PAGES:
            if page.viewer != "newcomer":
                site.browser(page.who(site)).get(page.address(site))

    assert names.known
    assert missing == set()
