"""Command lines that are run in the process of the tests."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Said(NamedTuple):
    """How a command has ended."""

    status: int
    out: list[str]
    err: list[str]


Run = Callable[..., Said]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Return a function that runs ``arena-server``, or the program of another room, in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    for module in ("server.cli", "server.commands.contest"):  # loggers would keep the output of this test
        monkeypatch.setattr(f"{module}.configure", lambda **_: None)

    def run(*words: str, room: str = "server") -> Said:
        main: Any = import_module(f"{room}.cli").main
        monkeypatch.setattr(sys, "argv", [f"arena-{room}", *words])
        status = 0
        try:
            main(list(words)) if room == "bots" else main()
        except SystemExit as ended:
            status = int(ended.code or 0)
        said = capsys.readouterr()
        return Said(status, said.out.splitlines(), said.err.splitlines())

    return run
