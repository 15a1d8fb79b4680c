r"""Certificates of wins: the moves of the winner, which can be verified with the rules alone.

A certificate is JSON lines. The first line has the claim, and each other line has the winner's move in a position:

    {"certificate": 1, "game": "gipf", "winner": "second", "plies": 4, "position": "3 4 5 5\n…"}
    {"position": "3 4 5 5\n…", "move": "a1-b2"}

`check` plays every move of the loser, and the given move of the winner. It uses only `engine.games.interface`, and no
search. `strategy` uses searches to find lost positions.
"""

from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter
from typing import Literal, NamedTuple, TypeVar

import msgspec

from engine.games.catalogue import GAMES, unknown_game
from engine.games.interface import LOST, BadMove, BadPosition, Child, Kernel, Position, State
from engine.solve.forced_wins import ForcedWinSearch
from engine.solve.provers import CyclicProver, Prover
from engine.solve.solver import Result, Solution
from engine.wire.words import number_of

SIDES: tuple[Literal["first", "second"], ...] = ("first", "second")
"""Names of the winner: the side that began the game, and the other side."""


class BadCertificate(ValueError):
    """A certificate that cannot be read, or that is wrong. ``str(error)`` has the fault and its place."""


class Claim(NamedTuple):
    """The content of a certificate."""

    position: Position
    winner: int
    """0 for the side that began the game, 1 for the other side."""
    plies: int | None
    """Upper bound of the moves of the game; None for no bound."""
    moves: dict[str, str]
    """The moves of the winner, by the texts of positions."""


class _Head(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename={"version": "certificate"}):
    version: Literal[1]
    game: str
    winner: Literal["first", "second"]
    position: str
    plies: int | None = None


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    position: str
    move: str


_HEADS = msgspec.json.Decoder(_Head)
_LINES = msgspec.json.Decoder(_Line)

Decoded = TypeVar("Decoded")


def write(claim: Claim) -> str:
    """Return the text of a certificate."""
    head = _Head(1, claim.position.game.name, SIDES[claim.winner], claim.position.text(), claim.plies)
    lines = [_Line(text, move) for text, move in claim.moves.items()]
    return msgspec.json.Encoder().encode_lines([head, *lines]).decode()


def read(text: str) -> Claim:
    """Read a certificate without verifying it; raises `BadCertificate`."""
    lines = text.splitlines() or [""]
    head = _decode(lines[0], 1, _HEADS)
    if head.game not in GAMES:
        raise BadCertificate(f"line 1: {unknown_game(head.game)}")
    try:
        position = GAMES[head.game].read(head.position)
    except BadPosition as error:
        raise BadCertificate(f"line 1: the position cannot be read: {error}") from None
    entries = [_decode(line, number, _LINES) for number, line in enumerate(lines[1:], 2)]
    return Claim(position, SIDES.index(head.winner), head.plies, {entry.position: entry.move for entry in entries})


def _decode(line: str, number: int, decoder: msgspec.json.Decoder[Decoded]) -> Decoded:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise BadCertificate(f"line {number}: {error}") from None


def check(claim: Claim) -> tuple[int, int]:
    """Verify a claim by all moves of the loser; raises `BadCertificate`.

    Returns the plies of the longest game, and the number of different positions.
    """
    first = claim.position.text()
    after: dict[str, list[str]] = {}
    waiting = [(first, claim.position)]
    while waiting:
        text, position = waiting.pop()
        if text not in after:
            followers = [(follower.text(), follower) for follower in _followers(claim, position, text)]
            after[text] = [follower for follower, _ in followers]
            waiting += followers
    longest: dict[str, int] = {}
    try:
        for text in TopologicalSorter(after).static_order():
            longest[text] = max((1 + longest[follower] for follower in after[text]), default=0)
    except CycleError as error:
        raise BadCertificate(f"play comes back to a position, and so need not end:\n{error.args[1][0]}") from None
    if claim.plies is not None and longest[first] > claim.plies:
        plies = number_of(longest[first], "ply", "plies")
        raise BadCertificate(f"the game can last {plies}, not {claim.plies} as is claimed")
    return longest[first], len(after)


def _followers(claim: Claim, position: Position, text: str) -> list[Position]:
    """Return the next positions to verify. Empty if the game is over, and won as claimed."""
    outcome = position.outcome
    if outcome is not None:
        if outcome.winner != claim.winner:
            raise BadCertificate(f"the game ends otherwise than is claimed, {outcome.detail}:\n{text}")
        return []
    if position.turn != claim.winner:
        return [child.position for child in position.children()]
    if text not in claim.moves:
        raise BadCertificate(f"no move is given for a position that play leads to:\n{text}")
    try:
        return [position.play(claim.moves[text])]
    except BadMove as error:
        raise BadCertificate(f"the move {claim.moves[text]!r} cannot be played, {error}:\n{text}") from None


