"""What an order would change for its player, for the preview."""

from __future__ import annotations

from dataclasses import dataclass

from engine.vasco_da_gama.state import CREW
from engine.vasco_da_gama.view import PlayerView, TableView
from pbem.web.forms import Reader


@dataclass(frozen=True)
class Change:
    """One holding: by how much it changes, and what it is then."""

    what: str
    by: str
    after: int


def changes(before: TableView, after: TableView, seat: int, reader: Reader) -> list[Change]:
    """The holdings that would change."""
    pairs = zip(holdings(before.players[seat], reader), holdings(after.players[seat], reader),
                strict=True)
    return [Change(what, signed(new - old), new) for (what, old), (_, new) in pairs if new != old]


def holdings(player: PlayerView, reader: Reader) -> list[tuple[str, int]]:
    """What a player has, by name."""
    return [
        (reader.say("VP"), player.vp),
        (reader.say("Reals"), player.reals),
        (reader.say("Captains"), player.captains),
        *((reader.term(f"colour_{colour}").capitalize(), n)
          for colour, n in zip(CREW, player.crew, strict=True)),
        (reader.say("Projects"), len(player.projects)),
        (reader.say("Ships ready"), len(player.ships)),
        (reader.say("Discs to place"), player.discs_to_place),
    ]


def signed(number: int) -> str:
    """+2 or −2, with a real minus."""
    return f"+{number}" if number > 0 else f"−{-number}"
