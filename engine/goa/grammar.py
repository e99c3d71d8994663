"""Reads a line of Goa's orders, verb by verb (rules/orders.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.api import Seat
from engine.choices import MoveSpec
from engine.goa import drawing, moves, placing, serving, tiles
from engine.goa.actions import WITHOUT_SPICES, expedition_of, leaves_a_choice
from engine.goa.cards import SELL
from engine.goa.lookups import ONCE_A_ROUND, next_step
from engine.goa.serving import Entry
from engine.goa.state import (
    ACTIONS_NAMED,
    COLONIES,
    COLUMNS,
    GRID,
    PLACES,
    PLANTATIONS,
    SPICES,
    GoaPlayer,
    GoaState,
)
from engine.notation import LineReader

if TYPE_CHECKING:
    from engine.goa.components import GoaComponents

VERBS = (
    "flag", "marker", "bid", "pass", "drop", "gain", "draw", "quick",
    *ACTIONS_NAMED,
    "pay", "decline", "choose", "play", "use", "extra", "discard", "done", "wait",
)  # fmt: skip
GOODS = ("ships", "colonists")
KEPT_TILES = ("duty", "harvest", "trade")


class Grammar:
    """Reads one line for one seat, with one method per verb."""

    def __init__(
        self, reader: LineReader, components: GoaComponents, state: GoaState, seat: Seat
    ) -> None:
        self.reader = reader
        self.components = components
        self.state = state
        self.seat = seat

    @property
    def player(self) -> GoaPlayer:
        """Return the player whose spices and cards the order is about."""
        return self.state.players[self.seat]

    def line(self) -> list[Any]:
        """Read the whole line."""
        verb = self.reader.word(*VERBS, unknown="unknown_verb")
        read = READINGS[verb](self)
        return read if isinstance(read, list) else [read]

    def declared(self, spec: MoveSpec[GoaComponents, GoaState, Any]) -> moves.AnyMove:
        """Read the fields of a declared move."""
        move: moves.AnyMove = spec.read(self.reader, self.components, self.state)
        return move

    # ---- placing, auctions, settling

    def quick(self) -> moves.AnyMove:
        first = self.reader.word("ducats", *COLUMNS)
        if first == "ducats":
            return moves.QuickDucats()
        columns = [first]
        while not self.reader.is_at_end():
            self.reader.has_sign(",")
            columns.append(self.reader.word(*COLUMNS))
        return moves.QuickMarkers(tuple(sorted(columns, key=COLUMNS.index)))

    def draw(self) -> moves.AnyMove:
        return moves.DrawCards(self.reader.number(), self.discards())

    # ---- cards

    def card(self) -> int:
        """Read an expedition card's number."""
        start = self.reader.place
        number = self.reader.number()
        if number not in self.components.cards:
            raise self.reader.fail("unknown_id", since=start)
        return number

    def cards(self) -> list[int]:
        """Read CARD, .."""
        found = [self.card()]
        while self.reader.has_sign(","):
            found.append(self.card())
        return found

    def discards(self) -> tuple[int, ...]:
        """Read [discard CARD, ..]"""
        return tuple(sorted(self.cards())) if self.said("discard") else ()

    def discard(self) -> list[moves.Discard]:
        return [moves.Discard(card) for card in self.cards()]

    def using(self) -> int | None:
        """Read [using CARD]"""
        return self.card() if self.said("using") else None

    def said(self, word: str) -> bool:
        """Tell whether the word stands here, and read it if so."""
        if not self.reader.has_word(word):
            return False
        self.reader.word(word)
        return True

    # ---- spices

    def sacks(self) -> list[Entry]:
        """Read SACKS: SPICE[@PLACE] [N], .."""
        entries = [self.sack()]
        while self.reader.has_sign(","):
            entries.append(self.sack())
        return entries

    def sack(self) -> Entry:
        """Read SPICE[@PLACE] [N]"""
        spice, place = self.spice_and_place()
        start = self.reader.place
        number = self.reader.number() if self.reader.has_number() else 1
        if not number:
            raise self.reader.fail("wrong_shape", since=start)
        return spice, place, number

    def spice_and_place(self) -> tuple[str, str | None]:
        """Read SPICE[@PLACE]"""
        spice = self.reader.word(*SPICES)
        return spice, self.place() if self.reader.has_sign("@") else None

    def place(self) -> str:
        """Read PLACE: a plantation's number, or a colony."""
        if self.reader.has_word(*COLONIES):
            return self.reader.word(*COLONIES)
        return self.reader.id(PLANTATIONS, beside=COLONIES)

    def spices(self) -> tuple[str, ...]:
        """Read SPICE, .. and return them in the order of SPICES."""
        found = [self.reader.word(*SPICES)]
        while self.reader.has_sign(","):
            found.append(self.reader.word(*SPICES))
        return tuple(sorted(found, key=SPICES.index))

    # ---- actions

    def progress(self) -> moves.AnyAction:
        column, using = self.reader.word(*COLUMNS), self.using()
        if self.said("from"):
            return moves.Progress(column, using, serving.returned(self.player, self.sacks()))
        cost = next_step(self.components, self.player, column) or ()
        if using is not None and self.components.cards[using].effect == WITHOUT_SPICES:
            cost = ()
        return moves.Progress(column, using, serving.price(self.player, cost))

    def harvest(self) -> moves.AnyAction:
        using = self.using()
        goods = dict.fromkeys(GOODS, 0)
        entries: list[Entry] = []
        more = using is None or self.reader.has_sign(":")
        while more:
            if self.reader.has_number():
                number = self.reader.number()
                goods[self.reader.word(*GOODS)] += number
            else:
                entries.append(self.sack())
            more = self.reader.has_sign(",")
        sacks = serving.taken(self.player, entries)
        return moves.Harvest(using, goods["ships"], goods["colonists"], sacks)

    def expedition(self) -> moves.AnyAction:
        number = self.reader.number() if self.reader.has_number() else None
        discards = self.discards()
        if number is not None:
            return moves.Expedition(number, discards)
        question = expedition_of(self.components, self.state, self.seat)
        if not discards and leaves_a_choice(self.state, question):
            return moves.Expedition(None, ())
        # Read at least one: the rules say why none is refused.
        most = drawing.most_drawn(self.state, question, len(discards))
        return moves.Expedition(max(1, most), discards)

    def found(self) -> list[Any]:
        orders: list[Any] = [moves.FoundColony(self.reader.word(*COLONIES), self.using())]
        if self.said("pay up to"):
            orders.append(moves.PayUpTo(self.reader.number()))
        if self.said("choose"):
            orders.append(moves.ChooseAhead(self.choose()))
        return orders

    def choose(self) -> moves.ChooseColony:
        ids = tuple(self.components.may_hold)
        words = tuple(tile for tile in ids if tile in COLONIES)
        if self.reader.has_word(*words) and not self.reader.has_id(ids):
            tile = self.reader.word(*words)
        else:
            tile = self.reader.id(ids)
        self.reader.sign(":")
        return moves.ChooseColony(tile, self.spices())

    def extra(self) -> list[Any]:
        read = READINGS[self.reader.word(*ACTIONS_NAMED)](self)
        action, *ahead = read if isinstance(read, list) else [read]
        return [moves.Extra(action), *ahead]

    # ---- cards and tiles in a turn

    def play(self) -> moves.AnyMove:
        card = self.card()
        if not self.reader.has_sign(":"):
            return moves.PlayCard(card, (), None)
        if self.reader.has_word(*COLUMNS):
            return moves.PlayCard(card, (), self.reader.word(*COLUMNS))
        sells = self.components.cards[card].effect == SELL
        serve = serving.returned if sells else serving.taken
        return moves.PlayCard(card, serve(self.player, self.sacks()), None)

    def use(self) -> moves.AnyMove:
        ids = tuple(self.components.by_id)
        words = (*ONCE_A_ROUND, *KEPT_TILES)
        if self.reader.has_id(ids) or not self.reader.has_word(*words):
            return self.use_tile(self.reader.id(ids, beside=words))
        word = self.reader.word(*words)
        return USES[word](self) if word in USES else moves.UseGoods(word)

    def use_spice(self) -> moves.AnyMove:
        spice, place = self.spice_and_place()
        ((_, place, _),) = serving.taken(self.player, [(spice, place, 1)])
        return moves.UseSpice(spice, place)

    def use_duty(self) -> moves.AnyMove:
        self.reader.sign(":")
        return moves.UseDuty(serving.returned(self.player, self.sacks()))

    def use_harvest(self) -> moves.AnyMove:
        self.reader.sign(":")
        fillings = [self.filling()]
        while self.reader.has_sign(","):
            fillings.append(self.filling())
        return moves.UseHarvest(tuple(sorted(fillings, key=lambda each: PLACES.index(each[0]))))

    def filling(self) -> tuple[str, tuple[str, ...]]:
        """Read PLACE [SPICE ..]"""
        place, found = self.place(), []
        while self.reader.has_word(*SPICES):
            found.append(self.reader.word(*SPICES))
        return place, tuple(sorted(found, key=SPICES.index))

    def use_trade(self) -> moves.AnyMove:
        return moves.UseTrade(self.reader.id(GRID))

    def use_tile(self, tile: str) -> moves.AnyMove:
        drop = self.reader.number() if self.said("drop") else None
        goods = self.reader.word(*GOODS) if self.said("gain") else None
        return moves.UseTile(tile, drop, goods)


