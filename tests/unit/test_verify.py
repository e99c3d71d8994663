"""A game record is re-run; whatever does not follow from its header and moves is found."""

import io
import random
import re
from pathlib import Path

import msgspec
import pytest

from engine import registry
from pbem.cli import play
from pbem.cli import verify as cli_verify
from pbem.play import hash_chain
from pbem.record import file_format
from pbem.record.verify import LONGEST_LINE, lines_of, verify

GAME = registry.game("vasco-da-gama")


def one_round(rounds=1):
    """The standard figures for a shorter game."""
    return re.sub(r"rounds = 5", f"rounds = {rounds}", registry.standard("vasco-da-gama"))


def recorded(seed="verify", components=None):
    """A whole game between bots, as the bytes of its record."""
    toml = components or one_round()
    game = registry.game("vasco-da-gama", toml)
    offline = play.OfflineGame(game, ("steady", "random"), play.server_part(seed))
    return b"".join(offline.played(toml))


@pytest.fixture(scope="module")
def short():
    """The record of a game of one round."""
    return recorded()


def verdict_on(data):
    return verify(io.BytesIO(data))


def changed(data, number, **fields):
    """The record with fields of one entry rewritten, its hash left as it was."""
    lines = data.splitlines(keepends=True)
    entry = msgspec.json.decode(lines[number])
    lines[number] = msgspec.json.encode(entry | fields) + b"\n"
    return b"".join(lines)


def rehashed(data, number, **fields):
    """The record with one entry rewritten and hashed anew, as a forger would."""
    header = msgspec.json.decode(data.splitlines()[0])
    line = msgspec.json.decode(changed(data, number, **fields).splitlines()[number])
    body = hash_chain.body_of(line["move"], line["events"])
    digest = hash_chain.entry_hash(
        game=header["label"], number=number, base=line["base"], seat=line["seat"],
        cause=line["cause"], ruleset=line["ruleset"], body=body,
        previous=bytes.fromhex(line["previous"]), state_hash=bytes.fromhex(line["state_hash"]),
    )
    return changed(data, number, **{**fields, "hash": digest.hex()})


def with_header(data, **fields):
    """The record with another header, hashed anew."""
    lines = data.splitlines(keepends=True)
    header = msgspec.json.decode(lines[0], type=file_format.Header)
    lines[0] = file_format.header_line(msgspec.structs.replace(header, **fields))
    return b"".join(lines)


def test_a_record_of_a_whole_game_fits():
    verdict = verdict_on(recorded(components=registry.standard("vasco-da-gama")))

    assert verdict.ok
    assert verdict.finished
    assert verdict.redrawn


def test_the_same_seed_gives_the_same_record():
    assert recorded("seven") == recorded("seven")
    assert recorded("seven") != recorded("eight")


def test_every_byte_of_the_header_counts(short):
    header = short.index(b"\n") + 1
    for place in range(header):
        broken = bytearray(short[: header + 10])
        broken[place] ^= 1 << place % 8
        assert verdict_on(bytes(broken)).at == "header", place


def test_a_flipped_byte_anywhere_is_found_in_its_own_line(short):
    flips = random.Random(3)
    ends = [place for place, byte in enumerate(short) if byte == 10]
    for line in range(1, len(ends)):
        for _ in range(6):
            place = flips.randint(ends[line - 1] + 1, ends[line])
            broken = bytearray(short)
            broken[place] ^= 1 << flips.randrange(8)
            expected = "result" if line == len(ends) - 1 else f"entry {line}"
            assert verdict_on(bytes(broken)).at == expected, place


def test_a_missing_line_is_found(short):
    lines = short.splitlines(keepends=True)
    for number in (1, 5, len(lines) - 1):
        assert not verdict_on(b"".join(lines[:number] + lines[number + 1 :])).ok


def test_a_finished_game_needs_its_result(short):
    lines = short.splitlines(keepends=True)

    assert verdict_on(b"".join(lines[:-1])).at == "result"
    assert verdict_on(short + lines[-1]).at == "result"
    assert verdict_on(short.removesuffix(b"\n")).at == "result"


def test_an_empty_file_is_no_record():
    assert verdict_on(b"").at == "header"


def test_another_move_with_a_true_hash_is_found_by_the_rules(short):
    forged = rehashed(
        short, 3, order="place 1 navigation",
        move={"type": "Place", "number": 1, "area": "navigation"},
    )

    verdict = verdict_on(forged)

    assert verdict.at == "entry 3"
    assert "event" in verdict.reason


