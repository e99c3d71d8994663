"""Builds what one viewer may see of the table, field by field (rules, section 11).

Hidden are purses, the faces of cards in hand, the order of the deck, and tiles not laid out. A
purse and a hand are shown to their owner, and to everyone after the game (GO-9.1).
"""

from __future__ import annotations

from msgspec import Struct

from engine.api import Seat, Viewer
from engine.goa.components import Card, GoaComponents, Tile
from engine.goa.lookups import hand_limit, is_ready, next_step, taken_by
from engine.goa.state import (
    COLONIES,
    COLUMNS,
    GRID,
    PLANTATIONS,
    ROWS,
    SOURCES,
    SPICES,
    AwaitBid,
    AwaitDrop,
    AwaitGoods,
    Colony,
    GoaPlayer,
    GoaState,
    Question,
    TurnSoFar,
)


class SpaceView(Struct, frozen=True):
    """A space of the grid: its tile, and the number and owner of a marker on it."""

    space: str
    tile: Tile | None
    marker: int | None
    owner: Seat | None


class LotView(Struct, frozen=True):
    """A marker's lot; `tile` is None for the flag. `speaking` lists the seats still to bid.

    `stands` is "open" for the lot under the hammer, else "waiting".
    """

    number: int
    space: str
    tile: Tile | None
    auctioneer: Seat
    stands: str
    speaking: tuple[Seat, ...]
    high_bid: int
    high_bidder: Seat | None


class SoldLotView(Struct, frozen=True):
    """A lot auctioned in this round; `tile` is None for the flag. `ducats` is 0 without a bid."""

    number: int
    space: str
    tile: Tile | None
    auctioneer: Seat
    buyer: Seat
    ducats: int


class FieldView(Struct, frozen=True):
    """A field: the spice on it (None: empty), and what it may hold."""

    sack: str | None
    may_hold: tuple[str, ...]


class PlantationView(Struct, frozen=True):
    """A plantation place, 1 to 4; `tile` is None if nothing is there."""

    place: str
    tile: Tile | None
    fields: tuple[FieldView, ...]

    @property
    def empty(self) -> int:
        """Return the number of fields without a sack."""
        return sum(field.sack is None for field in self.fields)


class ColonyView(Struct, frozen=True):
    """The place of a colony; `tile` is None if it is not founded."""

    place: str
    tile: str | None
    fields: tuple[FieldView, ...]

    @property
    def empty(self) -> int:
        """Return the number of fields without a sack."""
        return sum(field.sack is None for field in self.fields)


class ColumnView(Struct, frozen=True):
    """A column of a development board.

    `value` is the number in the marker's row, `next_value` the one below. `next_cost` lists the
    spices of the step, with a ship for each; it is None in the last row.
    """

    column: str
    row: int
    value: int
    next_value: int | None
    next_cost: tuple[str, ...] | None


class KeptTileView(Struct, frozen=True):
    """A tile face up in front of its seat: `used` in this round, or `ready` to be used now."""

    tile: Tile
    used: bool
    ready: bool


class GoaSeatView(Struct, frozen=True):
    """A seat's holdings. `ducats` and `hand` are None for viewers who may not see them.

    `points` counts by source; before the end it has what is open: markers, colonies, tiles.
    """

    seat: Seat
    ducats: int | None
    hand: tuple[Card, ...] | None
    cards: int
    hand_limit: int
    ships: int
    colonists: int
    additional_cards: int
    columns: tuple[ColumnView, ...]
    plantations: tuple[PlantationView, ...]
    colonies: tuple[ColonyView, ...]
    tiles: tuple[KeptTileView, ...]
    face_down: tuple[Tile, ...]
    points: dict[str, int]
    passed: bool

    @property
    def vp(self) -> int:
        """Return the Victory Points from all sources shown."""
        return sum(self.points.values())

    def column(self, column: str) -> ColumnView:
        """Return one column of the development board."""
        return self.columns[COLUMNS.index(column)]


class ColonyStockView(Struct, frozen=True):
    """A colony to found: colonists needed, fields, and tiles left with what they may hold."""

    colony: str
    needed: int
    fields: int
    tiles: tuple[tuple[str, tuple[str, ...]], ...]


class GoaFigures(Struct, frozen=True):
    """The printed figures that a player weighs moves by."""

    takes: dict[str, tuple[int, ...]]  # by column, rows 1 to 5
    hand_limits: tuple[int, ...]
    costs: dict[str, tuple[tuple[str, ...], ...]]
    markers_vp: tuple[int, ...]
    colonies_vp: tuple[int, ...]
    symbols_vp: tuple[int, ...]
    most_ducats_vp: int
    actions: int
    reveal: int
    additional_cards_kept: int
    first_in_row: dict[int, int]  # expedition cards (GO-4.8)
    all_markers_in_row: dict[int, int]  # additional action cards (GO-4.8)


