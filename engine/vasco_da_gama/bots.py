"""Plays `steady`: a plain heuristic that sees only its observation and its legal actions.

It weighs every answer in Victory Points (VP): what the answer brings, less what it costs. The
estimates were found by playing. The figures of the rules come from the observation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.api import Seat
from engine.chance import Chance
from engine.vasco_da_gama import moves
from engine.vasco_da_gama.components import TileView
from engine.vasco_da_gama.state import CREW, SAILORS, SPACES
from engine.vasco_da_gama.view import LandingView, VascoSeatView, VascoView

LATER = 0.8  # a ship that sails in a later round, as a share of one that sails now
SWINGS = range(-3, 4)  # how far the marker may move between placing and acting
COMPLETION = 1.5  # VP that a ship may still earn in complete landings
AT_ONCE = 100.0  # more than any answer promises
BEHIND = 0.35  # VP lost per disc of another seat that is called earlier in the area
BONUS_WORTH = {None: 0.0, "projects": 1.5, "sailors": 1.0, "captains": 3.0}


def steady(
    table: VascoView,
    seat: Seat,
    answers: Sequence[Any],
    free: Sequence[Any],
    chance: Chance,
) -> Any:
    """Return the answer that promises most; launch first if a captain waits for a ship."""
    me = table.players[seat]
    launch = launch_first(table, me, answers, free)
    if launch is not None:
        return launch
    return max(answers, key=lambda move: WEIGHTS[type(move)](table, me, move))


def weigher(table: VascoView, seat: Seat, answers: Sequence[Any]) -> Callable[[Any], float]:
    """Return a function that weighs answers in VP; a launch with a captain waiting is first."""
    me = table.players[seat]
    launch = launch_first(table, me, answers, ())
    return lambda move: AT_ONCE if move == launch else WEIGHTS[type(move)](table, me, move)


# ---- what things are worth ---------------------------------------------------------------------


def rounds_left(table: VascoView) -> int:
    """Return the number of rounds after this one."""
    return table.rounds - max(1, table.round)


def per_real(table: VascoView, me: VascoSeatView) -> float:
    """Return the VP of one more Real: much for a poor seat, a third at the end (VG-8.3)."""
    if not rounds_left(table) and not uncalled(table, me):
        return 1 / table.figures.reals_per_vp
    return 0.9 if me.reals < 5 else 0.65 if me.reals < 11 else 0.4


def uncalled(table: VascoView, me: VascoSeatView, area: str | None = None) -> int:
    """Return how many discs of this seat are still to be called after the current one."""
    called = getattr(table.question, "number", 0)
    return sum(
        each.number > called and each.disc.area in (area or each.disc.area)
        for each in table.numbers
        if each.disc is not None and each.disc.seat == me.seat and each.disc.status == "placed"
    )


def best_slot(table: VascoView, limit: int) -> int:
    """Return the best empty slot on the board for a ship of this limit, 0 if there is none."""
    return max(
        (slot.value for landing in table.landings for slot in landing.empty if slot.value <= limit),
        default=0,
    )


def ship_worth(table: VascoView, me: VascoSeatView, tile: TileView) -> float:
    """Return the VP that a launched ship with a captain promises."""
    left = rounds_left(table)
    income = tile.vp + tile.reals * per_real(table, me)
    if uncalled(table, me, "navigation") or is_called(table, "navigation"):
        return best_slot(table, tile.limit) + COMPLETION + income * (left + 1)
    if left:
        slot = max(best_slot(table, tile.limit), tile.limit - 2)
        return LATER * (slot + COMPLETION) + income * left
    return table.figures.vp_per_ship


def is_called(table: VascoView, area: str) -> bool:
    """Tell whether this area's action is called now."""
    return getattr(table.question, "area", None) == area


def launchable(me: VascoSeatView, crew: Sequence[int], tiles: Sequence[TileView]) -> list[TileView]:
    """Return the projects that this crew could launch together, the highest limit first."""
    stock = list(crew)
    ready = []
    for tile in sorted(tiles, key=lambda each: (-each.limit, each.crew)):
        colours = sorted(range(len(stock)), key=lambda colour: -stock[colour])[: tile.crew]
        if all(stock[colour] for colour in colours):
            ready.append(tile)
            for colour in colours:
                stock[colour] -= 1
    return ready


