"""Answers of a shell go out together, but nobody waits for one: not for the next line, nor for the next answer."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.commands.program import Conversation
from engine.games.catalogue import start_of
from engine.shell import find
from tests.clocks import ticking

ROOT = Path(__file__).parents[3]

QUESTIONS = {
    "gipf": (f"LOAD_GAME_BOARD\n{start_of('gipf', '3 3 5 4').text()}SOLVE_GAME_STATE\n", 2),
    "mnk": ("SOLVE_GAME_STATE\n4 5 4 1\n" + "0 0 0 0 0\n" * 4, 1),
    "arrows": (f"InitGame 10\n{start_of('arrows', '4 4').text()}\nturn 255 0.05\n", 1),
}
"""Questions that need a search, and the number of their answers, by game."""


class Writes(io.RawIOBase):
    """Notes each write."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.written.append(bytes(data))
        return len(data)


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Conversation, int, list[bytes]]]:
    """A conversation with what writes to its stdin, and the writes to its stdout."""
    there, here = os.pipe()
    out = Writes()
    with open(there) as stdin, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(out)))
        conversation = Conversation()
        os.write(here, b"\xef\xbb\xbfone\ntwo \xff\r\nthree\n")
        yield conversation, here, out.written


def test_what_is_there_is_answered_together_before_more_is_waited_for(
    talk: tuple[Conversation, int, list[bytes]],
) -> None:
    conversation, here, written = talk
    lines = iter(conversation.lines)
    for number in range(3):
        conversation.write(f"{number} {next(lines).rstrip()}")
    assert written == []
    os.close(here)
    assert next(lines, None) is None
    assert written == [b"0 one\n1 two \xff\n2 three\n"]


def test_long_answers_are_not_kept(talk: tuple[Conversation, int, list[bytes]]) -> None:
    conversation, _, written = talk
    for _ in range(10):
        conversation.write("x" * 30_000)
    assert [len(data) for data in written] == 3 * [3 * 30_001]


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize(
    "game", ["gipf", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("mnk", "arrows"))]
)
def test_whoever_waits_for_an_answer_gets_it(game: str) -> None:
    question, answers = QUESTIONS[game]
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "engine", "shell", game], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        for _ in range(2):
            process.stdin.write(question)
            process.stdin.flush()
            for _ in range(answers):
                assert process.stdout.readline().rstrip()
        process.stdin.close()
        assert process.wait() == 0


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("game", QUESTIONS)
def test_what_was_answered_is_passed_on_before_a_search(game: str) -> None:
    events: list[str] = []

    def flush() -> None:
        events.append("flush")

    question, _ = QUESTIONS[game]
    lines = [f"{line}\n" for line in question.splitlines()]
    find(game)(lines, events.append, events.append, flush=flush, strict=False, clock=ticking()).run()
    assert events[-1] != "flush" and events[-2] == "flush"


def test_small_questions_are_answered_without_a_flush() -> None:
    answers: list[str] = []
    question = "GEN_ALL_POS_MOV\n2 2 2 1\n1 2\n0 0\nSOLVE_GAME_STATE\n2 2 2 1\n1 1\n2 0\n"
    find("mnk")(
        question.splitlines(keepends=True),
        answers.append,
        pytest.fail,
        flush=pytest.fail,
        strict=False,
        clock=ticking(),
    ).run()
    assert len(answers) == 2
