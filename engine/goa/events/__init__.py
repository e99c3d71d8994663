"""Defines the events of Goa in the order of the rules; each one changes the state.

Classes and fields stay for ever: a new meaning gets a new class. A card is None if the reader may
not know its face. No event tells what a purse holds, except the last ones (GO-9.1).
"""

from __future__ import annotations

from engine.goa.events.actions import (
    ActionChosen,
    AdditionalCardPlayed,
    AllMarkersInRow,
    BonusCardsDrawn,
    CardDiscarded,
    CardsDrawn,
    FirstInRow,
    Harvested,
    MarkerMoved,
    NoCardsDrawn,
    RoomMade,
    ShipsBuilt,
    TaxesTaken,
    TileCardsDrawn,
    TurnBegun,
    TurnEnded,
)
from engine.goa.events.additional import AdditionalActionsBegun, AdditionalDeclined, GridCleared
from engine.goa.events.auctions import (
    AuctionOpened,
    BidDeclined,
    BidMade,
    FlagWon,
    LotPaid,
    TileWon,
)
from engine.goa.events.cards import CardGoodsTaken, CardPlayed, ProgressBought, SpicesSold
from engine.goa.events.colonies import (
    CardsRevealed,
    ColonistsPaid,
    ColonyFounded,
    ColonyPlaced,
    FoundingBegun,
    FoundingFailed,
    RevealedDiscarded,
    RevealRaised,
)
from engine.goa.events.end import (
    CardsCounted,
    ColoniesCounted,
    DucatsCounted,
    GoaGameEnded,
    GoaNowAwaiting,
    HandsShown,
    MarkersCounted,
    TilesCounted,
)
from engine.goa.events.placing import FlagPlaced, GoaRoundBegun, MarkerPlaced, PathBroken
from engine.goa.events.setup import (
    CardTurned,
    DeckReshuffled,
    DeckShuffled,
    GoaTableLaid,
    QuickDucatsTaken,
    QuickMarkersMoved,
    QuickStartBegun,
    StartPlayerFound,
    TilesLaidOut,
)
from engine.goa.events.tiles import (
    AdditionalHarvestDone,
    DutyDone,
    ImmediateTaken,
    MissionTaken,
    OnceARoundUsed,
    PlantationDropped,
    PlantationPlaced,
    TakenTileUsed,
    TradeMade,
)

AnyEvent = (
    GoaTableLaid | TilesLaidOut | DeckShuffled | DeckReshuffled | CardTurned | StartPlayerFound
    | QuickStartBegun | QuickMarkersMoved | QuickDucatsTaken
    | GoaRoundBegun | FlagPlaced | MarkerPlaced | PathBroken
    | AuctionOpened | BidMade | BidDeclined | LotPaid | FlagWon | TileWon
    | TurnBegun | AdditionalCardPlayed | ActionChosen | MarkerMoved | ShipsBuilt | Harvested
    | TaxesTaken | CardsDrawn | BonusCardsDrawn | TileCardsDrawn | NoCardsDrawn | RoomMade
    | CardDiscarded | FirstInRow | AllMarkersInRow | TurnEnded
    | FoundingBegun | RevealRaised | CardsRevealed | ColonistsPaid | RevealedDiscarded
    | ColonyFounded | FoundingFailed | ColonyPlaced
    | AdditionalActionsBegun | AdditionalDeclined | GridCleared
    | CardPlayed | CardGoodsTaken | SpicesSold | ProgressBought
    | PlantationDropped | PlantationPlaced | ImmediateTaken | OnceARoundUsed | DutyDone
    | AdditionalHarvestDone | MissionTaken | TradeMade | TakenTileUsed
    | HandsShown | MarkersCounted | ColoniesCounted | CardsCounted | DucatsCounted | TilesCounted
    | GoaGameEnded | GoaNowAwaiting
)

__all__ = [
    "ActionChosen",
    "AdditionalActionsBegun",
    "AdditionalCardPlayed",
    "AdditionalDeclined",
    "AdditionalHarvestDone",
    "AllMarkersInRow",
    "AnyEvent",
    "AuctionOpened",
    "BidDeclined",
    "BidMade",
    "BonusCardsDrawn",
    "CardDiscarded",
    "CardGoodsTaken",
    "CardPlayed",
    "CardTurned",
    "CardsCounted",
    "CardsDrawn",
    "CardsRevealed",
    "ColoniesCounted",
    "ColonistsPaid",
    "ColonyFounded",
    "ColonyPlaced",
    "DeckReshuffled",
    "DeckShuffled",
    "DucatsCounted",
    "DutyDone",
    "FirstInRow",
    "FlagPlaced",
    "FlagWon",
    "FoundingBegun",
    "FoundingFailed",
    "GoaGameEnded",
    "GoaNowAwaiting",
    "GoaRoundBegun",
    "GoaTableLaid",
    "GridCleared",
    "HandsShown",
    "Harvested",
    "ImmediateTaken",
    "LotPaid",
    "MarkerMoved",
    "MarkerPlaced",
    "MarkersCounted",
    "MissionTaken",
    "NoCardsDrawn",
    "OnceARoundUsed",
    "PathBroken",
    "PlantationDropped",
    "PlantationPlaced",
    "ProgressBought",
    "QuickDucatsTaken",
    "QuickMarkersMoved",
    "QuickStartBegun",
    "RevealRaised",
    "RevealedDiscarded",
    "RoomMade",
    "ShipsBuilt",
    "SpicesSold",
    "StartPlayerFound",
    "TakenTileUsed",
    "TaxesTaken",
    "TileCardsDrawn",
    "TileWon",
    "TilesCounted",
    "TilesLaidOut",
    "TradeMade",
    "TurnBegun",
    "TurnEnded",
]  # fmt: skip
