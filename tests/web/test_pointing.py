"""What the page answers to a changed step, where its places are, and two tabs of one player."""

from __future__ import annotations

import re
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session
from werkzeug.datastructures import MultiDict

from engine import bots, registry
from engine.chance import Stream
from pbem.models import Game
from pbem.play import positions
from pbem.service import Service
from pbem.web.table import pointing
from tests.support.at_table import can_sail, fields, play_on, sent, sign_in
from tests.support.tables import ANA


def part(browser: FlaskClient, game: Game, page: str, **more: Any) -> Any:
    """The answer to a changed step, as the script asks for it."""
    data = fields(page, part="1", **more)
    return browser.post(f"/games/{game.id}/preview", data=data)


def picks(html: str) -> set[str]:
    """All choices that places of the table stand for."""
    found = re.findall(r'data-pick="([^"]*)"', html)
    return {pick for each in found for pick in each.split("|") if pick}


# ---- places ------------------------------------------------------------------------------------


def test_the_table_has_a_place_for_every_legal_number_and_area(
    ana: FlaskClient, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text

    legal = set(re.findall(r'<input type="radio" name="(number|area)" value="(\w+)">', page))
    assert {f"{name}={value}" for name, value in legal} == picks(page)
    assert ("number", "16") in legal
    assert ("area", "characters") in legal


def test_who_is_not_asked_and_who_looks_on_have_no_places_to_point_at(
    bento: FlaskClient, client: FlaskClient, game: Game
) -> None:
    assert picks(bento.get(f"/games/{game.id}").text) == set()
    assert picks(client.get(f"/games/{game.id}").text) == set()


def test_the_past_has_no_places_to_point_at(ana: FlaskClient, game: Game) -> None:
    assert picks(ana.get(f"/games/{game.id}/1").text) == set()


def test_where_nothing_can_be_chosen_no_place_is_drawn() -> None:
    spots = pointing.values(None)

    assert spots["spot"]("number=3") == ""
    assert spots["spot_at"](0, 0, 9, 9, "number=3") == ""


# ---- the answer to a changed step --------------------------------------------------------------


def test_a_step_that_leaves_something_open_is_answered_with_what_is_missing(
    ana: FlaskClient, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = part(ana, game, page, number="12")

    assert answer.status_code == 200
    assert '<p class="missing">Choose an area as well.</p>' in answer.text
    assert 'name="number" value="12" checked' in answer.text
    assert 'role="alert"' not in answer.text
    assert "<html" not in answer.text


def test_complete_steps_are_answered_with_line_preview_and_the_table_as_it_would_be(
    ana: FlaskClient, service: Service, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = part(ana, game, page, number="12", area="recruiting").text

    assert 'id="order" value="place 12 recruiting"' in answer
    assert 'id="preview"' in answer
    assert 'data-part="table"' in answer
    assert sent(service) == []


def test_choices_that_go_with_no_other_choice_any_more_are_dropped(
    flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    state = play_on(service, session, game, lambda s: s.round > 1 and can_sail(s))
    seat = state.awaiting.seat
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, seat)
    page = browser.get(f"/games/{game.id}").text
    slots = [each for each in picks(page) if each.startswith("slot-")]
    ship, slot = re.match(r"slot-(\S+)=(.*)", slots[0]).groups()  # type: ignore[union-attr]
    here = slot.partition(":")[0]
    others = {each.partition("=")[2].partition(":")[0] for each in slots} - {here}

    at_once = part(browser, game, page, act="take", to=here, ship=ship, **{f"slot-{ship}": slot})
    elsewhere = part(browser, game, page, act="take", to=min(others), ship=ship,
                     **{f"slot-{ship}": slot})

    assert f'value="send {here}: {ship}&gt;' in at_once.text
    assert f'<option value="{slot}" selected>' in at_once.text
    assert f'<option value="{slot}"' not in elsewhere.text
    assert f'value="send {min(others)}: {ship}&gt;' in elsewhere.text


def test_a_harvest_offers_no_more_sacks_than_it_has_left() -> None:
    goa = registry.game("goa")
    state, me = next(
        (state, me) for state, me in harvesters(goa)
        if sum(each.empty > 0 for each in me.plantations) > 1
    )
    number = me.column("harvest").value
    full = next(f"fill-{p.place}-{p.tile.spice}" for p in me.plantations if p.tile and p.empty)

    form = goa.form(state, me.seat, MultiDict({"act": "harvest", full: str(number)}))

    left = {
        select.name: [choice.value for group in select.groups for choice in group.choices]
        for step in form.steps if step.name == "harvest"
        for row in step.rows for select in row.selects
    }
    assert str(number) in left.pop(full)
    assert all(values == [""] for values in left.values())


# ---- two tabs ----------------------------------------------------------------------------------


def test_a_second_tab_cannot_overwrite_what_the_first_has_sent(
    ana: FlaskClient, service: Service, game: Game
) -> None:
    one, other = (ana.get(f"/games/{game.id}").text for _ in range(2))
    ana.post(f"/games/{game.id}/orders", data=fields(one, number="12", area="recruiting"))

    answer = ana.post(f"/games/{game.id}/orders", data=fields(other, number="9", area="projects"))

    after = ana.get(f"/games/{game.id}").text
    assert (answer.status_code, answer.location) == (303, f"/games/{game.id}")
    assert "Since you looked, the game has moved on." in after
    assert [each.orders for each in sent(service)] == ["place 12 recruiting"]
    assert "place 12 recruiting" in after


def test_a_second_tab_is_told_that_the_game_moved_on_before_it_sends(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    old = ana.get(f"/games/{game.id}").text
    play_on(service, session, game,
            lambda s: s.awaiting.seats == (ANA,) and s.players[ANA].discs == 3)

    answer = part(ana, game, old, number="12", area="recruiting")

    assert answer.status_code == 200
    assert "Since you looked, the game has moved on." in answer.text


def test_the_same_form_sent_twice_is_one_sending(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    data = fields(ana.get(f"/games/{game.id}").text, number="12", area="recruiting")

    answers = [ana.post(f"/games/{game.id}/orders", data=data) for _ in range(2)]

    assert [each.status_code for each in answers] == [303, 303]
    assert [each.orders for each in sent(service)] == ["place 12 recruiting"]
    assert positions.table(session, game).number == game.last_entry


def harvesters(goa: Any) -> Any:
    """Positions and seats of who may choose an action, in a game of `steady`."""
    state = goa.new_initial_state(2, {}, Stream(bytes(32), "harvest")).state
    for number in range(400):
        seat = goa.current_players(state)[0]
        if state.phase == 4 and type(state.awaiting).__name__ == "AwaitTurnAction":
            yield state, goa.observation(state, seat).players[seat]
        moves = bots.choose(goa, state, seat, "steady", Stream(bytes(32), f"s{number}"))
        for move in moves:
            state = goa.apply_action(state, seat, move, Stream(bytes(32), f"a{number}")).state
