"""The slow oracles of all games behind one interface, each with a seeded sample of positions."""

import os
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, NamedTuple

from engine.games.catalogue import GAMES
from engine.games.interface import Kernel, Position
from tests.engine.arrows import samples as arrows_samples
from tests.engine.gipf import samples as gipf_samples
from tests.engine.mnk import samples as mnk_samples
from tests.engine.morris import samples as morris_samples
from tests.oracles import arrows, gipf, gipf_boards, mnk, morris

CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))
TIMES = 40 if CAMPAIGN else 1
"""With ARENA_CAMPAIGN=1 there are so many times as many positions."""


class Judge(NamedTuple):
    """The oracle of a game; its positions and errors are of its own types."""

    name: str
    text: Callable[[Any], str]
    outcome: Callable[[Any], tuple[int | None, str] | None]
    """The winner and the termination, or None while the game goes on."""
    moves: Callable[[Any], list[tuple[str, Any]]]
    """The legal moves in their order, each with the position after it."""
    unique: Callable[[Any], list[Any]]
    """The positions after all moves, each once, in the order of their first moves."""
    refused: type[Exception] = Exception
    apply: Any = None
    """Plays a text, in games in which the oracle names what is wrong with it."""
    loose_text: Any = None
    """Returns a legal move, one of those given, in some spelling."""
    mangled_text: Any = None

    def board(self, position: Any) -> Position:
        """Return the engine's position for one of the oracle's."""
        return GAMES[self.name].read(self.text(position))

    def perft(self, position: Any, depth: int, *, unique: bool) -> int:
        """Count the leaves, with every move or with every position after a move once."""
        after = self.unique(position) if unique else [child for _, child in self.moves(position)]
        return len(after) if depth == 1 else sum(self.perft(child, depth - 1, unique=unique) for child in after)


def _gipf_outcome(position: gipf.Position) -> tuple[int | None, str] | None:
    found = gipf.outcome(position)
    return None if found == "in_progress" else (
        "BW".index(position.turn), "dead_lock" if "dead_lock" in found else "no_reserve",
    )  # fmt: skip


def _mnk_outcome(position: mnk.Position) -> tuple[int | None, str] | None:
    found = mnk.outcome(position)
    return None if not found else (None, "board_full") if found == "draw" else (int(found) - 1, "line")


def _morris_outcome(position: morris.Position) -> tuple[int | None, str] | None:
    winner, _, termination = morris.outcome(position).partition(" ")
    return ({"white": 0, "black": 1}.get(winner), termination) if termination else None


def _mnk_moves(position: mnk.Position) -> list[tuple[str, mnk.Position]]:
    return [(mnk.name(position, field), mnk.placed(position, field)) for field in mnk.moves(position)]


JUDGES = {
    "arrows": Judge(
        "arrows",
        arrows.board_text,
        lambda position: (1 - position.turn(), end) if (end := arrows.outcome(position)) else None,
        lambda position: [(str(move), arrows.play(position, move)) for move in arrows.moves(position)],
        arrows.unique,
    ),
    "gipf": Judge(
        "gipf",
        gipf_boards.board_text,
        _gipf_outcome,
        lambda position: [(move.text, move.position) for move in gipf.moves(position)],
        lambda position: gipf.unique(gipf.moves(position)),
        gipf.Refused,
        gipf.apply,
        lambda chance, position, _moves: gipf_samples.loose_text(chance, position),
        lambda chance, position, moves: gipf_samples.mangled_text(chance, position, [text for text, _ in moves]),
    ),
    "mnk": Judge(
        "mnk", mnk.text, _mnk_outcome, _mnk_moves, lambda position: [child for _, child in _mnk_moves(position)]
    ),
    "morris": Judge(
        "morris",
        morris.text_of,
        _morris_outcome,
        lambda position: [(move.text, move.position) for move in morris.moves(position)],
        lambda position: [move.position for move in morris.moves(position)],
        morris.Refused,
        morris.apply,
        lambda chance, _position, moves: morris_samples.loose_text(chance, chance.choice(moves)[0]),
        lambda chance, _position, moves: morris_samples.mangled_text(chance, [text for text, _ in moves]),
    ),
}

