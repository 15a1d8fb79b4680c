"""Compiling all modules once, before several processes load them: each of them would do so for itself."""

import compileall
import os
from collections.abc import Iterable
from importlib.util import cache_from_source
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

import pytest
from _pytest.assertion import rewrite
from hypothesis.internal.constants_ast import constants_from_module

ROOT = Path(__file__).parent.parent

FOLDERS = ("engine", "server", "bots", "tests")


def prepare(config: pytest.Config) -> None:
    """Compile the modules that were never compiled, on all cores."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if not compiled(path).exists()]
    paths.sort(key=lambda path: path.stat().st_size)
    processes = len(os.sched_getaffinity(0))
    parts = [part for start in range(processes) if (part := paths[start::processes])]
    started = [get_context("fork").Process(target=_prepare, args=(config, part)) for part in parts]
    for process in started:
        process.start()
    for process in started:
        process.join()


def compiled(path: Path) -> Path:
    """Return where a module is looked for that has been compiled: pytest rewrites the assertions of tests."""
    if _is_rewritten(path):
        return rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
    return Path(cache_from_source(str(path)))


def _is_rewritten(path: Path) -> bool:
    return path.name.startswith("test_") or path.name == "conftest.py"


def _prepare(config: pytest.Config, paths: Iterable[Path]) -> None:
    for path in paths:
        module = ModuleType(path.stem)
        module.__file__ = str(path)
        constants_from_module(module)  # which hypothesis tries, and keeps in a file
        if not _is_rewritten(path):
            compileall.compile_file(path, quiet=2)
        elif rewrite.try_makedirs(compiled(path).parent):
            source, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, compiled(path))
