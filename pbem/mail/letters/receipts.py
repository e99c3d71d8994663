"""Answers to orders: receipts of letters, letters held back, orders that were refused later."""

from __future__ import annotations

import textwrap
from datetime import timedelta
from typing import Any

from sqlmodel import Session

from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.letter import (
    DueLetter,
    LetterContext,
    LetterKind,
    Reader,
    Values,
    always_true,
    player,
)
from pbem.mail.letters import turn
from pbem.mail.letters.context import about, asked_in, seated
from pbem.mail.letters.invitations import invited_reader, subject_of
from pbem.mail.letters.offers import ahead_in, in_own_words, offered_below
from pbem.models import (
    Game,
    GameState,
    Inbound,
    InboundState,
    Invitation,
    Outbox,
    SeatRow,
    Submission,
    SubmissionState,
)
from pbem.play import narration, positions, receipts, refusals, undo
from pbem.play.receipts import ReceiptNotes
from pbem.play.refusals import StoredRefusal

CONFIRMED_WITHIN = timedelta(hours=24)  # a held letter waits so long, then it is dropped
EVER = timedelta(days=3650)
LONGEST_QUOTE = 300  # characters
NOTHING_ASKED: Values = {"ask": None, "prompt": "", "deadline": ""}

# Problems of a letter as a whole. The keys come from the parser and from the judge.
WRONG = {
    "too_many_lines": msgid("The letter has more than %(most)s lines of orders."),
    "word_unread": msgid("This line begins like a word to us, and goes on in an unknown way."),
    "no_orders": msgid("No order was found. Write it above everything else, in a line of its own."),
    "words_only": msgid("An answer to that letter takes words only: answer a turn letter instead."),
    "which_game": msgid(
        "That letter names several games: send orders to the address that stands in it beside "
        "their game."),
    "resign_alone": msgid("`resign yes` stands alone in a letter; nothing of this one was done."),
    "invitation_unread": msgid("Answer “accept” or “decline” in the first line."),
    "finish_on_page": msgid("To be seated you have to say on a page who you are:"),
    "too_large": msgid("The letter is larger than %(kib)s KiB."),
    "line_too_long": msgid("A line of it is longer than %(most)s characters."),
    "too_many_parts": msgid("It has more than %(most)s parts."),
    "winmail": msgid(
        "Its text stands in a file (winmail.dat) that only Outlook can open. Send plain text or "
        "HTML: in Outlook, “Format Text”."),
    "only_attached": msgid("It has no text, only files, which are not opened."),
    "letter_lost": msgid(
        "It answers a letter that this site no longer knows: the site was restored from a backup, "
        "or renewed. What is asked of you is written to you once more; answer that letter."),
    "seat_left": msgid("You hold no seat in that game any more."),
    "game_over": msgid("That game has been over for more than %(most)s days."),
    "encrypted": msgid("The letter is encrypted; we can read plain letters only."),
}  # fmt: skip
UNREADABLE = msgid("It could not be read. Plain text with the order in its first line will do.")
DOUBTS = {
    "other_sender": msgid("It came from an address that we do not know as yours: %(sender)s."),
    "not_authentic": msgid("Your mail provider did not confirm that it comes from you."),
    "looks_automatic": msgid("It looks as if a program had written it by itself."),
    "several_senders": msgid("It does not name exactly one sender."),
    "below_quote": msgid("What was read stands so close to a quote that it may be a piece of it."),
}
DOUBTFUL = msgid("On this site every order by mail is confirmed on a page.")


