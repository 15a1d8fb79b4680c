"""Bots for mypy alone, which `make lint` runs: it accepts the right bots, and finds the fault of each other one.

A fault that is ignored here and that mypy does not find is a fault of its own.
"""

from bots.bot import Bot, Clocks
from bots.client import play
from engine.games.interface import Child, Position
from engine.search.searcher import best_move


def by_text(position: Position, clocks: Clocks) -> str:
    own, other = position.turn, 1 - position.turn
    ahead = position.captured[other] - position.captured[own] + len(position.threats[own])
    fields: frozenset[str] = position.pieces[own]
    lines: tuple[int, ...] = position.lines[own]
    clocks.note(score=ahead, depth=1, text=f"{sorted(fields)} {lines} {position.mobility[own]}")
    return best_move(position, nodes=1000) if position.evaluate() > 0 else position.legal_moves[0]


def by_child(position: Position, clocks: Clocks) -> Child:
    return max(position.children(), key=lambda child: -child.position.evaluate())


class OfAClass(Bot):
    def choose(self, position: Position, clocks: Clocks) -> str | Child:
        return by_text(position, clocks)


def returns_a_number(position: Position, clocks: Clocks) -> int:
    return 7


def forgets_to_return(position: Position, clocks: Clocks) -> str:  # type: ignore[return]
    position.evaluate()


def takes_no_clocks(position: Position) -> str:
    return position.legal_moves[0]


class ChoosesNothing(Bot):
    def choose(self, position: Position, clocks: Clocks) -> None:  # type: ignore[override]
        pass


def asks_for_what_is_not_there(position: Position, clocks: Clocks) -> str:
    return position.stones[0]  # type: ignore[attr-defined]


def play_all() -> None:
    play(by_text)
    play(by_child, name="ann", port=2754, budget=1000, opponent="bob")
    print([result.score for result in play(OfAClass(), games=2)])
    play(returns_a_number)  # type: ignore[arg-type]
    play(takes_no_clocks)  # type: ignore[arg-type]
    play(by_text, budget="60000")  # type: ignore[arg-type]
