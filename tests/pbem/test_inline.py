"""Styles of letters on the elements themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import Environment

from pbem.mail.letters.inline import StyledLoader

SHEET = """
/* a note */
td { padding: 0; color: red }
.hot { color: blue }
td.hot.num { padding: 4px }
p, a.b { margin: 0 }
"""


@pytest.fixture
def letters(tmp_path: Path) -> Environment:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.css").write_text(SHEET)
    loader = StyledLoader(tmp_path)
    made = Environment(loader=loader, autoescape=True)
    made.globals["look"] = loader.look
    return made


def page(letters: Environment, source: str, name: str = "letters/one.html", **values: str) -> str:
    loader = letters.loader
    assert isinstance(loader, StyledLoader)
    (Path(loader.searchpath[0]) / name).write_text(source)
    return letters.get_template(name).render(values)


def test_the_more_special_rule_wins_wherever_it_stands(letters: Environment) -> None:
    assert page(letters, '<td class="num hot">x</td>') == (
        '<td class="num hot" style="padding:4px;color:blue">x</td>'
    )


def test_an_elements_own_style_stands_last(letters: Environment) -> None:
    assert page(letters, '<p style="margin:1px">') == '<p style="margin:0;margin:1px">'


def test_what_no_rule_fits_stays_as_it_is(letters: Environment) -> None:
    source = '<a href="/x?a>b"></a><b class="b">'

    assert page(letters, source) == source


def test_classes_that_the_letter_decides_are_looked_up(letters: Environment) -> None:
    source = '<td {{ look("td", state, "num") }}>'

    assert page(letters, source, state="hot") == (
        '<td class="hot num" style="padding:4px;color:blue">'
    )
    assert page(letters, source, state="") == '<td class="num" style="padding:0;color:red">'


def test_pages_are_left_alone(letters: Environment) -> None:
    assert page(letters, "<td>", name="page.html") == "<td>"


def test_a_selector_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.css").write_text("table td { color: red }")
    (tmp_path / "letters" / "one.html").write_text("<td>")

    with pytest.raises(ValueError, match="table td"):
        Environment(loader=StyledLoader(tmp_path), autoescape=True).get_template("letters/one.html")