def fleet_worth(table: VascoView, me: VascoSeatView, crew: Sequence[int], captains: int) -> float:
    """Return the VP of all ships that this crew and these captains could send.

    The crew that is left counts too.
    """
    ready = [*me.ships, *launchable(me, crew, me.projects)]
    worths = sorted((ship_worth(table, me, tile) for tile in ready), reverse=True)
    manned = sum(worths[:captains]) + 0.2 * sum(worths[captains:])
    if not rounds_left(table):
        return manned
    stock = sum(0.9 + 0.35 * min(count - 1, 2) for count in crew if count)
    return manned + stock + 2.5 * min(2, max(0, captains - len(ready)))


def with_more(crew: Sequence[int], sailors: Sequence[int]) -> list[int]:
    """Return the crew with sailors added."""
    return [have + more for have, more in zip(crew, (*sailors, 0), strict=True)]


# ---- launching ---------------------------------------------------------------------------------


def launch_first(
    table: VascoView, me: VascoSeatView, answers: Sequence[Any], free: Sequence[Any]
) -> Any | None:
    """Return a launch if a captain is free, and expeditions or the last launches are called."""
    launches = [move for move in (*answers, *free) if isinstance(move, moves.Launch)]
    last = any(isinstance(move, moves.EndLaunches) for move in answers)
    if not launches or me.captains <= len(me.ships):
        return None
    if not last and not is_called(table, "navigation"):
        return None
    best = launchable(me, me.crew, me.projects)
    worthy = [move for move in launches if any(tile.id == move.project for tile in best)]
    return max(worthy or launches, key=lambda move: launch_weight(table, me, move))


def launch_weight(table: VascoView, me: VascoSeatView, move: moves.Launch) -> float:
    """Weigh a launch by the ship's worth, then by using the colours the seat has most of."""
    tile = next(each for each in me.projects if each.id == move.project)
    plenty = sum(me.crew[CREW.index(colour)] for colour in move.crew) - ("white" in move.crew)
    return ship_worth(table, me, tile) + plenty / 100


# ---- placing -----------------------------------------------------------------------------------


def weigh_place(table: VascoView, me: VascoSeatView, move: moves.PlaceDisc) -> float:
    """Weigh the area's promise, less the expected price and what others spoil (VG-3.3)."""
    swings = [max(0, table.marker + swing - move.number) for swing in SWINGS]
    price = 0 if move.number > 20 else sum(swings) / len(swings)
    gain = next(each.gain for each in table.numbers if each.number == move.number)
    worth = wish(table, me, move.area)
    worth -= BEHIND * rivals_before(table, me, move) + sequence_fault(table, me, move)
    return worth - price * per_real(table, me) + 0.05 * gain - 0.02 * move.number


def wish(table: VascoView, me: VascoSeatView, area: str) -> float:
    """Return the VP that one more disc in an area promises this round."""
    mine = uncalled(table, me, area)
    return WISHES[area](table, me, mine) if mine < 3 else 0.0


def wish_navigation(table: VascoView, me: VascoSeatView, mine: int) -> float:
    ships = len(me.ships) + len(launchable(me, me.crew, me.projects))
    ships += uncalled(table, me, "projects")
    captains = me.captains + uncalled(table, me, "recruiting")
    sailing = min(ships, captains)
    return (8.0, 3.5, 1.5)[mine] if sailing > mine else 1.0


def wish_projects(table: VascoView, me: VascoSeatView, mine: int) -> float:
    waiting = len(me.projects) + len(me.ships)
    if not rounds_left(table):
        return 4.0 if not waiting and not mine else 1.0
    return max(1.0, 7.0 - waiting - 3 * mine)


def wish_recruiting(table: VascoView, me: VascoSeatView, mine: int) -> float:
    ships = len(me.ships) + len(me.projects) + uncalled(table, me, "projects")
    lacking = ships - me.captains - mine
    return max(1.0, min(7.5, 4.5 + lacking) - 2.5 * mine)


def wish_characters(table: VascoView, me: VascoSeatView, mine: int) -> float:
    money = sorted((reals or 0 for reals in table.money), reverse=True)
    return (1.0 + money[0] * per_real(table, me), 4.5, 3.0)[mine]


WISHES: dict[str, Callable[[VascoView, VascoSeatView, int], float]] = {
    "navigation": wish_navigation,
    "recruiting": wish_recruiting,
    "projects": wish_projects,
    "characters": wish_characters,
}


