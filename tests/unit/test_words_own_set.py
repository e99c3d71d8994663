"""A game with a component set of its own is told by that set: in log, prompt and letter."""

from __future__ import annotations

import re

import pytest

from engine import registry
from engine.goa.state import AwaitBid
from pbem.i18n import words
from pbem.models import Game
from pbem.play import narration, positions
from pbem.service import Service
from tests.support.letterfactory import html_of, play_on, started_game, swept, text_of

NAMES = ("Ana", "Bento", "Catarina")
TILE = re.compile(r"\b([AB]\d\d) \(([^()]+)\)")
OF_PART_A = 41  # more tiles than the printed set has, in front of its own
MOVES = 8


def own_set() -> str:
    """The figures as printed, with tiles in front that shift all ids of part A."""
    row = f'[[tiles]]\npart = "A"\nkind = "mission"\nvp = 9\nn = {OF_PART_A}\nsource = "made up"\n'
    return registry.standard("goa").replace("[[tiles]]\n", f"{row}[[tiles]]\n", 1)


@pytest.fixture
def game_id(service: Service) -> int:
    """A game in its first auctions."""
    played = started_game(service, NAMES, game_key="goa", components=own_set())
    play_on(service, played, MOVES)
    return played


def told_of(text: str) -> dict[str, str]:
    """What the text says of each tile that it names."""
    return dict(TILE.findall(" ".join(text.split())))


def true_of(table: positions.GamePosition, tiles: dict[str, str]) -> dict[str, str]:
    """What the game's own set says of them, as the page's own pictures are called."""
    say = words.Say(words.game_words("goa", "en"), NAMES)
    shown = table.rules.page(table.rules.observation(table.state, None), None)["tile_words"]
    return {tile: say.value(shown[tile]) for tile in tiles}


def test_a_log_says_of_every_tile_what_the_games_own_set_says(service, game_id):
    with service.reading() as session:
        row = session.get_one(Game, game_id)
        table = positions.table(session, row)
        log = narration.log(session, row, upto=row.last_entry, viewer=None, names=NAMES,
                          language="en")  # fmt: skip
    said = told_of("\n".join(line.text for entry in log for line in entry.lines))

    assert "mission: 9 VP" in said.values()
    assert said == true_of(table, said)


def test_a_prompt_and_its_letter_name_the_lots_tile_by_the_games_own_set(service, game_id):
    with service.reading() as session:
        table = positions.table(session, session.get_one(Game, game_id))
    (seat,) = table.rules.current_players(table.state)
    asked = words.prompt(table.rules, table.state.awaiting, viewer=seat, names=NAMES, language="en")
    letters = [each for each in swept(service).letters if NAMES[seat].lower() in str(each["To"])]
    said = told_of(asked)

    assert said
    assert said == true_of(table, said)
    assert asked in " ".join(text_of(letters[-1]).split())
    assert told_of(html_of(letters[-1])).items() >= said.items()


def test_a_tile_that_only_the_own_set_has_is_said_too():
    rules = registry.game("goa", own_set())
    last = max(tile for tile in rules.components.by_id if tile.startswith("A"))
    question = AwaitBid(2, last, 1, (0, 1))

    assert last not in registry.game("goa").components.by_id
    assert f"tile {last} (" in words.prompt(rules, question, viewer=0, names=NAMES, language="en")
