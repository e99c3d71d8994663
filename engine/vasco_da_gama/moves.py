"""Defines the orders of a seat in Vasco da Gama. Slots count from 0 at the left."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Move


class PlaceDisc(Move, frozen=True, tag="Place"):
    """place N AREA: put an action disc with sequence number N into an area (VG-2.2, VG-2.3)."""

    number: int
    area: str


class GiveUp(Move, frozen=True, tag=True):
    """give up: decline the called action and receive the Reals of its row (VG-3.4)."""


class Buy(Move, frozen=True, tag=True):
    """buy ID [ID]: one or two of the upper projects (VG-4.1)."""

    projects: tuple[str, ...]


class BuyGabriel(Move, frozen=True, tag=True):
    """buy gabriel: the São Gabriel project, launched at once (VG-4.1, VG-4.2)."""


class Recruit(Move, frozen=True, tag=True):
    """recruit S: N COLOUR, .. [, captain]: sailors of one section, a captain, or both (VG-4.4).

    `sailors` holds the counts in the order of SAILORS. `section` is None if only a captain is
    taken.
    """

    section: int | None
    sailors: tuple[int, ...]
    captain: bool


class Send(Move, frozen=True, tag=True):
    """send LANDING: ID>SLOT, ..: an expedition (VG-5.1).

    `ships` are listed by slot from the left.
    """

    landing: str
    ships: tuple[tuple[str, int], ...]


class ChooseProject(Move, frozen=True, tag=True):
    """bonus ID: one of the upper projects (VG-5.3)."""

    project: str


class ChooseSailor(Move, frozen=True, tag=True):
    """bonus COLOUR from S: a sailor of an active section, 1 to 4 (VG-5.3)."""

    colour: str
    section: int


class DrawSailor(Move, frozen=True, tag=True):
    """bonus bag: a sailor drawn from the bag (VG-5.3)."""


class TakeMoney(Move, frozen=True, tag=True):
    """take upper | take lower: the Reals of a money space (VG-6.1)."""

    space: str


class Host(Move, frozen=True, tag=True):
    """host CHARACTER: dias, alvares, sernigi (the ship goes later), manuel (no disc to place)."""

    character: str


class HostSernigi(Move, frozen=True, tag=True):
    """host sernigi merchant LANDING>SLOT: host Sernigi and send the merchant ship (VG-6.5)."""

    landing: str
    slot: int


class HostManuel(Move, frozen=True, tag=True):
    """host manuel N AREA: host Manuel and place the additional disc (VG-6.2)."""

    number: int
    area: str


class SendMerchant(Move, frozen=True, tag=True):
    """merchant LANDING>SLOT: send the merchant ship (VG-1.7, VG-7.1)."""

    landing: str
    slot: int


class Launch(Move, frozen=True, tag=True):
    """launch ID: COLOUR, ..: turn a project into a ship with its crew (VG-4.3)."""

    project: str
    crew: tuple[str, ...]  # in the order of CREW
    free: ClassVar[bool] = True


class EndLaunches(Move, frozen=True, tag="Done"):
    """done: end this seat's launches (VG-8.2)."""


AnyMove = (
    PlaceDisc
    | GiveUp
    | Buy
    | BuyGabriel
    | Recruit
    | Send
    | ChooseProject
    | ChooseSailor
    | DrawSailor
    | TakeMoney
    | Host
    | HostSernigi
    | HostManuel
    | SendMerchant
    | Launch
    | EndLaunches
)
