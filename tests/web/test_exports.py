"""Taking a finished game home as text and as one file; checking its chance and its verification."""

from __future__ import annotations

import gzip
import html
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem import __version__, enqueue
from pbem.archive.exports import html as statichtml
from pbem.archive.exports import kept
from pbem.archive.exports.merging import VOID
from pbem.cli import export as cli_export
from pbem.i18n import words
from pbem.models import Game, GameState, stored_id
from pbem.play import narration, positions
from pbem.record import chance, export, importing, nightly
from pbem.service import Service
from tests.conftest import Enqueuer
from tests.support.finished import finished_game

LANGUAGES = ("en", "hu", "ru", "pt")


@pytest.fixture
def over(service: Service, session: Session) -> Game:
    """A finished game with an order of each player taken back; chance has seated them."""
    made = finished_game(service, session, chosen_order=False, resigning=1)
    session.commit()
    return made


def shown_at(page: str, number: int) -> str:
    """What the file shows at an entry, by its own style rules."""
    rules = re.findall(r":target:is\(([^)]*)\)~main \.(v[0-9a-f]+)\{", page)
    hidden = {name for anchors, name in rules if f"#e{number}" not in anchors.split(",")}
    body = page.partition("<main")[2].partition("</main>")[0]
    sieve = Sieve(hidden)
    sieve.feed("<main" + body)
    return "".join(sieve.kept)


