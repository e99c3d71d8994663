"""Orders ahead that are offered as examples: at every point of a game they could be given."""

from __future__ import annotations

import pytest

from engine import orders_ahead, registry
from pbem.i18n import words
from tests.engine.play_outs import play_out

SEED = 2


@pytest.mark.parametrize("key", registry.GAMES)
def test_every_example_could_be_given_as_it_is_offered(key: str) -> None:
    played = play_out(key, registry.game(key).seats[-1], SEED)
    game, offered = played.game, set()
    for state in played.states[:-1:7]:
        for seat in range(played.seats):
            for each in game.orders_ahead.examples(game.observation(state, seat), seat):
                assert orders_ahead.read(game, each.line, state, seat, {}).alternatives
                offered.add(each.meaning.key)

    assert len(offered) > 1


@pytest.mark.parametrize("key", registry.GAMES)
@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_example_is_explained_in_words(key: str, language: str) -> None:
    played = play_out(key, registry.game(key).seats[-1], SEED)
    say = words.Say(words.game_words(key, language), ("Ana", "Bento", "Catarina", "Duarte"))
    for state in played.states[:-1:7]:
        for each in played.game.orders_ahead.examples(played.game.observation(state, 1), 1):
            assert say.value(each.meaning)
