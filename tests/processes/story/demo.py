"""`make demo`: the real stack on free ports, a whole game by letter and page, one JSON line."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine import registry
from pbem.record.verify import verify
from pbem.service import Service
from tests.processes.story.cast import NAMES, Cast
from tests.support.postbox import Postbox, postbox
from tests.support.servers import Running, free_port


@contextmanager
def stage(folder: Path, **settings: str) -> Iterator[tuple[Cast, Postbox]]:
    """The whole service as `make run` starts it, with an empty database and our own mail server.

    `settings`: further ones, by their names without CARREIRA_.
    """
    with postbox() as box:
        environ = {
            "CARREIRA_VAR": str(folder),
            "CARREIRA_PORT": str(free_port()),
            "CARREIRA_SMTP_URL": box.url,
            "CARREIRA_MAIL_IN": f"smtp://127.0.0.1:{free_port()}",
            "CARREIRA_LETTER_DELAY": "0",
            **{f"CARREIRA_{name}": value for name, value in settings.items()},
        }
        environ["CARREIRA_BASE_URL"] = f"http://127.0.0.1:{environ['CARREIRA_PORT']}"
        running = Running(environ)
        try:
            running.wait_for_line(environ["CARREIRA_BASE_URL"])
            service = Service.from_environment(environ)
            yield Cast(environ["CARREIRA_BASE_URL"], box, service), box
        finally:
            running.stop()


def play(folder: Path, key: str) -> dict[str, object]:
    """One whole game; what `make demo` prints of it."""
    started = time.monotonic()
    with stage(folder) as (cast, _):
        for name in NAMES:
            cast.sign_in(name)
            say(f"{name} is signed in.")
        cast.sit_down(key)
        say(f"Game {cast.game_id} has started.")
        posts = cast.play()
        say(f"The game is over after {posts} letters of orders.")
        page = cast.visitors[NAMES[0]].get(f"/games/{cast.game_id}/record")
        verdict = verify(page.text.encode().splitlines(keepends=True))
        kinds, duplicates, missing = cast.ledger()
        return {
            "game": cast.game_id,
            "entries": cast.game().last_entry,
            "letters": dict(sorted(kinds.items())),
            "duplicate_letters": duplicates,
            "missing_letters": missing,
            "verify": "ok" if verdict.ok else str(verdict),
            "seconds": round(time.monotonic() - started, 1),
        }


def is_right(told: dict[str, object]) -> bool:
    """Whether nothing was doubled, lost or wrong."""
    return (
        told["duplicate_letters"] == 0
        and told["missing_letters"] == 0
        and told["verify"] == "ok"
    )


def say(line: str) -> None:
    """One line of what happens."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str]) -> int:
    """Play in a folder of its own; 0 only if all is right."""
    known = list(registry.GAMES)
    parser = argparse.ArgumentParser(
        prog="python -m tests.processes.story.demo", description=__doc__
    )
    parser.add_argument("game", nargs="?", default=known[0], choices=known)
    key = parser.parse_args(arguments).game
    folder = Path(tempfile.mkdtemp(prefix="demo-"))
    try:
        told = play(folder, key)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    say(json.dumps(told))
    return 0 if is_right(told) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
