"""The engine of nine men's morris against the oracle: the same moves, positions, ends, errors and texts.

Every disagreement is a fault of one of them; docs/rules.md says of which.
"""

import os
import re
from collections import Counter
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Arena, BadMove, BadPosition
from engine.games.interface import Position as EnginePosition
from engine.games.morris.position import MORRIS, MorrisRules
from tests.engine.morris import samples
from tests.oracles import morris as oracle

NUMBER = 20_000 if os.environ.get("ARENA_CAMPAIGN") else 700
"""Positions of the sample: a second's worth, with the campaign a minute's."""


class Judged(NamedTuple):
    """A position and what the oracle has said about it."""

    position: oracle.Position
    moves: list[oracle.Move]
    outcome: str


@cache
def sample() -> list[Judged]:
    """Return the sample that the tests share."""
    positions = samples.sample(Random(1), NUMBER)
    return [Judged(position, oracle.moves(position), oracle.outcome(position)) for position in positions]


def read(position: oracle.Position) -> EnginePosition:
    """Return the engine's position for one of the oracle's."""
    return MORRIS.read(oracle.text_of(position))


def standing(position: EnginePosition) -> str:
    """Say how the engine thinks the game stands, in the words of the oracle."""
    outcome = position.verdict()
    return "in_progress" if outcome is None else f"{outcome.result(MORRIS.sides)} {outcome.termination}"


def engine_answer(position: EnginePosition, text: str) -> tuple[str, str]:
    """Return the canonical text of a move and the position after it, or the error and nothing."""
    try:
        successor = position.resolve(text)
    except BadMove as error:
        return error.code, ""
    return successor.move, successor.position.text()


def oracle_answer(position: oracle.Position, text: str) -> tuple[str, str]:
    """Return the same from the oracle."""
    try:
        move = oracle.apply(position, text)
    except oracle.Refused as error:
        return str(error), ""
    return move.text, oracle.text_of(move.position)


@pytest.mark.slow("interpreted")
def test_moves_and_the_positions_they_lead_to_are_those_of_the_oracle() -> None:
    """In the same order, with the same texts; the outcome and the position's text as well."""
    for position, moves, outcome in sample():
        board = read(position)
        assert board.text() == oracle.text_of(position)
        assert MORRIS.sides[board.turn] == oracle.NAMES[position.turn]
        assert standing(board) == outcome
        found = [(successor.move, successor.position.text()) for successor in board.successors()]
        assert found == [(move.text, oracle.text_of(move.position)) for move in moves]


def test_the_sample_contains_what_it_is_made_for() -> None:
    """All phases, captures in each, every end, and mills that take nothing."""
    count: Counter[str] = Counter()
    for position, moves, outcome in sample():
        count[outcome] += 1
        mine = len(oracle.standing(position.board, position.turn))
        phase = "placing" if position.hand[position.turn] else "flying" if mine == 3 else "moving"
        count[phase] += bool(moves)
        taking = [move for move in moves if len(move.numbers) == (2 if phase == "placing" else 3)]
        count[f"taking while {phase}"] += bool(taking)
        theirs = oracle.standing(position.board, oracle.OTHER[position.turn])
        count["all in mills"] += bool(taking) and all(oracle.in_mill(position.board, field) for field in theirs)
        count["nothing to take"] += not taking and any(
            oracle.in_mill(move.position.board, move.numbers[-1]) for move in moves
        )
    for what in ("placing", "moving", "flying"):
        assert count[what] > NUMBER / 20
        assert count[f"taking while {what}"] > NUMBER / 50
    for what in (
        "white too_few_pieces",
        "black too_few_pieces",
        "white no_move",
        "black no_move",
    ):
        assert count[what] > NUMBER / 250
    assert count["draw too_few_pieces"] > NUMBER / 600
    assert count["in_progress"] > NUMBER / 2
    assert count["all in mills"] > NUMBER / 100
    assert count["nothing to take"] > NUMBER / 200


