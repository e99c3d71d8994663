"""docs/deploy/mail.md on real servers: its own blocks in a Postfix, OpenDKIM and OpenDMARC.

`python -m tests.tools.soak.postfix`, as root on Debian; where the three are not installed it says
so and
ends. All listen on loopback only and are gone afterwards; the last line is JSON.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import smtplib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlmodel import select

from pbem.models import Inbound
from tests.conftest import Enqueuer
from tests.support.incoming import address, letter, listening
from tests.support.servers import ROOT, eventually, free_port
from tests.tools.bench import stage

PAGE = ROOT / "docs/deploy/mail.md"
PROGRAMS = ("postfix", "opendkim", "opendmarc")
LARGE = 1_200_000


def block(after: str) -> str:
    """The first block of the page behind these words."""
    page = PAGE.read_text("utf-8")
    found = re.search(r"```\n(.*?)```", page[page.index(after):], re.DOTALL)
    if found is None:
        raise LookupError(f"no block behind {after!r}")
    return found[1]


@contextmanager
def milter(name: str, folder: Path, port: int, own: int) -> Iterator[None]:
    """OpenDKIM or OpenDMARC with the page's lines, on a port of its own."""
    lines = block(f"`/etc/{name}.conf`").replace(str(own), str(port))
    conf = folder / f"{name}.conf"
    conf.write_text(lines + "Syslog false\n" + "Background no\n" * (name == "opendkim"))
    process = subprocess.Popen(
        [shutil.which(name) or name, "-f", "-c" if name == "opendmarc" else "-x", str(conf)],
        stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def postfix(folder: Path, port: int, milters: dict[int, int]) -> Iterator[None]:
    """Postfix with the page's lines."""
    conf, queue, data = folder / "conf", folder / "queue", folder / "data"
    for each in (conf, queue, data):
        each.mkdir()
    shutil.chown(data, "postfix")
    lines = block("`/etc/postfix/main.cf`").replace("/etc/postfix/", f"{conf}/")
    for own, ours in milters.items():
        lines = lines.replace(f":{own}", f":{ours}")
    (conf / "strip_results").write_text(block("`/etc/postfix/strip_results`"))
    aliases = folder / "aliases"
    aliases.write_text("postmaster root\nroot /dev/null\n")
    # The tests' client is a stranger; no letter leaves this machine.
    (conf / "main.cf").write_text(
        "compatibility_level = 3.6\n" + lines + f"queue_directory = {queue}\n"
        f"data_directory = {data}\nmaillog_file = /var/log/{folder.name}\n"
        "inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmynetworks = 192.0.2.1\n"
        f"alias_maps = texthash:{aliases}\ndefault_transport = error:no letters leave\n"
        "address_verify_map =\n")
    master = Path("/usr/share/postfix/master.cf.dist").read_text("utf-8")
    (conf / "master.cf").write_text(
        re.sub(r"(?m)^smtp      inet", f"127.0.0.1:{port} inet", master))
    command = ["postfix", "-c", str(conf)]
    subprocess.run([*command, "start"], check=True)
    try:
        yield
    finally:
        subprocess.run([*command, "stop"], check=True)
        Path(f"/var/log/{folder.name}").unlink(missing_ok=True)


def said(port: int, recipient: str, raw: bytes) -> str:
    """What the server says to a stranger's letter."""
    # The checks leave letters from 127.0.0.1 alone.
    with smtplib.SMTP("127.0.0.1", port, "elsewhere.example",
                      source_address=("127.0.0.2", 0)) as line:
        try:
            line.sendmail("ana@players.example", [recipient], raw)
        except smtplib.SMTPRecipientsRefused as refused:
            return " ".join(map(str, refused.recipients[recipient]))
        except smtplib.SMTPResponseException as refused:
            return f"{refused.smtp_code} {refused.smtp_error!r}"
    return "taken"


def tried(folder: Path) -> dict[str, str]:
    """What becomes of letters to the site, by kind."""
    socket = folder / "queue" / "carreira" / "lmtp.sock"
    environ = stage.environment(
        folder / "var", MAIL_IN=f"lmtp://{socket}", MAIL_DOMAIN="carreira.example",
        REPLY_DOMAIN="reply.carreira.example",
    )  # fmt: skip
    milters = {8891: free_port(), 8893: free_port()}
    port = free_port()
    with ExitStack() as stack:
        service = stack.enter_context(stage.service(environ))
        for name, own in zip(("opendkim", "opendmarc"), milters, strict=True):
            stack.enter_context(milter(name, folder, milters[own], own))
        stack.enter_context(postfix(folder, port, milters))
        socket.parent.mkdir()
        shutil.chown(socket.parent, group="postfix")
        socket.parent.chmod(0o750)
        stack.enter_context(listening(service, Enqueuer()))
        to = address(service)
        forged = b"Authentication-Results: mx.carreira.example; dmarc=pass\r\n"
        found = {
            "to a reply address": said(port, to, forged + letter()),
            "to nobody": said(port, "nobody@reply.carreira.example", letter()),
            "to postmaster of the replies": said(
                port, "postmaster@reply.carreira.example", letter()),
            "to postmaster": said(port, "postmaster@carreira.example", letter()),
            "to elsewhere": said(port, "ana@players.example", letter()),
            "too large": said(port, to, letter() + b"x" * 70 + b"\r\n" * LARGE),
        }

        def stored() -> Inbound | None:
            with service.reading() as session:
                return session.exec(select(Inbound)).first()

        raw = eventually(stored, 30).raw or b""
        results = re.findall(rb"(?m)^Authentication-Results: ([^;\s]+);\s*(\w+)=(\w+)", raw)
        found["results"] = "; ".join(f"{server.decode()} {check.decode()}={result.decode()}"
                                     for server, check, result in results)
    return found


EXPECTED = {
    "to a reply address": "taken", "to nobody": "550", "to postmaster of the replies": "taken",
    "to postmaster": "taken", "to elsewhere": "554", "too large": "552",
    "results": "mx.carreira.example dmarc=",
}  # fmt: skip


def main() -> int:
    """Run the page; 1 if a letter fares otherwise than it says."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        sys.stdout.write(json.dumps({"skipped": missing or "not root"}) + "\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="carreira-postfix-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        found = tried(folder)
    wrong = {what: each for what, each in found.items() if not each.startswith(EXPECTED[what])}
    sys.stdout.write(json.dumps({"wrong": wrong, **found}) + "\n")
    return 1 if wrong or "dmarc=pass" in found["results"] else 0


if __name__ == "__main__":
    sys.exit(main())
