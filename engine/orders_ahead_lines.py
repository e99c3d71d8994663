"""Reads and writes the lines of orders ahead, and finds them in a letter (rules/orders.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from msgspec.structs import replace

from engine import notation
from engine.api import GameRules, Seat
from engine.errors import IllegalMove, MalformedOrder
from engine.notation import LineReader, Slip
from engine.orders_ahead_types import Alternative, Condition, Instruction, OrderAhead, PlainOrder

T = TypeVar("T")

RULE = "orders"
LATER, ELSE, IF, AND, ASK, IN_ROUND = "later", "else", "if", "and", "ask", "in round"
SIGNS = {"at most": "<=", "at least": ">=", "≤": "<=", "≥": ">="}
MOST_ALTERNATIVES = 6
LONGEST = 400  # characters of a line as it is written, and in full words

REFUSALS: dict[str, tuple[str, ...]] = {
    # Orders ahead that cannot be read, could never apply, or were not played.
    "ahead_alone": ("line", "word"),  # `ask` or nothing where an order must stand
    "ahead_mixed": ("line", "word"),  # the alternatives answer different questions
    "ahead_not_shown": ("line", "word"),  # a condition on what one cannot see
    "ahead_too_long": ("line", "word"),
    "ahead_condition": ("condition",),  # it did not hold when the moment came
    "ahead_asked": (),  # it came to `ask`
    "ahead_round_over": ("round",),
    "ahead_game_over": (),
}
"""Refusals of orders ahead that all games share: key -> names of their numbers."""


# ---- a letter ----------------------------------------------------------------------------------


def split(letter: str, aliases: Mapping[str, str] | None = None) -> tuple[str, list[str]]:
    """Return the letter's orders for now, and its orders ahead one by one, as written.

    The rest of a line after `later:` holds orders ahead, separated by `;`.
    """
    now, later = [], []
    for row in notation.tidied(letter).splitlines():
        found = later_in(row, aliases or {})
        if found is None:
            now.append(row)
            continue
        now.append(row[: found.start()].rstrip().rstrip(";"))
        later += [each.strip() for each in row[found.end() :].split(";") if each.strip()]
    return "\n".join(now).strip(), later


def later_in(row: str, aliases: Mapping[str, str]) -> re.Match[str] | None:
    """Find `later:` in a line, under any of its names."""
    names = [LATER, *(alias for alias, meaning in aliases.items() if meaning == LATER)]
    pattern = rf"(?<![\w:])(?:{'|'.join(map(re.escape, names))})\s*:"
    return re.search(pattern, row, re.IGNORECASE)


# ---- writing ------------------------------------------------------------------------------------


def text(game: GameRules, order: OrderAhead) -> str:
    """Return the canonical line, without `later:`. Reading it gives the same order."""
    ahead = game.orders_ahead
    moment = "" if order.moment is None else f"{ahead.to_text(order.moment)}: "
    said = [alternative_text(game, each) for each in order.alternatives]
    said += [ASK] if order.asks else []
    in_round = ""
    if order.in_round is not None:
        in_round = f" {IN_ROUND} {ahead.words.rounds[order.in_round - 1]}"
    return moment + f" {ELSE} ".join(said) + in_round


def instruction_text(game: GameRules, instruction: Instruction) -> str:
    """Return the instruction as players write it."""
    if isinstance(instruction, PlainOrder):
        return instruction.text
    return game.orders_ahead.to_text(instruction)


def alternative_text(game: GameRules, alternative: Alternative) -> str:
    """Return the alternative with its conditions as players write it."""
    said = instruction_text(game, alternative.instruction)
    if not alternative.conditions:
        return said
    conditions = (condition_text(game, each) for each in alternative.conditions)
    return f"{said} {IF} " + f" {AND} ".join(conditions)


def condition_text(game: GameRules, condition: Condition) -> str:
    """Return the condition as players write it, with seats as colours."""
    whose = "" if condition.seat is None else game.seat_colours[condition.seat] + " "
    if condition.sign.startswith("has"):
        return f"{whose}{condition.sign} {condition.what}"
    return f"{whose}{condition.what} {condition.sign} {condition.number}"


# ---- reading ------------------------------------------------------------------------------------


class OrderAheadParser:
    """Reads one order ahead for one seat, split at `else`, `if` and `in round`."""

    def __init__(
        self, game: GameRules, line: str, state: Any, seat: Seat, aliases: Mapping[str, str]
    ) -> None:
        self.game = game
        self.ahead = game.orders_ahead
        self.line = line
        self.state = state
        self.seat = seat
        self.aliases = aliases
        self.verb = ""

    def order(self) -> OrderAhead:
        """Read the whole line. Raise MalformedOrder, or IllegalMove after the last round."""
        if len(self.line) > LONGEST:
            raise self.slip("ahead_too_long", self.line[:40] + "…")
        moment, rest = self.moment(notation.normalised(self.line))
        rest, in_round = self.round(rest)
        pieces = self.split_at(rest, ELSE)
        asks = len(pieces) > 1 and self.is_word(pieces[-1], ASK)
        if asks:
            pieces = pieces[:-1]
        if len(pieces) > MOST_ALTERNATIVES:
            raise self.slip("ahead_too_long", pieces[MOST_ALTERNATIVES])
        order = OrderAhead(tuple(map(self.alternative, pieces)), moment, in_round, asks)
        if not frozenset.intersection(*map(self.ahead.questions, order.instructions)):
            raise self.slip("ahead_mixed", pieces[-1])
        order = replace(order, in_round=self.round_meant(order))
        if len(text(self.game, order)) > LONGEST:
            raise self.slip("ahead_too_long", self.line[:40] + "…")
        return order

    def round_meant(self, order: OrderAhead) -> int | None:
        """Return the round that the line names, else the one that its instructions mean."""
        bound = next((each for each in order.instructions if each.of_a_round), None)
        if order.in_round is not None or bound is None:
            return order.in_round
        meant = self.ahead.round_meant(bound, self.state)
        if meant > len(self.ahead.words.rounds):
            raise IllegalMove("ahead_game_over", rule=RULE)
        return meant

    def slip(self, key: str, word: str) -> MalformedOrder:
        """Build a refusal of this line."""
        return MalformedOrder(key, rule=RULE, line=self.line.strip()[:80], word=word)

    # ---- pieces

    def names(self, option: str) -> list[str]:
        """Return all names of one of the words that split a line."""
        also = (alias for alias, meaning in self.aliases.items() if meaning == option)
        return [option, *map(notation.normalised, also)]

    def split_at(self, piece: str, option: str) -> list[str]:
        """Split the piece at each of these words."""
        names = sorted(self.names(option), key=len, reverse=True)
        cut = rf"(?<![\w’'-])(?:{'|'.join(map(re.escape, names))})(?![\w’'-])"
        return [each.strip(" ,") for each in re.split(cut, piece)]

    def is_word(self, piece: str, option: str) -> bool:
        """Whether the piece is this word alone."""
        return piece in self.names(option)

    def moment(self, line: str) -> tuple[Instruction | None, str]:
        """Split off the moment in front of the rest (`at 11:`), if there is one."""
        front, colon, rest = line.partition(":")
        if not colon:
            return None, line
        reader = LineReader(front, self.aliases)
        try:
            found = self.ahead.read_moment(reader)
        except Slip as slip:
            raise self.slip(slip.key, front[slip.start : slip.end]) from None
        if found is None or not reader.is_at_end():
            return None, line
        return found, rest.strip()

    def round(self, line: str) -> tuple[str, int | None]:
        """Split off the round at the end (`in round 3`), if there is one."""
        rest, *named = self.split_at(line, IN_ROUND)
        if not named:
            return rest, None
        rounds = self.ahead.words.rounds
        piece = named[0] if len(named) == 1 else ""
        with self.correcting(piece):
            said = self.whole(piece, lambda reader: reader.id(rounds), str)
        return rest, rounds.index(said) + 1

    def whole(
        self, piece: str, grammar: Callable[[LineReader], T], to_text: Callable[[T], str]
    ) -> T:
        """Read a whole piece by its grammar."""
        return notation.read(piece, grammar, self.aliases, to_text)

    @contextmanager
    def correcting(self, piece: str) -> Iterator[None]:
        """Turn the corrections of a refused piece into corrections of the whole line."""
        try:
            yield
        except MalformedOrder as refused:
            line = notation.normalised(self.line)
            refused.choices = [line.replace(piece, str(each), 1) for each in refused.choices]
            raise

    def alternative(self, piece: str) -> Alternative:
        """Read an instruction and its conditions; later alternatives may leave out the verb."""
        said, *conditions = self.split_at(piece, IF)
        if not said or self.is_word(said, ASK) or len(conditions) > 1:
            raise self.slip("ahead_alone", said)
        with self.correcting(said):
            instruction = self.instruction(said)
        joined = self.split_at(conditions[0], AND) if conditions else []
        return Alternative(instruction, tuple(map(self.one_condition, joined)))

    def one_condition(self, piece: str) -> Condition:
        """Read the whole piece as one condition."""
        with self.correcting(piece):
            return self.whole(
                piece, self.condition, lambda found: condition_text(self.game, found)
            )

    def instruction(self, piece: str) -> Instruction:
        """Read an ordinary order, or an instruction of the game's own."""
        try:
            instruction = self.instruction_with_verb(piece)
        except MalformedOrder as refused:
            instruction = self.with_verb(piece, refused)
        if not self.verb:
            self.verb = verb_of(instruction_text(self.game, instruction))
        return instruction

    def with_verb(self, piece: str, refused: MalformedOrder) -> Instruction:
        """Read a piece that leaves out the first one's verb. Raise `refused` if that fails too."""
        try:
            return self.instruction_with_verb(f"{self.verb} {piece}")
        except MalformedOrder:
            raise refused from None

    def instruction_with_verb(self, piece: str) -> Instruction:
        """Read a piece that has its verb."""
        reader = LineReader(piece, self.aliases)
        try:
            begins = self.ahead.read_instruction(reader) is not None
        except Slip:
            begins = True
        if begins:
            return self.whole(piece, self.game_instruction, self.ahead.to_text)
        return PlainOrder(self.ahead.in_full(piece, self.state, self.seat, self.aliases))

    def game_instruction(self, reader: LineReader) -> Instruction:
        """Read the game's own instruction that begins here."""
        instruction = self.ahead.read_instruction(reader)
        if instruction is None:
            raise Slip("wrong_shape", reader.place, reader.place)
        return instruction

    # ---- conditions

    def condition(self, reader: LineReader) -> Condition:
        """Read `[SEAT] MEASURE <= N`, or `SEAT has [not] DEED`."""
        words = self.ahead.words
        if self.compares(reader):
            return self.comparison(reader, None)
        seat = self.named_seat(reader)
        if seat is not None and reader.has_word("has not", "has"):
            sign = reader.word("has not", "has")
            return Condition(reader.word(*words.deeds), sign, seat=seat)
        return self.comparison(reader, seat)

    def compares(self, reader: LineReader) -> bool:
        """Whether a comparison begins here rather than a player's name. Reads nothing."""
        ahead = LineReader(reader.text[reader.place :], self.aliases)
        try:
            self.comparison(ahead, None)
        except Slip:
            return False
        return True

    def comparison(self, reader: LineReader, seat: Seat | None) -> Condition:
        """Read `MEASURE <= N`, of `seat` or of the order's owner (None)."""
        words, start = self.ahead.words, reader.place
        what = reader.word(*words.measures, *words.same)
        what = words.same.get(what, what)
        if seat is not None and seat != self.seat and what not in words.of_others:
            raise reader.fail("ahead_not_shown", since=start)
        sign = self.sign(reader)
        return Condition(what, sign, reader.number(), None if seat == self.seat else seat)

    def named_seat(self, reader: LineReader) -> Seat | None:
        """Read a seat by its colour or by an alias of it, if one stands here."""
        colours = self.game.seat_colours[: len(self.state.players)]
        place = reader.place
        names = {colour: colour for colour in colours} | {
            notation.normalised(alias): meaning
            for alias, meaning in self.aliases.items() if meaning in colours
        }
        for name in sorted(names, key=len, reverse=True):
            behind = reader.text[place + len(name) :]
            if name and reader.text.startswith(name, place) and not behind[:1].isalnum():
                reader.skip(len(name))
                return colours.index(names[name])
        return None

    def sign(self, reader: LineReader) -> str:
        """Read a comparison sign or its words."""
        for sign in ("<=", ">=", "≤", "≥", "<", ">", "="):
            if reader.has_sign(sign):
                return SIGNS.get(sign, sign)
        return SIGNS[reader.word("at most", "at least")]


def verb_of(said: str) -> str:
    """Return the first word of an order."""
    return said.split(" ", 1)[0]
