"""Serves two entries of a game side by side, with what differs marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from engine.forms import Change
from pbem.models import Game
from pbem.play import narration
from pbem.web import context
from pbem.web.access import visible
from pbem.web.table import desk, forms, history, page, template_values

blueprint = Blueprint("compare", __name__)

MOST_BETWEEN = 30  # most entries listed between the two
IDS = re.compile(r'(?<= id=")([^"]+)(?=")')
SECTIONS = re.compile(r'<section\b[^>]*\saria-labelledby="')
REFERENCES = re.compile(
    r'(?P<lead>(?:\b(?:id|for)="|(?:href="|url\()#|aria-(?:labelledby|describedby|controls|owns)="))(?P<names>[^")]*)')


@dataclass(frozen=True)
class ComparedEntry:
    """One of the compared entries: its number, and its table as HTML with ids of its own."""

    number: int
    round: int
    phase: int
    html: Markup


@blueprint.get("/games/<int:game_id>/compare")
def show(game_id: int) -> Response:
    """Show the tables after entries `a` and `b`, by default the last two.

    Raises 404 before the first entry.
    """
    row = visible(game_id)
    if row.last_entry == 0:
        abort(404)
    first = entry(row, "a", max(1, row.last_entry - 1))
    second = entry(row, "b", row.last_entry)
    desks = [desk.desk_of(row, number) for number in (first, second)]
    seen = [desk.table.rules.places(desk.view) for desk in desks]
    reader, rules = desks[1].reader, desks[1].table.rules
    sides = [
        side(desks[0], "a", narration.changed(seen[1], seen[0])),
        side(desks[1], "b", narration.changed(seen[0], seen[1])),
    ]
    changes = [rules.changes(before, after) for before, after in zip(
        desks[0].view.players, desks[1].view.players, strict=True)]
    return page.answer(render_template(
        "table/compare.html", **template_values.values(rules, desks[1].view, reader), game=row,
        sides=sides, a=first, b=second, changes=rows(changes), named=history.Names(reader),
        between=between(row, first, second, desks[1]),
    ))


def entry(row: Game, name: str, usual: int) -> int:
    """Return the number of an entry in the query; raises 404 if there is none such."""
    if not request.args.get(name):
        return usual
    number = forms.whole_number(request.args[name], least=1, most=row.last_entry)
    return abort(404) if number is None else number


def side(desk: desk.Desk, prefix: str, marked: frozenset[str]) -> ComparedEntry:
    """Return a table with the given places marked."""
    html = render_template("table/compare_side.html", **page.context_of(desk, None, None),
                           marked=marked)
    round_, _ = desk.table.rules.chapter(desk.table.state)
    ours = Markup(own_ids(html, prefix))  # noqa: S704  # nosec B704
    return ComparedEntry(desk.number, round_, desk.view.phase, ours)


def own_ids(html: str, prefix: str) -> str:
    """Prefix the HTML's ids and the references to them; label each section with its side too."""
    mine = set(IDS.findall(html))

    def renamed(found: re.Match[str]) -> str:
        names = found["names"].split(" ")
        return found["lead"] + " ".join(f"{prefix}-{n}" if n in mine else n for n in names)

    return SECTIONS.sub(rf"\g<0>h-side-{prefix} ", REFERENCES.sub(renamed, html))


def rows(changes: Sequence[Sequence[Change]]) -> list[tuple[Any, list[Change | None]]]:
    """Return the changes by holding, one per seat, None for a seat without that change."""
    whats: list[Any] = []
    for change in (change for seat in changes for change in seat):
        if change.what not in whats:
            whats.append(change.what)
    return [
        (what, [next((c for c in seat if c.what == what), None) for seat in changes])
        for what in whats
    ]


def between(row: Game, first: int, second: int, desk: desk.Desk) -> list[narration.LogEntry]:
    """Return the entries between the two, only the newest if there are many."""
    low, high = sorted((first, second))
    if low == high:
        return []
    reader = desk.reader
    return narration.log(context.reading(), row, upto=high, viewer=reader.seat, names=reader.names,
                       language=reader.language, limit=min(MOST_BETWEEN, high - low))
