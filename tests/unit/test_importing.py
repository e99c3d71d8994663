"""Records go from one installation to another and come out again byte for byte, or not at all."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import func
from sqlmodel import Session, col, select

from engine import registry
from pbem.cli import dump as cli_dump
from pbem.cli import import_, play
from pbem.clock import FixedClock
from pbem.db import make_engine
from pbem.mail.address import BadAddress, normalise
from pbem.models import Entry, Game, GameState, Person, SeatRow, stored_id
from pbem.models.archive import ImportedGame
from pbem.play import hash_chain
from pbem.record import dump, export, file_format, importing, nightly
from pbem.record.importing import NotImported, take_in
from pbem.service import Service
from tests.support.finished import finished_game, one_round
from tests.unit.test_verify import with_header

SOURCE = "carreira.elsewhere.example"


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """A finished game with orders taken back, and a seat that was resigned."""
    made = finished_game(service, session, resigning=1)
    session.commit()
    return made


@pytest.fixture
def elsewhere(service: Service, tmp_path: Path, empty_database: Path) -> Iterator[Service]:
    """Another installation, with games and people of its own, so that row ids differ."""
    var = tmp_path / "elsewhere"
    var.mkdir()
    shutil.copyfile(empty_database, var / "carreira.db")
    url = f"sqlite:///{var}/carreira.db"
    settings = dataclasses.replace(service.settings, var=var, database_url=url)
    made = Service(settings, make_engine(url), service.clock)
    with made.writing() as session:
        finished_game(made, session, names=("Catarina", "Duarte", "Ana"), phrases=("", "", ""))
        session.commit()
    yield made
    made.engine.dispose()


def record_of(service: Service, game_id: int | None) -> bytes:
    """A game's record as it is given out."""
    with service.reading() as session:
        return b"".join(export.record_lines(session, session.get_one(Game, game_id)))


def file_with(folder: Path, data: bytes) -> Path:
    """A file with this content."""
    path = folder / "given.jsonl"
    path.write_bytes(data)
    return path


def bots_record(components: str | None = None) -> bytes:
    """A whole game between bots, played offline."""
    toml = components or one_round()
    rules = registry.game("vasco-da-gama", toml)
    offline = play.OfflineGame(rules, ("steady", "random"), play.server_part("import"))
    return b"".join(offline.played(toml))


def refused(service: Service, path: Path) -> NotImported:
    """Why a file is not taken in; nothing of it stays."""
    with service.reading() as session:
        before = session.exec(select(func.count(col(Person.id)))).one()
    with pytest.raises(NotImported) as reason:
        take_in(service, path, source=SOURCE)
    with service.reading() as session:
        assert session.exec(select(func.count(col(Person.id)))).one() == before
        assert session.exec(select(ImportedGame)).all() == []
    return reason.value


# ---- in and out ---------------------------------------------------------------------------------


def test_a_record_comes_out_byte_for_byte_as_it_went_in(
    service: Service, elsewhere: Service, game: Game, tmp_path: Path
) -> None:
    given = record_of(service, game.id)

    taken = take_in(elsewhere, file_with(tmp_path, given), source=SOURCE)

    assert not taken.was_here
    assert taken.game_id != game.id
    assert record_of(elsewhere, taken.game_id) == given
    with elsewhere.reading() as session:
        row = session.get_one(Game, taken.game_id)
        assert (row.state, row.commitment) == (GameState.FINISHED, game.commitment)
        assert nightly.fault_of(session, row) is None
        assert session.get_one(ImportedGame, row.id).source == SOURCE
        causes = {entry.cause for entry in session.exec(
            select(Entry).where(Entry.game_id == row.id))}
        assert {"undo", "resign", "default", "order"} <= causes


def test_an_imported_game_has_no_clock_whatever_it_was_played_with(
    service: Service, elsewhere: Service, game: Game, tmp_path: Path
) -> None:
    before = record_of(service, game.id)
    with service.writing() as session:
        row = session.get_one(Game, game.id)
        row.clock, row.at_zero, row.reminders = "each 72 awake", "vote", "25"
        session.commit()
    given = record_of(service, game.id)

    taken = take_in(elsewhere, file_with(tmp_path, given), source=SOURCE)

    assert given == before
    with elsewhere.reading() as session:
        row = session.get_one(Game, taken.game_id)
        assert (row.clock, row.at_zero, row.reminders) == ("none", "default", "50 10")
        seats = session.exec(select(SeatRow).where(SeatRow.game_id == row.id)).all()
        assert {(seat.due, seat.clock_left, seat.remind_at) for seat in seats} == {
            (None, None, None)}


