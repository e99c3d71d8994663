"""One version in the whole tree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pbem import __version__

ROOT = Path(__file__).parents[2]


def test_the_changelog_begins_with_the_version_that_the_code_has() -> None:
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)

    assert heading is not None
    assert heading[1] == __version__


def test_the_project_has_the_version_of_the_code() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

    assert "version" not in told["project"]
    assert told["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "pbem.__version__"}
