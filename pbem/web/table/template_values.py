"""Builds the values that every game's table templates use."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from markupsafe import Markup

from engine import registry
from engine.api import GameRules
from pbem.i18n import words
from pbem.i18n.words import first_upper, signed
from pbem.web.table.forms import GameReader

STYLES = Path(__file__).parents[2] / "static" / "games"
NUMBERED = re.compile(r"[A-Z]{2}-\d+\.\d+[a-z]?")


def values(rules: GameRules, view: Any, reader: GameReader) -> dict[str, Any]:
    """Return the words, the links to rules, and the seats ordered by place."""
    return {
        "view": view,
        "reader": reader,
        "parts": f"games/{rules.key}",
        "style": own_style(rules.key),
        "t": reader.term,
        "say": reader.say,
        "cite": citing(rules.key, own_set(rules)),
        "round_name": partial(words.round_name, rules, reader.language),
        "round_short": partial(words.chapter, rules, language=reader.language,
                               key="chapter_short"),
        "signed": signed,
        "first_upper": first_upper,
        "seat_colours": rules.seat_colours,
        "by_place": sorted(range(len(view.places)), key=lambda seat: view.places[seat]),
    }


def own_set(rules: GameRules) -> str:
    """Return the digest of a component set that differs from the printed one, else ""."""
    return "" if rules.digest == registry.game(rules.key).digest else rules.digest


@lru_cache(registry.KEPT)
def citing(game_key: str, digest: str) -> Callable[[str], Markup]:
    """Return the function that links a rule id to the rules page.

    `digest` names the component set that the page shows, "" for the printed one. Text that is no
    rule id is returned without a link.
    """
    link = Markup('<a class="rule" href="/rules/{}{}#{}">{}</a>')
    query = f"?set={digest}" if digest else ""

    @cache
    def cite(rule: str) -> Markup:
        return link.format(game_key, query, rule, rule) if NUMBERED.fullmatch(rule) else Markup()

    return cite


@cache
def own_style(game_key: str) -> str:
    """Return the address of the style sheet for this game's table; "" if it has none."""
    return f"games/{game_key}.css" if (STYLES / f"{game_key}.css").exists() else ""