def test_a_component_set_keeps_its_very_text(
    elsewhere: Service, tmp_path: Path
) -> None:
    given = bots_record("# our own remarks\n" + one_round())

    taken = take_in(elsewhere, file_with(tmp_path, given), source=SOURCE)

    assert record_of(elsewhere, taken.game_id) == given


def test_a_record_that_is_here_is_left_alone(
    service: Service, elsewhere: Service, game: Game, tmp_path: Path
) -> None:
    path = file_with(tmp_path, record_of(service, game.id))
    first = take_in(elsewhere, path, source=SOURCE)

    assert take_in(elsewhere, path, source="another") == first._replace(was_here=True)
    assert take_in(service, path, source=SOURCE) == (game.id, True, game.last_entry)


def test_another_history_under_the_same_commitment_is_refused(
    service: Service, elsewhere: Service, game: Game, tmp_path: Path
) -> None:
    taken = take_in(elsewhere, file_with(tmp_path, record_of(service, game.id)), source=SOURCE)
    with elsewhere.writing() as session:
        last = session.get_one(Entry, (taken.game_id, game.last_entry))
        last.hash = bytes(32)
        session.add(last)
        session.commit()

    with pytest.raises(NotImported, match="another history"):
        take_in(elsewhere, file_with(tmp_path, record_of(service, game.id)), source=SOURCE)


def test_players_become_people_of_whom_only_the_name_is_known(
    service: Service, elsewhere: Service, game: Game, tmp_path: Path
) -> None:
    with elsewhere.reading() as session:
        real = session.exec(select(Person).where(Person.name == "Ana")).one()

    taken = take_in(elsewhere, file_with(tmp_path, record_of(service, game.id)), source=SOURCE)

    with elsewhere.reading() as session:
        seated = session.exec(select(SeatRow).where(SeatRow.game_id == taken.game_id)).all()
        people = [session.get_one(Person, seat.person_id) for seat in seated]
    assert {each.name for each in people} == {"Ana", "Bento"}
    assert real.id not in {each.id for each in people}
    assert all(each.suppressed == "imported" for each in people)
    for each in people:
        with pytest.raises(BadAddress):  # so no sign-in letter can be asked for
            normalise(each.address)


def test_one_name_of_one_source_is_one_person(elsewhere: Service, tmp_path: Path) -> None:
    take_in(elsewhere, file_with(tmp_path, bots_record()), source=SOURCE)

    with elsewhere.writing() as session:
        one = importing.name_only(session, "Yellow", SOURCE, elsewhere.clock.now())
        other = importing.name_only(session, "Yellow", "elsewhere", elsewhere.clock.now())
        assert session.exec(select(SeatRow).where(SeatRow.person_id == one.id)).all()
        assert one.id != other.id


# ---- refused ------------------------------------------------------------------------------------


def test_a_hostile_record_is_refused_by_its_line(elsewhere: Service, tmp_path: Path) -> None:
    lines = bots_record().splitlines(keepends=True)
    whole = b"".join(lines)
    deep = b"[" * 200_000 + b"\n"
    cases = {
        "empty": (b"", 1),
        "no JSON": (b"\xff\xfe\n", 1),
        "deep at the head": (deep, 1),
        "deep behind it": (lines[0] + deep, 2),
        "a list": (b"[]\n", 1),
        "wrong types": (whole.replace(b'"number":3', b'"number":"3"', 1), 4),
        "an unknown field": (lines[0] + lines[1].replace(b"{", b'{"more":1,', 1), 2),
        "a long line": (lines[0] + b" " * (importing.LONGEST_LINE + 1), 2),
        "cut short": (b"".join(lines[:-1]), len(lines)),
        "more behind it": (whole + lines[-1], len(lines)),
    }
    for name, (data, line) in cases.items():
        reason = refused(elsewhere, file_with(tmp_path, data))
        assert reason.line == line, (name, reason)
        assert len(str(reason)) < 400, name


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"game": "checkers"}, "no game"),
        ({"label": "c" * 64}, "label"),
        ({"seats": ("Ana", "A\u202ena")}, "name"),
        ({"seats": ("Ana", "x" * 41)}, "name"),
        ({"seats": ("Ana", "Ana")}, "one name"),
        ({"phrases": ("", "x" * 201)}, "phrase"),
        ({"components": "x = " + "1" * 70_000}, "component set"),
        ({"components": "nothing = 1"}, "component set"),
        ({"options": {"x": "y" * 3000}}, "options"),
        ({"options": {"first_player": "nobody"}}, "options"),
        ({"server_part": "00" * 32}, "committed"),
        ({"phrases": ("",)}, "phrases"),
    ],
)
def test_a_header_that_no_game_here_could_have_is_refused(
    elsewhere: Service, tmp_path: Path, fields: dict[str, object], reason: str
) -> None:
    found = refused(elsewhere, file_with(tmp_path, with_header(bots_record(), **fields)))

    assert found.line == 1
    assert reason in str(found)


