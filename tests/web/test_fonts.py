"""The pages bring their fonts: served for a year, under the licence's terms, with all letters."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from flask.testing import FlaskClient
from fontTools.ttLib import TTFont
from sqlmodel import Session

from pbem.i18n.words import LANGUAGES
from pbem.models import Game
from pbem.service import Service
from pbem.web.site_files import FOLDER, STYLE
from tests.browser.browsing import chromium, in_browser, signed_in, site

__all__ = ["chromium", "site"]

ROOT = Path(__file__).parents[2]
FACES = re.compile(r'font-family: "([^"]+)"; font-weight: ([\d ]+);.*url\("([^"]+)"\)')
MOST = 120_000  # bytes of all fonts together


def faces() -> list[tuple[str, str, str]]:
    """Family, weights and file of each face that the style names."""
    return FACES.findall((FOLDER / STYLE).read_text("utf-8"))


def written(language: str) -> str:
    """All that pages say in a language, games' words among it."""
    with (ROOT / "pbem/translations" / language / "LC_MESSAGES/messages.po").open("rb") as file:
        said = [str(message.string) for message in read_po(file) if message.id]
    for path in ROOT.glob(f"templates/games/*/words/{language}.toml"):
        said.append(str(tomllib.loads(path.read_text("utf-8"))))
    return "".join(said)


@pytest.mark.parametrize("family", ["Carreira Sans", "Carreira Serif"])
@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_a_family_has_all_letters_of_a_language(family: str, language: str) -> None:
    has: set[int] = set()
    for name, weights, file in faces():
        if name == family and weights == "400":
            has |= set(TTFont(FOLDER / file).getBestCmap())

    assert {each for each in written(language) if each.isprintable()} - set(map(chr, has)) == set()


def test_fonts_are_small_and_have_names_of_their_own() -> None:
    files = [FOLDER / file for _family, _weights, file in faces()]

    assert len(files) == 8
    assert sum(file.stat().st_size for file in files) < MOST
    for file in files:  # the licence keeps this name for the whole fonts
        assert "Source" not in TTFont(file)["name"].getDebugName(1)


def test_a_font_is_kept_for_a_year_and_the_style_is_asked_for_again(client: FlaskClient) -> None:
    style = client.get(f"/fonts/{STYLE}")
    font = client.get(f"/fonts/{faces()[0][2]}")

    assert style.mimetype == "text/css"
    assert style.headers["Cache-Control"] == "no-cache, private"
    assert font.mimetype == "font/woff2"
    assert font.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_the_licence_lies_beside_the_fonts(client: FlaskClient) -> None:
    for family in ("sans", "serif"):
        assert "SIL Open Font License" in client.get(f"/fonts/OFL-{family}.txt").text


def test_nothing_but_fonts_is_served_there(client: FlaskClient) -> None:
    assert client.get("/fonts/../fonts.py").status_code == 404
    assert client.get("/fonts/%2e%2e%2ffonts.py").status_code == 404


class TestInABrowser:
    pytestmark = in_browser

    def test_a_page_is_set_in_its_own_fonts(
        self, chromium: Any, service: Service, session: Session, game: Game, site: str
    ) -> None:
        session.commit()
        context = chromium.new_context()
        signed_in(context, service, game, 0, site=site)
        page = context.new_page()
        page.goto(f"{site}/games/{game.id}")

        loaded = page.evaluate("""document.fonts.ready.then(() =>
            [...document.fonts].filter((f) => f.status == "loaded").map((f) => f.family))""")

        names = {each.strip('"').removesuffix(" Before") for each in loaded}
        assert names == {"Carreira Sans", "Carreira Serif"}
        assert context.problems == []
        context.close()