def test_an_order_that_is_not_its_move_is_found(short):
    verdict = verdict_on(rehashed(short, 3, order="give up"))

    assert (verdict.at, verdict.reason) == ("entry 3", "its order is not its move")


def test_other_facts_with_a_true_hash_are_found(short):
    verdict = verdict_on(rehashed(short, 1, events=[]))

    assert verdict.at == "entry 1"


@pytest.mark.parametrize("seat", [None, -1, 2, 99])
def test_a_seat_that_is_not_at_the_table_is_found(short, seat):
    assert verdict_on(rehashed(short, 3, seat=seat)).at == "entry 3"


def test_facts_that_fit_no_table_are_found_in_a_running_game_too(short):
    absurd = [{"type": "BonusProject", "seat": 7, "project": "I-01"}]
    running = rehashed(with_header(short, server_part=None), 3, events=absurd)

    assert verdict_on(running).at == "entry 3"


def test_a_line_nested_without_end_is_found(short):
    lines = short.splitlines(keepends=True)
    nested = b"[" * 100_000 + b"\n"

    assert verdict_on(lines[0] + nested).at == "entry 1"
    assert verdict_on(nested).at == "header"


def test_options_that_fit_no_table_are_found(short):
    assert verdict_on(with_header(short, options={"first_player": "nobody"})).at == "header"


def test_a_server_part_that_was_not_committed_to_is_found(short):
    verdict = verdict_on(with_header(short, server_part="00" * 32))

    assert (verdict.at, "committed" in verdict.reason) == ("header", True)


def test_another_phrase_draws_another_game(short):
    assert verdict_on(with_header(short, phrases=("", "boa viagem"))).at == "entry 1"


def test_other_figures_need_their_own_digest(short):
    assert verdict_on(with_header(short, components=one_round(2))).at == "header"


def test_a_game_that_is_over_needs_its_server_part(short):
    assert verdict_on(with_header(short, server_part=None)).at == "header"


@pytest.mark.parametrize("options", [{"quick_start": True}, {"first_player": 0}, {"": [1]}])
def test_options_that_the_game_has_not_are_found(short, options):
    assert verdict_on(with_header(short, options=options)).at == "header"


def test_a_line_without_an_end_is_not_read_to_it(short):
    endless = io.BytesIO(short.splitlines(keepends=True)[0] + b"9" * (3 * LONGEST_LINE))

    assert verify(lines_of(endless)).reason.startswith("it is longer than")
    assert endless.tell() < 3 * LONGEST_LINE


def test_a_running_game_is_checked_without_its_secret(short):
    lines = with_header(short, server_part=None).splitlines(keepends=True)[:6]

    verdict = verdict_on(b"".join(lines))

    assert verdict.ok
    assert not verdict.finished
    assert not verdict.redrawn


def test_the_published_schema_is_the_lines_own():
    published = Path(__file__).parents[2] / "docs" / "record.schema.json"

    assert msgspec.json.decode(published.read_bytes()) == msgspec.json.decode(
        msgspec.json.encode(file_format.schema())
    )


def test_the_commands_play_and_verify_a_file(tmp_path, capsys):
    path = tmp_path / "game.jsonl"

    assert play.main(["--players", "2", "--bots", "random", "--seed", "7",
                          "--record", str(path)]) == 0
    assert "Yellow" in capsys.readouterr().out
    assert cli_verify.main([str(path)]) == 0
    path.write_bytes(path.read_bytes().replace(b'"seat":1', b'"seat":0', 1))
    assert cli_verify.main([str(path)]) == 1
    assert "entry" in capsys.readouterr().out


def test_verify_says_which_file_is_missing(tmp_path, capsys):
    assert cli_verify.main([str(tmp_path / "none")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_play_says_for_how_many_a_game_is(capsys):
    assert play.main(["--players", "5"]) == 1
    assert "2 to 4" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--record", "--components"])
def test_play_says_which_file_cannot_be_used(tmp_path, capsys, option):
    there = tmp_path / "binary.toml"
    there.write_bytes(b"\xff\xfe")
    path = there if option == "--components" else tmp_path / "none" / "game.jsonl"

    assert play.main(["--players", "2", "--bots", "random", option, str(path)]) == 1
    assert capsys.readouterr().err.startswith(f"{path}: ")
