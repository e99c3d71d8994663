"""`python app.py operator add|remove ADDRESS`, `operator list`: manages who operates this site.

An operator needs an account: sign in with the address first. They see the pages under /operator
(docs/operators.md describes them), and are marked at the tables where they play.
"""

from __future__ import annotations

import argparse
import os
import sys

from pbem.operators import people
from pbem.service import Service


def main(arguments: list[str]) -> int:
    """Run the command. Returns 1 if the address belongs to nobody."""
    parser = argparse.ArgumentParser(prog="app.py operator", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["add", "remove", "list"])
    parser.add_argument("address", nargs="?", help="the address that somebody signs in with")
    asked = parser.parse_args(arguments)
    if (asked.what == "list") != (asked.address is None):
        parser.error("list takes no address" if asked.address else f"{asked.what} whom?")
    service = Service.from_environment(os.environ)
    if asked.what == "list":
        return listed(service)
    return changed(service, asked.what, asked.address)


def listed(service: Service) -> int:
    """Print all operators."""
    with service.reading() as session:
        found = people.operators(session)
        if not found:
            sys.stdout.write("There is no operator: `operator add ADDRESS` makes one.\n")
        for person in found:
            sys.stdout.write(f"{person.address}  {person.name}, since {person.operator:%Y-%m-%d}\n")
    return 0


def changed(service: Service, what: str, address: str) -> int:
    """Make somebody an operator, or end their role."""
    now = service.clock.now()
    with service.writing() as session:
        try:
            person = people.by_address(session, address)
        except people.NotHere:
            sys.stderr.write(f"{address} is nobody's address here: sign in with it first.\n")
            return 1
        was = person.operator is not None
        if was == (what == "add"):
            sys.stdout.write(f"{person.name} is {'an' if was else 'no'} operator already.\n")
            return 0
        (people.make if what == "add" else people.unmake)(session, person, now)
        session.commit()
    said = "is an operator now: the account page leads to /operator" if not was else (
        "is no operator any more")
    sys.stdout.write(f"{person.name} {said}.\n")
    return 0
