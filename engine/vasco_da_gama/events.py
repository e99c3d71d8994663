"""Defines the events of Vasco da Gama in the order of the rules; each one changes the state.

Classes and fields stay for ever: a new meaning gets a new class. Reals and VP are whole numbers.
Slots count from 0 at the left (`label` is the slot as orders write it), sections from 1.
"""

from __future__ import annotations

from operator import attrgetter
from typing import ClassVar

from msgspec.structs import replace

from engine.api import Event, Seat, Viewer
from engine.vasco_da_gama.state import (
    ACTIONS,
    CHARACTERS,
    CREW,
    LANDINGS,
    LAST_LAUNCHES,
    NAVIGATION,
    OVER,
    PLACING,
    SAILORS,
    SPACES,
    Disc,
    Question,
    Ship,
    VascoState,
    added,
    put,
)

# ---- set-up (VG-1) -----------------------------------------------------------------------------


class VascoTableLaid(Event, frozen=True, tag="TableLaid"):
    """The table is laid: the seats' start, bag and missionaries (VG-1.1, VG-1.3, VG-1.4)."""

    seats: int
    reals: int
    captains: int
    captains_waiting: int
    sailors: int  # of each colour, put into the bag
    sections: int
    missionaries: int
    landings: tuple[int, ...]  # number of slots per landing, from Natal up
    upper_spaces: int
    discs: int  # ordinary action discs per seat
    rule: ClassVar[str] = "VG-1.1"

    def apply(self, state: VascoState) -> None:
        for seat in range(self.seats):
            state.change(
                seat,
                reals=self.reals,
                captains=self.captains,
                captains_waiting=self.captains_waiting,
                discs=self.discs,
            )
        state.bag = (self.sailors,) * len(SAILORS)
        state.sections = ((0,) * len(SAILORS),) * self.sections
        state.missionaries = self.missionaries
        state.landings = tuple((None,) * slots for slots in self.landings)
        state.offer = (None,) * self.upper_spaces


class CharacterDealt(Event, frozen=True, tag=True):
    """A seat starts with a character (VG-1.2)."""

    seat: Seat
    character: str
    rule: ClassVar[str] = "VG-1.2"

    def apply(self, state: VascoState) -> None:
        state.owners = put(state.owners, CHARACTERS.index(self.character), self.seat)


class AdditionalDiscGiven(Event, frozen=True, tag=True):
    """Manuel's owner receives the additional disc of their colour (VG-1.3, VG-6.2)."""

    seat: Seat
    rule: ClassVar[str] = "VG-6.2"

    def apply(self, state: VascoState) -> None:
        state.change(self.seat, additional=True)


class SailorsDrawn(Event, frozen=True, tag=True):
    """Sailors go from the bag into a section (VG-1.4, VG-8.1)."""

    section: int
    colours: tuple[str, ...]
    rule: ClassVar[str] = "VG-1.4"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        place = self.section - 1
        for colour in self.colours:
            index = SAILORS.index(colour)
            state.bag = added(state.bag, index, -1)
            state.sections = put(state.sections, place, added(state.sections[place], index, 1))


class DecksShuffled(Event, frozen=True, tag=True):
    """The three project decks are shuffled; each lists its tiles from the top down (VG-1.5).

    Only the top tiles are open.
    """

    decks: tuple[tuple[str | None, ...], ...]
    rule: ClassVar[str] = "VG-1.5"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.decks = self.decks  # type: ignore[assignment]  # None only where it was hidden

    def seen_by(self, viewer: Viewer) -> DecksShuffled:
        hidden = tuple(deck[:1] + (None,) * (len(deck) - 1) for deck in self.decks)
        return DecksShuffled(hidden)


class ProjectsLaidOut(Event, frozen=True, tag=True):
    """The next tiles are laid out: first the São Gabriel project, then the upper spaces.

    Rules: VG-1.5, VG-8.1.
    """

    gabriel: str | None
    offer: tuple[str | None, ...]
    rule: ClassVar[str] = "VG-1.5"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        laid = {self.gabriel, *self.offer}
        state.gabriel = self.gabriel
        state.offer = self.offer
        state.decks = tuple(tuple(t for t in deck if t not in laid) for deck in state.decks)


