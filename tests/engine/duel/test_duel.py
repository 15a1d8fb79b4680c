"""The command: processes that play, a file to go on with, and what is refused. All but one run interpreted."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path

import msgspec
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine import cli
from engine.commands.duel import FILE, pairs
from engine.commands.game_file import differences, line_of, opened_to_append
from engine.commands.program import Rejected
from engine.duel.games import Contender, DuelGame, DuelResult, DuelSettings, Pair, SearchUsage
from engine.statistics.elo import Tally
from tests.waiting import BUILD_SECONDS

ANY_OPENING = ("--balance", "1000000")
"""The first openings that are found: to judge 32 of them interpreted takes longer than eight games."""

SMALL = ("--game", "mnk", "--params", "4 4 4", "--seed", "5", *ANY_OPENING)
"""A game of which an interpreted search plays several in a second."""


def start(*arguments: str, interpreted: bool = True) -> "subprocess.Popen[str]":
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if interpreted else "0"}
    jobs = () if "--jobs" in arguments else ("--jobs", "1")
    command = [sys.executable, "-P", "-m", "engine", "duel", *arguments, *jobs]
    return subprocess.Popen(
        command, env=environment, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def duel(*arguments: str, status: int = 0, interpreted: bool = True) -> tuple[list[str], list[str]]:
    """Run a duel to its end, one game at a time unless told otherwise; return the lines on stdout and on stderr."""
    with start(*arguments, interpreted=interpreted) as process:
        output, errors = process.communicate(timeout=BUILD_SECONDS)
    assert process.returncode == status, errors
    return output.splitlines(), errors.splitlines()


def pairs_in(file: Path) -> list[Pair]:
    return [msgspec.json.decode(line, type=Pair) for line in file.read_bytes().splitlines()[1:]]


def played(file: Path) -> dict[int, list[tuple[object, ...]]]:
    """Return all of a file's games, without the times that they took."""
    return {
        pair.number: [(game.first, game.winner, game.reason, game.moves) for game in pair.games]
        for pair in pairs_in(file)
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A duel that was not disturbed: its file and its last lines."""
    file = tmp_path_factory.mktemp("duel") / "whole.jsonl"
    lines, _ = duel("depth=3", "depth=1", *SMALL, "--games", "4", "--all-games", "--jobs", "2", "--results", str(file))
    return file, lines[-3:]


@pytest.mark.slow("interpreted")
def test_a_is_the_side_that_is_named_first(whole: tuple[Path, list[str]]) -> None:
    """The side that searches deeper uses more nodes."""
    nodes = [int(line.split(" nodes ")[0].split()[-1]) for line in whole[1][:2]]
    assert nodes[0] > 5 * nodes[1] and whole[1][2].startswith("result A +0 =4 -0 ")


@pytest.mark.slow("interpreted")
def test_a_duel_that_was_killed_goes_on(whole: tuple[Path, list[str]], tmp_path: Path) -> None:
    """One game at a time gives the same as two at a time, too."""
    file = tmp_path / "killed.jsonl"
    arguments = ("depth=3", "depth=1", *SMALL, "--games", "4", "--all-games", "--results", str(file))
    killed = False
    while True:
        before = len(file.read_bytes().splitlines()) if file.exists() else 0
        with start(*arguments) as process:
            while process.poll() is None and not killed:
                if file.exists() and len(file.read_bytes().splitlines()) >= before + 2:
                    process.send_signal(signal.SIGKILL)
                    break
                time.sleep(0.01)
            # which waits for all that hold the pipes: the processes that played have ended too
            output, errors = process.communicate(timeout=BUILD_SECONDS)
        if process.returncode == 0 and killed:
            break
        if process.returncode == 0:  # on a busy machine it may end before the signal: once more
            file.unlink()
            continue
        assert process.returncode == -signal.SIGKILL, errors
        killed = True
        file.write_bytes(file.read_bytes() + b'{"number":')  # as if a line had been cut off
    assert "going on after " in errors
    assert played(file) == played(whole[0])
    assert output.splitlines()[-1] == whole[1][-1]


@pytest.mark.slow("interpreted")
def test_the_test_ends_the_duel() -> None:
    lines, _ = duel("depth=3", "depth=1", *SMALL, "--elo0", "-100", "--elo1", "400", "--alpha", "0.4", "--beta", "0.4")
    assert lines[-1].endswith(("sprt H0", "sprt H1"))


@pytest.mark.slow("interpreted")
def test_a_process_that_ends_by_itself_ends_the_duel() -> None:
    sides = Contender("depth=1", {}), Contender("depth=1", {})
    setting = DuelSettings("", "mnk", "3 3 3", *sides, 1, 1, None, 1000, 0.0, 10.0, 0.05, 0.05)

    def tasks() -> Iterator[tuple[int, tuple[str]]]:
        yield 0, ("a1",)
        for process in active_children():
            process.kill()
        yield 1, ("a2",)

    with raises(snapshot("Rejected: a process that plays games has ended")):
        list(pairs(setting, tasks(), 1))
    assert not active_children()


@pytest.mark.parametrize("text", ["", "[1]", '{"pair": 1.5}', '{"pair": "1"}'])
def test_a_file_without_weights_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    weights = tmp_path / "weights.json"
    weights.write_text(text, encoding="utf-8")
    assert cli.run(["duel", "nodes=5", f"nodes=5,weights={weights}"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"arena-engine: B: {weights}: neither weights")
    assert error.count("\n") == 1


RESULTS_SETTING = DuelSettings(
    engine="aaaa",
    game="gipf",
    parameters="4 4 15 15",
    a=Contender("nodes=2000", {}),
    b=Contender("nodes=1000,weights=w.json", {"pair": 3}),
    seed=1,
    opening_plies=8,
    balance=None,
    move_limit=1000,
    elo0=0.0,
    elo1=50.0,
    alpha=0.05,
    beta=0.05,
)


def game(winner: int | None, *, reason: str = "no_reserve", begins: int = 0) -> DuelGame:
    return DuelGame(begins, winner, reason, ("a1-b2", "b1-b2"), (SearchUsage(1, 2.5, 100), SearchUsage(1, 1.5, 50)))


def pair(number: int, *winners: int | None) -> Pair:
    first, second = winners
    return Pair(number, (game(first), game(second, begins=1)))


PAIRS = [pair(0, 0, 0), pair(1, None, 0), pair(2, 1, None)]


def content(*pairs: Pair, setting: DuelSettings = RESULTS_SETTING) -> bytes:
    return line_of(setting) + b"".join(line_of(each) for each in pairs)


def test_a_line_that_was_not_written_to_the_end_is_left_out() -> None:
    whole = content(*PAIRS)
    assert FILE.read(whole, "") == (RESULTS_SETTING, PAIRS)
    for end in range(len(content(*PAIRS[:2])), len(whole)):
        assert FILE.read(whole[:end], "") == (RESULTS_SETTING, PAIRS[:2])


def test_a_line_that_was_not_written_to_the_end_is_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games"
    file.write_bytes(content(*PAIRS)[:-1])
    with opened_to_append(file, "games", FILE) as games:
        assert games.resume(RESULTS_SETTING) == PAIRS[:2]
    assert file.read_bytes() == content(*PAIRS[:2])
    assert capsys.readouterr().err == snapshot("games: its last line is incomplete; that pair is played again\n")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"parameters": "3 3 9 9"}, "parameters"),
        ({"a": Contender("nodes=3000", {})}, "a"),
        ({"engine": "cccc"}, "engine"),
        ({"b": Contender("nodes=1000,weights=w.json", {"pair": 4})}, "b"),
        ({"balance": 100}, "balance"),
        ({"elo0": -5.0, "opening_plies": 6}, "opening plies, elo0"),
    ],
)
def test_another_duel_is_refused(change: dict[str, object], sentence: str) -> None:
    assert differences(msgspec.structs.replace(RESULTS_SETTING, **change), RESULTS_SETTING) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"half a line", "games: line 1: this is no setting of a duel"),
        (b"# a text\nof lines\n", "games: line 1: this is no setting of a duel"),
        (content() + b"{}\n", "games: line 2: this is no pair of a duel"),
        (content(PAIRS[0]) + b"\xff\n", "games: line 3: this is no pair of a duel"),
    ],
)
def test_what_is_no_file_of_results_is_refused(text: bytes, sentence: str) -> None:
    with pytest.raises(Rejected, match=sentence):
        FILE.read(text, "games")


def standing(*pairs: Pair) -> DuelResult:
    found = DuelResult(Tally(RESULTS_SETTING.test), {})
    for each in pairs:
        found.add(each, stop=True)
    return found


def test_the_last_line_is_the_result_of_the_pairs_that_count() -> None:
    assert list(standing(*PAIRS[::-1], pair(4, 1, 1)).summary()) == snapshot(
        [
            "pairs with 0 to 2 points for A, by halves: 0 1 0 1 1",
            "games ended by no_reserve 6",
            "A used 2.50 ms and 100 nodes a move",
            "B used 1.50 ms and 50 nodes a move",
            "result A +3 =2 -1  elo 120.2 +- 668.0  los 77.4%  sprt open",
        ]
    )
