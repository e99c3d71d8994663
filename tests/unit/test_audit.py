"""`make audit` fails on a known fault, and only then."""

from __future__ import annotations

import pytest

from tests.tools import audit

SOUND = {"name": "sound", "version": "1", "vulns": []}
FAULTY = {"name": "faulty", "version": "2",
          "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "unknown", "skip_reason": "not found"}


def test_a_known_fault_fails_the_audit(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.told([SOUND, FAULTY]) == 1
    assert "faulty 2: PYSEC-1, mended in 3" in capsys.readouterr().out


def test_what_was_not_looked_up_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.told([SOUND, UNKNOWN]) == 0
    assert "Not looked up: unknown." in capsys.readouterr().out


@pytest.mark.parametrize("found", [[], [UNKNOWN]])
def test_an_audit_that_reached_nobody_says_so(
    found: list[dict[str, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.told(found) == 0
    assert capsys.readouterr().out.strip() == audit.OUT_OF_REACH
