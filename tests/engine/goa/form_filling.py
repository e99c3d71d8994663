"""Fills in the form of Goa so that it orders given moves, as a player would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.goa import moves
from engine.goa.components import Tile
from engine.goa.form import CHIPS
from engine.goa.lookups import ONCE_A_ROUND
from engine.goa.state import (
    PLANTATIONS,
    AwaitAdditional,
    AwaitBid,
    AwaitDone,
    AwaitFounding,
    AwaitTurnAction,
)
from engine.goa.view import GoaView


class Filled(dict[str, list[str]]):
    """Fields as a browser sends them."""

    def get(self, name: str, /) -> str | None:  # type: ignore[override]
        return self[name][0] if self.has(name) else None

    def has(self, name: str) -> bool:
        return bool(super().get(name))

    def getlist(self, name: str, /) -> list[str]:
        return super().get(name) or []


class Filling:
    """The fields for the moves of one answer: cards and tiles around at most one action."""

    def __init__(self, view: GoaView, seat: int) -> None:
        self.view, self.me = view, view.players[seat]
        self.fields = Filled()
        self.tiles: list[Tile] = [each.tile for each in self.me.tiles if not each.used]
        self.placed = {"before": 0, "after": 0, "": 0}

    def add(self, move: Any, moment: str) -> None:
        """Fill in one more move; `moment` is of a card or tile beside an action."""
        if isinstance(move, moves.Extra):
            move = move.action
        name = FILLERS[type(move)](self, move)
        if name is not None:
            self.placed[moment] += 1
            place = self.placed[moment]
            self.set(**{f"when-{name}": f"{moment}-{place}" if place > 1 else moment})

    def set(self, **fields: Any) -> None:
        self.fields.update({key: [str(value)] for key, value in fields.items() if value != ""})

    def tick(self, name: str, value: Any) -> str:
        self.fields.setdefault(name, []).append(str(value))
        return str(value)

    # ---- actions

    def progress(self, move: moves.Progress) -> None:
        self.set(act="progress", column=move.column)
        self.using("progress", move.using)
        for spice, place, number in move.sacks:
            begun = sum(name.startswith(f"pay-{spice}-") for name in self.fields)
            for at in range(begun + 1, begun + number + 1):
                self.set(**{f"pay-{spice}-{at}": place})

    def using(self, action: str, card: int | None) -> None:
        if card is not None:
            self.set(**{f"{action}-using": card})

    def harvest(self, move: moves.Harvest) -> None:
        self.set(act="harvest")
        self.using("harvest", move.using)
        if move.using is not None:
            self.set(**{"harvest-ships": move.ships, "harvest-colonists": move.colonists})
        laid: dict[str, int] = {}
        for spice, place, number in move.sacks:
            if place in PLANTATIONS:
                self.set(**{f"fill-{place}-{spice}": number})
                continue
            for _ in range(number):
                laid[place] = laid.get(place, 0) + 1
                self.set(**{f"fill-{place}-{laid[place]}": spice})

    def expedition(self, move: moves.Expedition) -> None:
        self.set(act="expedition", draw="" if move.cards is None else move.cards)
        self.fields["room"] = [str(card) for card in move.discard]

    def found(self, move: moves.FoundColony) -> None:
        self.set(act="found", colony=move.colony)
        self.using("found", move.using)

    def choose_ahead(self, move: moves.ChooseColony) -> None:
        (colony,) = self.fields["colony"]
        self.set(**{f"choose-{colony}": f"{move.tile}: {', '.join(move.spices)}"})

    # ---- cards and tiles

    def play(self, move: moves.PlayCard) -> str:
        card = next(each for each in self.me.hand or () if each.number == move.card)
        if move.column is not None:
            self.set(**{f"column-{move.card}": move.column})
        if card.gain.spices_of_choice:
            laid = [f"{spice}@{place}" for spice, place, number in move.sacks
                    for _ in range(number)]
            for at, one in enumerate(laid, 1):
                self.set(**{f"lay-{move.card}-{at}": one})
        else:
            self.sacks(f"sell-{move.card}", move.sacks)
        return self.tick("play", move.card)

    def sacks(self, prefix: str, sacks: Sequence[tuple[str, str, int]]) -> None:
        for spice, place, number in sacks:
            self.set(**{f"{prefix}-{spice}-{place}": number})

    def tile(self, **wanted: Any) -> str:
        """Take the first tile with these properties out of the unused ones, and tick it."""
        tile = next(each for each in self.tiles
                    if all(getattr(each, name) == value for name, value in wanted.items()))
        self.tiles.remove(tile)
        return self.tick("use", tile.id)

    def use_goods(self, move: moves.UseGoods) -> str:
        gain = ONCE_A_ROUND[move.goods]
        tile = next(each for each in self.tiles
                    if each.kind == "once_a_round" and getattr(each.gain, gain))
        return self.tile(id=tile.id)

    def use_spice(self, move: moves.UseSpice) -> str:
        name = self.use_goods(moves.UseGoods("spice"))
        self.set(**{f"lay-{name}": f"{move.spice}@{move.place}"})
        return name

    def use_duty(self, move: moves.UseDuty) -> str:
        name = self.tile(kind="duty", spices=sum(number for _, _, number in move.sacks))
        self.sacks(f"duty-{name}", move.sacks)
        return name

    def use_harvest(self, move: moves.UseHarvest) -> str:
        name = self.tile(kind="additional_harvest")
        for place, spices in move.fillings:
            self.set(**{f"fill-{name}-{place}": " ".join(spices) or "fill"})
        return name

    def use_trade(self, move: moves.UseTrade) -> str:
        name = self.tile(kind="trade")
        self.set(**{f"space-{name}": move.space})
        taken = self.view.space(move.space).tile
        assert taken is not None
        self.tiles.append(taken)
        return name

    def use_tile(self, move: moves.UseTile) -> str:
        name = self.tile(id=move.tile)
        self.set(**{f"drop-{name}": move.drop or "", f"gain-{name}": move.goods or ""})
        return name


def placed(filling: Filling, move: moves.PlaceFlag) -> None:
    """The flag, on the grid or outside its edge."""
    filling.set(**{"edge" if " " in move.space else "space": move.space})


def bid(filling: Filling, move: moves.Bid) -> None:
    """A bid, in the cells or in the list of higher ones."""
    question = filling.view.question
    assert isinstance(question, AwaitBid)
    above, purse = question.high_bid + CHIPS, filling.me.ducats or 0
    listed = move.ducats > above and purse > above + 1
    filling.set(**{"higher" if listed else "bid": move.ducats})


def drawn(filling: Filling, move: moves.DrawCards) -> None:
    """Discards and the cards drawn behind them."""
    filling.set(draw=move.cards)
    filling.fields["room"] = [str(card) for card in move.discard]


def passed(filling: Filling, move: moves.Pass) -> None:
    """To bid no more, or to take no additional action."""
    filling.set(**{"bid" if isinstance(filling.view.question, AwaitBid) else "act": "pass"})


def columns(filling: Filling, move: moves.QuickMarkers) -> None:
    """The columns of the quick start."""
    filling.set(quick="markers")
    filling.fields["columns"] = list(move.columns)


def colony(filling: Filling, move: moves.ChooseColony) -> None:
    """The tile of a founded colony and its spices."""
    filling.set(choose=f"{move.tile}: {', '.join(move.spices)}")


FILLERS: dict[type[Any], Any] = {
    moves.QuickMarkers: columns,
    moves.QuickDucats: lambda filling, move: filling.set(quick="ducats"),
    moves.PlaceFlag: placed,
    moves.PlaceMarker: lambda filling, move: filling.set(space=move.space),
    moves.Bid: bid,
    moves.Drop: lambda filling, move: filling.set(drop=move.place),
    moves.ChooseGain: lambda filling, move: filling.set(gain=move.goods),
    moves.DrawCards: drawn,
    moves.ChooseColony: colony,
    moves.Progress: Filling.progress,
    moves.BuildShips: lambda filling, move: filling.set(act="ships"),
    moves.Harvest: Filling.harvest,
    moves.Taxes: lambda filling, move: filling.set(act="taxes"),
    moves.Expedition: Filling.expedition,
    moves.FoundColony: Filling.found,
    moves.Pay: lambda filling, move: filling.set(act="pay"),
    moves.Decline: lambda filling, move: filling.set(act="decline"),
    moves.Pass: passed,
    moves.EndTurn: lambda filling, move: filling.set(act="done"),
    moves.PlayCard: Filling.play,
    moves.UseGoods: Filling.use_goods,
    moves.UseSpice: Filling.use_spice,
    moves.UseDuty: Filling.use_duty,
    moves.UseHarvest: Filling.use_harvest,
    moves.UseTrade: Filling.use_trade,
    moves.UseTile: Filling.use_tile,
}

IN_TURN = (AwaitTurnAction, AwaitAdditional, AwaitFounding, AwaitDone)
EXTRAS = (moves.PlayCard, moves.UseGoods, moves.UseSpice, moves.UseDuty, moves.UseHarvest,
          moves.UseTrade, moves.UseTile)


def filled_in(view: GoaView, seat: int, line: Sequence[Any]) -> Filled:
    """Return the fields that order these moves in this order, and keep the turn open."""
    filling = Filling(view, seat)
    acts = isinstance(view.question, AwaitTurnAction | AwaitAdditional)
    moment = "before" if acts else ""
    for at, move in enumerate(line):
        if at and isinstance(move, moves.Pay) and moment:
            filling.set(**{"pay-up-to": 1})
        elif at and isinstance(move, moves.ChooseColony):
            filling.choose_ahead(move)
        else:
            filling.add(move, moment)
        if acts and not isinstance(move, EXTRAS):
            moment = "after"
    if view.turn is not None and not isinstance(line[-1], moves.Pass | moves.EndTurn):
        filling.set(end="wait")
    return filling.fields
