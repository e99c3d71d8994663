"""Styles of letters stand on the elements themselves, as mail programs want them."""

from __future__ import annotations

import re

from pbem.i18n.render import inliner

PAGE = ('<html><head><style>@media (max-width: 480px) {{ td {{ padding: 1px }} }}</style></head>'
        "<body>{}</body></html>")


def styled(body: str) -> str:
    """The body as a letter carries it."""
    made = inliner().inline(PAGE.format(body))
    return re.sub(r"\s+", "", made.partition("<body")[2])


def test_an_element_carries_what_the_sheet_says_of_it() -> None:
    assert 'vertical-align:top' in styled('<table><tr><td>x</td></tr></table>')


def test_the_more_special_rule_wins_wherever_it_stands() -> None:
    cell = styled('<table><tr><td class="o o2">x</td></tr></table>').partition("<td")[2]

    assert cell.index("border-top:0") > cell.index("border:1pxsolid")


def test_an_elements_own_style_stays() -> None:
    assert 'color:#123456' in styled('<p style="color: #123456">x</p>')


def test_what_only_some_programs_read_stays_as_it_is() -> None:
    page = PAGE.format("<!--[if mso]><table><tr><td><![endif]-->x")
    made = inliner().inline(page)

    assert "@media (max-width: 480px)" in made
    assert "<!--[if mso]><table><tr><td><![endif]-->" in made
