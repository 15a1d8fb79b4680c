"""A review says of each move what is proven, what was searched, and nothing else."""

from collections.abc import Callable, Hashable
from pathlib import Path
from random import Random

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.match import review as review_module
from engine.match.review import Evaluator, Mark, MoveValue, ReviewedMove, review
from engine.match.verification import verify
from engine.solve import tablebase
from engine.solve.tablebase import Tablebase, tablebase_of
from tests.engine.records import Table
from tests.engine.solve.test_tablebase import solve_layers
from tests.engine.test_record import played


def reviewed(text: str, nodes: int) -> list[ReviewedMove]:
    return list(review(verify(text), nodes, clock=lambda: 0.0))


def minimax() -> Callable[[Position], int]:
    """Return what tells the result of perfect play for the side to move: 1, 0 or -1."""
    known: dict[Hashable, int] = {}

    def result(position: Position) -> int:
        if position.key not in known:
            outcome = position.outcome
            if outcome is None:
                known[position.key] = max(-result(position.play(move)) for move in position.legal_moves)
            else:
                known[position.key] = 0 if outcome.winner is None else 1 if outcome.winner == position.turn else -1
        return known[position.key]

    return result


def random_game(chance: Random) -> list[str]:
    """Return the moves of a random game of tic-tac-toe that begins well."""
    texts = ["b2", "a1"]
    position = GAMES["mnk"].start("3 3 3").play("b2").play("a1")
    while position.outcome is None:
        texts.append(chance.choice(position.legal_moves))
        position = position.play(texts[-1])
    return texts


@pytest.mark.slow
def test_what_is_proven_is_the_result_of_perfect_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # to compile search and solver takes five times as long
    monkeypatch.setattr(review_module, "SOLVER_SHARE", 1)
    result = minimax()
    seen: set[tuple[Mark, ...]] = set()
    for seed in range(4):
        position = GAMES["mnk"].start("3 3 3")
        for move in reviewed(Table("mnk", "3 3 3").ready().play(*random_game(Random(seed))).text, 100):
            before, position = position, position.play(move.move)
            if move.ply <= 2:
                continue
            best, this = result(before), -result(position)
            assert move.worth is not None and move.worth.result == this
            assert move.best is not None and move.best_worth is not None and move.best_worth.result == best
            assert -result(before.play(move.best)) == best
            assert move.loss == (0 if best == this else None)
            marks = [Mark.MISSED_WIN] * (best == 1 > this) + [Mark.BLUNDER] * (best > this)
            assert move.marks == tuple(marks)
            assert (move.best == move.move) <= (best == this)
            seen.add(move.marks)
    assert seen == {(), (Mark.BLUNDER,), (Mark.MISSED_WIN, Mark.BLUNDER)}


@pytest.mark.slow("interpreted")
def test_scores_are_for_the_side_that_moves_and_the_best_move_is_no_worse() -> None:
    text = played(stop_after=4, end="resign")
    found = reviewed(text, 200)
    assert [(move.ply, move.side, move.move) for move in found] == [
        (ply, (ply - 1) % 2, move) for ply, move in enumerate(verify(text).history.moves, 1)
    ]
    for move in found:
        assert move.worth is not None and move.best_worth is not None and move.loss is not None and move.loss >= 0
        assert move.worth.depth > 0 and move.best_worth.depth > 0
        assert (move.best == move.move) <= (move.loss == 0)
        assert not move.line or move.line[0] == move.best
    assert reviewed(text, 200) == found, "nodes are counted, not seconds"


def test_what_was_not_searched_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Evaluator, "evaluate", lambda *_: None)
    for move in reviewed(played(stop_after=6, end="resign"), 10):
        assert (move.best, move.best_worth, move.line, move.worth) == (None, None, (), None)
        assert move.loss is None and move.marks == ()


def test_moves_that_lead_to_the_same_position_are_both_the_best() -> None:
    position = GAMES["gipf"].start("3 3 9 9")
    alike: dict[object, list[str]] = {}
    for child in position.children():
        alike.setdefault(child.position.key, []).append(child.move)
    twins = next(texts for texts in alike.values() if len(texts) > 1)
    found = [reviewed(Table().ready().play(text).resign(1), 60)[0] for text in twins]
    assert len({move.loss for move in found}) == 1
    assert all((move.best == move.move) == (found[0].best == found[0].move) for move in found)


@pytest.mark.parametrize(
    ("worth", "before"),
    [
        (MoveValue(40, None, None, 3), MoveValue(-40, None, None, 3)),
        (MoveValue(None, -1, 4, 0), MoveValue(None, 1, 5, 0)),
        (MoveValue(None, 1, None, 0), MoveValue(None, -1, None, 0)),
        (MoveValue(None, 0, None, 0), MoveValue(None, 0, None, 0)),
    ],
)
def test_worth_one_ply_before(worth: MoveValue, before: MoveValue) -> None:
    assert worth.before_move() == before
    assert worth.points == pytest.approx(1 - before.points)


@pytest.mark.parametrize(
    ("best", "this", "marks"),
    [
        (30, -20, ()),
        (60, -60, (Mark.MISTAKE,)),
        (70, -70, (Mark.BLUNDER,)),
        (900, 700, ()),  # won either way
        (-500, None, (Mark.MISTAKE,)),  # lost either way, but only now proven
    ],
)
def test_marks_follow_the_points_that_a_move_gives_away(best: int, this: int | None, marks: tuple[Mark, ...]) -> None:
    lost = MoveValue(None, -1, 4, 0)
    value = lost if this is None else MoveValue(this, None, None, 1)
    assert ReviewedMove(1, 0, "a", "b", MoveValue(best, None, None, 1), (), value).marks == marks
    assert ReviewedMove(1, 0, "a", "b", lost, (), lost).marks == ()


# Tablebases


@pytest.mark.slow("interpreted")
def test_what_a_tablebase_knows_is_told_of_every_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve_layers("2 2 4 4", Tablebase(GAMES["gipf"].start("2 2 4 4"), tmp_path).extent, tmp_path)
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, str(tmp_path))
    summary = verify(played("2 2 4 4", seed=2))
    known = tablebase_of(summary.header.position)
    assert known is not None
    position = summary.header.position
    for move in review(summary, 1, clock=lambda: 0.0):
        before, position = position, position.play(move.move)
        value = known.exact_value(before.kernel(compile=False).state)
        after = known.exact_value(position.kernel(compile=False).state)
        assert value is not None and after is not None and move.worth is not None and move.best_worth is not None
        assert move.best_worth.result == value.result
        assert move.worth.result == -after.result
        if value.result == 1:
            assert move.best_worth.plies == value.plies


@pytest.mark.slow("interpreted")
def test_some_moves_are_reviewed_as_among_all() -> None:
    text = played(stop_after=8, end="resign")
    some = list(review(verify(text), 100, clock=lambda: 0.0, among=range(3, 6)))
    assert some == reviewed(text, 100)[2:5]
