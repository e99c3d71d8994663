"""`python app.py erase-player ADDRESS|NUMBER`: erases somebody's name and addresses everywhere.

The site may run meanwhile. An address that belongs to no player is erased from invitations,
sign-ins and letters. Backups, dumps and records taken earlier are not changed: handle them
yourself.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import timedelta
from pathlib import Path

from sqlmodel import Session

from pbem.accounts import auth
from pbem.archive.exports import kept
from pbem.mail.address import BadAddress, normalise
from pbem.models import GONE, Person, stored_id
from pbem.operators import acts
from pbem.privacy import closure, erasure
from pbem.privacy.erasure import ErasedPerson
from pbem.service import Service

GOES = """What goes: the name and addresses of {name}, at {games} running games' seats too (they are
handed over, and played for until somebody takes them); letters to and from that player; what was
said at tables; notes, orders ahead, sign-ins, tokens, feeds, web hooks, reports and blocks.
What stays: the games with their moves, under "Former player {number}"; ratings and votes by that
number; phrases given for draws, without which those games could not be checked; the hash of an
address that wants no invitations; lines in which others name that player.
"""


def main(arguments: list[str]) -> int:
    """Erase somebody. Returns 1 if there is nobody to erase, or it was not confirmed."""
    parser = argparse.ArgumentParser(prog="app.py erase-player", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("who", help="an address, or a player's number")
    parser.add_argument("--why", default="", help="is kept in the log of what operators do")
    parser.add_argument("--yes", action="store_true", help="ask nothing")
    asked = parser.parse_args(arguments)
    service = Service.from_environment(os.environ)
    with service.reading() as session:
        person = found(session, asked.who)
        running = 0 if person is None else closure.games_to_hand_over(session, person)
    if person is None:
        return address_only(service, asked.who)
    if person.bot is not None or person.address.endswith(GONE):
        return said(f"{person.name} is " + ("a player of the house." if person.bot else "gone."))
    sys.stdout.write(GOES.format(name=person.name, games=running, number=person.id))
    if not asked.yes and not confirmed(person.name):
        return said("Nothing was changed.")
    stuck = erase(service, stored_id(person), asked.why)
    for game_id in stuck:
        sys.stdout.write(f"Game {game_id} cannot be gone on with by this release: the seat there "
                         "is nameless, but not handed over.\n")
    sys.stdout.write(f"Player {person.id} is erased. Backups of before still hold that player.\n")
    return 0


def found(session: Session, who: str) -> Person | None:
    """Find the person with this id or address."""
    if who.isascii() and who.isdigit() and len(who) <= 9:
        return session.get(Person, int(who))
    try:
        return auth.person_with(session, normalise(who))
    except BadAddress:
        return None


def address_only(service: Service, who: str) -> int:
    """Erase an address that was invited or has written here, and never played."""
    try:
        address = normalise(who)
    except BadAddress:
        return said("There is no such player.")
    with service.writing() as session:
        erasure.forget(session, ErasedPerson((address,)))
        acts.note(session, None, "erased", "", "an address", now=service.clock.now())
        session.commit()
    forget_files(service, (address,))
    sys.stdout.write("No player has this address; it is taken out of invitations, sign-ins and "
                     "letters.\n")
    return 0


def confirmed(name: str) -> bool:
    """Return whether the user types the name."""
    sys.stdout.write(f"Type the name, {name}, to erase this player: ")
    sys.stdout.flush()
    return sys.stdin.readline().strip() == name


def erase(service: Service, person_id: int, why: str) -> list[int]:
    """Erase somebody. Returns the running games in which their seat could not be handed over.

    Runs twice, because other processes may have written their data in between.
    """
    now, delay = service.clock.now(), timedelta(seconds=service.settings.letter_delay)
    with service.writing() as session:
        person = session.get_one(Person, person_id)
        stuck = closure.leave_running(session, person, now, delay)
    with service.writing() as session:
        person = closure.held(session, person_id)
        whose = ErasedPerson.of(person)
        closure.erase(session, person, now)
        acts.note(session, None, "erased", f"p{person_id}", whose.pattern.sub("...", why), now=now)
        session.commit()
    with service.writing() as session:  # they may have taken a seat meanwhile
        gone = session.get_one(Person, person_id)
        stuck = sorted({*stuck, *closure.leave_running(session, gone, now, delay)})
    with service.writing() as session:
        erasure.forget(session, whose)
        session.commit()
    forget_files(service, whose.addresses)
    return stuck


def forget_files(service: Service, addresses: tuple[str, ...]) -> None:
    """Delete exports, pictures, and letters stored for these addresses.

    Exports and pictures show names and can be rebuilt. Files on other machines expire by
    themselves: exports within a week, pictures when unused.
    """
    folders = kept.folder_of(service), service.settings.var / "pictures"
    for folder, what in zip(folders, (f"*{kept.READY}", "*.png"), strict=True):
        for path in folder.glob(what):
            path.unlink(missing_ok=True)
    for path in service.settings.outbox_folder.glob("*"):
        if path.is_file() and is_to(path, addresses):
            path.unlink(missing_ok=True)


def is_to(path: Path, addresses: tuple[str, ...]) -> bool:
    """Return whether a stored letter contains one of these addresses."""
    content = path.read_bytes().lower()
    return any(address.encode() in content for address in addresses)


def said(line: str) -> int:
    """Say why nothing was done. Returns the exit code."""
    sys.stderr.write(line + "\n")
    return 1
