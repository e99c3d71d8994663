"""A mail server that takes every letter and only counts; a process of its own, as it would be.

Whoever asks `STAT` on a line is told how many letters have been accepted, and their bytes.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socket import create_connection, socket

from pbem.run.processes import die_with_parent
from tests.servers import eventually, free_port

END = b"\r\n.\r\n"
ANSWERS = {b"DATA": b"354 go on\r\n", b"QUIT": b"221 bye\r\n"}


class Line(asyncio.Protocol):
    """One connection; `accepted` and `size`, in bytes, are everybody's."""

    accepted = size = 0

    def __init__(self) -> None:
        self.waiting = b""
        self.in_letter = False

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
                Line.accepted += 1
                Line.size += len(said)
                self.say(b"250 kept\r\n")
            else:
                self.answer(said[:4].upper())

    def answer(self, verb: bytes) -> None:
        """Answer one command."""
        self.in_letter = verb == b"DATA"
        if verb == b"STAT":
            self.say(b"250 %d %d\r\n" % (Line.accepted, Line.size))
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


@dataclass
class Receiver:
    """The running server, as the measurer sees it."""

    port: int
    line: socket = field(init=False)

    def connect(self) -> bool:
        """Whether it takes connections; keeps one for asking."""
        try:
            self.line = create_connection(("127.0.0.1", self.port), 10)
        except OSError:
            return False
        return self.line.recv(100).startswith(b"220")

    def accepted(self) -> int:
        """How many letters have arrived."""
        return self._told()[0]

    def mean_size(self) -> int:
        """The bytes of a letter, on the average of those that have arrived."""
        accepted, size = self._told()
        return size // accepted

    def _told(self) -> tuple[int, int]:
        self.line.sendall(b"STAT\r\n")
        _, accepted, size = self.line.recv(100).split()
        return int(accepted), int(size)


@contextmanager
def receiver() -> Iterator[Receiver]:
    """A running one on a free port."""
    here = Receiver(free_port())
    command = [sys.executable, "-m", "tests.bench.receiver", str(here.port)]
    process = subprocess.Popen(command, preexec_fn=die_with_parent)
    try:
        eventually(here.connect, 30)
        yield here
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
