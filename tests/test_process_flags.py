"""What holds for a whole process is changed by command lines and by the ``main`` of a process, and by nobody else."""

import pytest

from tests.layout import PACKAGES, ROOT
from tests.process_flags import changes, found

ALLOWED = {
    "bots/commands/options.py": "what a command line does when it is terminated",
    "bots/commands/online.py": "a command line",
    "bots/workbench/replay/python_file.py": "runs the file of a bot as if that had been started, and restores what was",
    "engine/cli.py": "a command line",
    "server/config/process_settings.py": "what the server's command line and worker processes call, in one place",
    "server/ops/logs.py": "the log, which command lines configure",
    "engine/commands/program/interrupt.py": "what Ctrl-C does while a command line is loaded and ends",
    "engine/commands/duel/engine_process.py": "a process that runs older engines, and so imports nothing else",
    "engine/compiling/compile_process.py": "blocks the signal of a broken pipe for one write, and restores what was",
    "engine/commands/precompile.py": "a process that compiles beside another one, at the lowest priority",
    "engine/compiling/binding.py": "names a folder of compiled code for one call of numba, and restores what was",
    "bots/client/failures.py": "what a bot written by others shows last; a hook of its own stays",
}
"""Modules that change their process, and why they may."""

EXAMPLES = """
import gc, os, signal as s, numba
from resource import setrlimit
from os import environ
import sys
def function():
    gc.freeze()
    s.signal(1, 2)
    setrlimit(1, 2)
    environ["X"] = "y"
    os.environ.update(X="y")
    del os.environ["X"]
    numba.config.CACHE_DIR, other = 1, 2
    sys.path.insert(0, "")
    sys.path[:0] = [""]
    sys.excepthook = None
os.umask(0)
"""

INNOCENT = """
import gc, os, signal, sys
import resource
def function(sys_path, config):
    gc.get_objects()
    signal.getsignal(1)
    resource.getrlimit(1)
    value = os.environ.get("X") or os.environ["X"] or {**os.environ}
    config.CACHE_DIR = sys.path[0]
    sys_path[0] = 1
"""


def test_every_way_to_change_a_process_is_found() -> None:
    kinds = ["gc.freeze", "signal.signal", "resource.setrlimit", *["os.environ"] * 3, "numba.config"]
    kinds += ["sys.path", "sys.path", "sys.excepthook", "os.umask"]
    seen = list(changes(EXAMPLES))
    assert [flag for _, flag, _ in seen] == kinds and [line for line, _, _ in seen] == list(range(7, 18))
    assert {function for _, _, function in seen[:-1]} == {"function"} and seen[-1][2] == ""
    assert not list(changes(INNOCENT))


@pytest.fixture(scope="module")
def places() -> list[tuple[str, int, str, str]]:
    return list(found(ROOT, PACKAGES))


@pytest.mark.slow
def test_processes_are_changed_where_that_is_allowed(places: list[tuple[str, int, str, str]]) -> None:
    strays = [f"{module}:{line}: {flag}" for module, line, flag, _ in places if module not in ALLOWED]
    assert not strays, "a command line, or server/config/process_settings.py, is the place for this"
    assert {module for module, *_ in places} == set(ALLOWED), "a module that changes nothing needs no permission"


@pytest.mark.slow
def test_no_import_changes_a_process(places: list[tuple[str, int, str, str]]) -> None:
    assert not [f"{module}:{line}: {flag}" for module, line, flag, function in places if not function]