class TilesShuffled(Event, frozen=True, tag=True):
    """The Vasco da Gama tiles are shuffled; the first one is turned face up (VG-1.6)."""

    tiles: tuple[int | None, ...]
    rule: ClassVar[str] = "VG-1.6"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.upcoming = self.tiles[0]
        state.tiles = self.tiles[1:]  # type: ignore[assignment]

    def seen_by(self, viewer: Viewer) -> TilesShuffled:
        return TilesShuffled(self.tiles[:1] + (None,) * (len(self.tiles) - 1))


class MerchantShipsShuffled(Event, frozen=True, tag=True):
    """The merchant ships are shuffled and listed by limit; the first two are open (VG-1.6)."""

    limits: tuple[int | None, ...]
    rule: ClassVar[str] = "VG-1.6"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.merchant, state.next_merchant = self.limits[0], self.limits[1]
        state.merchants = self.limits[2:]  # type: ignore[assignment]

    def seen_by(self, viewer: Viewer) -> MerchantShipsShuffled:
        return MerchantShipsShuffled(self.limits[:2] + (None,) * (len(self.limits) - 2))


class MerchantReadied(Event, frozen=True, tag=True):
    """The merchant ship that already lies open becomes that of round 1 (VG-1.6)."""

    limit: int
    rule: ClassVar[str] = "VG-1.6"

    def apply(self, state: VascoState) -> None:
        state.merchant, state.next_merchant = self.limit, None


# ---- phase 1 (VG-2) ----------------------------------------------------------------------------


class VascoRoundBegun(Event, frozen=True, tag="RoundBegun"):
    """A round begins: all discs are with their owners (VG-2.1, VG-8.1)."""

    round: int
    first_player: Seat
    discs: int  # ordinary discs per seat
    rule: ClassVar[str] = "VG-2.1"

    def apply(self, state: VascoState) -> None:
        state.round = self.round
        state.phase = PLACING
        state.first_player = self.first_player
        state.discs = ()
        state.hosts = (None,) * len(CHARACTERS)
        for seat in range(len(state.players)):
            state.change(seat, discs=self.discs)


class MarkerSet(Event, frozen=True, tag=True):
    """The face-up tile moves to the left and sets the initial number and two amounts (VG-2.1)."""

    tile: int
    initial: int
    money: tuple[int, int]
    rule: ClassVar[str] = "VG-2.1"

    def apply(self, state: VascoState) -> None:
        state.tile, state.upcoming = self.tile, None
        state.marker = self.initial
        state.money = self.money


class DiscPlaced(Event, frozen=True, tag=True):
    """A seat places an ordinary disc (VG-2.2)."""

    seat: Seat
    number: int
    area: str
    rule: ClassVar[str] = "VG-2.2"

    def apply(self, state: VascoState) -> None:
        state.change(self.seat, discs=state.players[self.seat].discs - 1)
        lay_disc(state, Disc(self.number, self.seat, self.area))


class AdditionalDiscPlaced(Event, frozen=True, tag=True):
    """Manuel's owner places the additional disc, with 21 or 22 (VG-2.3, VG-6.2)."""

    seat: Seat
    number: int
    area: str
    rule: ClassVar[str] = "VG-2.3"

    def apply(self, state: VascoState) -> None:
        lay_disc(state, Disc(self.number, self.seat, self.area))


class DiscsKeptBack(Event, frozen=True, tag=True):
    """No action slot is free: the discs that are left take no action (VG-2.5)."""

    rule: ClassVar[str] = "VG-2.5"

    def apply(self, state: VascoState) -> None:
        for seat in range(len(state.players)):
            state.change(seat, discs=0)


# ---- phase 2 (VG-3, VG-4) ----------------------------------------------------------------------


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


# ---- expedition (VG-5) -------------------------------------------------------------------------


class ShipSent(Event, frozen=True, tag=True):
    """A ship with its captain takes a slot and scores its value (VG-5.2, VG-5.3)."""

    seat: Seat
    tile: str
    limit: int
    landing: str
    slot: int
    label: str
    vp: int
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        player = state.players[self.seat]
        ships = tuple(tile for tile in player.ships if tile != self.tile)
        state.change(self.seat, ships=ships, captains=player.captains - 1)
        moor(state, self.landing, self.slot, Ship(self.limit, self.seat, self.tile))
        state.score(self.seat, "slots", self.vp)


