"""Explains what a question is about, and what speaks for a move, from open information."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.api import Seat
from engine.lessons import Lesson, lesson
from engine.phrases import Quantity, Term
from engine.vasco_da_gama import moves, state
from engine.vasco_da_gama.view import VascoSeatView, VascoView

# The lesson about each area's action.
AREA_RULES = {
    "navigation": ("VG-5.1", "VG-5.3"),
    "recruiting": ("VG-4.4",),
    "projects": ("VG-4.1", "VG-4.3"),
    "characters": ("VG-6.1",),
}
CHARACTER_RULES = {"dias": "VG-6.3", "alvares": "VG-6.4", "sernigi": "VG-6.5", "manuel": "VG-6.2"}
HOSTS: Mapping[type, str | None] = {
    moves.Host: None, moves.HostSernigi: "sernigi", moves.HostManuel: "manuel",
}  # fmt: skip
Told = tuple[Lesson, ...]


# ---- what is asked ------------------------------------------------------------------------------


def of_question(table: VascoView, seat: Seat) -> Told:
    """Return what the open question asks of this seat, and what to look at."""
    tell = ASKED.get(type(table.question))
    if tell is None:
        return ()
    return (*tell(table, table.players[seat], table.question), *may_launch(table, seat))


def may_launch(table: VascoView, seat: Seat) -> Told:
    """Return a lesson about a launch that the seat has the crew for."""
    me = table.players[seat]
    colours = sum(map(bool, me.crew))
    ready = next((tile for tile in me.projects if tile.crew <= colours), None)
    if ready is None:
        return ()
    return (lesson("may_launch", "VG-4.3", project=ready.id, crew=ready.crew),)


def merchant(table: VascoView, me: VascoSeatView, question: Any) -> Told:
    return (lesson("merchant", question.rule, "VG-6.6", "VG-6.7", limit=question.limit),)


def placement(table: VascoView, me: VascoSeatView, question: state.AwaitPlacement) -> Told:
    """Explain how many discs are left, and what numbers cost with the marker where it is."""
    discs = Quantity("action_disc", me.discs_to_place)
    first = lesson("placement", "VG-2.2", "VG-3.2", discs=discs)
    swing = lesson("placement_price", "VG-3.1", "VG-3.3", marker=table.marker,
                   reals=Quantity("real", me.reals))
    return first, swing


def action(table: VascoView, me: VascoSeatView, question: state.AwaitCalledAction) -> Told:
    """Explain the called area, and what the choice costs or brings."""
    about = lesson(f"action_{question.area}", *AREA_RULES[question.area])
    choice = lesson(
        "action_choice" if question.price else "action_choice_free", "VG-3.3", "VG-3.4",
        price=Quantity("real", question.price), gain=Quantity("real", question.gain),
        reals=Quantity("real", me.reals))
    return about, choice


ASKED: Mapping[type, Callable[[VascoView, VascoSeatView, Any], Told]] = {
    state.AwaitFirstMerchant: merchant,
    state.AwaitMerchant: merchant,
    state.AwaitPlacement: placement,
    state.AwaitCalledAction: action,
    state.AwaitProject: lambda table, me, asked: (lesson("bonus_project", "VG-5.3", "VG-4.3"),),
    state.AwaitSailor: lambda table, me, asked: (lesson("bonus_sailor", "VG-5.3", "VG-4.3"),),
    state.AwaitLaunches: lambda table, me, asked: (lesson("launches", "VG-4.3"),),
    state.AwaitLastLaunches: lambda table, me, asked: (
        lesson("last_launches", "VG-8.2", "VG-8.3"),),
}


# ---- why somebody moved so ----------------------------------------------------------------------


def of_move(table: VascoView, seat: Seat, move: Any) -> Told:
    """Return what speaks for a move, from the table that the viewer saw then."""
    tell = MOVED.get(type(move))
    return () if tell is None else tell(table, table.players[seat], move)


def place(table: VascoView, me: VascoSeatView, move: moves.PlaceDisc | moves.HostManuel) -> Told:
    """Explain what the area is for, and what the number costs with the marker where it is."""
    why = lesson(f"place_{move.area}", "VG-2.2", *AREA_RULES[move.area][:1])
    price = next((each.price for each in table.numbers if each.number == move.number), 0)
    if price:
        return why, lesson("place_price", "VG-3.1", "VG-3.3", number=move.number,
                           price=Quantity("real", price))
    return why, lesson("place_free", "VG-3.1", "VG-3.3", number=move.number)


def give_up(table: VascoView, me: VascoSeatView, move: moves.GiveUp) -> Told:
    """Explain what giving up brings and saves."""
    asked = table.question
    price, gain = getattr(asked, "price", 0), getattr(asked, "gain", 0)
    key = "give_up" if price else "give_up_free"
    return (lesson(key, "VG-3.4", price=Quantity("real", price), gain=Quantity("real", gain)),)


def buy(table: VascoView, me: VascoSeatView, move: moves.Buy) -> Told:
    price = table.figures.project_prices[len(move.projects) - 1]
    key = "buy_one" if len(move.projects) == 1 else "buy_two"
    return (lesson(key, "VG-4.1", "VG-4.3", price=Quantity("real", price)),)


def recruit(table: VascoView, me: VascoSeatView, move: moves.Recruit) -> Told:
    """Explain the price: sailors by their colours alone, the captain by the sailors."""
    colours = sum(map(bool, move.sailors))
    told: Told = ()
    if colours:
        price = table.figures.sailor_prices[colours]
        told = (lesson("recruit_sailors", "VG-4.4", "VG-4.3", number=sum(move.sailors),
                       colours=colours, price=Quantity("real", price)),)
    if move.captain:
        cost = table.figures.captain_price * sum(move.sailors)
        told += (lesson("recruit_captain", "VG-4.4", "VG-5.1", price=Quantity("real", cost)),)
    return told


def send(table: VascoView, me: VascoSeatView, move: moves.Send) -> Told:
    """Explain the slots' Victory Points, the bonus, and completion if the fleet brings it."""
    landing = table.landing(move.landing)
    worth = sum(landing.slots[slot].value for _tile, slot in move.ships)
    told: Told = (lesson("send", "VG-5.2", "VG-5.3", landing=Term("landing", move.landing),
                         vp=Quantity("vp", worth)),)
    if len(landing.empty) == len(move.ships):
        told += (lesson("send_complete", "VG-5.4", "VG-7.3",
                        vp=Quantity("vp", landing.complete_vp)),)
    return told


