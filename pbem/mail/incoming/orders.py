"""Executes a trusted letter of a player: plays its orders and answers its commands."""

from __future__ import annotations

import logging

from engine import orders_ahead as ahead
from engine.errors import MalformedOrder, MoveRefused
from pbem.i18n import words
from pbem.mail.incoming.commands import MOST_LINES, Spoken, Word, name_finder, spoken
from pbem.mail.incoming.verdict import Case, answer, begun_again, decide
from pbem.mail.incoming.words_by_mail import ACTS, Asked, answered, check_game, done
from pbem.models import Game, GameState, InboundState, SeatRow
from pbem.play import advance, orders_ahead, positions, refusals, submit, undo
from pbem.play.log import Writer
from pbem.play.receipts import CommandAnswer, ReceiptNotes
from pbem.play.refusals import TableRefused
from pbem.tables import seats

log = logging.getLogger("carreira.inbox")


def play_or_answer(case: Case) -> None:
    """Decide about the letter. Its row is locked, and the reader has written it."""
    said = told_apart(case)
    told = ReceiptNotes(lines=list(said.orders), signed=said.signed, below=list(case.mail.below))
    why = what_is_wrong(case, said)
    if why is not None:
        told.why = why
        told.lines = list(case.mail.lines) if said.garbled is None else [said.garbled]
        told.most = MOST_LINES if why == "too_many_lines" else None
        answer(case, InboundState.REFUSED, told, reason=why)
        return
    follow(case, said, told)


def told_apart(case: Case) -> Spoken:
    """Split the letter, with the commands of its reader's language."""
    bound = case.bound
    if bound.game is None or bound.seat is None or bound.seat.number is None:
        return spoken(case.mail.lines, bound.language, lambda line: True)
    seat, game = bound.seat.number, bound.game
    rules = positions.rules_of(case.session, game)
    state = positions.position(case.session, game, game.last_entry)
    aliases = words.aliases(game.game, bound.language)
    named = orders_ahead.aliases_of(case.session, game, rules, bound.language)

    def is_order(line: str) -> bool:
        now, later = orders_ahead.split(line, game.game, bound.language)
        try:
            for each in later:
                ahead.read(rules, each, state, seat, named)
            return not now or bool(rules.from_text(now, state, seat, aliases))
        except MoveRefused as refused:
            return not isinstance(refused, MalformedOrder)

    is_name = name_finder(rules, state, seat, aliases, bound.seat.name)
    return spoken(
        case.mail.lines, bound.language, is_name, aliases=aliases, is_order=is_order)


def what_is_wrong(case: Case, said: Spoken) -> str | None:
    """Return why nothing in the letter is done, checked before any order is tried."""
    if len(case.mail.lines) > MOST_LINES and not any(each.word == "chat" for each in said.words):
        return "too_many_lines"
    if said.garbled is not None:
        return "word_unread"
    if not said.orders and not said.words:
        return "no_orders"
    if said.orders and (case.bound.purpose != "turn" or case.bound.seat is None):
        return "which_game" if case.bound.games > 1 else "words_only"
    if said.orders and any(each.confirmed for each in said.words):
        return "resign_alone"
    return None


def is_meant(case: Case, said: Spoken, word: str) -> bool:
    """Return whether a command is given that decides the letter on its own, about one game."""
    if case.bound.seat is None or case.bound.games > 1:
        return False
    return any(each.word == word and (word != "resign" or each.confirmed) for each in said.words)


def follow(case: Case, said: Spoken, told: ReceiptNotes) -> None:
    """Do all that the letter says in one transaction, or nothing."""
    acting = ""
    try:
        asked = Asked(case.session, case.service.settings, case.bound, case.now)
        acts: dict[Word, CommandAnswer] = {}
        # Commands before undo: a vacation locks its person first, then all games in order.
        for word in said.words:
            acting = word.word
            if word.word in ACTS:
                acts[word] = done(asked, word)
            elif word.word == "undo":
                check_game(asked, word)
        seen = case.bound.shown
        if is_meant(case, said, "undo"):
            acting = "undo"
            seen = taken_back(case, asked)
        elif acts and said.orders and case.bound.seat is not None:
            catch_up(case, case.bound.seat, asked)
        told.words = [acts.get(word) or answered(asked, word) for word in said.words]
    except TableRefused as refused:
        if begun_again(case):
            refuse(case, said, told, refused, word=acting)
        return
    if said.orders and case.bound.seat is not None:
        play(case, case.bound.seat, said, told, seen)
        return
    answer(case, InboundState.PLAYED, told)
    if is_meant(case, said, "resign"):
        give_up(case, said, told)


def catch_up(case: Case, seat: SeatRow, asked: Asked) -> None:
    """Play pending submissions before the letter's commands and orders.

    A worker could no longer refuse them.
    """
    writer = Writer.locked(case.session, seat.game_id, case.now)
    if writer is not None and writer.row.state == GameState.RUNNING:
        people = writer.people
        advance.play_pending(writer, people)
        advance.settle(writer, people, asked.delay)


def taken_back(case: Case, asked: Asked) -> int:
    """Undo the last orders. Returns the entry that the letter's orders follow."""
    seat = case.bound.seat
    assert seat is not None  # noqa: S101  (`is_meant`)
    return undo.take_back(
        case.session, seat.game_id, seat.person_id, case.now, letter_delay=asked.delay
    ).number


def play(case: Case, seat: SeatRow, said: Spoken, told: ReceiptNotes, seen: int) -> None:
    """Submit the orders, or say why they cannot be played.

    The receipt follows once they are played.
    """
    decide(case.row, InboundState.PLAYED, case.now, told=told)
    try:
        sent = submit.record(
            case.session, seat, "\n".join(said.orders), seen=seen, source="mail", key=case.key,
            now=case.now, enqueue=case.enqueue, came_in=case.row,
        )  # fmt: skip
        log.info("orders recorded", extra={"game_id": sent.game_id, "submission_id": sent.id})
    except MoveRefused as refused:
        if begun_again(case):
            told.refusal = refusals.as_stored(refused, positions.rules_of(
                case.session, case.session.get_one(Game, seat.game_id)))
            refuse(case, said, told, refused)


def refuse(
    case: Case, said: Spoken, told: ReceiptNotes, refused: MoveRefused | TableRefused, *,
    word: str = "",
) -> None:
    """Record that nothing was done, and say so for each command that changes something.

    `word` is the refused command. Without one the orders were refused, and `told.refusal` says why.
    """
    asked = Asked(case.session, case.service.settings, case.bound, case.now)

    def reply(each: Word) -> CommandAnswer:
        if each.word == word and isinstance(refused, TableRefused):
            return CommandAnswer(word, refused.said(case.bound.language))
        if each.word in (*ACTS, "undo"):
            return CommandAnswer(each.word, asked.say("Not done, like all else in this letter."))
        return answered(asked, each)

    told.words = [reply(each) for each in said.words]
    told.draft = list(said.orders)
    answer(case, InboundState.REFUSED, told, reason=refused.key)


def give_up(case: Case, said: Spoken, told: ReceiptNotes) -> None:
    """Resign by the letter that says so."""
    seat = case.bound.seat
    assert seat is not None  # noqa: S101  (`is_meant`)
    delay = Asked(case.session, case.service.settings, case.bound, case.now).delay
    try:
        seats.resign(case.session, seat.game_id, seat.person_id, case.now, letter_delay=delay)
    except TableRefused as refused:
        if begun_again(case):
            refuse(case, said, told, refused, word="resign")
