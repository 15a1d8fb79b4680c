"""When a proof holds for a game: against exhaustive play of matches, with all their draws, on small random graphs.

What is solved here is solved interpreted; tests/engine/solve hold the compiled searches to the same results.
"""

import random
from collections.abc import Iterator
from enum import StrEnum
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import pytest
import trio

from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.outcome import Outcome
from server.contest.runtime.prover_process import BY, Proof, Question, prove, ruling
from server.ops.workers.question_loop import OK
from server.ops.workers.worker_process import WorkerProcess, command_of
from tests.waiting import WAIT_SECONDS

PLAYERS = ("ann", "bob")


class Ending(StrEnum):
    STUCK = "stuck"


class Graph(NamedTuple):
    """A game that is played by going from place to place; who has nowhere to go loses."""

    edges: tuple[tuple[int, ...], ...]
    stages: tuple[int, ...]
    quiet_limit: int


class Place(NamedTuple):
    """A position of such a game: all of `engine.games.interface.Position` that a history needs."""

    graph: Graph
    at: int
    turn: int

    @property
    def game(self) -> SimpleNamespace:
        return SimpleNamespace(sides=("first", "second"), quiet_limit=self.graph.quiet_limit)

    @property
    def key(self) -> tuple[int, int]:
        return self.at, self.turn

    @property
    def stage(self) -> int:
        return self.graph.stages[self.at]

    def verdict(self) -> Outcome | None:
        return None if self.graph.edges[self.at] else Outcome(1 - self.turn, Ending.STUCK)

    def successors(self) -> Iterator[tuple[str, "Place"]]:
        for target in self.graph.edges[self.at]:
            yield str(target), self._replace(at=target, turn=1 - self.turn)

    def resolve(self, move: str) -> tuple[str, "Place"]:
        return move, self._replace(at=int(move), turn=1 - self.turn)


