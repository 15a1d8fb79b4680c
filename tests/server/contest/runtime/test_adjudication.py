"""Games whose position is proven end: when a proof holds for a match, and running matches with real processes."""

import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from enum import StrEnum
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import trio
from hypothesis import example, given, strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace
from structlog.testing import capture_logs

from engine.games.catalogue import GAMES
from engine.games.interface import History, Outcome
from engine.match import verification
from engine.wire import messages as m
from server.contest.definition import Adjudication
from server.contest.runtime import adjudication
from server.contest.runtime.adjudication import Adjudicator, PerfectPlay, prove, ruling
from server.ops.supervisor import supervise
from tests.server.harness import ArenaHarness, open_arena, play, ready, until
from tests.waiting import WAIT_SECONDS

RULES = Adjudication(from_ply=0, seconds=600.0, megabytes=64)

PROVER = """
import json, os, pathlib, select, sys
folder, wanted = pathlib.Path(sys.argv[1]), None
def keep(name, line):
    with (folder / name).open("a") as file: file.write(f"{line}\\n")
def say(text):
    print(f"200 {len(text.encode())}", text, sep="\\n", end="", flush=True)
keep("processes", os.getpid())
say("")
read = b""
while True:
    if select.select([0], [], [], 0.005)[0]:
        data = os.read(0, 65536)
        if not data: break
        read += data
        while b"\\n" in read:
            head, _, rest = read.partition(b"\\n")
            kind, length = head.decode().split()
            if len(rest) < int(length): break
            line, read = rest[:int(length)].decode(), rest[int(length):]
            keep("given-up" if kind == "stop" else "questions", line)
            if kind == "prove": wanted = folder / f"answer-{json.loads(line)[1].split()[4]}"
            elif wanted: wanted = say("null")
    if wanted and wanted.exists(): wanted = say(wanted.read_text())
"""
"""Answers what stands in a file, when it is there; its name has the reserve of the first side."""


@asynccontextmanager
async def adjudicated(harness: ArenaHarness, adjudicator: Adjudicator) -> AsyncIterator[None]:
    with trio.fail_after(WAIT_SECONDS):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                supervise,
                "adjudication",
                adjudicator.run,
                lambda: [harness.match(number) for number in harness.arena.matches],
            )
            yield
            nursery.cancel_scope.cancel()


def by_hand(folder: Path, rules: Adjudication = RULES) -> Adjudicator:
    return Adjudicator(rules, (sys.executable, "-c", PROVER, str(folder)))


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def answer(folder: Path, reserve: int, text: str) -> None:
    """Let positions with so much in reserve be answered."""
    (folder / "answer").write_text(text)
    (folder / "answer").rename(folder / f"answer-{reserve}")


async def asked(folder: Path, number: int) -> None:
    await until(lambda: len(lines(folder / "questions")) >= number)


