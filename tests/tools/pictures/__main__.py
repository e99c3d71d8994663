"""Takes pictures of the main pages in light and dark, on a wide window and a telephone's.

Usage: python -m tests.tools.pictures [words]; with words, only of pages whose name holds one.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser.browsing import launched
from tests.browser.test_every_page import window_of
from tests.conftest import make_empty_database
from tests.support.world import World, served, world

FOLDER = Path("var") / "pictures-of-pages"
WINDOWS = {"wide": 1280, "phone": 360}
PAGES = {  # name: path, who looks (see World.who), at which game
    "home": ("/", "visitor", "vg"),
    "lobby": ("/games", "Ana", "vg"),
    "home-own": ("/", "Gil", "vg"),
    "seats": ("/seats", "Catarina", "vg"),
    "learn": ("/learn", "Gil", "vg"),
    "lesson-vasco": ("/games/{lesson_vg}", "Gil", "vg"),
    "lesson-goa": ("/games/{lesson_goa}", "Gil", "vg"),
    "friends-link": ("/games/{among_friends}", "Duarte", "vg"),
    "series": ("/series/{series}", "Eszter", "vg"),
    "open-game": ("/games/{open}", "Ana", "vg"),
    "vasco-asked": ("/games/{vg}", "asked", "vg"),
    "vasco-watched": ("/games/{vg}", "Gil", "vg"),
    "goa-asked": ("/games/{goa}", "asked", "goa"),
    "goa-watched": ("/games/{goa}", "Gil", "goa"),
    "ahead-goa-asked": ("/games/{goa}#ahead", "asked", "goa"),
    "ahead-goa-watching": ("/games/{goa}#ahead", "waiting", "goa"),
    "vasco-over": ("/games/{whole_vasco-da-gama}", "Eszter", "vg"),
    "goa-over": ("/games/{whole_goa}", "Eszter", "vg"),
    "graph": ("/games/{whole_goa}/graph", "Eszter", "vg"),
    "compare": ("/games/{whole_vasco-da-gama}/compare?a=40&b=60", "Eszter", "vg"),
    "exports": ("/games/{over}/exports", "Eszter", "vg"),
    "chance": ("/games/{over}/chance", "Eszter", "vg"),
    "notes": ("/games/{vg}/notes", "Ana", "vg"),
    "archive": ("/archive?player=Eszter", "visitor", "vg"),
    "player": ("/players/{eszter}", "visitor", "vg"),
    "against": ("/players/{eszter}/against/{fedor}", "visitor", "vg"),
    "ratings": ("/ratings", "visitor", "vg"),
    "rules-vasco": ("/rules/vasco-da-gama", "visitor", "vg"),
    "rules-goa": ("/rules/goa", "visitor", "vg"),
    "account": ("/account", "Ana", "vg"),
    "feeds": ("/account/feeds", "Ana", "vg"),
    "tokens": ("/account/tokens", "Ana", "vg"),
    "hooks": ("/account/hooks", "Ana", "vg"),
    "letters": ("/letters", "Ana", "vg"),
    "held": ("/held/{held}", "{held_by}", "vg"),
    "sign-in": ("/sign-in", "visitor", "vg"),
    "help": ("/help/mail", "visitor", "vg"),
    "nothing": ("/nothing/here", "visitor", "vg"),
}


def main(words: list[str]) -> None:
    """Make the site, take all pictures, say where they are."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        empty = Path(folder) / "empty.db"
        make_empty_database(empty)
        browser = launched(playwright)
        with world(Path(folder) / "var", empty, whole=True) as made, served(made.app) as site:
            windows: dict[str | None, Any] = {}
            for name, (path, viewer, game) in PAGES.items():
                who = made.who(viewer, game)
                if is_wanted(name, words):
                    if who not in windows:
                        windows[who] = window_of(who, made, browser, site)
                    take(windows[who], site + path.format(**made.facts), name)
            window = browser.new_context().new_page()
            for name, letter in letters(made):
                if is_wanted(name, words):
                    take(window, letter.as_uri(), name)
        browser.close()
    print(f"The pictures are in {FOLDER}.")


def is_wanted(name: str, words: list[str]) -> bool:
    """Whether a picture is asked for."""
    return not words or any(word in name for word in words)


def take(window: Any, address: str, name: str) -> None:
    """The whole page, in light and dark, wide and narrow."""
    window.goto(address)
    for size, width in WINDOWS.items():
        window.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark"):
            window.emulate_media(color_scheme=scheme)
            window.screenshot(path=FOLDER / f"{name}-{size}-{scheme}.png", full_page=True)


def letters(made: World) -> Iterator[tuple[str, Path]]:
    """A turn letter of each game as an HTML file."""
    folder = made.service.settings.outbox_folder
    for game in ("vg", "goa"):
        kept = max(folder.glob(f"g{made.facts[game]}.turn*.eml"))
        message = message_from_bytes(kept.read_bytes(), policy=policy.default)
        part = message.get_body(("html",))
        path = folder / f"{game}.html"
        path.write_text("" if part is None else part.get_content(), encoding="utf-8")
        yield f"letter-{game}", path


if __name__ == "__main__":
    main(sys.argv[1:])
