"""`make audit`: pip-audit over what is pinned; says so where the advisories cannot be reached."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PINNED = ("requirements.txt", "requirements-dev.txt")
OUT_OF_REACH = "Not audited: the advisories cannot be reached from this machine."


def main() -> int:
    """1 if a pinned library has a known fault."""
    ran = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off",
         "--disable-pip", "--no-deps", "--timeout=10", *(f"-r{name}" for name in pinned())],
        capture_output=True, text=True, check=False)
    try:
        found = json.loads(ran.stdout)["dependencies"]
    except (ValueError, KeyError):
        found = []
    return told(found)


def pinned() -> Sequence[str]:
    """The lists of pinned libraries."""
    return [name for name in PINNED if Path(name).exists()]


def told(found: list[dict[str, Any]]) -> int:
    """Say what was found; the exit code."""
    looked_up = [each for each in found if "vulns" in each]
    if not looked_up:
        print(OUT_OF_REACH)
        return 0
    faulty = [each for each in looked_up if each["vulns"]]
    for each in faulty:
        for fault in each["vulns"]:
            better = ", ".join(fault.get("fix_versions", [])) or "none yet"
            print(f"{each['name']} {each['version']}: {fault['id']}, mended in {better}")
    missing = [each["name"] for each in found if "vulns" not in each]
    if missing:
        print(f"Not looked up: {', '.join(missing)}.")
    print(f"{len(looked_up)} libraries looked up, {len(faulty)} with known faults.")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
