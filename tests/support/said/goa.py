"""One of every fact, question and move of Goa, for the words that say them."""

from engine.goa import Goa, moves, refusals
from engine.goa import events as facts
from engine.goa import state as questions
from engine.goa.component_sets import STANDARD, read
from engine.goa.grammar import GOODS, KEPT_TILES, VERBS
from engine.goa.lookups import EDGES, ONCE_A_ROUND
from engine.goa.state import COLUMNS, SPICES


def MAKE(toml: str | None) -> Goa:
    """The game, as the registry makes it."""
    return Goa(read(toml or STANDARD.read_text("utf-8")))


PACKAGE = "goa"
RULES = "GO-"
REFUSALS = refusals.REFUSALS
ANNA, BRAM, CHAIM = range(3)
SACKS = (("ginger", "1", 2), ("clove", "quilon", 1))
COLONIES = (("quilon1", "quilon2"), ("cochin",), ("madras1",), ("calicut",))

SILENT = {facts.GoaNowAwaiting, facts.TurnBegun, facts.TurnEnded, facts.RevealedDiscarded}
FACTS = (
    facts.GoaTableLaid(4, 2, COLONIES),
    facts.TilesLaidOut("A", ("A01", "A02", "A03"), 2),
    facts.DeckShuffled((3, 1, 2)),
    facts.DeckReshuffled((3, 1)),
    facts.CardTurned(ANNA, 1),
    facts.StartPlayerFound(ANNA, 7, 10),
    facts.QuickStartBegun(),
    facts.QuickMarkersMoved(ANNA, ("ships", "taxes")),
    facts.QuickDucatsTaken(ANNA, 10),
    facts.GoaRoundBegun("A", 1),
    facts.FlagPlaced(ANNA, "north c"),
    facts.MarkerPlaced(ANNA, 2, "c1", "A06"),
    facts.PathBroken(3),
    facts.AuctionOpened(2, "A06", ANNA),
    facts.AuctionOpened(1, None, ANNA),
    facts.BidMade(ANNA, 2, 5),
    facts.BidDeclined(ANNA, 2, unasked=False),
    facts.BidDeclined(ANNA, 2, unasked=True),
    facts.LotPaid(ANNA, 2, BRAM, 5),
    facts.LotPaid(ANNA, 2, None, 5),
    facts.FlagWon(ANNA, 4, 1),
    facts.TileWon(ANNA, 2, "A06", "c1", 5),
    facts.TileWon(ANNA, 2, "A06", "c1", 0),
    facts.AdditionalCardPlayed(ANNA),
    facts.ActionChosen(ANNA, "expedition"),
    facts.MarkerMoved(ANNA, "harvest", 3, 2, SACKS),
    facts.ShipsBuilt(ANNA, 2),
    facts.Harvested(ANNA, 1, 1, SACKS),
    facts.TaxesTaken(ANNA, 6),
    facts.CardsDrawn(ANNA, (5, 9)),
    facts.CardsDrawn(ANNA, (None, None)),
    facts.BonusCardsDrawn(ANNA, (5,), by_action=True),
    facts.BonusCardsDrawn(ANNA, (None,), by_action=True),
    facts.TileCardsDrawn(ANNA, (5, 9)),
    facts.TileCardsDrawn(ANNA, (None, None)),
    facts.NoCardsDrawn(ANNA, "tile"),
    facts.RoomMade(ANNA, (5, 9)),
    facts.CardDiscarded(ANNA, 5),
    facts.FirstInRow(ANNA, "taxes", 4, 1),
    facts.AllMarkersInRow(ANNA, 2, 1),
    facts.FoundingBegun(ANNA, "quilon", 6, 2),
    facts.RevealRaised(ANNA, 3),
    facts.CardsRevealed(ANNA, (5, 9), 4),
    facts.ColonistsPaid(ANNA, 2),
    facts.ColonyFounded(ANNA, "quilon"),
    facts.FoundingFailed(ANNA, "quilon", 1, declined=False),
    facts.FoundingFailed(ANNA, "quilon", 1, declined=True),
    facts.ColonyPlaced(ANNA, "madras", "madras1", 2, ("ginger", "nutmeg"), ("ginger", "ginger")),
    facts.AdditionalActionsBegun(),
    facts.AdditionalDeclined(ANNA, unasked=False),
    facts.AdditionalDeclined(ANNA, unasked=True),
    facts.GridCleared(("A06", "A07")),
    facts.CardPlayed(ANNA, 5),
    facts.CardGoodsTaken(ANNA, 5, 0, 2, 0, ()),
    facts.SpicesSold(ANNA, 13, SACKS, 9),
    facts.ProgressBought(ANNA, 16, "ships", 2, 8),
    facts.PlantationDropped(ANNA, "A06", 1, kept=False),
    facts.PlantationDropped(ANNA, "A01", 1, kept=True),
    facts.PlantationPlaced(ANNA, "A06", 1, "ginger", 2),
    facts.ImmediateTaken(ANNA, "A25", 1, 1, 0, 1, 0),
    facts.OnceARoundUsed(ANNA, "A17", 0, 0, 4, ()),
    facts.DutyDone(ANNA, "A20", SACKS),
    facts.AdditionalHarvestDone(ANNA, "B11", SACKS),
    facts.MissionTaken(ANNA, "B21"),
    facts.TradeMade(ANNA, "B12", "d2", "B03"),
    facts.TakenTileUsed(ANNA, "B03"),
    facts.HandsShown((12, 9, 0), ((5, 9), (), (1,))),
    facts.MarkersCounted(ANNA, (1, 2, 3, 4, 5), 20),
    facts.ColoniesCounted(ANNA, 2, 3),
    facts.CardsCounted(ANNA, "tiger", 2, 3),
    facts.DucatsCounted(ANNA, 12, 3),
    facts.TilesCounted(ANNA, ("A01", "B21"), 3),
    facts.GoaGameEnded((2, 1, 2), (40, 45, 40)),
)
QUESTIONS = (
    questions.AwaitQuickStart(ANNA),
    questions.AwaitFlag(ANNA),
    questions.AwaitMarker(ANNA, 2),
    questions.AwaitBid(2, "A06", BRAM, (ANNA, BRAM)),
    questions.AwaitBid(1, None, BRAM, (ANNA, BRAM), 5, CHAIM),
    questions.AwaitBid(2, "A06", ANNA, (ANNA,), 5, CHAIM),
    questions.AwaitGoods(ANNA, "A26"),
    questions.AwaitDrop(ANNA, "A06"),
    questions.AwaitRoom(ANNA, 2, 3, "expedition"),
    questions.AwaitTurnAction(ANNA, 1),
    questions.AwaitAdditional(ANNA, 1, may_pass=True),
    questions.AwaitAdditional(ANNA, 1, may_pass=False),
    questions.AwaitFounding(ANNA, "quilon", 6, 4),
    questions.AwaitColony(ANNA, "quilon"),
    questions.AwaitDone(ANNA),
)
MOVES = (
    moves.QuickMarkers(("ships", "taxes")),
    moves.QuickDucats(),
    moves.PlaceFlag("west 2"),
    moves.PlaceMarker("c1"),
    moves.Bid(5),
    moves.Pass(),
    moves.Drop(1),
    moves.ChooseGain("ships"),
    moves.DrawCards(2, ()),
    moves.DrawCards(2, (5, 9)),
    moves.Progress("harvest", None, SACKS),
    moves.Progress("harvest", None, ()),
    moves.Progress("harvest", 28, SACKS),
    moves.Progress("harvest", 25, ()),
    moves.BuildShips(),
    moves.Harvest(None, 0, 0, SACKS),
    moves.Harvest(19, 1, 1, SACKS),
    moves.Taxes(),
    moves.Expedition(2, ()),
    moves.Expedition(2, (5, 9)),
    moves.Expedition(None, ()),
    moves.FoundColony("quilon", None),
    moves.FoundColony("quilon", 22),
    moves.Pay(),
    moves.Decline(),
    moves.ChooseColony("madras1", ("ginger", "ginger")),
    moves.PlayCard(1, (), None),
    moves.PlayCard(13, SACKS, None),
    moves.PlayCard(16, (), "ships"),
    moves.UseGoods("ship"),
    moves.UseSpice("ginger", "1"),
    moves.UseDuty(SACKS),
    moves.UseHarvest((("1", ()), ("madras", ("ginger", "ginger")))),
    moves.UseTrade("d2"),
    moves.UseTile("A25", None, None),
    moves.UseTile("A06", 1, None),
    moves.UseTile("A26", None, "ships"),
    moves.Extra(moves.Taxes()),
    moves.Extra(moves.Progress("harvest", 28, SACKS)),
    moves.Extra(moves.Expedition(2, (5,))),
    moves.Extra(moves.Harvest(19, 1, 1, SACKS)),
    moves.Extra(moves.FoundColony("quilon", 22)),
    moves.Discard(5),
    moves.EndTurn(),
)

REFUSED = {
    "space": "north c", "last": "c3", "column": "taxes", "colony": "quilon", "spice": "ginger",
    "place": "quilon", "goods": "ships", "kind": "duty", "action": "found", "tile": "A06",
}  # fmt: skip
"""What stands for the numbers of refusals that are no numbers."""

WORDS_OF_ORDERS = {
    *VERBS, *COLUMNS, *SPICES, *EDGES, *ONCE_A_ROUND, *KEPT_TILES, *GOODS, "using", "from",
    "pay up to",
}  # fmt: skip
"""The words that need an alias in every language; the rest are names."""
