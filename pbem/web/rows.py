"""Words and draws games as lists show them: picture, where they stand, points, whose turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from babel.lists import format_list
from babel.units import format_unit
from flask import Flask

from engine import registry
from pbem.archive import pictures
from pbem.archive.open_seats import Offer
from pbem.archive.search import Hit
from pbem.i18n import words
from pbem.models import Game, GameState, SeatRow, stored_id
from pbem.models.archive import Verification
from pbem.play import positions
from pbem.tables import glances, lists
from pbem.tables.glances import Glance, ListedGlance
from pbem.tables.lists import ListedGame
from pbem.web import context
from pbem.web.archive.lists import happened
from pbem.web.filters import _, day, ngettext, waits_until
from pbem.web.games import terms_in_short

CURVE_WIDTH, CURVE_HEIGHT = 144, 40  # SVG units
DAY = 24  # hours
LATELY = 48  # hours that are told as hours


@dataclass(frozen=True)
class SeatMark:
    """A player of a listed game; without a colour before the start."""

    name: str
    letter: str
    colour: str = ""
    points: int | None = None
    person_id: int | None = None
    is_linked: bool = False


@dataclass(frozen=True)
class Curve:
    """A seat's points over the game as an SVG path."""

    colour: str
    path: str
    is_winner: bool


@dataclass(frozen=True)
class ListRow:
    """A game in a list, in the reader's language."""

    game: Game
    seats: Sequence[SeatMark]
    facts: Sequence[str]
    headline: str
    below: Sequence[str] = ()
    question: str = ""
    is_asked: bool = False
    thumbnail: Mapping[str, Any] | None = None
    curves: Sequence[Curve] = ()
    happened: Sequence[tuple[str, int]] = ()

    @property
    def colours(self) -> Sequence[str]:
        """The colours of the game's seats."""
        return registry.game(self.game.game).seat_colours

    @property
    def has_points(self) -> bool:
        """Whether any player has points to show."""
        return any(seat.points is not None for seat in self.seats)


# ---- games of any state -------------------------------------------------------------------------


def rows_of(listed: Sequence[ListedGame]) -> list[ListRow]:
    """Return the rows of listed games."""
    seats = [seat for one in listed for seat, _person in one.seated]
    seen = glances.of_games(context.reading(), [one.game for one in listed], seats)
    return [row_of(one, seen.get(stored_id(one.game))) for one in listed]


def rows_of_offers(offers: Sequence[Offer]) -> list[ListRow]:
    """Return the rows of games with a seat to take."""
    rows = rows_of(lists.with_seats(context.reading(), [each.game for each in offers], None))
    return [
        row if offer.seat is None else replace(
            row, headline=_("a seat of a running game"), below=(), question="")
        for row, offer in zip(rows, offers, strict=True)
    ]


def row_of(one: ListedGame, seen: ListedGlance | None) -> ListRow:
    """Return the row of one listed game; `seen` is None before its start."""
    is_running = one.game.state == GameState.RUNNING
    return ListRow(
        one.game, marks_of(one, seen), facts_of(one, seen), headline_of(one), below_of(one, seen),
        question=question_of(one, seen) if is_running else "", is_asked=one.is_asked,
        thumbnail=None if seen is None else seen.glance.thumbnail,
    )


def marks_of(one: ListedGame, seen: ListedGlance | None) -> list[SeatMark]:
    """Return the players: by seat once the game has begun, by place once it is over."""
    names = names_of(one)
    letters = words.seat_letters(names)
    if seen is None:
        return [SeatMark(name, letter) for name, letter in zip(names, letters, strict=True)]
    colours = registry.game(one.game.game).seat_colours
    order = sorted(range(len(names)), key=lambda at: (one.seated[at][0].place or 0, at))
    return [
        SeatMark(names[at], letters[at], colours[at], seen.glance.points[at]) for at in order
    ]


def names_of(one: ListedGame) -> list[str]:
    """Return the players' names: those at the start, else the present ones."""
    return [words.called(seat.name or person.name, context.language())
            for seat, person in one.seated]


def facts_of(one: ListedGame, seen: ListedGlance | None) -> list[str]:
    """Return the game's number, where it stands, and how fast it goes."""
    game, language = one.game, context.language()
    facts = numbered(game)
    if seen is not None and game.state == GameState.RUNNING:
        rules = positions.rules_of(context.reading(), game)
        if seen.glance.round:
            facts.append(words.chapter(rules, seen.glance.round, language))
        facts.append(words.term(game.game, f"phase_{seen.glance.phase}", language))
    elif game.ended is not None:
        facts.append(day(game.ended))
    if game.private:
        facts.append(_("private"))
    terms = terms_in_short(game)
    return [*facts, terms] if terms else facts


def numbered(game: Game) -> list[str]:
    """Return the game's number, unless its heading says it for want of a title."""
    return [_("Game %(id)s", id=game.id)] if game.title or game.tutorial else []


def question_of(one: ListedGame, seen: ListedGlance | None) -> str:
    """Return the open question in words."""
    if seen is None or seen.glance.question is None:
        return ""
    viewer = None if one.own is None else one.own.number
    rules = positions.rules_of(context.reading(), one.game)
    return words.prompt(rules, seen.glance.question, viewer=viewer, names=names_of(one),
                        language=context.language())