class NoStrategy(Exception):
    """A certificate cannot be made. ``str(error)`` is a sentence with the reason."""


INTERPRETED_NODES = 1 << 14
"""Largest solution in nodes and positions whose strategy is found with interpreted code, in a second or two. Compiling
takes ten times as long."""

Choose = Callable[[Position, float], tuple[Child, float]]
"""``choose(position, bound)`` returns a winning move of a position that is won in ``bound`` + 1 plies, and an upper
bound of the plies after it."""

ENDLESS = float("inf")
"""Bound for games that cannot repeat a position."""

MIN_NODES = 1 << 20
"""Least nodes for a proof in games that can repeat a position: about ten seconds of compiled code."""

NODES_FACTOR = 4
"""Nodes for such a proof, as a multiple of those of the solution."""


def strategy(position: Position, solution: Solution, *, memory: int, most: int) -> dict[str, str]:
    """Return a winning move for every position with the winner to move, by their texts.

    ``solution`` is that of the position. Raises `NoStrategy` if it is no win, if there are more than ``most``
    positions, and if play can repeat positions and the win has no bound.
    """
    if solution.result not in (Result.FIRST, Result.SECOND):
        raise NoStrategy(f"the result is {solution.result}; only a win has a strategy that can be written down")
    kernel = position.kernel(compile=solution.nodes + solution.positions > INTERPRETED_NODES)
    bound: float = ENDLESS
    if solution.plies is not None:
        bound, choose = solution.plies, _by_length(kernel, memory)
    elif kernel.rules.plies_left is not None:
        choose = _by_value(kernel, memory)
    else:
        prover = CyclicProver(kernel, memory=memory)
        prover.search(max(MIN_NODES, NODES_FACTOR * solution.nodes))
        if prover.within is None:
            raise NoStrategy("the length of the win is not known; without it play might go round for ever")
        bound, choose = prover.within, _by_proof(prover, kernel, memory)
    return _follow(position, (Result.FIRST, Result.SECOND).index(solution.result), choose, bound, most)


def _follow(position: Position, winner: int, choose: Choose, bound: float, most: int) -> dict[str, str]:
    """Play every move of the loser, and for the winner a move that wins within the rest of the bound.

    If a position is reached again with a smaller rest, a shorter win replaces its move. So the rest decreases along
    every line of play, and no position is repeated.
    """
    moves: dict[str, str] = {}
    bounds: dict[str, float] = {}
    open_ones = [(position, bound)]
    while open_ones:
        at, bound = open_ones.pop()
        text = at.text()
        if at.is_over or (text in bounds and bounds[text] <= bound):
            continue
        if at.turn != winner:
            bounds[text] = bound
            open_ones += [(child.position, bound - 1) for child in at.children()]
        else:
            best, plies = choose(at, bound - 1)
            moves[text], bounds[text] = best.move, plies + 1
            open_ones.append((best.position, plies))
        if len(bounds) > most:
            raise NoStrategy(f"it takes more than {most} positions")
    return moves


def _by_length(kernel: Kernel, memory: int) -> Choose:
    """Choose the move with the shortest win."""
    deepening = ForcedWinSearch(kernel, memory=memory)

    def choose(position: Position, bound: float) -> tuple[Child, float]:
        children = list(position.children())
        return next(
            (child, plies)
            for plies in range(int(bound) + 1)
            for child in children
            if deepening.loses(_state(child, kernel), plies)
        )

    return choose


def _by_proof(prover: CyclicProver, kernel: Kernel, memory: int) -> Choose:
    """Choose the move with the shortest proof, or the shortest win if the table has lost the proof."""
    by_length = _by_length(kernel, memory)

    def choose(position: Position, bound: float) -> tuple[Child, float]:
        best: tuple[Child, float] | None = None
        for child in position.children():
            plies = prover.lost_within(_state(child, kernel))
            if plies is not None and plies <= (bound if best is None else best[1] - 1):
                best = child, plies
        return by_length(position, bound) if best is None else best

    return choose


def _by_value(kernel: Kernel, memory: int) -> Choose:
    """Choose the first winning move."""
    prover = Prover(kernel, memory=memory)

    def choose(position: Position, bound: float) -> tuple[Child, float]:
        return next(one for one in position.children() if prover.solve(_state(one, kernel)) == LOST), bound

    return choose


def _state(child: Child, kernel: Kernel) -> State:
    return child.position.kernel(compile=kernel.compiled).state
