"""Each kind of letter is declared once, and listed, and has its templates."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest

from pbem.mail import letters
from pbem.mail.letter import LetterKind
from pbem.mail.letters.kinds import KINDS
from pbem.models import Outbox

TEMPLATES = Path(__file__).parents[2] / "templates" / "letters"


def declared() -> list[LetterKind]:
    """The kinds that the modules of letters declare."""
    modules = [importlib.import_module(f"{letters.__name__}.{each.name}")
               for each in pkgutil.iter_modules(letters.__path__)]
    return [value for module in modules for value in vars(module).values()
            if isinstance(value, LetterKind)]


def test_every_declared_kind_is_listed_under_its_name() -> None:
    assert sorted(kind.name for kind in declared()) == sorted(KINDS)
    assert all(KINDS[kind.name] is kind for kind in declared())


def test_every_kind_has_templates_and_all_templates_belong_to_a_kind() -> None:
    folders = {path.parent.name for path in TEMPLATES.glob("*/subject.txt")}
    assert folders == set(KINDS)


@pytest.mark.parametrize("part", ["subject.txt", "body.txt", "body.html"])
def test_every_kind_has_each_part_of_a_letter(part: str) -> None:
    assert [name for name in KINDS if not (TEMPLATES / name / part).is_file()] == []


def test_the_outbox_has_room_for_every_name() -> None:
    column = Outbox.metadata.tables["outbox"].c.kind
    assert [name for name in KINDS if len(name) > column.type.length] == []


def test_a_letter_that_proves_an_address_takes_no_orders_and_is_no_answer() -> None:
    assert [kind.name for kind in KINDS.values()
            if kind.is_proof and (kind.takes_orders or kind.is_answer)] == []