def random_graph(chance: random.Random) -> Graph:
    """Two stages, of which the first is never come back to; the last place is an end."""
    size = chance.randrange(4, 9)
    stages = tuple(int(at >= size // 2) for at in range(size))
    edges = [
        tuple(chance.sample([to for to in range(size) if stages[to] >= stages[at]], chance.randrange(1, 3)))
        for at in range(size - 1)
    ]
    return Graph((*edges, ()), stages, chance.choice((0, 0, 2, 3, 4)))


def perfect_play(graph: Graph) -> list[int | None]:
    """Return for each place after how many plies the game ends, None: never; an even number loses for who moves."""
    plies: list[int | None] = [None if targets else 0 for targets in graph.edges]
    for length in range(1, 2 * len(plies)):
        for at, targets in enumerate(graph.edges):
            after = [plies[target] for target in targets]
            wins = length % 2 == 1 and any(number == length - 1 for number in after)
            loses = length % 2 == 0 and all(number is not None and number % 2 for number in after)
            if plies[at] is None and (wins or loses):
                plies[at] = length
    return plies


def value(history: History, move_limit: int) -> int | None:
    """Return who wins a match with perfect play of both, all draws of matches included."""
    outcome = history.verdict(move_limit)
    if outcome is not None:
        return outcome.winner
    turn = history.position.turn
    values = {value(history.after(move), move_limit) for move, _ in history.position.successors()}
    return turn if turn in values else None if None in values else 1 - turn


@pytest.mark.slow
def test_rulings_are_what_perfect_play_of_the_match_comes_to() -> None:
    """With random play before, which comes back to places, and up to limits."""
    chance = random.Random(1)
    ruled = left = untrue = 0
    for _ in range(1500):
        graph = random_graph(chance)
        plies, limit = perfect_play(graph), chance.randrange(4, 16)
        position: Any = Place(graph, 0, chance.randrange(2))
        history = History.begin(position)
        while history.verdict(limit) is None:
            at, turn = position.at, position.turn
            length = plies[at]
            proof = Proof(None) if length is None else Proof(turn if length % 2 else 1 - turn, length, True)
            if limit - history.plies <= 8:
                if ruling(history, limit, PLAYERS, proof) is not None:
                    assert value(history, limit) == proof.winner, (history, limit, proof)
                    ruled += 1
                else:
                    left += 1
                    untrue += value(history, limit) != proof.winner
            onward = [move for move, after in position.successors() if after.verdict() is None]
            history = history.after(chance.choice(onward) if onward else next(position.successors())[0])
            position = history.position
    assert ruled > 1000 and left > 100
    assert untrue > 50, "what is left undecided is left for a reason"


def history_of(game: str, parameters: str, *played: str) -> History:
    history = History.begin(GAMES[game].start(parameters))
    for move in played:
        history = history.after(move)
    return history


def test_a_win_has_to_fit_the_move_limit_to_the_ply() -> None:
    history = history_of("gipf", "3 3 5 4")
    proof = Proof(0, 3, True)
    assert ruling(history, 3, PLAYERS, proof) == f"ann (white) wins in 3 plies, {BY}"
    assert ruling(history, 2, PLAYERS, proof) is None
    assert ruling(history, 2, PLAYERS, Proof(None)) == f"neither side can force a win from here, {BY}"
    assert ruling(history, 1000, PLAYERS, Proof(1, 40)) == f"bob (black) wins within 40 plies, {BY}"
    assert ruling(history, 1000, PLAYERS, Proof(0, 1, True)) == f"ann (white) wins in 1 ply, {BY}"
    assert ruling(history, 1000, PLAYERS, Proof(1)) is None, "as many plies as nobody knows may be too many"


@pytest.mark.parametrize(
    ("game", "parameters", "proof"),
    [
        ("gipf", "2 3 5 5", Proof(0, 1, True)),
        ("gipf", "3 3 5 4", Proof(0, 3, True)),
        ("gipf", "3 3 4 4", Proof(1, 2, True)),
        ("gipf", "2 2 5 5", Proof(None)),
        ("mnk", "3 3 3", Proof(None)),
        ("mnk", "3 3 2", Proof(0, 3, True)),
    ],
)
def test_what_is_known_is_proven(game: str, parameters: str, proof: Proof) -> None:
    """Of positions that have gone through their text, as they do on their way to the process."""
    text = GAMES[game].start(parameters).text()
    assert prove(GAMES[game].read(text), 600.0, 64) == proof


@pytest.mark.slow
def test_a_win_of_unknown_length_is_bounded_by_the_moves_that_are_left() -> None:
    position = GAMES["arrows"].start("5 5")
    found = prove(position, 600.0, 64)
    assert found is not None and found.winner == 1, "docs/rules.md: who begins loses in a corner of 5 5"
    assert found.plies is not None and found.plies <= 25


def test_what_takes_too_long_is_not_proven() -> None:
    assert prove(GAMES["gipf"].start("4 4 15 15"), 0.01, 16) is None


async def test_the_process_answers_one_question_after_the_other_and_ends_with_its_input() -> None:
    process = await WorkerProcess.start(command_of("server.contest.runtime.prover_process", "600", "64"))
    try:
        with trio.fail_after(WAIT_SECONDS):
            await process.ready()

            async def ask(parameters: str, wanted: bool = True) -> Proof | None:
                question = Question("gipf", GAMES["gipf"].start(parameters).text())
                status, answer = await process.ask("prove", msgspec.json.encode(question), lambda: wanted)
                assert status == OK
                return msgspec.json.decode(answer, type=Proof | None)

            assert await ask("2 3 5 5") == Proof(0, 1, True)
            assert await ask("4 4 15 15", wanted=False) is None, "nobody wants to know"
            assert await ask("3 3 4 4") == Proof(1, 2, True)
            with trio.move_on_after(0.1):
                await ask("4 4 15 15")
            assert process.process.stdin is not None and process.process.stdout is not None
            await process.process.stdin.aclose()
            assert await process.process.wait() == 0
            assert await process.process.stdout.receive_some() == b"", "it was in the middle of a position"
    finally:
        await process.end()
