"""`python app.py export GAME`: writes one finished game as a record, text, or a single HTML file.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from sqlmodel import Session

from pbem import logs
from pbem.archive.exports import html, kept
from pbem.archive.exports import text as astext
from pbem.i18n.words import LANGUAGES
from pbem.models import Game, GameState
from pbem.record import export
from pbem.record.dump import replacing
from pbem.service import Service

NICE = 10  # lower priority than everything that players wait for


def main(arguments: list[str]) -> int:
    """Write the game, or all files that pages have requested."""
    asked = arguments_of(arguments)
    service = Service.from_environment(os.environ)
    if asked.wanted:
        logs.configure("exports")
        os.nice(NICE)
        kept.work_off(service)
        return 0
    with service.reading() as session:
        row = session.get(Game, asked.game)
        if row is None or row.state != GameState.FINISHED:
            sys.stderr.write(f"There is no finished game {asked.game}.\n")
            return 1
        return write(made(service, session, row, asked), asked.out)


def number(text: str) -> int:
    """Parse the id of a game."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise argparse.ArgumentTypeError("needs the number of a game")
    return int(text)


def arguments_of(arguments: list[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="app.py export", description=__doc__)
    parser.add_argument("game", nargs="?", type=number, help="the game's number")
    parser.add_argument("--as", dest="kind", choices=("record", "text", "html"), default="html")
    parser.add_argument("--language", choices=LANGUAGES, default="en")
    parser.add_argument("--out", type=Path, help="the file; else standard output")
    parser.add_argument("--wanted", action="store_true", help="make what the pages wait for")
    asked = parser.parse_args(arguments)
    if asked.game is None and not asked.wanted:
        parser.error("which game? Its number stands in the address of its page")
    return asked


def made(
    service: Service, session: Session, row: Game, asked: argparse.Namespace
) -> Iterator[bytes]:
    """Yield the game in the wanted format, in pieces."""
    if asked.kind == "record":
        return export.record_lines(session, row)
    site = service.settings.base_url
    texts = (astext.text_of(session, row, asked.language) if asked.kind == "text"
             else html.written(session, row, asked.language, site))
    return (text.encode() for text in texts)


def write(pieces: Iterator[bytes], out: Path | None) -> int:
    """Write the pieces to the file, atomically."""
    if out is None:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        return 0
    try:
        with replacing(out) as file:
            for piece in pieces:
                file.write(piece)
    except OSError as problem:
        sys.stderr.write(f"{out}: {problem.strerror}\n")
        return 1
    return 0
