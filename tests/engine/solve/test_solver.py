"""Forced wins, proofs, and both together: against known truth and a slow definition."""

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Position
from engine.solve.forced_wins import ForcedWin, ForcedWinSearch
from engine.solve.solver import Result, Solution, SolverLimits, solve
from tests.clocks import ticking
from tests.engine.forced_wins import forced_win
from tests.engine.kernels_after import KernelsAfter
from tests.engine.search import toy

MEMORY = 1 << 28

ATLAS = Path(__file__).with_name("atlas.tsv")


def start(parameters: str) -> Position:
    return GAMES["gipf"].start(parameters)


def test_variants_end_as_the_atlas_says() -> None:
    lines = ATLAS.read_text(encoding="utf-8").splitlines()[1:]
    entries = {parameters: (result, plies) for parameters, result, plies, _ in (line.split("\t") for line in lines)}
    assert len(entries) == len(lines) == 577
    short = [parameters for parameters, (_, plies) in entries.items() if plies in {"1", "2", "3", "4"}]
    for parameters in Random(31).sample(short, 12):
        solution = solve(start(parameters))
        assert (solution.result, str(solution.plies)) == entries[parameters]
        assert solution.plies is not None and solution.within == solution.plies == solution.refuted + 1


@pytest.mark.slow
def test_what_a_trial_does_not_solve_is_solved_by_compiled_rules() -> None:
    told: list[str] = []
    position = start("4 4 5 5")
    kernels = KernelsAfter(position, 2, compile_from=16, load_from=16, compiling=lambda: told.append("compiling"))
    solution = solve(position, kernels=kernels)
    assert (solution.result, solution.plies, told) == (Result.SECOND, 4, ["compiling"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "parameters"),
    [("gipf", "4 4 4 5"), ("gipf", "4 4 7 7"), pytest.param("arrows", "5 5", marks=pytest.mark.thorough)],
)
def test_with_a_limit_of_nodes_the_same_is_found_whenever_compiled_code_comes(game: str, parameters: str) -> None:
    position = GAMES[game].start(parameters)
    never, at_once, later = (
        solve(position, SolverLimits(memory=1 << 24, nodes=400), kernels=KernelsAfter(position, looks))
        for looks in (float("inf"), 0, 3)
    )
    assert never == at_once == later


@pytest.fixture
def detour(monkeypatch: pytest.MonkeyPatch) -> Position:
    """Return a position with a win in 101 plies by one move, and endlessly many useless positions behind the other.

    A proof finds the win before deepening comes so far.
    """
    found = {"value": 1, "within": 101, "is_exact": False, "nodes": 0, "positions": 0}
    proof = SimpleNamespace(used=0, search=lambda *_: None, cannot_win=lambda _: False, **found)
    monkeypatch.setattr("engine.solve.solver.backends", lambda *_, **__: [proof])
    win = [[node + 1] for node in range(1, 101)]  # nodes 1 to 100, the winning line, which ends in 101
    waste = [[node + 1] for node in range(102, 1000)]
    kernel = toy.kernel([[1, 102], *win, [], *waste, [102]])
    return cast(Position, SimpleNamespace(kernel=lambda compile=True: kernel, turn=1))


def test_the_length_of_a_win_is_told_only_when_it_is_exact(detour: Position) -> None:
    solution = solve(detour)
    assert (solution.result, solution.plies, solution.within) == (Result.SECOND, None, 101)


def test_the_search_goes_on_to_the_exact_length_where_plies_are_limited(detour: Position) -> None:
    solution = solve(detour, SolverLimits(plies=200))
    assert (solution.result, solution.plies) == (Result.SECOND, 101)
    assert solve(detour, SolverLimits(plies=40)).refuted == 40


def test_a_position_with_very_many_moves_gets_larger_arenas() -> None:
    # 0 moves to all of 1..6000; these move to a lost node, all but the last, which is lost itself
    moves = [list(range(1, 6001)), *([[6001]] * 5999), [], []]
    kernel = toy.kernel(moves)
    assert forced_win(kernel, 5) == ForcedWin(True, 1)


def test_too_many_moves_are_refused_and_do_not_end_in_a_crash() -> None:
    kernel = toy.kernel([list(range(1, 70_000)), *([[]] * 70_000)])
    with pytest.raises(OverflowError):
        forced_win(kernel, 3)


@pytest.mark.parametrize(
    ("verdict", "found", "drawn"),
    [(WON, ForcedWin(True, 0), False), (LOST, ForcedWin(False, 0), False), (DRAWN, None, True)],
)
def test_a_finished_game_is_a_win_in_no_plies(verdict: int, found: ForcedWin | None, drawn: bool) -> None:
    kernel = toy.kernel([[0]], root_verdict=verdict)
    search = ForcedWinSearch(kernel, memory=MEMORY)
    search.run(100)
    assert (search.found, search.drawn, search.nodes) == (found, drawn, 0)


def test_an_endless_game_is_refuted_to_the_depth_that_is_asked_for() -> None:
    search = ForcedWinSearch(toy.kernel([[1], [0]]), memory=MEMORY)
    search.run(1000, 9)
    assert (search.found, search.drawn, search.refuted) == (None, False, 9)
    assert toy.kernel([[1], [0]]).rules.verdict(toy.Node(0)) == UNDECIDED


@pytest.mark.slow("interpreted")
def test_a_deadline_ends_the_search_without_an_answer() -> None:
    solution = solve(start("3 3 9 9"), SolverLimits(deadline=3.0), clock=ticking(1.0))
    assert (solution.result, solution.plies) == (Result.UNKNOWN, None)
    assert solution.nodes <= 2048


@pytest.mark.slow("interpreted")
def test_a_limit_of_nodes_ends_the_search_without_an_answer() -> None:
    told: list[Solution] = []
    solution = solve(start("3 3 9 9"), SolverLimits(nodes=300), progress=told.append)
    assert solution.result == Result.UNKNOWN
    assert 250 < solution.nodes <= 400  # a quarter of them in the proof-number search
    assert solution in told


@pytest.mark.slow("interpreted")
def test_a_limit_of_plies_ends_the_search_where_there_is_no_shorter_win() -> None:
    solution = solve(start("4 4 5 5"), SolverLimits(plies=3))
    assert (solution.result, solution.plies, solution.refuted) == (Result.UNKNOWN, None, 3)
    assert solve(start("4 4 5 5"), SolverLimits(plies=4)).plies == 4
