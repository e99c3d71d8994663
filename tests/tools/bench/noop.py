"""The floors: a Celery app whose tasks send one letter or hand on, and a bare Flask app.

Both with the service's own settings for broker, database and processes; the URLs come from BENCH_*
variables.
"""

from __future__ import annotations

import os
import smtplib
from collections.abc import Callable
from typing import Any

from celery import Celery
from flask import Flask, request
from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, insert

from pbem import enqueue
from pbem.db import make_engine

QUEUE, QUEUE_OUT = "bench", "bench-out"
LETTER, HAND_ON = "bench.letter", "bench.hand-on"

app = Celery("bench", broker=os.environ.get("BENCH_BROKER"), set_as_current=False)
app.conf.update(
    task_ignore_result=True,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    broker_transport_options=enqueue.TRANSPORT | {"socket_timeout": enqueue.SECONDS_TO_LISTEN},
)


def reader(number: int) -> str:
    """Who reads the letter of this number."""
    return f"floor-{number}"


@app.task(name=LETTER)
def letter(number: int, port: int, size: int) -> None:
    """One SMTP transaction, as anybody would write it: `size` bytes to one recipient."""
    lines = b"Subject: bench\r\n\r\n" + b"0123456789abcdef" * 4 + b"\r\n"
    content = lines + (b"x" * 74 + b"\r\n") * (size // 76)
    with smtplib.SMTP("127.0.0.1", port, local_hostname="localhost") as server:
        server.sendmail("bench@carreira.example", [f"{reader(number)}@players.example"], content)


@app.task(name=HAND_ON)
def hand_on(number: int) -> None:
    """Nothing but the publishing of a letter's task, for another worker."""
    to = (number, int(os.environ["BENCH_SMTP"]), int(os.environ["BENCH_SIZE"]))
    app.send_task(LETTER, args=to, queue=QUEUE_OUT)


def publisher(broker_url: str) -> Callable[[str, tuple[Any, ...]], None]:
    """Publishes a task, with the options that the service's web process has."""
    celery = Celery("bench-web", broker=broker_url, set_as_current=False)
    celery.conf.update(
        broker_transport_options=enqueue.TRANSPORT | {"socket_timeout": enqueue.SECONDS_TO_PUBLISH},
        task_ignore_result=True,
    )

    def publish(task: str, arguments: tuple[Any, ...]) -> None:
        celery.send_task(task, args=arguments, queue=QUEUE, retry=False)

    return publish


moves = Table(
    "bench_move", MetaData(),
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("game", Integer, nullable=False), Column("orders", String, nullable=False),
)  # fmt: skip


def create_app() -> Flask:
    """One route: an insert through the service's engine, a commit, a published task."""
    flask = Flask("bench")
    engine = make_engine(os.environ["BENCH_DATABASE"])
    moves.create(engine, checkfirst=True)
    publish = publisher(os.environ["BENCH_BROKER"])

    @flask.post("/games/<int:game>/orders")
    def orders(game: int) -> tuple[str, int]:
        with engine.begin() as connection:
            connection.execute(insert(moves).values(game=game, orders=request.form["order"]))
        publish(HAND_ON, (game,))
        return "", 201

    return flask
