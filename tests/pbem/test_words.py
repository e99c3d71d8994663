"""Every fact, question, refusal and move is said in four languages, with the same values."""

from __future__ import annotations

import ast
import string
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from engine import notation, registry
from engine.chance import Stream
from engine.vasco_da_gama import events as facts
from engine.vasco_da_gama import moves, refusals
from engine.vasco_da_gama import state as questions
from pbem import words

GAME = "vasco-da-gama"
ROOT = Path(__file__).parents[2]
ANNA, BRAM, CHAIM = range(3)
NAMES = ("Anna", "Bram", "Chaim")

FACTS = (
    facts.TableLaid(3, 10, 1, 6, 8, 3, 6, (1, 2, 3, 4, 5, 6), 6, 4),
    facts.CharacterDealt(ANNA, "dias"),
    facts.AdditionalDiscGiven(ANNA),
    facts.SailorsDrawn(1, ("violet", "turquoise", "violet")),
    facts.DecksShuffled((("I-01", "I-02"), ("II-01",), ())),
    facts.ProjectsLaidOut("I-01", ("I-02", None)),
    facts.TilesShuffled((3, 1, 2)),
    facts.MerchantShipsShuffled((5, 6, 7)),
    facts.MerchantReadied(6),
    facts.RoundBegun(1, ANNA, 4),
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
    facts.GameEnded((2, 1, 2), (40, 45, 40)),
)
QUESTIONS = (
    questions.AwaitFirstMerchant(ANNA, 5),
    questions.AwaitPlacement(ANNA),
    *(questions.AwaitAction(ANNA, 8, area, 2, 3) for area in questions.AREAS),
    questions.AwaitAction(ANNA, 12, "navigation", 0, 2),
    questions.AwaitProject(ANNA, "natal", 0),
    questions.AwaitSailor(ANNA, "terra", 1),
    questions.AwaitMerchant(ANNA, 5),
    questions.AwaitLastLaunches((ANNA, CHAIM)),
)
MOVES = (
    moves.Place(8, "recruiting"),
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
    moves.Done(),
)


class Recorder(dict):  # type: ignore[type-arg]
    """A table of phrases that remembers which were said."""

    def __init__(self, table: dict[str, Any]) -> None:
        super().__init__(table)
        self.said: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.said.add(key)
        return super().__getitem__(key)


@cache
def tables(language: str) -> dict[str, Any]:
    path = words.GAMES / GAME / "words" / f"{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def phrases(table: dict[str, Any], at: str = "") -> dict[str, str]:
    """All wordings by their path, terms' plural forms too."""
    found: dict[str, str] = {}
    for key, value in table.items():
        path = f"{at}.{key}" if at else key
        found |= phrases(value, path) if isinstance(value, dict) else {path: value}
    return found


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def line(event: Any, language: str = "en") -> str:
    said = words.event_line(GAME, event, names=NAMES, viewer=None, language=language)
    assert said is not None
    return said.text


def is_plural(path: str) -> bool:
    return path.rpartition(".")[2] in ("one", "few", "many", "other")


# ---- the four files ----------------------------------------------------------------------------


@pytest.mark.parametrize("language", words.LANGUAGES[1:])
def test_all_languages_have_the_same_phrases(language):
    def keys(of: str) -> set[str]:
        found = phrases({k: v for k, v in tables(of).items() if k != "aliases"})
        return {path.rpartition(".")[0] if is_plural(path) else path for path in found}

    assert keys(language) == keys("en")


@pytest.mark.parametrize("language", words.LANGUAGES[1:])
def test_a_phrase_has_the_same_places_in_all_languages(language):
    theirs, ours = phrases(tables(language)), phrases(tables("en"))
    shared = [path for path in ours if path in theirs and not path.startswith("aliases")]

    different = [p for p in shared if placeholders(theirs[p]) != placeholders(ours[p])]

    assert different == []


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_no_phrase_is_empty_or_carries_a_rule(language):
    for path, text in phrases(tables(language)).items():
        assert text.strip(), path
        assert "VG-" not in text, path


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", {"one", "other"}),
        ("hu", {"other"}),
        ("ru", {"one", "few", "many"}),
        ("pt", {"one", "other"}),
    ],
)
def test_a_word_that_takes_a_number_has_all_forms_of_its_language(language, forms):
    counted = [word for word in tables(language)["terms"].values() if isinstance(word, dict)]

    assert counted
    assert all(set(word) == forms for word in counted)


