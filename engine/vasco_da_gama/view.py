"""Builds what one viewer may see of the table, field by field (rules, section 10).

All holdings are open, so every viewer sees the same. Hidden from everyone are the orders of decks,
Vasco da Gama tiles and merchant ships below the face-up ones.
"""

from __future__ import annotations

from msgspec import Struct

from engine.api import Seat, Viewer
from engine.vasco_da_gama.components import Bonus, TileView, VascoComponents
from engine.vasco_da_gama.state import (
    AREAS,
    CHARACTERS,
    LANDINGS,
    SOURCES,
    Disc,
    Question,
    Ship,
    VascoState,
)

BONUSES = ("projects", "sailors", "captains", "reals")


class VascoTileView(Struct, frozen=True):
    """A face-up Vasco da Gama tile: initial number, variation, Reals of upper and lower space."""

    initial: int
    variation: int
    money: tuple[int, ...]


class DiscView(Struct, frozen=True):
    """An action disc; `status` is "placed", "taken", "given_up" or "hosting"."""

    seat: Seat
    area: str
    status: str


class NumberView(Struct, frozen=True):
    """A sequence number: its price at the marker as it stands, the gain of giving up, its disc."""

    number: int
    price: int
    gain: int
    disc: DiscView | None
    ordinary: bool


class AreaView(Struct, frozen=True):
    """The action slots of an area: their number, and how many hold a placed disc."""

    area: str
    slots: int
    used: int

    @property
    def free(self) -> int:
        """Return the number of action slots without a disc."""
        return self.slots - self.used


class CharacterView(Struct, frozen=True):
    """A character: the seat with its tile, and the seat whose disc hosts it this round."""

    key: str
    owner: Seat | None
    host: Seat | None


class ShipView(Struct, frozen=True):
    """A ship in the navigation area; a merchant ship has neither owner nor tile."""

    owner: Seat | None
    tile: str | None
    limit: int
    reals: int
    vp: int


class SlotView(Struct, frozen=True):
    """A ship slot: `index` from 0 at the left, `label` as orders write it (9a, 9b, 7)."""

    index: int
    label: str
    value: int
    ship: ShipView | None


class LandingView(Struct, frozen=True):
    """A landing. `bonus` is one of `BONUSES` or None; `bonus_count` is what a ship gets."""

    word: str
    name: str
    complete_vp: int
    bonus: str | None
    bonus_count: int
    complete: bool
    slots: tuple[SlotView, ...]

    @property
    def empty(self) -> tuple[SlotView, ...]:
        """Return the slots without a ship, from the left."""
        return tuple(slot for slot in self.slots if slot.ship is None)


class SailingView(Struct, frozen=True):
    """A seat's ship in the navigation area and where it lies."""

    tile: TileView
    landing: str
    slot: str


class VascoSeatView(Struct, frozen=True):
    """A seat's holdings. Crew is counted by CREW; points are VP by source."""

    seat: Seat
    reals: int
    vp: int
    points: dict[str, int]
    captains: int
    captains_waiting: int
    crew: tuple[int, ...]
    projects: tuple[TileView, ...]
    ships: tuple[TileView, ...]
    sailing: tuple[SailingView, ...]
    boarded: int
    characters: tuple[str, ...]
    discs_to_place: int
    discs_to_act: tuple[int, ...]
    additional: bool


class VascoFigures(Struct, frozen=True):
    """The printed figures that a player weighs moves by."""

    project_prices: tuple[int, ...]
    sailor_prices: tuple[int, ...]
    captain_price: int
    section_capacity: int
    dias_vp: int
    alvares_missionaries: int
    reals_per_vp: int
    vp_per_ship: int


