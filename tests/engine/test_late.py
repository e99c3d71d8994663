"""Values that are worked out when they are asked for."""

from __future__ import annotations

import pytest

from engine.late import Late


def test_a_value_is_worked_out_once_and_only_when_it_is_asked_for() -> None:
    asked: list[str] = []
    late = Late(one=lambda: asked.append("one"), two=lambda: asked.append("two"))

    assert "two" in late
    assert late["one"] is late["one"] is None
    assert asked == ["one"]


def test_all_values_together_are_a_mapping_like_any_other() -> None:
    late = Late(one=lambda: 1, two=lambda: 2)

    assert {**late, "three": 3} == {"one": 1, "two": 2, "three": 3}
    assert len(late) == 2
    with pytest.raises(KeyError):
        late["three"]
