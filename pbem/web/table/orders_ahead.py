"""Builds the "orders ahead" section of the game page: the list, the field, a dry run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pbem.play import dry_runs
from pbem.web import context
from pbem.web.table.desk import Desk

LONGEST = 2000  # characters in the field


@dataclass(frozen=True)
class OrdersAheadDraft:
    """Typed orders ahead that are not kept: a dry run, or a refusal with its reason."""

    text: str
    tried: Sequence[tuple[str, str]] = ()
    why: str = ""
    rule: str = ""
    line: str = ""
    choices: Sequence[str] = ()


def values(desk: Desk, *, may_order: bool) -> dict[str, Any]:
    """Return the section's template values; None if the reader cannot give orders here."""
    own = desk.sitting.own
    if own is None or not may_order:
        return {"ahead": None}
    rules, seat = desk.table.rules, own.number or 0
    kept = dry_runs.of_kept(context.reading(), desk.row, own)
    return {"ahead": {
        "kept": [(each.number, each.line, said(desk, each)) for each in kept],
        "draft": desk.extra.get("ahead", OrdersAheadDraft("")),
        "examples": [(each.line, desk.reader.say(each.meaning))
                     for each in rules.orders_ahead.examples(desk.view, seat)],
        "longest": LONGEST,
    }}  # fmt: skip


def said(desk: Desk, dry_run: dry_runs.DryRun) -> str:
    """Word what an order ahead would do, in the reader's language."""
    return dry_runs.said(desk.row.game, dry_run, desk.reader.language, desk.reader.names)
