"""Search and solver agree with plain definitions on random positions of every game, also where play can go round.

The definitions stand here, over the interface that people play with, and know nothing of kernels: minimax to a few
plies, and distances over all positions that can be reached, from the ends of the game backwards.
With ARENA_CAMPAIGN=1 there are twenty times as many positions.
"""

import os
from collections.abc import Hashable
from random import Random

import pytest

from engine.games.interface import DRAWN, WON, Game, Position
from engine.search.searcher import Searcher, SearchLimits as ThinkingLimits
from engine.solve.forced_wins import ForcedWin
from engine.solve.provers import CyclicProver
from engine.solve.solver import Result, SolverLimits, solve
from tests.engine.forced_wins import forced_win
from tests.games.cases import EVERY_GAME, named, random_game, random_line

TIMES = 20 if os.environ.get("ARENA_CAMPAIGN") else 1

MAX_LOOKED_AT = 2000
"""Positions with more than so many behind them are left out: plain definitions are slow."""

MEMORY = 1 << 26

MAX_MOVES = 60

VARIANTS = [
    ("gipf", "2 3 6 6", 5),
    ("gipf", "3 3 4 6", 3),
    pytest.param("gipf", "3 4 5 5", 3, marks=pytest.mark.campaign),
    pytest.param("gipf", "4 4 4 5", 2, marks=pytest.mark.campaign),
    ("arrows", "5 4", 4),
    pytest.param("morris", "0 0 W\nW_W_W_W_" + "________" + "B_B_B___\n", 2, marks=pytest.mark.thorough),
    ("mnk", "4 4 3", 4),
    pytest.param("mnk", "5 5 4", 4, marks=pytest.mark.campaign),
    ("stones", "12", 5),
]
"""Games, variants (of morris a position, since its games are long), and to how many plies plain minimax looks."""


class TooLarge(Exception):
    """More positions than a plain definition is good for."""


def win_within(position: Position, plies: int) -> ForcedWin | None:
    """Return the shortest win that either side can force within so many plies, by looking at everything."""
    known: dict[tuple[Hashable, int, int], int | None] = {}

    def length(at: Position, left: int, winner: int) -> int | None:
        question = at.key, left, winner
        if question not in known:
            if len(known) > MAX_LOOKED_AT:
                raise TooLarge
            known[question] = length_of(at, left, winner)
        return known[question]

    def length_of(at: Position, left: int, winner: int) -> int | None:
        outcome = at.outcome
        if outcome is not None:
            return 0 if outcome.winner == winner else None
        if left == 0:
            return None
        below = [length(child.position, left - 1, winner) for child in at.children()]
        wins = [found for found in below if found is not None]
        if at.turn == winner:
            return 1 + min(wins) if wins else None
        return 1 + max(wins) if len(wins) == len(below) else None

    for winner in (position.turn, 1 - position.turn):
        found = length(position, plies, winner)
        if found is not None:
            return ForcedWin(winner == position.turn, found)
    return None


def of_catalogue(name: str) -> Game:
    return next(game for game in EVERY_GAME if game.name == name)


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize(("name", "first", "plies"), VARIANTS, ids=str)
def test_short_wins_are_those_of_plain_minimax(name: str, first: str, plies: int) -> None:
    """Alpha-beta, the search for forced wins, proof-number search and the solver, on late positions of random games."""
    game = of_catalogue(name)
    chance = Random(17)
    checked = won = 0
    for _ in range(8 * TIMES):
        line = list(random_line(game.read(first) if "\n" in first else game.start(first), chance, MAX_MOVES))
        position = line[-min(len(line), 2 + chance.randrange(8))]
        if position.is_over:
            continue
        try:
            expected = win_within(position, plies)
        except TooLarge:
            checked += 1  # so that a variant whose positions are all too large ends, and fails below
            continue
        checked += 1
        won += expected is not None
        kernel = position.kernel(compile=False)
        assert forced_win(kernel, plies) == expected
        solution = solve(position, SolverLimits(plies=plies, nodes=4_000))
        if expected is None:
            assert solution.plies is None or solution.plies > plies
            assert solution.refuted >= plies or solution.result == Result.DRAW or solution.plies is not None
        else:
            assert solution.plies == expected.plies
            assert (
                solution.result
                == (Result.FIRST, Result.SECOND)[position.turn if expected.for_mover else 1 - position.turn]
            )
        for exact in (False, True):
            limits = ThinkingLimits(depth=plies, exact=exact)
            told = Searcher(kernel, megabytes=1).think(kernel.state, limits=limits, clock=lambda: 0.0).plies_to_end
            if told is not None and abs(told) > plies:  # what tactical moves have shown beyond the depth
                assert expected is None
                proven = forced_win(kernel, abs(told))
            else:
                proven = expected if exact or told is not None else None
            assert told == (None if proven is None else proven.plies if proven.for_mover else -proven.plies)
        if kernel.rules.plies_left is None:
            prover = CyclicProver(kernel, memory=MEMORY)
            prover.search(500)
            if expected is not None and prover.value is not None:
                assert (prover.value == WON) == expected.for_mover and prover.value != DRAWN
                assert prover.within is not None and prover.within >= expected.plies
    assert won > 0
    assert checked > 5 * TIMES


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_the_search_plays_wins_in_one(game: Game) -> None:
    """Where random play has come to a position in which a move wins, the search finds such a move."""
    chance = Random(3)
    checked = 0
    for _ in range(60):
        for position in random_game(game, game.default_parameters, chance, most=150):
            wins = {
                child.move
                for child in position.children()
                if (outcome := child.position.outcome) is not None and outcome.winner == position.turn
            }
            if wins:
                kernel = position.kernel(compile=False)
                thought = Searcher(kernel, megabytes=1).think(
                    kernel.state, limits=ThinkingLimits(depth=2), clock=lambda: 0.0
                )
                after = position.play(thought.move(position)).outcome
                assert after is not None and after.winner == position.turn
                assert thought.plies_to_end == 1
                checked += 1
        if checked >= 3:
            return
    assert checked > 0