# ---- facts, questions, moves -------------------------------------------------------------------


def test_the_samples_below_leave_out_no_class():
    assert {type(fact) for fact in FACTS} == set(get_args(facts.AnyEvent)) - {facts.NowAwaiting}
    assert {type(question) for question in QUESTIONS} == set(get_args(questions.Question))
    assert {type(move) for move in MOVES} == set(get_args(moves.AnyMove))


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_every_fact_is_said_in_words(fact, language):
    said = words.event_line(GAME, fact, names=NAMES, viewer=BRAM, language=language)

    assert said is not None
    assert said.rule == fact.rule
    assert not set("{}()[]'_") & set(said.text.replace("(", "").replace(")", ""))
    assert "None" not in said.text


def test_no_fact_has_a_phrase_that_is_never_said(monkeypatch):
    spoken = words.GameWords(GAME, "en")
    spoken.events = Recorder(dict(spoken.events))
    monkeypatch.setattr(words, "game_words", lambda _game, _language: spoken)

    for fact in FACTS:
        line(fact)

    assert spoken.events.said == set(spoken.events)


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: type(question).__name__)
def test_every_question_is_put_to_the_asked_and_told_to_the_others(question, language):
    asked = words.prompt(GAME, question, viewer=ANNA, names=NAMES, language=language)
    told = words.prompt(GAME, question, viewer=BRAM, names=NAMES, language=language)
    watched = words.prompt(GAME, question, viewer=None, names=NAMES, language=language)

    assert "Anna" not in asked
    assert "Anna" in told
    assert watched == told


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("move", MOVES, ids=lambda move: type(move).__name__)
def test_every_move_has_a_label_and_its_kind_has_one(move, language):
    assert words.move_label(GAME, move, language)
    assert words.kind_label(GAME, type(move), language)


def test_a_move_names_its_slots_as_orders_do():
    move = moves.Send("malindi", (("I-02", 0), ("I-03", 2)))

    assert words.move_label(GAME, move, "en") == (
        "Send to Malindi: I-02 (slot 9a), I-03 (slot 7a)"
    )


def test_the_next_question_is_not_worth_a_line():
    asked = facts.NowAwaiting(questions.AwaitPlacement(ANNA))

    assert words.event_line(GAME, asked, names=NAMES, viewer=None, language="en") is None


@pytest.mark.parametrize(
    "fact",
    [
        facts.MoneyReturned(0),
        facts.ProjectsDiscarded(()),
        facts.SectionRefilled(1, ()),
        facts.ShipEarned(ANNA, "I-06", 0, 0),
    ],
)
def test_what_changes_nothing_is_not_worth_a_line(fact):
    assert words.event_line(GAME, fact, names=NAMES, viewer=None, language="en") is None


def test_a_crew_is_counted_by_colour():
    recruited = facts.CrewRecruited(ANNA, 2, (2, 0, 0, 1), True, 6)

    assert line(recruited) == (
        "Anna recruits from section 2 for 6 Reals: turquoise 2, orange 1, and a captain."
    )


@pytest.mark.parametrize(
    ("reals", "language", "said"),
    [
        (1, "en", "1 Real"),
        (2, "en", "2 Reals"),
        (5, "hu", "5 Real"),
        (1, "ru", "1 реал"),
        (3, "ru", "3 реала"),
        (11, "ru", "11 реалов"),
        (21, "ru", "21 реал"),
        (1, "pt", "1 real"),
        (2, "pt", "2 reais"),
    ],
)
def test_reals_take_the_form_of_their_number(reals, language, said):
    assert f"{said}." in line(facts.BonusReals(ANNA, "mombasa", reals), language)


def test_a_marker_that_goes_back_shows_a_minus():
    assert line(facts.VariationTurned(2, -2, 7)).startswith("The marker moves by −2.")


