"""Adds the picture of the table to a letter, if it may have one and one is ready in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from engine.api import GameRules
from pbem.config import Settings
from pbem.i18n.render import environment
from pbem.mail.letter import Image, Reader
from pbem.mail.letters.picture import TableReader, drawing, png_of
from pbem.models import Outbox


class Occasion(Protocol):
    """What a picture needs of a letter: its reader, its row, the settings."""

    @property
    def row(self) -> Outbox: ...
    @property
    def reader(self) -> Reader: ...
    @property
    def settings(self) -> Settings: ...


def illustrated(
    it: Occasion,
    rules: GameRules,
    shown: Callable[[], Mapping[str, Any]],
    values: Mapping[str, Any],
    state: str,
) -> dict[str, Any]:
    """Return the template values of the reader's picture.

    `state` says in a sentence what it shows.
    """
    if not it.settings.pictures:
        return {}
    eyes = TableReader(values["names"], values["letters"], values["mine"])
    language = it.reader.language
    template = environment(language).get_template("letters/picture.svg")
    made = drawing(template, rules, shown(), eyes, language)
    png = png_of(made, it.settings.var / "pictures")
    if png is None:
        return {}
    game = values["game"]
    cid = f"table.{game.id}.{game.last_entry}@{it.settings.mail_domain}"
    return {"images": (Image(cid, png, f"{values['game_name']}. {state}"), ), "picture": made}
