"""Defines the events of called actions (VG-3, VG-4); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.vasco_da_gama.events.goods import mark_disc, pay, take_project
from engine.vasco_da_gama.state import (
    ACTIONS,
    CREW,
    VascoState,
    added,
    put,
)


class VariationTurned(Event, frozen=True, tag=True):
    """The next tile's variation moves the marker to the first free action number (VG-3.1)."""

    tile: int
    variation: int
    first_free: int
    rule: ClassVar[str] = "VG-3.1"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.phase = ACTIONS
        state.upcoming = self.tile
        state.tiles = state.tiles[1:]
        state.marker = self.first_free


class ActionTaken(Event, frozen=True, tag=True):
    """A seat takes the called action and pays `price` Reals for the right, 0 if free (VG-3.3)."""

    seat: Seat
    number: int
    area: str
    reals: int
    rule: ClassVar[str] = "VG-3.3"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, self.reals)
        mark_disc(state, self.number, "taken")


class ActionGivenUp(Event, frozen=True, tag=True):
    """A seat gives up the called action and receives the Reals of its row (VG-3.4)."""

    seat: Seat
    number: int
    area: str
    reals: int
    rule: ClassVar[str] = "VG-3.4"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, -self.reals)
        mark_disc(state, self.number, "given_up")


class ProjectsBought(Event, frozen=True, tag=True):
    """A seat buys one or two of the upper projects (VG-4.1)."""

    seat: Seat
    projects: tuple[str, ...]
    reals: int
    rule: ClassVar[str] = "VG-4.1"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, self.reals)
        for project in self.projects:
            take_project(state, self.seat, project)


class GabrielBought(Event, frozen=True, tag=True):
    """A seat buys the São Gabriel project and launches it at once without crew (VG-4.2)."""

    seat: Seat
    project: str
    reals: int
    rule: ClassVar[str] = "VG-4.2"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, self.reals)
        state.gabriel = None
        state.change(self.seat, ships=(*state.players[self.seat].ships, self.project))


class ShipLaunched(Event, frozen=True, tag=True):
    """A project becomes a ship; its crew returns to the bag and the characters area (VG-4.3)."""

    seat: Seat
    project: str
    crew: tuple[str, ...]
    rule: ClassVar[str] = "VG-4.3"

    def apply(self, state: VascoState) -> None:
        player = state.players[self.seat]
        crew = player.crew
        for colour in self.crew:
            index = CREW.index(colour)
            crew = added(crew, index, -1)
            if colour == "white":
                state.missionaries += 1
            else:
                state.bag = added(state.bag, index, 1)
        state.change(
            self.seat,
            crew=crew,
            projects=tuple(p for p in player.projects if p != self.project),
            ships=(*player.ships, self.project),
        )


class CrewRecruited(Event, frozen=True, tag=True):
    """A seat recruits sailors of one section, a captain, or both (VG-4.4).

    `sailors` holds the counts in the order of SAILORS.
    """

    seat: Seat
    section: int | None
    sailors: tuple[int, ...]
    captain: bool
    reals: int
    rule: ClassVar[str] = "VG-4.4"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, self.reals)
        player = state.players[self.seat]
        recruits = (*self.sailors, 0)
        crew = tuple(have + more for have, more in zip(player.crew, recruits, strict=True))
        captains = int(self.captain)
        state.change(
            self.seat,
            crew=crew,
            captains=player.captains + captains,
            captains_waiting=player.captains_waiting - captains,
        )
        if self.section is not None:
            place = self.section - 1
            left = tuple(
                have - gone for have, gone in zip(state.sections[place], self.sailors, strict=True)
            )
            state.sections = put(state.sections, place, left)