BOARDS = [
    (1, 1), (1, 7), (7, 1), (2, 2), (2, 5), (3, 3), (3, 4), (4, 3), (4, 4), (5, 5), (4, 6), (6, 6), (7, 5),
    (8, 8), (4, 16), (16, 4), (7, 9), (1, 19), (3, 19), (7, 8), (5, 13), (9, 9), (15, 15), (19, 19), (19, 4),
]  # fmt: skip
"""Boards of m,n,k: small ones, of 64 fields, of nearly as many, and of more than a word."""

AMOUNTS = {2: 220, 3: 175, 4: 60, 5: 52, 6: 9, 7: 5, 8: 3, 9: 2, 10: 1, 11: 1, 12: 1}
"""Positions of GIPF of each size, so many that some of each kind are among them."""


FEW = {"morris": 65, "gipf 3": 20, "gipf 4": 10, "gipf 5": 5, "gipf 7": 1}
"""So many positions of samples that take long are enough for quick tests."""


def _gipf_sample(size: int, lengths: list[int], amount: int) -> list[Any]:
    return gipf_samples.sample(Random(100 * size + 1), size, lengths, amount)


def _mnk_sample(rows: int, columns: int) -> list[Any]:
    return mnk_samples.sample(1, rows, columns, 20 if rows * columns < 100 else 2)


def _mnk_line_sample(rows: int, columns: int, length: int) -> list[Any]:
    chance = Random(length)
    few = (3 if rows * columns > 64 else 12) * mnk_samples.CAMPAIGN
    games = [mnk_samples.random_game(chance, rows, columns, length) for _ in range(few // 3)]
    boards = [mnk_samples.random_board(chance, rows, columns, length) for _ in range(few)]
    return [*boards, *(position for game in games for position in game)]


@cache
def sample(name: str, *, few: bool = False) -> list[tuple[Judge, Any, list[tuple[str, Any]]]]:
    """Return positions with the legal moves of each; the name is of a game and what its boards have in common.

    K of GIPF is mostly small, so that rows are frequent. A sample with ``few`` positions has those of `FEW`.
    """
    game, *numbers = name.split()
    about = list(map(int, numbers))
    samples: dict[str, Callable[[], list[Any]]] = {
        "arrows": lambda: list(arrows_samples.positions(Random(1), 400 * TIMES)),
        "gipf": lambda: _gipf_sample(
            about[0],
            about[1:] or [k for k in (2, 3, 3, 3, 4, 4, 5) if k < 2 * about[0]],
            FEW[name] if few else AMOUNTS[about[0]] * TIMES,
        ),
        "mnk": lambda: _mnk_line_sample(*about) if len(about) > 2 else _mnk_sample(*about),
        "morris": lambda: morris_samples.sample(Random(1), FEW[name] if few else 280 * TIMES),
    }
    judge = JUDGES[game]
    return [(judge, position, judge.moves(position)) for position in samples[game]()]


def state_of(position: Position) -> tuple[int, ...]:
    return tuple(position.kernel(compile=False).state)


def plain(state: Any) -> tuple[int, ...]:
    """Return a state as Python's integers: a set of 64 fields uses the sign."""
    return tuple(number + (1 << 64) if (number := int(part)) < 0 else number for part in state)


def written(kernel: Kernel, function: str) -> list[tuple[int, ...]]:
    """Return the states that a function of a kernel writes."""
    arena = kernel.arena(20_000)
    end = getattr(kernel.rules, function)(kernel.state, arena, 0)
    return [plain(kernel.rules.load(arena, at)) for at in range(end)]