def test_a_legal_move_is_understood_however_it_is_spelled() -> None:
    """Blanks and leading zeros."""
    chance = Random(2)
    for position, moves, _ in sample():
        board = read(position)
        for move in chance.sample(moves, min(3, len(moves))):
            assert engine_answer(board, samples.loose_text(chance, move.text)) == (
                move.text, oracle.text_of(move.position),
            )  # fmt: skip


@pytest.mark.slow
def test_a_wrong_move_is_refused_with_the_error_of_the_oracle() -> None:
    """The first that applies; what is right after all is done, and the errors are all met."""
    chance = Random(3)
    met: Counter[str] = Counter()
    for position, moves, _ in sample():
        board = read(position)
        for _ in range(4):
            text = samples.mangled_text(chance, moves)
            answer = oracle_answer(position, text)
            assert (text, *engine_answer(board, text)) == (text, *answer)
            met["done" if answer[1] else re.sub("_[0-9]+_", "_n_", answer[0])] += 1
    assert min(met.values()) > NUMBER / 100
    assert len(met) == 12


def test_a_position_is_read_whatever_blanks_it_has() -> None:
    """Blanks, tabs, blank lines, CRLF, and fields in several lines mean nothing."""
    chance = Random(4)
    for position, _, _ in sample():
        assert MORRIS.read(samples.loose_board(chance, position)).text() == oracle.text_of(position)


def test_a_wrong_position_is_refused_with_the_error_of_the_oracle() -> None:
    """The first that applies; and what is right after all is read."""
    chance = Random(5)
    met: Counter[str] = Counter()
    for position, _, _ in sample() * 2:  # a few kinds of faults are rare
        text = samples.mangled_board(chance, position)
        error, engine_error = "", ""
        try:
            oracle.read(text)
        except oracle.Refused as refused:
            error = str(refused)
        try:
            MORRIS.read(text)
        except BadPosition as refused:
            engine_error = refused.code
        assert (text, engine_error) == (text, error)
        met[error] += 1
    assert len(met) == 6
    assert min(met.values()) > 10


VERDICTS = {"in_progress": UNDECIDED, "draw": DRAWN}


def verdict_of(position: oracle.Position, outcome: str) -> int:
    """Return a kernel's word for an outcome, for the side to move."""
    winner = outcome.split()[0]
    if winner in VERDICTS:
        return VERDICTS[winner]
    return WON if winner == oracle.NAMES[position.turn] else LOST


@pytest.mark.parametrize(
    "compile", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["interpreted", "compiled"]
)
def test_the_kernel_has_the_positions_of_the_oracle(compile: bool) -> None:
    """In order: all, those after captures, and the candidates, whose first one wins where one alone is given."""
    for position, moves, outcome in sample():
        board = read(position)
        kernel = board.kernel(compile=compile)
        rules, state = kernel.rules, kernel.state
        assert isinstance(rules, MorrisRules)
        assert kernel.compiled == compile
        wanted = [read(move.position).kernel(compile=False).state for move in moves]
        arena = kernel.arena(2 * len(wanted) + 1)

        def written(end: int, rules: MorrisRules = rules, arena: Arena = arena) -> list[tuple[int, ...]]:
            return [tuple(map(int, rules.load(arena, at))) for at in range(end)]

        assert written(rules.children(state, arena, 0)) == wanted
        taking = [
            after
            for after, move in zip(wanted, moves, strict=True)
            if len(oracle.standing(move.position.board, "_"))
            != len(oracle.standing(position.board, "_")) - (position.hand[position.turn] > 0)
        ]
        assert written(rules.tactical_children(state, arena, 0)) == taking
        candidates = written(rules.candidates(state, arena, 0))
        if len(candidates) == 1 and len(wanted) > 1:
            first = next(move for move, after in zip(moves, wanted, strict=True) if after == candidates[0])
            assert oracle.outcome(first.position) == f"{oracle.NAMES[position.turn]} too_few_pieces"
        else:
            assert candidates == taking + [after for after in wanted if after not in taking]
        assert rules.verdict(state) == verdict_of(position, outcome)
        assert rules.perft(state, 1, False, arena, 0) == len(moves)
