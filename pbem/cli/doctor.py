"""`python app.py doctor [mail [--to ADDRESS]]`: checks the running service, and says what to do.

`doctor mail` prints the DNS records to publish and checks everything that letters need. With `--to`
it sends one. The exit code is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from pbem.db import alembic_config
from pbem.mail.address import BadAddress, normalise
from pbem.operators import dns_records, mail_checks, reports
from pbem.operators.mail_checks import Finding, bad, ok, warn
from pbem.play import upkeep
from pbem.run import broker_status
from pbem.service import Service
from pbem.tables import rulesets

MEGABYTES_TO_WARN, MEGABYTES_NEEDED = 500, 20


def main(arguments: list[str]) -> int:
    """Run the checks. Returns 0 if nothing is bad, else 1."""
    parser = argparse.ArgumentParser(prog="app.py doctor", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["all", "mail"], default="all")
    parser.add_argument("--to", metavar="ADDRESS", help="send one letter to this address")
    chosen = parser.parse_args(arguments)
    service = Service.from_environment(os.environ)
    address = None
    if chosen.to is not None:
        try:
            address = normalise(chosen.to)
        except BadAddress:
            parser.error(f"{chosen.to!r} is no mail address")
    if chosen.what == "all":
        return said(chain(machine(service), mail(service, address)))
    sys.stdout.write(published(service))
    return said(mail(service, address))


def published(service: Service) -> str:
    """Return the records to publish, as lines of a zone file."""
    lines = ["To publish; in SPF and MX name the machines that really send and receive:", ""]
    for record in dns_records.records(service.settings):
        lines += [f"; {record.what_for}", record.line]
    return "\n".join([*lines, "", ""])


def said(findings: Iterable[Finding]) -> int:
    """Print each finding as it comes. Returns 1 if one is bad."""
    worst = 0
    for each in findings:
        advice = f" -> {each.advice}" if each.advice else ""
        sys.stdout.write(f"{each.state:<4}  {each.about}: {each.said}{advice}\n")
        sys.stdout.flush()
        worst = max(worst, each.state == "bad")
    return int(worst)


def mail(service: Service, address: str | None) -> Iterator[Finding]:
    """Check everything that letters need."""
    settings = service.settings
    yield from mail_checks.names(settings)
    yield from mail_checks.signing(settings)
    if not settings.mail_domain.endswith(mail_checks.NO_REAL_DOMAIN):
        yield from mail_checks.dns(settings, dns_records.resolver)
    yield from mail_checks.leaving(settings)
    yield from mail_checks.coming_in(settings)
    if is_migrated(service):
        with service.reading() as session:
            yield from mail_checks.letters(session, service.clock.now())
    else:
        yield OLD_DATABASE
    if address is not None:
        yield mail_checks.trial(settings, address, service.clock.now())


OLD_DATABASE = bad("database", "is not of this version", "python app.py migrate")


# ---- the rest of the service --------------------------------------------------------------------


def machine(service: Service) -> Iterator[Finding]:
    """Check the folder, the database, the broker, and whether the sweep runs."""
    settings = service.settings
    yield folder(settings.var)
    name = service.engine.dialect.name
    if not is_migrated(service):
        yield OLD_DATABASE
        return
    yield ok("database", f"{name}, of this version")
    yield broker(settings.broker_url)
    with service.reading() as session:
        seen = upkeep.last_heartbeat(session, "sweep")
    age = None if seen is None else (service.clock.now() - seen).total_seconds()
    if age is None:
        yield warn("sweep", "was never here", "python app.py run")
    elif age > 60:
        yield bad("sweep", f"was last here {age:.0f} seconds ago", "is the service running?")
    else:
        yield ok("sweep", f"was here {age:.0f} seconds ago")
    yield from standing_still(service)
    yield from reported(service)


def reported(service: Service) -> Iterator[Finding]:
    """Report players' reports that wait for an operator."""
    with service.reading() as session:
        waiting = reports.waiting(session)
    if waiting:
        yield warn("reports", f"{waiting} wait for an operator",
                   f"{service.settings.base_url}/operator/reports")


def standing_still(service: Service) -> Iterator[Finding]:
    """Report games whose rules this release lacks."""
    with service.reading() as session:
        games = rulesets.games_without_rules(session)
    for ruleset in sorted({each for _, each in games}):
        numbers = [str(number) for number, each in games if each == ruleset]
        yield bad("games", f"{len(numbers)} stand still, as this release does not have their rules "
                  f"({ruleset}): {', '.join(numbers[:10])}", "install a release that has them")


def is_migrated(service: Service) -> bool:
    """Return whether the database has this release's schema."""
    newest = ScriptDirectory.from_config(alembic_config()).get_current_head()
    with service.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() == newest


def folder(var: Path) -> Finding:
    """Check that the folder is writable and its disk has space."""
    if not os.access(var, os.W_OK):
        return bad("folder", f"{var} cannot be written")
    left = shutil.disk_usage(var).free // 2**20
    if left < MEGABYTES_TO_WARN:
        worth = bad if left < MEGABYTES_NEEDED else warn
        return worth("folder", f"{var}: its disk has {left} MB left",
                     "make room; nothing is recorded on a full one")
    return ok("folder", str(var))


def broker(url: str) -> Finding:
    """Check that the broker answers and accepts messages."""
    wrong = broker_status.trouble(url)
    if wrong is None:
        return ok("broker", "answers")
    said = broker_status.complaint(wrong).removeprefix("the broker ")
    return bad("broker", f"{said}: {wrong}", "moves and letters wait for the sweep")
