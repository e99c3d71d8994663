"""Draws points and money over a game as lines, and the sources of points as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, render_template
from werkzeug.wrappers import Response

from pbem.archive.progress import Moment, progress
from pbem.models import GameState
from pbem.web import context
from pbem.web.access import visible
from pbem.web.table import page, template_values
from pbem.web.table.desk import desk_of

blueprint = Blueprint("graph", __name__)

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, FOOT = 44, 40, 16, 34  # margins around the lines, in SVG units
DISC = 22  # distance between the marks of two seats at the lines' ends
LINES = 5  # about how many lines the scale has
BAR, BAR_PITCH, BAR_LEFT = 30, 44, 48
STEPS = (1, 2, 5, 10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Curve:
    """One seat's line: its points in SVG's form, and where its mark is."""

    seat: int
    points: str
    x: float
    y: float
    end: float
    last: int


@dataclass(frozen=True)
class Plot:
    """A drawing of lines: scale (y, value), rounds (x, round), curves."""

    scale: Sequence[tuple[float, int]]
    rounds: Sequence[tuple[float, int]]
    curves: Sequence[Curve]


@dataclass(frozen=True)
class BarSegment:
    """A segment of a bar: the source's index in the list, and its points."""

    source: int
    points: int
    x: float
    width: float


@dataclass(frozen=True)
class Bar:
    """A seat's points as a bar with a segment per source."""

    seat: int
    y: int
    parts: Sequence[BarSegment]
    total: int
    end: float


@blueprint.get("/games/<int:game_id>/graph")
def show(game_id: int) -> Response:
    """Show the graph of a game as this reader may see it; raises 404 before the start."""
    row = visible(game_id)
    if row.last_entry == 0:
        abort(404)
    desk = desk_of(row)
    moments = progress(context.reading(), row, desk.reader.seat)
    last = moments[-1].tallies
    sources = list(last[0].points)
    return page.answer(render_template(
        "table/graph.html",
        **template_values.values(desk.table.rules, desk.view, desk.reader),
        game=row, moments=moments, sources=sources, is_over=row.state == GameState.FINISHED,
        points=plot(moments, [points_of(moments, seat) for seat in range(len(last))]),
        money=plot(moments, [money_of(moments, seat) for seat in range(len(last))]),
        bars=bars(last, sources), width=WIDTH, height=HEIGHT, left=LEFT, right=WIDTH - RIGHT,
        foot=HEIGHT - FOOT, bars_height=BAR_PITCH * len(last) + 12,
        hidden=[seat for seat, tally in enumerate(last) if tally.money is None],
    ))


def points_of(moments: Sequence[Moment], seat: int) -> list[int | None]:
    """Return a seat's points at each moment."""
    return [sum(each.tallies[seat].points.values()) for each in moments]


def money_of(moments: Sequence[Moment], seat: int) -> list[int | None]:
    """Return a seat's money at each moment, None where the reader may not know it."""
    return [each.tallies[seat].money for each in moments]


def plot(moments: Sequence[Moment], series: Sequence[Sequence[int | None]]) -> Plot:
    """Return the lines of all seats on a common scale."""
    known = [value for values in series for value in values if value is not None]
    low, high = min([0, *known]), max([1, *known])
    step = next((s for s in STEPS if (high - low) / s <= LINES), STEPS[-1])
    low, high = low // step * step, -(-high // step) * step

    def x_of(place: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * place / max(1, len(moments) - 1), 1)

    def y_of(value: int) -> float:
        return round(HEIGHT - FOOT - (HEIGHT - TOP - FOOT) * (value - low) / (high - low), 1)

    rounds = [(x_of(place), each.round) for place, each in enumerate(moments)
              if each.round and (not place or moments[place - 1].round != each.round)]
    drawn = [
        (seat, [(x_of(place), y_of(value), value) for place, value in enumerate(values)
                if value is not None])
        for seat, values in enumerate(series)
    ]
    return Plot([(y_of(value), value) for value in range(low, high + 1, step)], rounds,
                apart([curve(seat, line) for seat, line in drawn if line]))


def curve(seat: int, line: Sequence[tuple[float, float, int]]) -> Curve:
    """Return a seat's line through its points (x, y, value)."""
    x, y, last = line[-1]
    return Curve(seat, " ".join(f"{at},{up}" for at, up, _ in line), x, y, y, last)


def apart(curves: Sequence[Curve]) -> list[Curve]:
    """Return the curves with their marks moved apart, lowest first."""
    placed: list[Curve] = []
    floor = HEIGHT - DISC / 2
    for each in sorted(curves, key=lambda each: -each.y):
        end = min(each.y, floor)
        floor = end - DISC
        placed.append(Curve(each.seat, each.points, each.x, each.y, max(end, DISC / 2), each.last))
    return placed


def bars(tallies: Sequence[Any], sources: Sequence[str]) -> list[Bar]:
    """Return a bar per seat; lost points appear only in the table."""
    most = max([1, *(sum(max(0, n) for n in tally.points.values()) for tally in tallies)])
    unit = (WIDTH - BAR_LEFT - RIGHT - 16) / most
    found = []
    for seat, tally in enumerate(tallies):
        parts = list(parts_of(tally.points, sources, unit))
        end = parts[-1].x + parts[-1].width if parts else BAR_LEFT
        found.append(Bar(seat, 10 + BAR_PITCH * seat, parts, sum(tally.points.values()), end))
    return found


def parts_of(points: Any, sources: Sequence[str], unit: float) -> Iterator[BarSegment]:
    """Yield the segments of a bar; sources without points are left out."""
    x = float(BAR_LEFT)
    for place, source in enumerate(sources):
        if points[source] > 0:
            width = points[source] * unit
            yield BarSegment(place, points[source], round(x, 1), round(width, 1))
            x += width
