"""Reads a game's rules from `templates/games/<game-key>/rules/<language>.toml`.

English is the source, and `make rules` writes RULES.md in each game's folder from it. In a text,
{start.reals} is a figure of the component set, and {start.reals|Real|Reals} is the figure with its
word in the right number. So no text can contradict the figures that the game uses.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine import registry
from engine.scenario import WorkedExample, example_of
from pbem.i18n.words import GAMES, game_words, term

FIGURE = re.compile(r"\{([a-z0-9_.]+)((?:\|[^{}|]+)*)\}")
FORMS = {"en": ("one", "other"), "pt": ("one", "other"), "ru": ("one", "few", "many"), "hu": ()}
ENGINE = Path(registry.__file__).parent


@dataclass(frozen=True)
class Rule:
    """A rule, our interpretation where the printed one is silent, and its reason; "" for none."""

    id: str
    text: str = ""
    ruling: str = ""
    why: str = ""


@dataclass(frozen=True)
class Section:
    """A section with numbered rules, or with text without numbers."""

    number: str
    title: str
    rules: tuple[Rule, ...]
    text: str = ""
    ruling: str = ""
    why: str = ""


@dataclass(frozen=True)
class ExampleText:
    """An example in words: what it shows, and the position before its orders."""

    title: str
    position: str


@dataclass(frozen=True)
class Rulebook:
    """A game's rules in one language.

    `sources` says where figures come from, by the English terms.
    """

    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    examples: Mapping[str, ExampleText]
    words: Mapping[str, str]
    sources: Mapping[str, str]

    @property
    def rules(self) -> Iterator[Rule]:
        """Yield all numbered rules."""
        for section in self.sections:
            yield from section.rules


@cache
def rulebook(game_key: str, language: str) -> Rulebook:
    """Return a game's rules, read once per process."""
    raw = _read(game_key, language)
    rules = [Rule(key, **raw[key]) for key in raw if re.fullmatch(r"[A-Z]{2}-\d+\.\d+[a-z]?", key)]
    return Rulebook(
        lead=tuple(raw["lead"]),
        sections=tuple(
            Section(number, rules=tuple(r for r in rules if f"-{number}." in r.id), **texts)
            for number, texts in raw["sections"].items()
        ),
        examples={key: ExampleText(**words) for key, words in raw["examples"].items()},
        words=raw.get("words", {}),
        sources=raw.get("sources", {}),
    )


@cache
def examples(game_key: str) -> Mapping[str, WorkedExample]:
    """Return the worked examples that the page shows, by name."""
    return {name: example_of(raw) for name, raw in _read(game_key, "examples").items()}


def _read(game_key: str, name: str) -> dict[str, Any]:
    return tomllib.loads((GAMES / game_key / "rules" / f"{name}.toml").read_text("utf-8"))


# ---- figures -----------------------------------------------------------------------------------


def filled(text: str, components: Any, game_key: str, language: str) -> str:
    """Insert the component set's figures into the text."""

    def said(place: re.Match[str]) -> str:
        found = figure(components, place[1])
        forms = place[2].split("|")[1:]
        if not forms:
            return ", ".join(map(str, found)) if isinstance(found, tuple) else str(found)
        plural = game_words(game_key, language).plural_form(found)
        named = FORMS[language]
        return f"{found} {forms[named.index(plural) if plural in named else -1]}"

    return FIGURE.sub(said, text)


def figure(components: Any, path: str) -> Any:
    """Return the figure at `table.field`, `rows.0.field` or `table.key`."""
    found = components
    for name in path.split("."):
        if isinstance(found, Mapping):
            found = found[name]
        elif isinstance(found, tuple):
            found = found[int(name)]
        else:
            found = getattr(found, name)
    return found


# ---- RULES.md ----------------------------------------------------------------------------------


def rules_file(game_key: str) -> Path:
    """Return the path of the English rules in the game's folder, for its developers."""
    return ENGINE / game_key.replace("-", "_") / "RULES.md"


def markdown(game_key: str) -> str:
    """Return the English rules with the standard figures, as in RULES.md."""
    book = rulebook(game_key, "en")
    parts = [f"# {term(game_key, 'game_name', 'en')}: the rules as they are played here"]
    parts.append(f"Written by `make rules` from `templates/games/{game_key}/rules/en.toml`: change "
                 "that. Figures are those of `components.toml` beside this file.")
    parts += book.lead
    for section in book.sections:
        parts.append(f"## {section.number}. {section.title}")
        if section.rules:
            parts.append("\n".join(f"- **{rule.id}** {_in_a_row(rule)}" for rule in section.rules))
        else:
            parts.append(_in_a_row(section))
    rules: Any = registry.game(game_key)
    return filled("\n\n".join(parts) + "\n", rules.components, game_key, "en")


def _in_a_row(rule: Rule | Section) -> str:
    ruling = f"**Ruling**: {rule.ruling} *Why*: {rule.why}" if rule.ruling else ""
    return f"{rule.text} {ruling}".strip()


def main() -> None:
    """Write the RULES.md of every game."""
    for game_key in registry.GAMES:
        rules_file(game_key).write_text(markdown(game_key), "utf-8")
        sys.stdout.write(f"{rules_file(game_key)}\n")


if __name__ == "__main__":
    main()
