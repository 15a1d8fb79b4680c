"""What a thought says of a search that was cut off: what was searched to its end, and nothing else."""

import json
from dataclasses import replace

import pytest

from engine import cli
from engine.compiling.binding import zeros
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import moves
from engine.search import memory as layout
from engine.search.alphabeta import bind
from engine.search.capabilities import INFINITY
from engine.search.game_engine import GameEngine
from engine.search.iterative_deepening import memory_for
from engine.search.memory import BUCKET_WORDS
from engine.search.searcher import Searcher, SearchLimits, SearchResult, Stop
from tests.clocks import never
from tests.engine.search import toy

SMALL, LARGE = "3 3 6 6", "5 4 18 18"
"""A variant that is compiled here, and one that is not."""


def think(limits: SearchLimits, stop: Stop | None = None, *, compile: bool) -> SearchResult:
    position = GAMES["gipf"].start(SMALL)
    return Searcher(position.kernel(compile=compile), megabytes=1).think(position, (), limits, clock=never, stop=stop)


@pytest.mark.parametrize("compile", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_search_cut_off_before_its_first_ply_is_through_says_nothing_of_the_position(compile: bool) -> None:
    stopped = Stop()
    stopped.set()
    for thought in (think(SearchLimits(), stopped, compile=compile), think(SearchLimits(nodes=1), compile=compile)):
        assert (thought.score, thought.depth, thought.plies_to_end) == (None, 0, None)
        assert thought.nodes == 1
        assert thought.move in moves(thought.position)


@pytest.mark.parametrize("compile", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_score_is_that_of_the_last_depth_that_was_searched_to_its_end(compile: bool) -> None:
    whole = [think(SearchLimits(depth=depth), compile=compile) for depth in (1, 2, 3)]
    for cut in range(1, whole[-1].nodes, 31):
        thought = think(SearchLimits(nodes=cut), compile=compile)
        finished = [full for full in whole if full.nodes <= cut]
        assert thought.depth >= len(finished) - 1
        expected = whole[thought.depth - 1].score if thought.depth else None
        assert thought.score == expected, f"cut off after {cut} nodes, at depth {thought.depth}"


def test_a_limit_of_depth_alone_cuts_nothing_off() -> None:
    for parameters in (SMALL, LARGE):
        position = GAMES["gipf"].start(parameters)
        thought = Searcher(position.kernel(compile=False), megabytes=1).think(
            position, (), SearchLimits(depth=1), clock=never
        )
        assert thought.depth == 1 and thought.score is not None


def test_analyse_says_that_nothing_was_searched(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["analyse", "gipf", "--params", LARGE, "--time", "1e-9"]
    assert cli.run(command) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("depth 0 score none nodes 1 ") and line.endswith(" pv none")
    assert cli.run([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["depth"], told["score"], told["plies_to_end"], told["nodes"], told["pv"]) == (0, None, None, 1, [])


def test_advice_that_was_stopped_at_once_has_a_move_and_no_score() -> None:
    stop = Stop()
    stop.set()
    history = History.begin(GAMES["gipf"].start(LARGE))
    advice = GameEngine(megabytes=1).think(history, 1000.0, clock=never, stop=stop)
    assert (advice.score, advice.depth) == (None, 0)
    assert history.after(advice.move).plies == 1


def test_a_root_may_have_more_children_than_are_wanted_free() -> None:
    """The last of 5000 is the best: to see it, all have to be looked at, for which of them are barred."""
    count = layout.ROOM + 1000
    kernel = toy.kernel([list(range(1, count + 1)), *([count + 1] for _ in range(count)), []])
    rules = replace(kernel.rules, evaluate=lambda node: -node.number, hash_of=lambda node: node.number)
    kernel = kernel._replace(rules=rules)
    memory = memory_for(kernel, zeros("q", BUCKET_WORDS))._replace(path=[0] * 64, stop=[0])
    memory.cells[layout.BUDGET] = 1 << 40
    assert bind(kernel).search(toy.Node(0), 1, -INFINITY, INFINITY, 0, 0, memory) == count
    assert memory.variation[1] == count - 1
    assert len(memory.barred) == layout.PLACES
