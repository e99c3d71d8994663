"""Orders ahead as lines: cut out of a letter, read piece by piece, written (rules/orders.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from msgspec.structs import replace

from engine import notation
from engine.ahead import Alternative, Condition, Instruction, OrderAhead, PlainOrder
from engine.api import GameRules, Seat
from engine.errors import IllegalMove, MalformedOrder
from engine.notation import LineReader, Slip

T = TypeVar("T")

RULE = "orders"
LATER, ELSE, IF, AND, ASK, IN_ROUND = "later", "else", "if", "and", "ask", "in round"
SIGNS = {"at most": "<=", "at least": ">=", "≤": "<=", "≥": ">="}
MOST_ALTERNATIVES = 6
LONGEST = 400  # characters of a line as it is written, and in full words

REFUSALS: dict[str, tuple[str, ...]] = {
    # For the words: orders ahead that cannot be read, could never be meant, or were not played.
    "ahead_alone": ("line", "word"),  # `ask` or nothing where an order must stand
    "ahead_mixed": ("line", "word"),  # the alternatives answer different questions
    "ahead_not_shown": ("line", "word"),  # a condition on what one cannot see
    "ahead_too_long": ("line", "word"),
    "ahead_condition": ("condition",),  # it did not hold when the moment came
    "ahead_asked": (),  # it came to `ask`
    "ahead_round_over": ("round",),
    "ahead_game_over": (),
}
"""The refusals of orders ahead that all games share, by key, with the names of their numbers."""


# ---- a letter ----------------------------------------------------------------------------------


def split(letter: str, aliases: Mapping[str, str] | None = None) -> tuple[str, list[str]]:
    """The orders of a letter for now, and its orders ahead one by one, as they were written.

    Whatever stands behind `later:` to the end of the line is ahead; `;` separates several.
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
    """Where `later:` stands in a line, in any of its names."""
    names = [LATER, *(alias for alias, meaning in aliases.items() if meaning == LATER)]
    pattern = rf"(?<![\w:])(?:{'|'.join(map(re.escape, names))})\s*:"
    return re.search(pattern, row, re.IGNORECASE)


# ---- writing ------------------------------------------------------------------------------------


def text(game: GameRules, order: OrderAhead) -> str:
    """The canonical line, without `later:`; read back it is the same order."""
    ahead = game.orders_ahead
    moment = "" if order.moment is None else f"{ahead.spelt(order.moment)}: "
    said = [spelt_alternative(game, each) for each in order.alternatives]
    said += [ASK] if order.asks else []
    in_round = ""
    if order.in_round is not None:
        in_round = f" {IN_ROUND} {ahead.words.rounds[order.in_round - 1]}"
    return moment + f" {ELSE} ".join(said) + in_round


def spelt_form(game: GameRules, form: Instruction) -> str:
    """A form as it is written."""
    return form.text if isinstance(form, PlainOrder) else game.orders_ahead.spelt(form)


def spelt_alternative(game: GameRules, alternative: Alternative) -> str:
    """An alternative with its conditions."""
    said = spelt_form(game, alternative.form)
    if not alternative.conditions:
        return said
    conditions = (spelt_condition(game, each) for each in alternative.conditions)
    return f"{said} {IF} " + f" {AND} ".join(conditions)


def spelt_condition(game: GameRules, condition: Condition) -> str:
    """A condition as it is written; seats by their colours."""
    whose = "" if condition.seat is None else game.seat_colours[condition.seat] + " "
    if condition.sign.startswith("has"):
        return f"{whose}{condition.sign} {condition.what}"
    return f"{whose}{condition.what} {condition.sign} {condition.number}"


# ---- reading ------------------------------------------------------------------------------------


