"""One of every fact, question and move of Vasco da Gama, for the words that say them."""

from engine import registry
from engine.vasco_da_gama import events as facts
from engine.vasco_da_gama import moves, refusals
from engine.vasco_da_gama import state as questions

MAKE = registry.GAMES["vasco-da-gama"]
PACKAGE = "vasco_da_gama"
RULES = "VG-"
REFUSALS = refusals.REFUSALS
ANNA, BRAM, CHAIM = range(3)

SILENT = {facts.VascoNowAwaiting}
FACTS = (
    facts.VascoTableLaid(3, 10, 1, 6, 8, 3, 6, (1, 2, 3, 4, 5, 6), 6, 4),
    facts.CharacterDealt(ANNA, "dias"),
    facts.AdditionalDiscGiven(ANNA),
    facts.SailorsDrawn(1, ("violet", "turquoise", "violet")),
    facts.DecksShuffled((("I-01", "I-02"), ("II-01",), ())),
    facts.ProjectsLaidOut("I-01", ("I-02", None)),
    facts.TilesShuffled((3, 1, 2)),
    facts.MerchantShipsShuffled((5, 6, 7)),
    facts.MerchantReadied(6),
    facts.VascoRoundBegun(1, ANNA, 4),
    facts.MarkerSet(3, 9, (4, 2)),
    facts.DiscPlaced(ANNA, 8, "recruiting"),
    facts.AdditionalDiscPlaced(ANNA, 21, "projects"),
    facts.DiscsKeptBack(),
    facts.VariationTurned(2, -2, 7),
    facts.ActionTaken(ANNA, 8, "navigation", 2),
    facts.ActionTaken(ANNA, 12, "navigation", 0),
    facts.ActionGivenUp(ANNA, 8, "characters", 2),
    facts.ActionGivenUp(ANNA, 21, "characters", 0),
    facts.ProjectsBought(ANNA, ("I-02", "I-03"), 4),
    facts.GabrielBought(ANNA, "I-01", 3),
    facts.ShipLaunched(ANNA, "I-02", ("turquoise", "white")),
    facts.CrewRecruited(ANNA, 2, (2, 0, 0, 1), False, 3),
    facts.CrewRecruited(ANNA, 2, (2, 0, 0, 1), True, 6),
    facts.CrewRecruited(ANNA, None, (0, 0, 0, 0), True, 0),
    facts.ShipSent(ANNA, "I-02", 5, "malindi", 1, "9b", 9),
    facts.BonusProject(ANNA, "I-05"),
    facts.BonusSailor(ANNA, "grey", 2),
    facts.BonusSailorDrawn(ANNA, "orange"),
    facts.BonusCaptain(ANNA),
    facts.BonusReals(ANNA, "mombasa", 2),
    facts.BonusLost(ANNA, "natal"),
    facts.MoneyTaken(ANNA, "upper", 5),
    facts.CharacterHosted(ANNA, 8, "manuel", None),
    facts.CharacterHosted(ANNA, 8, "manuel", ANNA),
    facts.CharacterHosted(ANNA, 8, "manuel", BRAM),
    facts.DiasHonoured(ANNA, 2),
    facts.MissionaryTaken(ANNA),
    facts.MissionaryNotLeft(ANNA),
    facts.MerchantSent(ANNA, 6, "terra", 0, "5"),
    facts.MerchantLost(3),
    facts.NavigationBegun(),
    facts.ShipEarned(ANNA, "I-02", 2, 1),
    facts.LandingPaid(ANNA, "mombasa", 2, 6),
    facts.ShipSailed(ANNA, "I-02", "natal", 0, "terra", 1, "4"),
    facts.ShipSailed(None, None, "natal", 0, "terra", 1, "4"),
    facts.ShipLeft(ANNA, "I-02", "calicut", 0),
    facts.ShipLeft(None, None, "calicut", 0),
    facts.ProjectsDiscarded(("I-02", "I-01")),
    facts.MerchantTurnedUp(4),
    facts.MoneyReturned(5),
    facts.SectionRefilled(1, ("grey",)),
    facts.AdditionalDiscReturned(ANNA),
    facts.LastLaunchesBegun(),
    facts.LaunchesEnded(ANNA),
    facts.CaptainsBoarded(ANNA, 2),
    facts.RealsCounted(ANNA, 10, 3),
    facts.CaptainsCounted(ANNA, 2, 6),
    facts.VascoGameEnded((2, 1, 2), (40, 45, 40)),
)
QUESTIONS = (
    questions.AwaitFirstMerchant(ANNA, 5),
    questions.AwaitPlacement(ANNA),
    *(questions.AwaitCalledAction(ANNA, 8, area, 2, 3) for area in questions.AREAS),
    questions.AwaitCalledAction(ANNA, 12, "navigation", 0, 2),
    questions.AwaitProject(ANNA, "natal", 0),
    questions.AwaitSailor(ANNA, "terra", 1),
    questions.AwaitMerchant(ANNA, 5),
    questions.AwaitLaunches(ANNA),
    questions.AwaitLastLaunches((ANNA, CHAIM)),
)
MOVES = (
    moves.PlaceDisc(8, "recruiting"),
    moves.GiveUp(),
    moves.Buy(("I-02", "I-03")),
    moves.BuyGabriel(),
    moves.Recruit(2, (2, 0, 0, 1), False),
    moves.Recruit(2, (2, 0, 0, 1), True),
    moves.Recruit(None, (0, 0, 0, 0), True),
    moves.Send("malindi", (("I-02", 0), ("I-03", 2))),
    moves.ChooseProject("I-02"),
    moves.ChooseSailor("grey", 2),
    moves.DrawSailor(),
    moves.TakeMoney("lower"),
    moves.Host("dias"),
    moves.HostSernigi("natal", 0),
    moves.HostManuel(22, "projects"),
    moves.SendMerchant("natal", 0),
    moves.Launch("I-02", ("turquoise", "white")),
    moves.EndLaunches(),
)

REFUSED = {
    "area": "projects", "landing": "natal", "colour": "grey", "space": "upper",
    "character": "dias", "project": "I-02",
}  # fmt: skip
"""What stands for the numbers of refusals that are no numbers."""

WORDS_OF_ORDERS = {
    "place", "give up", "buy", "recruit", "send", "bonus", "take", "host", "merchant", "launch",
    "done", "captain", "upper", "lower", "bag", "from", *questions.AREAS, *questions.CREW,
}  # fmt: skip
"""The words that need an alias in every language; the rest are names."""