def money(table: VascoView, me: VascoSeatView, move: moves.TakeMoney) -> Told:
    found = table.money[state.SPACES.index(move.space)] or 0
    return (lesson("take_money", "VG-6.1", reals=Quantity("real", found)),)


def host(table: VascoView, me: VascoSeatView, move: Any) -> Told:
    """Explain what a character does for its owner."""
    key = HOSTS[type(move)] or move.character
    about = lesson(f"host_{key}", "VG-6.1", CHARACTER_RULES[key],
                   vp=Quantity("vp", table.figures.dias_vp))
    return (about, *place(table, me, move)) if isinstance(move, moves.HostManuel) else (about,)


def launch(table: VascoView, me: VascoSeatView, move: moves.Launch) -> Told:
    return (lesson("launch", "VG-4.3", project=move.project, crew=len(move.crew)),)


MOVED: Mapping[type, Callable[[VascoView, VascoSeatView, Any], Told]] = {
    moves.PlaceDisc: place,
    moves.GiveUp: give_up,
    moves.Buy: buy,
    moves.BuyGabriel: lambda table, me, move: (lesson("buy_gabriel", "VG-4.1", "VG-4.2"),),
    moves.Recruit: recruit,
    moves.Send: send,
    moves.ChooseProject: lambda table, me, move: (lesson("choose_project", "VG-5.3"),),
    moves.ChooseSailor: lambda table, me, move: (lesson("choose_sailor", "VG-5.3", "VG-4.3"),),
    moves.DrawSailor: lambda table, me, move: (lesson("draw_sailor", "VG-5.3"),),
    moves.TakeMoney: money,
    moves.Host: host,
    moves.HostSernigi: host,
    moves.HostManuel: host,
    moves.SendMerchant: lambda table, me, move: (lesson("send_merchant", "VG-6.7", "VG-5.4"),),
    moves.Launch: launch,
    moves.EndLaunches: lambda table, me, move: (lesson("done", "VG-8.2"),),
}