class OrderAheadParser:
    """Reads one order ahead for one seat, piece by piece: `else`, `if` and `in round` part it."""

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
        """The whole line."""
        if len(self.line) > LONGEST:
            raise self.slip("ahead_too_long", self.line[:40] + "…")
        moment, rest = self.moment(notation.normalised(self.line))
        rest, in_round = self.round(rest)
        pieces = self.parted(rest, ELSE)
        asks = len(pieces) > 1 and self.means(pieces[-1], ASK)
        if asks:
            pieces = pieces[:-1]
        if len(pieces) > MOST_ALTERNATIVES:
            raise self.slip("ahead_too_long", pieces[MOST_ALTERNATIVES])
        order = OrderAhead(tuple(map(self.alternative, pieces)), moment, in_round, asks)
        if not frozenset.intersection(*map(self.ahead.questions, order.forms)):
            raise self.slip("ahead_mixed", pieces[-1])
        order = replace(order, in_round=self.round_meant(order))
        if len(text(self.game, order)) > LONGEST:
            raise self.slip("ahead_too_long", self.line[:40] + "…")
        return order

    def round_meant(self, order: OrderAhead) -> int | None:
        """The round that is named, or that its forms mean."""
        bound = next((form for form in order.forms if form.of_a_round), None)
        if order.in_round is not None or bound is None:
            return order.in_round
        meant = self.ahead.round_meant(bound, self.state)
        if meant > len(self.ahead.words.rounds):
            raise IllegalMove("ahead_game_over", rule=RULE)
        return meant

    def slip(self, key: str, word: str) -> MalformedOrder:
        """A refusal of this line."""
        return MalformedOrder(key, rule=RULE, line=self.line.strip()[:80], word=word)

    # ---- pieces

    def names(self, option: str) -> list[str]:
        """All words for one of the words that part a line."""
        also = (alias for alias, meaning in self.aliases.items() if meaning == option)
        return [option, *map(notation.normalised, also)]

    def parted(self, piece: str, option: str) -> list[str]:
        """The piece, cut at each of these words."""
        names = sorted(self.names(option), key=len, reverse=True)
        cut = rf"(?<![\w’'-])(?:{'|'.join(map(re.escape, names))})(?![\w’'-])"
        return [each.strip(" ,") for each in re.split(cut, piece)]

    def means(self, piece: str, option: str) -> bool:
        """Whether the piece is just this word."""
        return piece in self.names(option)

    def moment(self, line: str) -> tuple[Instruction | None, str]:
        """`at 11:` in front of the rest."""
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
        """`in round 3` behind the rest."""
        rest, *named = self.parted(line, IN_ROUND)
        if not named:
            return rest, None
        rounds = self.ahead.words.rounds
        piece = named[0] if len(named) == 1 else ""
        with self.correcting(piece):
            said = self.whole(piece, lambda reader: reader.id(rounds), str)
        return rest, rounds.index(said) + 1

    def whole(self, piece: str, grammar: Callable[[LineReader], T], spelt: Callable[[T], str]) -> T:
        """A whole piece read by its grammar."""
        return notation.read(piece, grammar, self.aliases, spelt)

    @contextmanager
    def correcting(self, piece: str) -> Iterator[None]:
        """What is refused in here says how the whole line could read."""
        try:
            yield
        except MalformedOrder as refused:
            line = notation.normalised(self.line)
            refused.choices = [line.replace(piece, str(each), 1) for each in refused.choices]
            raise

    def alternative(self, piece: str) -> Alternative:
        """An order or form, and conditions; the verb of the first one need not be said again."""
        said, *conditions = self.parted(piece, IF)
        if not said or self.means(said, ASK) or len(conditions) > 1:
            raise self.slip("ahead_alone", said)
        with self.correcting(said):
            form = self.form(said)
        joined = self.parted(conditions[0], AND) if conditions else []
        return Alternative(form, tuple(map(self.one_condition, joined)))

    def one_condition(self, piece: str) -> Condition:
        """One condition, the whole piece."""
        with self.correcting(piece):
            return self.whole(
                piece, self.condition, lambda found: spelt_condition(self.game, found)
            )

    def form(self, piece: str) -> Instruction:
        """An order of the game, or a form of its own."""
        try:
            form = self.plain_form(piece)
        except MalformedOrder as refused:
            form = self.with_verb(piece, refused)
        if not self.verb:
            self.verb = verb_of(spelt_form(self.game, form))
        return form

    def with_verb(self, piece: str, refused: MalformedOrder) -> Instruction:
        """A piece behind `else` that leaves the first one's verb out; else it is refused."""
        try:
            return self.plain_form(f"{self.verb} {piece}")
        except MalformedOrder:
            raise refused from None

    def plain_form(self, piece: str) -> Instruction:
        """A piece that says its verb itself."""
        reader = LineReader(piece, self.aliases)
        try:
            begins = self.ahead.read_form(reader) is not None
        except Slip:
            begins = True
        if begins:
            return self.whole(piece, self.own_form, self.ahead.spelt)
        return PlainOrder(self.ahead.said(piece, self.state, self.seat, self.aliases))

    def own_form(self, reader: LineReader) -> Instruction:
        """A form of the game's own, which is known to begin here."""
        form = self.ahead.read_form(reader)
        if form is None:
            raise Slip("wrong_shape", reader.place, reader.place)
        return form

    # ---- conditions

    def condition(self, reader: LineReader) -> Condition:
        """[SEAT] MEASURE <= N, or SEAT has [not] DEED."""
        words = self.ahead.words
        if self.compares(reader):
            return self.comparison(reader, None)
        seat = self.named_seat(reader)
        if seat is not None and reader.has_word("has not", "has"):
            sign = reader.word("has not", "has")
            return Condition(reader.word(*words.deeds), sign, seat=seat)
        return self.comparison(reader, seat)

    def compares(self, reader: LineReader) -> bool:
        """Whether a measure stands here with its sign: then no player's name does."""
        ahead = LineReader(reader.text[reader.place :], self.aliases)
        try:
            self.comparison(ahead, None)
        except Slip:
            return False
        return True

    def comparison(self, reader: LineReader, seat: Seat | None) -> Condition:
        """MEASURE <= N, of the seat or of one's own."""
        words, start = self.ahead.words, reader.place
        what = reader.word(*words.measures, *words.same)
        what = words.same.get(what, what)
        if seat is not None and seat != self.seat and what not in words.of_others:
            raise reader.fail("ahead_not_shown", since=start)
        sign = self.sign(reader)
        return Condition(what, sign, reader.number(), None if seat == self.seat else seat)

    def named_seat(self, reader: LineReader) -> Seat | None:
        """A seat by its colour, or by a name that the aliases know, if one stands here."""
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
        """How a measure is compared."""
        for sign in ("<=", ">=", "≤", "≥", "<", ">", "="):
            if reader.has_sign(sign):
                return SIGNS.get(sign, sign)
        return SIGNS[reader.word("at most", "at least")]


def verb_of(said: str) -> str:
    """The first word of an order."""
    return said.split(" ", 1)[0]
