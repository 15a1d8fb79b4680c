"""What moves cost where a tablebase has every value."""

import pytest

from engine.games.catalogue import start_of
from engine.games.interface import Position, play
from engine.record.exact_cost import CostSum, MoveCost, cost_of
from engine.search.searcher import key_of
from engine.solve.tablebase import making
from engine.solve.tablebase.tablebase import Tablebase, tablebase_of

START = start_of("gipf", "2 2 4 4")


@pytest.fixture
def tablebase(monkeypatch: pytest.MonkeyPatch) -> Tablebase:
    """The tablebase that belongs to the distribution."""
    monkeypatch.delenv(making.GIVEN)
    found = tablebase_of(START)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (MoveCost(1, 1, 0), "kept the win"),
        (MoveCost(1, 1, 1), "kept the win but wasted 1 ply"),
        (MoveCost(1, 1, 4), "kept the win but wasted 4 plies"),
        (MoveCost(1, 0, 0), "threw away the win"),
        (MoveCost(1, -1, 0), "lost a won game"),
        (MoveCost(0, 0, 0), "kept the draw"),
        (MoveCost(0, -1, 0), "threw away the draw"),
        (MoveCost(-1, -1, 0), "held out as long as possible"),
        (MoveCost(-1, -1, 2), "lost 2 plies sooner"),
    ],
)
def test_a_cost_has_its_words(cost: MoveCost, words: str) -> None:
    assert cost.words == words


def test_costs_add_up() -> None:
    costs = [MoveCost(1, 1, 4), MoveCost(1, 0, 0), MoveCost(0, 0, 0), MoveCost(0, -1, 0), MoveCost(-1, -1, 2)]
    total = CostSum.of(costs)
    assert total == CostSum(moves=5, kept=3, wasted=6, wins_lost=1, draws_lost=1)
    words = "kept the result in 3 of 5, plies wasted: 6, wins thrown away: 1, draws thrown away: 1"
    assert total.words == words
    assert CostSum.of(costs[:1]).words == "kept the result in 1 of 1, plies wasted: 4"


def test_moves_cost_what_the_values_before_and_after_say(tablebase: Tablebase) -> None:
    position, seen = START, set()
    for move in ("a3-b3 w: b3 c3", "d1-d2"):
        cost = cost_of(tablebase, position, move)
        before = tablebase.judgement(position.kernel(compile=False).state)
        position = play(position, move)
        after = tablebase.judgement(position.kernel(compile=False).state)
        assert cost is not None and before is not None and after is not None
        assert (cost.before, cost.after) == (before.result, -after.result)
        seen.add(cost.words)
    assert seen == {"kept the draw", "threw away the draw"}


def test_a_position_that_stands_there_for_the_third_time_is_a_draw(tablebase: Tablebase) -> None:
    won, move = _won()
    assert cost_of(tablebase, won, move) == MoveCost(1, 1, 0)
    keys = [key_of(play(won, move))] * 2
    repeated = cost_of(tablebase, won, move, keys)
    assert repeated is not None and repeated.after == 0


def _won() -> tuple[Position, str]:
    """Return a position and a move that wins it, after which the game goes on."""
    waiting, seen = [START], set()
    while True:
        position = waiting.pop(0)
        for _, after in position.successors():
            if after.key not in seen:
                seen.add(after.key)
                waiting.append(after)
        found = tablebase_of(position)
        assert found is not None
        known = found.results(position, 1)
        if known and (known[0].plies_to_end or 0) > 1:
            return position, known[0].pv[0]
