"""Settles won tiles and applies their uses (GO-3.4, GO-8.1 to GO-8.5)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from engine.api import Seat
from engine.choices import FieldSpec, MoveSpec, Refusal, named, read_number
from engine.errors import IllegalMove
from engine.goa import drawing
from engine.goa.colonies import check_colony_spices
from engine.goa.components import Gain, GoaComponents, Tile
from engine.goa.events import (
    AdditionalHarvestDone,
    DutyDone,
    GoaNowAwaiting,
    ImmediateTaken,
    MissionTaken,
    OnceARoundUsed,
    PlantationDropped,
    PlantationPlaced,
    TakenTileUsed,
    TradeMade,
)
from engine.goa.fields import (
    check_returned,
    check_taken,
    empty_of,
    merged,
    number_of,
)
from engine.goa.lookups import ONCE_A_ROUND, free_place, once_a_round, unused
from engine.goa.moves import ChooseGain as GainMove
from engine.goa.moves import (
    Drop,
    UseDuty,
    UseGoods,
    UseHarvest,
    UseSpice,
    UseTile,
    UseTrade,
)
from engine.goa.state import (
    GRID,
    PLACES,
    PLANTATIONS,
    AwaitDrop,
    AwaitGoods,
    GoaPlayer,
    GoaState,
    Sacks,
)
from engine.journal import Journal

# ---- won ---------------------------------------------------------------------------------------


def settle(components: GoaComponents, journal: Journal, seat: Seat, name: str) -> None:
    """Place a won tile, apply it, or lay it in front of its winner (GO-3.4, GO-8.1 to GO-8.4)."""
    tile = components.by_id[name]
    place = free_place(journal.state.players[seat])
    if tile.kind == "plantation" and place is not None:
        place_plantation(journal, seat, tile, place)
    elif tile.kind == "plantation":
        journal.record(GoaNowAwaiting(AwaitDrop(seat, name)))
    elif tile.kind == "immediate" and tile.choices:
        journal.record(GoaNowAwaiting(AwaitGoods(seat, name)))
    elif tile.kind == "immediate":
        take_effect(components, journal, seat, tile, tile.gain)
    elif tile.kind == "mission":
        journal.record(MissionTaken(seat, name))


def place_plantation(journal: Journal, seat: Seat, tile: Tile, place: int) -> None:
    """Place the plantation on the lowest empty place and fill its fields (GO-8.1)."""
    journal.record(PlantationPlaced(seat, tile.id, place, tile.spice, tile.fields))


NO_PLANTATION_THERE = Refusal("no_plantation_there", "GO-8.1", named("place"))


def judge_plantation(
    _: GoaComponents, state: GoaState, seat: Seat
) -> Callable[[int], Refusal | None]:
    """Judge places, 1 to 4, that hold a plantation to discard (GO-8.1)."""
    there = {at for at, each in enumerate(state.players[seat].plantations, 1) if each is not None}
    return lambda place: None if place in there else NO_PLANTATION_THERE


PLANTATION: FieldSpec[GoaComponents, GoaState, int] = FieldSpec(
    "drop", attrgetter("place"), lambda _components, _state: range(1, len(PLANTATIONS) + 1),
    judge_plantation, read_number,
)  # fmt: skip
DROP: MoveSpec[GoaComponents, GoaState, Drop] = MoveSpec(Drop, "drop", (PLANTATION,))


def drop(components: GoaComponents, journal: Journal, seat: Seat, move: Drop) -> None:
    """Discard one of four plantations for the one that was won (GO-8.1).

    Raise IllegalMove if the place is wrong.
    """
    question: AwaitDrop = journal.state.awaiting
    replace_plantation(components, journal, seat, components.by_id[question.tile], move.place)


def replace_plantation(
    components: GoaComponents, journal: Journal, seat: Seat, tile: Tile, place: int
) -> None:
    """Discard a plantation with its spices (GO-8.1).

    One with a single field is kept face down for its VP.
    """
    PLANTATION.check(components, journal.state, seat, place)
    old = journal.state.players[seat].plantations[place - 1]
    kept = bool(components.by_id[old.tile].vp)
    journal.record(PlantationDropped(seat, old.tile, place, kept))
    place_plantation(journal, seat, tile, place)


def gain(components: GoaComponents, journal: Journal, seat: Seat, move: GainMove) -> None:
    """Take ships or colonists of a won tile (GO-3.4). Raise IllegalMove if it has no such goods."""
    question: AwaitGoods = journal.state.awaiting
    tile = components.by_id[question.tile]
    take_effect(components, journal, seat, tile, chosen(tile, move.goods))


def chosen(tile: Tile, goods: str) -> Gain:
    """Return what the tile gives of these goods (GO-8.2). Raise IllegalMove if it gives none."""
    for word, gained in tile.choices:
        if word == goods:
            return gained
    raise IllegalMove("no_such_goods", rule="GO-8.2", goods=goods)


def take_effect(
    components: GoaComponents, journal: Journal, seat: Seat, tile: Tile, gained: Gain
) -> None:
    """Apply an immediate tile; it then leaves the game (GO-8.2)."""
    cards = gained.expedition_cards
    journal.record(
        ImmediateTaken(
            seat, tile.id, gained.ships, gained.colonists, gained.ducats,
            gained.additional_action_cards, cards,
        )
    )  # fmt: skip
    if cards:
        drawing.draw(components, journal, seat, cards, "tile")


# ---- used --------------------------------------------------------------------------------------


def ready(components: GoaComponents, player: GoaPlayer, word: str) -> Tile:
    """Return the unused once-a-round tile for these goods (GO-8.3).

    Raise IllegalMove if there is none or it is used.
    """
    if word not in ONCE_A_ROUND:
        raise IllegalMove("no_such_goods", rule="GO-8.3", goods=word)
    tile = once_a_round(components, player, word)
    if tile is not None:
        return tile
    goods = ONCE_A_ROUND[word]
    if any(getattr(components.by_id[used].gain, goods) for used in player.used):
        raise IllegalMove("used_this_round", rule="GO-8.3", kind=word)
    raise IllegalMove("no_tile_of_kind", rule="GO-8.3", kind=word)


def use_goods(components: GoaComponents, journal: Journal, seat: Seat, move: UseGoods) -> None:
    """Take the ships, ducats or colonists of a once-a-round tile (GO-8.3).

    Raise IllegalMove if there is no such tile.
    """
    if move.goods == "spice":
        raise IllegalMove("no_such_goods", rule="GO-8.3", goods=move.goods)
    tile = ready(components, journal.state.players[seat], move.goods)
    given = tile.gain
    journal.record(
        OnceARoundUsed(seat, tile.id, given.ships, given.colonists, given.ducats, ())
    )


def use_spice(components: GoaComponents, journal: Journal, seat: Seat, move: UseSpice) -> None:
    """Take a spice from a once-a-round tile onto an empty field (GO-8.3).

    Raise IllegalMove if the field or the tile is wrong.
    """
    player = journal.state.players[seat]
    tile = ready(components, player, "spice")
    sacks = ((move.spice, move.place, 1),)
    check_taken(player, sacks, "GO-8.3")
    journal.record(OnceARoundUsed(seat, tile.id, 0, 0, 0, sacks))


def all_of(
    components: GoaComponents, player: GoaPlayer, kind: str, word: str, rule: str
) -> list[Tile]:
    """Return the tiles of a kind in front of the seat.

    Raise IllegalMove if there are none (GO-8.4).
    """
    tiles = unused(components, player, kind)
    if not tiles:
        raise IllegalMove("no_tile_of_kind", rule=rule, kind=word)
    return tiles


def use_duty(components: GoaComponents, journal: Journal, seat: Seat, move: UseDuty) -> None:
    """Return any six spices, once (GO-8.4). Raise IllegalMove for any other number."""
    player = journal.state.players[seat]
    duties = all_of(components, player, "duty", "duty", "GO-8.4")
    check_returned(player, move.sacks, "GO-8.4")
    given = number_of(move.sacks)
    tile = next((each for each in duties if each.spices == given), duties[0])
    if given != tile.spices:
        raise IllegalMove("sacks_number", rule="GO-8.4", wanted=tile.spices, given=given)
    journal.record(DutyDone(seat, tile.id, move.sacks))


def use_harvest(components: GoaComponents, journal: Journal, seat: Seat, move: UseHarvest) -> None:
    """Fill one to three different places that have an empty field, once (GO-8.4).

    Raise IllegalMove if a place or a spice does not fit.
    """
    player = journal.state.players[seat]
    harvests = all_of(components, player, "additional_harvest", "harvest", "GO-8.4")
    enough = (each for each in harvests if len(move.fillings) <= each.places)
    tile = next(enough, max(harvests, key=lambda each: each.places))
    if not 1 <= len(move.fillings) <= tile.places:
        raise IllegalMove(
            "harvest_places", rule="GO-8.4", most=tile.places, given=len(move.fillings)
        )
    check_places([place for place, _ in move.fillings])
    sacks: Sacks = ()
    for place, spices in move.fillings:
        sacks += filling(player, place, spices)
    journal.record(AdditionalHarvestDone(seat, tile.id, sacks))


def check_places(places: list[str]) -> None:
    """Raise IllegalMove unless the places exist, each once, in their order (GO-8.4)."""
    for place in places:
        if place not in PLACES:
            raise IllegalMove("no_such_place", rule="GO-8.4", place=place)
        if places.count(place) > 1:
            raise IllegalMove("place_named_twice", rule="GO-8.4", place=place)
    if places != sorted(places, key=PLACES.index):
        raise IllegalMove("out_of_order", rule="GO-8.4")


def filling(player: GoaPlayer, place: str, spices: tuple[str, ...]) -> Sacks:
    """Return the sacks that fill a place; only a colony names spices (GO-8.4).

    Raise IllegalMove if the place is empty or full, or the spices do not fit.
    """
    if is_bare(player, place):
        raise IllegalMove("nothing_there", rule="GO-8.4", place=place)
    here = next((each for each in empty_of(player) if each[0] == place), None)
    if here is None:
        raise IllegalMove("place_full", rule="GO-8.4", place=place)
    _, may_hold, empty = here
    wanted = 0 if place in PLANTATIONS else empty
    if len(spices) != wanted:
        raise IllegalMove(
            "filling_spices", rule="GO-8.4", place=place, wanted=wanted, given=len(spices)
        )
    if place in PLANTATIONS:
        return ((may_hold[0], place, empty),)
    check_colony_spices(place, spices, may_hold)
    return merged(place, spices)


def is_bare(player: GoaPlayer, place: str) -> bool:
    """Tell whether neither a plantation nor a colony is there (GO-8.4)."""
    return (*player.plantations, *player.colonies)[PLACES.index(place)] is None


def use_trade(components: GoaComponents, journal: Journal, seat: Seat, move: UseTrade) -> None:
    """Take any tile of the grid for Trade, which takes its space (GO-8.5).

    Raise IllegalMove if there is no tile.
    """
    state: GoaState = journal.state
    (tile,) = all_of(components, state.players[seat], "trade", "trade", "GO-8.5")
    if move.space not in GRID:
        raise IllegalMove("no_such_space", rule="GO-8.5", space=move.space)
    taken = state.grid[GRID.index(move.space)]
    if taken is None:
        raise IllegalMove("no_tile_there", rule="GO-8.5", space=move.space)
    journal.record(TradeMade(seat, tile.id, move.space, taken))
    if components.by_id[taken].kind == "mission":
        journal.record(MissionTaken(seat, taken))


def use_tile(components: GoaComponents, journal: Journal, seat: Seat, move: UseTile) -> None:
    """Use a plantation or immediate tile taken by Trade (GO-8.5).

    Raise IllegalMove if the tile cannot be used like this.
    """
    player = journal.state.players[seat]
    if move.tile not in player.tiles:
        raise IllegalMove("not_your_tile", rule="GO-8.5", tile=move.tile)
    tile = components.by_id[move.tile]
    if tile.kind == "plantation":
        use_plantation(components, journal, seat, tile, move)
    elif tile.kind == "immediate":
        use_immediate(components, journal, seat, tile, move)
    else:
        raise IllegalMove("tile_used_otherwise", rule="GO-8.5", tile=move.tile)


def use_plantation(
    components: GoaComponents, journal: Journal, seat: Seat, tile: Tile, move: UseTile
) -> None:
    """Place and fill a plantation when it is used (GO-8.5, GO-8.1).

    Raise IllegalMove if the order's details do not fit.
    """
    place = free_place(journal.state.players[seat])
    if move.goods is not None:
        raise IllegalMove("no_goods_choice", rule="GO-8.5", tile=tile.id)
    if place is not None and move.drop is not None:
        raise IllegalMove("no_drop_needed", rule="GO-8.1", tile=tile.id)
    if place is None and move.drop is None:
        raise IllegalMove("drop_needed", rule="GO-8.1", tile=tile.id)
    journal.record(TakenTileUsed(seat, tile.id))
    if place is not None:
        place_plantation(journal, seat, tile, place)
    elif move.drop is not None:
        replace_plantation(components, journal, seat, tile, move.drop)


def use_immediate(
    components: GoaComponents, journal: Journal, seat: Seat, tile: Tile, move: UseTile
) -> None:
    """Apply an immediate tile when it is used (GO-8.5, GO-8.2).

    Raise IllegalMove if the order's details do not fit.
    """
    if move.drop is not None:
        raise IllegalMove("no_drop_needed", rule="GO-8.5", tile=tile.id)
    if move.goods is None and tile.choices:
        raise IllegalMove("goods_needed", rule="GO-8.5", tile=tile.id)
    if move.goods is not None and not tile.choices:
        raise IllegalMove("no_goods_choice", rule="GO-8.5", tile=tile.id)
    gained = tile.gain if move.goods is None else chosen(tile, move.goods)
    journal.record(TakenTileUsed(seat, tile.id))
    take_effect(components, journal, seat, tile, gained)
