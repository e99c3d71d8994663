"""Opens listening sockets before any process starts, and keeps them while servers restart."""

from __future__ import annotations

import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit

BACKLOG = 128


def tcp(host: str, port: int) -> socket.socket:
    """Open a listening TCP socket. Raises OSError."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return _listening(listener, (host, port))


def unix(path: Path) -> socket.socket:
    """Open a listening Unix socket, replacing one that nobody serves. Raises OSError.

    Everybody who can reach its folder may write to it: mail servers drop their supplementary
    groups, so the folder's permissions are the access control.
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
    """Return whether somebody answers on a Unix socket."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(1)
        try:
            line.connect(str(path))
        except OSError:
            return False
    return True


def for_mail(url: str) -> socket.socket:
    """Open the socket of CARREIRA_MAIL_IN. Raises OSError."""
    parts = urlsplit(url)
    if parts.hostname is None:
        return unix(Path(parts.path))
    return tcp("127.0.0.1" if parts.hostname == "localhost" else parts.hostname, parts.port or 0)
