"""Settings of a whole process: changed when asked for, and not by an import."""

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from server.config.process_settings import (
    SWITCH_SECONDS,
    limit_memory,
    nice_value,
    with_low_priority,
)

STATE = """
import gc, json, os, resource, signal, sys
def state():
    handlers = [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())]
    limits = [resource.getrlimit(kind) for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_DATA, resource.RLIMIT_AS)]
    mask = os.umask(0)
    os.umask(mask)
    return [gc.get_threshold(), gc.get_freeze_count() > 1000, gc.isenabled(), handlers, limits, mask, os.nice(0),
            sys.getswitchinterval(), sys.get_int_max_str_digits(), sys.getrecursionlimit(), str(sys.excepthook),
            os.getcwd(), dict(os.environ)]
before = state()
"""

MODULES = (
    "server.cli server.serve server.commands.run_contest server.commands.demo server.web.worker "
    "server.contest.runtime.adjudication "
    "server.contest.hosts.game_worker engine.cli bots.cli bots.alphabeta_bot"
)


def _run(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-P", "-c", program], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_importing_changes_no_process() -> None:
    imports = f"import importlib\nfor name in {MODULES!r}.split(): importlib.import_module(name)"
    before, after = _run(f"{STATE}\n{imports}\nprint(json.dumps(before))\nprint(json.dumps(state()))")
    assert json.loads(before) == json.loads(after)


def test_a_server_is_prepared_by_one_call() -> None:
    program = """
import gc, json, resource, sys
from server.config.process_settings import prepare_server
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
prepare_server()
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
print(json.dumps([gc.get_freeze_count() > 1000, soft == hard, sys.getswitchinterval()]))
"""
    assert json.loads(_run(program)[0]) == [True, True, pytest.approx(SWITCH_SECONDS)]


def test_memory_is_never_bounded_more_loosely(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: found.append(limits))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1000, 1000))
    limit_memory(2000)
    assert not found
    limit_memory(500)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    limit_memory(2000)
    assert found == [(500, 500), (2000, 2000)]


def test_a_server_that_ends_by_a_fault_of_native_code_says_where() -> None:
    program = "\n".join(
        (
            "import os, signal",
            "from server.config.process_settings import prepare_server",
            "prepare_server()",
            "os.kill(os.getpid(), signal.SIGSEGV)",
        )
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in done.stderr and "Current thread" in done.stderr


PRIORITY = """
import os
with open("/proc/self/autogroup") as file: print(os.nice(0), file.read().split()[-1])
"""
"""Prints the nice value of a process, and of the session that it leads."""

TRIES = 200
"""Users may set a few of these values in a second, and others may just have done so."""


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this system has no autogroups")
@pytest.mark.parametrize(
    "command",
    [
        with_low_priority(7, sys.executable, "-c", PRIORITY),
        (
            *(sys.executable, "-P", "-c"),
            f"from server.config.process_settings import lower_priority\nlower_priority(7)\n{PRIORITY}",
        ),
    ],
    ids=["by its command", "by itself"],
)
def test_a_session_has_the_priority_of_its_leader(command: Sequence[str]) -> None:
    """Linux shares cores between sessions first, so that nice values alone change nothing between these."""
    for _ in range(TRIES):
        done = subprocess.run(command, capture_output=True, text=True, start_new_session=True, check=True)
        values = done.stdout.split()
        assert values[0] == str(nice_value(7))
        if values[1] == values[0]:
            return
        time.sleep(0.05)
    pytest.fail("the session has kept its priority")