def test_a_game_without_end_or_secret_is_refused(elsewhere: Service, tmp_path: Path) -> None:
    running = with_header(bots_record(), server_part=None)

    assert "not finished" in str(refused(elsewhere, file_with(
        tmp_path, b"".join(bots_record().splitlines(keepends=True)[:9]))))
    assert "server part" in str(refused(elsewhere, file_with(tmp_path, running)))


def test_entries_under_other_rules_are_taken_only_where_one_says_so(
    elsewhere: Service, tmp_path: Path
) -> None:
    path = file_with(tmp_path, under_other_rules(bots_record(), "vasco-da-gama 0"))

    assert "--other-rules" in str(refused(elsewhere, path))
    taken = take_in(elsewhere, path, source=SOURCE, other_rules=True)
    assert record_of(elsewhere, taken.game_id) == path.read_bytes()


def under_other_rules(data: bytes, ruleset: str) -> bytes:
    """The record as an older release would have written it."""
    lines = with_header(data, ruleset=ruleset).splitlines(keepends=True)
    label = msgspec.json.decode(lines[0])["label"]
    previous, made = bytes(32), [lines[0]]
    for line in lines[1:-1]:
        entry = msgspec.json.decode(line, type=file_format.EntryLine)
        body = b'{"move":%b,"events":%b}' % (bytes(entry.move), bytes(entry.events))
        fields = {
            "number": entry.number, "base": entry.base, "seat": entry.seat, "cause": entry.cause,
            "ruleset": ruleset, "body": body, "previous": previous,
            "state_hash": bytes.fromhex(entry.state_hash),
        }
        previous = hash_chain.entry_hash(game=label, **fields)
        made.append(file_format.entry_line(order=entry.order, hash=previous, **fields))
    return b"".join([*made, lines[-1]])