class BonusProject(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat an upper project (VG-5.3)."""

    seat: Seat
    project: str
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        take_project(state, self.seat, self.project)


class BonusSailor(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat a sailor from a section (VG-5.3)."""

    seat: Seat
    colour: str
    section: int
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        index, place = SAILORS.index(self.colour), self.section - 1
        state.sections = put(state.sections, place, added(state.sections[place], index, -1))
        state.change(self.seat, crew=added(state.players[self.seat].crew, index, 1))


class BonusSailorDrawn(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat a sailor drawn from the bag (VG-5.3)."""

    seat: Seat
    colour: str
    rule: ClassVar[str] = "VG-5.3"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        index = SAILORS.index(self.colour)
        state.bag = added(state.bag, index, -1)
        state.change(self.seat, crew=added(state.players[self.seat].crew, index, 1))


class BonusCaptain(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat one of its captains from the recruiting area (VG-5.3)."""

    seat: Seat
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        player = state.players[self.seat]
        state.change(
            self.seat,
            captains=player.captains + 1,
            captains_waiting=player.captains_waiting - 1,
        )


class BonusReals(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat Reals (VG-5.3)."""

    seat: Seat
    landing: str
    reals: int
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, -self.reals)


class BonusLost(Event, frozen=True, tag=True):
    """A bonus is lost because nothing of its kind is left (VG-5.3)."""

    seat: Seat
    landing: str
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        return None


# ---- characters (VG-6) -------------------------------------------------------------------------


class MoneyTaken(Event, frozen=True, tag=True):
    """A seat takes the Reals of one money space (VG-6.1)."""

    seat: Seat
    space: str
    reals: int
    rule: ClassVar[str] = "VG-6.1"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, -self.reals)
        state.money = put(state.money, SPACES.index(self.space), None)


class CharacterHosted(Event, frozen=True, tag=True):
    """The disc moves to the character, and the tile to its host (VG-6.1)."""

    seat: Seat
    number: int
    character: str
    owner_before: Seat | None
    rule: ClassVar[str] = "VG-6.1"

    def apply(self, state: VascoState) -> None:
        place = CHARACTERS.index(self.character)
        mark_disc(state, self.number, "hosting")
        state.hosts = put(state.hosts, place, self.seat)
        state.owners = put(state.owners, place, self.seat)


class DiasHonoured(Event, frozen=True, tag=True):
    """Dias's host or owner scores VP (VG-1.2, VG-6.3, VG-8.1)."""

    seat: Seat
    vp: int
    rule: ClassVar[str] = "VG-6.3"

    def apply(self, state: VascoState) -> None:
        state.score(self.seat, "dias", self.vp)


class MissionaryTaken(Event, frozen=True, tag=True):
    """Alvares's host or owner receives a missionary (VG-1.3, VG-6.4, VG-8.1)."""

    seat: Seat
    rule: ClassVar[str] = "VG-6.4"

    def apply(self, state: VascoState) -> None:
        state.missionaries -= 1
        state.change(self.seat, crew=added(state.players[self.seat].crew, CREW.index("white"), 1))


class MissionaryNotLeft(Event, frozen=True, tag=True):
    """No missionary is left, and none is owed later (VG-6.4)."""

    seat: Seat
    rule: ClassVar[str] = "VG-6.4"

    def apply(self, state: VascoState) -> None:
        return None


class MerchantSent(Event, frozen=True, tag=True):
    """A merchant ship takes a slot; its sender gets the bonus but no VP (VG-6.6, VG-6.7)."""

    seat: Seat
    limit: int
    landing: str
    slot: int
    label: str
    rule: ClassVar[str] = "VG-6.6"

    def apply(self, state: VascoState) -> None:
        state.merchant = None
        moor(state, self.landing, self.slot, Ship(self.limit))


class MerchantLost(Event, frozen=True, tag=True):
    """No slot can take the merchant ship: it leaves the game (VG-6.8)."""

    limit: int
    rule: ClassVar[str] = "VG-6.8"

    def apply(self, state: VascoState) -> None:
        state.merchant = None


# ---- phase 3 (VG-7) ----------------------------------------------------------------------------


class NavigationBegun(Event, frozen=True, tag=True):
    """All numbers have been called (VG-7.1)."""

    rule: ClassVar[str] = "VG-7.1"

    def apply(self, state: VascoState) -> None:
        state.phase = NAVIGATION


class ShipEarned(Event, frozen=True, tag=True):
    """A ship pays its owner the Reals and VP printed on it (VG-7.2)."""

    seat: Seat
    tile: str
    reals: int
    vp: int
    rule: ClassVar[str] = "VG-7.2"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, -self.reals)
        state.score(self.seat, "ships", self.vp)


class LandingPaid(Event, frozen=True, tag=True):
    """A complete landing pays a seat `vp` in all for its `ships` ships there (VG-7.3)."""

    seat: Seat
    landing: str
    ships: int
    vp: int
    rule: ClassVar[str] = "VG-7.3"

    def apply(self, state: VascoState) -> None:
        state.score(self.seat, "landings", self.vp)


class ShipSailed(Event, frozen=True, tag=True):
    """A ship of a complete landing moves to the leftmost fitting slot of the next one (VG-7.4)."""

    seat: Seat | None
    tile: str | None
    from_landing: str
    from_slot: int
    landing: str
    slot: int
    label: str
    rule: ClassVar[str] = "VG-7.4"

    def apply(self, state: VascoState) -> None:
        ship = state.landings[LANDINGS.index(self.from_landing)][self.from_slot]
        moor(state, self.from_landing, self.from_slot, None)
        moor(state, self.landing, self.slot, ship)


class ShipLeft(Event, frozen=True, tag=True):
    """A ship finds no slot and leaves the game; its captain returns to the seat (VG-7.4)."""

    seat: Seat | None
    tile: str | None
    landing: str
    slot: int
    rule: ClassVar[str] = "VG-7.4"

    def apply(self, state: VascoState) -> None:
        moor(state, self.landing, self.slot, None)
        if self.seat is not None:
            state.change(self.seat, captains=state.players[self.seat].captains + 1)


# ---- the end of a round and of the game (VG-8) -------------------------------------------------


class ProjectsDiscarded(Event, frozen=True, tag=True):
    """Unsold projects leave the game (VG-8.1)."""

    projects: tuple[str, ...]
    rule: ClassVar[str] = "VG-8.1"

    def apply(self, state: VascoState) -> None:
        state.gabriel = None
        state.offer = (None,) * len(state.offer)


class MerchantTurnedUp(Event, frozen=True, tag=True):
    """The next round's merchant ship is turned face up (VG-8.1)."""

    limit: int
    rule: ClassVar[str] = "VG-8.1"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.merchant = self.limit
        state.merchants = state.merchants[1:]


class MoneyReturned(Event, frozen=True, tag=True):
    """The money left in the characters area is put back (VG-8.1)."""

    reals: int
    rule: ClassVar[str] = "VG-8.1"

    def apply(self, state: VascoState) -> None:
        state.money = (None, None)


class SectionRefilled(Event, frozen=True, tag=True):
    """Sailors go from the bag into a section at the round's end (VG-8.1)."""

    section: int
    colours: tuple[str, ...]
    rule: ClassVar[str] = "VG-8.1"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        SailorsDrawn(self.section, self.colours).apply(state)


class AdditionalDiscReturned(Event, frozen=True, tag=True):
    """A seat that no longer owns Manuel returns the additional disc (VG-8.1)."""

    seat: Seat
    rule: ClassVar[str] = "VG-8.1"

    def apply(self, state: VascoState) -> None:
        state.change(self.seat, additional=False)


class LastLaunchesBegun(Event, frozen=True, tag=True):
    """After round 5 every seat may launch the ships it has crews for (VG-8.2)."""

    rule: ClassVar[str] = "VG-8.2"

    def apply(self, state: VascoState) -> None:
        state.phase = LAST_LAUNCHES


class LaunchesEnded(Event, frozen=True, tag=True):
    """A seat ends its launches (VG-8.2)."""

    seat: Seat
    rule: ClassVar[str] = "VG-8.2"

    def apply(self, state: VascoState) -> None:
        return None


class CaptainsBoarded(Event, frozen=True, tag=True):
    """Captains board their owner's launched ships (VG-8.2)."""

    seat: Seat
    ships: int
    rule: ClassVar[str] = "VG-8.2"

    def apply(self, state: VascoState) -> None:
        captains = state.players[self.seat].captains - self.ships
        state.change(self.seat, captains=captains, boarded=self.ships)


class RealsCounted(Event, frozen=True, tag=True):
    """A seat scores VP for its Reals (VG-8.3)."""

    seat: Seat
    reals: int
    vp: int
    rule: ClassVar[str] = "VG-8.3"

    def apply(self, state: VascoState) -> None:
        state.score(self.seat, "reals", self.vp)


class CaptainsCounted(Event, frozen=True, tag=True):
    """A seat scores VP for launched ships with a captain on board (VG-8.3)."""

    seat: Seat
    ships: int
    vp: int
    rule: ClassVar[str] = "VG-8.3"

    def apply(self, state: VascoState) -> None:
        state.score(self.seat, "captains", self.vp)


class VascoGameEnded(Event, frozen=True, tag="GameEnded"):
    """The game ends; `places` by seat, from 1, and equal seats share a place (VG-8.4)."""

    places: tuple[int, ...]
    points: tuple[int, ...]
    rule: ClassVar[str] = "VG-8.4"

    def apply(self, state: VascoState) -> None:
        state.phase = OVER
        state.awaiting = None
        state.places = self.places


class VascoNowAwaiting(Event, frozen=True, tag="NowAwaiting"):
    """The game asks the next question."""

    question: Question

    def apply(self, state: VascoState) -> None:
        state.awaiting = self.question


# ---- helpers -----------------------------------------------------------------------------------


def pay(state: VascoState, seat: Seat, reals: int) -> None:
    """Move Reals from a seat to the common supply; a negative number reverses it (VG-1.1)."""
    if reals:
        state.change(seat, reals=state.players[seat].reals - reals)


def lay_disc(state: VascoState, disc: Disc) -> None:
    """Add a disc and keep the discs in the order of their numbers."""
    state.discs = tuple(sorted((*state.discs, disc), key=attrgetter("number")))


def mark_disc(state: VascoState, number: int, status: str) -> None:
    """Set the status of a disc."""
    place = next(place for place, disc in enumerate(state.discs) if disc.number == number)
    state.discs = put(state.discs, place, replace(state.discs[place], status=status))


def take_project(state: VascoState, seat: Seat, project: str) -> None:
    """Move an upper project to a seat and leave a gap."""
    state.offer = tuple(None if tile == project else tile for tile in state.offer)
    state.change(seat, projects=(*state.players[seat].projects, project))


def moor(state: VascoState, landing: str, slot: int, ship: Ship | None) -> None:
    """Put a ship into a slot, or empty the slot."""
    place = LANDINGS.index(landing)
    state.landings = put(state.landings, place, put(state.landings[place], slot, ship))


AnyEvent = (
    VascoTableLaid | CharacterDealt | AdditionalDiscGiven | SailorsDrawn | DecksShuffled
    | ProjectsLaidOut | TilesShuffled | MerchantShipsShuffled | MerchantReadied
    | VascoRoundBegun | MarkerSet | DiscPlaced | AdditionalDiscPlaced | DiscsKeptBack
    | VariationTurned | ActionTaken | ActionGivenUp | ProjectsBought | GabrielBought
    | ShipLaunched | CrewRecruited | ShipSent | BonusProject | BonusSailor | BonusSailorDrawn
    | BonusCaptain | BonusReals | BonusLost | MoneyTaken | CharacterHosted | DiasHonoured
    | MissionaryTaken | MissionaryNotLeft | MerchantSent | MerchantLost | NavigationBegun
    | ShipEarned | LandingPaid | ShipSailed | ShipLeft | ProjectsDiscarded | MerchantTurnedUp
    | MoneyReturned | SectionRefilled | AdditionalDiscReturned | LastLaunchesBegun
    | LaunchesEnded | CaptainsBoarded | RealsCounted | CaptainsCounted
    | VascoGameEnded | VascoNowAwaiting
)
