"""What a process forked from the supervisor has, and what it has left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import ROOT

# In a process of its own: who forks must have no threads.
PARENT = """
import os, signal, sys
from pathlib import Path
from pbem.forking import ForkedChild
var, program, *then = sys.argv[1:]
signal.signal(signal.SIGTERM, print)
signal.signal(signal.SIGINT, print)
os.environ["OF_THE_PARENT"] = "1"
wanted, other = (open(Path(var) / name, "w") for name in ("wanted", "other"))
child = ForkedChild("child", [sys.executable, program, "first", str(wanted.fileno())],
                    {"OF_THE_CHILD": "1"}, Path(var), (wanted.fileno(),))
child.start()
for number in then:
    while b"ready" not in child.log.read_bytes():
        assert not child.ended()
    child.signal(signal.Signals(int(number)))
child.process.wait()
print(child.how_it_ended(), signal.getsignal(signal.SIGTERM) is print)
"""
TELLS = """
import json, os, signal, sys
print(json.dumps({
    "arguments": sys.argv[1:], "files": sorted(int(n) for n in os.listdir("/proc/self/fd")
                                             if os.path.exists(f"/proc/self/fd/{n}")),
    "environment": dict(os.environ), "stdin": sys.stdin.read(), "name": __name__,
    "leads": os.getsid(0) == os.getpid(),
    "term": signal.getsignal(signal.SIGTERM) is signal.SIG_DFL,
    "int": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    "blocked": len(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "title": open("/proc/self/cmdline").read().rstrip("\\0"),
}))
sys.exit(3)
"""


def forked(var: Path, program: str, *signals: int) -> tuple[str, str]:
    """What the parent says of the child's end, and the child's log."""
    written = var / "program.py"
    written.write_text(program)
    done = subprocess.run(
        [sys.executable, "-c", PARENT, str(var), str(written), *map(str, signals)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout.strip(), (var / "log" / "child.log").read_text()


def test_it_has_its_own_arguments_environment_session_and_signals_and_no_other_files(
    tmp_path: Path,
) -> None:
    ended, log = forked(tmp_path, TELLS)

    told = json.loads(log)
    first, wanted = told["arguments"]
    assert first == "first"
    assert told["files"] == [0, 1, 2, int(wanted)]
    assert told["environment"] == {"OF_THE_CHILD": "1"}
    assert told["stdin"] == ""
    assert told["name"] == "__main__"
    assert told["leads"]
    assert told["term"]
    assert told["int"]
    assert told["blocked"] == 0
    assert told["title"] == f"{sys.executable} {tmp_path / 'program.py'} first {wanted}"
    assert ended == "ended with 3 True", "and its parent keeps its handlers"


@pytest.mark.parametrize(
    ("number", "end"), [(15, "been killed by SIGTERM"), (9, "been killed by SIGKILL")])
def test_its_end_by_a_signal_is_known(tmp_path: Path, number: int, end: str) -> None:
    waits = "import time\nprint('ready', flush=True)\ntime.sleep(60)"

    assert forked(tmp_path, waits, number)[0] == f"{end} True"


def test_what_goes_wrong_in_it_stands_in_its_log(tmp_path: Path) -> None:
    ended, log = forked(tmp_path, "raise ValueError('the reason')")

    assert ended == "ended with 1 True"
    assert "ValueError: the reason" in log


def test_what_is_shared_starts_no_thread_opens_no_file_and_reads_no_setting(
    tmp_path: Path,
) -> None:
    loads = ("import os\nfrom pbem import forking\nforking.load_what_is_shared()\n"
             "print(len(os.listdir('/proc/self/task')), len(os.listdir('/proc/self/fd')))")

    done = subprocess.run(
        [sys.executable, "-c", loads], capture_output=True, text=True, timeout=60, check=True,
        env={"PYTHONPATH": str(ROOT), "CARREIRA_PORT": "no number"}, cwd=tmp_path,
    )  # fmt: skip

    assert done.stdout.split() == ["1", "4"], "one thread; 0, 1, 2 and the folder that is listed"
    assert list(tmp_path.iterdir()) == []
