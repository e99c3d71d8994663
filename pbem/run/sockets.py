"""Places to listen on, taken before anything is started and kept while whoever serves restarts."""

from __future__ import annotations

import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit

BACKLOG = 128


def tcp(host: str, port: int) -> socket.socket:
    """A listening TCP socket, or OSError."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return _listening(listener, (host, port))


def unix(path: Path) -> socket.socket:
    """A listening Unix socket, in place of one that nobody serves any more, or OSError.

    Everybody who can reach its folder may write to it: mail servers drop their additional groups,
    so the folder's permissions are the lock.
    """
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode) and not is_served(path):
        path.unlink()
    listener = _listening(socket.socket(socket.AF_UNIX), str(path))
    path.chmod(0o666)
    return listener


def _listening(listener: socket.socket, place: tuple[str, int] | str) -> socket.socket:
    try:
        listener.bind(place)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def is_served(path: Path) -> bool:
    """Whether somebody answers on a Unix socket."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(1)
        try:
            line.connect(str(path))
        except OSError:
            return False
    return True


def for_mail(url: str) -> socket.socket:
    """The socket of CARREIRA_MAIL_IN, or OSError."""
    parts = urlsplit(url)
    if parts.hostname is None:
        return unix(Path(parts.path))
    return tcp("127.0.0.1" if parts.hostname == "localhost" else parts.hostname, parts.port or 0)
