"""The rulebook's examples hold, and an example that does not hold says where."""

import tomllib
from pathlib import Path

import pytest

from engine.scenario import BadScenario, example_of, examples_in, run
from pbem.cli import scenario

FOLDER = Path(__file__).with_name("scenarios")
PRINTED = [
    pytest.param(example, id=f"{path.stem}: {example.name}")
    for path in sorted(FOLDER.rglob("*.toml"))
    for example in examples_in(tomllib.loads(path.read_text("utf-8")))
]


CALLED = {"discs": [{"number": 9, "seat": "red", "area": "recruiting"},
                    {"number": 10, "seat": "red", "area": "recruiting"}]}


def example(**fields):
    return example_of({"position": {"patch": CALLED}, **fields})


@pytest.mark.parametrize("printed", PRINTED)
def test_an_example_of_the_rulebook_holds(printed):
    assert run(printed) == []


def test_what_does_not_hold_is_named_with_what_was_found():
    wrong = example(orders=["red: give up"], expect={"players": {"red": {"reals": 11}}})

    assert run(wrong) == ["players.red.reals: expected 11, found 12"]


def test_an_order_that_is_refused_unexpectedly_is_named():
    (problem,) = run(example(orders=["red: take upper"], expect={"round": 1}))

    assert problem.startswith("order 1, 'red: take upper', is refused: ")


def test_a_refusal_that_does_not_come_is_a_failure():
    (problem,) = run(example(orders=["red: give up"], refusal={"rule": "VG-3.4"}))

    assert "is not refused" in problem


def test_a_refusal_by_another_rule_is_a_failure():
    problems = run(example(orders=["blue: give up"], refusal={"rule": "VG-9.9"}))

    assert problems == ["refusal.rule: expected 'VG-9.9', found 'VG-3.2'"]


def test_the_lowest_disc_is_called_first_however_they_are_listed():
    discs = [{"number": 10, "seat": "blue", "area": "projects"}, *CALLED["discs"][:1]]

    listed = example(position={"patch": {"discs": discs}}, expect={"discs": discs},
                     allowed=["red: give up"], refused=["blue: give up"])

    assert run(listed) == []


def test_two_discs_of_one_number_are_refused():
    discs = [CALLED["discs"][0]] * 2

    with pytest.raises(BadScenario, match="discs: a number is there twice"):
        run(example(position={"patch": {"discs": discs}}, allowed=["red: give up"]))


def test_the_lowest_marker_comes_under_the_hammer_first_however_they_are_listed():
    markers = [{"number": 2, "seat": "blue", "space": "d3"},
               {"number": 1, "seat": "red", "space": "c3"}]
    patch = {"markers": markers, "flag": "north c"}

    listed = example(game="goa", position={"base": "auctions", "patch": patch},
                     expect={"awaiting": {"lot": 1}})

    assert run(listed) == []


def test_orders_that_can_be_given_next_are_tried_and_taken_back():
    two = example(allowed=["red: give up", "red: recruit captain"], refused=["blue: give up"])

    assert run(two) == []
    assert run(example(allowed=["blue: give up"]))
    assert run(example(refused=["red: give up"])) == ["'red: give up' should be refused"]


@pytest.mark.parametrize("empty", [{}, {"expect": {}}, {"refusal": {}}, {"allowed": []}])
def test_an_example_that_asserts_nothing_is_an_error(empty):
    with pytest.raises(BadScenario, match="asserts nothing"):
        example(orders=["red: give up"], **empty)


@pytest.mark.parametrize(
    "raw",
    [
        {"expct": {"round": 1}},
        {"expect": {"round": 1}, "position": {"bases": "setup"}},
        {"expect": {"round": 1}, "position": {"players": 5}},
        {"expect": {"round": 1}, "game": "chess"},
        {"expect": 3},
    ],
)
def test_a_key_or_value_that_no_example_has_is_an_error(raw):
    with pytest.raises(BadScenario):
        example_of(raw)


@pytest.mark.parametrize(
    "patch",
    [
        {"rund": 2},
        {"players": {"green": {"reals": 2}}},
        {"players": {"red": {"real": 2}}},
        {"landings": {"natal": ["none", "none"]}, "discs": [{"number": 9}]},
        {"discs": []},
    ],
)
def test_a_patch_that_leads_to_no_position_is_an_error(patch):
    with pytest.raises(BadScenario):
        run(example_of({"position": {"patch": {**CALLED, **patch}}, "expect": {"round": 1}}))


def test_a_field_that_the_position_does_not_have_is_never_as_expected():
    for value in (10, "none"):
        assert run(example(expect={"players": {"red": {"money": value}}}))


def test_the_command_tells_good_from_bad(tmp_path, capsys):
    path = tmp_path / "one.toml"
    path.write_text('name = "Too rich"\n'
                    'position.patch.discs = [{ number = 9, seat = "red", area = "projects" }]\n'
                    "expect.players.red.reals = 11\n", "utf-8")

    assert scenario.main([str(FOLDER / "placing.toml")]) == 0
    assert scenario.main([str(path)]) == 1
    assert "players.red.reals: expected 11, found 10" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "scenario = []", "orders = 3", "this is no TOML",
                                  "round = " + "9" * 5000, "orders = " + "[" * 9000])
def test_the_command_fails_on_a_file_without_an_example(text, tmp_path):
    path = tmp_path / "none.toml"
    path.write_text(text, "utf-8")

    assert scenario.main([str(path)]) == 1
