"""Builds the steps of the characters area: money, characters, and what goes with two of them."""

from __future__ import annotations

from collections.abc import Iterator

from engine.choices import Refusal
from engine.forms import Choice, FormRow, FormStep, Group, Option, Select
from engine.phrases import (
    Name,
    Quantity,
    Term,
    text,
)
from engine.vasco_da_gama.characters import (
    HOST,
    HOST_MANUEL,
    HOST_SERNIGI,
    HOSTED_WITH,
    TAKE_MONEY,
    TARGET,
)
from engine.vasco_da_gama.form_table import FormTable
from engine.vasco_da_gama.form_texts import (
    favour,
    landing_name,
)
from engine.vasco_da_gama.slot_orders import label_of
from engine.vasco_da_gama.state import SPACES

TAKE = "act=take"


def characters(table: FormTable, purse: int) -> Iterator[FormStep]:
    """Offer the money amounts and each character that no disc hosts (VG-6.1)."""
    view = table.view
    (space,), (character,) = TAKE_MONEY.fields, HOST.fields
    hosts = {each.key: each for each in view.characters}

    def money_option(value: str, why: Refusal | None) -> Option:
        reals = view.money[SPACES.index(value)] or 0
        label = text("take_reals", reals=Quantity("real", reals))
        return Option("", label, Term("space", value), coin=reals, why_not=table.reason(why, value))

    def character_option(value: str, why: Refusal | None) -> Option:
        there = hosts[value]
        host = {} if there.host is None else {"name": Name(there.host)}
        with_more = value in HOSTED_WITH and table.is_open(HOSTED_WITH[value])
        return Option("", text("host", name=Term("character", value)), sub=favour(value, view),
                      end="" if there.owner is None else Name(there.owner),
                      why_not="" if with_more else table.reason(why, value, **host))

    money = [each for each in table.options(space, money_option) if not each.why_not]
    people = table.options(character, character_option)
    yield FormStep(
        title=text("money_or_character"),
        name=character.in_form,
        kind="radio",
        when=TAKE,
        options=(*money, *people),
        rule="VG-6.1",
    )
    if view.merchant is not None and table.is_open(HOST_SERNIGI):
        yield FormStep(
            title=text("sernigi_ship"),
            name=TARGET.in_form,
            kind="rows",
            when="favour=sernigi",
            rule="VG-6.5",
            rows=(FormRow(None, (merchant_select(table),)),),
        )
    if table.is_open(HOST_MANUEL):
        yield manuel_step(table)


def manuel_step(table: FormTable) -> FormStep:
    """Ask for the additional disc's number, 21 or 22, and its area (VG-6.2)."""
    number, area = HOST_MANUEL.fields
    none = Choice("", "–")
    numbers = (Choice(str(each), each) for each in table.open_values(number))
    areas = (Choice(each, Term("area", each)) for each in table.open_values(area))
    selects = (
        Select(number.in_form, text("number"), (Group("", (none, *numbers)),)),
        Select(area.in_form, text("area"), (Group("", (none, *areas)),)),
    )
    return FormStep(
        title=text("manuel_disc"),
        name="extra",
        kind="rows",
        when="favour=manuel",
        rule="VG-6.2",
        rows=(FormRow(None, selects),),
    )


def merchant_select(table: FormTable) -> Select:
    """Offer to send the merchant ship later, or a slot that takes it now."""
    groups = [Group("", (Choice("", text("merchant_later")),))]
    open_slots = table.open_values(TARGET)
    for landing in reversed(table.view.landings):
        slots = tuple(
            Choice(TARGET.write(table.components, slot), label_of(table.components, slot))
            for slot in open_slots if slot[0] == landing.word
        )
        if slots:
            groups.append(Group(landing_name(landing), slots))
    return Select(TARGET.in_form, text("slot"), tuple(groups))
