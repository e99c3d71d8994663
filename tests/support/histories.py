"""A game's history put into a service's database as it is told: no rule runs, no chance is drawn.

For games of any kind, real or re-dealt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from sqlmodel import Session

from engine import registry
from engine.api import Transition
from pbem.models import ComponentSet, Game, GameState, SeatRow, stored_id
from pbem.play import advance
from pbem.play.chance import commitment_of
from pbem.play.log import Writer
from pbem.service import Service
from tests.engine.play_outs import PlayOut, Step
from tests.support.letterfactory import person

NAMES = ("Ana", "Bento", "Catarina", "Duarte")
LANGUAGES = ("en", "hu", "ru", "pt")  # of the seats in their order


def cause_of(played: PlayOut, step: Step) -> str:
    """What the service would have noted."""
    if step.seat is None:
        return "start"
    asked = step.seat in played.game.current_players(step.before) and not step.move.free
    return "forced" if asked and played.game.is_forced(step.before, step.seat) else "order"


def stored_game(
    service: Service,
    played: PlayOut,
    turns: Sequence[Transition],
    cause: Callable[[PlayOut, Step], str] = cause_of,
) -> int:
    """The running game whose entries lead to these turns, its letters due; the game's id."""
    with service.writing() as session:
        row, seats = seated_game(session, service, played)
        writer = Writer(session, row, seats, service.clock.now())
        for step, turn in zip(played.steps, turns, strict=False):
            writer.append(step.seat, step.move, turn, cause=cause(played, step))
        writer.flush()
        people = advance.people_of(session, seats)
        for one in people.values():
            advance.due_letter(writer, one, "started", 1)
        advance.letters_due(writer, people, timedelta(0))
        session.commit()
        return stored_id(row)


def seated_game(
    session: Session, service: Service, played: PlayOut
) -> tuple[Game, list[SeatRow]]:
    """A game without entries and its players, each with another language."""
    now, game = service.clock.now(), played.game
    languages = zip(NAMES[: played.seats], LANGUAGES, strict=False)
    people = [person(session, name, language=language) for name, language in languages]
    session.add(ComponentSet(digest=game.digest, game=game.key, name="printed",
                             toml=registry.standard(game.key)))
    session.flush()
    row = Game(
        game=game.key, title="The winter fleet", state=GameState.RUNNING,
        host_id=people[0].id or 0, seats=played.seats, components=game.digest,
        server_part=bytes(32), commitment=commitment_of(bytes(32)), join_nonce="n" * 32,
        created=now, started=now,
    )  # fmt: skip
    session.add(row)
    session.flush()
    seats = [
        SeatRow(game_id=stored_id(row), person_id=one.id or 0, number=number, name=one.name,
                joined=now)
        for number, one in enumerate(people)
    ]  # fmt: skip
    session.add_all(seats)
    session.flush()
    return row, seats