def test_the_end_names_all_by_place():
    assert line(facts.GameEnded((2, 1, 2), (40, 45, 40))) == (
        "The game is over: 1. Bram (45 VP), 2. Anna (40 VP), 2. Chaim (40 VP)."
    )


def test_a_hidden_order_of_the_decks_is_not_told():
    decks = facts.DecksShuffled((("I-01", "I-02"), ("II-01",), ()))

    assert "I-02" not in line(decks)


def test_a_name_with_braces_stays_a_name():
    said = words.event_line(
        GAME, facts.BonusCaptain(ANNA), names=("{seat}",), viewer=None, language="en"
    )

    assert said is not None
    assert said.text == "Bonus for {seat}: 1 captain."


# ---- refusals ----------------------------------------------------------------------------------

REFUSED = {"IllegalMove", "MalformedOrder", "NotYourTurn", "GameOver", "MoveRefused"}
OUR_OWN = {"PositionMovedOn", "KeyReused"}
LISTED = {**notation.REFUSALS, **refusals.REFUSALS}


def raised_in(path: Path) -> set[tuple[str, frozenset[str]]]:
    """Keys of the refusals in a source file, each with the names of its numbers."""
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in REFUSED | OUR_OWN
        and node.args
    ]
    return {
        (key.value, frozenset(k.arg for k in call.keywords if k.arg and k.arg != "rule"))
        for call in calls
        for key in ast.walk(call.args[0])
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def raised() -> set[tuple[str, frozenset[str]]]:
    folders = [ROOT / at for at in ("engine", "engine/vasco_da_gama", "pbem/games")]
    return set().union(*(raised_in(path) for at in folders for path in at.glob("*.py")))


def test_every_refusal_has_a_phrase():
    keys = {key for key, _numbers in raised()} | set(LISTED)

    assert keys - set(tables("en")["refusals"]) == set()


def test_no_refusal_has_a_phrase_that_nobody_says():
    keys = {key for key, _numbers in raised()} | set(LISTED) | {"not_allowed", "unreadable"}

    assert set(tables("en")["refusals"]) - keys == set()


def test_a_refusal_says_only_numbers_that_it_is_given():
    given = raised() | {(key, frozenset(numbers)) for key, numbers in LISTED.items()}
    phrases_of = tables("en")["refusals"]

    lacking = {
        (key, *(placeholders(phrases_of[key]) - numbers))
        for key, numbers in given
        if key in phrases_of and placeholders(phrases_of[key]) - numbers
    }

    assert lacking == set()


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize(("key", "numbers"), LISTED.items())
def test_every_refusal_is_said_with_its_numbers(key, numbers, language):
    samples = {"area": "projects", "landing": "natal", "colour": "grey", "space": "upper"}
    samples |= {"character": "dias", "project": "I-02", "line": "plaze 8", "word": "plaze"}

    said = words.refusal(
        GAME, key, "VG-1.1", {name: samples.get(name, 3) for name in numbers}, language
    )

    assert said.endswith(".")
    assert "{" not in said


def test_what_a_player_made_up_is_said_as_it_was_written():
    said = words.refusal(GAME, "no_such_landing", "VG-5.1", {"landing": "goa"}, "en")

    assert said == "There is no landing goa."


def test_a_price_above_the_purse_shows_all_parts_of_it():
    numbers = {"cost": 5, "right": 1, "action": 4, "reals": 3}

    assert words.refusal(GAME, "too_few_reals", "VG-3.3", numbers, "en") == (
        "This costs 5 Reals: 1 Real for the right to act and 4 Reals for the action itself. "
        "You hold 3 Reals."
    )


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_an_unknown_refusal_still_says_that_the_order_was_not_allowed(language):
    said = words.refusal(GAME, "no_such_key", "VG-3.3", {}, language)

    assert said == tables(language)["refusals"]["not_allowed"]


# ---- words of orders ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "alias", "word"),
    [
        ("hu", "lemond", "give up"),
        ("hu", "küld", "send"),
        ("hu", "kuld", "send"),
        ("ru", "отказ", "give up"),
        ("ru", "наем", "recruiting"),
        ("ru", "серый", "grey"),
        ("pt", "desistir", "give up"),
        ("pt", "navegacao", "navigation"),
    ],
)
def test_orders_have_words_of_the_players_language(language, alias, word):
    assert words.aliases(GAME, language)[alias] == word


