"""The service's own refusals, and how refusals are stored with a submission."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.api import GameRules
from engine.errors import MoveRefused
from pbem.i18n.words import gettext, msgid

MOST_CHOICES = 12  # order lines that a refusal offers


class PositionMovedOn(MoveRefused):
    """The player answered a question that has changed since they saw it."""


class KeyReused(MoveRefused):
    """The deduplication key already belongs to other orders."""


TEXTS = {
    "which_game": msgid(
        "This word is about one game. Send it as an answer to a letter about that game alone, or "
        "to the address that stands beside the game."),
    "not_running": msgid("This game does not run."),
    "players_only": msgid("Only who plays in this game can do that."),
    "other_rules": msgid(
        "This game goes on by rules that this server does not have (%(ruleset)s). It stands still "
        "until it has them; nothing is lost."),
    "newer_rules_over": msgid("There are no newer rules that this game could go on by."),
    "no_vote": msgid("Nothing is to be decided about this seat now."),
    "no_such_answer": msgid("This cannot be said in this vote."),
    "no_such_seat": msgid("There is no such seat in this game."),
    "seat_taken": msgid("This seat has a player."),
    "one_seat": msgid("You have a seat in this game already."),
    "saw_other_seat": msgid(
        "You have seen what another seat of this game keeps secret: you cannot take this one."),
    "name_looks_alike": msgid(
        "Your name looks like %(name)s, who is at this table: others would mix you up."),
    "not_for_you": msgid("The free chairs of this table are kept for others."),
    "blocked_here": msgid(
        "Somebody whom you have blocked sits at this table: %(names)s. Nothing was done; you can "
        "still sit down on its page."),
    "blocked_enough": msgid("You have blocked %(most)s players; lift one of these first."),
    "resigned": msgid("You have resigned from this game: moves are played for you."),
    "nothing_to_take_back": msgid(
        "There is nothing that you could take back now: somebody has acted since, or something "
        "was revealed."),
    "nothing_to_propose": msgid("This cannot be taken back any more: something was revealed."),
    "proposal_over": msgid("This proposal has ended: nobody can answer it any more."),
    "no_such_order_ahead": msgid("You have no such order ahead in this game."),
    "vacation_days": msgid("A vacation lasts from 1 to %(most)s days; 0 ends it."),
    "vacation_begins": msgid("A vacation begins now or within a year: give a day to come."),
    "vacation_overlaps": msgid("You have announced a vacation for some of these days already."),
    "vacation_budget": msgid(
        "You can be away for %(most)s days in any 365. Then there are %(left)s left."),
    "hours_again": msgid(
        "Game %(game)s waits for you, and its deadline has moved several times: answer there "
        "before you change your hours or zone. For days away there are vacations."),
    "chat_empty": msgid("There is nothing to say in that."),
    "chat_long": msgid("That is too long: %(most)s characters are the most at a time."),
    "note_empty": msgid("There is nothing to note down in that."),
    "note_long": msgid("That is too long: a note has %(most)s characters at most."),
    "notes_many": msgid("You have %(most)s notes in this game; delete one first."),
    "mute": msgid("An operator of this site has ended your talk until %(until)s."),
    "report_empty": msgid("Say what is wrong: there is nothing in that."),
    "report_long": msgid("That is too long: a report has %(most)s characters at most."),
    "report_often": msgid("You have made %(most)s reports within a day; go on tomorrow."),
    "chat_often": msgid("You have said %(most)s things within an hour; go on a little later."),
}


class TableRefused(Exception):
    """A player's request that cannot be granted: a key of `TEXTS` and the values it names."""

    def __init__(self, key: str, **numbers: Any) -> None:
        super().__init__(f"{key} {numbers}" if numbers else key)
        self.key = key
        self.numbers = numbers

    def said(self, language: str) -> str:
        """The reason as a sentence."""
        return gettext(TEXTS[self.key], language) % self.numbers


class StoredRefusal(msgspec.Struct, frozen=True):
    """A refusal as stored data, enough to say it in any language."""

    key: str
    rule: str
    numbers: dict[str, Any]
    choices: list[str]
    line: str | None = None


def as_stored(refused: MoveRefused, rules: GameRules) -> StoredRefusal:
    """The refusal with its choices as order lines."""
    lines = [
        choice if isinstance(choice, str) else rules.to_text(choice)
        for choice in refused.choices[:MOST_CHOICES]
    ]
    return StoredRefusal(
        refused.key, refused.rule, refused.numbers, lines, getattr(refused, "text", None)
    )


def stored(refused: MoveRefused, rules: GameRules) -> str:
    """The refusal as JSON, for the submission's row."""
    return msgspec.json.encode(as_stored(refused, rules)).decode()


def read(refusal: str) -> StoredRefusal:
    """The inverse of `stored`."""
    return msgspec.json.decode(refusal, type=StoredRefusal)