USES: dict[str, Callable[[Grammar], moves.AnyMove]] = {
    "spice": Grammar.use_spice,
    "duty": Grammar.use_duty,
    "harvest": Grammar.use_harvest,
    "trade": Grammar.use_trade,
}

READINGS: dict[str, Callable[[Grammar], Any]] = {
    "quick": Grammar.quick,
    "flag": lambda grammar: grammar.declared(placing.FLAG),
    "marker": lambda grammar: grammar.declared(placing.MARKER),
    "bid": lambda grammar: moves.Bid(grammar.reader.number()),
    "pass": lambda grammar: moves.Pass(),
    "drop": lambda grammar: grammar.declared(tiles.DROP),
    "gain": lambda grammar: moves.ChooseGain(grammar.reader.word(*GOODS)),
    "draw": Grammar.draw,
    "progress": Grammar.progress,
    "ships": lambda grammar: moves.BuildShips(),
    "harvest": Grammar.harvest,
    "taxes": lambda grammar: moves.Taxes(),
    "expedition": Grammar.expedition,
    "found": Grammar.found,
    "pay": lambda grammar: moves.Pay(),
    "decline": lambda grammar: moves.Decline(),
    "choose": Grammar.choose,
    "play": Grammar.play,
    "use": Grammar.use,
    "extra": Grammar.extra,
    "discard": Grammar.discard,
    "done": lambda grammar: moves.EndTurn(),
    "wait": lambda grammar: moves.Wait(),
}