class VascoView(Struct, frozen=True):
    """The whole table for one viewer."""

    viewer: Viewer
    round: int
    rounds: int
    phase: int
    first_player: Seat
    marker: int
    tile: VascoTileView | None
    upcoming: VascoTileView | None
    tiles_left: int
    numbers: tuple[NumberView, ...]
    areas: tuple[AreaView, ...]
    offer: tuple[TileView | None, ...]
    gabriel: TileView | None
    next_gabriel: TileView | None
    decks: tuple[tuple[int, TileView | None], ...]
    merchant: int | None
    next_merchant: int | None
    merchants_left: int
    money: tuple[int | None, int | None]
    sections: tuple[tuple[int, ...], ...]
    bag: tuple[int, ...]
    missionaries: int
    figures: VascoFigures
    characters: tuple[CharacterView, ...]
    landings: tuple[LandingView, ...]
    players: tuple[VascoSeatView, ...]
    asked: tuple[Seat, ...]
    question: Question | None
    places: tuple[int, ...]

    @property
    def laid(self) -> tuple[NumberView, ...]:
        """Return the numbers with a disc, in their order."""
        return tuple(each for each in self.numbers if each.disc is not None)

    def tile_of(self, tile_id: str) -> TileView | None:
        """Return a tile that lies open on the table or before a seat, or None."""
        return next((tile for tile in self.open_tiles() if tile.id == tile_id), None)

    def open_tiles(self) -> list[TileView]:
        """Return all project tiles that lie open, ships included."""
        laid = [*self.offer, self.gabriel, *(top for _, top in self.decks)]
        tiles = [tile for tile in laid if tile is not None]
        for player in self.players:
            tiles += (*player.projects, *player.ships, *(each.tile for each in player.sailing))
        return tiles

    def landing(self, word: str) -> LandingView:
        """Return the landing with this order word."""
        return self.landings[LANDINGS.index(word)]

    def area(self, area: str) -> AreaView:
        """Return the action slots of one area."""
        return self.areas[AREAS.index(area)]


def observation(components: VascoComponents, state: VascoState, viewer: Viewer) -> VascoView:
    """Return the table as `viewer` may see it (rules, section 10)."""
    tiles = components.faces
    sailing = sailing_views(components, state)
    tops = [deck[0] if deck else None for deck in state.decks]
    return VascoView(
        viewer=viewer,
        round=state.round,
        rounds=components.profile.rounds,
        phase=state.phase,
        first_player=state.first_player,
        marker=state.marker,
        tile=vasco_tile(components, state.tile),
        upcoming=vasco_tile(components, state.upcoming),
        tiles_left=len(state.tiles),
        numbers=number_views(components, state),
        areas=area_views(components, state),
        offer=tuple(None if tile is None else tiles[tile] for tile in state.offer),
        gabriel=None if state.gabriel is None else tiles[state.gabriel],
        next_gabriel=next((tiles[top] for top in tops if top is not None), None),
        decks=tuple(
            (len(deck), None if top is None else tiles[top])
            for deck, top in zip(state.decks, tops, strict=True)
        ),
        merchant=state.merchant,
        next_merchant=state.next_merchant,
        merchants_left=len(state.merchants),
        money=state.money,
        sections=state.sections,
        bag=state.bag,
        missionaries=state.missionaries,
        figures=figures(components),
        characters=tuple(
            CharacterView(key, owner, host)
            for key, owner, host in zip(CHARACTERS, state.owners, state.hosts, strict=True)
        ),
        landings=landing_views(components, state),
        players=tuple(
            player_view(components, state, seat, tuple(ships)) for seat, ships in enumerate(sailing)
        ),
        asked=() if state.awaiting is None else tuple(state.awaiting.seats),
        question=state.awaiting,
        places=state.places,
    )


def seat_view(components: VascoComponents, state: VascoState, seat: Seat) -> VascoSeatView:
    """Return one seat's part of the table, as all see it."""
    return player_view(components, state, seat, tuple(sailing_views(components, state)[seat]))


def figures(components: VascoComponents) -> VascoFigures:
    """Return the printed figures of a component set."""
    recruiting = components.recruiting
    return VascoFigures(
        project_prices=tuple(components.projects_action.prices),
        sailor_prices=tuple(recruiting.sailor_price_by_colours),
        captain_price=recruiting.captain_price_per_sailor,
        section_capacity=recruiting.section_capacity,
        dias_vp=components.characters.dias_vp,
        alvares_missionaries=components.characters.alvares_missionaries,
        reals_per_vp=components.final.reals_per_vp,
        vp_per_ship=components.final.vp_per_ship_with_captain,
    )


def vasco_tile(components: VascoComponents, place: int | None) -> VascoTileView | None:
    """Return a face-up Vasco da Gama tile by its place in the component set."""
    if place is None:
        return None
    row = components.vasco_da_gama_tiles[place]
    return VascoTileView(row.initial, row.variation, tuple(row.reals))