def headline_of(one: ListedGame) -> str:
    """Return whose turn it is, who has won, or what else became of the game."""
    if one.game.state == GameState.RUNNING:
        if one.is_asked:
            return _("Your turn")
        return listing([words.called(name, context.language()) for name in one.waits_for])
    if one.game.state == GameState.OPEN:
        return ngettext("%(num)s chair free", "%(num)s chairs free", one.free_chairs)
    if one.game.state == GameState.FINISHED:
        return won_by([(seat.place, name) for (seat, _who), name
                       in zip(one.seated, names_of(one), strict=True)])
    return _("cancelled") if one.game.state == GameState.CANCELLED else _("ended without a start")


def below_of(one: ListedGame, seen: ListedGlance | None) -> list[str]:
    """Return since when it is somebody's turn and until when, or the reader's own place."""
    if one.game.state == GameState.RUNNING:
        since = "" if seen is None or seen.since is None else waited(seen.since)
        return [line for line in (since, waits_until(one)) if line]
    if one.game.state == GameState.FINISHED and one.own is not None and one.own.place:
        return [_("you: place %(place)s", place=one.own.place)]
    return []


def waited(since: datetime) -> str:
    """Return for how long a question has been open.

    In whole hours: minutes would reveal when others move.
    """
    hours = int((context.service().clock.now() - since).total_seconds()) // 3600
    if hours < 1:
        return _("for less than an hour")
    number, unit = (hours, "hour") if hours < LATELY else (hours // DAY, "day")
    return _("for %(time)s", time=format_unit(number, unit, locale=context.language()))


def won_by(placed: Sequence[tuple[int | None, str]]) -> str:
    """Return who has won, of (place, name) pairs."""
    names = [name for place, name in placed if place == 1]
    if not names:
        return _("finished")
    return ngettext("%(names)s won", "%(names)s won", len(names), names=listing(names))


def listing(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    return format_list(names, locale=context.language())


# ---- found games --------------------------------------------------------------------------------


def rows_of_hits(
    hits: Sequence[Hit], checks: Mapping[int, Verification] | None = None
) -> list[ListRow]:
    """Return the rows of finished games, with what was last found when they were checked."""
    return [row_of_hit(hit, (checks or {}).get(hit.found.game_id)) for hit in hits]


def row_of_hit(hit: Hit, check: Verification | None = None) -> ListRow:
    """Return the row of one finished game."""
    drawn = None if hit.found.pictures is None else pictures.read(hit.found.pictures)
    names = {seat.number: words.called(seat.name, context.language()) for seat in hit.seats}
    return ListRow(
        hit.game, marks_of_hit(hit), facts_of_hit(hit, check),
        won_by([(seat.place, names[seat.number]) for seat in hit.seats]),
        thumbnail=None if drawn is None else drawn.thumbnail,
        curves=() if drawn is None else curves_of(hit, drawn.curves),
        happened=[
            (f"{names[one.seat]}: {happened(hit.game, one)}", one.entry) for one in hit.happened],
    )


def row_at(hit: Hit, glance: Glance) -> ListRow:
    """Return the row of a finished game with the picture and the points of one of its entries."""
    row = row_of_hit(hit)
    seats = [replace(mark, points=glance.points[number_of(seat)], is_linked=False)
             for mark, seat in zip(row.seats, hit.seats, strict=True)]
    return replace(row, thumbnail=glance.thumbnail, seats=seats)


def marks_of_hit(hit: Hit) -> list[SeatMark]:
    """Return the players of a finished game, best first."""
    by_seat = sorted(hit.seats, key=number_of)
    letters = words.seat_letters([words.called(seat.name, context.language()) for seat in by_seat])
    colours = registry.game(hit.game.game).seat_colours
    return [
        SeatMark(seat.name, letters[number_of(seat)], colours[number_of(seat)], seat.points,
                 seat.person_id, is_linked=seat.person_id in hit.known)
        for seat in hit.seats
    ]


def number_of(seat: SeatRow) -> int:
    """Return the number of a seat of a started game."""
    return seat.number or 0


def facts_of_hit(hit: Hit, check: Verification | None) -> list[str]:
    """Return when it ended, how long it was, and what the last check found."""
    entries = hit.found.entries
    facts = [*numbered(hit.game), day(hit.found.ended),
             ngettext("%(num)s player", "%(num)s players", hit.found.seats),
             ngettext("%(num)s entry", "%(num)s entries", entries)]
    if hit.found.private:
        facts.append(_("private"))
    if check is not None and check.fault:
        facts.append(_("does not fit its record any more"))
    elif check is not None:
        facts.append(_("checked %(day)s, release %(release)s", day=day(check.at),
                       release=check.release))
    return facts


def curves_of(hit: Hit, points: Sequence[Sequence[int]]) -> list[Curve]:
    """Return the lines of all seats on one scale, the winner's last, so that it lies on top."""
    low = min((value for line in points for value in line), default=0)
    high = max((value for line in points for value in line), default=0)
    colours = registry.game(hit.game.game).seat_colours
    return [
        Curve(colours[number_of(seat)], path_of(points[number_of(seat)], min(low, 0), high),
              seat.place == 1)
        for seat in reversed(hit.seats) if points[number_of(seat)]
    ]


def path_of(values: Sequence[int], low: int, high: int) -> str:
    """Return a line through the values as an SVG path."""
    step, scale = CURVE_WIDTH / max(1, len(values) - 1), CURVE_HEIGHT / max(1, high - low)
    return "M" + "L".join(
        f"{round(at * step)} {round(CURVE_HEIGHT - (value - low) * scale, 1)}"
        for at, value in enumerate(values))


def register(app: Flask) -> None:
    """Add the functions that templates use."""
    app.jinja_env.globals.update(
        rows_of=rows_of, rows_of_hits=rows_of_hits, rows_of_offers=rows_of_offers)
