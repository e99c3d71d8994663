"""The service as `make run` starts it: its second start, the usual wait for a letter, memory.

Memory is the proportional share (PSS): what processes have in common counts once. The supervisor
counts too: it has loaded what the others share.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from http.client import HTTPConnection
from pathlib import Path

from tests.support.servers import Running, eventually, free_port
from tests.tools.bench import chain, stage
from tests.tools.bench.going import going
from tests.tools.bench.harness import NONE, Extent, Figure, figure, median, p95, shown
from tests.tools.bench.receiver import receiver
from tests.tools.bench.site import Site

GAMES = 60
PAGES = ("/", "/archive", "/seats", "/learn", "/help/mail", "/healthz")
USUAL_DELAY = 120  # seconds, of which `extent` allows twice its own at most
SECONDS_OF_REST = 20  # longer than the time between two sweeps
STARTS = 3
MEGABYTE = 1024 * 1024
START_SECONDS, MEMORY = "<= 4", "<= 520"


def measure(extent: Extent) -> list[Figure]:
    """Site, workers, beat, broker, and what takes letters."""
    delay = min(USUAL_DELAY, 2 * extent.seconds)
    with stage.folder() as folder, receiver() as mail:
        environ = stage.environment(
            folder / "var", PORT=str(free_port()), LETTER_DELAY=str(delay), PICTURES="on",
            BASE_URL="http://localhost", SMTP_URL=f"smtp://127.0.0.1:{mail.port}",
        )  # fmt: skip
        with stage.service(environ) as service:
            games = going(service, GAMES, 2)
            port = int(environ["CARREIRA_PORT"])
            started = starts(environ, port)
            running = Running(environ)
            try:
                running.wait_for_line("Carreira is at")
                site = Site(service, games, port, mail, environ)
                warmed(site)
                waits = site.paced(min(GAMES / 10, extent.seconds / 2), patience=delay + 60)
                time.sleep(min(SECONDS_OF_REST, extent.seconds))
                shares = shares_of(running)
            finally:
                running.stop()
    seconds = [each / 1000 for each in waits]
    parts = ", ".join(f"{name} {size:.0f}" for name, size in sorted(shares.items()))
    return [
        started,
        figure(f"move-to-letter-delayed-{delay}-s", median(seconds), NONE,
               f"s from form to mail server, the median; p95 {shown(p95(seconds))} s; "
               f"the delay alone {delay} s"),
        figure("memory-at-rest", shares.total(), MEMORY, f"MB: {parts}"),
    ]


def starts(environ: dict[str, str], port: int) -> Figure:
    """From the command to the first page, where everything has run once before."""
    ours, floor = [], []
    for _ in range(1 + STARTS):
        began = time.perf_counter()
        running = Running(environ)
        try:
            eventually(lambda: has_page(port, "/"), chain.SECONDS_TO_START)
            ours.append(time.perf_counter() - began)
        finally:
            running.stop()
        began = time.perf_counter()
        bare = "tests.tools.bench.bare_page:create_app()"
        with chain.serving(environ, Path(environ["CARREIRA_VAR"]) / "bare", bare) as at:
            eventually(lambda at=at: has_page(at, "/bare?bytes=1000"), chain.SECONDS_TO_START)
            floor.append(time.perf_counter() - began)
    return figure("second-start", median(ours[1:]), START_SECONDS,
                  f"s to the first page; a bare Flask app on the same web server "
                  f"{shown(median(floor[1:]))} s")


def has_page(port: int, path: str) -> bool:
    """Whether the site answers with a page."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        line.request("GET", path)
        return line.getresponse().status == 200
    except OSError:
        return False


def warmed(site: Site) -> None:
    """Some pages, of tables too."""
    site.sign_in()
    line = HTTPConnection("127.0.0.1", site.port, timeout=60)
    for path in PAGES + tuple(f"/games/{game.game_id}" for game in site.games):
        line.request("GET", path)
        line.getresponse().read()


def shares_of(running: Running) -> Counter[str]:
    """Each part's memory in MB."""
    shares: Counter[str] = Counter()
    supervisor = {running.process.pid: "app.py run"}
    for process, command in (supervisor | running.children()).items():
        shares[name_of(command)] += share(process)
    return shares


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