class GoaView(Struct, frozen=True):
    """The whole table for one viewer."""

    viewer: Viewer
    part: str
    round: int
    rounds: int  # per part
    phase: int
    start_player: Seat
    flag: str | None
    grid: tuple[SpaceView, ...]
    lots: tuple[LotView, ...]
    sold: tuple[SoldLotView, ...]
    deck: int
    discards: tuple[Card, ...]
    revealed: tuple[Card, ...]
    settling: Tile | None  # won tile that the question is about (GO-3.4)
    colonies: tuple[ColonyStockView, ...]
    players: tuple[GoaSeatView, ...]
    figures: GoaFigures
    quick_start: bool
    limited: str  # option `hand_limit`
    turn: TurnSoFar | None
    asked: tuple[Seat, ...]
    question: Question | None
    places: tuple[int, ...]

    def space(self, space: str) -> SpaceView:
        """Return a space of the grid."""
        return self.grid[GRID.index(space)]

    def stock(self, colony: str) -> ColonyStockView:
        """Return what is left of a colony."""
        return self.colonies[COLONIES.index(colony)]


def observation(components: GoaComponents, state: GoaState, viewer: Viewer) -> GoaView:
    """Return the table as `viewer` may see it (rules, section 11)."""
    asked = state.awaiting
    won = asked.tile if isinstance(asked, AwaitGoods | AwaitDrop) else None
    return GoaView(
        viewer=viewer,
        part=state.part,
        round=state.round,
        rounds=components.rules.rounds_per_part,
        phase=state.phase,
        start_player=state.start_player,
        flag=state.flag,
        grid=grid_view(components, state),
        lots=lot_views(components, state),
        sold=sold_views(components, state),
        deck=len(state.deck),
        discards=tuple(components.cards[card] for card in state.discards),
        revealed=tuple(components.cards[card] for card in state.revealed),
        settling=None if won is None else components.by_id[won],
        colonies=stock_views(components, state),
        players=tuple(
            seat_view(components, state, seat, viewer) for seat in range(len(state.players))
        ),
        figures=figures(components),
        quick_start=state.quick_start,
        limited=state.hand_limit,
        turn=state.turn,
        asked=() if asked is None else tuple(asked.seats),
        question=asked,
        places=state.places,
    )


def figures(components: GoaComponents) -> GoaFigures:
    """Return the printed figures of a component set."""
    development, rules = components.development, components.rules
    bonus = development.bonus
    return GoaFigures(
        takes=components.takes,
        hand_limits=development.expedition.hand_limit,
        costs={column: tuple(steps) for column, steps in components.costs.items()},
        markers_vp=development.vp.rows,
        colonies_vp=components.colonies_vp.by_number,
        symbols_vp=components.final.symbols_vp,
        most_ducats_vp=components.final.most_ducats_vp,
        actions=rules.actions,
        reveal=rules.reveal_when_founding,
        additional_cards_kept=rules.additional_action_cards_kept,
        first_in_row={int(row): gain.expedition_cards for row, gain in bonus.first_in_row.items()},
        all_markers_in_row={
            int(row): gain.additional_action_cards for row, gain in bonus.all_markers_in_row.items()
        },
    )


def grid_view(components: GoaComponents, state: GoaState) -> tuple[SpaceView, ...]:
    """Return the grid in reading order, with the markers on it (GO-2.2)."""
    marked = {marker.space: marker for marker in state.markers}
    views = []
    for space, name in zip(GRID, state.grid, strict=True):
        tile = None if name is None else components.by_id[name]
        marker = marked.get(space)
        number, owner = (None, None) if marker is None else (marker.number, marker.seat)
        views.append(SpaceView(space, tile, number, owner))
    return tuple(views)


def lot_views(components: GoaComponents, state: GoaState) -> tuple[LotView, ...]:
    """Return the lots still to be auctioned; the first may be under the hammer (GO-3.1)."""
    views = []
    for marker in state.markers:
        name = None if marker.space == state.flag else state.grid[GRID.index(marker.space)]
        tile = None if name is None else components.by_id[name]
        stands, speaking, high, bidder = "waiting", order_of(state, marker.seat), 0, None
        auction = state.awaiting
        if isinstance(auction, AwaitBid) and auction.lot == marker.number:
            stands, speaking = "open", auction.still_to_bid
            high, bidder = auction.high_bid, auction.high_bidder
        views.append(
            LotView(marker.number, marker.space, tile, marker.seat, stands, speaking, high, bidder)
        )
    return tuple(views)


def sold_views(components: GoaComponents, state: GoaState) -> tuple[SoldLotView, ...]:
    """Return the auctioned lots of this round; buyers and prices are open (GO-3.2)."""
    return tuple(
        SoldLotView(
            lot.number,
            lot.space,
            None if lot.tile is None else components.by_id[lot.tile],
            lot.auctioneer,
            lot.buyer,
            lot.ducats,
        )
        for lot in state.sold
    )


