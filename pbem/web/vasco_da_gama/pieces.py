"""What several steps say about tiles, landings and discs."""

from __future__ import annotations

from engine.vasco_da_gama.view import LandingView, PlayerView, TableView, TileView
from pbem.web.forms import Reader


def landing_name(landing: LandingView, reader: Reader) -> str:
    """The landing in the reader's language."""
    return reader.term(f"landing_{landing.word}")


def bonus_in_words(landing: LandingView, reader: Reader) -> str:
    """What a ship gets there at once (VG-5.3)."""
    if landing.bonus is None:
        return reader.say("no bonus")
    thing = {
        "projects": reader.say("a project"),
        "sailors": reader.say("a sailor"),
        "captains": reader.say("a captain"),
        "reals": reader.count("real", landing.bonus_count),
    }[landing.bonus]
    return reader.say("bonus: %(thing)s", thing=thing)


def ship_in_words(tile: TileView, reader: Reader, *, ready: bool = True) -> str:
    """Limit and earnings of a ship; a project has to be launched first."""
    earned = [reader.count("real", tile.reals)] * bool(tile.reals)
    earned += [reader.count("vp", tile.vp)] * bool(tile.vp)
    text = reader.say("limit %(limit)s, earns %(earned)s", limit=tile.limit,
                      earned=", ".join(earned) or reader.say("nothing"))
    return text if ready else text + ". " + reader.say("Launch it first, below")


def project_in_words(tile: TileView, reader: Reader) -> str:
    """Crew, limit and earnings."""
    return reader.say("crew %(crew)s", crew=tile.crew) + ", " + ship_in_words(tile, reader)


def launchable(me: PlayerView) -> list[TileView]:
    """Projects whose crew this seat has: all of different colours (VG-4.3)."""
    colours = sum(1 for n in me.crew if n)
    return [tile for tile in me.projects if tile.crew <= colours]


def has_placed_additional(view: TableView, me: PlayerView) -> bool:
    """Whether this seat has placed an additional disc in this round."""
    return any(
        not number.ordinary and number.disc is not None and number.disc.seat == me.seat
        for number in view.numbers
    )


def has_additional_left(view: TableView, me: PlayerView) -> bool:
    """Whether the additional disc is still in this seat's hand."""
    return me.additional and not has_placed_additional(view, me)


def favour_in_words(key: str, view: TableView, reader: Reader) -> str:
    """What hosting a character brings."""
    figures = view.figures
    if key == "dias":
        return reader.say("%(vp)s at once, and at the round's end with the first place",
                          vp=reader.count("vp", figures.dias_vp))
    if key == "alvares":
        return reader.say("a missionary at once, and another at the round's end")
    if key == "sernigi":
        if view.merchant is None:
            return reader.say("the merchant ship, which is sent already")
        return reader.say("the merchant ship, limit %(limit)s", limit=view.merchant)
    return reader.say("the additional disc, with 21 or 22")
