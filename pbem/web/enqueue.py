"""Pages enqueue tasks after a commit; what is lost the sweep finds in the database."""

from __future__ import annotations

from typing import cast

from flask import Flask, current_app

from pbem import enqueue as task_names
from pbem.enqueue import Enqueuer, EnqueueThread, Publisher

EXTENSION = "carreira_enqueuer"


def enqueue(game_id: int) -> None:
    """Say that a game has something to advance with."""
    enqueuer(current_app).put(task_names.ADVANCE, game_id)


def enqueue_letters() -> None:
    """Say that letters are due."""
    enqueuer(current_app).put(task_names.LETTERS)


def enqueue_hooks() -> None:
    """Say that web hooks are to be called."""
    enqueuer(current_app).put(task_names.HOOKS)


def enqueuer(app: Flask) -> Enqueuer:
    """This app's enqueuer."""
    return cast("Enqueuer", app.extensions[EXTENSION])


def bind(app: Flask, broker_url: str) -> None:
    """Give an app its thread; it starts with the first task, so it survives a fork before."""
    app.extensions[EXTENSION] = EnqueueThread(Publisher(broker_url).publish)
