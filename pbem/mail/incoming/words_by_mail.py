"""Runs the commands in a letter and answers in its reader's language.

Pages and letters call the same service functions. This module has the texts for letters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from types import MappingProxyType

from sqlmodel import Session, col, select

from engine.orders_ahead_lines import LATER
from pbem.config import Settings
from pbem.i18n import words
from pbem.i18n.instants import say_instant
from pbem.i18n.render import folded, in_text
from pbem.mail.incoming.commands import Word
from pbem.mail.incoming.reply_address import Bound
from pbem.mail.letter import LetterContext
from pbem.mail.letters.context import seated
from pbem.mail.letters.kinds import KINDS
from pbem.mail.letters.turn import put
from pbem.models import Game, GameState, SeatRow
from pbem.play import dry_runs, narration, orders_ahead, positions, undo
from pbem.play.receipts import CommandAnswer
from pbem.play.refusals import TableRefused
from pbem.tables import chat, clock_view, vacation
from pbem.tables.lobby import stored_id

MOST_ORDERS = 200
MOST_LOG = 20
# these change something, as `undo` does
ACTS = frozenset({"withdraw", "vacation", "resign", "chat"})
OF_A_GAME = frozenset({"log", "orders", "undo", "withdraw", "resign", "chat"})


@dataclass(frozen=True)
class Asked:
    """A command's sender and subject, and the data to answer it from."""

    session: Session
    settings: Settings
    bound: Bound
    now: datetime

    def say(self, message: str, **values: object) -> str:
        """Return a text in the reader's language."""
        return words.gettext(message, self.bound.language, **values)

    @property
    def delay(self) -> timedelta:
        """Return how long letters that follow from a command wait."""
        return timedelta(seconds=self.settings.letter_delay)

    def game(self) -> tuple[Game, SeatRow]:
        """Return the one game that the command is about."""
        if self.bound.game is None or self.bound.seat is None:
            raise LookupError("a word about no game")
        return self.bound.game, self.bound.seat


def answered(asked: Asked, word: Word) -> CommandAnswer:
    """Answer a query, even if the only answer is why it cannot be answered."""
    try:
        return done(asked, word)
    except TableRefused as refused:
        return CommandAnswer(word.word, refused.said(asked.bound.language))


def done(asked: Asked, word: Word) -> CommandAnswer:
    """Run a command and answer it. The caller commits. Raises TableRefused."""
    check_game(asked, word)
    return CommandAnswer(word.word, WORDS[word.word](asked, word))


def check_game(asked: Asked, word: Word) -> None:
    """Raise TableRefused if a command about one game names none or several."""
    if word.word in OF_A_GAME and (asked.bound.seat is None or asked.bound.games > 1):
        raise TableRefused("which_game")


# ---- queries ------------------------------------------------------------------------------------


def status(asked: Asked, word: Word) -> str:
    """Describe the table from the reader's seat, or all their games in a line each."""
    if asked.bound.seat is None or asked.bound.games > 1:
        return all_games(asked)
    game, _ = asked.game()
    if game.state != GameState.RUNNING:
        return asked.say("This game does not run.")
    letter = asked.bound.letter
    reader = KINDS[letter.kind].reader(asked.session, letter)
    assert reader is not None  # noqa: S101  (a seat has a reader)
    it = LetterContext(asked.session, letter, asked.now, reader, asked.settings)
    values, table, seat = seated(it)
    values |= put(it, values, table, seat, has_picture=False) | {"reader": reader, "now": asked.now}
    return folded(in_text("words", "status", reader.language, values)).strip()


def all_games(asked: Asked) -> str:
    """List whom each of the reader's running games waits for."""
    person = asked.bound.person
    mine = select(Game, SeatRow).where(
        Game.id == SeatRow.game_id, SeatRow.person_id == (person.id if person else None),
        col(SeatRow.resigned).is_(None), Game.state == GameState.RUNNING,
    )  # fmt: skip
    lines = [
        f"{words.term(game.game, 'game_name', asked.bound.language)} {game.id}: "
        + question(asked, game, seat)
        for game, seat in asked.session.exec(mine.order_by(col(Game.id)))
    ]
    return "\n".join(lines) or asked.say("You play in no running game.")


def question(asked: Asked, game: Game, seat: SeatRow) -> str:
    """Say what a running game asks, and whom."""
    table = positions.table(asked.session, game)
    prompt = words.prompt(
        table.rules, table.state.awaiting, viewer=seat.number,
        names=narration.names(asked.session, game), language=asked.bound.language,
    )  # fmt: skip
    person = asked.bound.person
    if person is None or seat.asked_since is None:
        return prompt
    by_when = clock_view.deadline_for_list(
        game, seat.due, asked.now, person.zone, asked.bound.language)
    return f"{prompt} {by_when}".rstrip()