class Sieve(HTMLParser):
    """Keeps the text and the tags of what is not hidden."""

    def __init__(self, hidden: set[str]) -> None:
        super().__init__()
        self.hidden = hidden
        self.below = 0
        self.kept: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = (dict(attrs).get("class") or "").split()
        if self.below or self.hidden.intersection(names):
            self.below += tag not in VOID
        else:
            self.kept.append(f"<{tag}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = (dict(attrs).get("class") or "").split()
        if not self.below and not self.hidden.intersection(names):
            self.kept.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if self.below:
            self.below -= 1
        else:
            self.kept.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self.below and data.strip():
            self.kept.append(data)


# ---- one file -----------------------------------------------------------------------------------


def test_the_file_shows_at_each_entry_what_its_page_would_draw(
    session: Session, over: Game
) -> None:
    page = "".join(statichtml.written(session, over, "en", "http://localhost"))
    names = tuple(narration.names(session, over))
    reader = statichtml.Reader("en", names, words.seat_letters(names))
    rules = positions.rules_of(session, over)
    env, shared = statichtml.environment("en"), statichtml.context(rules, reader)

    for step in statichtml.steps(session, over, reader):
        alone = statichtml.drawn(env, rules, shared, step)
        sieve = Sieve(set())
        sieve.feed(f"<main>{alone}")
        assert plain("".join(sieve.kept)) in plain(shown_at(page, step.number)), step.number


def plain(markup: str) -> str:
    """Without white space, which stands elsewhere in the merged file."""
    return re.sub(r"\s+", "", markup).replace("<main>", "").replace("</main>", "")


def test_the_file_needs_nothing_else(session: Session, over: Game) -> None:
    page = "".join(statichtml.written(session, over, "en", "http://localhost"))

    assert "<script" not in page
    assert "<link" not in page
    links = re.findall(r'(?:src|href)="([^#"][^"]*)"', page)
    assert all(link.startswith("http://localhost/rules/") for link in links), links
    assert "url(http" not in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {f"e{number}" for number in range(1, over.last_entry + 1)} <= set(ids)
    for target in re.findall(r'href="#([^"]+)"', page.partition("<main")[2]):
        assert target in ids


def test_what_entries_share_stands_in_the_file_once(session: Session, over: Game) -> None:
    page = "".join(statichtml.written(session, over, "en", "http://localhost"))
    names = tuple(narration.names(session, over))
    reader = statichtml.Reader("en", names, words.seat_letters(names))
    rules = positions.rules_of(session, over)
    env, shared = statichtml.environment("en"), statichtml.context(rules, reader)
    apart = sum(len(statichtml.drawn(env, rules, shared, step))
                for step in statichtml.steps(session, over, reader))

    assert len(page.partition("<main")[2]) < apart / 4


def test_an_entry_that_was_taken_back_says_so_in_the_file(session: Session, over: Game) -> None:
    page = "".join(statichtml.written(session, over, "en", "http://localhost"))

    assert "taken back by entry" in page
    assert "<s>" in page


def test_the_file_is_made_when_it_is_asked_for_and_kept(
    client: FlaskClient, service: Service, session: Session, over: Game, enqueuer: Enqueuer
) -> None:
    address = f"/games/{over.id}/html"
    waits = client.get(address)

    assert waits.status_code == 200
    assert "The file is being made" in waits.text
    assert int(waits.headers["Refresh"]) > 0
    assert (enqueue.EXPORTS, ()) in enqueuer.put_in
    assert kept.work_off(service) == 1

    packed = client.get(address, headers={"Accept-Encoding": "gzip"})
    unpacked = client.get(address, headers={"Accept-Encoding": "identity"})
    assert packed.headers["Content-Disposition"] == (
        f'attachment; filename="game-{over.id}-en.html"')
    assert gzip.decompress(packed.data) == unpacked.data
    assert "".join(statichtml.written(session, over, "en", "http://localhost")).encode() == (
        unpacked.data)
    assert kept.work_off(service) == 0


def test_a_process_of_its_own_makes_what_is_wanted(
    client: FlaskClient, service: Service, over: Game, environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert kept.start(service) is None, "nothing is wanted"
    client.get(f"/games/{over.id}/html")

    making = kept.start(service)

    assert making is not None
    assert making.wait(timeout=120) == 0
    assert client.get(f"/games/{over.id}/html").mimetype == "text/html"
    assert "attachment" in client.get(f"/games/{over.id}/html").headers["Content-Disposition"]


def test_the_command_writes_each_form(
    service: Service, over: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Service, "from_environment", lambda _: service)
    for kind, beginning in (("record", '{"format"'), ("text", "Vasco"), ("html", "<!DOCTYPE")):
        out = tmp_path / kind
        assert cli_export.main([str(over.id), "--as", kind, "--out", str(out)]) == 0
        assert out.read_text("utf-8").startswith(beginning)
    assert cli_export.main(["999"]) == 1


def test_the_command_asks_which_game_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli_export.main([])
    assert ended.value.code == 2
    assert "which game?" in capsys.readouterr().err


def test_the_command_replaces_nothing_that_is_no_file(
    service: Service, over: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(Service, "from_environment", lambda _: service)
    device = tmp_path / "device"
    os.mkfifo(device)
    assert cli_export.main([str(over.id), "--out", str(device)]) == 1
    assert "is no file" in capsys.readouterr().err
    assert device.is_fifo()


def test_a_name_that_is_gone_is_not_in_the_file(
    client: FlaskClient, service: Service, session: Session, over: Game
) -> None:
    client.get(f"/games/{over.id}/html")
    kept.work_off(service)
    seat = session.exec(positions.seats_of(over)).first()
    seat.name = "Former player 1"
    session.add(seat)
    session.commit()

    assert "The file is being made" in client.get(f"/games/{over.id}/html").text


def test_no_more_files_wait_than_can_be_made(
    client: FlaskClient, service: Service, over: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST_WANTED", 1)
    client.get(f"/games/{over.id}/html", headers={"Accept-Language": "hu"})

    busy = client.get(f"/games/{over.id}/html", headers={"Accept-Language": "ru"})

    assert busy.status_code == 503
    assert int(busy.headers["Retry-After"]) > 0


def test_one_that_cannot_be_made_holds_up_no_other(
    client: FlaskClient, service: Service, over: Game
) -> None:
    folder = kept.folder_of(service)
    client.get(f"/games/{over.id}/html")
    (folder / "0.wanted").write_text('{"game": 999, "language": "en"}')

    assert kept.work_off(service) == 1
    assert not list(folder.glob("*.wanted"))


# ---- text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_tells_the_whole_game_in_the_readers_language(
    client: FlaskClient, over: Game, language: str
) -> None:
    answer = client.get(f"/games/{over.id}/text", headers={"Accept-Language": language})

    assert answer.mimetype == "text/plain"
    numbers = [int(n) for n in re.findall(r"(?m)^ *(\d+)  ", answer.text)]
    assert over.last_entry in numbers
    assert "Ana" in answer.text
    assert "Bento" in answer.text
    assert "%(" not in answer.text


# ---- checking -----------------------------------------------------------------------------------


def test_the_chance_page_reveals_what_was_committed_to(
    client: FlaskClient, session: Session, over: Game
) -> None:
    page = client.get(f"/games/{over.id}/chance").text.replace(" ", "")

    assert over.commitment in page
    assert over.server_part.hex() in page
    assert "boavi" in page
    for draw in chance.draws_of(session, over):
        assert format(draw.number, "064x") in page


def test_every_draw_of_the_page_is_made_again_by_the_program_on_it(
    client: FlaskClient, session: Session, over: Game
) -> None:
    draws = [each for each in chance.draws_of(session, over) if each.entry]
    kinds = {each.shuffled: each for each in draws}
    assert set(kinds) == {True, False}
    for each in kinds.values():
        said = said_by_program(client, over, each)
        assert f"number: {each.number:064x}" in said
        if not each.shuffled:
            assert f"place {each.place} of {each.among}" in said


def test_the_program_takes_every_sign_that_a_phrase_can_have(
    client: FlaskClient, service: Service, session: Session
) -> None:
    phrases = ("\N{GRINNING FACE} \"ő\" \\n <b>&amp;{{7*7}}</b>", "it's")
    made = finished_game(service, session, phrases=phrases)
    session.commit()
    first = chance.draws_of(session, made)[0]

    assert f"number: {first.number:064x}" in said_by_program(client, made, first)


def said_by_program(client: FlaskClient, game: Game, draw: chance.Draw) -> str:
    """What the program of the page prints for a draw."""
    page = client.get(f"/games/{game.id}/chance?entry={draw.entry}&draw={draw.draw}").text
    found = re.search(r'<code id="program">(.*?)</code>', page, re.DOTALL)
    assert found is not None
    done = subprocess.run([sys.executable, "-I", "-c", html.unescape(found[1])],
                          capture_output=True, text=True, check=True)
    return done.stdout


def test_the_seating_is_among_the_draws(session: Session, over: Game) -> None:
    seats = [seat.name for seat in session.exec(positions.seats_of(over))]

    [first, *others] = chance.draws_of(session, over)

    assert (first.entry, first.purpose, list(first.result)) == (0, "seats", seats)
    assert all(each.entry for each in others)


def test_the_chance_of_a_running_game_is_nobodys_business(
    client: FlaskClient, game: Game
) -> None:
    for page in ("chance", "text", "html", "exports"):
        assert client.get(f"/games/{game.id}/{page}").status_code == 404


def test_a_private_games_exports_are_for_its_players_alone(
    client: FlaskClient, session: Session, over: Game
) -> None:
    over.private = True
    session.add(over)
    session.commit()

    for page in ("chance", "text", "html", "exports"):
        assert client.get(f"/games/{over.id}/{page}").status_code == 404


def test_a_cancelled_games_chance_is_told_too(
    client: FlaskClient, session: Session, over: Game
) -> None:
    over.state = GameState.CANCELLED
    session.add(over)
    session.commit()

    assert client.get(f"/games/{over.id}/chance").status_code == 200


def test_the_games_page_says_when_it_was_checked_and_by_which_release(
    client: FlaskClient, service: Service, session: Session, over: Game
) -> None:
    address = f"/games/{over.id}"
    assert "Not checked yet" in client.get(address).text

    nightly.verify_stored(service, stored_id(over))
    page = client.get(address).text
    assert "every byte fits" in page
    assert __version__ in page

    seat = session.exec(positions.seats_of(over)).first()
    seat.phrase = "another"
    session.add(seat)
    session.commit()
    nightly.verify_stored(service, stored_id(over))
    assert "Does not fit at entry 1:" in client.get(address).text
    assert "Does not fit at entry 1:" in client.get(f"{address}/exports").text


def test_an_imported_game_says_where_it_comes_from(
    client: FlaskClient, service: Service, over: Game, session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"".join(export.record_lines(session, over)))
    over.commitment = "0" * 64
    session.add(over)
    session.commit()

    taken = importing.take_in(service, path, source="elsewhere.example")

    for page in ("", "/exports", "/chance", "/text", "/1"):
        assert client.get(f"/games/{taken.game_id}{page}").status_code == 200
    assert "Imported from elsewhere.example" in client.get(f"/games/{taken.game_id}").text


@pytest.mark.parametrize("page", ["exports", "chance", "html"])
def test_the_pages_run_no_script_of_their_own(
    flask_app: Flask, client: FlaskClient, over: Game, page: str
) -> None:
    text = client.get(f"/games/{over.id}/{page}").text

    assert "<script" not in text
    assert not re.search(r' style="| on[a-z]+="', text)


# ---- what is read while it leaves ----------------------------------------------------------------


@pytest.mark.parametrize("what", ["record", "text"])
@pytest.mark.parametrize("pieces", [1, None], ids=["its reader goes away", "to its end"])
def test_what_leaves_piece_by_piece_keeps_no_connection_to_the_database(
    client: FlaskClient, service: Service, over: Game, what: str, pieces: int | None
) -> None:
    pool = service.engine.pool
    held = pool.checkedout()

    for _ in range(3):
        answer = client.get(f"/games/{over.id}/{what}")
        assert list(islice(answer.iter_encoded(), pieces))
        answer.close()

    assert answer.status_code == 200
    assert pool.checkedout() == held
