"""Estimates what things are worth to one seat of Goa, in Victory Points (VP).

It uses only what the seat may see. The estimates were found by playing; the figures of the rules
come from the observation.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import combinations_with_replacement, product

from engine.api import Seat
from engine.goa.components import Card, Gain, Tile
from engine.goa.state import ACTIONS, ADDITIONAL, COLUMNS, SPICES, Sacks
from engine.goa.view import ColumnView, GoaSeatView, GoaView

SPICE_FOR_NEXT = 0.5  # a spice that the column's next step lacks
SPICE_FOR_LATER = 0.34  # a spice that the step after that lacks
SPICE_TO_SPARE = 0.05
SHIP = 0.47
PER_DUCAT = ((6, 0.32), (12, 0.24), (18, 0.17), (28, 0.1), (10**6, 0.05))  # by purse
SHIPS_WANTED = 8  # more ships are worth little
COLONIST = 0.32
CARD = 0.8  # an unseen expedition card
ADDITIONAL_ACTION = 1.5
FIELD = 0.1  # an empty field for one round
ENABLING = 0.5  # of the step that goods make payable
COLUMN_USES = {"ships": 0.75, "harvest": 0.9, "taxes": 0.55, "expedition": 0.3}  # uses per round
AVERAGE_SPICE = 0.3


class Judge:
    """Judges the table for one seat, from what that seat sees."""

    def __init__(self, table: GoaView, seat: Seat) -> None:
        self.table = table
        self.me: GoaSeatView = table.players[seat]
        self.ducats = self.me.ducats or 0
        self.hand: tuple[Card, ...] = self.me.hand or ()
        self._best: dict[tuple[int, tuple[str, ...]], float] = {}

    # ---- time

    @cached_property
    def rounds_left(self) -> int:
        """Return the number of rounds after this one, in both parts."""
        parts = 1 if self.table.part == "A" else 0
        return self.table.rounds * (1 + parts) - max(1, self.table.round)

    @cached_property
    def actions_left(self) -> int:
        """Return the seat's actions after the current one, or after the auctions."""
        each = self.table.figures.actions
        left = self.rounds_left * each + self.me.additional_cards
        if self.table.phase == ADDITIONAL:
            return left - 1
        if self.table.phase == ACTIONS and self.table.turn is not None:
            return left + each - self.table.turn.number
        return left + each

    @cached_property
    def use_left(self) -> float:
        """Return the share of its worth left to what needs actions to become VP."""
        return min(1.0, max(0, self.actions_left) / 3)

    # ---- goods

    @cached_property
    def per_ducat(self) -> float:
        """Return the worth of one more ducat (GO-9.1).

        It is much for a poor seat, and next to nothing at the end.
        """
        if not self.rounds_left and self.table.phase >= ACTIONS:
            return 0.04
        dear = next(worth for purse, worth in PER_DUCAT if self.ducats < purse)
        return dear * (0.5 + 0.5 * min(1.0, self.rounds_left / 4))

    def ships(self, number: int) -> float:
        """Return the worth of more ships; few are wanted beyond the cost of the next steps."""
        wanted = SHIPS_WANTED if self.actions_left > 2 else 5
        useful = max(0, min(number, wanted - self.me.ships))
        worth = self.use_left * (useful * SHIP + (number - useful) * 0.06)
        return worth + self.enabling(number, ())

    def enabling(self, ships: int, spices: tuple[str, ...]) -> float:
        """Return part of the best step that these goods make payable, while an action is left."""
        if not self.actions_left:
            return 0.0
        now = self.best_step(self.me.ships, ())
        return ENABLING * (self.best_step(self.me.ships + ships, spices) - now)

    def best_step(self, ships: int, more: tuple[str, ...]) -> float:
        """Return the best step that can be paid with so many ships and these extra sacks."""
        if (ships, more) not in self._best:
            self._best[ships, more] = max(
                (
                    worth for worth, cost in self.steps
                    if len(cost) <= ships and all(
                        cost.count(spice) <= self.stock[spice] + more.count(spice) for spice in cost
                    )
                ),
                default=0.0,
            )
        return self._best[ships, more]

    @cached_property
    def steps(self) -> list[tuple[float, tuple[str, ...]]]:
        """Return the next steps: the worth and the cost of each."""
        return [
            (self.step(column) - 0.3 * len(column.next_cost), column.next_cost)
            for column in self.me.columns if column.next_cost
        ]

    def colonists(self, number: int) -> float:
        """Return the worth of more colonists, while there is something to found."""
        if not self.colonies_open or not self.actions_left:
            return 0.0
        useful = max(0, min(number, 9 - self.me.colonists))
        return self.use_left * (useful * COLONIST + (number - useful) * 0.05)

    @cached_property
    def colonies_open(self) -> int:
        """Return how many colonies this seat could still found."""
        return sum(
            mine.tile is None and bool(stock.tiles)
            for mine, stock in zip(self.me.colonies, self.table.colonies, strict=True)
        )

    @cached_property
    def stock(self) -> dict[str, int]:
        """Return the seat's sacks by spice."""
        fields = [field for place in self.me.plantations for field in place.fields]
        fields += [field for place in self.me.colonies for field in place.fields]
        sacks = [field.sack for field in fields]
        return {spice: sacks.count(spice) for spice in SPICES}

    @cached_property
    def uses(self) -> dict[str, list[float]]:
        """Return by spice the worth of its first, second, .. sack, given the steps that need it."""
        found: dict[str, list[float]] = {spice: [] for spice in SPICES}
        for column in self.me.columns:
            steps = self.table.figures.costs[column.column][column.row - 1 :]
            for worth, step in zip((SPICE_FOR_NEXT, SPICE_FOR_LATER), steps, strict=False):
                for spice in step:
                    found[spice].append(worth * self.use_left)
        return {spice: sorted(worths, reverse=True) for spice, worths in found.items()}

    def sack(self, spice: str, place: int) -> float:
        """Return the worth of the seat's sack in this place (from 0) of all sacks of a spice."""
        worths = self.uses[spice]
        return worths[place] if place < len(worths) else SPICE_TO_SPARE * self.use_left

    def spices_more(self, spices: Iterable[str]) -> float:
        """Return the worth of these sacks in addition to the seat's own."""
        more: dict[str, int] = {}
        worth = 0.0
        for spice in spices:
            worth += self.sack(spice, self.stock[spice] + more.get(spice, 0))
            more[spice] = more.get(spice, 0) + 1
        return worth

    def spices_less(self, sacks: Sacks) -> float:
        """Return the worth of these sacks among the seat's own."""
        less: dict[str, int] = {}
        worth = 0.0
        for spice, _, number in sacks:
            for _ in range(number):
                less[spice] = less.get(spice, 0) + 1
                worth += self.sack(spice, self.stock[spice] - less[spice])
        return worth

    def taken(self, sacks: Sacks) -> float:
        """Return the worth of these sacks on fields that are empty now."""
        spices = sorted(spice for spice, _, number in sacks for _ in range(number))
        return self.spices_more(spices) + self.enabling(0, tuple(spices))

    def gain(self, gain: Gain) -> float:
        """Return the worth of what a tile or card gives."""
        return (
            self.ships(gain.ships)
            + self.colonists(gain.colonists)
            + gain.ducats * self.per_ducat
            + gain.additional_action_cards * self.additional_action
            + min(gain.expedition_cards, self.room + 1) * CARD
            + gain.spices_of_choice * AVERAGE_SPICE * self.use_left
        )

    @cached_property
    def additional_action(self) -> float:
        """Return the worth of an additional action card."""
        return ADDITIONAL_ACTION if self.rounds_left or self.table.phase < ADDITIONAL else 0.8

    # ---- expedition cards

    @cached_property
    def room(self) -> int:
        """Return how many cards fit into the hand."""
        return max(0, self.me.hand_limit - self.me.cards)

    def kept(self, card: Card) -> float:
        """Return the worth of a card in hand: its final count, and what it may still do."""
        alike = sum(each.symbol == card.symbol for each in self.hand)
        table = self.table.figures.symbols_vp
        last = table[alike - 1] - (table[alike - 2] if alike > 1 else 0)
        return last * (0.75 if self.rounds_left > 2 else 0.95) + 0.1 * self.use_left

    # ---- the development board

    def step(self, column: ColumnView) -> float:
        """Return the worth of a marker one row down, whatever it costs (GO-4.8).

        It has VP, what the column gives, and cards.
        """
        rows = self.table.figures.markers_vp
        worth = float(rows[column.row] - rows[column.row - 1])
        return worth + self.column_gain(column) + self.rewards(column)

    def column_gain(self, column: ColumnView) -> float:
        """Return the worth of one more row of a column in the rounds to come."""
        more = (column.next_value or 0) - column.value
        ahead = min(1.0, self.actions_left / 3) * (self.rounds_left + 0.3)
        if column.column == "colonists":
            return more * COLONIST * min(self.colonies_open, self.actions_left / 3) * 0.6
        each = {
            "ships": SHIP,
            "harvest": AVERAGE_SPICE,
            "taxes": self.per_ducat,
            "expedition": CARD,
        }[column.column]
        limit = 0.0
        if column.column == "expedition":
            limits = self.table.figures.hand_limits
            limit = (limits[column.row] - limits[column.row - 1]) * 0.8 * self.use_left
        return more * each * COLUMN_USES[column.column] * ahead + limit

    def rewards(self, column: ColumnView) -> float:
        """Return the worth of the cards of GO-4.8 for reaching the next row."""
        row, figures = column.row + 1, self.table.figures
        others = [
            player.column(column.column).row
            for player in self.table.players if player.seat != self.me.seat
        ]
        worth = 0.0
        if max(others) < row:
            worth += figures.first_in_row.get(row, 0) * CARD
        if all(each.row >= row for each in self.me.columns if each.column != column.column):
            worth += figures.all_markers_in_row.get(row, 0) * self.additional_action
        return worth

    # ---- colonies

    def colony(self, name: str) -> float:
        """Return the worth of one more colony: VP and its fields, with their spices."""
        founded = sum(colony.tile is not None for colony in self.me.colonies)
        vp = (0, *self.table.figures.colonies_vp)
        fields = self.table.stock(name).fields
        spices = fields * (0.35 * self.use_left + FIELD * self.rounds_left)
        return vp[founded + 1] - vp[founded] + spices

    def founding(self, name: str, reveal: int) -> float:
        """Return the worth of an attempt at a colony, by the odds of revealed cards (GO-5.2)."""
        short = self.table.stock(name).needed - self.me.columns[COLUMNS.index("colonists")].value
        cases = [short - sum(shown) for shown in product((1, 2, 3), repeat=reveal)]
        gain, failure = self.colony(name), self.colonists(1)
        return sum(
            gain - 0.2 * max(0, missing) if missing <= self.me.colonists else failure
            for missing in cases
        ) / len(cases)

    @cached_property
    def colony_spices(self) -> dict[tuple[str, ...], float]:
        """Return the cached worths of spices for a colony."""
        return {
            spices: self.spices_more(spices)
            for number in (1, 2, 3)
            for spices in combinations_with_replacement(SPICES, number)
        }

    # ---- tiles

    def tile(self, tile: Tile) -> float:
        """Return the worth of a tile that is won or taken (GO-8)."""
        if tile.kind == "plantation":
            return self.plantation(tile)
        if tile.kind == "once_a_round":
            return self.gain(tile.gain) * 0.9 * (self.rounds_left + 1)
        if tile.kind == "duty":
            rich = sum(self.stock.values()) >= tile.spices
            return 0.6 * tile.vp if self.rounds_left else 0.7 * tile.vp * rich
        if tile.kind == "immediate":
            return max([self.gain(tile.gain), *(self.gain(gain) for _, gain in tile.choices)])
        if tile.kind == "additional_harvest":
            return 1.6 * self.use_left
        return float(tile.vp) if tile.kind == "mission" else 1.5

    def plantation(self, tile: Tile) -> float:
        """Return its VP and its fields with their spices; a full board loses the worst of four."""
        worth = self.fields(tile) + self.spices_more([tile.spice] * tile.fields)
        if any(place.tile is None for place in self.me.plantations):
            return worth
        return worth - min(self.dropped(place) for place in range(len(self.me.plantations)))

    def fields(self, tile: Tile) -> float:
        """Return a plantation's VP and empty fields."""
        return tile.vp + tile.fields * FIELD * self.rounds_left

    def dropped(self, place: int) -> float:
        """Return the loss from dropping the plantation in this place (from 0).

        The VP of a single field stay.
        """
        plantation = self.me.plantations[place]
        if plantation.tile is None:
            return 0.0
        sacks = len(plantation.fields) - plantation.empty
        lost = self.spices_less(((plantation.tile.spice, "", sacks),)) if sacks else 0.0
        return self.fields(plantation.tile) - plantation.tile.vp + lost

    def lot(self, tile: Tile | None) -> float:
        """Return the worth of a lot; None is the flag, with its card (GO-3.3)."""
        return self.additional_action + 0.2 if tile is None else self.tile(tile)
