"""A game of the engine with itself, with random moves, each position scored by a search.

Games are there for their positions: a random opening, and random moves in between, lead to positions that good play
does not meet but a search does. Scores are those of searches, so a random move makes no score wrong. Games are
independent of each other: each has its own random numbers and searcher, so any process may play any of them.

Moves are numbers of children in the order of `engine.games.interface.Rules.children`, since texts take longer than the
searches.
"""

from collections.abc import Iterator

import msgspec

from engine.duel.openings import split_mix
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, Kernel, State
from engine.search.memory import ROOM
from engine.search.searcher import Searcher, SearchLimits, Stop, kernel_after

LEAST_OPENING, OPENINGS = 2, 13
"""An opening has so many random plies at least, and so many lengths are equally likely."""

MEGABYTES = 1
"""Of the transposition table, which is made anew for each game."""

MOST_PLIES = 400
"""A game ends after so many."""


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="selfplay"):
    """What every game of a file depends on; its first line."""

    game: str
    parameters: str
    evaluation: str
    """The label of the rules, which tells evaluations apart."""
    seed: int
    nodes: int
    """Of the search of a position."""
    random: int
    """Of a hundred moves behind the opening, so many are random ones."""


class ScoredGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game. Scores are those of the positions behind the opening, for the side to move."""

    number: int
    opening: int
    """Plies before the first score."""
    moves: tuple[int, ...]
    """Numbers of children, one for each ply."""
    scores: tuple[int, ...]
    """The last one belongs to the position behind the last move where it tells the winner."""


def play(kernel: Kernel, setting: Setting, number: int, stop: Stop | None = None) -> ScoredGame:
    """Play one game from a kernel's position. The same arguments always give the same game.

    ``stop`` is that of its searches, for whoever gives the game up.
    """
    rules = kernel.rules
    searcher = Searcher(kernel, megabytes=MEGABYTES)
    limits = SearchLimits(nodes=setting.nodes)
    arena = kernel.arena(ROOM)
    chance = split_mix((setting.seed << 32) + number)
    opening = LEAST_OPENING + next(chance) % OPENINGS
    state = kernel.state
    moves: list[int] = []
    scores: list[int] = []
    earlier: list[int] = []
    while len(moves) < MOST_PLIES and rules.verdict(state) == UNDECIDED:
        key = int(rules.hash_of(state))
        if key in earlier:
            break
        best = None
        if len(moves) >= opening:
            thought = searcher.think(state, earlier, limits, clock=lambda: 0.0, stop=stop)
            if thought.score is None:
                break  # so many children that the nodes do not suffice for one ply
            scores.append(thought.score)
            if abs(thought.score) > EVALUATION_LIMIT:
                break
            if next(chance) % 100 >= setting.random:
                best = thought.line[0]
        move = next(chance) % rules.children(state, arena, 0) if best is None else best
        moves.append(int(move))
        earlier.append(key)
        state = kernel_after(kernel._replace(state=state), moves[-1]).state
    return ScoredGame(number, min(opening, len(moves)), tuple(moves), tuple(scores))


def scored(kernel: Kernel, game: ScoredGame) -> Iterator[tuple[State, int]]:
    """Yield the positions of a game that have scores, and these; raises ValueError for a number that no move has."""
    arena = kernel.arena(ROOM)
    state = kernel.state
    for ply in range(game.opening + len(game.scores)):
        if ply >= game.opening:
            yield state, game.scores[ply - game.opening]
        if ply < len(game.moves):
            if not 0 <= game.moves[ply] < kernel.rules.children(state, arena, 0):
                raise ValueError(f"game {game.number} has no move {game.moves[ply]} at ply {ply}")
            state = kernel.rules.load(arena, game.moves[ply])