def test_a_file_that_changes_while_it_is_read_is_not_kept(
    elsewhere: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_with(tmp_path, bots_record())
    really = importing.check

    def then_changed(*args: object, **more: object) -> importing.Checked:
        found = really(*args, **more)  # type: ignore[arg-type]
        path.write_bytes(path.read_bytes().replace(b'"Yellow"', b'"Mellow"', 1))
        return dataclasses.replace(found, header=msgspec.structs.replace(
            found.header, seats=("Mellow", "Red")))

    monkeypatch.setattr(importing, "check", then_changed)

    assert "byte for byte" in str(refused(elsewhere, path))


# ---- the whole archive --------------------------------------------------------------------------


def test_the_dump_has_every_finished_public_game_and_an_index(
    service: Service, session: Session, game: Game, tmp_path: Path
) -> None:
    hidden = finished_game(service, session, names=("Catarina", "Duarte"))
    hidden.private = True
    session.commit()

    done = dump.dump(service, tmp_path / "dump")

    assert done == (1, 0, 0)
    names = sorted(path.name for path in (tmp_path / "dump").iterdir())
    assert names == [f"game-{game.id}.jsonl", "index.jsonl"]
    assert (tmp_path / "dump" / names[0]).read_bytes() == record_of(service, game.id)
    [line] = [json.loads(each) for each in (tmp_path / "dump" / "index.jsonl").open()]
    assert [each["name"] for each in line["players"]] == ["Ana", "Bento"]
    assert [each["place"] for each in line["players"]] == [1, 2]
    assert line["ended"] == service.clock.now().isoformat()
    assert line["entries"] == game.last_entry


def test_a_second_dump_writes_only_what_has_changed(
    service: Service, session: Session, game: Game, tmp_path: Path
) -> None:
    other = finished_game(service, session, names=("Catarina", "Duarte"))
    session.commit()
    folder = tmp_path / "dump"
    dump.dump(service, folder)
    assert dump.dump(service, folder) == (0, 2, 0)

    seat = session.exec(select(SeatRow).where(SeatRow.game_id == game.id)).first()
    assert seat is not None
    seat.name = "Former player 1"
    session.get_one(Game, other.id).private = True
    session.add(seat)
    session.commit()

    assert dump.dump(service, folder) == (1, 0, 1)
    assert b"Former player 1" in (folder / f"game-{game.id}.jsonl").read_bytes()
    assert not (folder / f"game-{other.id}.jsonl").exists()


def test_a_dump_that_breaks_off_leaves_the_one_before(
    service: Service, session: Session, game: Game, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    folder = tmp_path / "dump"
    dump.dump(service, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    finished_game(service, session, names=("Catarina", "Duarte"))
    session.commit()

    def breaks(*_: object) -> Iterator[bytes]:
        yield b"half a rec"
        raise OSError("no space left")

    monkeypatch.setattr(export, "record_lines", breaks)
    with pytest.raises(OSError, match="no space"):
        dump.dump(service, folder)

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_dump_is_imported_with_its_dates_by_the_commands(
    service: Service, elsewhere: Service, game: Game, clock: FixedClock, tmp_path: Path,
    *, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    folder, played = tmp_path / "dump", clock.now()
    monkeypatch.setattr(Service, "from_environment", lambda _: service)
    assert cli_dump.main([str(folder)]) == 0
    clock.forward(timedelta(days=30))
    monkeypatch.setattr(Service, "from_environment", lambda _: elsewhere)
    bad = file_with(tmp_path, b"{}\n")

    assert import_.main(["--source", SOURCE, str(folder), str(bad)]) == 1
    assert import_.main([str(folder / f"game-{game.id}.jsonl")]) == 0

    said = capsys.readouterr()
    assert "is here already" in said.out
    assert "given.jsonl: not imported: line 1: " in said.err
    with elsewhere.reading() as session:
        row = session.exec(select(Game).where(Game.commitment == game.commitment)).one()
        assert (row.started, row.ended) == (played, played)
        assert session.get_one(ImportedGame, row.id).at == clock.now()
        assert stored_id(row) != game.id


def test_a_folder_without_an_index_is_not_passed_over_in_silence(
    elsewhere: Service, tmp_path: Path,
    *, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(Service, "from_environment", lambda _: elsewhere)
    file_with(tmp_path, b"{}\n")

    assert import_.main([str(tmp_path)]) == 1

    assert "has no index.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("index, said", [
    (b"", "does not list game-1.jsonl"), (b"\n", "1 of its 1 lines cannot be read"),
    (b'{"file":"game-1.js', "1 of its 1 lines cannot be read"),
])
def test_a_folder_whose_index_is_cut_is_not_passed_over_in_silence(
    elsewhere: Service, tmp_path: Path, index: bytes, said: str,
    *, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(Service, "from_environment", lambda _: elsewhere)
    (tmp_path / "index.jsonl").write_bytes(index)
    (tmp_path / "game-1.jsonl").write_bytes(b"{}\n")

    assert import_.main([str(tmp_path)]) == 1

    assert said in capsys.readouterr().err


def test_a_dump_of_sqlite_goes_through_postgresql_unchanged(
    service: Service, postgres_service: Service, game: Game, tmp_path: Path
) -> None:
    for folder, origin in (("one", service), ("two", postgres_service)):
        assert dump.dump(origin, tmp_path / folder).written == 1
        if origin is service:
            (path,) = (tmp_path / "one").glob("game-*.jsonl")
            taken = take_in(postgres_service, path, source=SOURCE)
            assert nightly.verify_stored(postgres_service, taken.game_id).fault is None

    (back,) = (tmp_path / "two").glob("game-*.jsonl")
    assert back.read_bytes() == path.read_bytes()