@pytest.mark.slow
async def test_a_game_ends_with_the_win_that_solving_proves(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,5,4 budget=86400000")
        async with adjudicated(harness, Adjudicator(RULES)):
            await ready(ann, bob)
            for client in (ann, bob):
                result = await client.hear(m.Result)
                assert (result.result, result.reason) == ("white", "adjudicated")
        summary = verification.verify(harness.record())
        assert (summary.result, summary.reason) == ("white", "adjudicated")
        assert harness.arena.matches == {}


async def test_no_position_is_looked_at_while_a_side_initialises(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,3 budget=86400000", game="mnk")
        async with adjudicated(harness, Adjudicator(RULES, ("/no/prover",))):
            with capture_logs() as logs:
                await ann.say(m.Ready())
                await trio.sleep(3 * adjudication.POLL_SECONDS)
                assert logs == []
                await bob.say(m.Ready())
                await until(lambda: "service_failed" in {line["event"] for line in logs})


@pytest.mark.slow
async def test_positions_are_looked_at_from_a_ply_on_and_an_answer_that_comes_too_late_is_dropped(
    tmp_path: Path,
) -> None:
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=86400000")
        async with adjudicated(harness, by_hand(tmp_path, replace(RULES, from_ply=1))):
            await ready(ann, bob)
            await trio.sleep(3 * adjudication.POLL_SECONDS)
            assert not (tmp_path / "processes").exists()
            await play(ann, bob, "a1-b2")  # 5 6 in reserve
            await asked(tmp_path, 1)
            await play(bob, ann, "a1-b2")  # 5 5
            await play(ann, bob, "a1-b2")  # 4 5
            answer(tmp_path, 5, '{"winner":1,"plies":2,"exact":true}')
            await asked(tmp_path, 2)
            assert [line.split("\\n")[1] for line in lines(tmp_path / "questions")] == ["5 6 B", "4 5 B"]
            assert harness.arena.matches
            answer(tmp_path, 4, '{"winner":null}')
            result = await bob.hear(m.Result)
        assert (result.result, result.reason) == ("draw", "adjudicated")
        assert verification.verify(harness.record()).history.plies == 3


@pytest.mark.slow
@pytest.mark.parametrize("how", ["killed", "talks nonsense", "hangs"])
async def test_a_process_that_fails_is_started_again_for_the_next_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    rules = RULES
    if how == "hangs":
        monkeypatch.setattr(adjudication, "HANG_SECONDS", 0.0)
        rules = replace(RULES, seconds=1.0)
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=86400000")
        async with adjudicated(harness, by_hand(tmp_path, rules)):
            await ready(ann, bob)
            if how == "hangs":
                with capture_logs() as logs:
                    await until(lambda: logs)
                assert logs[0]["event"] == "service_failed"
                monkeypatch.undo()
            else:
                await asked(tmp_path, 1)
            if how == "killed":
                os.kill(int(lines(tmp_path / "processes")[0]), signal.SIGKILL)
            elif how == "talks nonsense":
                answer(tmp_path, 6, '{"winner":"ann"}')
            answer(tmp_path, 5, '{"winner":0,"plies":3,"exact":true}')
            await play(ann, bob, "a1-b2")
            assert (await bob.hear(m.Result)).reason == "adjudicated"
        for process in map(int, lines(tmp_path / "processes")):
            with pytest.raises(ProcessLookupError):
                os.kill(process, 0)
        assert how == "hangs" or len(lines(tmp_path / "processes")) == 2


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

    @property
    def outcome(self) -> Outcome | None:
        return None if self.graph.edges[self.at] else Outcome(1 - self.turn, Ending.STUCK)

    def children(self) -> Iterator[tuple[str, "Place"]]:
        for target in self.graph.edges[self.at]:
            yield str(target), self._replace(at=target, turn=1 - self.turn)

    def child(self, move: str) -> tuple[str, "Place"]:
        return move, self._replace(at=int(move), turn=1 - self.turn)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Two stages, of which the first is never come back to; the last place is an end."""
    size = draw(st.integers(4, 7))
    stages = tuple(int(at >= size // 2) for at in range(size))
    edges = [
        draw(st.lists(st.sampled_from(range(size // 2 * stages[at], size)), min_size=1, max_size=2, unique=True))
        for at in range(size - 1)
    ]
    return Graph((*map(tuple, edges), ()), stages, 0)


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


# in these, a win leads through a position that has stood twice
@example(Graph(((3, 1), (2, 0), (3,), ()), (0, 0, 1, 1), 0), 0)
@example(Graph(((2, 3), (3,), (0,), ()), (0, 0, 0, 0), 0), 0)
@given(graphs(), st.integers(0, 1))
def test_rulings_are_what_perfect_play_of_the_match_comes_to(graph: Graph, turn: int) -> None:
    """In each position that a match can come to, also after repetitions and up to limits."""
    plies = perfect_play(graph)

    def value(history: History, limit: int) -> int | None:
        """Return who wins a match with perfect play of both, all draws of matches included."""
        outcome = history.outcome(limit)
        if outcome is not None:
            return outcome.winner
        position: Any = history.position
        turn, length = position.turn, plies[position.at]
        values = {value(history.after(move), limit) for move, _ in position.children()}
        winner = turn if turn in values else None if None in values else 1 - turn
        proof = PerfectPlay(None) if length is None else PerfectPlay(turn if length % 2 else 1 - turn, length, True)
        assert winner == proof.winner or ruling(history, limit, PLAYERS, proof) is None
        return winner

    for limit, quiet_limit in product((3, 5, 8), (0, 2, 3)):
        start: Any = Place(graph._replace(quiet_limit=quiet_limit), 0, turn)
        value(History.begin(start), limit)


def history_of(game: str, parameters: str, *played: str) -> History:
    history = History.begin(GAMES[game].start(parameters))
    for move in played:
        history = history.after(move)
    return history


def test_a_win_has_to_fit_the_move_limit_to_the_ply() -> None:
    history = history_of("gipf", "3 3 5 4")
    proof = PerfectPlay(0, 3, True)
    assert ruling(history, 3, PLAYERS, proof) == snapshot(
        "ann (white) wins in 3 plies, adjudicated by the server's exact solver"
    )
    assert ruling(history, 2, PLAYERS, proof) is None
    assert ruling(history, 2, PLAYERS, PerfectPlay(None)) == snapshot(
        "neither side can force a win from here, adjudicated by the server's exact solver"
    )
    assert ruling(history, 1000, PLAYERS, PerfectPlay(1, 40)) == snapshot(
        "bob (black) wins within 40 plies, adjudicated by the server's exact solver"
    )
    assert ruling(history, 1000, PLAYERS, PerfectPlay(0, 1, True)) == snapshot(
        "ann (white) wins in 1 ply, adjudicated by the server's exact solver"
    )
    assert ruling(history, 1000, PLAYERS, PerfectPlay(1)) is None, "as many plies as nobody knows may be too many"


@pytest.mark.parametrize(
    ("game", "parameters", "proof"),
    [
        ("gipf", "2 3 5 5", PerfectPlay(0, 1, True)),
        ("gipf", "3 3 5 4", PerfectPlay(0, 3, True)),
        ("gipf", "3 3 4 4", PerfectPlay(1, 2, True)),
        ("mnk", "3 3 3", PerfectPlay(None)),
        ("mnk", "3 3 2", PerfectPlay(0, 3, True)),
    ],
)
def test_what_is_known_is_proven(game: str, parameters: str, proof: PerfectPlay) -> None:
    """Positions pass through their text, as on their way to the proving process."""
    text = GAMES[game].start(parameters).text()
    assert prove(GAMES[game].read(text), 600.0, 64) == proof


@pytest.mark.slow
def test_what_takes_too_long_is_not_proven() -> None:
    assert prove(GAMES["gipf"].start("4 4 15 15"), 0.01, 16) is None
