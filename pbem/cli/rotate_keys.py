"""`python app.py rotate-keys`: a new key signs from the next start on; old keys still verify.

--forget also drops old keys: those replaced more than so many days ago, or all of them after a
theft. What they signed becomes invalid: reply addresses, links to unsubscribe, invitations, links
to join, feed addresses, and open pages with forms. Sign-ins, API tokens and the signatures of web
hooks do not depend on these keys. docs/deploy/keys.md has more.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from pbem.accounts.keys import SHORTEST, KeyFiles, OldKey, replace, text_of
from pbem.clock import SystemClock
from pbem.config import Settings

TO_PUT = """CARREIRA_SECRET_KEY is set, so the keys are yours to change, in two steps:

1. Let every process know the new key before any signs with it. Add it on every machine, and
   start all processes again, one after the other:

   CARREIRA_OLD_SECRET_KEYS="{known}"

2. Then let it sign, and start all processes again:

   CARREIRA_SECRET_KEY="{new}"
   CARREIRA_OLD_SECRET_KEYS="{after}"
"""
FORGOTTEN = """
After a theft leave CARREIRA_OLD_SECRET_KEYS out in the second step, and skip the first.
"""


def main(arguments: list[str]) -> int:
    """Rotate the keys in VAR, or print how to rotate those of the environment."""
    parser = argparse.ArgumentParser(prog="app.py rotate-keys", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forget", metavar="DAYS|all", type=days,
                        help="drop old keys that were replaced so long ago")
    forget: timedelta | None = parser.parse_args(arguments).forget
    settings = Settings.from_environment(os.environ)
    if settings.key_files is None:
        return of_environment(settings, forget)
    try:
        with alone(settings.var):
            kept = rotate(settings.key_files, SystemClock().now(), forget)
    except OSError as problem:
        sys.stderr.write(f"{problem.filename or settings.var}: {problem.strerror}\n")
        return 1
    sys.stdout.write(f"{settings.key_files.signing} is a new key; {still(kept)} in "
                     f"{settings.key_files.older}. Start all processes again: then it signs.\n")
    return 0


def still(kept: int) -> str:
    """Say how many old keys still verify."""
    if kept == 0:
        return "no old one is kept"
    return "1 old one still proves what it signed," if kept == 1 else (
        f"{kept} old ones still prove what they signed,")


def days(text: str) -> timedelta:
    """Parse a number of days; "all" means none."""
    if text != "all" and not (text.isascii() and text.isdigit() and len(text) <= 5):
        raise argparse.ArgumentTypeError("needs a number of days, or all")
    return timedelta(days=0 if text == "all" else int(text))


def rotate(files: KeyFiles, now: datetime, forget: timedelta | None = None) -> int:
    """Create a new key. Returns how many old ones remain.

    A crash at any point leaves working keys: the current key is stored among the old ones before
    another one replaces it.
    """
    before = files.read()
    old = [OldKey(before.new, now), *(each for each in files.old_ones() if each.key != before.new)]
    files.write_old(old)
    replace(files.signing, secrets.token_bytes(SHORTEST))
    if forget is not None:
        old = [each for each in old if now - each.until < forget]
        files.write_old(old)
    return len(old)


@contextmanager
def alone(var: Path) -> Iterator[None]:
    """Lock out other rotations."""
    folder = os.open(var, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def of_environment(settings: Settings, forget: timedelta | None) -> int:
    """Print a new key, and where to put it."""
    if forget:
        sys.stderr.write("Keys from the environment have no age: take those that are old enough "
                         "out of CARREIRA_OLD_SECRET_KEYS by hand.\n")
        return 1
    keys = settings.keys
    new, now, *old = (text_of(key) for key in (secrets.token_bytes(SHORTEST), keys.new, *keys.old))
    sys.stdout.write(TO_PUT.format(known=" ".join([new, *old]), new=new,
                                   after=" ".join([now, *old])))
    if forget is not None:
        sys.stdout.write(FORGOTTEN)
    return 0
