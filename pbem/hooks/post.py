"""Sends one POST to a checked address: no proxies, no redirects, a time limit, a short answer."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from threading import Timer

from pbem.accounts.hook_addresses import Target

SECONDS = 5.0  # for everything, from connecting to the last byte
LONGEST_ANSWER = 4096  # bytes that are read


@dataclass(frozen=True)
class Answer:
    """The other side's response."""

    code: int
    body: bytes

    @property
    def is_good(self) -> bool:
        """Whether the call succeeded."""
        return 200 <= self.code < 300


class NoAnswer(Exception):
    """Raised if the other side does not answer, or not in time."""


def post(
    to: Target,
    body: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float = SECONDS,
    context: ssl.SSLContext | None = None,
) -> Answer:
    """Send the body to one of the target's addresses. Raises NoAnswer."""
    until = time.monotonic() + seconds
    try:
        line = connected(to, until)
    except OSError as problem:
        raise NoAnswer(said(problem)) from None
    with line:
        if to.is_tls:
            secure = context or ssl.create_default_context()
            # The certificate must match the host name, whichever address was used.
            line = secure.wrap_socket(line, server_hostname=to.host, do_handshake_on_connect=False)
        return asked(line, to, body, headers, until)


def connected(to: Target, until: float) -> socket.socket:
    """Connect to the first of the addresses that accepts."""
    failed: OSError = TimeoutError("timed out")
    for address in to.addresses:
        left = until - time.monotonic()
        if left <= 0:
            break
        try:
            return socket.create_connection((address, to.port), timeout=left)
        except OSError as problem:
            failed = problem
    raise failed


def asked(
    line: socket.socket, to: Target, body: bytes, headers: Mapping[str, str], until: float
) -> Answer:
    """Send the request and return the response.

    The connection is cut at the deadline, however slowly bytes arrive.
    """
    watch = Timer(max(0.01, until - time.monotonic()), cut, (line,))
    watch.daemon = True
    watch.start()
    try:
        if isinstance(line, ssl.SSLSocket):
            line.do_handshake()
        answer = spoken(line, to, body, headers)
    except (OSError, HTTPException, ValueError) as problem:
        is_late = time.monotonic() >= until
        raise NoAnswer("timed out" if is_late else said(problem)) from None
    finally:
        watch.cancel()
        line.close()
    if time.monotonic() >= until:  # the cut looks like the end of the response
        raise NoAnswer("timed out")
    return answer


def spoken(line: socket.socket, to: Target, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send the request over this connection and read the response."""
    http = HTTPConnection(to.host, to.port)
    http.sock = line
    http.auto_open = 0
    http.putrequest("POST", to.path, skip_host=True, skip_accept_encoding=True)
    sent = {"Host": to.host_header, "Content-Length": str(len(body)), "Connection": "close"}
    for name, value in {**sent, **headers}.items():
        http.putheader(name, value)
    http.endheaders(body)
    answer = http.getresponse()
    return Answer(answer.status, answer.read(LONGEST_ANSWER))


def cut(line: socket.socket) -> None:
    """Shut down a connection while another thread reads from it."""
    with suppress(OSError):
        socket.socket.shutdown(line, socket.SHUT_RDWR)


def said(problem: Exception) -> str:
    """Describe a failure in a few words."""
    text = str(problem) or type(problem).__name__
    return "".join(sign if sign.isprintable() else " " for sign in text)[:200]
