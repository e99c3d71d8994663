"""`python app.py run`: runs the whole service, as real processes on one machine."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import signal
import socket
import subprocess  # nosec B404
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from pbem.config import Settings, in_url
from pbem.run import broker, sockets
from pbem.run.processes import Child, say, stop

ROOT = Path(__file__).parents[2]
SECONDS_TO_START = 60
SECONDS_TO_STOP = 20  # a worker finishes its task first
TICK = 0.1
# glibc's. Otherwise each thread gets a heap of its own, and a heap keeps its largest size: the
# pixels of one picture stay allocated.
HEAP = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "MALLOC_TRIM_THRESHOLD_": "131072",
}


class CannotRun(RuntimeError):
    """Raised if the service cannot start here. Says why in one line."""


def main(arguments: list[str]) -> int:
    """Run until SIGINT or SIGTERM. Returns 1 if the service cannot start."""
    argparse.ArgumentParser(prog="app.py run", description=__doc__).parse_args(arguments)
    settings = Settings.from_environment(os.environ)
    try:
        with ExitStack() as held:
            return run(settings, os.environ, held)
    except (CannotRun, broker.NoBroker) as reason:
        sys.stderr.write(f"{reason}\n")
    except OSError as problem:  # a full disk, or a file where a folder should be
        where = problem.filename or settings.var
        sys.stderr.write(f"CARREIRA_VAR: {where} cannot be used: {problem.strerror}\n")
    return 1


def run(settings: Settings, environ: Mapping[str, str], held: ExitStack) -> int:
    """Start everything in order, watch it, and stop it in reverse order."""
    stopping = Stopping()
    held.enter_context(only_one(settings.var))
    listener = held.enter_context(reserved(settings.host, settings.port))
    if not migrated(environ):
        return 1
    say("The database is ready.")

    valkey, url = private_broker(settings, held)
    surroundings = {
        **HEAP,
        **environ,
        "CARREIRA_VAR": str(settings.var),
        "CARREIRA_REDIS_URL": url,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), environ.get("PYTHONPATH")])),
        "PYTHONUNBUFFERED": "1",
    }
    at = listener.fileno()
    others = [
        Child("web", web(at), surroundings, settings.var, (at,)),
        *(Child(name, worker(name, queues), surroundings, settings.var)
          for name, queues in WORKERS.items()),
        Child("beat", beat(), surroundings, settings.var),
        *mail_in(settings, surroundings, held),
    ]  # fmt: skip
    try:
        for child in valkey:
            child.start()
            broker.wait_for(Path(url.removeprefix("redis+socket://")))
        start(settings, others, stopping)
        add_samples(surroundings)
        watch([*valkey, *others], stopping)
    finally:
        stop(others, SECONDS_TO_STOP, hurry=stopping.hurry)
        stop(valkey, SECONDS_TO_STOP, hurry=stopping.hurry)
    say("Stopped. Nothing is lost; `run` goes on from here.")
    return 0


def start(settings: Settings, family: list[Child], stopping: Stopping) -> None:
    """Start the site, the others once it answers, and print its address.

    The site starts alone, so that its first page is there sooner.
    """
    site, *rest = family
    site.start()
    wait_for_site(settings, site, stopping)
    if stopping.asked:
        return
    for child in rest:
        child.start()
    say(f"Carreira is at {settings.base_url} (logs in {settings.var / 'log'}; Ctrl-C stops it).")


def migrated(environ: Mapping[str, str]) -> bool:
    """Bring the database to the newest version. If that fails, the command has said why.

    It is a process of its own, so that this one, which stays, does not load the database's library.
    """
    command = [sys.executable, str(ROOT / "app.py"), "migrate"]
    done = subprocess.run(  # noqa: S603  (our own command)  # nosec B603
        command, env=dict(environ), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        check=False,
    )  # fmt: skip
    return done.returncode == 0


def add_samples(environ: Mapping[str, str]) -> None:
    """Give a new site its sample games, once it answers. If that fails, the site runs without."""
    command = [sys.executable, str(ROOT / "app.py"), "samples"]
    subprocess.run(  # noqa: S603  (our own command)  # nosec B603
        command, env=dict(environ), stdin=subprocess.DEVNULL, check=False)


# Separate workers: a hanging mail server blocks letters only, and games go on.
WORKERS = {"worker": "engine,upkeep,mail_in", "letters": "mail_out"}


def web(listener: int) -> list[str]:
    """Return the web server's command.

    It is one process with 8 threads, so that SQLite's writers wait fairly.
    """
    return [
        sys.executable, "-m", "gunicorn", "app:create_app()", f"--bind=fd://{listener}",
        "--workers=1", "--worker-class=gthread", "--threads=8", "--timeout=60",
        "--graceful-timeout=10", "--no-control-socket",
        "--forwarder-headers=",  # otherwise it trusts SCRIPT_NAME in any request from this machine
        "--logger-class=pbem.run.gunicorn_logger.Logger",
    ]  # fmt: skip


def worker(name: str, queues: str) -> list[str]:
    """Return the command of a Celery worker with four threads, without worker events."""
    return [
        sys.executable, "-m", "celery", "--quiet", "-A", "workers.celery_app", "worker",
        f"--queues={queues}", f"--hostname={name}@%h", "--pool=threads", "--concurrency=4",
        "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING",
    ]  # fmt: skip


def beat() -> list[str]:
    """Return the command of the beat, which schedules the sweeps."""
    return [
        sys.executable, "-m", "celery", "--quiet", "-A", "workers.celery_app", "beat",
        "--loglevel=WARNING",
    ]


def mail_in(settings: Settings, surroundings: dict[str, str], held: ExitStack) -> list[Child]:
    """Return the child that receives letters, or none if no mail comes in.

    Its socket is ours, and stays open while it restarts.
    """
    if settings.mail_in is None and settings.imap_url is None:
        return []
    command = [sys.executable, str(ROOT / "app.py"), "mail-in"]
    files: tuple[int, ...] = ()
    if settings.mail_in is not None:
        try:
            listener = held.enter_context(sockets.for_mail(settings.mail_in))
        except OSError as problem:
            raise CannotRun(
                f"CARREIRA_MAIL_IN: {settings.mail_in} cannot be used ({problem.strerror}); choose "
                "another place for letters that come in, or none."
            ) from None
        command, files = [*command, f"--fd={listener.fileno()}"], (listener.fileno(),)
    return [Child("mail_in", command, surroundings, settings.var, files)]


def private_broker(settings: Settings, held: ExitStack) -> tuple[list[Child], str]:
    """Return a private Valkey and its URL, or no child and the configured URL."""
    if settings.redis_url is not None:
        return [], settings.redis_url
    listens = broker.fitting_socket(settings.broker_socket)
    if listens != settings.broker_socket:
        held.callback(remove_folder_of, listens)
        say(f"The path of {settings.broker_socket} does not fit a socket; Valkey's is {listens}.")
    data = settings.var / "valkey"
    data.mkdir(exist_ok=True)
    command = broker.server_command(listens, data)
    return [Child("valkey", command, dict(os.environ), settings.var)], f"redis+socket://{listens}"


def remove_folder_of(listens: Path) -> None:
    """Remove the temporary folder of a socket."""
    listens.unlink(missing_ok=True)
    listens.parent.rmdir()


@contextmanager
def only_one(var: Path) -> Iterator[None]:
    """Hold var/run.lock, which only one process can."""
    path = var / "run.lock"
    try:
        file = path.open("a+")
    except OSError as problem:
        raise CannotRun(f"CARREIRA_VAR: {path} cannot be used: {problem.strerror}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CannotRun(
                f"Carreira already runs on {var} (process {file.read().strip() or 'unknown'}); "
                "stop it first, or set CARREIRA_VAR."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def reserved(host: str, port: int) -> Iterator[socket.socket]:
    """Open the site's socket before anything starts, and keep it while the web server restarts."""
    try:
        listener = sockets.tcp(host, port)
    except OSError as problem:
        raise CannotRun(
            f"CARREIRA_HOST, CARREIRA_PORT: {host}:{port} cannot be used "
            f"({problem.strerror}); choose another, for example CARREIRA_PORT={port + 1}."
        ) from None
    with listener:
        yield listener