def log(asked: Asked, word: Word) -> str:
    """Return the newest entries in words."""
    game, seat = asked.game()
    told = narration.log(
        asked.session, game, upto=game.last_entry, viewer=seat.number,
        names=narration.names(asked.session, game), language=asked.bound.language, limit=MOST_LOG,
    )  # fmt: skip
    return "\n".join(
        f"{entry.number:>4}  {line.text}" if first == 0 else f"      {line.text}"
        for entry in told
        for first, line in enumerate(entry.lines)
    )


def orders(asked: Asked, word: Word) -> str:
    """List the orders that are legal now, as many as fit a letter, and the orders ahead."""
    game, seat = asked.game()
    table = positions.table(asked.session, game)
    legal = []
    if game.state == GameState.RUNNING and seat.number is not None:
        legal = list(islice(table.rules.legal_actions(table.state, seat.number), MOST_ORDERS + 1))
    ahead = ordered_ahead(asked, game, seat)
    if not legal:
        return "\n".join([asked.say("No order of yours would be accepted now."), *ahead])
    lines = [table.rules.to_text(move) for move in legal[:MOST_ORDERS]]
    if len(legal) > MOST_ORDERS:
        lines.append(asked.say("… and more; the page offers all of them."))
    return "\n".join([*lines, *ahead])


def ordered_ahead(asked: Asked, game: Game, seat: SeatRow) -> list[str]:
    """List the reader's orders ahead and what they would do now."""
    if game.state != GameState.RUNNING:
        return []
    language, names = asked.bound.language, narration.names(asked.session, game)
    kept = [
        f"{each.number:>3}  {LATER}: {each.line}\n"
        f"     {dry_runs.said(game.game, each, language, names)}"
        for each in dry_runs.of_kept(asked.session, game, seat)
    ]
    return ["", asked.say("Your orders ahead, by their numbers:"), *kept] if kept else []


def help_(asked: Asked, word: Word) -> str:
    """Explain in a few lines how to answer."""
    lines = [
        asked.say("Write one order a line above everything that is quoted; the letter lists some "
                   "that would be accepted. You get a receipt that says what was played."),
        asked.say("Words: status, log, orders, help, undo, withdraw N, vacation N days, resign, "
                   "chat TEXT."),
    ]  # fmt: skip
    if asked.bound.game is not None:
        key = asked.bound.game.game
        lines.append(asked.say("All orders of this game, and its rules: %(link)s",
                                link=f"{asked.settings.base_url}/rules/{key}"))  # fmt: skip
    return "\n".join(lines)


# ---- actions ------------------------------------------------------------------------------------


def say(asked: Asked, word: Word) -> str:
    """Post a chat message to the table."""
    assert asked.bound.person is not None  # noqa: S101  (a seat's)
    game, _ = asked.game()
    chat.post(asked.session, stored_id(game), asked.bound.person, word.text, asked.now)
    return asked.say("Said to the table.")


def away(asked: Asked, word: Word) -> str:
    """Start a vacation in all games."""
    person = asked.bound.person
    if person is None:
        raise TableRefused("which_game")
    until = vacation.announce(asked.session, person, word.number or 0, asked.now,
                              budget=asked.settings.vacation_days)
    if until is None:
        return asked.say("Your vacation is over.")
    when = say_instant(until, person.zone, person.language)
    return asked.say("You are away until %(when)s; the others at your tables see it.", when=when)


def resign(asked: Asked, word: Word) -> str:
    """Ask for confirmation of a resignation.

    The confirmed command runs elsewhere and is reported here.
    """
    if word.confirmed:
        return asked.say("You have resigned: from now on your seat is played for.")
    return asked.say(
        "Nothing is done yet. Your seat would stay at the table and be played for; unless somebody "
        "takes it over, it would be ranked last. If you mean it, answer: resign yes"
    )


def withdrawn(asked: Asked, word: Word) -> str:
    """Withdraw an order ahead by its number, or all of them."""
    game, seat = asked.game()
    lines = orders_ahead.withdraw(
        asked.session, stored_id(game), seat.person_id, word.number, asked.now)
    if not lines:
        return asked.say("There was nothing left to withdraw.")
    return asked.say("Withdrawn:") + "".join(f"\n    {LATER}: {line}" for line in lines)


def undone(asked: Asked, word: Word) -> str:
    """Report an undo, which `pbem.mail.incoming.orders` runs. Used orders ahead stay used."""
    said = asked.say("Your last orders are taken back: you are asked anew.")
    game, seat = asked.game()
    marks = positions.marks(asked.session, game)
    own = [each for each in marks if each.cause == "undo" and each.seat == seat.number]
    taken = range(own[-1].base + 1, own[-1].number) if own else range(0)
    used = undo.used_ahead(asked.session, game, seat.person_id, taken)
    if not used:
        return said
    again = asked.say("Used in it, and not given again: %(lines)s", lines="; ".join(used))
    return f"{said} {again}"


WORDS: Mapping[str, Callable[[Asked, Word], str]] = MappingProxyType({
    "status": status,
    "log": log,
    "orders": orders,
    "help": help_,
    "chat": say,
    "vacation": away,
    "resign": resign,
    "undo": undone,
    "withdraw": withdrawn,
})  # fmt: skip
