"""Writes the texts that several form steps and the table share: tiles, landings and discs."""

from __future__ import annotations

from engine.phrases import Enumeration, Quantity, Term, Text, Value, text
from engine.vasco_da_gama.components import TileView
from engine.vasco_da_gama.view import LandingView, VascoSeatView, VascoView


def landing_name(landing: LandingView) -> Term:
    """Return the landing's name."""
    return Term("landing", landing.word)


def bonus_of(landing: LandingView) -> Text:
    """Return what a ship receives there at once (VG-5.3)."""
    if landing.bonus is None:
        return text("no_bonus")
    thing: Value = Quantity("real", landing.bonus_count)
    if landing.bonus != "reals":
        thing = text(f"bonus_{landing.bonus}")
    return text("bonus", thing=thing)


def earned(reals: int, vp: int) -> Value:
    """Return what a ship earns in each phase 3 (VG-7.2)."""
    parts = [Quantity("real", reals)] * bool(reals) + [Quantity("vp", vp)] * bool(vp)
    return Enumeration(tuple(parts)) if parts else text("nothing")


def ship(tile: TileView, *, ready: bool = True) -> Text:
    """Return the limit and earnings of a ship; a project has to be launched first."""
    key = "ship_earns" if ready else "project_to_launch"
    return text(key, limit=tile.limit, earned=earned(tile.reals, tile.vp))


def project(tile: TileView) -> Text:
    """Return the crew, limit and earnings of a project."""
    return text(
        "project_earns", crew=tile.crew, limit=tile.limit, earned=earned(tile.reals, tile.vp)
    )


def launchable(me: VascoSeatView) -> list[TileView]:
    """Return the projects whose crew this seat has, all of different colours (VG-4.3)."""
    colours = sum(1 for n in me.crew if n)
    return [tile for tile in me.projects if tile.crew <= colours]


def has_placed_additional(view: VascoView, me: VascoSeatView) -> bool:
    """Tell whether this seat has placed an additional disc in this round."""
    return any(
        not number.ordinary and number.disc is not None and number.disc.seat == me.seat
        for number in view.numbers
    )


def has_additional_left(view: VascoView, me: VascoSeatView) -> bool:
    """Tell whether the additional disc is still in this seat's hand."""
    return me.additional and not has_placed_additional(view, me)


def favour(key: str, view: VascoView) -> Text:
    """Return what hosting a character brings."""
    if key == "dias":
        return text("favour_dias", vp=Quantity("vp", view.figures.dias_vp))
    if key == "sernigi":
        if view.merchant is None:
            return text("favour_sernigi_sent")
        return text("favour_sernigi", limit=view.merchant)
    return text(f"favour_{key}")
