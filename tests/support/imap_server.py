"""A small IMAP server for tests: folders of letters, and the commands that a poller says."""

from __future__ import annotations

import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Mailbox:
    """Folders, their letters by UID, and what the poller has said."""

    folders: dict[str, dict[int, bytes]] = field(default_factory=lambda: {"INBOX": {}})
    said: list[str] = field(default_factory=list)
    cut_at: str = ""  # a command at which the line is cut, once
    knows_move: bool = True
    port: int = 0
    _last: int = 0

    def put(self, raw: bytes) -> int:
        self._last += 1
        self.folders["INBOX"][self._last] = raw
        return self._last

    @property
    def url(self) -> str:
        return f"imap://carreira:pass%20word@127.0.0.1:{self.port}/INBOX"

    def letters(self, folder: str) -> list[bytes]:
        return list(self.folders.get(folder, {}).values())


class Talk(socketserver.StreamRequestHandler):
    """One connection."""

    box: Mailbox
    folder = "INBOX"

    def handle(self) -> None:
        self.say(b"* OK ready")
        for line in self.rfile:
            tag, _, command = line.decode().strip().partition(" ")
            self.box.said.append(command)
            if self.box.cut_at and self.box.cut_at in command:
                self.box.cut_at = ""
                return
            words = command.split()
            name = " ".join(words[:2]) if words[0] == "UID" else words[0]
            does = getattr(self, "do_" + name.lower().replace(" ", "_"), None)
            status = does(command, words) if does else "BAD unknown"
            self.say(f"{tag} {status or 'OK done'}".encode())
            if name == "LOGOUT":
                return

    def say(self, line: bytes) -> None:
        self.wfile.write(line + b"\r\n")

    def do_capability(self, command: str, words: list[str]) -> None:
        self.say(b"* CAPABILITY IMAP4rev1" + (b" MOVE" if self.box.knows_move else b""))

    def do_login(self, command: str, words: list[str]) -> str:
        return "OK in" if command == 'LOGIN "carreira" "pass word"' else "NO refused"

    def do_logout(self, command: str, words: list[str]) -> None:
        self.say(b"* BYE")

    def do_select(self, command: str, words: list[str]) -> str:
        self.folder = words[1].strip('"')
        if self.folder not in self.box.folders:
            return "NO none"
        self.say(f"* {len(self.box.folders[self.folder])} EXISTS".encode())
        return "OK [READ-WRITE] done"

    def do_list(self, command: str, words: list[str]) -> None:
        wanted = words[-1].strip('"')
        for name in self.box.folders:
            if wanted in ("*", name):
                self.say(f'* LIST () "/" "{name}"'.encode())

    def do_create(self, command: str, words: list[str]) -> None:
        self.box.folders[words[1].strip('"')] = {}

    def do_uid_search(self, command: str, words: list[str]) -> None:
        uids = " ".join(map(str, self.box.folders[self.folder]))
        self.say(f"* SEARCH {uids}".rstrip().encode())

    def do_uid_fetch(self, command: str, words: list[str]) -> None:
        raw = self.box.folders[self.folder].get(int(words[2]))
        if raw is None:
            return
        if "SIZE" in command:
            self.say(f"* 1 FETCH (UID {words[2]} RFC822.SIZE {len(raw)})".encode())
        else:
            self.say(f"* 1 FETCH (UID {words[2]} BODY[] {{{len(raw)}}}".encode())
            self.wfile.write(raw)
            self.say(b")")

    def do_uid_move(self, command: str, words: list[str]) -> str:
        self.do_uid_copy(command, words)
        del self.box.folders[self.folder][int(words[2])]
        return "OK moved"

    def do_uid_copy(self, command: str, words: list[str]) -> None:
        to = re.sub(r'"', "", words[3])
        self.box.folders[to][int(words[2])] = self.box.folders[self.folder][int(words[2])]

    def do_uid_store(self, command: str, words: list[str]) -> None:
        self.deleted = int(words[2])

    def do_expunge(self, command: str, words: list[str]) -> None:
        self.box.folders[self.folder].pop(self.deleted, None)

    def do_noop(self, command: str, words: list[str]) -> None:
        return None


@contextmanager
def imap_server() -> Iterator[Mailbox]:
    """A running server with an empty mailbox."""
    box = Mailbox()
    talk = type("TalkOfThis", (Talk,), {"box": box})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), talk) as server:
        server.daemon_threads = True
        box.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield box
        server.shutdown()
