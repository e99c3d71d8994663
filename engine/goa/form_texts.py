"""Writes the texts that several form steps share: tiles, cards, spices and places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.forms import Choice, Group, Select
from engine.goa.components import Card
from engine.goa.fields import Empty
from engine.goa.state import Sacks
from engine.goa.values import place as place_name
from engine.goa.values import sack_values
from engine.goa.view import ColonyView, GoaSeatView, PlantationView
from engine.phrases import Quantity, Term, Text, Value, WordForm, text


def places(player: GoaSeatView) -> tuple[PlantationView | ColonyView, ...]:
    """Return the plantations, then the colonies."""
    return (*player.plantations, *player.colonies)


def lying(player: GoaSeatView) -> Sacks:
    """Return all sacks of a seat, by places."""
    found: dict[tuple[str, str], int] = {}
    for each in places(player):
        for field in each.fields:
            if field.sack is not None:
                key = (field.sack, each.place)
                found[key] = found.get(key, 0) + 1
    return tuple((spice, where, number) for (spice, where), number in found.items())


def empties(player: GoaSeatView) -> Empty:
    """Return all empty fields of a seat, by places."""
    return tuple(
        (each.place, each.fields[0].may_hold, each.empty) for each in places(player) if each.empty
    )


def sack(spice: str, where: str, number: int = 1) -> Value:
    """Return a sack with its place: 2 ginger (plantation 1)."""
    return sack_values(((spice, where, number),))[0]


def spice(name: str) -> Term:
    """Return a spice's name."""
    return Term("spice", name)


def column_name(column: str) -> Term:
    """Return a column's name."""
    return Term("column", column)


def card_face(card: Card) -> Text:
    """Return a card's number, symbol and colonists."""
    return text(
        "card_face",
        card=card.number,
        symbol=Term("symbol", card.symbol),
        colonists=Quantity("colonist", card.colonists),
    )


def one_of(name: str, label: Value, choices: Sequence[Choice]) -> Select:
    """Return a list without groups."""
    return Select(name, label, (Group("", tuple(choices)),))


def up_to(most: int, least: int = 0) -> tuple[Choice, ...]:
    """Return the numbers to choose from."""
    return tuple(Choice(str(number), number) for number in range(least, most + 1))


def whole(text: str | None) -> int:
    """Return a number from a list; anything else counts as 0."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else 0


def number_of_each(prefix: str, there: Sacks) -> Iterator[Select]:
    """Offer a number of the sacks that lie there, place by place."""
    for name, where, number in there:
        yield one_of(f"{prefix}-{name}-{where}", sack(name, where), up_to(number))


def where_to_lay(name: str, empty: Empty) -> Select:
    """Offer a spice and the empty field that takes it."""
    groups = [Group("", (Choice("", "–"),))]
    for where, fields in by_place(empty).items():
        choices = tuple(Choice(f"{each}@{where}", spice(each)) for each in fields)
        groups.append(Group(place_name(where), choices))
    return Select(name, WordForm("spice", 1), tuple(groups))


def by_place(empty: Empty) -> dict[str, dict[str, int]]:
    """Return the spices that each place may hold, each with its most empty fields."""
    found: dict[str, dict[str, int]] = {}
    for where, may_hold, number in empty:
        found.setdefault(where, {}).update(dict.fromkeys(may_hold, number))
    return found
