"""Configuration of all tests: their selection, and their environment."""

import gc
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.interpreting import nothing_compiled
from tests.time_limits import pytest_pyfunc_call, pytest_timeout_set_timer
from tests.waiting import BUILD_SECONDS, CAMPAIGN_SECONDS, TEST_SECONDS

__all__ = ["pytest_pyfunc_call", "pytest_timeout_set_timer"]

gc.disable()  # until the tests are collected: what is loaded by then stays
CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))
PAGES = "tests/web/"
# Hypothesis bounds the time of an input, which a busy machine may exceed.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# While you work, inputs are random and few; those that failed are kept in .hypothesis and tried first the next time.
settings.register_profile("working", UNTIMED, max_examples=10)
# make test tries the same inputs in each run, make campaign many new ones.
settings.register_profile("repeatable", UNTIMED, max_examples=30, derandomize=True, database=None)
settings.register_profile("nightly", UNTIMED, max_examples=1000, print_blob=True)
settings.load_profile("working")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell lets what it runs in the background ignore Ctrl-C, and what is started here would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)

# a log that no test captures shows an exception in plain text: rich lays out all variables, which takes long
structlog.get_config()["processors"][-1].exception_formatter = structlog.dev.plain_traceback
_configure_log = structlog.configure


def _configure_uncached(**options: Any) -> None:
    """Configure the log so that a later test can catch what is logged: a cached logger stays as it was for good."""
    _configure_log(**options | {"cache_logger_on_first_use": False})


setattr(structlog, "configure", _configure_uncached)  # noqa: B010  # mypy knows the parameters

# pytest-timeout reads this: a test that hangs fails with its stack, and the other tests go on
os.environ["PYTEST_TIMEOUT"] = str(TEST_SECONDS)

# nor does any test make tablebases beside it, or find those of the user
os.environ["ARENA_TABLEBASES"] = ""

# make, which runs the tests, tells a make that a test starts that it is the second one, and with which options
for name in ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS"):
    os.environ.pop(name, None)

# without its compiled modules each of the hundreds of processes that are started takes half as long again
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the test files in each worker first. Each file is then rewritten for pytest by one worker only."""
    worker = getattr(session.config, "workerinput", None)
    if worker and session.config.args == session.config.getini("testpaths"):
        for path in sorted(Path("tests").rglob("test_*.py"))[int(worker["workerid"][2:]) :: worker["workercount"]]:
            with suppress(Exception, pytest.skip.Exception):  # pytest imports the file again, and reports it
                import_module(".".join(path.with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests, and sort them: pages, then files that wait for minutes, then files with the most slow tests.

    Tests marked ``campaign`` run only if ARENA_CAMPAIGN is set. Shorter tests check the same.
    """
    left_out = [] if CAMPAIGN else [item for item in items if item.get_closest_marker("campaign")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("campaign")]
    for item in items:
        if CAMPAIGN:
            item.add_marker(pytest.mark.timeout(CAMPAIGN_SECONDS), append=False)
        elif item.get_closest_marker("slow") and not item.nodeid.startswith(PAGES):
            item.add_marker(pytest.mark.timeout(BUILD_SECONDS))
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    waiting = {item.path for item in items if any("waits" in mark.args for mark in item.iter_markers("slow"))}
    items.sort(key=lambda item: (not item.nodeid.startswith(PAGES), item.path not in waiting, -slow[item.path]))


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what stays to the end: it would look at all of that in each full pass."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all tests of pages to one worker, which starts their browser and server once; give out other tests by file."""
    from xdist.scheduler import LoadFileScheduling

    class PagesTogether(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return PAGES if nodeid.startswith(PAGES) else str(super()._split_scope(nodeid))

    return PagesTogether(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """End the tests when a process of theirs has died: xdist would wait for ever for what that had still to do."""
    if error:
        ending = f"the process {node.gateway.id} has died"
        node.config.pluginmanager.getplugin("dsession").shouldstop = ending


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if a test was skipped for a reason that the file ARENA_SKIPS does not list: a pattern a line."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if "ARENA_SKIPS" not in os.environ or reporter is None or hasattr(session.config, "workerinput"):
        return
    expected = Path(os.environ["ARENA_SKIPS"]).read_text(encoding="utf-8").splitlines()
    reasons = {report.longrepr[2].removeprefix("Skipped: ") for report in reporter.stats.get("skipped", ())}
    unexpected = [reason for reason in sorted(reasons) if not any(re.fullmatch(line, reason) for line in expected)]
    for reason in unexpected:
        reporter.write_line(f"skipped, and not expected in {os.environ['ARENA_SKIPS']}: {reason}", red=True)
    if unexpected:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def what_is_compiled() -> Iterator[None]:
    """Let no test compile; those of engine and games have a rule of their own, by a fixture of this name."""
    with nothing_compiled():
        yield


@pytest.fixture(autouse=True)
def what_a_broken_pipe_does() -> Iterator[None]:
    """Undo what a command line, run within a test, does about broken pipes: a later one would end all tests."""
    before = signal.getsignal(signal.SIGPIPE)
    yield
    if signal.getsignal(signal.SIGPIPE) is not before:
        signal.signal(signal.SIGPIPE, before)


@pytest.fixture(autouse=True)
def what_is_logged() -> Iterator[None]:
    """Undo the log's configuration by a command that ran within a test: a later test would not catch quieter events."""
    yield
    structlog.reset_defaults()