@pytest.mark.parametrize("language", words.LANGUAGES[1:])
def test_every_verb_area_colour_and_character_has_an_alias_or_is_a_name(language):
    verbs = {"place", "give up", "buy", "recruit", "send", "bonus", "take", "host", "merchant"}
    rest = {"launch", "done", "captain", "upper", "lower", "bag", "from"}

    missing = {*verbs, *rest, *questions.AREAS, *questions.CREW} - set(
        words.aliases(GAME, language).values()
    )

    assert missing == set()


@pytest.mark.parametrize(
    ("language", "line", "order"),
    [
        ("hu", "kihelyez 8 toborzás", "place 8 recruiting"),
        ("hu", "lemond", "give up"),
        ("hu", "vesz I-02 I-03", "buy I-02 I-03"),
        ("hu", "toboroz 2: narancs, kapitány", "recruit 2: 1 orange, captain"),
        ("hu", "kuld malindi: I-02>6", "send malindi: I-02>6"),
        ("hu", "bónusz szürke innen 2", "bonus grey from 2"),
        ("hu", "bónusz zsák", "bonus bag"),
        ("hu", "elvesz alsó", "take lower"),
        ("hu", "választ mánuel 22 hajótervek", "host manuel 22 projects"),
        ("hu", "választ sernigi kereskedő natal>4", "host sernigi merchant natal>4"),
        ("hu", "bocsát I-02: lila, fehér", "launch I-02: violet, white"),
        ("hu", "kész", "done"),
        ("ru", "поставить 8 наём", "place 8 recruiting"),
        ("ru", "отказ", "give up"),
        ("ru", "купить габриэль", "buy gabriel"),
        ("ru", "нанять 2: оранжевый, капитан", "recruit 2: 1 orange, captain"),
        ("ru", "послать малинди: I-02>6", "send malindi: I-02>6"),
        ("ru", "премия серый из 2", "bonus grey from 2"),
        ("ru", "взять нижнее", "take lower"),
        ("ru", "выбрать диас", "host dias"),
        ("ru", "торговый натал>4", "merchant natal>4"),
        ("ru", "спустить I-02: фиолетовый, белый", "launch I-02: violet, white"),
        ("ru", "готово", "done"),
        ("pt", "colocar 8 recrutamento", "place 8 recruiting"),
        ("pt", "desistir", "give up"),
        ("pt", "comprar I-03 I-04", "buy I-03 I-04"),
        ("pt", "recrutar 2: laranja, capitao", "recruit 2: 1 orange, captain"),
        ("pt", "enviar melinde: I-02>6", "send malindi: I-02>6"),
        ("pt", "bónus cinzento da 2", "bonus grey from 2"),
        ("pt", "receber inferior", "take lower"),
        ("pt", "acolher álvares", "host alvares"),
        ("pt", "mercante natal>4", "merchant natal>4"),
        ("pt", "lançar I-02: violeta, branco", "launch I-02: violet, white"),
        ("pt", "pronto", "done"),
        ("pt", "take upper", "take upper"),
    ],
)  # fmt: skip
def test_a_whole_order_can_be_written_in_the_players_language(language, line, order):
    rules = registry.game(GAME)
    table = rules.new_initial_state(2, {}, Stream(b"words", "test")).state

    (move,) = rules.from_text(line, table, ANNA, words.aliases(GAME, language))

    assert rules.to_text(move) == order


# ---- letters of the seats ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "letters"),
    [
        (("Anna", "Bram", "Chaim"), ("A", "B", "C")),
        (("Zoë", "Émile"), ("Z", "É")),
        (("Anna", "Adam", "Chaim"), ("A", "B", "C")),
        (("Eva", "Émile"), ("A", "B")),
        (("Chaim", "Светлана"), ("A", "B")),
        (("Иван", "Mária", "Ольга", "Tomás"), ("И", "M", "О", "T")),
        (("", "Bram"), ("A", "B")),
        (("  «qui»", "x"), ("Q", "X")),
    ],
)
def test_a_seat_has_its_players_first_letter_unless_two_look_alike(names, letters):
    assert words.seat_letters(names) == letters
