"""The table as a picture in a letter: for one reader's eyes, alike everywhere, never waited for."""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageOps
from sqlmodel import col, select

from engine import registry
from engine.api import Transition
from engine.chance import Stream
from pbem.i18n import words
from pbem.i18n.render import environment
from pbem.mail.letters import build, draw, picture
from pbem.mail.letters.draw import ChartPart, Drawing
from pbem.mail.letters.picture import TableReader, drawing, png_of
from pbem.models import Game, Outbox, stored_id
from pbem.play import positions
from pbem.service import Service
from tests.support.letterfactory import html_of, placing_game, play_on
from tests.support.tables import started_game

SOME = Drawing("", "", (ChartPart('<path d="M0 0h8v4H0z"/>', None), ), "#000000", 8, 4, 8)


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine draws all the same."""
    monkeypatch.setattr(picture, "PATIENCE", 120.0)


def drawn(
    service: Service, game: int, seat: int | None = 0, language: str = "en", state: Any = None
) -> Drawing:
    with service.reading() as session:
        table = positions.table(session, session.get_one(Game, game))
    view = table.rules.observation(state or table.state, seat)
    shown = {**table.rules.page(view, None), "view": view}
    names = ["Ana", "Béla", "Catarina", "Жанна"][: len(view.players)]
    reader = TableReader(names, words.seat_letters(names), seat)
    template = environment(language).get_template("letters/picture.svg")
    return drawing(template, table.rules, shown, reader, language)


def new_game(service: Service, key: str, moves: int = 0) -> int:
    with service.writing() as session:
        game = stored_id(started_game(session, service.clock.now(), game_key=key))
    play_on(service, game, moves)
    return game


@pytest.mark.parametrize("key", registry.GAMES)
@pytest.mark.parametrize("language", [
    "en", "ru", *(pytest.param(each, marks=pytest.mark.soak) for each in ("hu", "pt"))])
def test_every_games_table_can_be_drawn_in_every_language(
    service: Service, key: str, language: str
) -> None:
    made = drawn(service, new_game(service, key, 12), language=language)

    png = draw.png(made, picture.PATIENCE)

    image = Image.open(io.BytesIO(png))
    assert image.size == pytest.approx((2 * made.width, 2 * made.height), abs=2)
    assert image.mode == "P"
    assert "transparency" not in image.info
    assert len(png) < 200_000
    assert len(image.getcolors() or ()) > 20
    assert not re.search(r"var\(|currentcolor", repr(made))


@pytest.mark.parametrize("key", registry.GAMES)
def test_a_picture_put_together_looks_as_one_drawn_at_once(service: Service, key: str) -> None:
    """Parts stand at whole pixels, so edges differ a little, and only edges."""
    made = drawn(service, new_game(service, key, 60))
    together = Image.open(io.BytesIO(draw.png(made, picture.PATIENCE))).convert("RGB")

    head = f"<style>{made.style}</style>{made.defs}"
    at_once = draw.raster(head, in_place(made), made.scale, (0, 0), (made.wide, made.tall))

    white = Image.new("RGBA", at_once.size, "#ffffff")
    expected = Image.alpha_composite(white, at_once).convert("RGB").crop((0, 0, *together.size))
    differences = ImageChops.difference(together, expected).convert("L").histogram()
    assert sum(differences[64:]) < sum(differences) / 50
    assert sum(level * number for level, number in enumerate(differences)) < 4 * sum(differences)


def in_place(made: Drawing) -> str:
    """The parts of a drawing, each at its place."""
    placed = (f'<g transform="translate({part.at[0]} {part.at[1]})">{part.svg}</g>'
              if part.at else part.svg for part in made.parts)
    return f'<g color="{made.ink}">{"".join(placed)}</g>'


def test_a_part_that_reaches_far_from_its_place_is_drawn_whole() -> None:
    far = ChartPart('<path d="M-10 0h300v4h-300z"/>', (20.0, 10.0))
    made = Drawing("", "", (far, ), "#000000", 320, 40, 160)

    image = Image.open(io.BytesIO(draw.png(made, picture.PATIENCE))).convert("L")

    assert ImageOps.invert(image).getbbox() == (10, 10, 310, 14)


def test_a_part_that_stood_in_a_picture_is_not_rasterized_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = drawn(service, new_game(service, "goa", 12))
    first = draw.png(made, picture.PATIENCE)
    monkeypatch.setattr(draw, "raster", lambda *_: pytest.fail("rasterized again"))

    assert draw.png(made, picture.PATIENCE) == first


@pytest.mark.parametrize("key", registry.GAMES)
def test_a_picture_shows_nothing_that_lies_face_down(service: Service, key: str) -> None:
    game = new_game(service, key, 12)
    with service.reading() as session:
        row = session.get_one(Game, game)
        entries = positions.entries(session, row, 1, row.last_entry)
        rules = positions.rules_of(session, row)
        history = [
            Transition(positions.position(session, row, entry.number), tuple(entry.events))
            for entry in entries
        ]
    dealt, differing = rules.redealt(history, 0, Stream(b"other", "deal"))
    assert differing > 0

    assert drawn(service, game, 0) == drawn(service, game, 0, state=dealt[-1].state)


def test_an_equal_drawing_is_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = png_of(SOME, tmp_path)
    monkeypatch.setattr(draw, "png", lambda *_: pytest.fail("drawn again"))

    assert first is not None
    assert png_of(SOME, tmp_path) == first
    assert [path.name for path in tmp_path.iterdir()] == [f"{SOME.digest}.png"]


def test_a_drawing_that_differs_in_anything_is_another_picture() -> None:
    others = (replace(SOME, width=9), replace(SOME, ink="#ffffff"), replace(SOME, parts=()))

    assert len({SOME.digest, *(other.digest for other in others)}) == 4


def test_the_longest_unused_pictures_are_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "KEPT", 3)
    monkeypatch.setattr(draw, "png", lambda made, _patience: made.digest.encode())
    several = [replace(SOME, width=width) for width in range(5)]
    for age, made in enumerate(several):
        png_of(made, tmp_path)
        if age < 4:
            os.utime(tmp_path / f"{made.digest}.png", (age, age))

    kept = {path.stem for path in tmp_path.iterdir()}

    assert kept == {made.digest for made in several[2:]}


def test_a_drawing_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "PATIENCE", -1.0)

    assert png_of(SOME, tmp_path / "pictures") is None
    assert not (tmp_path / "pictures").exists()


def test_a_drawing_that_fails_costs_the_letter_its_picture_only(tmp_path: Path) -> None:
    assert png_of(replace(SOME, parts=(ChartPart("<svg", None), )), tmp_path) is None


def letter_of(service: Service) -> EmailMessage:
    with service.reading() as session:
        row = session.exec(
            select(Outbox).where(Outbox.kind == "turn").order_by(col(Outbox.id).desc())
        ).first()
        assert row is not None
        row.message_id = "<turn@carreira.example>"
        reader = build.kind_of(row).reader(session, row)
        settings = replace(service.settings, pictures=True)
        letter = build.build(session, row, settings, service.clock.now(), reader=reader)
    assert letter is not None
    return message_from_bytes(letter.raw, policy=default)


def test_a_turn_letter_brings_its_picture_along(service: Service) -> None:
    placing_game(service)

    letter = letter_of(service)

    (image,) = [part for part in letter.walk() if part.get_content_type() == "image/png"]
    shown = re.search(r"<img [^>]*>", html_of(letter))
    assert shown is not None
    assert f'src="cid:{image["Content-ID"].strip("<>")}"' in shown[0]
    width, height = re.findall(r' (?:width|height)="(\d+)"', shown[0])
    size = Image.open(io.BytesIO(image.get_content())).size
    assert size == pytest.approx((2 * int(width), 2 * int(height)), abs=2)
    assert 'alt="Vasco da Gama. You place an action disc.' in shown[0]


def test_a_letter_leaves_without_a_picture_if_none_is_ready(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    placing_game(service)
    monkeypatch.setattr(picture, "PATIENCE", -1.0)

    letter = letter_of(service)

    assert "<img" not in html_of(letter)
    assert [part.get_content_type() for part in letter.iter_parts()] == ["text/plain", "text/html"]
