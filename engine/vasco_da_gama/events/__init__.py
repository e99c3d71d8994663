"""Defines the events of Vasco da Gama in the order of the rules; each one changes the state.

Classes and fields stay for ever: a new meaning gets a new class. Reals and VP are whole numbers.
Slots count from 0 at the left (`label` is the slot as orders write it), sections from 1.
"""

from __future__ import annotations

from engine.vasco_da_gama.events.actions import (
    ActionGivenUp,
    ActionTaken,
    CrewRecruited,
    GabrielBought,
    ProjectsBought,
    ShipLaunched,
    VariationTurned,
)
from engine.vasco_da_gama.events.characters import (
    CharacterHosted,
    DiasHonoured,
    MerchantLost,
    MerchantSent,
    MissionaryNotLeft,
    MissionaryTaken,
    MoneyTaken,
)
from engine.vasco_da_gama.events.end import (
    AdditionalDiscReturned,
    CaptainsBoarded,
    CaptainsCounted,
    LastLaunchesBegun,
    LaunchesEnded,
    MerchantTurnedUp,
    MoneyReturned,
    ProjectsDiscarded,
    RealsCounted,
    SectionRefilled,
    VascoGameEnded,
    VascoNowAwaiting,
)
from engine.vasco_da_gama.events.expedition import (
    BonusCaptain,
    BonusLost,
    BonusProject,
    BonusReals,
    BonusSailor,
    BonusSailorDrawn,
    ShipSent,
)
from engine.vasco_da_gama.events.navigation import (
    LandingPaid,
    NavigationBegun,
    ShipEarned,
    ShipLeft,
    ShipSailed,
)
from engine.vasco_da_gama.events.placing import (
    AdditionalDiscPlaced,
    DiscPlaced,
    DiscsKeptBack,
    MarkerSet,
    VascoRoundBegun,
)
from engine.vasco_da_gama.events.setup import (
    AdditionalDiscGiven,
    CharacterDealt,
    DecksShuffled,
    MerchantReadied,
    MerchantShipsShuffled,
    ProjectsLaidOut,
    SailorsDrawn,
    TilesShuffled,
    VascoTableLaid,
)

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

__all__ = [
    "ActionGivenUp",
    "ActionTaken",
    "AdditionalDiscGiven",
    "AdditionalDiscPlaced",
    "AdditionalDiscReturned",
    "AnyEvent",
    "BonusCaptain",
    "BonusLost",
    "BonusProject",
    "BonusReals",
    "BonusSailor",
    "BonusSailorDrawn",
    "CaptainsBoarded",
    "CaptainsCounted",
    "CharacterDealt",
    "CharacterHosted",
    "CrewRecruited",
    "DecksShuffled",
    "DiasHonoured",
    "DiscPlaced",
    "DiscsKeptBack",
    "GabrielBought",
    "LandingPaid",
    "LastLaunchesBegun",
    "LaunchesEnded",
    "MarkerSet",
    "MerchantLost",
    "MerchantReadied",
    "MerchantSent",
    "MerchantShipsShuffled",
    "MerchantTurnedUp",
    "MissionaryNotLeft",
    "MissionaryTaken",
    "MoneyReturned",
    "MoneyTaken",
    "NavigationBegun",
    "ProjectsBought",
    "ProjectsDiscarded",
    "ProjectsLaidOut",
    "RealsCounted",
    "SailorsDrawn",
    "SectionRefilled",
    "ShipEarned",
    "ShipLaunched",
    "ShipLeft",
    "ShipSailed",
    "ShipSent",
    "TilesShuffled",
    "VariationTurned",
    "VascoGameEnded",
    "VascoNowAwaiting",
    "VascoRoundBegun",
    "VascoTableLaid",
]  # fmt: skip
