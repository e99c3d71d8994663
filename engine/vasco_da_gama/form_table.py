"""Holds what the steps of a form are computed from, and words the reasons against a choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from engine.api import Move
from engine.choices import FieldSpec, MoveSpec, Refusal
from engine.forms import Fields, Option
from engine.phrases import Value, text
from engine.vasco_da_gama import phrases
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.state import VascoState
from engine.vasco_da_gama.view import VascoSeatView, VascoView

V = TypeVar("V")
M = TypeVar("M", bound=Move)


class FormTable(NamedTuple):
    """A table with the view of the seat whose form it is."""

    components: VascoComponents
    state: VascoState
    view: VascoView
    me: VascoSeatView

    def options(
        self,
        field: FieldSpec[VascoComponents, VascoState, V],
        show: Callable[[V, Refusal | None], Option],
    ) -> tuple[Option, ...]:
        """Return the options of a declared field."""
        return field.options(self.components, self.state, self.me.seat, show)

    def open_values(self, field: FieldSpec[VascoComponents, VascoState, V]) -> list[V]:
        """Return the values of a declared field that can be chosen."""
        return field.open(self.components, self.state, self.me.seat)

    def is_open(self, spec: MoveSpec[VascoComponents, VascoState, Any]) -> bool:
        """Tell whether nothing forbids a declared move as a whole."""
        return spec.refusal(self.components, self.state, self.me.seat) is None

    def chosen(self, spec: MoveSpec[VascoComponents, VascoState, M], fields: Fields) -> M:
        """Return the declared move that a form's fields choose. Raise Incomplete."""
        return spec.chosen(fields, self.components, self.state)

    def reason(self, why: Refusal | None, value: object, **also: Value) -> Value:
        """Return a refusal in the few words of a form, or "" for None."""
        if why is None:
            return ""
        numbers = why.numbers(self.components, self.state, self.me.seat, value)
        return text(f"why_{why.key}", **phrases.of_refusal(why.key, numbers).values, **also)