def wait_for_site(settings: Settings, web: Child, stopping: Stopping) -> None:
    """Wait until the site answers. Raises CannotRun if it ends or takes too long."""
    here = f"http://{in_url(settings.host)}:{settings.port}"
    until = time.monotonic() + SECONDS_TO_START
    while not healthy(here):
        if stopping.asked:
            return
        if web.ended() or time.monotonic() > until:
            raise CannotRun(f"The site does not start; {web.log} says why. {web.last_words()}")
        time.sleep(TICK)


def healthy(address: str) -> bool:
    """Return whether our own site answers. A late sweep does not matter here."""
    try:
        page = f"{address}/healthz"
        with urllib.request.urlopen(page, timeout=2) as answer:  # noqa: S310  # nosec B310
            return bool(json.load(answer)["service"] == "carreira")
    except urllib.error.HTTPError as late:
        return late.code == 503
    except (OSError, ValueError, KeyError, TypeError):
        return False


def watch(family: list[Child], stopping: Stopping) -> None:
    """Restart children that end, with growing waits, until asked to stop."""
    while not stopping.asked:
        for child in family:
            child.keep_running(time.monotonic())
            child.keep_log_short()
        time.sleep(TICK)


class Stopping:
    """Records SIGINT and SIGTERM. A second one means at once."""

    def __init__(self) -> None:
        self.asked = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked += 1
        if self.asked == 1:
            say("Stopping ...")

    def hurry(self) -> bool:
        """Return whether the signal came twice."""
        return self.asked > 1
