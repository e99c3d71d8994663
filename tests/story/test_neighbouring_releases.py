"""Two neighbouring releases work on one database that the newer one has migrated, on one broker.

The older one is what was released before this schema (0005), taken out of this repository's
history; where that is not at hand the test is skipped.
"""

from __future__ import annotations

import io
import os
import secrets
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path

import pytest
from celery import Celery
from sqlalchemy import make_url
from sqlmodel import select

from pbem.clock import SystemClock
from pbem.db import make_engine, migrate
from pbem.models import Entry, Game, LetterState, Outbox
from pbem.play import upkeep
from pbem.record import nightly
from pbem.run.processes import die_with_parent
from pbem.service import Service
from tests.pbem.postbox import Postbox
from tests.servers import ROOT, Valkey, eventually, free_port, without_our_settings
from tests.story.cast import Cast

BEFORE = "af5be48"
ORDERS = 4  # between two changes of who does the work
QUEUES = "engine,upkeep,mail_in,mail_out"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("SOAK" not in os.environ, reason="a minute and more: `make soak`"),
]


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of the release before."""
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", BEFORE], capture_output=True,
                            check=False)
    if packed.returncode:
        pytest.skip(f"the history here does not have {BEFORE}, the release before this schema")
    folder = tmp_path_factory.mktemp("older")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database that the newer release has migrated."""
    if request.param == "sqlite":
        made = f"sqlite:///{tmp_path / 'shared.db'}"
    else:
        server = make_engine(request.getfixturevalue("postgres")).execution_options(
            isolation_level="AUTOCOMMIT")
        name = f"both_{secrets.token_hex(6)}"
        with server.connect() as connection:
            connection.exec_driver_sql(f"create database {name}")
        made = make_url(request.getfixturevalue("postgres")).set(
            database=name).render_as_string(False)
    engine = make_engine(made)
    migrate(engine)
    engine.dispose()
    yield made


class Releases:
    """Web, workers and beat of either release, each a process that can be started and stopped."""

    def __init__(self, environ: dict[str, str], logs: Path) -> None:
        self.environ = environ
        self.logs = logs
        self._started = count(1)

    @contextmanager
    def running(self, code: Path, name: str, *module: str) -> Iterator[Path]:
        """A process of this release's code; its log."""
        log = self.logs / f"{name}-{next(self._started)}.log"
        surroundings = without_our_settings(os.environ) | self.environ | {
            "PYTHONPATH": str(code), "PYTHONUNBUFFERED": "1"}
        with log.open("ab") as file:
            process = subprocess.Popen([sys.executable, "-m", *module], cwd=code, env=surroundings,
                                       stdout=file, stderr=file, preexec_fn=die_with_parent)
        try:
            yield log
        finally:
            process.terminate()
            process.wait(60)

    @contextmanager
    def web(self, code: Path, name: str) -> Iterator[str]:
        """A site; its address, once it answers."""
        base = f"http://127.0.0.1:{free_port()}"
        with self.running(code, f"web-{name}", "gunicorn", "app:create_app()", "--threads=4",
                          f"--bind={base.removeprefix('http://')}", "--worker-class=gthread"):
            eventually(lambda: answers(f"{base}/healthz"), 90)
            yield base

    @contextmanager
    def worker(self, code: Path, name: str) -> Iterator[Path]:
        """A worker of all queues, once it has swept, as each does when it starts; its log."""
        began = SystemClock().now()
        with self.running(code, name, "celery", "-A", "workers.celery_app", "worker",
                          f"--queues={QUEUES}", f"--hostname={name}@%h", "--pool=threads",
                          "--concurrency=4", "--loglevel=INFO") as log:
            eventually(lambda: self.has_swept(began), 90)
            yield log

    def has_swept(self, since: datetime) -> bool:
        """Whether a worker has done tasks since then."""
        service = Service.from_environment(self.environ)
        with service.reading() as session:
            last = upkeep.last_sign(session, "sweep")
        service.engine.dispose()
        return last is not None and last >= since

    def beat(self, code: Path, name: str) -> AbstractContextManager[Path]:
        """The clock that sends the sweeps."""
        return self.running(code, f"beat-{name}", "celery", "-A", "workers.celery_app", "beat",
                            f"--schedule={self.logs / f'beat-{name}'}")


