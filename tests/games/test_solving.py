"""Search and solver agree with plain minimax on small positions of every game that cannot go on for ever."""

from functools import cache
from random import Random
from typing import Any

import pytest

from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Game, Kernel, Position
from engine.search.searcher import Searcher, SearchLimits
from engine.solve.forced_wins import ForcedWin
from engine.solve.proof_number.acyclic import Prover
from engine.solve.solver import Result, solve
from tests.engine.forced_wins import forced_win
from tests.games.cases import EVERY_GAME, EVERY_VARIANT, named, random_game

MAX_NODES = 4000
"""Positions with more than so many behind them are left out: plain minimax is slow."""

TRIAL = 1 << 18
"""So many nodes the solver searches interpreted, more than any of these positions needs: it never compiles."""

ENDING = [
    game
    for game in EVERY_GAME
    if game.start(game.default_parameters).kernel(compile=False).rules.plies_left is not None
]
"""Games that cannot go on for ever."""

SMALL = [(game, parameters) for game, parameters in EVERY_VARIANT if game in ENDING]


class TooLarge(Exception):
    """More positions than plain minimax is good for."""


def minimax(kernel: Kernel) -> tuple[int, int]:
    """Return the value of a kernel's position for the side to move and the length of play, by looking at everything.

    Who wins does so as soon as possible, who loses as late as possible; the length of a draw means nothing.
    """
    rules = kernel.rules
    seen = 0

    @cache
    def value(state: Any) -> tuple[int, int]:
        nonlocal seen
        seen += 1
        if seen > MAX_NODES:
            raise TooLarge
        judged = rules.verdict(state)
        if judged != UNDECIDED:
            return int(judged), 0
        arena = kernel.arena(500)
        children = [rules.load(arena, at) for at in range(rules.children(state, arena, 0))]
        below = [value(child) for child in children]
        lengths = {outcome: [plies for other, plies in below if other == outcome] for outcome in (LOST, DRAWN, WON)}
        if lengths[LOST]:
            return WON, 1 + min(lengths[LOST])
        return (DRAWN, 0) if lengths[DRAWN] else (LOST, 1 + max(lengths[WON]))

    return value(kernel.state)


def small_positions(game: Game, parameters: str, count: int) -> list[tuple[Position, int, int]]:
    """Return late positions of random games with their values and lengths."""
    found: list[tuple[Position, int, int]] = []
    chance = Random(11)
    for _ in range(5 * count):
        for position in reversed(list(random_game(game, parameters, chance, most=400))):
            try:
                value, plies = minimax(position.kernel(compile=False))
            except TooLarge:
                break
            found.append((position, value, plies))
        if len(found) >= count:
            break
    assert len(found) > 3
    return found[:count]


def result_of(position: Position, value: int) -> Result:
    if value == DRAWN:
        return Result.DRAW
    return (Result.FIRST, Result.SECOND)[position.turn if value == WON else 1 - position.turn]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "parameters"), SMALL, ids=named)
def test_all_searches_find_the_value_of_minimax(game: Game, parameters: str) -> None:
    positions = small_positions(game, parameters, 15)
    prover = Prover(positions[0][0].kernel(compile=False), memory=1 << 24)
    for position, value, plies in positions:
        assert prover.value(position.kernel(compile=False).state) == value
        if position.verdict() is None:
            solution = solve(position, trial=TRIAL)
            assert solution.result == result_of(position, value)
            assert solution.plies is None or solution.plies == plies
            found = forced_win(position.kernel(compile=False), 8)
            assert found == (None if value == DRAWN or plies > 8 else ForcedWin(value == WON, plies))
            kernel = position.kernel(compile=False)
            thought = Searcher(kernel).think(position, limits=SearchLimits(depth=14, exact=True), clock=lambda: 0.0)
            if value == DRAWN or thought.plies_to_end is None:
                assert thought.plies_to_end is None
            else:
                assert (thought.plies_to_end > 0) == (value == WON)


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_the_search_plays_wins_in_one(game: Game) -> None:
    """Where random play has come to a position in which a move wins, the search finds such a move."""
    chance = Random(3)
    checked = 0
    for _ in range(60):
        for position in random_game(game, game.default_parameters, chance, most=150):
            wins = {
                successor.move
                for successor in position.successors()
                if (outcome := successor.position.verdict()) is not None and outcome.winner == position.turn
            }
            if wins:
                searcher = Searcher(position.kernel(compile=False), megabytes=1)
                thought = searcher.think(position, limits=SearchLimits(depth=2), clock=lambda: 0.0)
                after = position.resolve(thought.move).position.verdict()
                assert after is not None and after.winner == position.turn
                assert thought.plies_to_end == 1
                checked += 1
        if checked >= 5:
            return
    assert checked > 0
