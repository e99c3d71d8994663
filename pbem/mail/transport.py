"""Chooses how letters leave: by an SMTP server, or into a folder if there is none."""

from __future__ import annotations

import os
import re
import threading
from email.parser import BytesHeaderParser
from pathlib import Path

from pbem.config import Settings
from pbem.mail.server_answers import Accepted, Outcome, Transport, Unreachable
from pbem.mail.smtp import SmtpTransport


class FileTransport:
    """Stores each letter as an .eml file named by its Message-ID. A repeat overwrites its file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def send(self, sender: str, recipient: str, letter: bytes) -> Outcome:
        try:
            name = self._write(letter)
        except OSError as wrong:
            return Unreachable(f"{self.folder}: {wrong.strerror or wrong}")
        return Accepted(250, f"kept as {name}")

    def _write(self, letter: bytes) -> str:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        message_id = BytesHeaderParser().parsebytes(letter)["Message-ID"] or "letter"
        name = re.sub(r"[^A-Za-z0-9.-]+", "_", message_id.strip("<> ").rpartition("@")[0]) + ".eml"
        draft = self.folder / f".{name}.{os.getpid()}.{threading.get_ident()}"
        with draft.open("wb") as file:
            file.write(letter)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.folder / name)
        return name

    def close(self) -> None:
        return None


def transport_of(settings: Settings) -> Transport:
    """Return the transport of the settings: an SMTP server, else the folder var/outbox."""
    if settings.smtp_url:
        return SmtpTransport(settings.smtp_url, helo=settings.mail_domain)
    return FileTransport(settings.outbox_folder)
