"""Pages wake a worker after a commit; what is lost the sweep finds in the database."""

from __future__ import annotations

from typing import cast

from flask import Flask, current_app

from pbem.enqueue import Pokes, PokeThread, Queues
from pbem.run import broker

EXTENSION = "carreira_poke"


def poke(game_id: int) -> None:
    """Say that a game has something to advance with."""
    pokes(current_app).put(broker.ADVANCE, game_id)


def poke_letters() -> None:
    """Say that letters are due."""
    pokes(current_app).put(broker.LETTERS)


def poke_hooks() -> None:
    """Say that web hooks are to be called."""
    pokes(current_app).put(broker.HOOKS)


def pokes(app: Flask) -> Pokes:
    """This app's pokes."""
    return cast("Pokes", app.extensions[EXTENSION])


def bind(app: Flask, broker_url: str) -> None:
    """Give an app its thread; it starts with the first poke, so it survives a fork before."""
    app.extensions[EXTENSION] = PokeThread(Queues(broker_url).publish)