def answers(address: str) -> bool:
    with suppress(urllib.error.URLError, OSError):
        return urllib.request.urlopen(address, timeout=5).status == 200  # noqa: S310  (our own)
    return False


def test_both_releases_serve_one_game_and_neither_loses_or_doubles_anything(
    older: Path, url: str, valkey: Valkey, postbox: Postbox, tmp_path: Path
) -> None:
    environ = {
        "CARREIRA_DATABASE_URL": url, "CARREIRA_REDIS_URL": valkey.url, "CARREIRA_PICTURES": "off",
        "CARREIRA_VAR": str(tmp_path / "var"), "CARREIRA_SMTP_URL": postbox.url,
        "CARREIRA_SECRET_KEY": "a secret key that both releases know", "CARREIRA_MAIL_IN": "none",
        "CARREIRA_LETTER_DELAY": "0",
    }
    site = Releases(environ, tmp_path)
    with site.web(older, "older") as old, site.web(ROOT, "newer") as new:
        site.environ = environ | {"CARREIRA_BASE_URL": old}
        service = Service.from_environment(site.environ)
        cast = Cast(old, postbox, service)
        with site.worker(older, "older-worker"), site.beat(ROOT, "newer"):
            for name in ("Ana", "Bento"):
                cast.base = old
                sign_in(cast, name, old)
            cast.sit_down("vasco-da-gama", ("Ana", "Bento"))  # begun by the older release
            play(cast, new)  # pages of the newer one, work by the older one
        with site.worker(ROOT, "newer-worker") as log, site.beat(older, "older"):
            play(cast, old)
            send_of_tomorrow(valkey)
            eventually(lambda: "unregistered task" in log.read_text(), 30)
            play(cast, new)
        with (site.worker(older, "older-worker"), site.worker(ROOT, "newer-worker"),
              site.beat(older, "older"), site.beat(ROOT, "newer")):
            for base in (old, new, old, new):
                play(cast, base, orders=2)
            check(cast)
    service.engine.dispose()


def sign_in(cast: Cast, name: str, base: str) -> None:
    """Links in letters lead to the settings' own address, whichever site has written them."""
    cast.sign_in(name)
    cast.visitors[name].base = base


def play(cast: Cast, base: str, orders: int = ORDERS) -> None:
    """Some orders on the pages of one site, each letter waited for."""
    for visitor in cast.visitors.values():
        visitor.base = base
    for _ in range(orders):
        cast.wait_for_letters()
        cast.post(*cast.next_orders())


def send_of_tomorrow(valkey: Valkey) -> None:
    """A task that neither release knows, as a web process of a third one could send it."""
    with Celery("tomorrow", broker=valkey.url) as tomorrow:
        tomorrow.send_task("carreira.tomorrow", args=(1,), queue="upkeep")


def check(cast: Cast) -> None:
    """The log is whole, and every letter has come once."""
    cast.wait_for_letters()
    kinds, doubled, missing = cast.ledger()
    assert (doubled, missing) == (0, 0), kinds
    with cast.service.reading() as session:
        game = session.get_one(Game, cast.game_id)
        assert nightly.fault_of(session, game) is None
        rulesets = set(session.exec(select(Entry.ruleset).where(Entry.game_id == game.id)))
        # Begun by the older release, which knows only this one: the newer one keeps to it.
        assert rulesets == {"vasco-da-gama 1"}
        assert game.ruleset in (None, "vasco-da-gama 1")
        dead = session.exec(select(Outbox).where(Outbox.state == LetterState.DEAD)).all()
        assert dead == []
