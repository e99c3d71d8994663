"""`python app.py <command>`: imports only the command's module, and reports errors in one line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from pbem.config import BadSetting

if TYPE_CHECKING:
    from sqlalchemy.exc import DatabaseError

Command = Callable[[list[str]], int]

# name: (module whose `main(arguments) -> exit code` runs it, summary)
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("pbem.run.supervisor", "run the whole service on this machine, until Ctrl-C"),
    "mail-in": ("pbem.cli.mail_in", "take answers in by SMTP, LMTP or from a mailbox"),
    "receive": ("pbem.cli.receive", "take one letter in from standard input"),
    "doctor": ("pbem.cli.doctor", "say what is wrong, and what the DNS has to say for letters"),
    "migrate": ("pbem.cli.migrate", "bring the database to the newest version"),
    "backup": ("pbem.cli.backup", "write the whole database as one file, while the site runs"),
    "restore": ("pbem.cli.restore", "fill an empty database from a backup, and check every game"),
    "rotate-keys": ("pbem.cli.rotate_keys", "sign with a new key; what was signed stays good"),
    "erase-player": ("pbem.cli.erase_player", "take somebody's name and address out of everything"),
    "operator": ("pbem.cli.operator", "let somebody run the site by its pages, or no more"),
    "play": ("pbem.cli.play", "play a game without any service"),
    "verify": ("pbem.cli.verify", "re-run a record and name the first entry that does not fit"),
    "export": ("pbem.cli.export", "write one finished game as record, text or an HTML file"),
    "gate": ("pbem.cli.gate", "list what this release's rules would say otherwise of stored games"),
    "dump": ("pbem.cli.dump", "write the records of all finished public games, with an index"),
    "import": ("pbem.cli.import_", "take records of another installation in, verified first"),
    "samples": ("pbem.cli.samples", "give a site without games some to look at"),
    "scenario": ("pbem.cli.scenario", "run worked examples written as TOML"),
}

# SQLite's and PostgreSQL's messages for a missing table or column.
LACKS = re.compile(r"no such (table|column)|has no column|(relation|column) .* does not exist")
READ_NO_MORE = 141  # the shell's exit code for a command whose pipe was closed


def main(arguments: list[str]) -> int:
    """Run the command that the arguments name. Returns its exit code."""
    name = arguments[0] if arguments else "help"
    if name in ("help", "-h", "--help"):
        return usage()
    try:
        return command(name)(arguments[1:])
    except BadSetting as bad:
        return wrong(str(bad))
    except BrokenPipeError:  # `| head` has closed the pipe; the rest of the output is dropped
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READ_NO_MORE
    except KeyboardInterrupt:
        return 130
    except Exception as problem:
        from sqlalchemy.exc import DatabaseError  # noqa: PLC0415  (`run` stays without it: memory)

        if isinstance(problem, DatabaseError):
            return wrong(f"CARREIRA_DATABASE_URL: {said(problem)}")
        raise


def said(problem: DatabaseError) -> str:
    """Return the first line of a database error, and the advice for a missing table or column."""
    line = str(problem.orig).strip().splitlines()[0]
    if not LACKS.search(line):
        return line
    return f"{line}. If it is older than this release, `python app.py migrate` brings it there."


def command(name: str) -> Command:
    """Return the function of a command."""
    if name not in COMMANDS:
        return unknown(name)
    module, _ = COMMANDS[name]
    return cast("Command", import_module(module).main)


def unknown(name: str) -> Command:
    """Report an unknown command."""
    return lambda _: wrong(f"There is no command {name!r}; `python app.py help` lists them.")


def usage() -> int:
    """List the commands."""
    lines = [f"  {name:<14} {what}" for name, (_, what) in COMMANDS.items()]
    sys.stdout.write("\n".join(["python app.py <command> [--help]", "", *lines, ""]))
    return 0


def wrong(line: str) -> int:
    """Report an error in one line."""
    sys.stderr.write(line.strip() + "\n")
    return 1