def number_views(components: VascoComponents, state: VascoState) -> tuple[NumberView, ...]:
    """Return the numbers zone: all sequence numbers with their discs (VG-3.2 to 3.4)."""
    discs = {disc.number: disc for disc in state.discs}
    ordinary = components.numbers.ordinary
    return tuple(
        NumberView(
            number=number,
            price=max(0, state.marker - number),
            gain=components.gains[number],
            disc=disc_view(discs.get(number)),
            ordinary=number <= ordinary,
        )
        for number in (*range(1, ordinary + 1), *components.numbers.additional)
    )


def disc_view(disc: Disc | None) -> DiscView | None:
    """Return a disc without its number."""
    return None if disc is None else DiscView(disc.seat, disc.area, disc.status)


def area_views(components: VascoComponents, state: VascoState) -> tuple[AreaView, ...]:
    """Return the action slots; only a disc that is still to be called fills one (VG-3.5)."""
    slots = components.slots[len(state.players)]
    placed = [disc.area for disc in state.discs if disc.status == "placed"]
    return tuple(AreaView(area, slots[area], placed.count(area)) for area in AREAS)


def landing_views(components: VascoComponents, state: VascoState) -> tuple[LandingView, ...]:
    """Return the landings from Natal up, with all ships that lie there (VG-5.4)."""
    views = []
    for row, ships in zip(components.landings, state.landings, strict=True):
        bonus, count = bonus_of(row.bonus)
        slots = tuple(
            SlotView(index, label, value, ship_view(components.faces, ship))
            for index, (label, value, ship) in enumerate(
                zip(components.labels[row.word], row.slots, ships, strict=True)
            )
        )
        complete = all(ship is not None for ship in ships)
        views.append(
            LandingView(row.word, row.name, row.complete_vp, bonus, count, complete, slots)
        )
    return tuple(views)


def bonus_of(bonus: Bonus) -> tuple[str | None, int]:
    """Return the kind of a landing's bonus for a ship, and its number (VG-5.3)."""
    for key in BONUSES:
        count = getattr(bonus, key)
        if count:
            return key, count
    return None, 0


def ship_view(tiles: dict[str, TileView], ship: Ship | None) -> ShipView | None:
    """Return a ship with what its tile earns; a merchant ship earns nothing (VG-6.7)."""
    if ship is None:
        return None
    if ship.tile is None:
        return ShipView(None, None, ship.limit, 0, 0)
    tile = tiles[ship.tile]
    return ShipView(ship.owner, ship.tile, ship.limit, tile.reals, tile.vp)


def player_view(
    components: VascoComponents,
    state: VascoState,
    seat: Seat,
    sailing: tuple[SailingView, ...],
) -> VascoSeatView:
    """Return one seat's holdings, all of them open (rules, section 10)."""
    player, tiles = state.players[seat], components.faces
    return VascoSeatView(
        seat=seat,
        reals=player.reals,
        vp=player.vp,
        points=dict(zip(SOURCES, player.points, strict=True)),
        captains=player.captains,
        captains_waiting=player.captains_waiting,
        crew=player.crew,
        projects=tuple(tiles[tile] for tile in player.projects),
        ships=tuple(tiles[tile] for tile in player.ships),
        sailing=sailing,
        boarded=player.boarded,
        characters=tuple(
            key for key, owner in zip(CHARACTERS, state.owners, strict=True) if owner == seat
        ),
        discs_to_place=player.discs + additional_to_place(components, state, seat),
        discs_to_act=tuple(
            disc.number for disc in state.discs if disc.seat == seat and disc.status == "placed"
        ),
        additional=player.additional,
    )


def additional_to_place(components: VascoComponents, state: VascoState, seat: Seat) -> int:
    """Return 1 if the seat's additional disc is still to be placed in this round, else 0.

    Rules: VG-2.3.
    """
    placed = any(
        disc.seat == seat and disc.number > components.numbers.ordinary for disc in state.discs
    )
    return int(state.players[seat].additional and not placed)


def sailing_views(components: VascoComponents, state: VascoState) -> list[list[SailingView]]:
    """Return each seat's ships at sea, from Natal up and from the left."""
    found: list[list[SailingView]] = [[] for _ in state.players]
    for row, ships in zip(components.landings, state.landings, strict=True):
        for label, ship in zip(components.labels[row.word], ships, strict=True):
            if ship is not None and ship.owner is not None and ship.tile is not None:
                found[ship.owner].append(SailingView(components.faces[ship.tile], row.word, label))
    return found