def rivals_before(
    table: VascoView, me: VascoSeatView, move: moves.PlaceDisc | moves.HostManuel
) -> int:
    """Return how many discs of others in the area will be called earlier."""
    return sum(
        each.number < move.number
        for each in table.numbers
        if each.disc is not None
        and each.disc.status == "placed"
        and each.disc.seat != me.seat
        and each.disc.area == move.area
    )


def sequence_fault(
    table: VascoView, me: VascoSeatView, move: moves.PlaceDisc | moves.HostManuel
) -> float:
    """Return the VP lost if ships would sail before projects are bought and captains recruited."""
    fault = 0.0
    for each in table.numbers:
        if each.disc is None or each.disc.seat != me.seat or each.disc.status != "placed":
            continue
        before, after = (move.area, each.disc.area)[:: 1 if move.number < each.number else -1]
        if before == "navigation" and after in ("projects", "recruiting"):
            fault += 2.0
    if move.area == "navigation":
        fault += max(0, table.marker + 3 - move.number) * 0.3
    return fault


# ---- acting ------------------------------------------------------------------------------------


def weigh_give_up(table: VascoView, me: VascoSeatView, move: moves.GiveUp) -> float:
    """Return the worth of the Reals that the row pays (VG-3.4)."""
    return (table.question.gain + price_of(table)) * per_real(table, me)  # type: ignore[union-attr]


def price_of(table: VascoView) -> int:
    """Return what the right to the called action costs, in Reals (VG-3.3)."""
    return getattr(table.question, "price", 0)


def weigh_buy(table: VascoView, me: VascoSeatView, move: moves.Buy) -> float:
    """Weigh projects by their worth where a crew can be hoped for, less their price (VG-4.1)."""
    tiles = [tile for tile in table.offer if tile is not None and tile.id in move.projects]
    price = table.figures.project_prices[len(tiles) - 1]
    worth = sum(project_worth(table, me, tile) for tile in tiles) * (1 if len(tiles) == 1 else 0.8)
    return worth - price * per_real(table, me)


def project_worth(table: VascoView, me: VascoSeatView, tile: TileView) -> float:
    """Return what a project promises: its ship, less the crew that is still missing."""
    crowd = len(me.ships) + len(me.projects)
    missing = max(0, tile.crew - sum(map(bool, me.crew)))
    hope = rounds_left(table) + uncalled(table, me, "recruiting")
    if missing and not hope:
        return 0.0
    return ship_worth(table, me, tile) * 0.75**crowd - 1.3 * missing - 0.5 * tile.crew


def weigh_gabriel(table: VascoView, me: VascoSeatView, move: moves.BuyGabriel) -> float:
    """Weigh a ship without crew at its price in Reals (VG-4.2)."""
    tile = table.gabriel
    if tile is None:
        return 0.0
    manned = 1.0 if me.captains > len(me.ships) or uncalled(table, me, "recruiting") else 0.6
    return ship_worth(table, me, tile) * manned - tile.crew * per_real(table, me)


def weigh_recruit(table: VascoView, me: VascoSeatView, move: moves.Recruit) -> float:
    """Weigh what the fleet gains by crew and captain, less their price (VG-4.4)."""
    figures = table.figures
    colours = sum(map(bool, move.sailors))
    price = figures.sailor_prices[colours]
    price += figures.captain_price * sum(move.sailors) if move.captain else 0
    crew = with_more(me.crew, move.sailors)
    gain = fleet_worth(table, me, crew, me.captains + move.captain)
    return gain - fleet_worth(table, me, me.crew, me.captains) - price * per_real(table, me)


def weigh_send(table: VascoView, me: VascoSeatView, move: moves.Send) -> float:
    """Weigh slots, bonuses and completion, less what the ships could do elsewhere (VG-5.3)."""
    landing = table.landing(move.landing)
    tiles = {tile.id: tile for tile in me.ships}
    again = bool(rounds_left(table) or uncalled(table, me, "navigation"))
    worth = 0.0
    for tile_id, slot in move.ships:
        tile = tiles[tile_id]
        income = tile.vp + tile.reals * per_real(table, me)
        worth += landing.slots[slot].value + income + bonus_worth(table, me, landing)
        worth -= 0.6 * best_slot(table, tile.limit) if again else 0
        worth -= 0.1 * (tile.limit - landing.slots[slot].value)
    return worth + completion(table, me, landing, len(move.ships), mine=len(move.ships))


