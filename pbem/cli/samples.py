"""`python app.py samples`: gives a database without games four finished ones and one that runs.

`run` calls it at the first start. The records in docs/samples/ were played by the house with fixed
seeds; each is replayed before it is stored, like any import.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import timedelta
from pathlib import Path

from sqlmodel import Session, select

from pbem.archive import closing
from pbem.mail import preferences
from pbem.models import Game, stored_id
from pbem.play import advance
from pbem.play.log import Writer
from pbem.record.importing import Taken, name_only, take_in
from pbem.service import Service
from pbem.tables import lobby

FOLDER = Path(__file__).parents[2] / "docs" / "samples"
SOURCE = "the sample games, played by the house"
NAMES = ("Afonso", "Beatriz", "Cosme", "Duarte")
SHOWN_ROUND = 3  # in which the running game waits
BOT = "steady"


def main(arguments: list[str]) -> int:
    """Store the samples if the settings ask for them and no game is there; else do nothing."""
    argparse.ArgumentParser(prog="app.py samples", description=__doc__).parse_args(arguments)
    service = Service.from_environment(os.environ)
    with service.reading() as session:
        is_new = session.exec(select(Game.id).limit(1)).first() is None
    if not service.settings.samples or not is_new:
        return 0
    games = [sample(service, path) for path in sorted(FOLDER.glob("*.jsonl"), reverse=True)]
    with service.writing() as session:
        running = begin(session, service, games)
        session.commit()
    sys.stdout.write(f"{len(games)} finished sample games; game {running} can be watched.\n")
    return 0


def sample(service: Service, path: Path) -> Taken:
    """Import one record and index it, so that the archive shows it at once."""
    taken = take_in(service, path, source=SOURCE)
    with service.writing() as session:
        closing.close_game(session, taken.game_id, service.clock.now())
    return taken


def begin(session: Session, service: Service, games: list[Taken]) -> int:
    """Begin a public game like the last sample and play it to its middle; return its id.

    The house plays for names. The decision that is open then stays open. The caller commits.
    """
    now = service.clock.now()
    key = session.get_one(Game, games[-1].game_id).game
    people = [name_only(session, name, SOURCE, now) for name in NAMES]
    for person in people:
        person.letters = preferences.NONE.stored
        session.add(person)
    game = lobby.open_game(
        session, host=people[0], game_key=key, title="", seats=len(people), chosen_order=True,
        private=False, components=None, phrase="", open_days=1, now=now)
    for person in people:
        lobby.join(session, game_id=stored_id(game), person=person, phrase="", now=now)
    play_on(session, stored_id(game), service)
    return stored_id(game)


def play_on(session: Session, game_id: int, service: Service) -> None:
    """Play a game for all its seats up to the round in which it is shown."""
    now = service.clock.now()
    while True:
        writer = Writer.locked(session, game_id, now)
        assert writer is not None  # noqa: S101  # it has just begun
        if writer.rules.chapter(writer.state)[0] >= SHOWN_ROUND:
            return
        advance.play_turn(writer, writer.rules.current_players(writer.state)[0], BOT)
        advance.settle(writer, writer.people, timedelta(0))
        session.flush()