def wrong(told: ReceiptNotes, language: str) -> str:
    """Say what is wrong with the letter as a whole. Returns "" if nothing is."""
    if told.why is None:
        return ""
    return words.gettext(WRONG.get(told.why, UNREADABLE), language) % {
        "most": told.most, "kib": (told.most or 0) // 1024}  # fmt: skip


def doubt(told: ReceiptNotes, language: str) -> str:
    """Say why a letter has to be confirmed."""
    said = words.gettext(DOUBTS.get(told.why or "", DOUBTFUL), language)
    return said % {"sender": told.sender or "–"}


def writer(session: Session, row: Outbox) -> Reader | None:
    """Return who wrote the letter: a player, or who was invited and is none yet."""
    return player(session, row) if row.invitation_id is None else invited_reader(session, row)


# ---- receipts -----------------------------------------------------------------------------------


def receipt(it: LetterContext) -> Values:
    """Say how a letter was read, what it did, and what its sender is asked next."""
    inbound = it.session.get_one(Inbound, it.row.about_id)
    told, sent = receipts.notes_of(inbound), submission_of(it.session, inbound)
    values = read_in(told, it.reader.language) | {"sent": sent}
    if it.row.seat is None:
        return values | of_its_game(it) | NOTHING_ASKED | {"can_undo": False}
    at_table, table, seat = seated(it)
    names, language = at_table["names"], it.reader.language
    return values | {
        "refusal": refusal(table, seat, told, names, language),
        "played": played(it.session, table.row, sent, seat, names=names, language=language),
        "can_undo": can_undo(it.session, table.row, seat, sent),
        "kept_ahead": kept_ahead(sent),
    } | next_asked(it)


def read_in(told: ReceiptNotes, language: str) -> Values:
    """Return what was read and answered, for any game."""
    return {
        "lines": told.lines,
        "signed": told.signed,
        "below": textwrap.shorten(" / ".join(told.below), LONGEST_QUOTE, placeholder=" …"),
        "words": told.words,
        "wrong": wrong(told, language),
        "link": told.link,
        "last_today": told.last_today,
        "most_a_day": receipts.RECEIPTS_A_DAY,
        "refusal": None,
        "draft": told.draft,
        "played": [],
        "ahead": (),
        "ahead_ready": (),
        "kept_ahead": False,
        "offered_below": offered_below,
    }


def next_asked(it: LetterContext) -> Values:
    """Describe the reader's game, with everything of a turn letter if they are asked."""
    values, table, seat = seated(it)
    if table.row.state != GameState.RUNNING or seat.resigned is not None:
        return values | NOTHING_ASKED
    asked = asked_in(it, table, seat, values)
    if asked["ask"] is not None:
        return values | turn.put(it, values, table, seat)
    return values | asked | ahead_in(it, table, seat, values["names"])


def of_its_game(it: LetterContext) -> Values:
    """Name the game that a letter is about, for a reader who has no seat there (any more)."""
    invitation = it.session.get(Invitation, it.row.invitation_id) if it.row.invitation_id else None
    if invitation is not None:
        return {"invitation": subject_of(it.session, invitation, it.reader.language)}
    return {} if it.row.game is None else about(it, it.row.game)


def submission_of(session: Session, inbound: Inbound) -> Submission | None:
    """Return the orders that the letter held, or None."""
    return session.get(Submission, inbound.submission_id) if inbound.submission_id else None


def refusal(
    table: positions.GamePosition, seat: SeatRow, told: ReceiptNotes, names: list[str],
    language: str,
) -> dict[str, Any] | None:
    """Return the refused line, the rule, the numbers, and lines that would be accepted."""
    why = told.refusal
    if why is None:
        return None
    key = table.row.game
    text = words.refusal(key, why.key, why.rule, why.numbers, language, names=names)
    return {"text": text, "rule": "" if why.rule == "orders" else why.rule, "line": why.line,
            "choices": choices(table, seat, why, language)}  # fmt: skip


def choices(
    table: positions.GamePosition, seat: SeatRow, why: StoredRefusal, language: str
) -> list[str]:
    """Return what would have been accepted, in the reader's words."""
    return [in_own_words(table.rules, table.state, seat.number or 0, line, language)
            for line in why.choices]


def played(
    session: Session, game: Game, sent: Submission | None, seat: SeatRow, *,
    names: list[str], language: str,
) -> list[narration.NewsLine]:
    """Say in words which entries the orders became."""
    if sent is None or sent.first_entry is None:
        return []
    last = sent.last_entry or sent.first_entry
    rules = positions.rules_of(session, game)
    return [
        narration.NewsLine(entry.number, line.text, line.rule)
        for entry in positions.entries(session, game, sent.first_entry, last)
        if entry.submission_id == sent.id
        for line in narration.in_words(
            rules, entry.events, viewer=seat.number, names=names, language=language
        )
    ]


def kept_ahead(sent: Submission | None) -> bool:
    """Return whether the letter held only orders ahead, which are stored."""
    return (sent is not None and sent.state == SubmissionState.PLAYED
            and sent.first_entry is None)


def can_undo(session: Session, game: Game, seat: SeatRow, sent: Submission | None) -> bool:
    """Return whether what this letter played can be undone now."""
    if sent is None or sent.first_entry is None or game.state != GameState.RUNNING:
        return False
    back = undo.can_undo(session, game, seat)
    return back is not None and sent.first_entry <= back.last <= (sent.last_entry or back.last)


RECEIPT = LetterKind(
    "receipt", msgid("Answer to your letter"), always_true, receipt, writer, is_answer=True,
    takes_orders=True, can_repeat=True, merges=EVER,
)  # fmt: skip


# ---- held letters -------------------------------------------------------------------------------


def is_held(it: DueLetter) -> bool:
    """Return whether a letter that came in still waits for its player's confirmation."""
    inbound = it.session.get(Inbound, it.row.about_id)
    if inbound is None or inbound.state != InboundState.HELD:
        return False
    return it.now - inbound.received < CONFIRMED_WITHIN


def held(it: LetterContext) -> Values:
    """Ask the sender to confirm a held letter on a page."""
    inbound = it.session.get_one(Inbound, it.row.about_id)
    told = receipts.notes_of(inbound)
    values = {
        "lines": told.lines,
        "doubt": doubt(told, it.reader.language),
        "link": f"{it.settings.base_url}/held/{inbound.id}",
    }
    return values | (of_its_game(it) | NOTHING_ASKED if it.row.seat is None else next_asked(it))


HELD = LetterKind(
    "held", msgid("A letter of yours to confirm"), is_held, held, writer, is_answer=True,
    takes_orders=True)


# ---- orders that were refused later -------------------------------------------------------------


def is_refused(it: DueLetter) -> bool:
    """Return whether orders were refused: as a whole, or what follows a reveal."""
    submission = it.session.get(Submission, it.row.about_id)
    return it.row.seat is not None and submission is not None and submission.refusal is not None


def refused(it: LetterContext) -> Values:
    """Say what was wrong with an order, list what would be accepted, and return the refused lines.
    """
    values, table, seat = seated(it)
    sent = it.session.get_one(Submission, it.row.about_id)
    why = refusals.read(sent.refusal or "")
    text = words.refusal(
        table.row.game, why.key, why.rule, why.numbers, it.reader.language, names=values["names"]
    )
    return values | {
        "why": text,
        "rule": why.rule,
        "line": why.line,
        "choices": choices(table, seat, why, it.reader.language),
        "draft": (sent.draft or "").splitlines(),
        "played": sent.first_entry is not None,
    }


REFUSED = LetterKind(
    "refused", msgid("Orders that came back"), is_refused, refused, takes_orders=True,
    can_repeat=True)
