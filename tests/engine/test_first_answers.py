"""No command waits for the compiler before its first answer: here it never finishes."""

from pathlib import Path

import pytest

from engine import cli
from engine.compiling import compile_process
from engine.compiling.binding import Binding, CompiledFunction
from tests.bots.test_cli import run
from tests.engine.test_record import played

pytestmark = pytest.mark.slow
"""Rules may be compiled here, and it is an error where they are."""


class Endless:
    """Stands for a process that compiles and never ends."""

    def has_ended(self) -> bool:
        return False

    def wait(self, seconds: float | None = None) -> bool:
        raise AssertionError("somebody waits for the compiler")


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Have nothing compiled and an endless compiler, and list what it was asked for."""
    asked: list[list[str]] = []

    def start(arguments: list[str]) -> Endless:
        asked.append(arguments)
        return Endless()

    def compile(self: CompiledFunction, *arguments: object) -> None:
        raise AssertionError(f"{self.py_func.__qualname__} waits for the compiler")

    monkeypatch.setattr(compile_process.CompileProcess, "start", start)
    monkeypatch.setattr(Binding, "is_kept", lambda self, purpose: False)
    monkeypatch.setattr(Binding, "native", lambda self, copy: None)
    monkeypatch.setattr(CompiledFunction, "_dispatch", compile)
    return asked


SMALL = ["--params", "3 3 9 9"]

COMMANDS = {
    "perft": (["perft", "gipf", *SMALL, "--depth", "4", "--unique"], "perft 1 18 ", ["perft"]),
    "divide": (["perft", "gipf", *SMALL, "--depth", "2", "--divide"], "perft 1 30 ", []),
    "analyse": (["analyse", "gipf", *SMALL, "--depth", "5"], "depth 1 ", ["search"]),
    "solve": (["solve", "gipf", "--params", "3 3 5 4"], "result first", []),
    "selfplay": (["selfplay", "FILE", *SMALL, "--nodes", "300", "--games", "1"], "1 game, ", ["search"]),
    "book make": (["book", "make", "FILE", *SMALL, "--nodes", "20000", "--positions", "2"], "", ["search"]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_answers_while_the_compiler_works(
    name: str, asked: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, beginning, purposes = COMMANDS[name]
    assert cli.run([str(tmp_path / "file") if word == "FILE" else word for word in arguments]) == 0
    told = capsys.readouterr()
    assert told.out.startswith(beginning) and told.out
    assert [words[words.index("--purpose") + 1] for words in asked[:1]] == purposes
    if name not in ("analyse",):
        assert told.err.count("compiling") == len(purposes)


def test_a_review_does(asked: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "a.record"
    record.write_text(played("3 3 9 9", stop_after=6, end="resign"))
    status, output, error = run(capsys, "review", str(record), "--nodes", "1500")
    assert (status, output.count("\n") > 6, error.count("compiling")) == (0, True, 1)
    assert asked
