"""First answers: whole processes, on a machine where nothing was compiled yet, and where all was."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import NamedTuple

from engine.games.catalogue import start_of

RUNS = 5
"""Runs of each measurement; the row shows their median."""

SMALL = ("2 2 4 4", "2 2 5 5", "2 2 6 4", "2 2 7 7", "2 3 4 4", "2 3 6 6", "3 3 4 4", "3 3 5 4", "3 3 4 5", "3 4 4 4")


class Measured(NamedTuple):
    """A command of ``python -m``, and the seconds that it may take without compiled code and with it."""

    title: str
    arguments: Sequence[str]
    cold: str
    warm: str
    compiled: Sequence[str] = ()
    """Arguments of ``arena-engine precompile``; empty for a command without compiled code."""
    text: str = ""
    """Text on standard input."""
    first_line: bool = False
    """Whether the first line of its answer is waited for, and not the whole."""


def run() -> None:
    """Print a table."""
    gipf = "".join(
        f"LOAD_GAME_BOARD\n{start_of('gipf', each).text()}SOLVE_GAME_STATE\n" for each in (*SMALL, "4 4 4 4")
    )
    analyse, usual = ("engine", "analyse", "gipf"), ("gipf", "4 4 15 15", "--purpose", "search")
    large = ("gipf", "5 4 20 20", "--purpose", "search")
    mnk = _mnk_boards((4, 4, 3), 30_500)
    table = (
        Measured(
            "shell mnk, 30500 boards of 4,4,3", ("engine", "shell", "mnk"), "", "0.6",
            ("mnk", "4 4 3", "--purpose", "solve"), "".join(mnk),
        ),
        Measured(
            "the same, its first answer", ("engine", "shell", "mnk"), "1.0", "",
            ("mnk", "4 4 3", "--purpose", "solve"), mnk[0], first_line=True,
        ),
        Measured(
            "shell gipf, 11 small boards", ("engine", "shell", "gipf"), "1.2", "",
            ("gipf", "2 2 4 4", "--purpose", "solve"), gipf,
        ),
        Measured("analyse gipf 4 4 15 15, first depth", analyse, "1.0", "", usual, first_line=True),
        Measured(
            "analyse gipf 5 4 20 20, first depth", (*analyse, "--params", "5 4 20 20"), "1.0", "", large,
            first_line=True,
        ),
    )  # fmt: skip
    print(f"starting: seconds of whole processes, medians of {RUNS}; cold: nothing was compiled before")
    print(f"{'':36} {'cold':>6} {'bar':>6} {'warm':>6} {'bar':>6}", flush=True)
    for measured in table:
        cold = median(_in_new_cache(measured) for _ in range(RUNS))
        with tempfile.TemporaryDirectory() as cache:
            _command(cache, "engine", "precompile", *measured.compiled).communicate()
            warm = median(_seconds(measured, cache) for _ in range(RUNS))
        _row(measured.title, f"{cold:.2f}", measured.cold, f"{warm:.2f}", measured.warm)
    _row("arena-bot random, to its first move", f"{median(_first_move() for _ in range(RUNS)):.2f}", "0.2", "", "")


def _mnk_boards(parameters: tuple[int, int, int], count: int) -> list[str]:
    """Return so many commands to solve random boards of N, M and K."""
    chance = Random(1)
    rows, columns, _ = parameters
    commands = []
    for _ in range(count):
        fields = ["0"] * (rows * columns)
        player = 1
        for field in chance.sample(range(len(fields)), chance.randrange(len(fields))):
            fields[field] = str(player)
            player = 3 - player
        lines = [" ".join(fields[row * columns : (row + 1) * columns]) for row in range(rows)]
        commands.append("\n".join(["SOLVE_GAME_STATE", f"{' '.join(map(str, parameters))} {player}", *lines, ""]))
    return commands


def _row(title: str, cold: str, cold_bar: str, warm: str, warm_bar: str) -> None:
    print(f"{title:36} {cold:>6} {cold_bar:>6} {warm:>6} {warm_bar:>6}", flush=True)


def _in_new_cache(measured: Measured) -> float:
    """Measure with nothing compiled, and end the process that compiles beside it, which takes a minute."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        seconds = _seconds(measured, cache)
        for process in (one for one in Path("/proc").glob("[0-9]*") if _works_in(one, cache)):
            os.kill(int(process.name), signal.SIGKILL)
        return seconds


def _seconds(measured: Measured, cache: str) -> float:
    began = perf_counter()
    with _command(cache, *measured.arguments) as process:
        assert process.stdin is not None and process.stdout is not None
        if measured.first_line:
            process.stdin.write(measured.text)
            process.stdin.flush()
            process.stdout.readline()
            seconds = perf_counter() - began
            process.kill()
            return seconds
        process.communicate(measured.text)
        return perf_counter() - began


def _command(cache: str, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", *arguments], env=environment, cwd=cache,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip


def _works_in(process: Path, place: str) -> bool:
    """Tell whether a process of ``/proc`` works in a folder, as what a command starts does."""
    try:
        return (process / "cwd").readlink() == Path(place)
    except OSError:
        return False


def _first_move() -> float:
    """Measure how long a bot takes from its start to its first move, on a server that answers at once."""
    board = start_of("gipf", "4 4 15 15").text().splitlines()
    shown = [f"BOARD {len(board)}", *(f"| {line}" for line in board)]
    answers = {
        "LOGIN": ["WELCOME random"],
        "PING": ["PONG settled"],
        "SEEK": ["SEEKING any", "MATCH 1 gipf 4,4,15,15 white bob 60000 0 1000 secret", *shown],
        "READY": ["START 60000 60000", "TURN 60000 60000"],
    }
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.TemporaryDirectory() as cache:
        began = perf_counter()
        port = str(listener.getsockname()[1])
        with _command(cache, "bots", "random", "--host", "127.0.0.1", "--port", port) as process:
            connection, _ = listener.accept()
            with connection, connection.makefile("rw", newline="\n") as lines:
                said = ""
                while not said.startswith("MOVE "):
                    told = answers[said.split()[0]] if said else ["ARENA 1 gipf-arena/0.1.0 open"]
                    lines.write("".join(f"{line}\n" for line in told))
                    lines.flush()
                    said = lines.readline()
                    assert said, "the bot has left before its first move"
            seconds = perf_counter() - began
            process.kill()
        return seconds
