"""No command waits for the compiler before its first answer: here it never finishes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import cli
from engine.commands import positions
from engine.compiling.binding import Binding, CompiledFunction
from engine.games import kernels
from engine.games.catalogue import GAMES
from engine.search import searcher
from engine.shell import arrows
from tests.bots.test_cli import run
from tests.clocks import ticking
from tests.engine.test_record import played

pytestmark = pytest.mark.slow
"""Rules may be compiled here, and it is an error where they are."""


class Endless:
    """Stands for a process that compiles and never ends."""

    def poll(self) -> None:
        """Say that it works."""

    def wait(self, timeout: float | None = None) -> int:
        raise AssertionError("somebody waits for the compiler")


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let nothing be compiled, start an endless compiler after few nodes, and list its arguments."""
    asked: list[list[str]] = []

    def start(arguments: list[str]) -> Endless:
        asked.append(arguments)
        return Endless()

    def compile(self: CompiledFunction, *arguments: object) -> None:
        raise AssertionError(f"{self.py_func.__qualname__} waits for the compiler")

    monkeypatch.setattr(positions, "START_LEAVES", 1000)
    monkeypatch.setattr(searcher, "START_NODES", 100)
    monkeypatch.setattr(kernels.CompileProcess, "start", start)
    monkeypatch.setattr(Binding, "is_complete", lambda self, purpose: False)
    monkeypatch.setattr(CompiledFunction, "__call__", compile)
    return asked


SMALL = ["--params", "3 3 9 9"]

COMMANDS = {
    "perft": (["perft", "gipf", *SMALL, "--depth", "3", "--unique"], "perft 1 18 ", ["perft"]),
    "divide": (["perft", "gipf", *SMALL, "--depth", "2", "--divide"], "perft 1 30 ", []),
    "analyse": (["analyse", "gipf", *SMALL, "--depth", "3"], "depth 1 ", ["search"]),
    "solve": (["solve", "gipf", "--params", "3 3 5 4"], "result first", []),
    "selfplay": (["selfplay", "FILE", *SMALL, "--nodes", "300", "--games", "1"], "1 game, ", ["search"]),
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
    record.write_text(played("3 3 9 9", stop_after=4, end="resign"))
    status, output, error = run(capsys, "review", str(record), "--nodes", "1000")
    assert (status, output.count("\n") > 4, error.count("compiling")) == (0, True, 1)
    assert asked


def test_the_shell_of_arrows_keeps_to_a_budget_of_five_seconds(asked: list[list[str]]) -> None:
    """The clock lets an interpreted search visit 1000 positions a second. Each turn sends the remaining time."""
    clock = ticking(0.001)
    answers: list[str] = []
    used: list[float] = []

    def lines() -> Iterator[str]:
        position = GAMES["arrows"].start("8 8")
        yield from ["InitGame 5\n", *position.text().splitlines(keepends=True), "\n"]
        last = "255"
        while position.outcome is None:
            began = clock()
            yield f"turn {last} {5 - sum(used):.3f}\n"
            used.append(clock() - began)
            position = position.play(answers[-1])
            if position.outcome is None:
                last = searcher.best_move(position, nodes=100)
                position = position.play(last)

    arrows.Commands(lines(), answers.append, pytest.fail, clock=clock).run()
    assert len(answers) > 5 and sum(used) < 5
    assert [words[1] for words in asked[:1]] == ["arrows"]
