"""A mail server that takes every letter and notes when; a process of its own, as it would be.

Whoever asks `STAT` on a line is told how many letters have been accepted, their bytes, and how many
have a picture; `LIST n` tells recipients and times from the n-th on, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socket import create_connection, socket
from typing import BinaryIO, ClassVar, NamedTuple

from pbem.run.processes import die_with_parent
from tests.support.servers import eventually, free_port

END = b"\r\n.\r\n"
ANSWERS = {b"DATA": b"354 go on\r\n", b"QUIT": b"221 bye\r\n"}


class Line(asyncio.Protocol):
    """One connection; what has been accepted is everybody's."""

    size = pictured = 0
    arrivals: ClassVar[list[tuple[str, float]]] = []

    def __init__(self) -> None:
        self.waiting = b""
        self.in_letter = False
        self.recipient = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.say(b"220 here\r\n")

    def say(self, answer: bytes) -> None:
        self.transport.write(answer)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while True:
            end = END if self.in_letter else b"\r\n"
            said, found, rest = self.waiting.partition(end)
            if not found:
                return
            self.waiting = rest
            if self.in_letter:
                self.in_letter = False
                self.keep(said)
            else:
                self.answer(said[:4].upper(), said[4:])

    def keep(self, letter: bytes) -> None:
        """Accept a letter."""
        Line.arrivals.append((self.recipient, time.monotonic()))
        Line.size += len(letter)
        Line.pictured += b"image/png" in letter
        self.say(b"250 kept\r\n")

    def answer(self, verb: bytes, rest: bytes) -> None:
        """Answer one command."""
        self.in_letter = verb == b"DATA"
        if verb == b"RCPT":
            self.recipient = rest.decode().partition("<")[2].partition(">")[0]
        if verb == b"STAT":
            self.say(b"250 %d %d %d\r\n" % (len(Line.arrivals), Line.size, Line.pictured))
        elif verb == b"LIST":
            self.say(json.dumps(Line.arrivals[int(rest) :]).encode() + b"\r\n")
        elif verb == b"EHLO":
            self.say(b"250-here\r\n250-8BITMIME\r\n250 PIPELINING\r\n")
        else:
            self.say(ANSWERS.get(verb, b"250 ok\r\n"))
        if verb == b"QUIT":
            self.transport.close()


async def serve(port: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Line, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


class Told(NamedTuple):
    """What has been accepted; `size` in bytes."""

    letters: int
    size: int
    pictured: int


@dataclass
class Receiver:
    """The running server, as the measurer sees it."""

    port: int
    line: socket = field(init=False)
    answers: BinaryIO = field(init=False)

    def connect(self) -> bool:
        """Whether it takes connections; keeps one for asking."""
        try:
            self.line = create_connection(("127.0.0.1", self.port), 10)
        except OSError:
            return False
        self.answers = self.line.makefile("rb")
        return self.answers.readline().startswith(b"220")

    def told(self) -> Told:
        """What has been accepted so far."""
        return Told(*map(int, self._asked("STAT").split()[1:]))

    def accepted(self) -> int:
        """How many letters have arrived."""
        return self.told().letters

    def arrivals(self, since: int) -> list[tuple[str, float]]:
        """The recipients of all letters but the first `since`, and when they arrived."""
        return [(recipient, at) for recipient, at in json.loads(self._asked(f"LIST {since}"))]

    def _asked(self, question: str) -> bytes:
        self.line.sendall(f"{question}\r\n".encode())
        return self.answers.readline()


@contextmanager
def receiver() -> Iterator[Receiver]:
    """A running one on a free port."""
    here = Receiver(free_port())
    command = [sys.executable, "-m", "tests.tools.bench.receiver", str(here.port)]
    process = subprocess.Popen(command, preexec_fn=die_with_parent)
    try:
        eventually(here.connect, 30)
        yield here
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