def completion(
    table: VascoView, me: VascoSeatView, landing: LandingView, ships: int, *, mine: int
) -> float:
    """Return the VP that more ships in a landing bring by making it complete (VG-7.3)."""
    own = mine + sum(slot.ship is not None and slot.ship.owner == me.seat for slot in landing.slots)
    empty = len(landing.empty) - ships
    if empty == 0:
        return float(landing.complete_vp * own)
    hope = 0.5 / empty if rounds_left(table) else 0.0
    return landing.complete_vp * mine * hope


def bonus_worth(table: VascoView, me: VascoSeatView, landing: LandingView) -> float:
    """Return the VP of a landing's bonus for one ship (VG-5.3)."""
    if landing.bonus == "reals":
        return landing.bonus_count * per_real(table, me)
    if not rounds_left(table):
        return 0.5
    return BONUS_WORTH[landing.bonus]


def weigh_money(table: VascoView, me: VascoSeatView, move: moves.TakeMoney) -> float:
    return (table.money[SPACES.index(move.space)] or 0) * per_real(table, me)


def weigh_host(table: VascoView, me: VascoSeatView, move: moves.Host) -> float:
    """Weigh what a character brings now and at the round's end (VG-6.2 to 6.5)."""
    mine = move.character in me.characters
    left = rounds_left(table)
    if move.character == "dias":
        return table.figures.dias_vp * (1.3 if mine else 2.0) + 0.3 * bool(left)
    if move.character == "alvares":
        return min(2, table.missionaries) * (1.5 if left else 0.3) * (0.6 if mine else 1.0)
    if move.character == "sernigi":
        return 1.5
    return 2.5 * bool(left) * (0.5 if mine else 1.0)


def weigh_sernigi(table: VascoView, me: VascoSeatView, move: moves.HostSernigi) -> float:
    return 1.0 + weigh_merchant(table, me, move)


def weigh_manuel(table: VascoView, me: VascoSeatView, move: moves.HostManuel) -> float:
    """Weigh one more action now and one more disc in later rounds (VG-6.2)."""
    worth = 0.5 * wish(table, me, move.area) - BEHIND * rivals_before(table, me, move)
    return worth + 2.5 * bool(rounds_left(table)) - 0.01 * move.number


def weigh_merchant(
    table: VascoView, me: VascoSeatView, move: moves.SendMerchant | moves.HostSernigi
) -> float:
    """Weigh the bonus and the completion for the seat's own ships; prefer low slots.

    A low slot leaves the others the least.
    """
    landing = table.landing(move.landing)
    worth = bonus_worth(table, me, landing) - landing.slots[move.slot].value / 20
    return worth + completion(table, me, landing, 1, mine=0)


# ---- bonuses -----------------------------------------------------------------------------------


def weigh_bonus_project(table: VascoView, me: VascoSeatView, move: moves.ChooseProject) -> float:
    tile = table.tile_of(move.project)
    return 0.0 if tile is None else project_worth(table, me, tile)


def weigh_bonus_sailor(table: VascoView, me: VascoSeatView, move: moves.ChooseSailor) -> float:
    """Prefer the colour that the seat has least of."""
    return 1.0 / (1 + me.crew[SAILORS.index(move.colour)])


WEIGHTS: dict[type, Callable[[VascoView, VascoSeatView, Any], float]] = {
    moves.PlaceDisc: weigh_place,
    moves.GiveUp: weigh_give_up,
    moves.Buy: weigh_buy,
    moves.BuyGabriel: weigh_gabriel,
    moves.Recruit: weigh_recruit,
    moves.Send: weigh_send,
    moves.ChooseProject: weigh_bonus_project,
    moves.ChooseSailor: weigh_bonus_sailor,
    moves.DrawSailor: lambda table, me, move: 0.3,
    moves.TakeMoney: weigh_money,
    moves.Host: weigh_host,
    moves.HostSernigi: weigh_sernigi,
    moves.HostManuel: weigh_manuel,
    moves.SendMerchant: weigh_merchant,
    moves.Launch: lambda table, me, move: -1.0,  # an answer of VG-8.2 that no captain waits for
    moves.EndLaunches: lambda table, me, move: 0.0,
}
