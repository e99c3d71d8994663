"""Enqueues tasks after a page has committed; the sweep finds lost tasks in the database."""

from __future__ import annotations

from typing import cast

from flask import Flask, current_app

from pbem.enqueue import ADVANCE, HOOKS, LETTERS, Enqueuer, EnqueueThread, Publisher

EXTENSION = "carreira_enqueuer"


def enqueue(game_id: int) -> None:
    """Enqueue advancing a game."""
    enqueuer(current_app).put(ADVANCE, game_id)


def enqueue_letters() -> None:
    """Enqueue sending the letters that are due."""
    enqueuer(current_app).put(LETTERS)


def enqueue_hooks() -> None:
    """Enqueue calling the web hooks that are due."""
    enqueuer(current_app).put(HOOKS)


def enqueuer(app: Flask) -> Enqueuer:
    """Return this app's enqueuer."""
    return cast("Enqueuer", app.extensions[EXTENSION])


def bind(app: Flask, broker_url: str) -> None:
    """Give the app its enqueuing thread, which starts with the first task, after any fork."""
    app.extensions[EXTENSION] = EnqueueThread(Publisher(broker_url).publish)
