"""Memory of the whole service at rest on one machine, after it has answered and played a little.

The proportional share (PSS): what processes have in common counts once. The supervisor counts too:
it has loaded what the others share.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from http.client import HTTPConnection
from pathlib import Path

from tests.bench import chain, stage
from tests.bench.going import going
from tests.bench.harness import Figure, figure
from tests.bench.receiver import receiver
from tests.servers import Running, eventually, free_port

GAMES = 20
PAGES = ("/", "/archive", "/seats", "/learn", "/help/mail", "/healthz")
SECONDS_OF_REST = 20  # longer than the time between two sweeps
MEGABYTE = 1024 * 1024


def measure() -> list[Figure]:
    """The service as `make run` starts it: site, workers, beat, broker, and what takes letters."""
    with stage.folder() as folder, receiver() as mail:
        environ = stage.environment(
            folder / "var", PORT=str(free_port()), LETTER_DELAY="0", BASE_URL="http://localhost",
            SMTP_URL=f"smtp://127.0.0.1:{mail.port}",
        )  # fmt: skip
        with stage.service(environ) as service:
            games = going(service, GAMES, 2)
            site = chain.Site(service, games, int(environ["CARREIRA_PORT"]), mail)
            running = Running(environ)
            try:
                running.wait_for_line("Carreira is at")
                warmed(site)
                shares: Counter[str] = Counter()
                supervisor = {running.process.pid: "app.py run"}
                for process, command in (supervisor | running.children()).items():
                    shares[name_of(command)] += share(process)
            finally:
                running.stop()
    total = shares.total()
    said = "MB: " + ", ".join(f"{name} {size:.0f}" for name, size in sorted(shares.items()))
    return [figure("memory-at-rest", total, "<= 520", said)]


def warmed(site: chain.Site) -> None:
    """Some pages, some moves and their letters; then nothing for a while."""
    eventually(lambda: chain.answers(site.port), chain.SECONDS_TO_START)
    site.sign_in()
    line = HTTPConnection("127.0.0.1", site.port, timeout=60)
    for path in PAGES + tuple(f"/games/{game.game_id}" for game in site.games):
        line.request("GET", path)
        line.getresponse().read()
    for _ in range(2):
        site.moves(GAMES)
    time.sleep(SECONDS_OF_REST)


def share(process: int) -> float:
    """A process' proportional share of memory, in MB."""
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{process}/smaps_rollup").read_text(), re.M)
    return 0.0 if found is None else int(found[1]) * 1024 / MEGABYTE


def name_of(command: str) -> str:
    """What a process of the service does, and its number among its like."""
    for name, sign in (("web", "gunicorn"), ("beat", " beat"), ("letters", "--hostname=letters"),
                       ("worker", "--hostname=worker"), ("mail_in", "mail-in"),
                       ("broker", "valkey"), ("supervisor", "app.py run")):
        if sign in command:
            return name
    return command.strip()
