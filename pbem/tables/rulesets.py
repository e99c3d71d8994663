"""Changes a running game to newer rules once all people at its table have agreed.

A game is played by the rules it began with unless they agree. A game whose rules this release does
not have stands still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from engine import registry
from pbem.models import Game, GameState, SeatRow, Vote
from pbem.play import advance, positions
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.tables import consent, votes


@dataclass(frozen=True)
class RulesetOffer:
    """Newer rules for a game; `agreed`: the ids of people who have agreed."""

    before: str
    to: str
    agreed: frozenset[int]

    def names(self, seats: Sequence[SeatRow]) -> list[str]:
        """The names of players who have agreed."""
        return [seat.name for seat in seats
                if seat.person_id in self.agreed and seat.resigned is None]


@dataclass(frozen=True)
class RulesetAnswer:
    """The outcome of an answer: due letters, and whether the game has changed its rules."""

    letters: frozenset[int] = frozenset()
    has_moved: bool = False


def offer(session: Session, row: Game) -> RulesetOffer | None:
    """The newest rules that a running game could change to; None if it has them."""
    if row.state != GameState.RUNNING or not positions.is_playable(session, row):
        return None
    rules = positions.rules_of(session, row)
    to = rules.rulesets[-1]
    if rules.ruleset == to:
        return None
    return RulesetOffer(rules.ruleset, to, frozenset(_agreed(session, row, to)))


def _agreed(session: Session, row: Game, to: str) -> Sequence[int]:
    return session.exec(select(Vote.person_id).where(
        Vote.game_id == row.id, Vote.about == about(to), Vote.answer == "yes")).all()


def about(ruleset: str) -> str:
    """The vote's name, as `Vote.about` stores it: "ruleset 2"."""
    return f"ruleset {ruleset.rpartition(' ')[2]}"[:20]


def answer(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    to: str,
    agrees: bool,
    letter_delay: timedelta = timedelta(0),
) -> RulesetAnswer:
    """Agree to newer rules or take that back, and commit.

    The last person to agree changes the rules, after pending orders. Idempotent. Raises
    TableRefused.
    """
    writer = Writer.locked(session, game_id, now)
    try:
        consent.holder(writer, person_id)
        assert writer is not None  # noqa: S101  (`holder` refuses)
        if agrees and writer.ruleset == to:
            session.rollback()
            return RulesetAnswer(has_moved=True)
        people = writer.people
        letters = advance.catch_up(writer, people)
        if writer.is_over or to != writer.rules.rulesets[-1] or to == writer.ruleset:
            raise TableRefused("newer_rules_over")
    except TableRefused:
        session.rollback()
        raise
    votes.store_vote(writer, person_id, about(to), "yes" if agrees else "no")
    asked = {who for who, person in people.items() if consent.is_asked(writer, person)}
    has_moved = asked <= set(_agreed(session, writer.row, to))
    if has_moved:
        writer.move_on(to)
    letters |= advance.settle(writer, people, letter_delay)
    session.commit()
    return RulesetAnswer(frozenset(letters), has_moved)


def games_without_rules(session: Session) -> list[tuple[int, str]]:
    """Running games whose rules this release does not have, with those rules."""
    kinds = session.exec(
        select(Game.game, Game.ruleset).where(Game.state == GameState.RUNNING).distinct()).all()
    unknown = {
        ruleset for key, ruleset in kinds
        if ruleset is not None
        and (key not in registry.GAMES or ruleset not in registry.game(key).rulesets)
    }
    if not unknown:
        return []
    found = select(Game.id, Game.ruleset).where(
        Game.state == GameState.RUNNING, col(Game.ruleset).in_(unknown)).order_by(col(Game.id))
    return [(number, ruleset) for number, ruleset in session.exec(found)
            if number is not None and ruleset is not None]