def order_of(state: GoaState, auctioneer: Seat) -> tuple[Seat, ...]:
    """Return the order of bidding: from the auctioneer's left to the auctioneer (GO-3.1)."""
    seats = len(state.players)
    return tuple((auctioneer + step) % seats for step in range(1, seats + 1))


def stock_views(components: GoaComponents, state: GoaState) -> tuple[ColonyStockView, ...]:
    """Return the colonies with the tiles that are left (GO-5.1)."""
    return tuple(
        ColonyStockView(
            colony=name,
            needed=row.colonists,
            fields=row.fields,
            tiles=tuple((tile, components.may_hold[tile]) for tile in left),
        )
        for (name, row), left in zip(components.colonies.items(), state.colony_tiles, strict=True)
    )


# ---- seats -------------------------------------------------------------------------------------


def seat_view(
    components: GoaComponents, state: GoaState, seat: Seat, viewer: Viewer
) -> GoaSeatView:
    """Return one seat's holdings (rules, section 11).

    Purse and hand are shown to their owner, and to everyone at the end.
    """
    player = state.players[seat]
    shown = seat == viewer or bool(state.places)
    return GoaSeatView(
        seat=seat,
        ducats=player.ducats if shown else None,
        hand=tuple(components.cards[card] for card in player.hand) if shown else None,
        cards=len(player.hand),
        hand_limit=hand_limit(components, player),
        ships=player.ships,
        colonists=player.colonists,
        additional_cards=player.additional_cards,
        columns=tuple(column_view(components, player, column) for column in COLUMNS),
        plantations=plantation_views(components, player),
        colonies=colony_views(player),
        tiles=tuple(
            KeptTileView(
                components.by_id[tile],
                used=tile in player.used,
                ready=is_ready(components, state, player, tile),
            )
            for tile in player.tiles
        ),
        face_down=tuple(components.by_id[tile] for tile in player.face_down),
        points=points(components, state, player),
        passed=seat in state.passed,
    )


def points(components: GoaComponents, state: GoaState, player: GoaPlayer) -> dict[str, int]:
    """Return VP by source: the final count, or what is open before it (GO-9.1)."""
    if state.places:
        return dict(zip(SOURCES, player.points, strict=True))
    found = dict.fromkeys(SOURCES, 0)
    rows = components.development.vp.rows
    found["markers"] = sum(rows[row - 1] for row in player.markers)
    colonies = sum(colony is not None for colony in player.colonies)
    if colonies:
        found["colonies"] = components.colonies_vp.by_number[colonies - 1]
    board = tuple(each.tile for each in player.plantations if each is not None)
    found["tiles"] = sum(components.by_id[tile].vp for tile in player.face_down + board)
    return found


def column_view(components: GoaComponents, player: GoaPlayer, column: str) -> ColumnView:
    """Return a column with its next step (GO-4.1, GO-4.2)."""
    row = player.markers[COLUMNS.index(column)]
    below = components.takes[column][row] if row < ROWS else None
    cost = next_step(components, player, column)
    return ColumnView(column, row, taken_by(components, player, column), below, cost)


def plantation_views(components: GoaComponents, player: GoaPlayer) -> tuple[PlantationView, ...]:
    """Return the four plantation places (GO-8.1)."""
    views = []
    for place, plantation in zip(PLANTATIONS, player.plantations, strict=True):
        if plantation is None:
            views.append(PlantationView(place, None, ()))
            continue
        sacks = [plantation.spice] * plantation.sacks
        fields = fields_view(sacks, plantation.fields, (plantation.spice,))
        views.append(PlantationView(place, components.by_id[plantation.tile], fields))
    return tuple(views)


def colony_views(player: GoaPlayer) -> tuple[ColonyView, ...]:
    """Return the places of the four colonies (GO-5.2)."""
    return tuple(
        ColonyView(name, None, ()) if colony is None else colony_view(name, colony)
        for name, colony in zip(COLONIES, player.colonies, strict=True)
    )


def colony_view(name: str, colony: Colony) -> ColonyView:
    """Return a founded colony."""
    sacks = [
        spice for spice, number in zip(SPICES, colony.sacks, strict=True) for _ in range(number)
    ]
    return ColonyView(name, colony.tile, fields_view(sacks, colony.fields, colony.spices))


def fields_view(
    sacks: list[str], fields: int, may_hold: tuple[str, ...]
) -> tuple[FieldView, ...]:
    """Return fields with their sacks first, then the empty ones."""
    return tuple(
        FieldView(sacks[place] if place < len(sacks) else None, may_hold)
        for place in range(fields)
    )
